"""Bimodal and heavy-tailed samples, for which Student's interval covers less than its level.

Where one run in ten collapses, a 95 % interval of 5, 10 or 20 seeds covers its mean in 41, 66 and 87 % of experiments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.stats.interval import finite, sum_of_squares

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = 5
"""Minimum number of values of a significant gap."""
SHARE = 0.25
"""A gap matters if it is more than this share of the median."""


@dataclass(frozen=True, slots=True)
class Split:
    """Two groups of values with a gap between them.

    Attributes
    ----------
    low, high : tuple of float
        Their means, in the unit of the values.
    low_n, high_n : int
        Their sizes.
    """

    low: float
    high: float
    low_n: int
    high_n: int

    @property
    def n(self) -> int:
        """All values."""
        return self.low_n + self.high_n


def split_of(x: Iterable[float]) -> Split | None:
    """The groups that a sample falls into at its largest gap; None where it is of one piece.

    It falls apart if the gap is more than 2 + 40 / n standard deviations within the groups (pooled), and more than a
    quarter of the median. Of samples of 5 to 50 normal values this calls at most 2.4 % split (of 10 or more, 0.3 %), of
    samples in which one value in ten collapses 40 % with n = 5, 65 % with 10 and 87 % with 20: nearly all in which one
    has collapsed.

    Parameters
    ----------
    x : iterable of float
        One number per replication.

    Examples
    --------
    >>> split_of([100.0, 104.0, 97.0, 101.0, 8.0])
    Split(low=8.0, high=100.5, low_n=1, high_n=4)
    """
    values = sorted(finite(x))
    n = len(values)
    if n < LEAST:
        return None
    at = max(range(1, n), key=lambda index: values[index] - values[index - 1])
    gap = values[at] - values[at - 1]
    median = (values[(n - 1) // 2] + values[n // 2]) / 2.0
    if gap <= SHARE * abs(median):
        return None
    low, high = values[:at], values[at:]
    means = [math.fsum(group) / len(group) for group in (low, high)]
    spread = math.sqrt(
        sum(sum_of_squares(group, mean) for group, mean in zip((low, high), means, strict=True)) / (n - 2)
    )
    if gap <= (2.0 + 40.0 / n) * spread:
        return None
    return Split(means[0], means[1], len(low), len(high))


def split_warning(x: Iterable[float], what: str, unit: str, scale: float = 1.0) -> str | None:
    """A warning about a split sample; None for others.

    Parameters
    ----------
    x : iterable of float
        One number per seed.
    what, unit : str
        What they are, and the unit that they are shown in.
    scale : float
        What a value is multiplied with to be shown.
    """
    found = split_of(x)
    if found is None:
        return None
    shown = [f"{mean * scale:.4g} {unit}".rstrip() for mean in (found.low, found.high)]
    return (
        f"{what}: the seeds fall into two groups, {found.low_n} near {shown[0]} and {found.high_n} near {shown[1]}: "
        "a 95 % CI of the mean covers less than 95 %; use more seeds, or a bootstrap "
        "(hoplab.stats.bootstrap_interval)"
    )
