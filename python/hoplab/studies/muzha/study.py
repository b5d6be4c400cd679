"""The study of the TCP Muzha paper: four transports over chains, with and without random loss, and two over a cross."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from hoplab.base.metrics import METRICS
from hoplab.figures import Figure
from hoplab.figures.build import interval_curve, means_of
from hoplab.report.model import Item, ReportTable
from hoplab.running.comparing import Comparison, Point
from hoplab.running.runs import Run
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab.studies.muzha import scenarios as chains
from hoplab.studies.shared.measures import at_least, at_most, cuts, margin, rank_correlation, ratio, variation, windows
from hoplab.studies.shared.study import DEFAULT, Check, Grid, Part, Shown, Study, Variation
from hoplab.studies.shared.verdict import Condition

HOPS = (2, 4, 6, 8, 12, 16, 24, 32)
CROSS_HOPS = (4, 6, 8)
SETTLING_S = 5.0
"""Time after which the claims look at the window's steadiness, from the flow's start, s."""

LAST_WINDOW = 16
"""The chain on which Vegas's window is held against Muzha's."""

MIN_CUTS = 5.0
STEADY = 0.6
BEST = 0.98
RISE = 1.03
FEW = 0.5
FEW_SEGMENTS = 5.0
MANY = 1.5
MOST = 1.5
SMALL = 0.95
SETTLED = 0.8
KEPT = 0.8
GAINS = (1.03, 1.15)
FAIR = (0.6, 1.67)
LESS_FAIR = 0.05
TOGETHER = 0.97
NAMED_HOPS = (4, 8, 16)
"""Chains that the paper names."""

CROSSING = ("vegas", "muzha", "new_reno")
"""What goes across while NewReno goes down."""

CROSS = """\
name = "muzha-cross"
duration = "51 s"          # 50 s of traffic

[topology]
kind = "cross"
hops = 4
spacing = "250 m"

[mac]
data_rate = "2 Mb/s"
basic_rate = "1 Mb/s"

[queue]
limit = 50

[routing]
protocol = "static"

[[flow]]
app = "ftp"
transport = "vegas"
segment = 1460
window = 20
start = "1 s"

[[flow]]
app = "ftp"
transport = "new_reno"
segment = 1460
window = 20
start = "1 s"
"""

AODV = Variation(
    "aodv",
    "AODV in place of static routes",
    {"routing.protocol": "aodv", "routing.aodv.network_diameter": 64},
)
SPACING = Variation("200m", "nodes 200 m apart in place of 250 m", {"topology.spacing": "200 m"})
WINDOW = Variation("window32", "a window limit of 32 segments in place of 20", {"flow.window": 32})
FEW_QUEUED = Variation(
    "vegas-1",
    "Vegas that keeps one segment in the network's queues, in place of 1 to 3",
    {"tcp.congestion.vegas.alpha": 1, "tcp.congestion.vegas.beta": 1},
)
APART = Variation("apart", "NewReno starting 2 s after the other in place of both together", {"flow.1.start": "3 s"})


def _losing(name: str, rate: str) -> Variation:
    changes = {"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": float(rate) / 100.0}
    return Variation(name, f"a frame error rate of {rate} % in place of none", changes)


LOSS_1, LOSS_2 = _losing("loss1", "1"), _losing("loss2", "2")

LOSSY = (
    chains.SCENARIO.replace("muzha-chain", "muzha-chain-loss").replace("new_reno", "muzha")
    + """
[radio.errors]
model = "uniform_packet"
frame_error_rate = 0.01
"""
)


def study(*, quick: bool = False) -> Study:  # noqa: ARG001 (its runs are short enough)
    """The whole study, which is short enough for a quick one, too."""
    names = tuple(chains.LABELS)
    chain = Part(
        "chain",
        chains.SCENARIO,
        {"topology.hops": HOPS, "flow.transport": names},
        (AODV, SPACING, WINDOW, LOSS_1, LOSS_2, FEW_QUEUED),
        chains.SAMPLE_S,
    )
    cross = Part("cross", CROSS, {"topology.hops": CROSS_HOPS, "flow.0.transport": CROSSING}, (AODV, SPACING, APART))
    loss_2 = replace(LOSS_2, assumption="a frame error rate of 2 % in place of 1 %")
    loss = Part("loss", LOSSY, {"topology.hops": NAMED_HOPS}, (AODV, loss_2))
    return Study(
        paper="muzha",
        parts=(chain, cross, loss),
        figures=(*_figures(),),
        checks=(*_checks(),),
        assumptions=_assumptions(),
        tables=_tables,
    )


def _figures() -> list[Shown]:
    windows_of = [
        Shown(
            f"fig{n}", f"Window against time, {h} hops", "chain", {"topology.hops": (h,)}, partial(_chain, f"cwnd-{h}")
        )
        for n, h in ((3, 4), (4, 8), (5, 16))
    ]
    return [
        *windows_of,
        Shown("fig6", "Throughput against hops", "chain", draw=partial(_chain, "goodput")),
        Shown("fig7", "Retransmissions against hops", "chain", draw=partial(_chain, "retransmissions")),
        Shown(
            "fig9",
            "Vegas and NewReno crossing",
            "cross",
            {"flow.0.transport": ("vegas",)},
            partial(_cross, "vegas"),
        ),
        Shown(
            "fig10",
            "Muzha and NewReno crossing",
            "cross",
            {"flow.0.transport": ("muzha", "new_reno")},
            partial(_cross, "muzha"),
        ),
    ]


def _checks() -> list[Check]:
    routes = "routing (static routes)"
    formula = "the formula of the routers' level, which is ours"
    return [
        *(
            Check(claim, "chain", "window limit 20, no random loss beyond the MAC's", partial(_steadiness, h))
            for claim, h in (("M1", 4), ("M2", 8), ("M3", 16))
        ),
        Check("M4", "chain", "window limit 20, no slow-start threshold for Muzha", _settles_sooner),
        Check("M5", "loss", "a frame error rate of 1 %, which the MAC mostly repairs", _keeps_its_window),
        Check("M6", "chain", routes, _vegas_leads),
        Check("M7", "chain", routes, _vegas_falls_behind),
        Check("M8", "chain", f"{routes}; {formula}", partial(_gains, "new_reno")),
        Check("M9", "chain", f"{routes}; {formula}", partial(_gains, "sack")),
        Check("M10", "chain", routes, _throughput_falls),
        Check("M11", "chain", routes, _vegas_resends_little),
        Check("M12", "chain", routes, _others_resend_much),
        Check("M13", "chain", "no random loss beyond the MAC's", _resends_rise),
        Check("M14", "chain", formula, _fewest_of_three),
        Check("M15", "cross", routes + "; both flows start together", _new_reno_takes_most),
        Check("M16", "cross", routes + "; both flows start together", _muzha_shares),
        Check("M17", "cross", routes + "; both flows start together", _more_together),
        Check("M18", "chain", f"{routes}; {formula}", _faster_in_the_mean),
        Check("M22", "chain", formula, _far_fewer),
        Check("M23", "chain", routes, _less_trouble),
    ]


def _steadiness(hops: int, grid: Grid) -> list[Condition]:
    """M1 to M3: cuts of NewReno and SACK, steadiness of Vegas and Muzha; in M3 Vegas's window below Muzha's."""
    found = []
    for name in ("new_reno", "sack"):
        counts = [float(cuts(w)) for w in windows(grid.at(transport=name, hops=hops), after_s=chains.START_S)]
        enough = mean_interval([count - MIN_CUTS for count in counts])
        some = mean_interval([count - 1.0 for count in counts])
        what = f"window cuts of {_label(name)} in 50 s, {hops} hops"
        found.append(Condition(what, mean_interval(counts), f">= {MIN_CUTS:g}", (enough,), some))
    after = chains.START_S + SETTLING_S
    spread = {
        name: [variation(w) for w in windows(grid.at(transport=name, hops=hops), after_s=after)]
        for name in ("vegas", "muzha", "new_reno")
    }
    for name in ("vegas", "muzha"):
        what = f"variation of the window, {_label(name)} over NewReno, {hops} hops"
        found.append(at_most(what, spread[name], spread["new_reno"], STEADY))
    if hops == LAST_WINDOW:
        means = [grid.at(transport=name, hops=hops).values("cwnd_mean") for name in ("vegas", "muzha")]
        found.append(at_most(f"mean window, Vegas over Muzha, {hops} hops", means[0], means[1], SMALL))
    return found


def _settles_sooner(grid: Grid) -> list[Condition]:
    """M4: time to 80 % of Muzha's steady mean, over the time to NewReno's first peak."""
    found = []
    for hops in NAMED_HOPS:
        muzha, new_reno = (
            windows(grid.at(transport=name, hops=hops), after_s=chains.START_S) for name in ("muzha", "new_reno")
        )
        steady = int(SETTLING_S / chains.SAMPLE_S)
        times = [_reached(w, SETTLED * math.fsum(w[steady:]) / len(w[steady:])) for w in muzha]
        peaks = [_first_peak(w) for w in new_reno]
        what = f"time to 80 % of Muzha's mean window over time to NewReno's first peak, {hops} hops"
        found.append(at_most(what, times, peaks, 1.0))
    return found


def _reached(window: Sequence[float], level: float) -> float:
    """When a sampled window first reaches a level, in s."""
    first = next((i for i, w in enumerate(window) if w >= level), len(window))
    return first * chains.SAMPLE_S


def _first_peak(window: Sequence[float]) -> float:
    """When a sampled window is highest before its first cut, in s."""
    cut = next((i for i in range(1, len(window)) if cuts(window[i - 1 : i + 1])), len(window))
    return max(range(cut), key=lambda i: window[i]) * chains.SAMPLE_S


def _keeps_its_window(grid: Grid) -> list[Condition]:
    """M5: of Muzha's fast recoveries, those that leave the window alone."""
    found = []
    for hops in grid.values("hops"):
        runs = grid.at(hops=hops)
        kept, all_ = runs.values("unreduced_fast_retransmits"), runs.values("fast_retransmits")
        found.append(at_least(f"share of repairs that keep the window, {hops} hops", kept, all_, KEPT, trend=0.5))
    return found


def _vegas_leads(grid: Grid) -> list[Condition]:
    """M6: Vegas within 2 % of the best below 8 hops."""
    return [
        at_least(
            f"Vegas over {_label(name)}, {h} hops",
            _goodput(grid, "vegas", h),
            _goodput(grid, name, h),
            BEST,
            trend=None,
        )
        for h in grid.values("hops")
        if h < 8
        for name in ("new_reno", "sack", "muzha")
    ]


def _vegas_falls_behind(grid: Grid) -> list[Condition]:
    """M7: Vegas at most Muzha at 16 hops, below NewReno at 32; the direction is that its share falls from 8 hops on."""
    v8, n8, v32, n32 = (_goodput(grid, name, h) for h in (8, 32) for name in ("vegas", "new_reno"))
    below = margin(n32, v32, 1.0)
    falling = mean_interval([a * d - c * b for a, b, c, d in zip(v8, n8, v32, n32, strict=True)])
    v16, m16 = (_goodput(grid, name, 16) for name in ("vegas", "muzha"))
    return [
        at_most("Vegas over Muzha, 16 hops", v16, m16, 1.0, trend=None),
        Condition("Vegas over NewReno, 32 hops", ratio(v32, n32), "< 1", (below,), falling),
    ]


def _gains(other: str, grid: Grid) -> list[Condition]:
    """M8 and M9: Muzha's mean gain over 4, 8 and 16 hops, and none below 0."""
    low, high = GAINS
    found = _gain(grid, other, NAMED_HOPS, low, high)
    return [
        *found,
        *(
            at_least(f"Muzha over {_label(other)}, {h} hops", _goodput(grid, "muzha", h), _goodput(grid, other, h), 1.0)
            for h in NAMED_HOPS
        ),
    ]


def _gain(grid: Grid, other: str, hops: Sequence[int], low: float, high: float | None) -> list[Condition]:
    """Mean over chains of Muzha's goodput in units of the other's mean, between two limits."""
    what = f"Muzha over {_label(other)}, mean of {', '.join(map(str, hops))} hops"
    ours, theirs = [], []
    for h in hops:
        unit = math.fsum(_goodput(grid, other, h)) / len(_goodput(grid, other, h)) * len(hops)
        ours.append([value / unit for value in _goodput(grid, "muzha", h)])
        theirs.append([value / unit for value in _goodput(grid, other, h)])
    a, b = ([math.fsum(values) for values in zip(*each, strict=True)] for each in (ours, theirs))
    found = [at_least(what, a, b, low)]
    if high is not None:
        found.append(at_most(what, a, b, high, trend=None))
    return found


def _faster_in_the_mean(grid: Grid) -> list[Condition]:
    """M18: over all chains."""
    return _gain(grid, "new_reno", grid.values("hops"), 1.0, None)


def _throughput_falls(grid: Grid) -> list[Condition]:
    """M10: no chain 3 % above the next shorter one; the direction is that the longest is below the shortest."""
    hops = grid.values("hops")
    found = []
    for name in chains.LABELS:
        falls = margin(_goodput(grid, name, hops[0]), _goodput(grid, name, hops[-1]), 1.0)
        for short, long in itertools.pairwise(hops):
            a, b = _goodput(grid, name, long), _goodput(grid, name, short)
            what = f"{_label(name)}, {long} over {short} hops"
            found.append(Condition(what, ratio(a, b), f"<= {RISE:g}", (margin(a, b, RISE).scaled(-1.0),), falls))
    return found


def _vegas_resends_little(grid: Grid) -> list[Condition]:
    """M11: half of the others', or at most 5 segments."""
    found = []
    for h in _resending(grid):
        ours = _resent(grid, "vegas", h)
        few = mean_interval([FEW_SEGMENTS - count for count in ours])
        for name in ("new_reno", "sack", "muzha"):
            theirs = _resent(grid, name, h)
            what = f"segments sent again, Vegas ({sum(ours) / len(ours):.1f}) over {_label(name)}, {h} hops"
            half, less = margin(ours, theirs, FEW).scaled(-1.0), margin(ours, theirs, 1.0).scaled(-1.0)
            found.append(
                Condition(what, ratio(ours, theirs), f"<= {FEW:g} or <= {FEW_SEGMENTS:g} segments", (half, few), less)
            )
    return found


def _others_resend_much(grid: Grid) -> list[Condition]:
    """M12: NewReno and SACK at least 1.5 times Vegas and Muzha."""
    return [
        at_least(
            f"segments sent again, {_label(name)} over {_label(other)}, {h} hops",
            _resent(grid, name, h),
            _resent(grid, other, h),
            MANY,
        )
        for h in _resending(grid)
        for name in ("new_reno", "sack")
        for other in ("vegas", "muzha")
    ]


def _fewest_of_three(grid: Grid) -> list[Condition]:
    """M14: Muzha at most NewReno and SACK, at each chain on which anyone repeats."""
    return [
        at_most(
            f"segments sent again, Muzha over {_label(name)}, {h} hops",
            _resent(grid, "muzha", h),
            _resent(grid, name, h),
            1.0,
        )
        for h in _resending(grid)
        for name in ("new_reno", "sack")
    ]


def _far_fewer(grid: Grid) -> list[Condition]:
    """M22: at most half of NewReno's."""
    return [
        at_most(
            f"segments sent again, Muzha over NewReno, {h} hops",
            _resent(grid, "muzha", h),
            _resent(grid, "new_reno", h),
            FEW,
        )
        for h in NAMED_HOPS
    ]


def _less_trouble(grid: Grid) -> list[Condition]:
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
                text = f"{what} per payload, Muzha over {_label(name)}, {hops} hops"
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
    """Chains on which anyone sends a segment again: with two hops all nodes hear each other, and nobody does."""
    return [h for h in grid.values("hops") if any(sum(_resent(grid, name, h)) > 0.0 for name in chains.LABELS)]


def _resends_rise(grid: Grid) -> list[Condition]:
    """M13: rank correlation with hops, seed by seed."""
    hops = grid.values("hops")
    found = []
    for name in ("new_reno", "sack", "muzha"):
        by_hops = [_resent(grid, name, h) for h in hops]
        each = mean_interval([rank_correlation(hops, seed) for seed in zip(*by_hops, strict=True)])
        means = rank_correlation(hops, [math.fsum(values) for values in by_hops])
        what = f"rank correlation with hops, {_label(name)} (of the means {means:.2f})"
        found.append(Condition(what, each, "> 0", (each,)))
    return found


def _new_reno_takes_most(grid: Grid) -> list[Condition]:
    """M15: 1.5 times Vegas at each size."""
    return [
        at_least(
            f"NewReno over Vegas, cross of {h} hops",
            grid.at(transport="vegas", hops=h).values("goodput_bps", 1),
            grid.at(transport="vegas", hops=h).values("goodput_bps", 0),
            MOST,
        )
        for h in grid.values("hops")
    ]


def _muzha_shares(grid: Grid) -> list[Condition]:
    """M16: means within a factor, and Jain's index hardly below that of NewReno against NewReno."""
    found = []
    low, high = FAIR
    for h in grid.values("hops"):
        runs = grid.at(transport="muzha", hops=h)
        ours, theirs = runs.values("goodput_bps", 0), runs.values("goodput_bps", 1)
        what = f"Muzha over NewReno, cross of {h} hops"
        found += [at_least(what, ours, theirs, low, trend=None), at_most(what, ours, theirs, high, trend=None)]
        alone = grid.at(transport="new_reno", hops=h)
        differences = [a.jain - b.jain for a, b in zip(runs, alone, strict=True)]
        shown = mean_interval(differences)
        enough = mean_interval([difference + LESS_FAIR for difference in differences])
        found.append(Condition(f"Jain's index less NewReno's, cross of {h} hops", shown, f">= -{LESS_FAIR}", (enough,)))
    return found


def _more_together(grid: Grid) -> list[Condition]:
    """M17: both flows' goodput."""
    return [
        at_least(
            f"Muzha and NewReno over Vegas and NewReno, cross of {h} hops",
            grid.at(transport="muzha", hops=h).values("goodput_bps"),
            grid.at(transport="vegas", hops=h).values("goodput_bps"),
            TOGETHER,
            trend=None,
        )
        for h in grid.values("hops")
    ]


def _chain(figure_id: str, grid: Grid) -> Sequence[Figure]:
    """Figures of the chains, as the paper draws them."""
    comparison = _comparison(grid)
    drawn = chains.figures(chains.Study(comparison, 0.0))
    return [figure for figure in drawn if figure.id in {figure_id, f"{figure_id}-closer"}]


def _tables(grids: Mapping[tuple[str, str], Grid]) -> list[ReportTable]:
    """The chains' numbers, for every series of assumptions."""
    found = []
    assumed = {
        DEFAULT: "",
        **{v.name: f", {v.assumption}" for v in (AODV, SPACING, WINDOW, LOSS_1, LOSS_2, FEW_QUEUED)},
    }
    for (part, series), grid in grids.items():
        if part == "chain":
            metrics = (
                ("goodput_bps", "retransmissions", "timeouts")
                if series == DEFAULT
                else ("goodput_bps", "retransmissions")
            )
            drawn = [chains.table(chains.Study(_comparison(grid), 0.0), metric) for metric in metrics]
            found += [replace(table, title=f"{table.title}{assumed[series]}") for table in drawn]
    return found


def _cross(across: str, grid: Grid) -> Sequence[Figure]:
    """Figures 9 and 10: goodput of each flow against the size of the cross."""
    hops, spec = grid.values("hops"), METRICS["goodput_bps"]
    curves = []
    for flow, (name, slot) in enumerate(((across, tuple(chains.LABELS).index(across)), ("new_reno", 0))):
        intervals = [grid.at(transport=across, hops=h).interval(spec.name, flow) for h in hops]
        curves.append(interval_curve(_label(name), [float(h) for h in hops], intervals, spec.scale, slot=slot))
    runs = len(grid.at(transport=across, hops=hops[0]))
    caption = f"{means_of(runs)} per point. {_label(across)} goes across, NewReno down."
    return [
        Figure(
            f"cross-{across}",
            "Goodput of two crossing flows against hops",
            "hops per arm pair",
            spec.axis,
            tuple(curves),
            caption,
            integer_x=True,
        )
    ]


def _comparison(grid: Grid) -> Comparison:
    """The runs of the chains as the demo study holds them."""
    transports, hops = grid.values("transport"), grid.values("hops")
    points = tuple(
        Point(name, (("topology.hops", h),), grid.at(transport=name, hops=h)) for h in hops for name in transports
    )
    base = Scenario.from_text(chains.SCENARIO, path="chain.toml")
    return Comparison(base, transports, {"topology.hops": hops}, points[0].runs.seeds, points)


def _assumptions() -> tuple[Item, ...]:
    """Those of the chains, with this study's own in place of its hop counts."""
    kept = [item for item in chains.ASSUMPTIONS if item.name not in {"chains", "random loss"}]
    hops = ", ".join(map(str, HOPS))
    return (
        *kept,
        Item("chains", f"{hops} hops", "The paper names 4, 8 and 16 hops and 4 to 32 nodes, read as up to 32 hops."),
        Item("cross", "4, 6, 8 hops per arm pair; both flows start in second 1", "Sizes and starts are not stated."),
        Item(
            "other series",
            "AODV; 200 m; window limit 32; frame errors; Vegas with alpha = beta = 1; starts 2 s apart",
            "What is left open, run too.",
        ),
        Item("random loss", "none; frame error rates of 1 and 2 % as series of their own", "No error model is named."),
        Item("level of Muzha's routers", "hoplab's formula, calibrated on other chains", "No formula is published."),
    )


def _metric(metric: str) -> Callable[[Grid, str, int], list[float]]:
    def values(grid: Grid, transport: str, hops: int) -> list[float]:
        return grid.at(transport=transport, hops=hops).values(metric)

    return values


_goodput = _metric("goodput_bps")
_resent = _metric("retransmissions")


def _label(transport: str) -> str:
    return chains.LABELS[transport]
