"""Figures of a stored sweep: each metric over one axis, a curve for every setting of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import ALL_METRICS, Metric, usual_of_runs
from hoplab.base.transports import transport_title
from hoplab.figures.build import interval_curve, means_of
from hoplab.figures.model import Curve, Figure
from hoplab.figures.titles import axis_title, numbers_of

if TYPE_CHECKING:
    from hoplab.stats import Interval
    from hoplab.store import Results

SHOWN_AT_FIRST = 8
"""Curves of a figure that are on when it is opened; a reader switches the others on."""
MOST_CURVES = 64
"""More curves than this are left out of a figure; the table has every point."""


def sweep_figures(
    results: Results,
    intervals: Mapping[str, Mapping[int, Interval | None]],
    chosen: Sequence[Metric] | None = None,
) -> list[Figure]:
    """One figure for each metric that some run defines and that is not zero throughout.

    Parameters
    ----------
    results : Results
        The sweep.
    intervals : mapping
        Column name of each metric to point to its interval.
    chosen : sequence of Metric, optional
        The metrics to draw; by default the usual ones.
    """
    layout = _layout(results)
    drawn = usual_of_runs() if chosen is None else chosen
    names = dict.fromkeys([results.catalog.measure, *(metric.name for metric in drawn)])
    return [
        _figure(layout, ALL_METRICS[name], intervals[name])
        for name in names
        if any(found is not None and found.mean != 0.0 for found in intervals.get(name, {}).values())
    ]


@dataclass(frozen=True)
class _Layout:
    """Layout of points, shared by all metrics."""

    axis: str
    x_label: str
    x_names: tuple[str, ...]
    curves: Mapping[str, Sequence[tuple[float, int]]]
    """Curve name to the x and the point of each of its values, in order."""
    integer: bool
    compared: bool


def _layout(results: Results) -> _Layout:
    catalog = results.catalog
    values = {key: list(dict.fromkeys(_plain(p.settings[key]) for p in catalog.points)) for key in catalog.axes}
    axis = _first_axis(catalog.axes, catalog.compare, values)
    if axis is None:
        curves = {"": [(0.0, point.point) for point in catalog.points]}
        return _Layout("", "the scenario", ("",), curves, integer=True, compared=False)
    numbers, unit = numbers_of(values[axis])
    place = dict(zip(values[axis], numbers or map(float, range(len(values[axis]))), strict=True))
    along = {key for key in catalog.axes if _follows(catalog.points, key, axis)}
    named: dict[str, list[tuple[float, int]]] = {}
    for point in catalog.points:
        others = {key: value for key, value in point.settings.items() if key not in along}
        name = ", ".join(
            transport_title(str(value))
            if key in catalog.compare or key == "flow.transport"
            else f"{axis_title(key)} = {value}"
            for key, value in sorted(others.items(), key=lambda pair: pair[0] not in catalog.compare)
        )
        named.setdefault(name, []).append((place[_plain(point.settings[axis])], point.point))
    beside = [key for key in along if key != axis]
    label = axis_title(axis, unit)
    return _Layout(
        axis,
        f"{label}, and with it {', '.join(map(axis_title, beside))}" if beside else label,
        () if numbers else tuple(map(str, values[axis])),
        {name: sorted(places) for name, places in named.items()},
        integer=not numbers or all(isinstance(value, int) for value in values[axis]),
        compared=bool(set(catalog.compare) & set(catalog.axes)),
    )


def _first_axis(axes: Sequence[str], compare: Sequence[str], values: Mapping[str, Sequence[Any]]) -> str | None:
    """The first axis with several values that is not there to be compared, else the first with several, else any."""
    several = [key for key in axes if len(values[key]) > 1]
    free = [key for key in several if key not in compare]
    return next(iter([*free, *several, *axes]), None)


def _follows(points: Sequence[Any], key: str, axis: str) -> bool:
    """Whether an axis has one value at each value of the other, as zipped axes have."""
    seen: dict[Any, Any] = {}
    return all(seen.setdefault(_plain(p.settings[axis]), p.settings[key]) == p.settings[key] for p in points)


def _figure(layout: _Layout, spec: Metric, intervals: Mapping[int, Interval | None]) -> Figure:
    curves: list[Curve] = []
    for slot, (name, places) in enumerate(layout.curves.items()):
        x = [x for x, _ in places]
        curve = interval_curve(name or spec.label.lower(), x, [intervals[p] for _, p in places], spec.scale, slot=slot)
        if curve.counts:
            curves.append(replace(curve, shown=len(curves) < SHOWN_AT_FIRST))
    several = any(n > 1 for curve in curves for n in curve.counts)
    caption = "Mean over the seeds with its 95 % Student-t interval, per point." if several else f"{means_of(1)}."
    if layout.compared:
        caption += " What is compared runs the same seeds."
    if len(curves) > SHOWN_AT_FIRST:
        caption += f" {SHOWN_AT_FIRST} of {len(curves)} curves are on at first."
    if len(curves) > MOST_CURVES:
        caption += f" The first {MOST_CURVES} are drawn; the table has all points."
    return Figure(
        id=f"{spec.name}-over-{layout.axis or 'nothing'}".replace(".", "-").replace("_", "-").lower(),
        title=f"{spec.label} against {axis_title(layout.axis)}" if layout.axis else spec.label,
        x_label=layout.x_label,
        y_label=spec.axis,
        curves=tuple(curves[:MOST_CURVES]),
        caption=caption,
        integer_x=layout.integer,
        x_names=layout.x_names,
    )


def _plain(value: Any) -> Any:
    """A setting as a key: lists, which an axis may hold, as tuples."""
    return tuple(map(_plain, value)) if isinstance(value, list) else value
