"""Figures 4 and 5 where routes cross: how often the second connection stands still until the first has ended.

The paper's two connections share a region along their routes, and its second starts slightly later. A cross is the
plainest network in which they do; lengths and times are not stated, so that several are run. One run in which a
connection stands still is an anecdote: what is judged is in how many it does.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab_studies.shared.measures import at_most, margin, more_than
from hoplab_studies.shared.study import Grid, Grids, Part
from hoplab_studies.shared.verdict import Condition, shown
from hoplab_studies.split_tcp import measures as of
from hoplab_studies.split_tcp import scenarios as ground
from hoplab_studies.split_tcp.scenarios import SPLIT

CROSS = "cross"
HOPS = (6, 8, 10)
LATER_S = (2, 10)
"""How much later the second connection starts."""

FIRST_S = 1
INTERVAL_S = 1.0
STANDSTILL = 0.15
"""At most this share of what the first receives meanwhile."""

HALF = 0.5
"""Under Split TCP the second stands still at most this often, of plain TCP's."""

ALL_BITS = ground.FIRST_PACKETS * of.SEGMENT_BITS


def part(transports: tuple[str, ...]) -> Part:
    """Crossing routes of several lengths, and two starts of the second connection."""
    starts = tuple(f"{FIRST_S + later} s" for later in LATER_S)
    axes = {"topology.hops": HOPS, "flow.1.start": starts, "flow.transport": transports}
    return Part(CROSS, ground.crossing(INTERVAL_S), axes, (ground.NEWER,))


def received(run: Run) -> tuple[float, float]:
    """Bits of both connections from the second's start until the first has all, or the run ends."""
    first, second = run.goodput_series_bps
    begin = math.ceil(run.flows[1].start_s / INTERVAL_S)
    sums = itertools.accumulate(rate * INTERVAL_S for rate in first)
    end = next((i for i, bits in enumerate(sums) if bits >= ALL_BITS - 0.5), len(first))
    return tuple(math.fsum(one[begin:end]) * INTERVAL_S for one in (first, second))  # type: ignore[return-value]


def stands_still(run: Run) -> bool:
    """Whether the second connection receives next to nothing while the first does."""
    first, second = received(run)
    return first > 0.0 and second <= STANDSTILL * first


def frequency(grid: Grid, transport: str) -> list[float]:
    """Share of a seed's runs, over all lengths and starts, in which the second connection stands still."""
    settings = itertools.product(grid.values("hops"), grid.values("start"))
    each = [[float(stands_still(r)) for r in grid.at(hops=h, start=s, transport=transport)] for h, s in settings]
    return of.merged(each, fmean)


def relieved(grid: Grid) -> list[Condition]:
    """F45-1: the second stands still less often under Split TCP, at most half as often."""
    plain, split = frequency(grid, of.plain_of(grid)), frequency(grid, SPLIT)
    what = "share of runs in which the second connection stands still"
    return [
        more_than(f"{what}, plain TCP less Split TCP", margin(plain, split, 1.0), 0.0),
        at_most(f"{what}, Split TCP over plain TCP", split, plain, HALF),
    ]


def table(series: Mapping[str, Grid]) -> ReportTable:
    """Standstill by length, start and protocol; the raw counts of the condition."""
    rows = []
    for name, grid in series.items():
        for transport in grid.values("transport"):
            for hops, start in itertools.product(grid.values("hops"), grid.values("start")):
                runs = grid.at(hops=hops, start=start, transport=transport)
                pairs = [received(run) for run in runs]
                shares = [b / (a + b) for a, b in pairs if a + b > 0.0]
                still = sum(map(stands_still, runs))
                first = sum(b > 0.0 and a <= STANDSTILL * b for a, b in pairs)
                counts = (f"{still} of {len(runs)}", f"{first} of {len(runs)}")
                rows.append((name, transport, str(hops), start, *counts, _share(shares)))
            whole = mean_interval(frequency(grid, transport))
            rows.append((name, transport, "all", "all", shown(whole), "", ""))
    header = ("series", "protocol", "hops", "second starts", "second stands still", "first does", "share of second")
    note = (
        f"Until the first connection has its {ground.FIRST_PACKETS} packets; a connection stands still with at most "
        f"{STANDSTILL:.0%} of what the other receives. 95 % Student-t intervals over seeds."
    )
    return ReportTable("Routes that cross", header, tuple(rows), note, left=2)


def tables(grids: Grids) -> Sequence[ReportTable]:
    """The table, if the part was run."""
    series = {name: grid for (of_part, name), grid in grids.items() if of_part == CROSS}
    return [table(series)] if series else []


def _share(shares: Sequence[float]) -> str:
    return shown(mean_interval(shares)) if shares else "none arrived"
