"""What the Semi-TCP paper prints as numbers or formulas, and what was released with it."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def numbers(name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a table of `data`."""
    text = resources.files("hoplab_studies.semi_tcp").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


LOSSES = (0.001, 0.01, 0.05, 0.1)
"""Loss ratios of Figure 1, which names none."""


def rate_bound(segment: float, rtt: float, loss: float) -> float:
    """Largest mean rate of a TCP connection, in segments' units per second (Cai 2013, eq. 1; Mathis 1997)."""
    return 1.5 * segment / rtt * math.sqrt(2.0 / (3.0 * loss))


def path_bound(hops: int, loss: float) -> float:
    """The same over a path whose every link loses `loss`, over that of one lossless hop (Cai 2013, eq. 2)."""
    return rate_bound(1.0, float(hops), loss) * (1.0 - loss) ** hops
