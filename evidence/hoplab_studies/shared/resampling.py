"""Statistics of whole curves, with intervals by bootstrap resampling of seeds.

Where a curve is highest, how many of its points lie above another's: no formula gives an interval for that. The seeds
are drawn with replacement, all points of all curves together, and the statistic is taken of the means again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from hoplab.base.errors import require
from hoplab.stats import Interval, bootstrap_interval
from hoplab_studies.shared.measures import Range, room
from hoplab_studies.shared.verdict import Condition

Rows = Sequence[Sequence[float | None]]
"""One row per point of a curve, one number per seed; None where a run does not have it."""

Statistic = Callable[..., float]
"""Takes the means of each curve, as a list of floats, NaN where no run has one."""

RESAMPLES = 400


def estimate(statistic: Statistic, *curves: Rows) -> Interval:
    """A statistic of the means of some curves, with its 95 % percentile interval over seeds."""
    import numpy as np

    tables = [np.asarray([[math.nan if v is None else v for v in row] for row in rows], dtype=float) for rows in curves]
    seeds = tables[0].shape[1]
    everyone = np.arange(seeds)[None, :]
    whole = statistic(*(_means(table, everyone)[0] for table in tables))
    if seeds == 1:
        return Interval(whole, None, None, None, 1, "none")
    chosen = np.random.Generator(np.random.PCG64(1)).integers(0, seeds, (RESAMPLES, seeds))
    drawn = [statistic(*means) for means in zip(*(_means(table, chosen) for table in tables), strict=True)]
    known = [value for value in drawn if math.isfinite(value)]
    if len(known) < RESAMPLES / 2 or not math.isfinite(whole):
        return Interval(whole, None, None, None, seeds, "none")
    low, high = (float(end) for end in np.quantile(known, (0.025, 0.975)))
    return Interval(whole, (high - low) / 2.0, min(low, whole), max(high, whole), seeds, "bootstrap-percentile")


def over_seeds(count: int, statistic: Callable[[Any], Any]) -> Interval:
    """A statistic with its 95 % percentile interval over seeds; it takes indices of seeds along the last axis."""
    import numpy as np

    def of(seeds: np.ndarray[Any, Any], axis: int = -1) -> Any:  # noqa: ARG001 (always the last)
        return statistic(seeds.astype(np.int64))

    require("scipy", "this study")
    return bootstrap_interval(range(count), statistic=of, method="percentile", resamples=2000)


def _means(table: Any, chosen: Any) -> list[list[float]]:
    """Means of each point over each choice of seeds, of the runs that have it; one list of points per choice."""
    import numpy as np

    there = np.isfinite(table)
    counts = there[:, chosen].sum(axis=2)
    sums = np.where(there, table, 0.0)[:, chosen].sum(axis=2)
    means = np.divide(sums, counts, out=np.full(sums.shape, math.nan), where=counts > 0)
    found: list[list[float]] = means.T.tolist()
    return found


def condition(
    what: str,
    statistic: Statistic,
    *curves: Rows,
    among: Range,
    trend: Range | None = None,
    limit: str = "",
) -> Condition:
    """The statistic lies in a range; the direction alone is that it lies in `trend`."""
    found = estimate(statistic, *curves)
    said = limit or _range(among)
    weaker = None if trend is None else inside(found, trend)
    return Condition(what, found, said, (inside(found, among),), weaker, band=among)


def inside(found: Interval, among: Range) -> Interval:
    """Distance from an interval to the bounds of a range; negative outside."""
    if math.isnan(found.mean):
        return Interval(-1.0, None, -1.0, -1.0, found.n, "none")
    low, high = among
    # An open end never decides: it is replaced by a value beyond the estimate and the other end.
    far = 1.0 + abs(found.mean) + abs(low if math.isfinite(low) else 0.0) + abs(high if math.isfinite(high) else 0.0)
    far += abs(found.low or 0.0) + abs(found.high or 0.0)
    return room(found, ((low if math.isfinite(low) else -far, high if math.isfinite(high) else far),))


def no_more_than(
    what: str, found: Interval, most: float, *, limit: str = "", trend: Interval | None = None
) -> Condition:
    """A quantity that does not exceed zero, but for a margin: its interval ends below `most`."""
    margin = inside(found, (-math.inf, most))
    return Condition(what, found, limit or f"<= {most:g}", (margin,), trend, by_interval=True, band=(-math.inf, most))


def _range(among: Range) -> str:
    low, high = among
    if math.isinf(high):
        return f">= {low:.3g}"
    return f"<= {high:.3g}" if math.isinf(low) else f"{low:.3g} to {high:.3g}"


def smoothed(values: Sequence[float]) -> list[float]:
    """Each value averaged with its neighbors."""
    return [math.fsum(values[max(i - 1, 0) : i + 2]) / len(values[max(i - 1, 0) : i + 2]) for i in range(len(values))]


def highest(x: Sequence[float]) -> Statistic:
    """Where the smoothed curve is highest."""

    def at(values: Sequence[float]) -> float:
        curve = smoothed(values)
        return float(x[max(range(len(curve)), key=lambda i: curve[i])])

    return at


def onset(x: Sequence[float], share: float) -> Statistic:
    """Where the smoothed curve first reaches this share of its highest value."""

    def at(values: Sequence[float]) -> float:
        curve = smoothed(values)
        return float(next(x[i] for i, value in enumerate(curve) if value >= share * max(curve)))

    return at


def slope(x: Sequence[float], first: float) -> Statistic:
    """Least-squares slope from `first` on, over the mean there and per unit of `x`."""

    def of(values: Sequence[float]) -> float:
        chosen = [(a, b) for a, b in zip(x, values, strict=True) if a >= first]
        mean_x = math.fsum(a for a, _ in chosen) / len(chosen)
        mean_y = math.fsum(b for _, b in chosen) / len(chosen)
        spread = math.fsum((a - mean_x) ** 2 for a, _ in chosen)
        if not mean_y or not spread:
            return math.nan
        return math.fsum((a - mean_x) * (b - mean_y) for a, b in chosen) / spread / mean_y

    return of


def ratios(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Point by point; NaN where the second is zero or missing."""
    return [x / y if y > 0.0 else math.nan for x, y in zip(a, b, strict=True)]


def greatest_ratio(a: Sequence[float], b: Sequence[float]) -> float:
    """The largest of the ratios."""
    return max((r for r in ratios(a, b) if math.isfinite(r)), default=math.nan)


def least_ratio(a: Sequence[float], b: Sequence[float]) -> float:
    """The smallest of the ratios."""
    return min((r for r in ratios(a, b) if math.isfinite(r)), default=math.nan)


def share_above(a: Sequence[float], b: Sequence[float]) -> float:
    """Share of the points at which the first curve lies above the second, of those that both have."""
    known = [(x, y) for x, y in zip(a, b, strict=True) if math.isfinite(x) and math.isfinite(y)]
    return sum(x > y for x, y in known) / len(known) if known else math.nan


def ratio_of_sums(a: Sequence[float], b: Sequence[float]) -> float:
    """Sum over sum: over one point the ratio of the means, over several that of the totals."""
    known = [(x, y) for x, y in zip(a, b, strict=True) if math.isfinite(x) and math.isfinite(y)]
    below = math.fsum(y for _, y in known)
    return math.fsum(x for x, _ in known) / below if below > 0.0 else math.nan
