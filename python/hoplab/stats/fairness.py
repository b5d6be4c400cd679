"""Fairness between flows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hoplab.stats.interval import StatisticsError, finite

if TYPE_CHECKING:
    from collections.abc import Iterable


def jain(x: Iterable[float]) -> float:
    """Jain's fairness index of per-flow shares: (sum x)^2 / (n * sum x^2).

    Parameters
    ----------
    x : iterable of float
        One non-negative number per flow, all in one unit (goodput in bit/s, say).

    Returns
    -------
    float
        Between 1/n (one flow has all) and 1 (equal shares), without unit. NaN where every share is zero:
        flows that all starve are neither fair nor unfair.

    Raises
    ------
    StatisticsError
        If `x` is empty, or a share is negative or not finite.

    Examples
    --------
    >>> round(jain([1.0, 2.0, 3.0]), 6)
    0.857143
    """
    values = finite(x)
    if min(values) < 0.0:
        raise StatisticsError(f"x holds {min(values)}: a share is not negative")
    largest = max(values)
    if largest == 0.0:
        return math.nan
    shares = [value / largest for value in values]  # keeps the squares in range
    return math.fsum(shares) ** 2 / (len(shares) * math.fsum(share * share for share in shares))
