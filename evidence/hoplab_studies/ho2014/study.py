"""The study of 802.11n meshes of several radios (Ho, Lam, Chong, Liew 2014): TCP over up to eight hops.

The paper measured a testbed. Its abstract is the source of the claims; what it leaves open is an assumption each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from hoplab.figures import Figure
from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab_studies.ho2014 import scenarios as ground
from hoplab_studies.shared.drawing import curve
from hoplab_studies.shared.measures import at_least, at_most, in_range, ratio
from hoplab_studies.shared.numbers import goodput
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Grids, Margin, Shown, Study
from hoplab_studies.shared.verdict import Condition, shown

NO_BETTER = 1.05
"""802.11n counts as no better up to this ratio to 802.11a (H1)."""

INVERSE = (0.75, 1.25)
"""Goodput times delay over five hops, as a share of that over one; the way of acknowledgments is not in it (H3)."""

FULL = 0.75
"""Share of what datagrams achieve that parallel connections must achieve: the rest is for acknowledgments (H4)."""


def study(*, quick: bool = False) -> Study:
    """The whole study; if `quick`, with fewer hops and no other assumptions tried."""
    per_hop = "what a relay takes per packet (nothing) and the window (64 KB)"
    return Study(
        paper="ho2014",
        parts=ground.parts(quick=quick),
        figures=(
            Shown("hops", "Goodput against hops, a channel for each", "11a", also=("11n", "single"), draw=_several),
            Shown(
                "one-channel",
                "Goodput against hops of one channel",
                "one-11a",
                also=("one-11n", "one-single"),
                draw=_one,
            ),
        ),
        checks=(
            Check("H1", "11n", per_hop, _no_better, beside=("11a",), margins=(_better(),)),
            Check("H2", "11n", "the window (64 KB)", _falls),
            Check("H3", "11n", "the window (64 KB)", _inverse),
            Check("H4", "connections-8", "the window (64 KB)", _parallel, beside=("connections-1", "datagrams")),
            Check("H5", "windows", "windows of 64 and 521 KB", _larger_window),
        ),
        assumptions=ground.ASSUMPTIONS,
        tables=tables,
    )


def _better() -> Margin:
    """802.11n carries so much more that H1 does not hold."""
    return Margin({}, NO_BETTER, ("goodput_bps",), part="11n")


def goodputs(grid: Grid, to: int) -> list[float]:
    """Goodput to a node, by seed."""
    return [goodput(run) for run in grid.at(to=to)]


def flow_delay(run: Run) -> float:
    """Mean delay of data from the sender to the receiver, s."""
    return run.flows[0].delay_mean_s or math.nan


def ppdus(run: Run, hops: int) -> float:
    """Data PPDUs per segment and hop, those with acknowledgments of TCP among them."""
    # Frames are counted over the whole run, segments behind the warm-up.
    measured = 1.0 - ground.WARMUP_S / ground.DURATION_S
    return run.frames["data"] * measured / (hops * sum(flow.segments_sent for flow in run.flows))


def _no_better(of_n: Grid, of_a: Grid) -> list[Condition]:
    """H1: 802.11n over 802.11a, two to five hops."""
    ends = [ground.end_of(hops) for hops in ground.UP_TO_FIVE if ground.end_of(hops) in of_n.values("to")]
    return [
        at_most(f"802.11n / 802.11a at {(end + 1) // 2} hops", goodputs(of_n, end), goodputs(of_a, end), NO_BETTER)
        for end in ends
    ]


def _falls(grid: Grid) -> list[Condition]:
    """H2: five hops carry less than one, though each has a channel."""
    first, last = (goodputs(grid, ground.end_of(hops)) for hops in (1, 5))
    return [at_most("goodput at 5 hops / 1 hop", last, first, 1.0)]


def _inverse(grid: Grid) -> list[Condition]:
    """H3: the delay rises with the hops, and goodput falls as much."""
    first, last = (grid.at(to=ground.end_of(hops)) for hops in (1, 5))
    of_first, of_last = ([flow_delay(run) for run in runs] for runs in (first, last))
    shares = [
        goodput(after) * slow / (goodput(before) * fast)
        for before, after, fast, slow in zip(first, last, of_first, of_last, strict=True)
    ]
    product = "goodput x delay at 5 hops / 1 hop"
    return [
        at_least("delay at 5 hops / 1 hop", of_last, of_first, 1.0),
        in_range(product, mean_interval(shares), INVERSE).denied_by_interval(),
    ]


def _parallel(eight: Grid, one: Grid, datagrams: Grid) -> list[Condition]:
    """H4: eight connections carry more than one, and most of what datagrams do."""
    end = ground.end_of(5)
    several, single, most = (goodputs(grid, end) for grid in (eight, one, datagrams))
    return [
        at_least("8 connections / 1 at 5 hops", several, single, 1.0),
        at_least("8 connections / datagrams at 5 hops", several, most, FULL),
    ]


def _larger_window(grid: Grid) -> list[Condition]:
    """H5: a larger window carries more."""
    of = {window: [goodput(run) for run in grid.at(window=window)] for window in grid.values("window")}
    what = f"window of {ground.LARGE_WINDOW} / {ground.WINDOW} segments at 5 hops"
    return [at_least(what, of[ground.LARGE_WINDOW], of[ground.WINDOW], 1.0)]


def _several(*grids: Grid) -> Sequence[Figure]:
    return [_figure("hops", "Goodput against hops, a channel for each hop", grids, lambda end: (end + 1) // 2)]


def _one(*grids: Grid) -> Sequence[Figure]:
    return [_figure("one-channel", "Goodput against hops of one channel", grids, int)]


def _figure(name: str, title: str, grids: Sequence[Grid], hops: Callable[[int], int]) -> Figure:
    curves = []
    for slot, (label, grid) in enumerate(zip(ground.LABELS.values(), grids, strict=True)):
        ends = grid.values("to")
        carried = [goodputs(grid, end) for end in ends]
        curves.append(curve(label, [hops(end) for end in ends], carried, 1e-6, slot=slot))
    caption = f"Mean and 95 % Student-t interval of {curves[0].n} runs."
    return Figure(name, title, "hops", "goodput (Mb/s)", tuple(curves), caption, integer_x=True)


def tables(grids: Grids) -> list[ReportTable]:
    """Goodput and PPDUs by hops, connections, windows and rate controls."""
    found = []
    for title, prefix in (("A channel for each hop", ""), ("One channel", "one-")):
        if all((f"{prefix}{mode}", DEFAULT) in grids for mode in ground.MODES):
            of = {mode: grids[f"{prefix}{mode}", DEFAULT] for mode in ground.MODES}
            found.append(_by_hops(title, of, several=not prefix))
    found += [
        _ratios(one.assumption, grids["11n", one.name], grids["11a", one.name])
        for one in (ground.RELAY, ground.SMALL, ground.BOTH)
        if ("11a", one.name) in grids and ("11n", one.name) in grids
    ]
    rows = [
        (name, shown(mean_interval([1e-6 * goodput(run) for run in runs])))
        for (part, series), grid in grids.items()
        if series == DEFAULT and part.startswith(("connections", "windows", "datagrams", "adaptive"))
        for setting, runs in grid.points.items()
        for name in [f"{part}, {', '.join(f'{key} = {value}' for key, value in setting)}"]
    ]
    if rows:
        found.append(
            ReportTable("Five hops and other settings", ("part", "goodput, Mb/s"), tuple(rows), "95 % intervals.")
        )
    return found


def _by_hops(title: str, of: Mapping[str, Grid], *, several: bool) -> ReportTable:
    rows = []
    for end in of["11a"].values("to"):
        hops = (end + 1) // 2 if several else end
        cells = [shown(mean_interval([1e-6 * goodput(run) for run in grid.at(to=end)])) for grid in of.values()]
        shares = [shown(mean_interval([ppdus(run, hops) for run in grid.at(to=end)])) for grid in of.values()]
        rows.append((str(hops), *cells, *shares))
    header = (
        "hops",
        *(f"{label}, Mb/s" for label in ground.LABELS.values()),
        *(f"{label}, PPDUs" for label in ground.LABELS.values()),
    )
    note = "PPDUs: data frames, with acknowledgments of TCP, per segment and hop. 95 % intervals."
    return ReportTable(title, header, tuple(rows), note)


def _ratios(title: str, of_n: Grid, of_a: Grid) -> ReportTable:
    rows = [
        (
            str((end + 1) // 2),
            shown(mean_interval([1e-6 * x for x in a])),
            shown(mean_interval([1e-6 * x for x in n])),
            shown(ratio(n, a)),
        )
        for end in of_n.values("to")
        for a, n in [(goodputs(of_a, end), goodputs(of_n, end))]
    ]
    return ReportTable(
        f"With {title}", ("hops", "802.11a, Mb/s", "802.11n, Mb/s", "ratio"), tuple(rows), "95 % intervals."
    )
