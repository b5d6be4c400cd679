"""Claims of the rt-Winf paper without a figure: queues with and without the minimum role, settling time of rates.

A flow joins a mesh that carries others, and a mesh node fails and comes back. How soon a transport has settled is
when its rate over a few seconds first lies within 10 % of what it is later, up to the next change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import Interval, mean_interval
from hoplab_studies.shared.drawing import cell, seeds_of
from hoplab_studies.shared.numbers import mean, relayed_waiting, values
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Grids, Part
from hoplab_studies.shared.verdict import Condition, shown
from hoplab_studies.winf import measures as of
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf.measures import above, median, progress
from hoplab_studies.winf.scenarios import JOIN_S, PROTOCOLS, WINF, WIRELESS

LEAST, JOIN, FAILURE, CARRIED = "least_role", "join", "failure", "mesh_udp"
AIRBORNE = (*WINF, *WIRELESS)
"""The transports that the claim compares."""

OVER_S = 5
"""Time over which a rate is taken, s."""

WITHIN = 0.10
"""Tolerance of the claim: distance from the later rate that counts as settled."""

SHORTER = 1.05
"""A queue is shorter if the other is this many times as long."""

CARRIERS = ("none", "xcp", "rcp")


def parts(seconds: float, *, quick: bool) -> list[Part]:
    """The mesh with and without the least role; a flow that joins; a node that fails; datagrams under routers."""
    mesh = ground.mesh(ground.FTP, duration_s=seconds)
    mobile_nodes = 10 if quick else 20
    return [
        Part(LEAST, mesh, {"traffic.transport": WINF, "winf.least_role": (True, False)}),
        Part(JOIN, ground.joined(duration_s=seconds), {"traffic.transport,flow.0.transport": AIRBORNE}),
        Part(
            FAILURE,
            ground.building("64 kb/s", mobile_nodes=mobile_nodes, duration_s=seconds).with_(goodput_interval="1 s"),
            {"traffic.transport": AIRBORNE},
        ),
        Part(CARRIED, ground.carried(duration_s=seconds), {ground.CARRIED_KEYS: CARRIERS}),
    ]


def checks(seconds: float) -> list[Check]:
    """W-C3, and W-C6 after each kind of change."""
    third = seconds / 3.0

    def joined(grid: Grid) -> list[Condition]:
        return _sooner(grid, "a flow has joined", lambda run: settled(newcomer(run), JOIN_S, seconds))

    def failed(grid: Grid) -> list[Condition]:
        return _sooner(grid, "a mesh node has failed", lambda run: settled(total(run), third, 2.0 * third))

    def back(grid: Grid) -> list[Condition]:
        return _sooner(grid, "it is back", lambda run: settled(total(run), 2.0 * third, 0.9 * seconds))

    return [
        Check("W-C3", LEAST, "windows of capacity of 1 s, short packets left out", shorter_queues),
        Check("W-C6", JOIN, "rates over 5 s; mobile nodes change the network all the time", joined),
        Check("W-C6", FAILURE, "64 kb/s per flow, which the network carries before and after", failed),
        Check("W-C6", FAILURE, "64 kb/s per flow, which the network carries before and after", back),
    ]


def shorter_queues(grid: Grid) -> list[Condition]:
    """W-C3: relayed packets that wait without the least role, over those with it."""
    return [
        above(
            f"relayed packets waiting without the least role over with it, {PROTOCOLS[form]}",
            [
                (
                    values(grid, relayed_waiting, transport=form, least_role=False),
                    values(grid, relayed_waiting, transport=form, least_role=True),
                )
            ],
            factor=SHORTER,
        )
        for form in WINF
    ]


def newcomer(run: Run) -> list[float]:
    """Rate per second of the flow that joins, bit/s."""
    return progress(run)[0]


def total(run: Run) -> list[float]:
    """Rate per second of all flows together, bit/s."""
    return [math.fsum(each) for each in zip(*progress(run), strict=True)]


def settled(rates: Sequence[float], change_s: float, end_s: float) -> float:
    """Seconds from the change to the first `OVER_S` whose mean is within 10 % of that of the second half of the time.

    The whole time if that never happens, or without later goodput.
    """
    first, last = round(change_s), min(round(end_s), len(rates))
    later = rates[(first + last) // 2 : last]
    goal = math.fsum(later) / len(later) if later else 0.0
    if goal <= 0.0:
        return float(last - first)
    for at in range(first, last - OVER_S + 1):
        now = math.fsum(rates[at : at + OVER_S]) / OVER_S
        if abs(now - goal) <= WITHIN * goal:
            return float(at + OVER_S - first)
    return float(last - first)


def _sooner(grid: Grid, after: str, time_of: of.Measure) -> list[Condition]:
    """W-C6: each Winf form before XCP-b and TCP-AP, by the median over seeds of the paired difference."""
    times = {name: [time_of(run) for run in grid.at(transport=name)] for name in AIRBORNE}
    found = []
    for form in WINF:
        for other in WIRELESS:
            gap = median([b - a for a, b in zip(times[form], times[other], strict=True)])
            what = f"seconds that {PROTOCOLS[other]} takes longer than {PROTOCOLS[form]} when {after}, median"
            found.append(Condition(what, gap, "> 0", (_strictly(gap),), gap, band=(0.0, math.inf)))
    return found


def _strictly(gap: Interval) -> Interval:
    """Half a second of room: times are whole seconds, and a median of 0 is no lead."""
    low, high = (None if end is None else end - 0.5 for end in (gap.low, gap.high))
    return Interval(gap.mean - 0.5, gap.half_width, low, high, gap.n, gap.method)


def tables(grids: Grids) -> list[ReportTable]:
    """Queues, times to settle, and datagrams under routers."""
    found = []
    if (LEAST, DEFAULT) in grids:
        found.append(_queues(grids[LEAST, DEFAULT]))
    if (JOIN, DEFAULT) in grids:
        found.append(_times(grids[JOIN, DEFAULT], "of a flow that joins", newcomer, JOIN_S))
    if (FAILURE, DEFAULT) in grids:
        found.append(_times(grids[FAILURE, DEFAULT], "of all flows after a mesh node fails", total, None))
    if (CARRIED, DEFAULT) in grids:
        found.append(_datagrams(grids[CARRIED, DEFAULT]))
    return found


def _queues(grid: Grid) -> ReportTable:
    rows = []
    for form in WINF:
        for least in (True, False):
            cells = [
                shown(mean_interval(values(grid, measure, transport=form, least_role=least)).scaled(scale))
                for measure, scale in ((relayed_waiting, 1.0), (of.throughput, 1e-3))
            ]
            rows.append((PROTOCOLS[form], "the least role" if least else "all together", *cells))
    note = f"The mesh with 5 mobile nodes and files. Means with 95 % intervals, n = {seeds_of(grid)}."
    header = ("transport", "capacity of", "relayed packets waiting", "throughput (kb/s)")
    return ReportTable("Capacity of the least role, and queues", header, tuple(rows), note)


def _times(grid: Grid, whose: str, rates: object, change_s: float | None) -> ReportTable:
    assert callable(rates)
    rows = []
    for name in AIRBORNE:
        runs = grid.at(transport=name)
        at = change_s if change_s is not None else runs[0].sim_s / 3.0
        end = runs[0].sim_s if change_s is not None else 2.0 * at
        times = median([settled(rates(run), at, end) for run in runs])
        later = mean([mean(rates(run)[round((at + end) / 2.0) : round(end)]) for run in runs])
        rows.append((PROTOCOLS[name], shown(times), f"{later * 1e-3:.3g}"))
    note = f"Median over seeds with an interval of order statistics, n = {seeds_of(grid)}; rates over {OVER_S} s."
    return ReportTable(f"Time to settle {whose}", ("transport", "s", "later rate (kb/s)"), tuple(rows), note)


def _datagrams(grid: Grid) -> ReportTable:
    rows = []
    for carrier in CARRIERS:
        runs = grid.at(feedback_router=carrier)
        cells = [cell(map(measure, runs), scale) for measure, scale in ((of.throughput, 1e-3), (of.delay, 1.0))]
        rows.append(("no routers" if carrier == "none" else f"{PROTOCOLS[carrier]}'s", *cells))
    note = f"64 kb/s of each of 5 mobile nodes as plain UDP datagrams, n = {seeds_of(grid)}: senders ignore feedback."
    header = ("routers", "throughput (kb/s)", "delay (s)")
    return ReportTable("Datagrams through queues of XCP and RCP", header, tuple(rows), note)
