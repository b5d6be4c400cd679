"""The study of the TCP Muzha paper: four transports over chains, with and without random loss, and two over a cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hoplab.base.metrics import METRICS
from hoplab.demo import chains
from hoplab.figures import Figure
from hoplab.report.model import ReportTable
from hoplab.running.comparing import Comparison, Point
from hoplab_studies.muzha import claims
from hoplab_studies.muzha import scenarios as ground
from hoplab_studies.shared.drawing import curve, per_point
from hoplab_studies.shared.networks import AODV
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Grids, Margin, Part, Shown, Study


def study(*, quick: bool = False) -> Study:  # noqa: ARG001 (its runs are short enough)
    """The whole study, which is short enough for a quick one, too."""
    names = tuple(chains.LABELS)
    chain = Part(
        "chain",
        ground.chain(),
        {"topology.hops": ground.HOPS, "flow.transport": names},
        ground.OF_CHAINS,
        chains.SAMPLE_S,
    )
    cross = Part(
        "cross",
        ground.cross(),
        {"topology.hops": ground.CROSS_HOPS, "flow.0.transport": ground.CROSSING},
        (AODV, ground.SPACING, ground.APART, *ground.SIGNALS),
    )
    loss_2 = replace(ground.LOSS_2, assumption="a frame error rate of 2 % in place of 1 %")
    loss = Part("loss", ground.lossy_chain(), {"topology.hops": claims.NAMED_HOPS}, (AODV, loss_2))
    return Study(
        paper="muzha",
        parts=(chain, cross, loss),
        figures=(*_figures(),),
        checks=(*_checks(),),
        assumptions=ground.assumptions(),
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


def _tables(grids: Grids) -> list[ReportTable]:
    """The chains' numbers, for every series of assumptions."""
    found = []
    assumed = {DEFAULT: "", **{one.name: f", {one.assumption}" for one in ground.OF_CHAINS}}
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
        carried = [grid.at(transport=across, hops=h).values(spec.name, flow) for h in hops]
        curves.append(curve(claims.label(name), hops, carried, spec.scale, slot=slot))
    caption = f"{per_point(grid)} {claims.label(across)} goes across, NewReno down."
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
    return Comparison(ground.chain(), transports, {"topology.hops": hops}, points[0].runs.seeds, points)
