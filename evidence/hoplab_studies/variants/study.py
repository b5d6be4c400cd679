"""The study of seven TCP variants in mobile ad hoc networks (Shivaranjani, Kameswaran): four sweeps of 16 settings.

A seed is a placement: places, movement, links and pairs follow from it alone, so that all variants meet the same
network. The paper ran each setting once; here each is a mean over placements with an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab_studies.shared.measures import (
    Range,
    at_least,
    at_most,
    in_range,
    less_than,
    margin,
    more_than,
    rank_correlation,
    ratio,
)
from hoplab_studies.shared.numbers import Measure, both, goodput
from hoplab_studies.shared.study import Check, Grid, Margin, Part, Shown, Study, Variation
from hoplab_studies.shared.verdict import Condition
from hoplab_studies.variants import measures as of
from hoplab_studies.variants import scenarios as ground
from hoplab_studies.variants import windows
from hoplab_studies.variants.figures import (
    CONNECTIONS,
    ERRORS,
    NODES,
    SLOW_STARTS,
    SPEED,
    SWEEPS,
    Panel,
    Sweep,
    draw,
    panels_of,
    tables,
)
from hoplab_studies.variants.measures import over_variants, within

FALLS: Mapping[tuple[int, str], Range] = {
    (2, "a"): (0.90, 1.0), (2, "b"): (0.90, 1.0),
    (3, "a"): (0.25, 0.70), (3, "b"): (0.25, 0.70),
    (4, "c"): (0.60, 1.0), (4, "d"): (0.30, 0.85),
    (5, "a"): (0.15, 0.65), (5, "b"): (0.15, 0.65),
}  # fmt: skip
"""Shares by which a measure falls from the first setting to the last."""

RISES: Mapping[tuple[int, str], tuple[Range, Range]] = {
    (2, "c"): ((3.0, 30.0), (1.4, 2.6)), (2, "d"): ((2.0, 7.0), (1.3, 2.4)),
    (3, "c"): ((1.3, 5.0), (1.2, 2.2)), (3, "d"): ((1.2, 3.0), (1.15, 1.9)),
    (4, "a"): ((10.0, math.inf), (1.5, 3.0)), (4, "b"): ((10.0, math.inf), (1.5, 3.0)),
    (5, "c"): ((1.2, 4.0), (1.15, 2.2)), (5, "d"): ((1.2, 3.0), (1.15, 1.9)),
}  # fmt: skip
"""Factors by which a measure rises, with the percentage read of the larger value and of the first one."""

AS_RATE = "drops per segment sent (a loss rate, as RFC 5166 has it) in place of their number"

AGREE = 0.05
"""How far the falls of throughput and goodput may lie apart (V17)."""


def study(*, quick: bool = False) -> Study:
    """The whole study; if `quick`, with runs of a sixth of the time and no other assumptions tried."""
    parts = tuple(_part(sweep, quick=quick) for sweep in SWEEPS)
    return Study(
        paper="variants",
        parts=(*parts, ground.controllers_part(), windows.part()),
        figures=tuple(_figures()),
        checks=tuple(_checks()),
        assumptions=(*ground.ASSUMPTIONS, *([ground.QUICK] if quick else [])),
        tables=tables,
    )


def _part(sweep: Sweep, *, quick: bool) -> Part:
    axes = {sweep.key: sweep.values, "traffic.transport": tuple(ground.VARIANTS)}
    if quick:
        return Part(sweep.part, ground.network(sweep.part, ground.QUICK_S), axes)
    ends = {sweep.key: (sweep.values[0], sweep.values[-1])}
    frames = "a shadow for every frame (ns-2) in place of one per link"
    variations = [Variation("frames", frames, ground.PER_FRAME, ends)]
    if sweep is NODES:
        variations += [
            Variation("ns2-defaults", "ns-2's shadowing with its own defaults (exponent 2)", ground.NS2_DEFAULTS, ends),
            Variation("reach-100m", "a median reception range of 100 m in place of 64 m", ground.WIDER, ends),
        ]
    else:
        two_ray = "two-ray ground, reception range 250 m, in place of shadowing"
        variations.append(Variation("two-ray", two_ray, ground.TWO_RAY, ends))
    variations += [sender.over(ends) for sender in ground.SENDERS]
    return Part(sweep.part, ground.network(sweep.part), axes, tuple(variations))


def _figures() -> list[Shown]:
    return [
        Shown(
            f"fig{sweep.figure}{panel.letter}",
            f"{panel.name.capitalize()} against {sweep.label}",
            sweep.part,
            draw=partial(draw, sweep, panel),
        )
        for sweep in SWEEPS
        for panel in panels_of(sweep)
    ] + [
        Shown("windows", "Windows with few and with many errors", windows.WINDOWS, draw=windows.drawn),
        *(
            Shown(f"slow-start-{s.part}", f"Timeouts against {s.label}", s.part, draw=partial(draw, s, SLOW_STARTS))
            for s in (ERRORS, SPEED)
        ),
    ]


def _checks() -> list[Check]:
    found = []
    for number, (sweep, panel) in enumerate(((s, p) for s in SWEEPS for p in panels_of(s)), start=1):
        test, readings = partial(_ends, sweep, panel), tuple(_readings(sweep, panel))
        found.append(Check(f"V{number}", sweep.part, sweep.sensitivity, test, readings=readings))
    return [
        *found,
        *(Check("V17", s.part, "definitions only", partial(_agree, s), margins=(_apart(s),)) for s in SWEEPS),
        *(
            Check(
                "V18",
                s.part,
                s.sensitivity,
                partial(_monotone, s),
                readings=((AS_RATE, partial(_monotone, s, rates=True)),),
            )
            for s in SWEEPS
        ),
        *(Check("V19", s.part, s.sensitivity, partial(_slow_start, s)) for s in (ERRORS, SPEED)),
        Check("V20", "nodes", NODES.sensitivity, _links_hold),
        Check("V21", "connections", "queues of 50 packets", _relays_queue),
        *(Check("V22", s.part, s.sensitivity, partial(_everyone_loses, s)) for s in (ERRORS, SPEED)),
        Check("V23", "controllers", "ns-2.35's TCP/Linux as the reference", ground.controllers_agree),
    ]


Reading = tuple[str, Callable[[Grid], list[Condition]]]


def _readings(sweep: Sweep, panel: Panel) -> list[Reading]:
    """Other definitions of what a panel shows, on the same runs."""
    if panel.letter == "c":
        found: list[Reading] = [(AS_RATE, partial(_rates, sweep, of.dropped))]
        with_errors = f"{AS_RATE}, frames that the error model destroys among them"
        return [*found, (with_errors, partial(_rates, sweep, of.dropped_or_corrupted))] if sweep is ERRORS else found
    if panel.letter == "d":
        return [("medians over placements in place of means", partial(_medians, sweep, panel))]
    return []


def _rates(sweep: Sweep, count: Callable[[Run], float], grid: Grid) -> list[Condition]:
    """V3, V7, V11, V15 as rates."""
    first, last = (
        of.rate_over_variants(grid, count, of.sent, sweep.axis, grid.values(sweep.axis)[end]) for end in (0, -1)
    )
    return [_judged(sweep, "c", "drops per segment sent, last over first setting", both(first, last), within)]


def _medians(sweep: Sweep, panel: Panel, grid: Grid) -> list[Condition]:
    """V4, V8, V12, V16 as medians."""
    what = f"median {panel.name}, last over first setting"
    return [_judged(sweep, panel.letter, what, _first_last(sweep, grid, panel.measure), of.within_medians)]


Ends = tuple[list[float], list[float]]
"""A measure of the first and of the last setting, placement by placement."""


def _judged(sweep: Sweep, letter: str, what: str, ends: Ends, judged: Callable[..., Condition]) -> Condition:
    first, last = ends
    if not first:
        return _nothing(what)
    key = sweep.figure, letter
    if key in FALLS:
        low, high = FALLS[key]
        return judged(what, last, first, ((1.0 - high, 1.0 - low),), rises=False)
    return judged(what, last, first, RISES[key], rises=True)


def _apart(sweep: Sweep) -> Margin:
    """Goodput falls by `AGREE` more than throughput."""
    return Margin({sweep.axis: sweep.values[-1]}, 1.0 - AGREE, ("goodput_bps",))


def _first_last(sweep: Sweep, grid: Grid, measure: Measure) -> Ends:
    """A measure averaged over the variants at both ends of a sweep, of the placements that have it at both."""
    values = grid.values(sweep.axis)
    return both(
        over_variants(grid, measure, sweep.axis, values[0]), over_variants(grid, measure, sweep.axis, values[-1])
    )


def _ends(sweep: Sweep, panel: Panel, grid: Grid) -> list[Condition]:
    """V1 to V16: how a measure changes from the first setting to the last."""
    what = f"{panel.name}, last over first setting"
    return [_judged(sweep, panel.letter, what, _first_last(sweep, grid, panel.measure), within)]


def _agree(sweep: Sweep, grid: Grid) -> list[Condition]:
    """V17: goodput at most throughput, and the same change of both."""
    first_t, last_t = _first_last(sweep, grid, of.throughput)
    first_g, last_g = _first_last(sweep, grid, goodput)
    total_t, total_g = [*first_t, *last_t], [*first_g, *last_g]
    below = Condition(
        f"goodput over throughput, {sweep.part}",
        ratio(total_g, total_t),
        "<= 1",
        (margin(total_t, total_g, 1.0),),
        band=(-math.inf, 1.0),
    )
    # The same placements are behind both changes: their difference is taken placement by placement.
    scale_t, scale_g = math.fsum(first_t) / len(first_t), math.fsum(first_g) / len(first_g)
    each = [t / scale_t - g / scale_g for t, g in zip(last_t, last_g, strict=True)]
    what = f"difference of the changes of throughput and goodput, {sweep.part}"
    return [below, in_range(what, mean_interval(each), (-AGREE, AGREE)).denied_by_interval()]


def _monotone(sweep: Sweep, grid: Grid, *, rates: bool = False) -> list[Condition]:
    """V18: signs of rank correlations along the sweep, of drops or of their rates."""
    values = grid.values(sweep.axis)
    found = []
    for panel in (p for p in panels_of(sweep) if p.letter != "b"):
        by_setting = [
            of.rate_over_variants(grid, panel.measure, of.sent, sweep.axis, value)
            if rates and panel.letter == "c"
            else over_variants(grid, panel.measure, sweep.axis, value)
            for value in values
        ]
        placements = [list(one) for one in zip(*by_setting, strict=True) if None not in one]
        sign = -1.0 if (sweep.figure, panel.letter) in FALLS else 1.0
        what = f"rank correlation of {panel.name}, {sweep.part}"
        if not placements:
            found.append(_nothing(what))
            continue
        order = [float(i) for i in range(len(values))]
        each = mean_interval([rank_correlation(order, [float(v or 0.0) for v in one]) for one in placements])
        found.append(less_than(what, each, 0.0) if sign < 0.0 else more_than(what, each, 0.0))
    return found


def _slow_start(sweep: Sweep, grid: Grid) -> list[Condition]:
    """V19: timeouts per megabyte rise."""
    first, last = _first_last(sweep, grid, of.timeouts_per_megabyte)
    what = f"timeouts per megabyte, last over first setting, {sweep.part}"
    return [_rises(what, first, last)]


def _links_hold(grid: Grid) -> list[Condition]:
    """V20: fewer breaks, more connectivity."""
    first_b, last_b = _first_last(NODES, grid, of.breaks_per_second)
    first_c, last_c = _first_last(NODES, grid, of.connectivity)
    return [
        _rises("route breaks per second of a connected flow, first over last setting", last_b, first_b),
        _rises("share of connected pairs, last over first setting", first_c, last_c),
    ]


def _relays_queue(grid: Grid) -> list[Condition]:
    """V21: more drops and longer waits at relays."""
    first_d, last_d = _first_last(CONNECTIONS, grid, of.queue_drops)
    first_w, last_w = _first_last(CONNECTIONS, grid, of.relay_wait)
    return [
        _rises("drops of full queues at relays, last over first setting", first_d, last_d),
        _rises("waiting time at relays, last over first setting", first_w, last_w),
    ]


def _everyone_loses(sweep: Sweep, grid: Grid) -> list[Condition]:
    """V22: each variant's throughput falls."""
    values = grid.values(sweep.axis)
    found = []
    for name in grid.values("transport"):
        label = ground.LABELS[name]
        first = [of.throughput(run) for run in grid.at(**{sweep.axis: values[0], "transport": name})]
        last = [of.throughput(run) for run in grid.at(**{sweep.axis: values[-1], "transport": name})]
        what = f"throughput of {label}, last over first setting, {sweep.part}"
        found.append(at_most(what, last, first, 1.0))
    return found


def _rises(what: str, first: Sequence[float], last: Sequence[float]) -> Condition:
    if not first:
        return _nothing(what)
    return at_least(what, last, first, 1.0)


def _nothing(what: str) -> Condition:
    """No placement has the value at both ends: the claim cannot be evaluated."""
    none = mean_interval([-1.0])
    return Condition(f"{what} (no placement has it)", none, "a number", (none,))
