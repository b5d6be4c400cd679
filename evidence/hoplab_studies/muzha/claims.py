"""The claims of the TCP Muzha paper as conditions: windows, goodput, retransmissions, and flows that cross."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from hoplab.demo import chains
from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab_studies.shared.measures import (
    at_least,
    at_most,
    cuts,
    in_range,
    margin,
    more_than,
    nothing,
    rank_correlation,
    ratio,
    variation,
    windows,
)
from hoplab_studies.shared.study import Grid
from hoplab_studies.shared.verdict import Condition

SETTLING_S = 5.0
"""Time after which the claims look at the window's steadiness, from the flow's start, s."""
WIDEST_CHAIN = 16
"""The chain on which Vegas's window is compared with Muzha's, in hops."""
MIN_CUTS = 5.0
"""Window cuts in 50 s from which a window counts as cut often."""
STEADY_RATIO = 0.6
"""A window is steady up to this share of NewReno's variation."""
SMALLER_RATIO = 0.95
"""One mean window is smaller than another up to this share of it."""
SETTLED_SHARE = 0.8
"""A window has settled at this share of its mean in the steady part."""
KEPT_SHARE = 0.8
"""Share of loss recoveries that keep the window, at least."""
GAIN_RANGE = (1.03, 1.15)
"""Muzha's gain in goodput that the paper reports as 5 to 10 %, with 2 and 5 % of tolerance."""
NOT_WORSE = 0.98
"""One transport is not worse than another from this ratio on."""
FALL_TOLERANCE = 1.03
"""A curve falls although one step rises by this factor."""
FEW_RATIO = 0.5
"""Few retransmissions: up to this share of the other transport's."""
FEW_SEGMENTS = 5.0
"""Retransmissions from which a comparison says something, in segments: below, there is next to nothing to halve."""
MANY_RATIO = 1.5
"""Many retransmissions: this many times the other transport's, at least."""
MOST_RATIO = 1.5
"""A flow takes most of the goodput at this many times the other's."""
FAIR_RANGE = (0.6, 1.67)
"""Goodput of two flows, one over the other, within which they share alike."""
FAIRNESS_TOLERANCE = 0.05
"""Jain's index may be lower by this."""
SUM_RATIO = 0.97
"""Goodput of both flows together, as a share of the other pair's, at least."""
NAMED_HOPS = (4, 8, 16)
"""Chains that the paper names."""


def steadiness(hops: int, grid: Grid) -> list[Condition]:
    """M1 to M3: cuts of NewReno and SACK, steadiness of Vegas and Muzha; in M3 Vegas's window below Muzha's."""
    found = []
    for name in ("new_reno", "sack"):
        counts = [float(cuts(w)) for w in windows(grid.at(transport=name, hops=hops), after_s=chains.START_S)]
        enough = mean_interval([count - MIN_CUTS for count in counts])
        some = mean_interval([count - 1.0 for count in counts])
        what = f"window cuts of {label(name)} in 50 s, {hops} hops"
        band = (MIN_CUTS, math.inf)
        found.append(Condition(what, mean_interval(counts), f">= {MIN_CUTS:g}", (enough,), some, band=band))
    after = chains.START_S + SETTLING_S
    spread = {
        name: [variation(w) for w in windows(grid.at(transport=name, hops=hops), after_s=after)]
        for name in ("vegas", "muzha", "new_reno")
    }
    for name in ("vegas", "muzha"):
        what = f"variation of the window, {label(name)} over NewReno, {hops} hops"
        found.append(at_most(what, spread[name], spread["new_reno"], STEADY_RATIO))
    if hops == WIDEST_CHAIN:
        means = [grid.at(transport=name, hops=hops).values("cwnd_mean") for name in ("vegas", "muzha")]
        found.append(at_most(f"mean window, Vegas over Muzha, {hops} hops", means[0], means[1], SMALLER_RATIO))
    return found


def settles_sooner(grid: Grid) -> list[Condition]:
    """M4: time until each transport's window stays within 20 % of its own steady mean for a second."""
    found = []
    steady = int(SETTLING_S / chains.SAMPLE_S)
    for hops in NAMED_HOPS:
        times = [
            [_settled(w, math.fsum(w[steady:]) / len(w[steady:])) for w in of_seeds]
            for of_seeds in (
                windows(grid.at(transport=name, hops=hops), after_s=chains.START_S) for name in ("muzha", "new_reno")
            )
        ]
        what = f"time until a second's mean window is within 20 % of the later mean, Muzha over NewReno, {hops} hops"
        found.append(at_most(what, times[0], times[1], 1.0))
    return found


def _settled(window: Sequence[float], mean: float) -> float:
    """End of the first second in which a sampled window's mean is within 20 % of `mean`, in s; its length if none."""
    span = round(1.0 / chains.SAMPLE_S)
    for end in range(span, len(window) + 1):
        if abs(math.fsum(window[end - span : end]) / span - mean) <= (1.0 - SETTLED_SHARE) * mean:
            return end * chains.SAMPLE_S
    return len(window) * chains.SAMPLE_S


def keeps_its_window(grid: Grid) -> list[Condition]:
    """M5: of Muzha's fast recoveries, those that leave the window alone."""
    found = []
    for hops in grid.values("hops"):
        runs = grid.at(hops=hops)
        kept, all_ = runs.values("unreduced_fast_retransmits"), runs.values("fast_retransmits")
        found.append(at_least(f"share of repairs that keep the window, {hops} hops", kept, all_, KEPT_SHARE, trend=0.5))
    return found


def vegas_leads(grid: Grid) -> list[Condition]:
    """M6: Vegas above each other transport below 8 hops."""
    return [
        at_least(
            f"Vegas over {label(name)}, {h} hops",
            _goodput(grid, "vegas", h),
            _goodput(grid, name, h),
            1.0,
        ).denied_by_interval()
        for h in grid.values("hops")
        if h < 8
        for name in ("new_reno", "sack", "muzha")
    ]


def vegas_falls_behind(grid: Grid) -> list[Condition]:
    """M7: Vegas at most Muzha at 16 hops, below NewReno at 32; the direction is that its share falls from 8 hops on."""
    v8, n8, v32, n32 = (_goodput(grid, name, h) for h in (8, 32) for name in ("vegas", "new_reno"))
    below = margin(n32, v32, 1.0)
    falling = mean_interval([a * d - c * b for a, b, c, d in zip(v8, n8, v32, n32, strict=True)])
    v16, m16 = (_goodput(grid, name, 16) for name in ("vegas", "muzha"))
    return [
        at_most("Vegas over Muzha, 16 hops", v16, m16, 1.0, trend=None),
        Condition(
            "Vegas over NewReno, 32 hops", ratio(v32, n32), "< 1", (below,), falling, strict=True, band=(-math.inf, 1.0)
        ),
    ]


def gains(other: str, grid: Grid) -> list[Condition]:
    """M8 and M9: Muzha's mean gain over 4, 8 and 16 hops, and none 2 % below."""
    low, high = GAIN_RANGE
    found = _gain(grid, other, NAMED_HOPS, low, high)
    return [
        *found,
        *(
            at_least(
                f"Muzha over {label(other)}, {h} hops", _goodput(grid, "muzha", h), _goodput(grid, other, h), NOT_WORSE
            ).denied_by_interval()
            for h in NAMED_HOPS
        ),
    ]


def _gain(grid: Grid, other: str, hops: Sequence[int], low: float, high: float | None) -> list[Condition]:
    """Mean over chains of Muzha's goodput in units of the other's mean, between two limits."""
    what = f"Muzha over {label(other)}, mean of {', '.join(map(str, hops))} hops"
    ours, theirs = [], []
    for h in hops:
        unit = math.fsum(_goodput(grid, other, h)) / len(_goodput(grid, other, h)) * len(hops)
        ours.append([value / unit for value in _goodput(grid, "muzha", h)])
        theirs.append([value / unit for value in _goodput(grid, other, h)])
    a, b = ([math.fsum(values) for values in zip(*each, strict=True)] for each in (ours, theirs))
    if high is None:
        return [at_least(what, a, b, low)]
    return [in_range(what, ratio(a, b), (low, high), margin(a, b, 1.0))]


def faster_in_the_mean(grid: Grid) -> list[Condition]:
    """M18: over all chains."""
    return _gain(grid, "new_reno", grid.values("hops"), 1.0, None)


def throughput_falls(grid: Grid) -> list[Condition]:
    """M10: the longest chain below the shortest, and no chain 3 % above the next shorter one."""
    hops = grid.values("hops")
    found = []
    for name in chains.LABELS:
        first, last = (_goodput(grid, name, h) for h in (hops[0], hops[-1]))
        falls = margin(first, last, 1.0)
        found.append(at_most(f"{label(name)}, {hops[-1]} over {hops[0]} hops", last, first, 1.0))
        for short, long in itertools.pairwise(hops):
            a, b = _goodput(grid, name, long), _goodput(grid, name, short)
            what = f"{label(name)}, {long} over {short} hops"
            room_ = margin(a, b, FALL_TOLERANCE).scaled(-1.0)
            band = (-math.inf, FALL_TOLERANCE)
            found.append(
                Condition(what, ratio(a, b), f"<= {FALL_TOLERANCE:g}", (room_,), falls, by_interval=True, band=band)
            )
    return found


def vegas_resends_little(grid: Grid) -> list[Condition]:
    """M11: at most half of each other transport that sends five segments or more again."""
    found = []
    for h in _resending(grid):
        ours = _resent(grid, "vegas", h)
        for name in ("new_reno", "sack", "muzha"):
            theirs = _resent(grid, name, h)
            if math.fsum(theirs) >= FEW_SEGMENTS * len(theirs):
                what = f"retransmissions, Vegas ({sum(ours) / len(ours):.1f}) over {label(name)}, {h} hops"
                found.append(at_most(what, ours, theirs, FEW_RATIO))
    return found or [nothing("retransmissions of Vegas over others")]


def others_resend_much(grid: Grid) -> list[Condition]:
    """M12: NewReno and SACK at least 1.5 times Vegas and Muzha."""
    return [
        at_least(
            f"retransmissions, {label(name)} over {label(other)}, {h} hops",
            _resent(grid, name, h),
            _resent(grid, other, h),
            MANY_RATIO,
        )
        for h in _resending(grid)
        for name in ("new_reno", "sack")
        for other in ("vegas", "muzha")
    ]


def fewest_of_three(grid: Grid) -> list[Condition]:
    """M14: Muzha at most NewReno and SACK, at each chain with retransmissions."""
    return [
        at_most(
            f"retransmissions, Muzha over {label(name)}, {h} hops",
            _resent(grid, "muzha", h),
            _resent(grid, name, h),
            1.0,
        )
        for h in _resending(grid)
        for name in ("new_reno", "sack")
    ]


def far_fewer(grid: Grid) -> list[Condition]:
    """M22: at most half of NewReno's."""
    return [
        at_most(
            f"retransmissions, Muzha over NewReno, {h} hops",
            _resent(grid, "muzha", h),
            _resent(grid, "new_reno", h),
            FEW_RATIO,
        )
        for h in NAMED_HOPS
    ]


def less_trouble(grid: Grid) -> list[Condition]:
    """M23: timeouts, unanswered RTS and packets that the MAC gave up, each per payload delivered."""
    found = []
    for hops in NAMED_HOPS:
        runs = {name: grid.at(transport=name, hops=hops) for name in ("muzha", "new_reno", "sack")}
        for what, count in TROUBLES.items():
            for name in ("new_reno", "sack"):
                # Counts per payload, each side multiplied by both payloads: a run may deliver nothing.
                pairs = list(zip(runs["muzha"], runs[name], strict=True))
                ours = [count(a) * _megabits(b) for a, b in pairs]
                theirs = [count(b) * _megabits(a) for a, b in pairs]
                text = f"{what} per payload, Muzha over {label(name)}, {hops} hops"
                found.append(at_most(text, ours, theirs, 1.0))
    return found


TROUBLES: Mapping[str, Callable[[Run], float]] = {
    "timeouts": lambda run: float(run.flows[0].timeouts),
    "RTS without CTS": lambda run: float(run.frames["rts"] - run.frames["cts"]),
    "packets given up by the MAC": lambda run: float(run.routing["link_failures"]),
}
"""What window growth brings, by run."""


def _megabits(run: Run) -> float:
    flow = run.flows[0]
    return flow.goodput_bps * (run.sim_s - flow.start_s) / 1e6


def _resending(grid: Grid) -> list[int]:
    """Chains with retransmissions: with two hops all nodes sense each other, and there are none."""
    return [h for h in grid.values("hops") if any(sum(_resent(grid, name, h)) > 0.0 for name in chains.LABELS)]


def resends_rise(grid: Grid) -> list[Condition]:
    """M13: rank correlation with hops, seed by seed."""
    hops = grid.values("hops")
    found = []
    for name in ("new_reno", "sack", "muzha"):
        by_hops = [_resent(grid, name, h) for h in hops]
        each = mean_interval([rank_correlation(hops, seed) for seed in zip(*by_hops, strict=True)])
        means = rank_correlation(hops, [math.fsum(values) for values in by_hops])
        what = f"rank correlation with hops, {label(name)} (of the means {means:.2f})"
        found.append(more_than(what, each, 0.0))
    return found


def new_reno_takes_most(grid: Grid) -> list[Condition]:
    """M15: 1.5 times Vegas at each size."""
    return [
        at_least(
            f"NewReno over Vegas, cross of {h} hops",
            grid.at(transport="vegas", hops=h).values("goodput_bps", 1),
            grid.at(transport="vegas", hops=h).values("goodput_bps", 0),
            MOST_RATIO,
        )
        for h in grid.values("hops")
    ]


def muzha_shares(grid: Grid) -> list[Condition]:
    """M16: means within a factor, and Jain's index hardly below that of NewReno against NewReno."""
    found = []
    low, high = FAIR_RANGE
    for h in grid.values("hops"):
        runs = grid.at(transport="muzha", hops=h)
        ours, theirs = runs.values("goodput_bps", 0), runs.values("goodput_bps", 1)
        what = f"Muzha over NewReno, cross of {h} hops"
        found += [
            at_least(what, ours, theirs, low, trend=None).denied_by_interval(),
            at_most(what, ours, theirs, high, trend=None).denied_by_interval(),
        ]
        alone = grid.at(transport="new_reno", hops=h)
        differences = [a.jain - b.jain for a, b in zip(runs, alone, strict=True)]
        enough = mean_interval([difference + FAIRNESS_TOLERANCE for difference in differences])
        found.append(
            Condition(
                f"Jain's index less NewReno's, cross of {h} hops",
                mean_interval(differences),
                f">= -{FAIRNESS_TOLERANCE}",
                (enough,),
                by_interval=True,
                band=(-FAIRNESS_TOLERANCE, math.inf),
            )
        )
    return found


def more_together(grid: Grid) -> list[Condition]:
    """M17: both flows' goodput."""
    return [
        at_least(
            f"Muzha and NewReno over Vegas and NewReno, cross of {h} hops",
            grid.at(transport="muzha", hops=h).values("goodput_bps"),
            grid.at(transport="vegas", hops=h).values("goodput_bps"),
            SUM_RATIO,
            trend=None,
        ).denied_by_interval()
        for h in grid.values("hops")
    ]


def _metric(metric: str) -> Callable[[Grid, str, int], list[float]]:
    def values(grid: Grid, transport: str, hops: int) -> list[float]:
        return grid.at(transport=transport, hops=hops).values(metric)

    return values


_goodput = _metric("goodput_bps")
_resent = _metric("retransmissions")


def label(transport: str) -> str:
    """A transport as the paper calls it."""
    return chains.LABELS[transport]
