"""The study of the rt-Winf paper (Barreto 2015): its estimators, and seven transports in four kinds of network.

The paper's figures have no numbers in its text: claims are orders and trends. Each is tried with the equations as they
can work and, once per figure, as they are printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hoplab.figures import Figure
from hoplab.report.model import ReportTable
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.drawing import cell, curve, seeds_of
from hoplab_studies.shared.numbers import values
from hoplab_studies.shared.study import DEFAULT, Axes, Check, Grid, Grids, Margin, Part, Shown, Study, Variation
from hoplab_studies.shared.verdict import Condition
from hoplab_studies.winf import ablations as winf_ablations
from hoplab_studies.winf import change as winf_change
from hoplab_studies.winf import estimators as winf_estimators
from hoplab_studies.winf import measures as of
from hoplab_studies.winf import readings as winf_readings
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf import utility as winf_utility
from hoplab_studies.winf.measures import Measure, above, order, pairs_along, rising
from hoplab_studies.winf.scenarios import BASES, LITERAL, PROTOCOLS, WINDOW_20, WINF, WIRED, WIRELESS

REPETITIONS = 30
"""Stated."""

PANELS: Mapping[str, tuple[str, Measure, str, float]] = {
    "a": ("throughput", of.throughput, "throughput of all flows (kb/s)", 1e-3),
    "b": ("delay", of.delay, "mean delay (s)", 1.0),
    "c": ("received packets", of.received, "received packets", 1.0),
}

DISTINCT = "distinct packets in any order in place of goodput in order"
"""The measure that the paper's receiving agents may count."""

CBR_UDP = "udp"
"""Plain datagrams beside the seven: what the queue alone does."""

OVER_5_S = "throughput over 5 s in place of 1 s"
BASES_OF: Mapping[str, Sequence[str]] = {form: (base,) for form, base in BASES.items()}

BASES_ALIKE = 0.85
OFFERED_BPS = 64e3
"""CBR of each mobile node in the mesh, bit/s."""

ROUTERS = "interface queues of 50 packets, windows of 200"
LOAD = "CBR over each transport, which keeps what it cannot send yet"


def study(*, quick: bool = False) -> Study:
    """The whole study; if `quick`, shorter runs at fewer points, and no other series."""
    seconds = ground.QUICK_S if quick else ground.DURATION_S
    parts = [*_parts(seconds, quick=quick), *winf_estimators.parts(quick=quick), winf_utility.part(quick=quick)]
    parts += [winf_ablations.part(seconds, quick=quick), *winf_change.parts(seconds, quick=quick)]
    parts += [] if quick else winf_readings.parts(seconds)
    return Study(
        paper="winf",
        parts=tuple(parts),
        figures=(*winf_estimators.figures(), *_figures(), *winf_utility.figures(), *winf_ablations.figures()),
        checks=(*winf_estimators.checks(), *_checks(), *winf_utility.checks(), *winf_change.checks(seconds)),
        assumptions=(*ground.ASSUMPTIONS, *([ground.QUICK] if quick else [])),
        tables=_tables,
        full_seeds=REPETITIONS,
    )


def _parts(seconds: float, *, quick: bool) -> list[Part]:
    mobile = ground.QUICK_MOBILE if quick else ground.MOBILE
    ad_hoc = ground.QUICK_AD_HOC if quick else ground.AD_HOC
    building = ground.QUICK_BUILDING if quick else ground.BUILDING
    protocols = tuple(PROTOCOLS)

    def part(
        name: str, scenario: Scenario, key: str, points: tuple[int, ...], middle: tuple[int, ...], *more: Variation
    ) -> Part:
        axes: Axes = {key: points, "traffic.transport": (*protocols, CBR_UDP) if name != "mesh_ftp" else protocols}
        narrowed = {key: middle, "traffic.transport": protocols}
        others = tuple(variation.over(narrowed) for variation in (WINDOW_20, *more))
        series = () if quick else (*winf_readings.series(name, narrowed), *others)
        return Part(name, scenario, axes, series)

    mesh = partial(ground.mesh, duration_s=seconds)
    light = ground.building("64 kb/s", duration_s=seconds)
    heavy = ground.building("128 kb/s", duration_s=seconds)
    return [
        part(
            "mesh_ftp",
            mesh(ground.FTP).with_(goodput_interval="1 s"),
            "topology.mobile_nodes",
            mobile,
            (3, 5),
            *ground.OF_MESH,
        ),
        part("mesh_cbr", mesh(ground.CBR), "topology.mobile_nodes", mobile, (3, 5), *ground.OFFERED),
        part("ad_hoc", ground.ad_hoc(duration_s=seconds), "topology.nodes", ad_hoc, (16, 32)),
        part("building_light", light, "topology.mobile_nodes", building, (20,), ground.FOUR_FLOWS),
        part("building_heavy", heavy, "topology.mobile_nodes", building, (20,), ground.FOUR_FLOWS),
    ]


SHOWN_PARTS: tuple[tuple[str, str, str, str, str], ...] = (
    ("mesh_ftp", "fig9", "mobile_nodes", "mobile nodes", "files in the mesh"),
    ("mesh_cbr", "fig10", "mobile_nodes", "mobile nodes", "CBR in the mesh"),
    ("ad_hoc", "fig11", "nodes", "nodes (flows: half as many)", "CBR among moving nodes"),
    ("building_light", "fig13", "mobile_nodes", "mobile nodes", "light flows around the building"),
    ("building_heavy", "fig14", "mobile_nodes", "mobile nodes", "heavy flows around the building"),
)
"""Part, figure, axis, its label, and what is seen."""


def _figures() -> list[Shown]:
    found = []
    for part, figure, axis, label, what in SHOWN_PARTS:
        for letter, (name, _, _, _) in PANELS.items():
            if figure == "fig10" and letter != "a":
                continue  # Figure 10 has one panel.
            panel = figure if figure == "fig10" else f"{figure}{letter}"
            title = f"{name.capitalize()} of {what}"
            found.append(Shown(panel, title, part, draw=partial(_draw, panel, axis, label, title)))
    return found


def _draw(panel: str, axis: str, label: str, title: str, grid: Grid) -> Sequence[Figure]:
    _, measure, y_label, scale = PANELS[panel[-1] if panel[-1] in PANELS else "a"]
    points = grid.values(axis)
    curves = []
    names = [name for name in (*PROTOCOLS, CBR_UDP) if name in grid.values("transport")]
    for slot, name in enumerate(names):
        measured = [values(grid, measure, transport=name, **{axis: point}) for point in points]
        curves.append(curve(PROTOCOLS.get(name, "UDP"), points, measured, scale, slot=slot))
    caption = f"Mean and 95 % Student-t interval over {seeds_of(grid)} seeds, the same networks for all transports."
    return [Figure(f"{panel}-{axis}", title, label, y_label, tuple(curves), caption, integer_x=True)]


def _checks() -> list[Check]:
    mesh, cbr, heavy = "mesh_ftp", "mesh_cbr", "building_heavy"
    found = [
        *_pairs("W-F9a1", of.throughput, WINF, WIRED),
        *_pairs("W-F9a2", of.throughput, WIRELESS, WIRED),
        *_pairs("W-F9a3", of.throughput, WINF, WIRELESS),
        Check("W-F9b", mesh, ROUTERS, partial(_faster, "mobile_nodes", 0.8)),
        *_pairs("W-F9c1", of.received, WINF, (*WIRED, *WIRELESS)),
        Check("W-F9c2", mesh, "TCP-AP in its default preset", partial(_fewest, "mobile_nodes", of.received)),
        Check("W-F10a", cbr, LOAD, _xcp_leads_rcp),
        Check("W-F10b", cbr, LOAD, partial(_far_over_bases, 1.2, 0.6)),
        Check("W-F10c", cbr, LOAD, partial(_gains, "rcp_winf", "xcp_winf")),
        Check("W-F10d", cbr, LOAD, partial(_gains, "xcp_b", "xcp_winf", falls=True)),
        _carrying("W-F10e", cbr, lambda measure: partial(_lowest, "mobile_nodes", measure, 0.6)),
        _carrying("W-F11a1", "ad_hoc", partial(_over_bases_by, "nodes")),
        Check("W-F11a2", "ad_hoc", LOAD, _bases_alike, margins=(Margin({"transport": "xcp"}, BASES_ALIKE),)),
        Check("W-F11a3", "ad_hoc", LOAD, _xcp_b_tires),
        Check("W-F11b", "ad_hoc", LOAD, _delay_rises),
        Check("W-F11c1", "ad_hoc", LOAD, partial(_over_bases, "nodes", of.received, of.ABOVE, of.MOST_POINTS)),
        Check("W-F11c2", "ad_hoc", LOAD, partial(_fewest, "nodes", of.received)),
        Check("W-F11d", "ad_hoc", LOAD, _forms_differ),
    ]
    for figure, part in (("13", "building_light"), ("14", heavy)):
        found.append(_carrying(f"W-F{figure}a", part, partial(_over_bases_by, "mobile_nodes")))
        found.append(Check(f"W-F{figure}c", part, LOAD, _over_bases_by("mobile_nodes", of.received)))
        found.append(Check(f"W-F{figure}b", part, LOAD, partial(_sooner_than_bases, "mobile_nodes")))
    found += [
        Check("W-F14x", heavy, LOAD, partial(_xcp_b_lowest, "mobile_nodes")),
        *(Check("W-F13t", part, LOAD, _sparing) for part in ("building_light", heavy)),
        Check("W-C4", mesh, ROUTERS, _fairer),
        *(
            Check(
                claim,
                mesh,
                ROUTERS,
                partial(_steadier, 1, others),
                readings=((OVER_5_S, partial(_steadier, 5, others)),),
            )
            for claim, others in (("W-C7", BASES_OF), ("W-C8", dict.fromkeys(WINF, WIRELESS)))
        ),
    ]
    return found


def _pairs(claim: str, measure: Measure, better: Sequence[str], worse: Sequence[str]) -> list[Check]:
    """One check per pair of transports in the mesh with files: each is a claim of its own."""

    def compared(a: str, b: str, by: Measure, grid: Grid) -> list[Condition]:
        return order(grid, "mobile_nodes", by, (a,), (b,))

    found = []
    for a, b in [(a, b) for a in better for b in worse]:
        name = f"{claim}:{PROTOCOLS[a]}/{PROTOCOLS[b]}"
        if measure is of.throughput:
            found.append(_carrying(name, "mesh_ftp", partial(_with_measure, partial(compared, a, b)), ROUTERS))
        else:
            found.append(Check(name, "mesh_ftp", ROUTERS, partial(compared, a, b, measure)))
    return found


def _with_measure(test: Callable[..., list[Condition]], measure: Measure) -> Callable[[Grid], list[Condition]]:
    return partial(test, measure)


def _carrying(
    claim: str, part: str, test_of: Callable[[Measure], Callable[[Grid], list[Condition]]], hangs_on: str = LOAD
) -> Check:
    """A claim about throughput, which the paper may count in order or as it arrives."""
    return Check(claim, part, hangs_on, test_of(of.throughput), readings=((DISTINCT, test_of(of.arrived)),))


def _faster(axis: str, factor: float, grid: Grid) -> list[Condition]:
    """Delays of the base forms at least 1 / factor times those of the Winf forms."""
    return [
        above(f"delay of {PROTOCOLS[base]} over {PROTOCOLS[form]}, less {factor:g}", points, factor=1.0 / factor)
        for form, base in BASES.items()
        for points in [pairs_along(grid, axis, of.delay, base, form)]
    ]


def _sooner_than_bases(axis: str, grid: Grid) -> list[Condition]:
    return _faster(axis, 1.0 / of.ABOVE, grid)


def _over_bases(axis: str, measure: Measure, factor: float, most: float, grid: Grid) -> list[Condition]:
    """Each Winf form above its own base."""
    return [
        above(
            f"{PROTOCOLS[form]} over {PROTOCOLS[base]}, by {factor:g}",
            pairs_along(grid, axis, measure, form, base),
            factor=factor,
            most=most,
        )
        for form, base in BASES.items()
    ]


def _over_bases_by(axis: str, measure: Measure) -> Callable[[Grid], list[Condition]]:
    return partial(_over_bases, axis, measure, of.ABOVE, of.MOST_POINTS)


def _far_over_bases(factor: float, most: float, grid: Grid) -> list[Condition]:
    """W-F10b: each Winf form above its base by a factor, of the points at which the offered load leaves room for it."""
    found = []
    for form, base in BASES.items():
        points = [
            (ours, theirs)
            for mobile in grid.values("mobile_nodes")
            for ours, theirs in [
                (values(grid, of.throughput, transport=name, mobile_nodes=mobile) for name in (form, base))
            ]
            if factor * math.fsum(theirs) <= OFFERED_BPS * mobile * len(theirs)
        ]
        found.append(
            above(f"{PROTOCOLS[form]} over {PROTOCOLS[base]}, by {factor:g}", points, factor=factor, most=most)
        )
    return found


def _fewest(axis: str, measure: Measure, grid: Grid) -> list[Condition]:
    """TCP-AP below the other three wireless transports."""
    return order(grid, axis, measure, ("xcp_b", *WINF), ("tcp_ap",), factor=1.0)


def _lowest(axis: str, measure: Measure, most: float, grid: Grid) -> list[Condition]:
    """TCP-AP below all others at enough points."""
    others = tuple(name for name in PROTOCOLS if name != "tcp_ap")
    return order(grid, axis, measure, others, ("tcp_ap",), factor=1.0, most=most)


def _xcp_b_lowest(axis: str, grid: Grid) -> list[Condition]:
    return order(grid, axis, of.throughput, ("tcp_ap", *WINF), ("xcp_b",), factor=1.0)


def _xcp_leads_rcp(grid: Grid) -> list[Condition]:
    """W-F10a: at three and four mobile nodes."""
    few = [value for value in grid.values("mobile_nodes") if value <= 4]
    points = [
        (
            values(grid, of.throughput, transport="xcp", mobile_nodes=v),
            values(grid, of.throughput, transport="rcp", mobile_nodes=v),
        )
        for v in few
    ]
    return [above("XCP over RCP with 3 and 4 mobile nodes", points)]


def _gains(a: str, b: str, grid: Grid, *, falls: bool = False) -> list[Condition]:
    """The ratio of two transports rises, or falls, with the mobile nodes."""
    mobile = grid.values("mobile_nodes")
    curves = ([values(grid, of.throughput, transport=name, mobile_nodes=value) for value in mobile] for name in (a, b))
    what = f"{PROTOCOLS[a]} over {PROTOCOLS[b]} with mobile nodes"
    return [rising(what, [float(v) for v in mobile], *curves, falls=falls)]


def _bases_alike(grid: Grid) -> list[Condition]:
    """W-F11a2: XCP and RCP within 15 % of each other at most points."""
    return [
        above("XCP at least 0.85 of RCP", pairs_along(grid, "nodes", of.throughput, "xcp", "rcp"), factor=BASES_ALIKE),
        above("RCP at least 0.85 of XCP", pairs_along(grid, "nodes", of.throughput, "rcp", "xcp"), factor=BASES_ALIKE),
    ]


def _xcp_b_tires(grid: Grid) -> list[Condition]:
    """W-F11a3: XCP-b as good as XCP-Winf with up to 8 flows, clearly behind from 64 on."""
    nodes = grid.values("nodes")

    def pairs(chosen: Sequence[int], a: str, b: str) -> list[tuple[list[float], list[float]]]:
        return [
            (values(grid, of.throughput, transport=a, nodes=v), values(grid, of.throughput, transport=b, nodes=v))
            for v in chosen
        ]

    few, many = [v for v in nodes if v <= 16], [v for v in nodes if v >= 128] or [nodes[-1]]
    return [
        above("XCP-b at least 0.95 of XCP-Winf, up to 8 flows", pairs(few, "xcp_b", "xcp_winf"), factor=0.95),
        above("XCP-Winf over XCP-b by 1.11 with most flows", pairs(many, "xcp_winf", "xcp_b"), factor=1.0 / 0.9),
    ]


def _delay_rises(grid: Grid) -> list[Condition]:
    """W-F11b: with the flows, for every transport; of the seeds that have a delay."""
    nodes = grid.values("nodes")
    return [
        rising(
            f"delay of {label} with nodes",
            [float(v) for v in nodes],
            [values(grid, of.delay, transport=name, nodes=v) for v in nodes],
        )
        for name, label in PROTOCOLS.items()
    ]


def _forms_differ(grid: Grid) -> list[Condition]:
    """W-F11d: the Winf forms lie farther apart than the bases."""
    points = []
    for value in grid.values("nodes"):
        by = {name: values(grid, of.throughput, transport=name, nodes=value) for name in ("xcp", "rcp", *WINF)}
        forms = [abs(a - b) for a, b in zip(by["xcp_winf"], by["rcp_winf"], strict=True)]
        bases = [abs(a - b) for a, b in zip(by["xcp"], by["rcp"], strict=True)]
        points.append((forms, bases))
    return [above("distance of the Winf forms over that of their bases", points)]


def _sparing(grid: Grid) -> list[Condition]:
    """W-F13t: TCP-AP's delay within 10 % of the best, and at most 0.8 of what the Winf forms receive."""
    others = tuple(name for name in PROTOCOLS if name != "tcp_ap")
    return [
        *order(grid, "mobile_nodes", of.delay, others, ("tcp_ap",), factor=1.0 / 1.1),
        *order(grid, "mobile_nodes", of.received, WINF, ("tcp_ap",), factor=1.0 / 0.8),
    ]


def _fairer(grid: Grid) -> list[Condition]:
    """W-C4: Jain's index of the Winf forms above that of their bases."""
    return [
        above(
            f"Jain's index of {PROTOCOLS[form]} over {PROTOCOLS[base]}",
            pairs_along(grid, "mobile_nodes", of.fairness, form, base),
            factor=1.0,
        )
        for form, base in BASES.items()
    ]


def _steadier(over: int, others: Mapping[str, Sequence[str]], grid: Grid) -> list[Condition]:
    """W-C7, W-C8: coefficient of variation of the throughput, of others over that of the Winf forms."""
    measure = partial(of.unsteadiness, over=over)
    return [
        above(
            f"variation of {PROTOCOLS[other]} over {PROTOCOLS[form]}",
            pairs_along(grid, "mobile_nodes", measure, other, form),
        )
        for form, compared in others.items()
        for other in compared
    ]


def _tables(grids: Grids) -> list[ReportTable]:
    found = []
    for part, figure, axis, label, what in SHOWN_PARTS:
        for series in (DEFAULT, LITERAL.name, WINDOW_20.name):
            if (part, series) in grids:
                beside = {LITERAL.name: ", equations as printed", WINDOW_20.name: ", window 20"}.get(series, "")
                found.append(_numbers(grids[part, series], figure, axis, label, f"{what[0].upper()}{what[1:]}{beside}"))
    others = (winf_estimators, winf_utility, winf_ablations, winf_change, winf_readings)
    return [*found, *(table for module in others for table in module.tables(grids))]


def _numbers(grid: Grid, figure: str, axis: str, label: str, title: str) -> ReportTable:
    rows = []
    for value in grid.values(axis):
        for name in grid.values("transport"):
            cells = [
                cell(values(grid, measure, transport=name, **{axis: value}), scale)
                for measure, scale in (
                    (of.throughput, 1e-3),
                    (of.delay, 1.0),
                    (of.received, 1.0),
                    (of.fairness, 1.0),
                    (of.resent, 1.0),
                    (of.overflows, 1.0),
                    (of.unsteadiness, 1.0),
                )
            ]
            rows.append((str(value), PROTOCOLS.get(name, "UDP"), *cells))
    header = (
        label,
        "transport",
        "throughput (kb/s)",
        "delay (s)",
        "received packets",
        "Jain's index",
        "retransmissions",
        "lost at full queues",
        "variation per second",
    )
    n = seeds_of(grid)
    return ReportTable(f"{title} ({figure})", header, tuple(rows), f"Means with 95 % intervals, n = {n}.", 2)
