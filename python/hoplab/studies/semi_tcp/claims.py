"""The claims of the Semi-TCP paper as conditions: retries, thresholds, path lengths, and flows together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hoplab.running.runs import Runs
from hoplab.stats import mean_interval
from hoplab.studies.semi_tcp import measures as of
from hoplab.studies.semi_tcp import scenarios as ground
from hoplab.studies.semi_tcp.measures import Measure, curve, points
from hoplab.studies.shared.measures import at_least, at_most, margin, rank_correlation
from hoplab.studies.shared.resampling import (
    Rows,
    condition,
    estimate,
    greatest_ratio,
    highest,
    inside,
    least_ratio,
    none_above,
    onset,
    ratio_of_sums,
    share_above,
    slope,
)
from hoplab.studies.shared.study import Grid
from hoplab.studies.shared.verdict import Condition

SEMI, AP, NEW_RENO = "semi_tcp", "tcp_ap", "new_reno"
BOTH = (SEMI, AP)
USUAL = ground.USUAL_RETRIES
BEST = (7.0, 11.0)
"""Where SSRL is best, 9 and two more or less."""

PLATEAU = 0.97
"""Share of its highest value from which a curve counts as level."""

LEVEL_FROM = 12.0
GAIN = (1.25, 1.55)
MOBILE_GAIN = (1.8, 2.6)
LOSSLESS = 0.01
ANY = (-math.inf, math.inf)
MORE = (1.0, math.inf)


def label(name: str) -> str:
    """A transport as the paper calls it."""
    return ground.TRANSPORTS[name]


# ---- retries: Figures 7 to 9 ----------------------------------------------------------------------------------------


def rises_to_nine(measure: Measure, *grids: Grid) -> list[Condition]:
    """F7-1: the maximum, or the beginning of the plateau, lies near 9."""
    found = []
    for panel, grid in zip(("chain", "parallel"), grids, strict=True):
        x = points(grid, "ssrl")
        for name in BOTH:
            rows = curve(grid, measure, "ssrl", transport=name)
            begins, best = estimate(onset(x, PLATEAU), rows), estimate(highest(x), rows)
            what = f"SSRL where {label(name)} reaches {100 * PLATEAU:g} % of its best, {panel} (best at {best.mean:g})"
            rise = margin(_row(rows, x, USUAL), _row(rows, x, x[0]), 1.0)
            found.append(
                Condition(what, begins, "7 to 11, or the best there", (inside(begins, BEST), inside(best, BEST)), rise)
            )
    return found


def levels_off(measure: Measure, *grids: Grid) -> list[Condition]:
    """F7-2: no rise from SSRL 12 on."""
    found = []
    for panel, grid in zip(("chain", "parallel"), grids, strict=True):
        for name in BOTH:
            rows = curve(grid, measure, "ssrl", transport=name)
            rate = estimate(slope(points(grid, "ssrl"), LEVEL_FROM), rows).scaled(100.0)
            found.append(none_above(f"slope from SSRL 12 on, % per attempt, {label(name)}, {panel}", rate))
    return found


def above_between_4_and_14(measure: Measure, grid: Grid) -> list[Condition]:
    """F7-3: above TCP-AP from 4 to 14, by up to 40 %, and below outside; crossings 2 and 3 attempts either way."""
    x = points(grid, "ssrl")
    semi, ap = (curve(grid, measure, "ssrl", transport=name) for name in BOTH)
    inner = [value for value in x if 6.0 <= value <= 11.0]
    found = [
        _over(f"Semi-TCP over TCP-AP, SSRL {value:g}", _row(semi, x, value), _row(ap, x, value)) for value in inner
    ]
    for value in (x[0], x[-1]):
        what = f"Semi-TCP over TCP-AP, SSRL {value:g}"
        found.append(at_most(what, _row(semi, x, value), _row(ap, x, value), 1.0, trend=None))
    return [*found, condition("largest gain over TCP-AP", greatest_ratio, semi, ap, among=GAIN, trend=MORE)]


def few_retries_waste(grid: Grid) -> list[Condition]:
    """F7-4: the share of Psi that is not throughput, up to 4 attempts over that with 9."""
    x = points(grid, "ssrl")
    rows = curve(grid, of.wasted, "ssrl", transport=AP)
    few = [[value or 0.0 for value in row] for a, row in zip(x, rows, strict=True) if a <= 4.0]
    mean = [math.fsum(seed) / len(seed) for seed in zip(*few, strict=True)]
    return [at_least("TCP-AP's share of Psi lost, SSRL up to 4 over SSRL 9", mean, _row(rows, x, USUAL), 2.0)]


def psi_is_more(grid: Grid) -> list[Condition]:
    """F7-5: throughput never exceeds what the bottleneck passed on."""
    runs = [grid.at(ssrl=a, transport=name) for a in points(grid, "ssrl") for name in grid.values("transport")]
    least = [min(of.psi(run) - of.unique(run) for run in same) for same in zip(*runs, strict=True)]
    found = mean_interval([value * 1e-3 for value in least])
    exact = mean_interval([value + 1e-6 for value in least])
    return [Condition("least difference of Psi and throughput, kb/s", found, ">= 0", (exact,))]


def above_everywhere(measure: Measure, grid: Grid) -> list[Condition]:
    """F7-6: above TCP-AP at every SSRL, by at most about 40 %."""
    x = points(grid, "ssrl")
    semi, ap = (curve(grid, measure, "ssrl", transport=name) for name in BOTH)
    each = [_over(f"Semi-TCP over TCP-AP, SSRL {a:g}", _row(semi, x, a), _row(ap, x, a)) for a in x]
    return [*each, condition("largest gain over TCP-AP", greatest_ratio, semi, ap, among=GAIN, trend=MORE)]


def above_while_moving(measure: Measure, *grids: Grid, first: float = 1.0) -> list[Condition]:
    """F7-7: above TCP-AP in S1 and S2 at every SSRL from `first` on, by up to 120 %."""
    found: list[Condition] = []
    all_semi: list[Sequence[float | None]] = []
    all_ap: list[Sequence[float | None]] = []
    for field, grid in zip(("S1", "S2"), grids, strict=True):
        x = points(grid, "ssrl", only=lambda n: n >= first)
        semi, ap = (curve(grid, measure, "ssrl", only=lambda n: n >= first, transport=name) for name in BOTH)
        found += [_over(f"Semi-TCP over TCP-AP, {field}, SSRL {a:g}", _row(semi, x, a), _row(ap, x, a)) for a in x]
        all_semi += semi
        all_ap += ap
    what = "largest gain over TCP-AP, S1 and S2"
    return [*found, condition(what, greatest_ratio, all_semi, all_ap, among=MOBILE_GAIN, trend=MORE)]


def slower_while_moving(measure: Measure, *grids: Grid) -> list[Condition]:
    """F7-8: the plateau of S1 begins no sooner than the chain's; S2 does not rise up to 9."""
    first, chain, second = grids
    found = []
    for name in BOTH:
        moving, static = (curve(grid, measure, "ssrl", transport=name) for grid in (first, chain))
        later = _later(points(first, "ssrl"), points(chain, "ssrl"))
        what = f"SSRL where S1 is level less that of the chain, {label(name)}"
        found.append(condition(what, later, moving, static, among=(0.0, math.inf)))
        rows = curve(second, measure, "ssrl", only=lambda a: a <= USUAL, transport=name)
        what = f"best below SSRL 9 over SSRL 9, S2, {label(name)}"
        found.append(condition(what, lambda values: max(values[:-1]) / (values[-1] or math.nan), rows, among=MORE))
    return found


def _later(x: Sequence[float], y: Sequence[float]) -> Callable[[Sequence[float], Sequence[float]], float]:
    return lambda a, b: onset(x, PLATEAU)(a) - onset(y, PLATEAU)(b)


def best_while_moving(measure: Measure, *grids: Grid) -> list[Condition]:
    """F7-9: best with 9 attempts in S1, with 4 in S2."""
    return [
        condition(
            f"SSRL of Semi-TCP's best, {field}",
            highest(points(grid, "ssrl")),
            curve(grid, measure, "ssrl", transport=SEMI),
            among=among,
        )
        for field, grid, among in zip(("S1", "S2"), grids, (BEST, (2.0, 6.0)), strict=True)
    ]


def hardly_drops(*grids: Grid) -> list[Condition]:
    """F8-1: below 1 % with 12 attempts."""
    found = []
    for panel, grid in zip(("chain", "parallel"), grids, strict=True):
        for name in BOTH:
            x = points(grid, "ssrl")
            rows = curve(grid, of.dropping, "ssrl", transport=name)
            share, first = _row(rows, x, LEVEL_FROM), _row(rows, x, x[0])
            room = mean_interval([LOSSLESS - value for value in share])
            what = f"dropping ratio at SSRL 12, {label(name)}, {panel}"
            found.append(Condition(what, mean_interval(share), "< 0.01", (room,), margin(first, share, 1.0)))
    return found


def drops_while_moving(*grids: Grid) -> list[Condition]:
    """F8-2: TCP-AP drops more in S2 than in S1, Semi-TCP hardly."""
    shares = {
        (field, name): _row(curve(grid, of.dropping, "ssrl", transport=name), points(grid, "ssrl"), USUAL)
        for field, grid in zip(("S1", "S2"), grids, strict=True)
        for name in BOTH
    }
    ap, semi = ([b - a for a, b in zip(shares["S1", n], shares["S2", n], strict=True)] for n in (AP, SEMI))
    less = mean_interval([0.5 * a - s for a, s in zip(ap, semi, strict=True)])
    return [
        Condition("dropping ratio of TCP-AP, S2 less S1", mean_interval(ap), "> 0", (mean_interval(ap),)),
        Condition("dropping ratio of Semi-TCP, S2 less S1", mean_interval(semi), "at most half of TCP-AP's", (less,)),
    ]


def retries_do_not_mend_links(grid: Grid) -> list[Condition]:
    """F8-3: in S2 dropping stays from 4 to 20 attempts."""
    x = points(grid, "ssrl")
    found = []
    for name in BOTH:
        rows = curve(grid, of.dropping, "ssrl", transport=name)
        pair = [[row] for row in (_row(rows, x, x[-1]), _row(rows, x, 4.0))]
        what = f"dropping ratio in S2, SSRL 20 over 4, {label(name)}"
        found.append(condition(what, ratio_of_sums, *pair, among=(0.8, 1.25)))
    return found


def longer_delay(measure: Measure, *grids: Grid) -> list[Condition]:
    """F9-1: above TCP-AP's from 9 attempts on."""
    found = []
    for panel, grid in zip(("chain", "parallel", "S1", "S2"), grids, strict=True):
        for a in points(grid, "ssrl"):
            if a in {USUAL, 14, 20}:
                semi, ap = ([list(map(measure, grid.at(ssrl=a, transport=name)))] for name in BOTH)
                what = f"delay, Semi-TCP over TCP-AP, {panel}, SSRL {a:g}"
                found.append(condition(what, ratio_of_sums, semi, ap, among=MORE))
    return found


def delay_levels_off(measure: Measure, *grids: Grid) -> list[Condition]:
    """F9-2: from 12 to 20 attempts no rise, or one below 10 %."""
    found = []
    for panel, grid in zip(("chain", "parallel"), grids, strict=True):
        for name in BOTH:
            rows = curve(grid, measure, "ssrl", transport=name)
            change = estimate(slope(points(grid, "ssrl"), LEVEL_FROM), rows).scaled(8.0)
            what = f"relative change of delay, SSRL 12 to 20, {label(name)}, {panel}"
            small = inside(change, (-0.1, 0.1))
            level = none_above(what, change, limit="<= 0 within its interval, or within 0.1")
            found.append(Condition(what, change, level.limit, (*level.margins, small)))
    return found


def delay_while_moving(measure: Measure, *grids: Grid) -> list[Condition]:
    """F9-3: TCP-AP's in S1 at least 1.5 times that in S2."""
    pair = [[list(map(measure, grid.at(ssrl=USUAL, transport=AP)))] for grid in grids]
    return [condition("delay of TCP-AP, S1 over S2", ratio_of_sums, *pair, among=(1.5, math.inf), trend=MORE)]


def nine_is_good(measure: Measure, *grids: Grid) -> list[Condition]:
    """T-opt: 9 attempts among the three best of the sweep, in at least three of four panels."""
    axes = [points(grid, "ssrl") for grid in grids]

    def panels(*curves: Sequence[float]) -> float:
        return float(sum(_rank(x, values) <= 3 for x, values in zip(axes, curves, strict=True)))

    found = []
    for name in BOTH:
        rows = [curve(grid, measure, "ssrl", transport=name) for grid in grids]
        found.append(condition(f"panels with SSRL 9 in the three best, {label(name)}", panels, *rows, among=(3.0, 4.0)))
    return found


def nine_is_level(measure: Measure, *grids: Grid) -> list[Condition]:
    """T-opt, where several values are alike: 9 attempts give 97 % of the best, in at least three of four panels."""
    axes = [points(grid, "ssrl") for grid in grids]

    def panels(*curves: Sequence[float]) -> float:
        return float(
            sum(values[x.index(USUAL)] >= PLATEAU * max(values) for x, values in zip(axes, curves, strict=True))
        )

    found = []
    for name in BOTH:
        rows = [curve(grid, measure, "ssrl", transport=name) for grid in grids]
        what = f"panels with SSRL 9 within {100 * (1 - PLATEAU):.0f} % of the best, {label(name)}"
        found.append(condition(what, panels, *rows, among=(3.0, 4.0)))
    return found


def _rank(x: Sequence[float], values: Sequence[float]) -> int:
    usual = values[x.index(USUAL)]
    return 1 + sum(value > usual for value in values)


# ---- thresholds: Table 1 --------------------------------------------------------------------------------------------


def cells(measure: Measure, grid: Grid) -> dict[tuple[int, int], list[float]]:
    """Values by k and T_c."""
    return {
        (k, t): [measure(run) or 0.0 for run in grid.at(k=k, t_c=t)]
        for k in grid.values("k")
        for t in grid.values("t_c")
    }


def best_cell(k: int, t_c: int, measure: Measure, grid: Grid) -> list[Condition]:
    """T1-1, T1-2: no other cell is above this one by more than its interval."""
    found = cells(measure, grid)
    best = found[k, t_c]
    return [
        _not_above(f"k = {a}, T_c = {b} less k = {k}, T_c = {t_c}, kb/s", values, best)
        for (a, b), values in found.items()
        if (a, b) != (k, t_c)
    ]


def falls_with_t_c(rows: tuple[int, ...], measure: Measure, grid: Grid) -> list[Condition]:
    """T1-3, T1-5: no step of T_c raises throughput by more than its interval."""
    found = cells(measure, grid)
    return [
        _not_above(f"T_c = {t + 1} less {t}, k = {k}, kb/s", found[k, t + 1], found[k, t])
        for k in rows
        for t in ground.THRESHOLDS[:-1]
    ]


def small_spread(measure: Measure, grid: Grid) -> list[Condition]:
    """T1-4: largest over smallest of the twelve."""
    rows = list(cells(measure, grid).values())
    what = "largest over smallest cell"
    return [condition(what, lambda v: max(v) / (min(v) or math.nan), rows, among=(1.05, 1.3))]


def three_is_never_best(measure: Measure, *grids: Grid) -> list[Condition]:
    """T1-6: in every column k = 1 or 2 is at least as good."""
    conditions = []
    for topology, grid in zip(("parallel", "mobile"), grids, strict=True):
        found = cells(measure, grid)
        for t in ground.THRESHOLDS:
            best = max((found[1, t], found[2, t]), key=math.fsum)
            conditions.append(
                _not_above(f"k = 3 less the better of 1 and 2, T_c = {t}, {topology}, kb/s", found[3, t], best)
            )
    return conditions


def printed_level(measure: Measure, *grids: Grid, share: float = 1.0) -> list[Condition]:
    """T1-8: each cell within 25 % of what is printed; `share` 0.5 reads it as the mean of the two flows."""
    conditions = []
    for topology, grid in zip(("parallel", "mobile"), grids, strict=True):
        found = cells(measure, grid)
        for row in ground.numbers("semi_tcp_table1"):
            if row["topology"] == topology:
                theirs = float(row["throughput"])
                ours = mean_interval([share * v * 1e-3 / theirs for v in found[int(row["k"]), int(row["t_c"])]])
                what = f"kb/s over the printed {theirs:g}, {topology}, k = {row['k']}, T_c = {row['t_c']}"
                conditions.append(Condition(what, ours, "0.75 to 1.25", (inside(ours, (0.75, 1.25)),)))
    return conditions


def _not_above(what: str, a: Sequence[float], b: Sequence[float]) -> Condition:
    return none_above(what, margin(a, b, 1.0).scaled(1e-3))


# ---- path lengths: Figures 10 and 11 --------------------------------------------------------------------------------


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
    return [condition("largest gain in the cross", greatest_ratio, semi, ap, among=(1.45, 1.85), trend=MORE)]


def falls_steeply(measure: Measure, grid: Grid) -> list[Condition]:
    """F10-3: at 4 hops at most 0.4 of one hop."""
    found = []
    for kind in ground.KINDS:
        for name in BOTH:
            one, four = ([measure(run) or 0.0 for run in grid.at(kind=kind, hops=h, transport=name)] for h in (1, 4))
            found.append(at_most(f"4 hops over 1, {label(name)}, {kind}", four, one, 0.4))
    return found


def stable_in_parallel(measure: Measure, grid: Grid) -> list[Condition]:
    """F10-4: Semi-TCP's greatest over least from 4 hops on; TCP-AP goes on falling."""
    semi = _paths(grid, measure, SEMI, ("parallel",), 4)
    ap = [[measure(run) or 0.0 for run in grid.at(kind="parallel", hops=h, transport=AP)] for h in (10, 4)]
    return [
        condition("Semi-TCP, greatest over least, 4 to 10 hops", lambda v: max(v) / min(v), semi, among=(1.0, 1.4)),
        at_most("TCP-AP, 10 hops over 4", ap[0], ap[1], 1.0),
    ]


def lower_than_parallel(measure: Measure, grid: Grid, _: Grid) -> list[Condition]:
    """F10-5: spindle and cross below parallel from 3 hops on."""

    def parallel(name: str, hops: float) -> Runs:
        return grid.at(kind="parallel", hops=hops, transport=name)

    return _below(measure, grid, parallel, points(grid, "hops", only=lambda n: n >= 3))


def lower_than_rows_apart(measure: Measure, grid: Grid, rows: Grid) -> list[Condition]:
    """F10-5 where the two rows do not hear each other."""

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


# ---- flows together: Figure 12 --------------------------------------------------------------------------------------


def grows_with_flows(measure: Measure, grid: Grid) -> list[Condition]:
    """F12-1: the ratio rises with the number of connections, to about 2.6."""
    semi, ap = (curve(grid, measure, "connections", transport=name) for name in BOTH)
    return [
        _trend("ratio of throughput against connections", grid, semi, ap, rises=True),
        condition("largest ratio of throughput", greatest_ratio, semi, ap, among=(1.8, 3.4), trend=MORE),
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
    """F12-2, where "similar" is said of the lead: delay, path length and dropping are what costs, and so fall."""
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
    """F12-4: datagrams get less beside Semi-TCP than beside TCP-AP."""
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


# ---- in sum ---------------------------------------------------------------------------------------------------------


def large_gain(measure: Measure, *grids: Grid) -> list[Condition]:
    """A1: at least 10 % over TCP-AP with 9 attempts: chain, parallel, S1, and paths from 3 hops on."""
    chain, parallel, first, paths = grids
    found = []
    for panel, grid in (("chain", chain), ("parallel", parallel), ("S1", first)):
        semi, ap = ([measure(run) or 0.0 for run in grid.at(ssrl=USUAL, transport=name)] for name in BOTH)
        found.append(_over(f"Semi-TCP over TCP-AP, {panel}", semi, ap, 1.1))
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
    ("packets waiting at relays", of.relay_queue),
    ("delay", of.delay),
)


def _row(rows: Rows, x: Sequence[float], value: float) -> list[float]:
    return [0.0 if v is None else v for v in rows[list(x).index(value)]]


def _over(what: str, a: Sequence[float], b: Sequence[float], factor: float = 1.0) -> Condition:
    """At least so many times the other; nothing on either side decides nothing, and counts as not found."""
    if not any(a) and not any(b):
        nothing = mean_interval([-1.0] * len(a))
        return Condition(
            f"{what} (nothing arrives with either)", mean_interval([0.0] * len(a)), f">= {factor:g}", (nothing,)
        )
    return at_least(what, a, b, factor)
