"""Map of a run's nodes: paths of flows, hidden and exposed terminals. Lengths in pixels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hoplab.scenario.trajectories import Point

WIDTH = 760.0
HEIGHTS = (150.0, 460.0)
"""Minimum and maximum height of the area with nodes."""
MARGIN = 46.0
BEND = 0.2
"""Distance of an arc from the straight line, as a share of its length."""
BENDS = (26.0, 90.0)
"""Minimum and maximum of that distance."""
NAMED = 30
"""Up to this number of nodes all are labeled, above it only those with a role or a mark."""
RULER, RULER_TEXT = 14.0, 190.0
"""Distance of a ruler from the edge, and room for its text."""
LABEL = 20.0
"""Half the width of an arc's label, with a gap."""
NODE_RADIUS = 11.0
DOT_RADIUS = 4.0


@dataclass(frozen=True)
class Spot:
    """A node. `role` is `end` (of a flow), `relay`, `narrow` (a bottleneck), or nothing; so is `name` without one."""

    node: int
    x: float
    y: float
    role: str
    is_named: bool
    name: str = ""

    @property
    def radius(self) -> float:
        """Radius of its disk."""
        return NODE_RADIUS if self.is_named else DOT_RADIUS


@dataclass(frozen=True)
class Line:
    """A straight line; `kind` is its CSS class."""

    kind: str
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Arc:
    """A bent line with a label at its middle."""

    kind: str
    label: str
    title: str
    path: str
    x: float
    y: float


@dataclass(frozen=True)
class Ruler:
    """A distance at the scale of the map."""

    text: str
    x: float
    y: float
    width: float


@dataclass
class TopologyMap:
    """A map, drawn bottom up in the order of its attributes.

    It reaches from `left` to `right`, around nodes, arcs and rulers, and down to `bottom`; it starts at 0, or above it
    where an arc needs the room.
    """

    right: float
    bottom: float
    left: float = 0.0
    top: float = 0.0
    lines: list[Line] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)
    rulers: list[Ruler] = field(default_factory=list)


class Scale:
    """Meters to pixels: one factor for both axes, x to the right, y down."""

    def __init__(self, places: Sequence[Point]) -> None:
        xs, ys = [x for x, _ in places], [y for _, y in places]
        wide, high = max(xs) - min(xs), max(ys) - min(ys)
        most = HEIGHTS[1] - 2 * MARGIN
        self.factor = min((WIDTH - 2 * MARGIN) / wide if wide else math.inf, most / high if high else math.inf)
        if math.isinf(self.factor):
            self.factor = 1.0
        self.height = max(HEIGHTS[0], high * self.factor + 2 * MARGIN)
        self._left = (WIDTH - wide * self.factor) / 2 - min(xs) * self.factor
        self._top = (self.height - high * self.factor) / 2 - min(ys) * self.factor

    def at(self, place: Point) -> Point:
        """A position in pixels."""
        return place[0] * self.factor + self._left, place[1] * self.factor + self._top


@dataclass(frozen=True)
class Mark:
    """A marked pair: an arc between two nodes, and their links."""

    kind: str
    label: str
    title: str
    between: tuple[int, int]
    links: tuple[tuple[int, int], ...]


def topology_map(  # noqa: PLR0913 (all but three by keyword)
    places: Sequence[Point],
    paths: Iterable[Sequence[int]],
    marks: Sequence[Mark],
    *,
    ends: Iterable[int] = (),
    narrow: Iterable[int] = (),
    names: Mapping[int, str] | None = None,
    ranges_m: Sequence[tuple[str, float]] = (),
) -> TopologyMap:
    """Lay out a map.

    Parameters
    ----------
    places : sequence of (x, y)
        Positions of the nodes, in m.
    paths : iterable of sequence of int
        Nodes of each flow's path, its source first.
    ends, narrow : iterable of int
        Endpoints of flows, and bottlenecks.
    names : mapping, optional
        Names of nodes by number, below their disks.
    ranges_m : sequence of (name, meters)
        Ranges drawn to scale below the map; those wider than the map are left out.
    """
    scale = Scale(places)
    paths = [list(path) for path in paths]
    drawn = TopologyMap(WIDTH, scale.height)
    for path in paths:
        for a, b in itertools.pairwise(path):
            drawn.lines.append(Line("path", *scale.at(places[a]), *scale.at(places[b])))
    used: dict[tuple[int, int], int] = {}
    for mark in sorted(marks, key=lambda mark: mark.kind != "hidden"):  # the broad lines first
        for a, b in mark.links:
            drawn.lines.append(Line(f"link {mark.kind}", *scale.at(places[a]), *scale.at(places[b])))
        pair = (min(mark.between), max(mark.between))
        turn = used.get(pair, 0)
        used[pair] = turn + 1
        start, end = (scale.at(places[node]) for node in mark.between)
        drawn.arcs.append(_arc(mark, start, end, turn, [(arc.x, arc.y) for arc in drawn.arcs]))
    xs = [scale.at(place)[0] for place in places]
    drawn.left, drawn.right = min(xs) - MARGIN, max(xs) + MARGIN
    for arc in drawn.arcs:
        drawn.left, drawn.right = min(drawn.left, arc.x - LABEL), max(drawn.right, arc.x + LABEL)
        drawn.top, drawn.bottom = min(drawn.top, arc.y - LABEL), max(drawn.bottom, arc.y + LABEL)
    roles = _roles(paths, ends, narrow, marks)
    for node, place in enumerate(places):
        is_named = len(places) <= NAMED or node in roles
        drawn.spots.append(Spot(node, *scale.at(place), roles.get(node, ""), is_named, (names or {}).get(node, "")))
    drawn.spots.sort(key=lambda spot: (spot.is_named, spot.node))  # labeled disks on top
    for name, meters in ranges_m:
        width = meters * scale.factor
        if width <= WIDTH - 2 * MARGIN:
            y = drawn.bottom + 14.0
            drawn.rulers.append(Ruler(f"{name}: {meters:.0f} m", drawn.left + RULER, y, width))
            drawn.right = max(drawn.right, drawn.left + 2 * RULER + max(width, RULER_TEXT))
            drawn.bottom += 30.0
    return drawn


def _roles(
    paths: Sequence[Sequence[int]], ends: Iterable[int], narrow: Iterable[int], marks: Sequence[Mark]
) -> dict[int, str]:
    """Nodes with a role or a mark; a later role replaces an earlier one."""
    roles: dict[int, str] = {}
    for mark in marks:
        roles.update(dict.fromkeys([*mark.between, *(node for link in mark.links for node in link)], ""))
    for path in paths:
        roles.update(dict.fromkeys(path, "relay"))
    roles.update(dict.fromkeys(ends, "end"))
    roles.update(dict.fromkeys(narrow, "narrow"))
    return roles


ALONG = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)
"""Places of a label along its arc; the first is taken that covers no label before it."""
COVER = (30.0, 22.0)
"""Least distance of two labels, across and down."""


def _arc(mark: Mark, start: Point, end: Point, turn: int, taken: Sequence[Point]) -> Arc:
    """An arc: hidden terminals above the line, exposed terminals below it. Its label covers none of `taken`."""
    if start[0] > end[0]:
        start, end = end, start
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    bend = min(max(BEND * length, BENDS[0]), BENDS[1]) * (1.0 + 0.5 * turn)
    side = 1.0 if mark.kind == "exposed" else -1.0
    nx, ny = -dy / length * side, dx / length * side
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    control = (middle[0] + 2 * bend * nx, middle[1] + 2 * bend * ny)
    path = f"M{start[0]:.1f} {start[1]:.1f}Q{control[0]:.1f} {control[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    places = [_on_curve(start, control, end, share) for share in ALONG]
    free = [at for at in places if all(abs(at[0] - x) > COVER[0] or abs(at[1] - y) > COVER[1] for x, y in taken)]
    x, y = (free or places)[0]
    return Arc(mark.kind, mark.label, mark.title, path, x, y)


def _on_curve(start: Point, control: Point, end: Point, share: float) -> Point:
    """A point of a quadratic Bezier curve."""
    a, b, c = (1.0 - share) ** 2, 2.0 * share * (1.0 - share), share**2
    return a * start[0] + b * control[0] + c * end[0], a * start[1] + b * control[1] + c * end[1]
