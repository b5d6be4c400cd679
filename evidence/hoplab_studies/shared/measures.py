"""Conditions over replications: margins are paired by seed, which common random numbers narrow."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from hoplab.running.runs import Runs
from hoplab.stats import Interval, mean_interval, paired
from hoplab_studies.shared.verdict import Condition

Range = tuple[float, float]
"""A closed interval."""


def margin(a: Sequence[float], b: Sequence[float], factor: float) -> Interval:
    """Mean over seeds of a - factor * b."""
    return mean_interval([x - factor * y for x, y in zip(a, b, strict=True)])


def at_least(
    what: str, a: Sequence[float], b: Sequence[float], factor: float, *, trend: float | None = 1.0
) -> Condition:
    """mean(a) >= factor * mean(b), above it if the factor is 1; the direction alone is mean(a) > trend * mean(b)."""
    weaker = None if trend is None else margin(a, b, trend)
    room_ = margin(a, b, factor)
    strict, sign = factor == 1.0, ">" if factor == 1.0 else ">="
    return Condition(what, ratio(a, b), f"{sign} {factor:g}", (room_,), weaker, strict, band=(factor, math.inf))


def at_most(
    what: str, a: Sequence[float], b: Sequence[float], factor: float, *, trend: float | None = 1.0
) -> Condition:
    """mean(a) <= factor * mean(b), below it if the factor is 1; the direction alone is mean(a) < trend * mean(b)."""
    weaker = None if trend is None else margin(a, b, trend).scaled(-1.0)
    room_ = margin(a, b, factor).scaled(-1.0)
    strict, sign = factor == 1.0, "<" if factor == 1.0 else "<="
    return Condition(what, ratio(a, b), f"{sign} {factor:g}", (room_,), weaker, strict, band=(-math.inf, factor))


def more_than(what: str, found: Interval, limit: float, *, trend: Interval | None = None) -> Condition:
    """The value lies above a limit."""
    band = (limit, math.inf)
    return Condition(what, found, f"> {limit:g}", (shifted(found, -limit),), trend, strict=True, band=band)


def less_than(what: str, found: Interval, limit: float, *, trend: Interval | None = None) -> Condition:
    """The value lies below a limit."""
    band = (-math.inf, limit)
    room_ = shifted(found.scaled(-1.0), limit)
    return Condition(what, found, f"< {limit:g}", (room_,), trend, strict=True, band=band)


def in_range(what: str, found: Interval, wanted: Range, trend: Interval | None = None) -> Condition:
    """The value lies between two ends."""
    return Condition(what, found, f"{wanted[0]:g} to {wanted[1]:g}", (room(found, (wanted,)),), trend, band=wanted)


def nothing(what: str) -> Condition:
    """No run has the value: the claim does not hold."""
    none = mean_interval([-1.0])
    return Condition(f"{what} (no run has it)", none, "a number", (none,))


def shifted(found: Interval, by: float) -> Interval:
    """An interval moved along its axis."""
    ends = [None if end is None else end + by for end in (found.low, found.high)]
    return replace(found, mean=found.mean + by, low=ends[0], high=ends[1])


def ratio(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Ratio of the means with Fieller's interval; infinite, or NaN, where the denominators sum to zero."""
    found = paired(a, b).ratio
    if found is not None:
        return found
    return Interval(math.inf if math.fsum(a) > 0.0 else math.nan, None, None, None, len(a), "none")


def room(found: Interval, ranges: Sequence[Range]) -> Interval:
    """Distance from an interval to the bounds of the nearest range; negative outside."""

    def inside(x: float) -> float:
        return max(min(x - low, high - x) for low, high in ranges)

    mean = (
        inside(found.mean)
        if math.isfinite(found.mean)
        else (1.0 if any(math.isinf(high) for _, high in ranges) else -1.0)
    )
    if found.low is None or found.high is None:
        return Interval(mean, None, None, None, found.n, found.method)
    ends = [mean, inside(found.low), inside(found.high)]
    overlaps = any(found.low <= high and low <= found.high for low, high in ranges)
    best = max(*ends, 0.0) if overlaps else max(ends)
    worst = min(ends) if any(low <= found.low and found.high <= high for low, high in ranges) else min(*ends, -1e-12)
    return Interval(mean, (best - worst) / 2.0, worst, best, found.n, found.method)


def _ranks(values: Sequence[float]) -> list[float]:
    """Position of each value from 1; equal values share the mean of their positions."""
    order = sorted(values)
    return [(bisect_left(order, value) + bisect_right(order, value) + 1) / 2.0 for value in values]


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Spearman's coefficient, -1 to 1; 0 where `y` does not vary."""
    a, b = _ranks(x), _ranks(y)
    middle = (len(a) + 1) / 2.0
    spread = math.sqrt(math.fsum((i - middle) ** 2 for i in a) * math.fsum((j - middle) ** 2 for j in b))
    return math.fsum((i - middle) * (j - middle) for i, j in zip(a, b, strict=True)) / spread if spread > 0.0 else 0.0


def cuts(window: Sequence[float], *, share: float = 0.75) -> int:
    """Reductions of a sampled window below `share` of the previous sample; consecutive ones count once."""
    count, falling = 0, False
    for before, after in itertools.pairwise(window):
        fell = after < share * before
        count += fell and not falling
        falling = fell
    return count


def variation(window: Sequence[float]) -> float:
    """Coefficient of variation: standard deviation over mean, without unit."""
    mean = math.fsum(window) / len(window)
    return math.sqrt(math.fsum((w - mean) ** 2 for w in window) / len(window)) / mean


def windows(runs: Runs, *, after_s: float, flow: int = 0) -> list[list[float]]:
    """Sampled windows of one flow, in segments, from `after_s` of simulated time on; one list per seed."""
    found = []
    for run in runs:
        series = run.series
        chosen = (series["flow"] == flow) & (series["t_s"] >= after_s)
        found.append([float(w) for w in series["cwnd"][chosen]])
    return found
