"""Trajectories of the nodes of a run, as the engine draws or reads them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hoplab.base.engine import core
from hoplab.base.errors import InputError, OutputError, UsageError, require
from hoplab.base.numbers import check_source_date, seed_of
from hoplab.figures.palette import ink
from hoplab.scenario.radio_links import RadioLinks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hoplab.scenario.model import Scenario

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Leg:
    """Straight motion at constant speed; a jump if it takes no time. Times in s, positions in m."""

    begin_s: float
    start: Point
    end_s: float
    end: Point

    @property
    def speed_mps(self) -> float:
        """Speed in m/s; 0 for a jump."""
        length = ((self.end[0] - self.start[0]) ** 2 + (self.end[1] - self.start[1]) ** 2) ** 0.5
        return length / (self.end_s - self.begin_s) if self.end_s > self.begin_s else 0.0


@dataclass(frozen=True)
class Trajectory:
    """A node's positions over time: `start`, then legs; between and after legs the node is stationary."""

    start: Point
    legs: tuple[Leg, ...]
    _begins: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_begins", tuple(leg.begin_s for leg in self.legs))

    def position(self, t_s: float) -> Point:
        """Position in m at a time in s."""
        begun = bisect_right(self._begins, t_s)
        if begun == 0:
            return self.start
        leg = self.legs[begun - 1]
        if t_s >= leg.end_s:
            return leg.end
        share = (t_s - leg.begin_s) / (leg.end_s - leg.begin_s)
        return tuple(a + (b - a) * share for a, b in zip(leg.start, leg.end, strict=True))  # type: ignore[return-value]

    def corners(self) -> list[Point]:
        """Positions at which motion changes, in order of time."""
        return [self.start, *(place for leg in self.legs for place in (leg.start, leg.end))]


def stationary(places: Iterable[Point]) -> tuple[Trajectory, ...]:
    """Ways of nodes that stay where they are."""
    return tuple(Trajectory(place, ()) for place in places)


def movements(scenario: Scenario, *, seed: int | None = None) -> tuple[Trajectory, ...]:
    """Ways of all nodes in the run with a seed; by default the scenario's own.

    Raises
    ------
    EngineError
        If a random topology is to be connected, and none with this seed is.
    """
    chosen = _seed(scenario, seed)
    answer = json.loads(core().trajectories(scenario.text, scenario.path, list(scenario.overrides), chosen))
    return tuple(
        Trajectory(
            (trajectory["start"][0], trajectory["start"][1]),
            tuple(Leg(t0, (x0, y0), t1, (x1, y1)) for t0, x0, y0, t1, x1, y1 in trajectory["legs"]),
        )
        for trajectory in answer
    )


def setdest(scenario: Scenario, *, seed: int | None = None) -> str:
    """Trajectories as a movement file of ns-2, shifted if ns-2 refuses a coordinate; its head has the shift."""
    return setdest_and_shift(scenario, seed=seed)[0]


def setdest_and_shift(scenario: Scenario, *, seed: int | None = None) -> tuple[str, Point]:
    """A movement file of ns-2, and its shift in m: ns-2 refuses coordinates at or below 0."""
    chosen = _seed(scenario, seed)
    text, shift = core().setdest(scenario.text, scenario.path, list(scenario.overrides), chosen)
    return text, shift


def _seed(scenario: Scenario, seed: int | None) -> int:
    return scenario.seed if seed is None else seed_of(seed)


PICTURES = (".png", ".svg", ".pdf")
"""File name extensions that `preview` supports."""

LABELED = 60
"""Limit of nodes labeled in a preview."""
LABELED_FLOWS = 8
"""Limit of flows drawn in a preview."""
WIDEST = 2.5
"""Width of a listed link that delivers every frame, in points."""


def preview(scenario: Scenario, path: Path, *, seed: int | None = None) -> None:
    """Draw trajectories, starts, links at the start, flows, and ranges around node 0, as a picture.

    Raises
    ------
    InputError
        If the extension of `path` is not supported, or no node has a position.
    OutputError
        If it cannot be written.
    """
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"{path}: unknown picture format, expected {', '.join(PICTURES)}")
    check_source_date()
    require("matplotlib", "a preview")
    try:
        from matplotlib.figure import Figure
    except ValueError as error:  # MPLBACKEND, or a setting of the user's matplotlibrc
        raise UsageError(f"matplotlib cannot be loaded: {str(error)[:200]}", hint="unset MPLBACKEND") from error

    if not scenario.resolve().facts.nodes:
        raise InputError(f"{scenario.path}: no node has a position: there is nothing to draw")
    figure = Figure(figsize=(7.0, 7.0), layout="constrained")
    draw_map(scenario, figure.add_subplot(), seed=seed)
    try:
        figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def draw_map(scenario: Scenario, ax: Axes, *, seed: int | None = None) -> None:
    """Draw trajectories, starts, links at the start, flows, and ranges around node 0.

    Listed links have no range: they are drawn as wide as the better of their delivery ratios. Nodes stand where
    `topology.geo` has them, or else in a circle.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Circle

    trajectories = movements(scenario, seed=seed)
    resolved = scenario.resolve()
    duration_s = float(resolved.data["duration_s"])
    facts = resolved.facts
    paths = [_until(trajectory, duration_s) for trajectory in trajectories]
    ax.add_collection(
        LineCollection([path for path in paths if len(path) > 1], colors=ink(0).color, linewidths=0.7, alpha=0.45)
    )
    starts = [trajectory.start for trajectory in trajectories]
    topology = resolved.data["topology"]
    has_ranges, names = scenario.has_ranges, scenario.node_names
    if len(starts) <= LABELED:
        links, widths = _ranged(starts, facts.rx_range_m) if has_ranges else _listed(scenario, starts, seed)
        ax.add_collection(LineCollection(links, colors="0.75", linewidths=widths, zorder=0))
        for node, (x, y) in enumerate(starts):
            ax.annotate(names.get(node, str(node)), (x, y), xytext=(3, 3), textcoords="offset points", fontsize=7)
        if not has_ranges and links:
            ax.plot([], [], color="0.75", linewidth=WIDEST, label="link, as wide as its delivery ratio")
    ax.plot(*zip(*starts, strict=True), linestyle="none", marker="o", markersize=4, color=ink(1).color, label="start")
    _draw_flows(ax, starts, [(flow["from"], flow["to"]) for flow in resolved.data["flows"]], names)
    ranges = ((facts.rx_range_m, "-", "reception range"), (facts.cs_range_m, "--", "carrier sense"))
    for radius, style, name in ranges if has_ranges else ():
        label = f"{name} of node 0: {radius:.4g} m"
        ax.add_patch(Circle(starts[0], radius, fill=False, linestyle=style, linewidth=0.9, color="0.4", label=label))
    chosen = scenario.seed if seed is None else seed
    is_circle = not has_ranges and not topology.get("placed", False)
    ax.set(
        title=f"{scenario.name}: {len(trajectories)} nodes, {duration_s:g} s, seed {chosen}",
        xlabel="nodes without places, in a circle" if is_circle else "x (m)",
        ylabel="" if is_circle else "y (m)",
        aspect="equal",
    )
    if is_circle:
        ax.set(xticks=[], yticks=[])
    ax.autoscale_view()
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.legend(frameon=False, loc="outside lower center", ncols=2, fontsize=8)


def _ranged(starts: Sequence[Point], reach_m: float) -> tuple[list[tuple[Point, Point]], float]:
    """Links of nodes in reception range, and their width."""
    return [
        (a, b)
        for i, a in enumerate(starts)
        for b in starts[i + 1 :]
        if (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= reach_m**2
    ], 0.6


def _listed(
    scenario: Scenario, starts: Sequence[Point], seed: int | None
) -> tuple[list[tuple[Point, Point]], list[float]]:
    """Listed links that are received, and their widths."""
    found = RadioLinks.of(scenario, seed)
    ratios: dict[tuple[int, int], float] = {}
    for a, b in found.powers:
        if found.is_received(a, b):
            ratios[min(a, b), max(a, b)] = max(ratios.get((min(a, b), max(a, b)), 0.0), found.delivery.get((a, b), 1.0))
    return [(starts[a], starts[b]) for a, b in ratios], [0.3 + (WIDEST - 0.3) * ratio for ratio in ratios.values()]


def _draw_flows(ax: Axes, starts: Sequence[Point], flows: Sequence[tuple[int, int]], names: Mapping[int, str]) -> None:
    """An arrow from source to destination for each flow between nodes with positions."""
    for slot, (source, sink) in enumerate(flows[:LABELED_FLOWS]):
        if max(source, sink) < len(starts):
            style = {
                "arrowstyle": "-|>",
                "color": ink(slot).color,
                "connectionstyle": "arc3,rad=0.15",
                "linewidth": 1.2,
            }
            ax.annotate("", starts[sink], starts[source], arrowprops=style)
            ends = " to ".join(names.get(node, str(node)) for node in (source, sink))
            ax.plot([], [], color=ink(slot).color, linewidth=1.2, label=f"flow {slot}: {ends}")


def _until(trajectory: Trajectory, end_s: float) -> list[Point]:
    """Positions at which motion changes until a time."""
    places = [trajectory.start]
    for leg in trajectory.legs:
        if leg.begin_s >= end_s:
            break
        places += [leg.start, leg.end if leg.end_s <= end_s else trajectory.position(end_s)]
    return places
