"""Readings of the rt-Winf paper: other ways in which its text can be read, each as a series.

A series executes only the transports that its keys change; the other points are those of the default series.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hoplab.report.model import ReportTable
from hoplab.stats import mean_interval, paired
from hoplab_studies.shared.numbers import mean, values
from hoplab_studies.shared.study import DEFAULT, Axes, Grid, Grids, Part, Variation
from hoplab_studies.shared.verdict import shown
from hoplab_studies.winf import measures as of
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf import utility as winf_utility
from hoplab_studies.winf.scenarios import BASES, PROTOCOLS, WINF

TRANSPORT = "traffic.transport"
RCP_WINF = ("rcp_winf",)
RCPS = ("rcp", "rcp_winf")

APART = Variation(
    "apart",
    "routers read the Onlooker's value and senders the Sender's (section 4.1) in place of the least of all roles",
    {"winf.roles": "apart"},
)
APART_NORMALISED = APART.along(
    "apart_normalised", "the roles' own values, and the normalised capacity", ground.NORMALISED
)
STAMP = Variation(
    "stamp",
    "eq. 31 as the rule of RCP-Winf's routers: packets get the capacity in place of R",
    {"rcp_winf.stamp": "capacity"},
)
COLLISIONS = Variation(
    "collisions",
    "a capacity less the share of own attempts that fail (section 6, future work)",
    {"winf.collisions": True},
)
AP_WINF = Variation(
    "tcp_ap_winf",
    "TCP-AP with rt-Winf's capacity for the rate of the links (section 6, future work)",
    {"tcp.congestion.tcp_ap.rate": "winf"},
)

NO_RTS = Variation("no_rts", "no RTS and CTS", {"mac.rts_threshold": 3000})
PROBES = Variation(
    "probes",
    "no RTS and CTS, and 4 probes by the MAC before each communication (section 3.2)",
    {**NO_RTS.changes, "winf.probes": 4},
)

OF_ALL: tuple[tuple[Variation, Sequence[str]], ...] = (
    (ground.LITERAL, WINF),
    (ground.NORMALISED, WINF),
    (ground.PRINTED_28, RCP_WINF),
    (ground.CHANNEL, RCP_WINF),
    (APART, WINF),
)
"""Series of every network, with the transports that each changes."""

OF_FILES: tuple[tuple[Variation, Sequence[str]], ...] = (
    (ground.EXCHANGE_NORMALISED, WINF),
    (ground.CHANNEL_NORMALISED, RCP_WINF),
    (APART_NORMALISED, WINF),
    (STAMP, RCP_WINF),
    (COLLISIONS, WINF),
    (AP_WINF, ("tcp_ap",)),
    (NO_RTS, tuple(PROTOCOLS)),
    (PROBES, tuple(PROTOCOLS)),
)
"""Series of the mesh with files alone."""

RANDOM, MOBILE_UTILITY, COUNTED = "mesh_random", "utility_mobile", "mesh_count"


def series(name: str, axes: Axes) -> tuple[Variation, ...]:
    """The readings of one part, on the points of `axes`."""
    chosen = (*OF_ALL, *OF_FILES) if name == "mesh_ftp" else OF_ALL
    return tuple(_changing(variation, transports, axes) for variation, transports in chosen)


def _changing(variation: Variation, transports: Sequence[str], axes: Axes) -> Variation:
    kept = tuple(name for name in axes[TRANSPORT] if name not in transports)
    changed = {**axes, TRANSPORT: tuple(transports)}
    return replace(variation.over(changed), reuse={TRANSPORT: kept})


def parts(seconds: float) -> list[Part]:
    """Fixed nodes of the mesh at random positions (Table 4), Figure 15 with relays that move, and RCP by count.

    Senders of RCP by count never fill a gap, so that goodput in order does not measure them: they decide no claim.
    """
    normalised = ground.NORMALISED.over({TRANSPORT: RCP_WINF})
    return [
        Part(
            RANDOM,
            ground.random_mesh(duration_s=seconds),
            {"topology.mobile_nodes": (3, 5), TRANSPORT: tuple(PROTOCOLS)},
        ),
        Part(MOBILE_UTILITY, ground.mobile_utility(), {winf_utility.AXIS: WINF}),
        Part(
            COUNTED,
            ground.mesh(duration_s=seconds).with_({"rcp.recovery": "count"}),
            {"topology.mobile_nodes": (3, 5), TRANSPORT: RCPS},
            (normalised,),
        ),
    ]


def tables(grids: Grids) -> list[ReportTable]:
    """The Winf forms over their bases under each reading, and the parts that no claim is judged on."""
    found = []
    for part in ("mesh_ftp", "mesh_cbr", "ad_hoc", "building_light", "building_heavy"):
        rows = [row for variation, _ in (*OF_ALL, *OF_FILES) for row in _gains(grids, part, variation)]
        if rows:
            header = ("reading", "point", "pair", "in order", "distinct packets in any order")
            note = "Ratios of means with Fieller's 95 % intervals, paired by seed; the base under the same reading."
            found.append(ReportTable(f"Winf forms over their bases, by reading: {part}", header, tuple(rows), note, 3))
    if (RANDOM, DEFAULT) in grids:
        found.append(_random(grids[RANDOM, DEFAULT]))
    if (MOBILE_UTILITY, DEFAULT) in grids:
        found.append(_mobile(grids[MOBILE_UTILITY, DEFAULT]))
    if (COUNTED, DEFAULT) in grids:
        found.append(_counted(grids[COUNTED, DEFAULT], grids.get((COUNTED, ground.NORMALISED.name))))
    return found


def _gains(grids: Grids, part: str, variation: Variation) -> list[tuple[str, ...]]:
    grid = grids.get((part, variation.name))
    if grid is None:
        return []
    axis = next(name for name in ("mobile_nodes", "nodes") if any(key.endswith(f".{name}") for key in grid.axes))
    names = grid.values("transport")
    rows = []
    for point in grid.values(axis):
        for form, base in BASES.items():
            if form not in names or base not in names:
                continue
            cells = []
            for measure in (of.throughput, of.arrived):
                a, b = (values(grid, measure, transport=name, **{axis: point}) for name in (form, base))
                cells.append(shown(ratio) if (ratio := paired(a, b).ratio) else "-")
            rows.append((variation.assumption, str(point), f"{PROTOCOLS[form]} over {PROTOCOLS[base]}", *cells))
    return rows


def _random(grid: Grid) -> ReportTable:
    rows = []
    for point in grid.values("mobile_nodes"):
        for name in grid.values("transport"):
            found = values(grid, of.throughput, transport=name, mobile_nodes=point)
            rows.append((str(point), PROTOCOLS[name], shown(mean_interval(found).scaled(1e-3))))
    note = "16 fixed nodes at random positions of the square kilometer. Means with 95 % intervals."
    header = ("mobile nodes", "transport", "throughput (kb/s)")
    return ReportTable("Files in a mesh at random positions", header, tuple(rows), note, 2)


def _mobile(grid: Grid) -> ReportTable:
    rows = []
    for form in WINF:
        pairs = [winf_utility.classes(run) for run in grid.at(transport=form)]
        for which, label in enumerate(("TCP", PROTOCOLS[form])):
            rates = [mean(pair[which]) * 1e-3 for pair in pairs]
            rows.append((f"TCP and {PROTOCOLS[form]}", label, shown(mean_interval(rates))))
    note = "Two relays that move in 500 m x 500 m between sources and sinks at rest. Means with 95 % intervals."
    header = ("pair", "class", "all (kb/s)")
    return ReportTable("Two classes over relays that move (Figure 15)", header, tuple(rows), note, 2)


def _counted(grid: Grid, normalised: Grid | None) -> ReportTable:
    rows = []
    for point in grid.values("mobile_nodes"):
        base = values(grid, of.arrived, transport="rcp", mobile_nodes=point)
        rows.append((str(point), PROTOCOLS["rcp"], shown(mean_interval(base).scaled(1e-3)), "1"))
        for found, label in ((grid, ""), (normalised, ", normalised capacity")):
            if found is not None:
                form = values(found, of.arrived, transport="rcp_winf", mobile_nodes=point)
                over = shown(ratio) if (ratio := paired(form, base).ratio) else "-"
                mean = shown(mean_interval(form).scaled(1e-3))
                rows.append((str(point), f"{PROTOCOLS['rcp_winf']}{label}", mean, over))
    note = "Distinct packets in any order: the senders retransmit nothing. Means with 95 % intervals, ratios Fieller's."
    header = ("mobile nodes", "transport", "distinct packets (kb/s)", "over RCP")
    return ReportTable("Files in the mesh with RCP by count, as in the patch for ns-2", header, tuple(rows), note, 2)
