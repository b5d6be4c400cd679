"""Places and movements in scripts for ns-2.35.

ns-2 requires positions and destinations inside the topography, and refuses others, partly without an error: the whole
plane is shifted so that all coordinates are at least `EDGE_M`. Jumps are refused, because ns-2 sorts its neighbor list
by position and may loop endlessly after one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoplab.base.errors import InputError
from hoplab.scenario.trajectories import Point, Trajectory

EDGE_M = 10.0
"""Distance of the outermost places from the border of the topography."""


class JumpError(InputError):
    """A node is in two places at one time."""


@dataclass(frozen=True)
class Ground:
    """The topography: how far the plane is shifted, and its sides, in m."""

    shift: Point
    width_m: int
    height_m: int

    def place(self, place: Point) -> Point:
        """A place in the script of ns-2."""
        return place[0] + self.shift[0], place[1] + self.shift[1]


def ground_of(trajectories: Sequence[Trajectory]) -> Ground:
    """A topography with room for all trajectories."""
    corners = [corner for trajectory in trajectories for corner in trajectory.corners()]
    xs, ys = ([corner[axis] for corner in corners] for axis in (0, 1))
    width_m, height_m = (math.ceil(max(v) - min(v) + 2 * EDGE_M) for v in (xs, ys))
    return Ground((EDGE_M - min(xs), EDGE_M - min(ys)), width_m, height_m)


def statements(trajectories: Sequence[Trajectory], ground: Ground, shift_s: float, end_s: float) -> Iterator[str]:
    """`setdest` statements of all nodes in order of time, up to the end of the run.

    Raises
    ------
    JumpError
        If a node jumps.
    """
    found: list[tuple[float, int, str]] = []
    for node, trajectory in enumerate(trajectories):
        here = trajectory.start
        for leg in trajectory.legs:
            if leg.begin_s > end_s:
                break
            if leg.start != here or leg.end_s == leg.begin_s:
                raise JumpError(
                    f"ns-2.35 does not support the jump of node {node} at {leg.begin_s} s: it may never end"
                )
            x, y = ground.place(leg.end)
            found.append((leg.begin_s, node, f"$nd({node}) setdest {x!r} {y!r} {leg.speed_mps!r}"))
            here = leg.end
    if found:
        yield "# movements"
    for at_s, _, statement in sorted(found):
        yield f'$ns at {shift_s + at_s!r} "{statement}"'
