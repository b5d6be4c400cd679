"""Steady state from one long run: where warm-up ends, and batch means after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.stats.interval import DEFAULT_LEVEL, Interval, StatisticsError, finite, mean_interval

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Where a series becomes stationary, by MSER.

    Attributes
    ----------
    samples : int
        Observations to leave out at the start. Times the sampling interval it is the warm-up in seconds.
    total : int
        Observations looked at: whole batches only.
    batch : int
        Observations per batch.
    converged : bool
        False if the best truncation is at the end of the searched half: the series is then
        too short, or not stationary at all, and `samples` is no warm-up.
    """

    samples: int
    total: int
    batch: int
    converged: bool

    def seconds(self, interval_s: float) -> float:
        """The warm-up in seconds of a series sampled every `interval_s` seconds."""
        return self.samples * interval_s


def mser5(x: Iterable[float], batch: int = 5) -> WarmUp:
    """Warm-up of a series by MSER-5 (White 1997): truncate where s^2 / n of what remains is least.

    Parameters
    ----------
    x : iterable of float
        Equally spaced observations, such as goodput in bit/s in bins of one second.
    batch : int
        Observations averaged before the search, 5 in MSER-5.

    Returns
    -------
    WarmUp
        Only the first half of the batches may be left out.

    Raises
    ------
    StatisticsError
        If there are fewer than four whole batches, or a value is not finite.
    """
    values = finite(x)
    if batch < 1:
        raise StatisticsError(f"batch = {batch}: expected at least 1 observation")
    count = len(values) // batch
    if count < 4:
        raise StatisticsError(f"{len(values)} observations yield {count} batches of {batch}: MSER requires at least 4")
    import numpy as np

    means = np.asarray(values[: count * batch]).reshape(count, batch).mean(axis=1)
    # Centering on the tail keeps the difference of sums below from canceling.
    centered = means - means[count // 2 :].mean()
    remaining = np.arange(count, 0, -1)
    sums = np.cumsum(centered[::-1])[::-1]
    squares = np.cumsum(centered[::-1] ** 2)[::-1]
    score = (squares - sums**2 / remaining) / remaining**2
    last = count // 2
    best = int(np.argmin(score[: last + 1]))
    return WarmUp(best * batch, count * batch, batch, best < last)


@dataclass(frozen=True, slots=True)
class BatchMeans:
    """A steady-state mean from one long run.

    Attributes
    ----------
    interval : Interval
        Mean and Student interval over the batches kept; `n` counts batches.
    batch : int
        Observations per batch.
    lag1 : float or None
        Correlation of neighboring batch means; None where they do not vary.
    independent : bool
        Whether `lag1` is below 0.2, as the interval assumes. False means: run longer, or use fewer batches.
    """

    interval: Interval
    batch: int
    lag1: float | None
    independent: bool


def batch_means(x: Iterable[float], *, batches: int = 20, discard: int = 1, level: float = DEFAULT_LEVEL) -> BatchMeans:
    """Interval of a steady-state mean by batch means.

    Parameters
    ----------
    x : iterable of float
        Equally spaced observations of one run.
    batches : int
        Number of equal batches; observations over a whole number of batches are left out at the end.
    discard : int
        Batches left out at the start.
    level : float
        Confidence level, above 0 and below 1.

    Raises
    ------
    StatisticsError
        If fewer than two batches would remain, or there are fewer observations than batches.
    """
    values = finite(x)
    if batches - discard < 2 or discard < 0:
        raise StatisticsError(f"{batches} batches, {discard} discarded: at least two must remain")
    size = len(values) // batches
    if size < 1:
        raise StatisticsError(f"{len(values)} observations do not fill {batches} batches")
    import numpy as np

    means = np.asarray(values[: size * batches]).reshape(batches, size).mean(axis=1)[discard:]
    centered = means - means.mean()
    power = float((centered**2).sum())
    lag1 = float((centered[1:] * centered[:-1]).sum()) / power if power > 0.0 else None
    independent = lag1 is None or lag1 < MAX_LAG1
    return BatchMeans(mean_interval(means.tolist(), level), size, lag1, independent)


MAX_LAG1 = 0.2
"""Lag-1 correlation of batch means from which on they are not taken as independent."""
