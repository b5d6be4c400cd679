"""Figures and tables of the Semi-TCP study, distinct payload and payload in order side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hoplab.figures import Figure
from hoplab.figures.build import interval_curve
from hoplab.figures.model import Curve
from hoplab.report.model import ReportTable
from hoplab.running.runs import Runs
from hoplab.stats import Interval, mean_interval
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import published
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp.claims import AP, SEMI
from hoplab_studies.semi_tcp.measures import points
from hoplab_studies.semi_tcp.series import NEARER_M
from hoplab_studies.shared.drawing import cell, curve, per_point, seeds_of
from hoplab_studies.shared.numbers import Measure
from hoplab_studies.shared.resampling import estimate, ratio_of_sums
from hoplab_studies.shared.study import DEFAULT, Grid, Grids, Shown, short
from hoplab_studies.shared.verdict import shown

UNIQUE = ("throughput", "Throughput, distinct segments (kb/s)", of.unique, 1e-3)
IN_ORDER = ("in-order", "Goodput, in order (kb/s)", of.goodput, 1e-3)
DROPPING = ("dropping", "Dropping ratio", of.dropping, 1.0)
DELAY = ("delay", "Mean delay (ms)", of.delay, 1e3)
Panel = tuple[str, str, Measure, float]

SHOWN_PARTS = {"chain": "a", "parallel": "b", "s1": "c", "s2": "c"}
TITLES = {
    "chain": "chain of 7 hops",
    "parallel": "one of two parallel rows",
    "s1": "moving nodes, S1",
    "s2": "moving nodes, S2",
    "paths": "two flows",
}


def all_figures() -> list[Shown]:
    """The paper's figures, its table, and the released chains."""
    retries = [
        Shown(f"fig{n}{letter}", f"{panels[0][1]} against SSRL, {TITLES[part]}", part, draw=draw, also=also)
        for n, panels in ((7, (UNIQUE, IN_ORDER)), (8, (DROPPING,)), (9, (DELAY,)))
        for letter, part, also, draw in (
            ("a", "chain", ("parallel",), partial(_retries_static, panels, with_psi=n == 7)),
            ("b", "parallel", (), partial(_retries_row, panels)),
            ("c", "s1", ("s2", "chain") if n == 7 else ("s2",), partial(_retries_moving, panels)),
        )
    ]
    return [
        Shown("fig1", "Bound of a TCP connection's rate against hops", draw=_bound),
        *retries,
        Shown("table1", "Throughput against T_c and k", "t-parallel", draw=_beside_printed, also=("t-mobile",)),
        Shown("fig10", "Throughput against hops", "paths", draw=partial(_paths, (UNIQUE, IN_ORDER)), also=("rows",)),
        Shown("fig11", "Delay against hops", "paths", draw=partial(_paths, (DELAY,))),
        Shown(
            "fig12a", "Semi-TCP over TCP-AP against connections", "connections", draw=partial(_flows, is_beside=False)
        ),
        Shown(
            "fig12b", "Semi-TCP over TCP-AP against datagram flows", "datagrams", draw=partial(_flows, is_beside=True)
        ),
        *(
            Shown(
                figure,
                f"Static chains beside released results, link failures {words}",
                part,
                draw=partial(_released, stored, words),
                also=(f"{part}-single",),
            )
            for figure, part, stored, words in RELEASED
        ),
        Shown(
            "released-others",
            "Static chains beside released results, other series",
            "released-paced",
            draw=_released_others,
            also=("released-silent", "released-delayed"),
        ),
    ]


def _bound() -> list[Figure]:
    """Figure 1: every curve over its own value at one hop."""
    hops = [float(h) for h in ground.HOPS]
    curves = tuple(
        Curve(
            f"p = {loss:g}",
            hops,
            [published.path_bound(int(h), loss) / published.path_bound(1, loss) for h in hops],
            slot=slot,
            exact="closed form",
        )
        for slot, loss in enumerate(published.LOSSES)
    )
    caption = "Cai 2013, eq. 2, each curve over its own value at one hop. Loss ratios are ours; the paper names none."
    return [
        Figure(
            "bound",
            "Bound of a TCP connection's rate against hops",
            "hops",
            "rate over that of one hop",
            curves,
            caption,
            integer_x=True,
        )
    ]


def _retries_static(panels: Sequence[Panel], chain: Grid, *_: Grid, with_psi: bool) -> list[Figure]:
    return [_retries(panel, "chain", chain, with_psi=with_psi and panel is UNIQUE) for panel in panels]


def _retries_row(panels: Sequence[Panel], grid: Grid, *_: Grid) -> list[Figure]:
    return [_retries(panel, "parallel", grid) for panel in panels]


def _retries_moving(panels: Sequence[Panel], first: Grid, second: Grid, *_: Grid) -> list[Figure]:
    return [_retries(panel, part, grid) for panel in panels for part, grid in (("s1", first), ("s2", second))]


def _retries(panel: Panel, part: str, grid: Grid, *, with_psi: bool = False) -> Figure:
    name, axis, measure, scale = panel
    x = points(grid, "ssrl")
    curves = [
        curve(label, x, [map(measure, grid.at(ssrl=a, transport=t)) for a in x], scale, slot=slot)
        for slot, (t, label) in enumerate(ground.TRANSPORTS.items())
    ]
    if with_psi:
        for slot, t in enumerate((SEMI, AP), start=3):
            taken = [map(of.psi, grid.at(ssrl=a, transport=t)) for a in x]
            curves.append(curve(f"Psi, {ground.TRANSPORTS[t]}", x, taken, scale, slot=slot))
    title = f"{axis.split(' (')[0]} against SSRL, {TITLES[part]}"
    return Figure(f"{name}-{part}", title, "SSRL (attempts)", axis, tuple(curves), per_point(grid), integer_x=True)


def _paths(panels: Sequence[Panel], grid: Grid, *_: Grid) -> list[Figure]:
    found = []
    for name, axis, measure, scale in panels:
        for kind in grid.values("kind"):
            x = points(grid, "hops")
            curves = [
                curve(label, x, [map(measure, grid.at(kind=kind, hops=h, transport=t)) for h in x], scale, slot=slot)
                for slot, (t, label) in enumerate(ground.TRANSPORTS.items())
            ]
            title = f"{axis.split(' (')[0]} of two flows against hops, {kind}"
            found.append(Figure(f"{name}-{kind}", title, "hops", axis, tuple(curves), per_point(grid), integer_x=True))
    return found


RATIOS: tuple[tuple[str, Measure], ...] = (
    ("throughput, distinct", of.unique),
    ("goodput, in order", of.goodput),
    ("delay", of.delay),
    ("path length", of.path),
    ("dropping ratio", of.dropping),
)


def _flows(grid: Grid, *, is_beside: bool) -> list[Figure]:
    x = points(grid, "connections")
    chosen = [*RATIOS, ("datagrams' throughput", of.datagram_rate)] if is_beside else list(RATIOS)
    curves = [
        interval_curve(name, list(map(float, x)), [_ratio(grid, measure, connections=n) for n in x], 1.0, slot=slot)
        for slot, (name, measure) in enumerate(chosen)
    ]
    what = "datagram flows beside 15 connections" if is_beside else "connections"
    caption = f"Ratio of the means, 95 % bootstrap percentile interval over {seeds_of(grid)} seeds."
    name = "flows-datagrams" if is_beside else "flows-connections"
    return [Figure(name, f"Semi-TCP over TCP-AP against {what}", what, "ratio", tuple(curves), caption, integer_x=True)]


def _ratio(grid: Grid, measure: Measure, **at: object) -> Interval | None:
    semi, ap = ([list(map(measure, grid.at(**at, transport=name)))] for name in (SEMI, AP))
    found = estimate(ratio_of_sums, semi, ap)
    return found if math.isfinite(found.mean) and (found.low is not None or found.n == 1) else None


RELEASED = (
    ("released", "released", "semi_tcp_released", "not reported"),
    ("released-failures", "failures", "semi_tcp_released_failures", "reported"),
)
"""Figure, part, stored results, and failures reported to routing."""


def _beside_printed(*grids: Grid) -> list[Figure]:
    """Table 1 as curves with its printed values, which are means of the two flows."""
    found = []
    for topology, grid in zip(("parallel", "mobile"), grids, strict=True):
        x = list(map(float, grid.values("t_c")))
        curves: list[Curve] = []
        for slot, k in enumerate(grid.values("k")):
            shares = [[0.5 * of.unique(run) for run in grid.at(k=k, t_c=t)] for t in grid.values("t_c")]
            curves.append(curve(f"k = {k}", x, shares, 1e-3, slot=slot))
            rows = [r for r in published.numbers("semi_tcp_table1") if (r["topology"], int(r["k"])) == (topology, k)]
            printed = [float(row["throughput"]) for row in rows]
            curves.append(
                Curve(f"k = {k}, printed", [float(r["t_c"]) for r in rows], printed, style="marks", slot=slot)
            )
        caption = f"{per_point(grid)} Mean of the two flows. Hollow marks: the values of the paper's Table 1."
        title = f"Throughput per flow against T_c, {topology}"
        name, axis = f"table1-{topology}", "distinct payload per flow (kb/s)"
        found.append(Figure(name, title, "T_c", axis, tuple(curves), caption, integer_x=True, y_from_zero=False))
    return found


def _released(stored: str, words: str, grid: Grid, single: Grid) -> list[Figure]:
    ours = [
        ("Semi-TCP", grid, SEMI, "none_kbps"),
        ("all acknowledged", single, SEMI, "single_kbps"),
        ("TCP-AP", grid, AP, "ap_kbps"),
    ]
    return _beside_released(f"released-{words.replace(' ', '-')}", stored, f"link failures {words}", ours)


def _released_others(paced: Grid, silent: Grid, delayed: Grid) -> list[Figure]:
    ours = [
        ("Semi-TCP with TCP-AP's clock", paced, SEMI, "paced_kbps"),
        ("TCP-AP, receiver silent out of order", silent, AP, "ap_none_kbps"),
        ("Semi-TCP, delayed acknowledgments", delayed, SEMI, "delayed_kbps"),
        ("TCP-AP, delayed acknowledgments", delayed, AP, "ap_delayed_kbps"),
    ]
    return _beside_released("released-others", "semi_tcp_released", "other series", ours)


def _beside_released(figure: str, stored: str, words: str, ours: Sequence[tuple[str, Grid, str, str]]) -> list[Figure]:
    """Each of our curves with the released values: its name, its runs, transport, and column of the stored table."""
    rows = published.numbers(stored)
    hops = [float(row["hops"]) for row in rows]
    grid = ours[0][1]
    x = points(grid, "hops")
    curves = []
    for slot, (name, runs, transport, column) in enumerate(ours):
        carried = [map(of.unique, runs.at(hops=h, transport=transport)) for h in x]
        curves.append(curve(name, x, carried, 1e-3, slot=slot))
        theirs = [float(row[column]) for row in rows]
        curves.append(Curve(f"{name}, released", hops, theirs, style="marks", slot=slot))
    caption = f"{per_point(grid)} Hollow marks: released results of 2010, one seed; five hop counts are kept back."
    title = f"Throughput of distinct segments over static chains, 1 Mb/s, SSRL 7, {words}"
    return [Figure(figure, title, "hops", UNIQUE[1], tuple(curves), caption, integer_x=True)]


# ---- tables ---------------------------------------------------------------------------------------------------------


def tables(grids: Grids) -> list[ReportTable]:
    """Numbers of every series that was run, and the searches for what the paper leaves out."""
    found: list[ReportTable] = []
    for (part, series), grid in grids.items():
        make = TABLES.get(part)
        if make is not None:
            found += make(part if series == DEFAULT else f"{part}, {series}", grid)
    return [*found, searched()]


def searched() -> ReportTable:
    """Stored output of `scripts/semi_tcp_search.py ends`."""
    rows = published.numbers("semi_tcp_search")
    columns = ("row", "role", "what", "wanted")
    distances = tuple(dict.fromkeys(row["distance_m"] for row in rows))
    asked = dict.fromkeys(tuple(row[column] for column in columns) for row in rows)
    cells = {(*(row[column] for column in columns), row["distance_m"]): row["found"] for row in rows}
    return ReportTable(
        "Search for the distance of the ends in S1 and S2, which the paper does not give",
        ("row", "role", "what", "wanted", *(f"{d} m" for d in distances)),
        tuple((*key, *(cells[*key, d] for d in distances)) for key in asked),
        f"Means of 3 seeds of 101 s, SSRL 2 to 20. Chosen: {NEARER_M:g} m, a series; the study keeps its 1000 m.",
        len(columns),
    )


def _sweep(axis: str, extra: tuple[Panel, ...], name: str, grid: Grid) -> list[ReportTable]:
    found = []
    second = next((n for n in ("kind", "row_spacing") if any(short(key) == n for key in grid.axes)), None)
    for kind in grid.values(second) if second else (None,):
        at = {second: kind} if second else {}
        for title, measure, scale in ((p[1], p[2], p[3]) for p in (UNIQUE, IN_ORDER, *extra)):
            rows = []
            for x in points(grid, axis):
                cells = [_cell(grid.at(**{axis: x, "transport": t, **at}), measure, scale) for t in _transports(grid)]
                rows.append((f"{x:g}", *cells))
            header = (axis.replace("ssrl", "SSRL"), *(ground.TRANSPORTS[t] for t in _transports(grid)))
            whole = f"{title}: {name}" if kind is None else f"{title}: {name}, {kind}"
            found.append(ReportTable(whole, header, tuple(rows), per_point(grid)))
    return found


def _transports(grid: Grid) -> tuple[str, ...]:
    return tuple(grid.values("transport"))


def _cell(runs: Runs, measure: Measure, scale: float) -> str:
    return cell(map(measure, runs), scale, none="none arrived")


def _thresholds(name: str, grid: Grid) -> list[ReportTable]:
    found = []
    for title, measure in ((UNIQUE[1], of.unique), (IN_ORDER[1], of.goodput)):
        rows = tuple(
            (f"k = {k}", *(_cell(grid.at(k=k, t_c=t), measure, 1e-3) for t in grid.values("t_c")))
            for k in grid.values("k")
        )
        header = ("", *(f"T_c = {t}" for t in grid.values("t_c")))
        found.append(ReportTable(f"{title}, sum of two flows: Table 1, {name}", header, rows, per_point(grid)))
    return found


def _rules(name: str, grid: Grid) -> list[ReportTable]:
    """All combinations of the five rules, and what each does in the mean over the others."""
    rows = []
    for setting, runs in grid.points.items():
        settings = ["program" if value == ground.ABLATION[key][1] else "paper" for key, value in setting]
        rows.append((*settings, *(_cell(runs, measure, 1e-3) for measure in (of.unique, of.goodput))))
    keys = [short(key) for key in ground.ABLATION]
    effects = []
    for key, name_of_rule in zip(ground.ABLATION, keys, strict=True):
        cells = []
        for measure in (of.unique, of.goodput):
            sides: dict[bool, list[list[float]]] = {False: [], True: []}
            for setting, runs in grid.points.items():
                sides[dict(setting)[key] == ground.ABLATION[key][1]].append([measure(run) or 0.0 for run in runs])
            means = {
                side: [math.fsum(seed) / len(seed) for seed in zip(*of_side, strict=True)]
                for side, of_side in sides.items()
            }
            cells.append(shown(mean_interval([(b - a) * 1e-3 for a, b in zip(means[False], means[True], strict=True)])))
        effects.append((name_of_rule, *cells))
    words = ("distinct (kb/s)", "in order (kb/s)")
    return [
        ReportTable(
            f"Effect of each rule of the program, mean over the other rules: {name}",
            ("rule", *words),
            tuple(effects),
            per_point(grid),
        ),
        ReportTable(
            f"Rules of paper and program in all combinations: {name}",
            (*keys, *words),
            tuple(rows),
            per_point(grid),
            len(keys),
        ),
    ]


TABLES: Mapping[str, Callable[[str, Grid], list[ReportTable]]] = {
    **{part: partial(_sweep, "ssrl", (DROPPING, DELAY)) for part in SHOWN_PARTS},
    "t-parallel": _thresholds,
    "t-mobile": _thresholds,
    "paths": partial(_sweep, "hops", (DELAY,)),
    "connections": partial(_sweep, "connections", (DROPPING, DELAY)),
    "datagrams": partial(
        _sweep, "connections", (("datagrams", "Datagrams' throughput (kb/s)", of.datagram_rate, 1e-3),)
    ),
    "released": partial(_sweep, "hops", (DELAY, ("acks", "Acknowledgments per segment", of.acks_per_segment, 1.0))),
    "released-single": partial(_sweep, "hops", (DELAY,)),
    "released-delayed": partial(_sweep, "hops", ()),
    "released-paced": partial(_sweep, "hops", (DELAY,)),
    "released-silent": partial(_sweep, "hops", (DELAY,)),
    "failures": partial(_sweep, "hops", ()),
    "failures-single": partial(_sweep, "hops", ()),
    "long": partial(_sweep, "hops", (DROPPING,)),
    "rules": _rules,
    "shared": partial(_sweep, "shared", (DELAY,)),
    "rows": partial(_sweep, "hops", ()),
}
