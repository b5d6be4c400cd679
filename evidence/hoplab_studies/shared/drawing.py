"""Curves and cells of tables as all studies have them: means over seeds with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hoplab.figures.build import interval_curve, means_of
from hoplab.figures.model import Curve
from hoplab_studies.shared.numbers import interval
from hoplab_studies.shared.study import Grid
from hoplab_studies.shared.verdict import shown


def curve(
    label: str, x: Iterable[float], points: Sequence[Iterable[float | None]], scale: float, *, slot: int
) -> Curve:
    """A curve through points, each given by its seeds' numbers; where no seed has the number there is a gap."""
    return interval_curve(label, [float(value) for value in x], [interval(point) for point in points], scale, slot=slot)


def cell(numbers: Iterable[float | None], scale: float = 1.0, *, none: str = "-") -> str:
    """A mean with its interval, for a table; `none` where no seed has the number."""
    found = interval(numbers)
    return none if found is None else shown(found.scaled(scale))


def seeds_of(grid: Grid) -> int:
    """Seeds per point."""
    return len(next(iter(grid.points.values())))


def per_point(grid: Grid) -> str:
    """The start of a caption: how many runs each point has."""
    return f"{means_of(seeds_of(grid))} per point."
