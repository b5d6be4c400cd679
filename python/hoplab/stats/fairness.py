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
        One non-negative number per flow, in one unit, such as goodput in bit/s.

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
        raise StatisticsError(f"x contains {min(values)}: shares must not be negative")
    largest = max(values)
    if largest == 0.0:
        return math.nan
    shares = [value / largest for value in values]  # keeps the squares in range
    return math.fsum(shares) ** 2 / (len(shares) * math.fsum(share * share for share in shares))


def unfairness(x: Iterable[float]) -> float:
    """Unfairness U of what each flow gets, relative to what it would get alone (Kopparty 2002, eq. 1).

    U = sqrt((k * sum x^2 - (sum x)^2) / (k - 1)): the sample standard deviation times sqrt(k). Two flows: |x1 - x2|.

    Parameters
    ----------
    x : iterable of float
        One number per flow, its throughput among the others divided by its throughput alone; not negative.
        A flow may be better off among others than alone (above 1): that is not cut off.

    Returns
    -------
    float
        0 where all lose the same share, at most `unfairness_bound(k)` while no x is above 1. NaN for a single flow.

    Raises
    ------
    StatisticsError
        If `x` is empty, or an element is negative or not finite.

    Examples
    --------
    >>> round(unfairness([0.9, 0.5, 0.1]), 6)
    0.69282
    """
    values = finite(x)
    if min(values) < 0.0:
        raise StatisticsError(f"x contains {min(values)}: shares must not be negative")
    k = len(values)
    if k == 1:
        return math.nan
    mean = math.fsum(values) / k
    # The same as the paper's form, without its cancellation.
    return math.sqrt(k * math.fsum((value - mean) ** 2 for value in values) / (k - 1))


def unfairness_bound(k: int) -> float:
    """Largest `unfairness` of `k` flows none of which gets more than it would alone.

    The paper states 1; from four flows on, half of them at zero yields more.

    Examples
    --------
    >>> [round(unfairness_bound(k), 3) for k in (2, 3, 4, 5)]
    [1.0, 1.0, 1.155, 1.225]
    """
    if k < 2:
        raise StatisticsError(f"k = {k}: unfairness requires at least 2 flows")
    half = k // 2
    return math.sqrt(half * (k - half) / (k - 1))
