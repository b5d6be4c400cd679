"""The study of the TCP Muzha paper: NewReno, SACK and Vegas over chains, and Vegas against NewReno over a cross.

Muzha itself is not there yet: rows about it say so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from hoplab.comparing import Comparison, Point
from hoplab.figures import Figure
from hoplab.figures.build import interval_curve, means_of
from hoplab.metrics import METRICS
from hoplab.papers import muzha as chains
from hoplab.report.model import Item, ReportTable
from hoplab.reproduce.measures import at_least, at_most, cuts, margin, rank_correlation, ratio, variation, windows
from hoplab.reproduce.study import DEFAULT, Check, Grid, Part, Shown, Study, Variation
from hoplab.reproduce.verdict import Condition
from hoplab.scenario import Scenario
from hoplab.stats import mean_interval

HOPS = (2, 4, 6, 8, 12, 16, 24, 32)
CROSS_HOPS = (4, 6, 8)
SETTLING_S = 5.0
"""Time after which the claims look at the window's steadiness, from the flow's start, s."""

MIN_CUTS = 5.0
STEADY = 0.6
BEST = 0.98
RISE = 1.03
FEW = 0.5
FEW_SEGMENTS = 5.0
MANY = 1.5
MOST = 1.5

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
    {"routing.protocol": "aodv", "routing.network_diameter": 64},
)
SPACING = Variation("200m", "nodes 200 m apart in place of 250 m", {"topology.spacing": "200 m"})
WINDOW = Variation("window32", "a window limit of 32 segments in place of 20", {"flow.window": 32})
APART = Variation("apart", "NewReno starting 2 s after Vegas in place of both together", {"flow.1.start": "3 s"})


def study() -> Study:
    """The whole study."""
    names = tuple(chains.TRANSPORTS)
    chain = Part(
        "chain",
        chains.SCENARIO,
        {"topology.hops": HOPS, "flow.transport": names},
        (AODV, SPACING, WINDOW),
        chains.SAMPLE_S,
    )
    cross = Part("cross", CROSS, {"topology.hops": CROSS_HOPS}, (AODV, SPACING, APART))
    return Study(
        paper="muzha",
        parts=(chain, cross),
        figures=(*_figures(),),
        checks=(*_checks(),),
        assumptions=_assumptions(),
        tables=_tables,
        missing=("random loss (frame error rate 1 %, 2 %): the engine has no frame error rate yet",),
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
        Shown("fig9", "Vegas and NewReno crossing", "cross", draw=_cross),
        Shown("fig10", "Muzha and NewReno crossing"),
    ]


def _checks() -> list[Check]:
    routes = "routing (static routes)"
    return [
        *(
            Check(claim, "chain", "window limit 20, no random loss beyond the MAC's", partial(_steadiness, h))
            for claim, h in (("M1", 4), ("M2", 8), ("M3", 16))
        ),
        Check("M6", "chain", routes, _vegas_leads),
        Check("M7", "chain", routes, _vegas_falls_behind),
        Check("M10", "chain", routes, _throughput_falls),
        Check("M11", "chain", routes, _vegas_resends_little),
        Check("M12", "chain", routes, _others_resend_much),
        Check("M13", "chain", "no random loss beyond the MAC's", _resends_rise),
        Check("M15", "cross", routes + "; both flows start together", _new_reno_takes_most),
    ]


def _steadiness(hops: int, grid: Grid) -> list[Condition]:
    """M1 to M3: cuts of NewReno and SACK, steadiness of Vegas."""
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
        for name in ("vegas", "new_reno")
    }
    what = f"variation of the window, Vegas over NewReno, {hops} hops"
    return [*found, at_most(what, spread["vegas"], spread["new_reno"], STEADY)]


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
        for name in ("new_reno", "sack")
    ]


def _vegas_falls_behind(grid: Grid) -> list[Condition]:
    """M7: Vegas below NewReno at 32 hops; the direction is that its share falls from 8 hops on."""
    v8, n8, v32, n32 = (_goodput(grid, name, h) for h in (8, 32) for name in ("vegas", "new_reno"))
    below = margin(n32, v32, 1.0)
    falling = mean_interval([a * d - c * b for a, b, c, d in zip(v8, n8, v32, n32, strict=True)])
    return [Condition("Vegas over NewReno, 32 hops", ratio(v32, n32), "< 1", (below,), falling)]


def _throughput_falls(grid: Grid) -> list[Condition]:
    """M10: no chain 3 % above the next shorter one; the direction is that the longest is below the shortest."""
    hops = grid.values("hops")
    found = []
    for name in chains.TRANSPORTS:
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
        for name in ("new_reno", "sack"):
            theirs = _resent(grid, name, h)
            what = f"segments sent again, Vegas ({sum(ours) / len(ours):.1f}) over {_label(name)}, {h} hops"
            half, less = margin(ours, theirs, FEW).scaled(-1.0), margin(ours, theirs, 1.0).scaled(-1.0)
            found.append(
                Condition(what, ratio(ours, theirs), f"<= {FEW:g} or <= {FEW_SEGMENTS:g} segments", (half, few), less)
            )
    return found


def _others_resend_much(grid: Grid) -> list[Condition]:
    """M12: NewReno and SACK at least 1.5 times Vegas."""
    return [
        at_least(
            f"segments sent again, {_label(name)} over Vegas, {h} hops",
            _resent(grid, name, h),
            _resent(grid, "vegas", h),
            MANY,
        )
        for h in _resending(grid)
        for name in ("new_reno", "sack")
    ]


def _resending(grid: Grid) -> list[int]:
    """Chains on which anyone sends a segment again: with two hops all nodes hear each other, and nobody does."""
    return [h for h in grid.values("hops") if any(sum(_resent(grid, name, h)) > 0.0 for name in chains.TRANSPORTS)]


def _resends_rise(grid: Grid) -> list[Condition]:
    """M13: rank correlation with hops, seed by seed."""
    hops = grid.values("hops")
    found = []
    for name in ("new_reno", "sack"):
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
            grid.at(hops=h).values("goodput_bps", 1),
            grid.at(hops=h).values("goodput_bps", 0),
            MOST,
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
    assumed = {DEFAULT: "", **{v.name: f", {v.assumption}" for v in (AODV, SPACING, WINDOW)}}
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


def _cross(grid: Grid) -> Sequence[Figure]:
    """Figure 9: goodput of each flow against the size of the cross."""
    hops, spec = grid.values("hops"), METRICS["goodput_bps"]
    curves = []
    for flow, (name, slot) in enumerate((("vegas", 2), ("new_reno", 0))):
        intervals = [grid.at(hops=h).interval(spec.name, flow) for h in hops]
        curves.append(interval_curve(_label(name), [float(h) for h in hops], intervals, spec.scale, slot=slot))
    caption = f"{means_of(len(grid.at(hops=hops[0])))} per point. Vegas goes across, NewReno down."
    return [
        Figure(
            "cross",
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
    kept = [item for item in chains.ASSUMPTIONS if item.name != "chains"]
    hops = ", ".join(map(str, HOPS))
    return (
        *kept,
        Item("chains", f"{hops} hops", "The paper names 4, 8 and 16 hops and 4 to 32 nodes, read as up to 32 hops."),
        Item("cross", "4, 6, 8 hops per arm pair; both flows start in second 1", "Sizes and starts are not stated."),
        Item("other series", "AODV; 200 m; window limit 32; starts 2 s apart", "What the paper leaves open, run too."),
    )


def _metric(metric: str) -> Callable[[Grid, str, int], list[float]]:
    def values(grid: Grid, transport: str, hops: int) -> list[float]:
        return grid.at(transport=transport, hops=hops).values(metric)

    return values


_goodput = _metric("goodput_bps")
_resent = _metric("retransmissions")


def _label(transport: str) -> str:
    return chains.TRANSPORTS[transport]
