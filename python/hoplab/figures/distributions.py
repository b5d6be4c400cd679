"""Distributions of a comparison's values: boxes and cumulative shares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.transports import transport_title
from hoplab.figures.draw import drawing, finish, new_axes, slant_names
from hoplab.figures.palette import ink
from hoplab.figures.titles import axis_title, relabeled

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from hoplab.running.comparing import Comparison, Point

Labels = Mapping[str, str] | None


def draw_cdf(comparison: Comparison, metric: str, labels: Labels, ax: Axes | None, style: str) -> Axes:
    """Share of flows (of all seeds) with at most each value, a step line per point."""
    spec = metric_of(metric)
    with drawing(style):
        ax = new_axes() if ax is None else ax
        for slot, point in enumerate(comparison.points):
            values = sorted(_per_flow(point, spec))
            shares = [(i + 1) / len(values) for i in range(len(values))]
            look = ink(slot)
            dash: Any = (0, look.dash) if look.dash else "-"
            x, y = [values[0], *values], [0.0, *shares]
            ax.step(x, y, where="post", color=look.color, linestyle=dash, label=point_name(point, labels))
        ax.set_ylim(0.0, 1.0)
        finish(ax, relabeled(spec.name, labels, spec.axis), "share of flows", style)
    return ax


def draw_boxes(comparison: Comparison, metric: str, labels: Labels, ax: Axes | None, style: str) -> Axes:
    """Quartiles over flows and seeds, whiskers to the last value within 1.5 interquartile ranges, a box per point."""
    spec = metric_of(metric)
    with drawing(style):
        ax = new_axes() if ax is None else ax
        names = [point_name(point, labels) for point in comparison.points]
        columns = [_per_flow(point, spec) for point in comparison.points]
        boxes = ax.boxplot(columns, tick_labels=names, widths=0.5, patch_artist=True, medianprops={"color": "black"})
        for slot, box in enumerate(boxes["boxes"]):
            box.set(facecolor=ink(slot).color, alpha=0.5)
        finish(ax, "", relabeled(spec.name, labels, spec.axis), style)
        slant_names(ax)
    return ax


def point_name(point: Point, labels: Labels) -> str:
    """The title of a point: its transport, and its values on the axes."""
    title = relabeled(point.transport, labels, transport_title(point.transport))
    return ", ".join([title, *(f"{relabeled(k, labels, axis_title(k))} = {v}" for k, v in point.at)])


def _per_flow(point: Point, spec: Metric) -> list[float]:
    """Values of all flows and seeds that have one, in the metric's unit."""
    column: np.ndarray[Any, Any] = point.runs.flows[spec.name]
    values = [float(value) * spec.scale for value in column if math.isfinite(value)]
    return values or refuse(point, spec)


def refuse(point: Point, spec: Metric) -> Any:
    """Raise the error of a point without values."""
    raise InputError(f"{spec.name}: {point.transport} has no value in some or all runs", hint="leave it out")
