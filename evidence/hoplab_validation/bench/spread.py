"""How a quantity lies over the repeats of a measurement."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import NamedTuple


class Spread(NamedTuple):
    """Minimum, median and maximum."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """That of one value or more."""
        found = sorted(values)
        return cls(found[0], median(found), found[-1])
