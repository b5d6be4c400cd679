"""The claims of the Semi-TCP paper as conditions: path lengths, flows together, datagrams, and the gain in sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hoplab.running.runs import Runs
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp.claims import AP, BOTH, MORE, NEW_RENO, SEMI, USUAL, label, largest, over
from hoplab_studies.semi_tcp.measures import curve, points
from hoplab_studies.shared.measures import at_least, at_most, rank_correlation
from hoplab_studies.shared.numbers import Measure, relayed_waiting
from hoplab_studies.shared.resampling import (
    Rows,
    condition,
    greatest_ratio,
    least_ratio,
    ratio_of_sums,
    share_above,
)
from hoplab_studies.shared.study import Grid
from hoplab_studies.shared.verdict import Condition


def _paths(grid: Grid, measure: Measure, name: str, kinds: Sequence[str], first: float = 1.0) -> Rows:
    return [
        row
        for kind in kinds
        for row in curve(grid, measure, "hops", only=lambda n: n >= first, kind=kind, transport=name)
    ]


def above_on_long_paths(measure: Measure, grid: Grid) -> list[Condition]:
    """F10-1: above TCP-AP at 70 % of the points from 3 hops on."""
    semi, ap = (_paths(grid, measure, name, ground.KINDS, 3) for name in BOTH)
    return [
        condition(
            "share of points with Semi-TCP above, 3 hops on", share_above, semi, ap, among=(0.7, 1.0), trend=(0.5, 1.0)
        )
    ]


def gain_in_the_cross(measure: Measure, grid: Grid) -> list[Condition]:
    """F10-2: up to 65 %."""
    semi, ap = (_paths(grid, measure, name, ("cross",)) for name in BOTH)
    return [largest("largest gain in the cross", semi, ap, (1.45, 1.85))]


def falls_steeply(measure: Measure, grid: Grid) -> list[Condition]:
    """F10-3: at 4 hops at most 0.4 of one hop."""
    found = []
    for kind in ground.KINDS:
        for name in BOTH:
            one, four = ([measure(run) or 0.0 for run in grid.at(kind=kind, hops=h, transport=name)] for h in (1, 4))
            found.append(at_most(f"4 hops over 1, {label(name)}, {kind}", four, one, 0.4))
    return found


def stable_in_parallel(measure: Measure, grid: Grid) -> list[Condition]:
    """F10-4: Semi-TCP's maximum over minimum from 4 hops on; TCP-AP continues to fall."""
    semi = _paths(grid, measure, SEMI, ("parallel",), 4)
    ap = [[measure(run) or 0.0 for run in grid.at(kind="parallel", hops=h, transport=AP)] for h in (10, 4)]
    return [
        condition(
            "Semi-TCP, greatest over least, 4 to 10 hops", lambda v: max(v) / min(v), semi, among=(-math.inf, 1.4)
        ),
        at_most("TCP-AP, 10 hops over 4", ap[0], ap[1], 1.0),
    ]


def lower_than_parallel(measure: Measure, grid: Grid, _: Grid) -> list[Condition]:
    """F10-5: spindle and cross below parallel from 3 hops on."""

    def parallel(name: str, hops: float) -> Runs:
        return grid.at(kind="parallel", hops=hops, transport=name)

    return _below(measure, grid, parallel, points(grid, "hops", only=lambda n: n >= 3))


def lower_than_rows_apart(measure: Measure, grid: Grid, rows: Grid) -> list[Condition]:
    """F10-5 with rows out of carrier-sense range of each other."""

    def parallel(name: str, hops: float) -> Runs:
        return rows.at(row_spacing=ground.ROWS[-1], hops=hops, transport=name)

    return _below(measure, grid, parallel, points(rows, "hops"))


def _below(
    measure: Measure, grid: Grid, parallel: Callable[[str, float], Runs], hops: Sequence[float]
) -> list[Condition]:
    found = []
    for kind in ("spindle", "cross"):
        for name in BOTH:
            for h in hops:
                ours = [measure(run) or 0.0 for run in grid.at(kind=kind, hops=h, transport=name)]
                theirs = [measure(run) or 0.0 for run in parallel(name, h)]
                found.append(at_most(f"{kind} over parallel, {label(name)}, {h:g} hops", ours, theirs, 1.0))
    return found


def delay_rises(measure: Measure, grid: Grid) -> list[Condition]:
    """F11-1: rank correlation of delay with hops."""
    x = points(grid, "hops")
    return [
        condition(
            f"rank correlation of delay with hops, {label(name)}, {kind}",
            lambda values: rank_correlation(x, values),
            _paths(grid, measure, name, (kind,)),
            among=(0.9, 1.0),
            trend=(0.0, 1.0),
        )
        for kind in ground.KINDS
        for name in BOTH
    ]


def longer_delay_on_paths(measure: Measure, grid: Grid) -> list[Condition]:
    """F11-2: above TCP-AP's at 80 % of the points."""
    semi, ap = (_paths(grid, measure, name, ground.KINDS) for name in BOTH)
    return [
        condition(
            "share of points with Semi-TCP's delay above", share_above, semi, ap, among=(0.8, 1.0), trend=(0.5, 1.0)
        )
    ]


def grows_with_flows(measure: Measure, grid: Grid) -> list[Condition]:
    """F12-1: the ratio rises with the number of connections, to about 2.6."""
    semi, ap = (curve(grid, measure, "connections", transport=name) for name in BOTH)
    return [
        _trend("ratio of throughput against connections", grid, semi, ap, rises=True),
        largest("largest ratio of throughput", semi, ap, (1.8, 3.4)),
    ]


COSTS: tuple[tuple[str, Measure], ...] = (
    ("delay", of.delay),
    ("path length", of.path),
    ("dropping ratio", of.dropping),
)


def others_grow_with_flows(grid: Grid) -> list[Condition]:
    """F12-2: delay, path length and dropping ratio likewise, by direction."""
    return [
        _trend(f"ratio of {what} against connections", grid, *_both(grid, measure), rises=True)
        for what, measure in COSTS
    ]


def others_fall_with_flows(grid: Grid) -> list[Condition]:
    """F12-2, where "similar" refers to the lead: delay, path length and drops are costs, and so fall."""
    return [
        _trend(f"ratio of {what} against connections", grid, *_both(grid, measure), rises=False)
        for what, measure in COSTS
    ]


def _both(grid: Grid, measure: Measure) -> tuple[Rows, Rows]:
    semi, ap = (curve(grid, measure, "connections", transport=name) for name in BOTH)
    return semi, ap


def falls_with_datagrams(measure: Measure, grid: Grid) -> list[Condition]:
    """F12-3: the ratio of TCP falls with datagram flows, and stays above 1."""
    semi, ap = (curve(grid, measure, "connections", transport=name) for name in BOTH)
    return [
        _trend("ratio of TCP throughput against datagram flows", grid, semi, ap, rises=False),
        condition("least ratio of TCP throughput", least_ratio, semi, ap, among=MORE),
    ]


def datagrams_fare_better(grid: Grid) -> list[Condition]:
    """F12-4: datagrams have less goodput with Semi-TCP than with TCP-AP."""
    semi, ap = (curve(grid, of.datagram_rate, "connections", transport=name) for name in BOTH)
    return [condition("largest ratio of datagrams' throughput", greatest_ratio, semi, ap, among=(0.0, 1.0))]


def datagrams_recover(grid: Grid) -> list[Condition]:
    """F12-5: that ratio rises with their number."""
    semi, ap = (curve(grid, of.datagram_rate, "connections", transport=name) for name in BOTH)
    return [_trend("ratio of datagrams' throughput against their flows", grid, semi, ap, rises=True)]


def _trend(what: str, grid: Grid, a: Rows, b: Rows, *, rises: bool) -> Condition:
    x = points(grid, "connections")

    def correlation(first: Sequence[float], second: Sequence[float]) -> float:
        both = [(n, p / q) for n, p, q in zip(x, first, second, strict=True) if q > 0.0 and math.isfinite(p)]
        return rank_correlation([n for n, _ in both], [value for _, value in both])

    among = (1e-9, 1.0) if rises else (-1.0, -1e-9)
    limit = "> 0" if rises else "< 0"
    return condition(f"rank correlation of the {what}", correlation, a, b, among=among, limit=limit)


def large_gain(measure: Measure, *grids: Grid) -> list[Condition]:
    """A1: at least 10 % over TCP-AP with 9 attempts: chain, parallel, S1, and paths from 3 hops on."""
    chain, parallel, first, paths = grids
    found = []
    for panel, grid in (("chain", chain), ("parallel", parallel), ("S1", first)):
        semi, ap = ([measure(run) or 0.0 for run in grid.at(ssrl=USUAL, transport=name)] for name in BOTH)
        found.append(over(f"Semi-TCP over TCP-AP, {panel}", semi, ap, 1.1))
    semi_rows, ap_rows = (_paths(paths, measure, name, ground.KINDS, 3) for name in BOTH)
    what = "Semi-TCP over TCP-AP, sum over two-flow paths from 3 hops on"
    return [*found, condition(what, ratio_of_sums, semi_rows, ap_rows, among=(1.1, math.inf), trend=MORE)]


def ap_beats_new_reno(measure: Measure, *grids: Grid) -> list[Condition]:
    """A2: TCP-AP at least as much as NewReno on chains of 4 to 19 hops, and on two-flow paths from 4 hops on."""
    long, chain, paths = grids
    found = []
    for h in points(long, "hops"):
        ap, reno = ([measure(run) or 0.0 for run in long.at(hops=h, transport=name)] for name in (AP, NEW_RENO))
        found.append(at_least(f"TCP-AP over NewReno, chain of {h:g} hops", ap, reno, 1.0))
    ap, reno = ([measure(run) or 0.0 for run in chain.at(ssrl=USUAL, transport=name)] for name in (AP, NEW_RENO))
    found.append(at_least("TCP-AP over NewReno, chain of 7 hops, SSRL 9", ap, reno, 1.0))
    for kind in ground.KINDS:
        rows = [_paths(paths, measure, name, (kind,), 4) for name in (AP, NEW_RENO)]
        what = f"TCP-AP over NewReno, sum over 4 hops and more, {kind}"
        found.append(condition(what, ratio_of_sums, rows[0], rows[1], among=MORE))
    return found


def loads_the_mac(*grids: Grid, per: Measure = of.frames_per_segment) -> list[Condition]:
    """A4: more frames per segment, longer queues at relays, longer delay than TCP-AP, with 9 attempts."""
    chain, paths = grids
    places: list[tuple[str, Grid, dict[str, object]]] = [("chain", chain, {"ssrl": USUAL})]
    places += [(kind, paths, {"kind": kind, "hops": 7}) for kind in ground.KINDS]
    found = []
    for what, measure in (("frames per segment", per), *LOADS):
        for panel, grid, at in places:
            semi, ap = ([list(map(measure, grid.at(**at, transport=name)))] for name in BOTH)
            found.append(condition(f"{what}, Semi-TCP over TCP-AP, {panel}", ratio_of_sums, semi, ap, among=MORE))
    return found


LOADS: tuple[tuple[str, Measure], ...] = (
    ("packets waiting at relays", relayed_waiting),
    ("delay", of.delay),
)
