"""The claims of the Semi-TCP paper as conditions: retries, moving nodes, and thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hoplab.stats import Interval, mean_interval
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import published
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp.measures import curve, points
from hoplab_studies.shared.measures import Range, at_least, at_most, in_range, less_than, margin, more_than, ratio
from hoplab_studies.shared.numbers import Measure
from hoplab_studies.shared.resampling import (
    Rows,
    condition,
    estimate,
    greatest_ratio,
    highest,
    inside,
    no_more_than,
    onset,
    ratio_of_sums,
    slope,
)
from hoplab_studies.shared.study import Grid, Margin
from hoplab_studies.shared.verdict import Condition

SEMI, AP, NEW_RENO = "semi_tcp", "tcp_ap", "new_reno"
BOTH = (SEMI, AP)
USUAL = ground.USUAL_RETRIES
BEST = (7.0, 11.0)
"""Where SSRL is best, 9 and two more or less."""

PLATEAU = 0.97
"""Share of its highest value from which a curve counts as level."""

LEVEL_FROM = 12.0
UP_TO_20 = 8.0
"""Attempts from `LEVEL_FROM` to the end of the sweep."""

LEVEL_DELAY = 0.1
SAME_DROPS = 0.02
"""Dropping ratios that lie closer are alike."""

GAIN = (1.25, 1.55)
MOBILE_GAIN = (1.8, 2.6)
LOSSLESS = 0.01
ANY = (-math.inf, math.inf)
MORE = (1.0 + 1e-9, math.inf)


def rising_from_12(most: float, numbers: tuple[str, ...]) -> tuple[Margin, ...]:
    """Numbers that rise by a share of their mean from SSRL 12 to 20."""
    middle = LEVEL_FROM + UP_TO_20 / 2.0
    beyond = [a for a in ground.RETRIES if a >= LEVEL_FROM]
    return tuple(Margin({"ssrl": a}, 1.0 + most * (a - middle) / UP_TO_20, numbers) for a in beyond)


MORE_WITH_12 = rising_from_12(1.0 - PLATEAU, ("unique_bps",))
LATER_WITH_12 = rising_from_12(LEVEL_DELAY, ("mac_delay_mean_s",))
MORE_DROPS = (Margin({"ssrl": ground.RETRIES[-1]}, 1.25, ("dropped",)),)


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
            rise = margin(row_at(rows, x, USUAL), row_at(rows, x, x[0]), 1.0)
            rooms = (inside(begins, BEST), inside(best, BEST))
            found.append(Condition(what, begins, "7 to 11, or the best there", rooms, rise, band=BEST))
    return found


def levels_off(measure: Measure, *grids: Grid) -> list[Condition]:
    """F7-2: no rise from SSRL 12 on beyond what counts as level."""
    return _levels_off("throughput", measure, 1.0 - PLATEAU, grids)


def _levels_off(what: str, measure: Measure, limit: float, grids: Sequence[Grid]) -> list[Condition]:
    found = []
    for panel, grid in zip(("chain", "parallel"), grids, strict=True):
        for name in BOTH:
            rows = curve(grid, measure, "ssrl", transport=name)
            change = estimate(slope(points(grid, "ssrl"), LEVEL_FROM), rows).scaled(UP_TO_20)
            said = f"relative change of {what}, SSRL 12 to 20, {label(name)}, {panel}"
            found.append(no_more_than(said, change, limit))
    return found


def above_between_4_and_14(measure: Measure, grid: Grid) -> list[Condition]:
    """F7-3: above TCP-AP from 4 to 14, by up to 40 %, and below outside; crossings 2 and 3 attempts either way."""
    x = points(grid, "ssrl")
    semi, ap = (curve(grid, measure, "ssrl", transport=name) for name in BOTH)
    inner = [value for value in x if 6.0 <= value <= 11.0]
    found = [
        over(f"Semi-TCP over TCP-AP, SSRL {value:g}", row_at(semi, x, value), row_at(ap, x, value)) for value in inner
    ]
    for value in (x[0], x[-1]):
        what = f"Semi-TCP over TCP-AP, SSRL {value:g}"
        found.append(at_most(what, row_at(semi, x, value), row_at(ap, x, value), 1.0, trend=None))
    return [*found, largest("largest gain over TCP-AP", semi, ap, GAIN)]


def few_retries_waste(grid: Grid) -> list[Condition]:
    """F7-4: the share of Psi that is not throughput, up to 4 attempts over that with 9."""
    x = points(grid, "ssrl")
    rows = curve(grid, of.wasted, "ssrl", transport=AP)
    few = [[value or 0.0 for value in row] for a, row in zip(x, rows, strict=True) if a <= 4.0]
    mean = [math.fsum(seed) / len(seed) for seed in zip(*few, strict=True)]
    return [at_least("TCP-AP's share of Psi lost, SSRL up to 4 over SSRL 9", mean, row_at(rows, x, USUAL), 2.0)]


def psi_is_more(grid: Grid) -> list[Condition]:
    """F7-5: throughput never exceeds what the bottleneck passed on, in any run."""
    runs = [grid.at(ssrl=a, transport=name) for a in points(grid, "ssrl") for name in grid.values("transport")]
    least = min(of.psi(run) - of.unique(run) for same in runs for run in same)
    n = min(len(same) for same in runs)
    # The smallest of all runs: no mean over seeds may hide one below.
    value, room = (Interval(v, 0.0, v, v, n, "exact") for v in (least * 1e-3, least + 1e-6))
    return [
        Condition(
            "least difference of Psi and throughput of all runs, kb/s", value, ">= 0", (room,), band=(0.0, math.inf)
        )
    ]


def above_everywhere(measure: Measure, grid: Grid) -> list[Condition]:
    """F7-6: above TCP-AP at every SSRL, by at most about 40 %."""
    x = points(grid, "ssrl")
    semi, ap = (curve(grid, measure, "ssrl", transport=name) for name in BOTH)
    each = [over(f"Semi-TCP over TCP-AP, SSRL {a:g}", row_at(semi, x, a), row_at(ap, x, a)) for a in x]
    return [*each, largest("largest gain over TCP-AP", semi, ap, GAIN)]


def above_while_moving(measure: Measure, *grids: Grid, first: float = 1.0) -> list[Condition]:
    """F7-7: above TCP-AP in S1 and S2 at every SSRL from `first` on, by up to 120 %."""
    found: list[Condition] = []
    all_semi: list[Sequence[float | None]] = []
    all_ap: list[Sequence[float | None]] = []
    for field, grid in zip(("S1", "S2"), grids, strict=True):
        x = points(grid, "ssrl", only=lambda n: n >= first)
        semi, ap = (curve(grid, measure, "ssrl", only=lambda n: n >= first, transport=name) for name in BOTH)
        found += [over(f"Semi-TCP over TCP-AP, {field}, SSRL {a:g}", row_at(semi, x, a), row_at(ap, x, a)) for a in x]
        all_semi += semi
        all_ap += ap
    what = "largest gain over TCP-AP, S1 and S2"
    return [*found, largest(what, all_semi, all_ap, MOBILE_GAIN)]


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
    """F8-1: below 1 % with 12 attempts, and below that with the fewest."""
    found = []
    for panel, grid in zip(("chain", "parallel"), grids, strict=True):
        for name in BOTH:
            x = points(grid, "ssrl")
            rows = curve(grid, of.dropping, "ssrl", transport=name)
            share, first = row_at(rows, x, LEVEL_FROM), row_at(rows, x, x[0])
            what = f"dropping ratio at SSRL 12, {label(name)}, {panel}"
            falls = margin(first, share, 1.0)
            found.append(less_than(what, mean_interval(share), LOSSLESS, trend=falls))
            found.append(at_most(f"dropping ratio, SSRL 12 over {x[0]:g}, {label(name)}, {panel}", share, first, 1.0))
    return found


def drops_while_moving(*grids: Grid) -> list[Condition]:
    """F8-2: TCP-AP drops more in S2 than in S1; Semi-TCP does not, and grows by less than TCP-AP."""
    shares = {
        (field, name): row_at(curve(grid, of.dropping, "ssrl", transport=name), points(grid, "ssrl"), USUAL)
        for field, grid in zip(("S1", "S2"), grids, strict=True)
        for name in BOTH
    }
    ap, semi = ([b - a for a, b in zip(shares["S1", n], shares["S2", n], strict=True)] for n in (AP, SEMI))
    less = mean_interval([a - s for a, s in zip(ap, semi, strict=True)])
    return [
        more_than("dropping ratio of TCP-AP, S2 less S1", mean_interval(ap), 0.0),
        no_more_than("dropping ratio of Semi-TCP, S2 less S1", mean_interval(semi), SAME_DROPS, trend=less),
        more_than("that of TCP-AP less that of Semi-TCP", less, 0.0),
    ]


def retries_do_not_mend_links(grid: Grid) -> list[Condition]:
    """F8-3: in S2 dropping stays from 4 to 20 attempts."""
    x = points(grid, "ssrl")
    found = []
    for name in BOTH:
        rows = curve(grid, of.dropping, "ssrl", transport=name)
        pair = [[row] for row in (row_at(rows, x, x[-1]), row_at(rows, x, 4.0))]
        what = f"dropping ratio in S2, SSRL 20 over 4, {label(name)}"
        found.append(condition(what, ratio_of_sums, *pair, among=(0.8, 1.25)).denied_by_interval())
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
    """F9-2: from 12 to 20 attempts no rise above 10 %."""
    return _levels_off("delay", measure, LEVEL_DELAY, grids)


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
    """T1-1, T1-2: this cell is above every other; denied by a cell that is above it beyond its interval."""
    found = cells(measure, grid)
    best = found[k, t_c]
    return [
        at_least(f"k = {k}, T_c = {t_c} over k = {a}, T_c = {b}", best, values, 1.0).denied_by_interval()
        for (a, b), values in found.items()
        if (a, b) != (k, t_c)
    ]


def falls_with_t_c(rows: tuple[int, ...], measure: Measure, grid: Grid) -> list[Condition]:
    """T1-3, T1-5: every step of T_c lowers throughput; denied by a step that raises it beyond its interval."""
    found = cells(measure, grid)
    return [
        at_most(f"T_c = {t + 1} over {t}, k = {k}", found[k, t + 1], found[k, t], 1.0).denied_by_interval()
        for k in rows
        for t in ground.THRESHOLDS[:-1]
    ]


def small_spread(measure: Measure, grid: Grid) -> list[Condition]:
    """T1-4: largest over smallest of the twelve."""
    rows = list(cells(measure, grid).values())
    what = "largest over smallest cell"
    return [condition(what, lambda v: max(v) / (min(v) or math.nan), rows, among=(1.05, 1.3))]


def three_is_never_best(measure: Measure, *grids: Grid) -> list[Condition]:
    """T1-6: in every column k = 1 or 2 is better."""
    conditions = []
    for topology, grid in zip(("parallel", "mobile"), grids, strict=True):
        found = cells(measure, grid)
        for t in ground.THRESHOLDS:
            best = max((found[1, t], found[2, t]), key=math.fsum)
            what = f"k = 3 over the better of 1 and 2, T_c = {t}, {topology}"
            rooms = tuple(margin(found[k, t], found[3, t], 1.0) for k in (1, 2))
            value, band = ratio(found[3, t], best), (-math.inf, 1.0)
            conditions.append(Condition(what, value, "< 1", rooms, strict=True, by_interval=True, band=band))
    return conditions


def printed_level(measure: Measure, *grids: Grid, share: float = 1.0) -> list[Condition]:
    """T1-8: each cell within 25 % of what is printed; `share` 0.5 reads it as the mean of the two flows."""
    conditions = []
    for topology, grid in zip(("parallel", "mobile"), grids, strict=True):
        found = cells(measure, grid)
        for row in published.numbers("semi_tcp_table1"):
            if row["topology"] == topology:
                theirs = float(row["throughput"])
                ours = mean_interval([share * v * 1e-3 / theirs for v in found[int(row["k"]), int(row["t_c"])]])
                what = f"kb/s over the printed {theirs:g}, {topology}, k = {row['k']}, T_c = {row['t_c']}"
                conditions.append(in_range(what, ours, (0.75, 1.25)))
    return conditions


def largest(what: str, a: Rows, b: Rows, among: Range) -> Condition:
    """The largest ratio lies in a range; the direction is that of the sums, since noise makes the largest exceed 1."""
    found, whole = estimate(greatest_ratio, a, b), estimate(ratio_of_sums, a, b)
    return in_range(what, found, among, inside(whole, MORE))


def row_at(rows: Rows, x: Sequence[float], value: float) -> list[float]:
    """Values per seed at one x; nothing counts as 0."""
    return [0.0 if v is None else v for v in rows[list(x).index(value)]]


def over(what: str, a: Sequence[float], b: Sequence[float], factor: float = 1.0) -> Condition:
    """At least a multiple of the other; zero on both sides counts as not holding."""
    if not any(a) and not any(b):
        nothing = mean_interval([-1.0] * len(a))
        return Condition(
            f"{what} (no delivery with either)", mean_interval([0.0] * len(a)), f">= {factor:g}", (nothing,)
        )
    return at_least(what, a, b, factor)
