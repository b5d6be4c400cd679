"""The study of the TCP Muzha paper: four transports over chains, with and without random loss, and two over a cross."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from hoplab.base.metrics import METRICS
from hoplab.demo import chains
from hoplab.figures import Figure
from hoplab.figures.build import interval_curve, means_of
from hoplab.report.model import Item, ReportTable
from hoplab.running.comparing import Comparison, Point
from hoplab.scenario.drai import drai_grid
from hoplab.scenario.model import Scenario
from hoplab_studies.muzha import claims
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Margin, Part, Shown, Study, Variation

HOPS = (2, 4, 6, 8, 12, 16, 24, 32)
CROSS_HOPS = (4, 6, 8)


CROSSING = ("vegas", "muzha", "new_reno")
"""What goes across while NewReno goes down."""

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
BUSIER = Variation(
    "busier",
    "a busy medium that caps the level at 3 from 0.97 on, at 2 from 1 on, in place of 0.85 and 0.97",
    {"muzha.drai.u2": 0.97, "muzha.drai.u3": 1.0},
)
WAITING = Variation(
    "queueing-time",
    "the level by queueing time in place of queue length and busy medium",
    {"muzha.drai.mode": "table", "muzha.drai.table.delay": [0.002, 0.02, 0.05, 0.2]},
)


def _estimated(name: str, title: str, used: list[float]) -> Variation:
    """The level by queue length and by available bandwidth, as an estimator of the engine has it."""
    return Variation(
        name,
        f"the level by queue length and {title}'s available bandwidth in place of the busy medium",
        {
            f"{name}.everywhere": True,
            "muzha.drai.mode": "table",
            "muzha.drai.table.queue": [0.05, 0.4, 1.0, 4.0],
            "muzha.drai.table.used": used,
        },
    )


ESTIMATED = (
    _estimated("idle_gap", "IdleGap", [0.7, 0.85, 0.97, 2.0]),
    _estimated("winf", "rt-Winf", [0.7, 0.85, 0.97, 2.0]),
)


def headroom(*, queue: float, busy: float) -> float:
    """A level that falls with the queue and the busy share together, in place of the lower of two levels."""
    return max(1.0, 5.0 - 2.0 * math.sqrt(queue) - 6.0 * max(0.0, busy - 0.65))


FORMULA = Variation(
    "formula",
    "the level by one formula of queue and busy medium, 5 - 2 sqrt(q) - 6 (u - 0.65), in place of the lower of two",
    drai_grid(
        headroom,
        queue=(0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.5, 4.0),
        busy=(0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98),
    ),
)
SIGNALS = (BUSIER, WAITING, *ESTIMATED, FORMULA)
APART = Variation("apart", "NewReno starting 2 s after the other in place of both together", {"flow.1.start": "3 s"})


def _losing(name: str, rate: str) -> Variation:
    changes = {"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": float(rate) / 100.0}
    return Variation(name, f"a frame error rate of {rate} % in place of none", changes)


LOSS_1, LOSS_2 = _losing("loss1", "1"), _losing("loss2", "2")

OF_CHAINS = (AODV, SPACING, WINDOW, LOSS_1, LOSS_2, FEW_QUEUED, *SIGNALS)
"""Series of the chains."""

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
        OF_CHAINS,
        chains.SAMPLE_S,
    )
    cross = Part(
        "cross",
        chains.CROSS,
        {"topology.hops": CROSS_HOPS, "flow.0.transport": CROSSING},
        (AODV, SPACING, APART, *SIGNALS),
    )
    loss_2 = replace(LOSS_2, assumption="a frame error rate of 2 % in place of 1 %")
    loss = Part("loss", LOSSY, {"topology.hops": claims.NAMED_HOPS}, (AODV, loss_2))
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
            Check(claim, "chain", "window limit 20, no random loss beyond the MAC's", partial(claims.steadiness, h))
            for claim, h in (("M1", 4), ("M2", 8), ("M3", 16))
        ),
        Check("M4", "chain", "window limit 20, no slow-start threshold for Muzha", claims.settles_sooner),
        Check("M5", "loss", "a frame error rate of 1 %, which the MAC mostly repairs", claims.keeps_its_window),
        Check("M6", "chain", routes, claims.vegas_leads),
        Check("M7", "chain", routes, claims.vegas_falls_behind),
        Check("M8", "chain", f"{routes}; {formula}", partial(claims.gains, "new_reno")),
        Check("M9", "chain", f"{routes}; {formula}", partial(claims.gains, "sack")),
        Check("M10", "chain", routes, claims.throughput_falls),
        Check("M11", "chain", routes, claims.vegas_resends_little),
        Check("M12", "chain", routes, claims.others_resend_much),
        Check("M13", "chain", "no random loss beyond the MAC's", claims.resends_rise),
        Check("M14", "chain", formula, claims.fewest_of_three),
        Check("M15", "cross", routes + "; both flows start together", claims.new_reno_takes_most),
        Check(
            "M16",
            "cross",
            routes + "; both flows start together",
            claims.muzha_shares,
            margins=(Margin({"transport": "muzha"}, claims.FAIR_RANGE[1], flows=(0,)),),
        ),
        Check(
            "M17",
            "cross",
            routes + "; both flows start together",
            claims.more_together,
            margins=(Margin({"transport": "muzha"}, claims.SUM_RATIO),),
        ),
        Check("M18", "chain", f"{routes}; {formula}", claims.faster_in_the_mean),
        Check("M22", "chain", formula, claims.far_fewer),
        Check("M23", "chain", routes, claims.less_trouble),
    ]


def _chain(figure_id: str, grid: Grid) -> Sequence[Figure]:
    """Figures of the chains, as the paper draws them."""
    comparison = _comparison(grid)
    drawn = chains.figures(chains.Study(comparison, 0.0))
    return [figure for figure in drawn if figure.id in {figure_id, f"{figure_id}-closer"}]


def _tables(grids: Mapping[tuple[str, str], Grid]) -> list[ReportTable]:
    """The chains' numbers, for every series of assumptions."""
    found = []
    assumed = {DEFAULT: "", **{one.name: f", {one.assumption}" for one in OF_CHAINS}}
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
        curves.append(interval_curve(claims.label(name), [float(h) for h in hops], intervals, spec.scale, slot=slot))
    runs = len(grid.at(transport=across, hops=hops[0]))
    caption = f"{means_of(runs)} per point. {claims.label(across)} goes across, NewReno down."
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
            "AODV; 200 m; window limit 32; frame errors; Vegas with alpha = beta = 1; starts 2 s apart; other levels",
            "What is left open, run too.",
        ),
        Item("random loss", "none; frame error rates of 1 and 2 % as series of their own", "No error model is named."),
        Item("level of Muzha's routers", "hoplab's formula, calibrated on other chains", "No formula is published."),
    )
