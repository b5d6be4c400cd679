"""Figures and tables of the study of TCP variants: its four sweeps, the panels of their figures, rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.figures import Figure
from hoplab.report.model import ReportTable
from hoplab.stats import mean_interval
from hoplab_studies.shared.drawing import cell, curve, seeds_of
from hoplab_studies.shared.measures import ratio
from hoplab_studies.shared.numbers import Measure, goodput
from hoplab_studies.shared.study import DEFAULT, Grid, Grids, Variation
from hoplab_studies.shared.verdict import shown
from hoplab_studies.variants import measures as of
from hoplab_studies.variants import scenarios as ground


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
    Panel("b", "goodput", goodput, "goodput of all connections (kb/s)", 1e-3),
    Panel("c", "drops", of.dropped, "packets dropped", 1.0),
    Panel("d", "delay", of.delay, "mean delay (s)", 1.0),
)
PER_CONNECTION = (
    Panel("a", "throughput", of.throughput_each, "throughput per connection (kb/s)", 1e-3),
    Panel("b", "goodput", of.goodput_each, "goodput per connection (kb/s)", 1e-3),
    *PANELS[2:],
)

SLOW_STARTS = Panel("", "timeouts", of.timeouts_per_megabyte, "timeouts per megabyte", 1.0)
"""Each of them starts slow start anew (V19)."""


def panels_of(sweep: Sweep) -> tuple[Panel, ...]:
    """The panels of a sweep's figure."""
    return PER_CONNECTION if sweep is CONNECTIONS else PANELS


def draw(sweep: Sweep, panel: Panel, grid: Grid) -> Sequence[Figure]:
    """One panel: a curve per variant."""
    curves = []
    for slot, (name, label) in enumerate(ground.VARIANTS.items()):
        points = [map(panel.measure, grid.at(**{sweep.axis: value, "transport": name})) for value in sweep.values]
        curves.append(curve(label, sweep.x, points, panel.scale, slot=slot))
    caption = f"Mean and 95 % Student-t interval over {seeds_of(grid)} placements, the same for all variants."
    identity = f"{sweep.part}-{panel.name}"
    title = f"{panel.name.capitalize()} against {sweep.label}"
    whole = all(value == int(value) for value in sweep.x)
    return [Figure(identity, title, sweep.label, panel.label, tuple(curves), caption, integer_x=whole)]


def tables(grids: Grids) -> list[ReportTable]:
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
            found += [_numbers(sweep, panel, grid) for panel in panels_of(sweep)]
    return found


def _other_sender(sweep: Sweep, sender: Variation, default: Grid, other: Grid) -> ReportTable:
    """Goodput of another reading of one variant and of the study's, at both ends of a sweep."""
    (new,) = sender.axes["traffic.transport"]
    (old,) = set(ground.VARIANTS) - set(sender.reuse["traffic.transport"])
    rows = []
    for value in (sweep.values[0], sweep.values[-1]):
        ours, theirs = (
            [goodput(run) * 1e-3 for run in grid.at(**{sweep.axis: value, "transport": name})]
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
            goodputs = {name: goodput(of_variant[i]) for name, of_variant in runs.items()}
            mean = math.fsum(goodputs.values()) / len(goodputs)
            if mean <= 0.0:
                continue
            for name, own in goodputs.items():
                shares[name].append(own / mean)
                better = sum(other > own for other in goodputs.values())
                equal = sum(other == own for other in goodputs.values())
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
            cells.append(cell(map(panel.measure, runs), panel.scale, none="none arrived"))
        rows.append((f"{x:g}", *cells))
    over = f"{seeds_of(grid)} placements"
    note = f"Means with 95 % Student-t intervals over {over}; of delay, those in which anything arrived."
    return ReportTable(panel.label, (sweep.label, *ground.VARIANTS.values()), tuple(rows), note)
