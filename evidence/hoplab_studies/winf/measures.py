"""What the study of rt-Winf reads from runs, and the paper's orderings as conditions."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hoplab.running.runs import Run
from hoplab.stats import Interval, mean_interval
from hoplab_studies.shared.measures import margin, nothing, shifted
from hoplab_studies.shared.numbers import both, goodput, known, mean, values
from hoplab_studies.shared.resampling import Rows, condition, ratios
from hoplab_studies.shared.study import Grid
from hoplab_studies.shared.verdict import Condition
from hoplab_studies.winf.scenarios import PROTOCOLS, WARMUP_S

Measure = Callable[[Run], float]
ABOVE = 1.05
"""A lies above B from this factor on, in the mean."""

BELOW = 0.95
"""A point at which A is less than this of B, beyond the intervals, spoils the order."""

MOST_POINTS, SOME_POINTS = 0.8, 0.6
"""Shares of the points at which an order must hold, for it and for its trend."""

TREND = 0.6
"""Kendall's tau from which a measure rises or falls."""


throughput = goodput
"""Of all flows, which the paper does not define."""


def arrived(run: Run) -> float:
    """Payload of distinct packets at all sinks, in any order, bit/s: what a receiving agent of ns-2 counts."""
    return math.fsum(flow.unique_bps for flow in run.flows)


def received(run: Run) -> float:
    """Distinct packets of data at all sinks, each of the size that the flow sends."""
    sizes = _segments(run)
    return math.fsum(
        flow.unique_bps * (run.sim_s - max(flow.start_s, WARMUP_S)) / 8.0 / sizes.get(flow.id, 512.0)
        for flow in run.flows
    )


def _segments(run: Run) -> Mapping[int, float]:
    # Flows of one run have one size in this study: files 1460 bytes, CBR 512.
    is_file = all(flow.app_delay_mean_s is None for flow in run.flows)
    return {flow.id: 1460.0 if is_file else 512.0 for flow in run.flows}


def delay(run: Run) -> float:
    """Mean over flows of the delay, s: of messages from their supply on, of files from first sending; NaN without."""
    known = [
        value
        for flow in run.flows
        if (value := flow.app_delay_mean_s if flow.app_delay_mean_s is not None else flow.delay_mean_s) is not None
    ]
    return math.fsum(known) / len(known) if known else math.nan


def fairness(run: Run) -> float:
    """Jain's index of the flows' goodput; NaN without delivery."""
    return run.jain


def resent(run: Run) -> float:
    """Share of the segments sent that had been sent before."""
    sent = sum(flow.segments_sent for flow in run.flows)
    return sum(flow.retransmissions for flow in run.flows) / sent if sent else math.nan


def overflows(run: Run) -> float:
    """Packets dropped by full interface queues."""
    return float(sum(node["queue_full"] for node in run.nodes))


def above(
    what: str,
    points: Sequence[tuple[Sequence[float], Sequence[float]]],
    *,
    factor: float = ABOVE,
    most: float = MOST_POINTS,
) -> Condition:
    """A lies above B, by `factor` in the mean, at enough points.

    Parameters
    ----------
    points : sequence of (sequence of float, sequence of float)
        A and B seed by seed, at each point of the axis.
    """
    shares = {"low": 0, "mean": 0, "high": 0}
    spoiled = False
    ratios = []
    for a, b in itertools.starmap(both, points):
        if not a:
            continue
        gap = margin(a, b, factor)
        low, high = (gap.low, gap.high) if gap.low is not None and gap.high is not None else (-1.0, 1.0)
        shares["mean"] += gap.mean >= 0.0
        shares["low"] += low >= 0.0
        shares["high"] += high >= 0.0
        lost = margin(b, a, 1.0 / BELOW) if factor >= 1.0 else margin(b, a, 1.0 / (factor * BELOW))
        spoiled = spoiled or (lost.low is not None and lost.low > 0.0)
        total = math.fsum(b)
        ratios.append(math.fsum(a) / total if total > 0.0 else math.inf)
    count = len(ratios)
    if count == 0:
        return nothing(what)
    n = min(len(both(a, b)[0]) for a, b in points)
    if spoiled:
        shares = dict.fromkeys(shares, 0)
    share = Interval(shares["mean"] / count, None, shares["low"] / count, shares["high"] / count, n, "share of points")
    text = f"{what}: share of {count} points (ratios {', '.join(f'{ratio:.2f}' for ratio in ratios)})"
    trend = _less(share, min(most, SOME_POINTS) - 1e-9)
    return Condition(text, share, f">= {most:g}", (_less(share, most),), trend, band=(most, math.inf))


def _less(share: Interval, limit: float) -> Interval:
    low, high = share.low, share.high
    assert low is not None
    assert high is not None
    return Interval(share.mean - limit, None, low - limit, high - limit, share.n, share.method)


def order(
    grid: Grid, axis: str, measure: Measure, better: Sequence[str], worse: Sequence[str], **options: Any
) -> list[Condition]:
    """Every one of `better` above every one of `worse` along an axis."""
    return [
        above(f"{PROTOCOLS[a]} over {PROTOCOLS[b]}", pairs_along(grid, axis, measure, a, b), **options)
        for a in better
        for b in worse
        if a != b
    ]


def pairs_along(grid: Grid, axis: str, measure: Measure, a: str, b: str) -> list[tuple[list[float], list[float]]]:
    """Two transports' numbers at each point of an axis."""
    return [
        (values(grid, measure, transport=a, **{axis: value}), values(grid, measure, transport=b, **{axis: value}))
        for value in grid.values(axis)
    ]


def rising(what: str, x: Sequence[float], *curves: Rows, falls: bool = False) -> Condition:
    """Kendall's tau of the means of a curve, or of one curve over another, is at least 0.6, or at most -0.6."""

    def along(*means: Sequence[float]) -> float:
        y = ratios(*means) if len(means) > 1 else means[0]
        known = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(b)]
        found = tau([a for a, _ in known], [b for _, b in known])
        return -found if falls else found

    name = f"rank correlation (Kendall), {what} {'falls' if falls else 'rises'}"
    return condition(name, along, *curves, among=(TREND, math.inf), trend=(1e-9, math.inf), limit=f">= {TREND:g}")


def tau(x: Sequence[float], y: Sequence[float]) -> float:
    """Kendall's coefficient without ties in `x`; pairs that tie in `y` count nothing."""
    pairs = list(itertools.combinations(zip(x, y, strict=True), 2))
    signs = [(b[0] - a[0]) * (b[1] - a[1]) for a, b in pairs]
    return math.fsum((s > 0.0) - (s < 0.0) for s in signs) / len(pairs) if pairs else 0.0


def at_most_share(what: str, shares: Sequence[float], limit: float) -> Condition:
    """The mean of one number per seed is at least `limit`."""
    found = mean_interval(shares)
    return Condition(what, found, f">= {limit:g}", (shifted(found, -limit),), band=(limit, math.inf))


def estimates(run: Run, node: int, name: str, what: str = "capacity_bps") -> list[float]:
    """Estimates at a node over time, in bit/s; NaN where missing."""
    said = json.loads(run.json).get("estimates", {}).get(str(node), {}).get(name, {}).get(what, [])
    return [math.nan if value is None else float(value) for value in said]


def progress(run: Run) -> list[list[float]]:
    """What each flow delivered per interval, bit/s."""
    return [list(rates) for rates in run.goodput_series_bps]


def spread(values_of: Sequence[float]) -> float:
    """Coefficient of variation of finite values; NaN without any."""
    finite, middle = known(values_of), mean(values_of)
    if not finite or middle == 0.0:
        return math.nan
    return math.sqrt(math.fsum((value - middle) ** 2 for value in finite) / len(finite)) / middle


def unsteadiness(run: Run, over: int = 1) -> float:
    """Coefficient of variation of the throughput of all flows, once flows have begun; NaN without a series.

    Of two transports the one with less is the more stable. It needs `goodput_interval` in the scenario.

    Parameters
    ----------
    over : int
        How many intervals each throughput is the mean of.
    """
    total = [math.fsum(rates) for rates in zip(*progress(run), strict=True)]
    begun = next((at for at, rate in enumerate(total) if rate > 0.0), len(total))
    whole = (len(total) - begun) // over
    return spread([mean(total[begun + i * over : begun + (i + 1) * over]) for i in range(whole)])


def median(numbers: Sequence[float]) -> Interval:
    """Median, and the interval between two order statistics that covers it with 95 % or more; below 6 numbers, none."""
    ordered = sorted(numbers)
    n = len(ordered)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2.0
    # How many of the smallest, and of the largest, a median leaves out with at most 2.5 % each.
    below, k = 0.0, 0
    while k < n and (below := below + math.comb(n, k) / 2.0**n) <= 0.025:
        k += 1
    if k == 0:
        return Interval(middle, None, None, None, n, "none")
    low, high = ordered[k - 1], ordered[n - k]
    return Interval(middle, (high - low) / 2.0, low, high, n, "order statistics")
