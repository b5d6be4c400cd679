"""Bootstrap intervals, for statistics whose distribution is not known.

For the mean of a few replications `mean_interval` is the better choice: with n below
about 10 a bootstrap interval covers the truth clearly less often than it claims. The measured
coverage stands in docs/use/statistics.md and is held by tests/python/stats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from hoplab.stats.interval import DEFAULT_LEVEL, Interval, StatisticsError, check_level, finite

Method = Literal["bca", "percentile", "basic"]
Statistic = Callable[..., Any]
"""Takes an array and the keyword `axis`, as `numpy.mean` does."""


def bootstrap_interval(  # noqa: PLR0913 (all but the first two by keyword)
    x: Iterable[float],
    level: float = DEFAULT_LEVEL,
    *,
    statistic: Statistic | None = None,
    method: Method = "bca",
    resamples: int = 9999,
    seed: int = 1,
) -> Interval:
    """Bootstrap interval of a statistic over independent replications.

    Parameters
    ----------
    x : iterable of float
        One number per replication. Finite; at least one.
    level : float
        Confidence level, above 0 and below 1.
    statistic : callable, optional
        A reducing function with an `axis` keyword; the mean by default.
    method : {"bca", "percentile", "basic"}
        ``bca`` corrects for bias and skew.
    resamples : int
        Number of resamples.
    seed : int
        Seed of the resampling, for reproducible tables.

    Returns
    -------
    Interval
        In the unit of the statistic; `mean` holds the statistic of `x` itself and `half_width` half
        the length of an interval that need not be symmetric. With n = 1 there is no interval; where
        all values are equal it has no width.

    Raises
    ------
    StatisticsError
        If `x` is empty or not finite, or `level` or `resamples` is out of range.
    """
    values = finite(x)
    check_level(level)
    if resamples < 1:
        raise StatisticsError(f"resamples = {resamples}: expected at least 1")
    import numpy as np

    sample = np.asarray(values)
    reduce: Statistic = np.mean if statistic is None else statistic
    estimate = float(reduce(sample, axis=-1))
    n = len(values)
    if n == 1:
        return Interval(estimate, None, None, None, 1, "none", level)
    name = f"bootstrap-{method}"
    if min(values) == max(values):
        return Interval(estimate, 0.0, estimate, estimate, n, name, level)
    try:
        from scipy.stats import bootstrap
    except ModuleNotFoundError:
        text = "a bootstrap interval needs the package scipy, which is not installed: pip install scipy"
        raise StatisticsError(text) from None

    result = bootstrap(
        (sample,),
        reduce,
        confidence_level=level,
        n_resamples=resamples,
        method="BCa" if method == "bca" else method,
        rng=np.random.Generator(np.random.PCG64(seed)),
    )
    low, high = float(result.confidence_interval.low), float(result.confidence_interval.high)
    return Interval(estimate, (high - low) / 2.0, low, high, n, name, level)
