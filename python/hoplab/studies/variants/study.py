"""The study of seven TCP variants in mobile ad hoc networks (Shivaranjani, Kameswaran): four sweeps of 16 settings.

A seed is a placement: places, movement, links and pairs follow from it alone, so that all variants meet the same
network. The paper ran each setting once; here each is a mean over placements with an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from hoplab.figures import Figure
from hoplab.figures.build import interval_curve
from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab.studies.shared.measures import (
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
from hoplab.studies.shared.study import DEFAULT, Check, Grid, Margin, Part, Shown, Study, Variation
from hoplab.studies.shared.verdict import Condition, shown
from hoplab.studies.variants import measures as of
from hoplab.studies.variants import scenarios as ground
from hoplab.studies.variants import windows
from hoplab.studies.variants.measures import Measure, both, over_variants, within


@dataclass(frozen=True)
class Sweep:
    """One of the paper's four sweeps, and the figure that shows it."""

    part: str
    figure: int
    key: str
    values: tuple[object, ...]
    x: tuple[float, ...]
    label: str
    sensitivity: str

    @property
    def axis(self) -> str:
        """The axis as `Grid.at` names it."""
        return self.key.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Panel:
    """One panel of a figure: what it shows, and the claim about its ends."""

    letter: str
    name: str
    measure: Measure
    label: str
    scale: float


ERRORS = Sweep(
    "errors", 2, "radio.errors.frame_error_rate", ground.ERROR_RATES, ground.ERROR_RATES, "frame error rate",
    "the error model and its largest rate (frames at every receiver, 0.25)",
)  # fmt: skip
SPEED = Sweep(
    "speed", 3, "mobility.min_speed,mobility.max_speed", ground.SPEEDS, (1.0, 2.0, 3.0, 4.0, 5.0), "speed (m/s)",
    "links (one shadow each), pairs at least 2 hops apart",
)  # fmt: skip
NODES = Sweep(
    "nodes", 4, "topology.nodes", ground.NODES, tuple(map(float, ground.NODES)), "nodes",
    "shadowing (one draw per link, median reception range 64 m)",
)  # fmt: skip
CONNECTIONS = Sweep(
    "connections", 5, "traffic.connections", ground.CONNECTIONS, tuple(map(float, ground.CONNECTIONS)), "connections",
    "throughput read as the mean per connection",
)  # fmt: skip
SWEEPS = (ERRORS, SPEED, NODES, CONNECTIONS)

PANELS = (
    Panel("a", "throughput", of.throughput, "throughput of all connections (kb/s)", 1e-3),
    Panel("b", "goodput", of.goodput, "goodput of all connections (kb/s)", 1e-3),
    Panel("c", "drops", of.dropped, "packets dropped", 1.0),
    Panel("d", "delay", of.delay, "mean delay (s)", 1.0),
)
PER_CONNECTION = (
    Panel("a", "throughput", of.throughput_each, "throughput per connection (kb/s)", 1e-3),
    Panel("b", "goodput", of.goodput_each, "goodput per connection (kb/s)", 1e-3),
    *PANELS[2:],
)

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

SLOW_STARTS = Panel("", "timeouts", of.timeouts_per_megabyte, "timeouts per megabyte", 1.0)
"""Each of them starts slow start anew (V19)."""

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
        tables=_tables,
    )


def _part(sweep: Sweep, *, quick: bool) -> Part:
    axes = {sweep.key: sweep.values, "traffic.transport": tuple(ground.VARIANTS)}
    if quick:
        return Part(sweep.part, ground.text_of(sweep.part, ground.QUICK_S), axes)
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
    variations += [replace(sender, axes={**sender.axes, **ends}) for sender in ground.SENDERS]
    return Part(sweep.part, ground.text_of(sweep.part), axes, tuple(variations))


def _panels(sweep: Sweep) -> tuple[Panel, ...]:
    return PER_CONNECTION if sweep is CONNECTIONS else PANELS


def _figures() -> list[Shown]:
    return [
        Shown(
            f"fig{sweep.figure}{panel.letter}",
            f"{panel.name.capitalize()} against {sweep.label}",
            sweep.part,
            draw=partial(_draw, sweep, panel),
        )
        for sweep in SWEEPS
        for panel in _panels(sweep)
    ] + [
        Shown("windows", "Windows with few and with many errors", windows.WINDOWS, draw=windows.drawn),
        *(
            Shown(f"slow-start-{s.part}", f"Timeouts against {s.label}", s.part, draw=partial(_draw, s, SLOW_STARTS))
            for s in (ERRORS, SPEED)
        ),
    ]


def _draw(sweep: Sweep, panel: Panel, grid: Grid) -> Sequence[Figure]:
    curves = []
    for slot, (name, label) in enumerate(ground.VARIANTS.items()):
        points = []
        for value in sweep.values:
            known = [x for x in map(panel.measure, grid.at(**{sweep.axis: value, "transport": name})) if x is not None]
            points.append(mean_interval(known) if known else None)
        curves.append(interval_curve(label, sweep.x, points, panel.scale, slot=slot))
    n = len(grid.at(**{sweep.axis: sweep.values[0], "transport": name}))
    caption = f"Mean and 95 % Student-t interval over {n} placements, the same for all variants."
    identity = f"{sweep.part}-{panel.name}"
    title = f"{panel.name.capitalize()} against {sweep.label}"
    whole = all(value == int(value) for value in sweep.x)
    return [Figure(identity, title, sweep.label, panel.label, tuple(curves), caption, integer_x=whole)]


def _checks() -> list[Check]:
    found = []
    for number, (sweep, panel) in enumerate(((s, p) for s in SWEEPS for p in _panels(s)), start=1):
        test, readings = partial(_ends, sweep, panel), tuple(_readings(sweep, panel))
        found.append(Check(f"V{number}", sweep.part, sweep.sensitivity, test, readings=readings))
    return [
        *found,
        *(Check("V17", s.part, "definitions only", partial(_agree, s), margins=(_apart(s),)) for s in SWEEPS),
        *(Check("V18", s.part, s.sensitivity, partial(_monotone, s)) for s in SWEEPS),
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
        rate = "drops per segment sent (a loss rate, as RFC 5166 has it) in place of their number"
        found: list[Reading] = [(rate, partial(_rates, sweep, of.dropped))]
        with_errors = f"{rate}, frames that the error model destroys among them"
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
    first_g, last_g = _first_last(sweep, grid, of.goodput)
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


def _monotone(sweep: Sweep, grid: Grid) -> list[Condition]:
    """V18: signs of rank correlations along the sweep."""
    values = grid.values(sweep.axis)
    found = []
    for panel in (p for p in _panels(sweep) if p.letter != "b"):
        by_setting = [over_variants(grid, panel.measure, sweep.axis, value) for value in values]
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


def _tables(grids: Mapping[tuple[str, str], Grid]) -> list[ReportTable]:
    """The ranking that the paper never gave, and the numbers behind its figures."""
    found = []
    for sweep in SWEEPS:
        if (sweep.part, DEFAULT) in grids:
            grid = grids[sweep.part, DEFAULT]
            found.append(_ranking(sweep, grid))
            found += [
                _other_sender(sweep, sender, grid, grids[sweep.part, sender.name])
                for sender in ground.SENDERS
                if (sweep.part, sender.name) in grids
            ]
            found += [_numbers(sweep, panel, grid) for panel in _panels(sweep)]
    return found


def _other_sender(sweep: Sweep, sender: Variation, default: Grid, other: Grid) -> ReportTable:
    """Goodput of another reading of one variant beside that of the study, at both ends of a sweep."""
    (new,) = sender.axes["traffic.transport"]
    (old,) = set(ground.VARIANTS) - set(sender.reuse["traffic.transport"])
    rows = []
    for value in (sweep.values[0], sweep.values[-1]):
        ours, theirs = (
            [of.goodput(run) * 1e-3 for run in grid.at(**{sweep.axis: value, "transport": name})]
            for grid, name in ((default, old), (other, new))
        )
        cells = (mean_interval(ours), mean_interval(theirs), ratio(theirs, ours))
        rows.append((str(value), *map(shown, cells)))
    title = f"{ground.VARIANTS[old]}, two readings, {sweep.label}"
    header = (sweep.label, "study, kb/s", "other reading, kb/s", "ratio")
    return ReportTable(title, header, tuple(rows), f"Other reading: {sender.assumption}. 95 % intervals.")


def _ranking(sweep: Sweep, grid: Grid) -> ReportTable:
    """Goodput of each variant over the mean of the seven, placement by placement, and its place among them."""
    shares: dict[str, list[float]] = {name: [] for name in ground.VARIANTS}
    places: dict[str, list[float]] = {name: [] for name in ground.VARIANTS}
    for value in grid.values(sweep.axis):
        runs = {name: grid.at(**{sweep.axis: value, "transport": name}) for name in ground.VARIANTS}
        for i in range(len(runs["reno"])):
            goodputs = {name: of.goodput(of_variant[i]) for name, of_variant in runs.items()}
            mean = math.fsum(goodputs.values()) / len(goodputs)
            if mean <= 0.0:
                continue
            for name, goodput in goodputs.items():
                shares[name].append(goodput / mean)
                better = sum(other > goodput for other in goodputs.values())
                equal = sum(other == goodput for other in goodputs.values())
                places[name].append(better + (equal + 1) / 2)
    order = sorted(ground.VARIANTS, key=lambda name: -math.fsum(shares[name]))
    rows = tuple(
        (ground.VARIANTS[name], shown(mean_interval(shares[name])), shown(mean_interval(places[name])))
        for name in order
        if shares[name]
    )
    n = len(shares["reno"])
    note = f"Means with 95 % Student-t intervals over {n} pairs of placement and setting in which anything arrived."
    header = ("variant", "goodput over the mean of the seven", "place among the seven")
    return ReportTable(f"Ranking, {sweep.label}", header, rows, note)


def _numbers(sweep: Sweep, panel: Panel, grid: Grid) -> ReportTable:
    rows = []
    for value, x in zip(sweep.values, sweep.x, strict=True):
        cells = []
        for name in ground.VARIANTS:
            runs = grid.at(**{sweep.axis: value, "transport": name})
            known = [v * panel.scale for v in map(panel.measure, runs) if v is not None]
            cells.append(shown(mean_interval(known)) if known else "none arrived")
        rows.append((f"{x:g}", *cells))
    n = len(grid.at(**{sweep.axis: sweep.values[0], "transport": "reno"}))
    note = f"Means with 95 % Student-t intervals over {n} placements; of delay, those in which anything arrived."
    return ReportTable(panel.label, (sweep.label, *ground.VARIANTS.values()), tuple(rows), note)
