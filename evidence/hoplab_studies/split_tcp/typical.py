"""Figure 3 in a mobile network: the run is chosen by a rule from the geometry alone, before any packet is sent.

The rule: of the seeds in order, the first in whose network of three connections one with a shortest path of four hops
or more, so that it has a proxy, loses every path for 5 to 15 s and has one again. Two nodes are linked within 250 m.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hoplab.figures import Figure
from hoplab.figures.model import Curve
from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import movements
from hoplab_studies.shared.study import DEFAULT, Grid, Grids, Part
from hoplab_studies.split_tcp import measures as of
from hoplab_studies.split_tcp import scenarios as ground

if TYPE_CHECKING:
    import numpy as np

TYPICAL = "typical"
CONNECTIONS = 3
INTERVAL_S = 1
BEGIN_S = 10
"""Outages before this are left out: connections have hardly begun."""

LINK_M = 250.0
MIN_HOPS = 4
LENGTH_S = (5, 15)


@dataclass(frozen=True, slots=True)
class Outage:
    """A time without any path between the ends of a connection: whole seconds, and hops of the last path before."""

    flow: int
    begin_s: int
    end_s: int
    hops: int


def part(transports: tuple[str, ...]) -> Part:
    """Three connections among mobile nodes, with what arrives second by second."""
    scenario = ground.mobile(CONNECTIONS).with_(goodput_interval=f"{INTERVAL_S} s")
    return Part(TYPICAL, scenario, {"flow.transport": transports})


def outages(scenario: Scenario, seed: int) -> list[Outage]:
    """The outages of a network that fit the rule, in order of time."""
    resolved = scenario.resolve().data
    ends = tuple((int(flow["from"]), int(flow["to"])) for flow in resolved["flows"])
    return [
        found
        for found in _outages(scenario.text, tuple(scenario.overrides), ends, int(resolved["duration_s"]), seed)
        if found.hops >= MIN_HOPS and LENGTH_S[0] <= found.end_s - found.begin_s <= LENGTH_S[1]
    ]


@cache
def _outages(
    text: str, overrides: tuple[Any, ...], ends: tuple[tuple[int, int], ...], duration_s: int, seed: int
) -> list[Outage]:
    """All outages between two paths, second by second."""
    import numpy as np

    ways = movements(Scenario(text=text, overrides=overrides), seed=seed)
    times = range(BEGIN_S, duration_s)
    links = []
    for time in times:
        places = np.array([way.position(float(time)) for way in ways])
        apart = ((places[:, None] - places[None]) ** 2).sum(axis=-1)
        links.append([np.flatnonzero(row) for row in apart <= LINK_M**2])
    found = []
    for flow, (src, dst) in enumerate(ends):
        hops = [_hops(neighbors, src, dst) for neighbors in links]
        whole = [i for i, count in enumerate(hops) if count is not None]
        for before, after in itertools.pairwise(whole):
            if after > before + 1:
                found.append(Outage(flow, times[before + 1], times[after], hops[before] or 0))
    return sorted(found, key=lambda one: one.begin_s)


def _hops(neighbors: Sequence[np.ndarray[Any, Any]], src: int, dst: int) -> int | None:
    """Links of the shortest path; None without one."""
    reached, queue = {src: 0}, deque([src])
    while queue:
        node = queue.popleft()
        if node == dst:
            return reached[node]
        for other in map(int, neighbors[node]):
            if other not in reached:
                reached[other] = reached[node] + 1
                queue.append(other)
    return None


def chosen(grid: Grid) -> list[tuple[int, Outage]]:
    """The seeds that fit the rule, in order, each with its first outage."""
    runs = grid.at(transport=of.plain_of(grid))
    found = ((run.seed, outages(runs.scenario, run.seed)) for run in runs)
    return [(seed, fitting[0]) for seed, fitting in found if fitting]


def packets(run: Run, flow: int | None = None) -> list[float]:
    """Packets received in order since the start, second by second, of one connection or of all."""
    rates = run.goodput_series_bps if flow is None else [run.goodput_series_bps[flow]]
    each = (math.fsum(now) * INTERVAL_S / of.SEGMENT_BITS for now in zip(*rates, strict=True))
    return [0.0, *itertools.accumulate(each)]


def between(run: Run, begin_s: int, end_s: int, flow: int | None = None) -> float:
    """Packets received in order between two times."""
    counts = packets(run, flow)
    return counts[min(end_s, len(counts) - 1)] - counts[begin_s]


def drawn(grid: Grid, labels: Mapping[str, str]) -> list[Figure]:
    """Packets received in the chosen run, of all connections and of the one that is cut; none if no seed fits."""
    fitting = chosen(grid)
    if not fitting:
        return []
    seed, outage = fitting[0]
    found = []
    for name, of_what, flow in (("total", "of all connections", None), ("cut", "of the one cut off", outage.flow)):
        curves = []
        for slot, transport in enumerate(grid.values("transport")):
            run = next(one for one in grid.at(transport=transport) if one.seed == seed)
            counts = packets(run, flow)
            times = [float(i * INTERVAL_S) for i in range(len(counts))]
            curves.append(Curve(labels[transport], times, counts, style="step", slot=slot))
        caption = (
            f"One run, seed {seed}: the first whose network of three connections has one of four hops or more that "
            f"loses every path for 5 to 15 s, here connection {outage.flow + 1} from {outage.begin_s} s to "
            f"{outage.end_s} s."
        )
        title = f"Packets received in a mobile network, {of_what}"
        found.append(Figure(f"typical-{name}", title, "time (s)", "packets in order", tuple(curves), caption))
    return found


def tables(grids: Grids, labels: Mapping[str, str]) -> list[ReportTable]:
    """What was received in the outages of all seeds that fit the rule."""
    grid = grids.get((TYPICAL, DEFAULT))
    if grid is None:
        return []
    rows = []
    for seed, outage in chosen(grid):
        span_s = outage.end_s - outage.begin_s
        for transport in grid.values("transport"):
            run = next(one for one in grid.at(transport=transport) if one.seed == seed)
            begins = (max(outage.begin_s - span_s, 0), outage.begin_s)
            cells = [
                f"{between(run, begin_s, begin_s + span_s, flow):.0f}"
                for flow in (outage.flow, None)
                for begin_s in begins
            ]
            where = f"{outage.begin_s} to {outage.end_s} s"
            rows.append((str(seed), labels[transport], str(outage.flow + 1), str(outage.hops), where, *cells))
    header = ("seed", "protocol", "connection", "hops before", "no path",
              "packets before", "in the outage", "all, before", "all, in the outage")  # fmt: skip
    seeds = len(grid.at(transport=of.plain_of(grid)))
    note = f"Single runs; of {seeds} seeds {len(chosen(grid))} fit the rule. Before: as long as the outage, just ahead."
    return [ReportTable("Outages in mobile networks", header, tuple(rows), note, left=2)]
