"""Sensitivity of the gain of the Winf forms: equations, overheads, windows, queues, estimation.

The mesh with five mobile nodes and files. A fixed capacity of the right size needs no estimator, a window of one
segment no router at all: if one of them does as well, the gain is not the estimator's.
"""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.figures import Figure
from hoplab.report.model import ReportTable
from hoplab.stats import mean_interval, paired
from hoplab_studies.shared.drawing import cell, curve, seeds_of
from hoplab_studies.shared.numbers import values
from hoplab_studies.shared.study import DEFAULT, Grid, Grids, Part, Shown, Variation
from hoplab_studies.shared.verdict import shown
from hoplab_studies.winf import measures as of
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf.scenarios import PROTOCOLS, WINF

CAPACITIES = ("0.5", "1", "2", "4.5", "7.4", "11")
EXPLICIT = ("xcp", "rcp", *WINF)
NAME = "ablation"


def part(seconds: float, *, quick: bool) -> Part:
    """The mesh with five mobile nodes, and one series per question."""
    axes = {"traffic.transport": ("new_reno", "xcp", "rcp", "xcp_winf", "rcp_winf")}
    fixed = [_fixed(capacity) for capacity in CAPACITIES]
    pinned = Variation(
        "window1", "a window of one segment", {"traffic.window": 1}, {"traffic.transport": ("new_reno",)}
    )
    series = (*fixed, pinned) if quick else (*fixed, pinned, *_others())
    return Part(NAME, ground.mesh(ground.FTP, duration_s=seconds), axes, series)


def _fixed(capacity: str) -> Variation:
    changes = {"xcp.capacity": f"{capacity} Mb/s", "rcp.capacity": f"{capacity} Mb/s"}
    name = f"capacity{capacity.replace('.', '_')}"
    return Variation(
        name, f"XCP and RCP with a capacity of {capacity} Mb/s", changes, {"traffic.transport": ("xcp", "rcp")}
    )


def _others() -> list[Variation]:
    winf = {"traffic.transport": WINF}
    alone = {"traffic.transport": ("xcp_winf",)}
    explicit = {"traffic.transport": ("new_reno", *EXPLICIT)}
    return [
        ground.LITERAL.over(winf),
        Variation("exchange", "rt-Winf counting data and ACK only", {"winf.overhead": "exchange"}, winf),
        Variation("reading100", "available bandwidth over 0.1 s", _over("100 ms"), winf),
        Variation("reading250", "available bandwidth over 0.25 s", _over("250 ms"), winf),
        Variation("reading1000", "available bandwidth over 1 s", _over("1 s"), winf),
        Variation("window2", "a window of two segments", {"traffic.window": 2}, {"traffic.transport": ("new_reno",)}),
        Variation("window20", "a window limit of 20 segments", {"traffic.window": 20}, explicit),
        Variation("queue10", "queues of 10 packets", {"queue.limit": 10}, explicit),
        Variation("queue100", "queues of 100 packets", {"queue.limit": 100}, explicit),
        Variation("share2", "positive feedback halved", {"xcp_winf.path_share": 2}, alone),
        Variation("shared", "available bandwidth shared among those heard", {"xcp_winf.spare": "ab_shared"}, alone),
    ]  # fmt: skip


def _over(window: str) -> dict[str, object]:
    return {"xcp_winf.window": window}


def figures() -> list[Shown]:
    """Not in the paper: the default series, with the tables of all others."""
    return [Shown("ablations", "Is it the estimation?", NAME, draw=_draw)]


def _draw(grid: Grid) -> Sequence[Figure]:
    names = grid.values("transport")
    curves = []
    for slot, name in enumerate(names):
        curves.append(curve(PROTOCOLS[name], [slot], [values(grid, of.throughput, transport=name)], 1e-3, slot=slot))
    caption = f"Mean and 95 % Student-t interval over {seeds_of(grid)} seeds; the table has every other series."
    labels = tuple(PROTOCOLS[name] for name in names)
    title = "Throughput in the mesh with 5 mobile nodes"
    return [Figure("ablations", title, "transport", "throughput (kb/s)", tuple(curves), caption, x_names=labels)]


def tables(grids: Grids) -> list[ReportTable]:
    """Every series, and each beside the Winf forms."""
    series = {name: grid for (part_name, name), grid in grids.items() if part_name == NAME}
    if DEFAULT not in series:
        return []
    default = series[DEFAULT]
    said = {variation.name: variation.assumption for variation in [*map(_fixed, CAPACITIES), *_others()]}
    said |= {DEFAULT: "as in Figure 9", "window1": "a window of one segment"}
    base = {name: values(default, of.throughput, transport=name) for name in WINF}
    rows = []
    for name, grid in series.items():
        for transport in grid.values("transport"):
            found = values(grid, of.throughput, transport=transport)
            ratios = [shown(ratio) if (ratio := paired(found, base[form]).ratio) else "-" for form in WINF]
            others = (of.delay, of.resent, of.overflows)
            cells = [cell(values(grid, measure, transport=transport)) for measure in others]
            throughput = shown(mean_interval(found).scaled(1e-3))
            rows.append((said[name], PROTOCOLS[transport], throughput, *ratios, *cells))
    header = (
        "with",
        "transport",
        "throughput (kb/s)",
        "over XCP-Winf",
        "over RCP-Winf",
        "delay (s)",
        "retransmissions",
        "lost at full queues",
    )
    n = seeds_of(default)
    note = (
        f"The mesh with 5 mobile nodes and files. Means with 95 % intervals, ratios Fieller's, paired by seed; n = {n}."
    )
    return [
        ReportTable(
            "Is it the estimation? Fixed capacities, small windows and other ablations", header, tuple(rows), note, 2
        )
    ]
