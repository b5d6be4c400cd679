"""Distributions of a comparison's values: boxes, cumulative shares, and one metric against another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.transports import transport_title
from hoplab.figures.build import interval_curve, means_of
from hoplab.figures.draw import drawing, finish, new_axes
from hoplab.figures.model import Curve, Figure
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
            ax.step(x, y, where="post", color=look.color, linestyle=dash, label=_name(point, labels))
        ax.set_ylim(0.0, 1.0)
        finish(ax, relabeled(spec.name, labels, spec.axis), "share of flows", style)
    return ax


def draw_boxes(comparison: Comparison, metric: str, labels: Labels, ax: Axes | None, style: str) -> Axes:
    """Quartiles over flows and seeds, whiskers to the last value within 1.5 interquartile ranges, a box per point."""
    spec = metric_of(metric)
    with drawing(style):
        ax = new_axes() if ax is None else ax
        names = [_name(point, labels) for point in comparison.points]
        columns = [_per_flow(point, spec) for point in comparison.points]
        boxes = ax.boxplot(columns, tick_labels=names, widths=0.5, patch_artist=True, medianprops={"color": "black"})
        for slot, box in enumerate(boxes["boxes"]):
            box.set(facecolor=ink(slot).color, alpha=0.5)
        finish(ax, "", relabeled(spec.name, labels, spec.axis), style)
        if len(names) > MOST_LEVEL_NAMES:
            ax.tick_params("x", rotation=30)
    return ax


MOST_LEVEL_NAMES = 5
"""Names of boxes that are written level."""


def draw_scatter(comparison: Comparison, metrics: tuple[str, str], labels: Labels, ax: Axes | None, style: str) -> Axes:
    """A mark per run, and per point the mean with the ellipse of one standard deviation (Winstein 2013)."""
    x_spec, y_spec = map(metric_of, metrics)
    with drawing(style):
        ax = new_axes() if ax is None else ax
        for slot, point in enumerate(comparison.points):
            pairs = _per_run(point, x_spec, y_spec)
            look = ink(slot)
            x, y = [a for a, _ in pairs], [b for _, b in pairs]
            ax.plot(x, y, linestyle="none", marker=look.marker, color=look.color, alpha=0.35, markersize=3)
            mean = (sum(x) / len(x), sum(y) / len(y))
            ax.plot(*mean, linestyle="none", marker=look.marker, color=look.color, label=_name(point, labels))
            around = ellipse(x, y)
            if around is not None:
                ax.fill(*around, facecolor=look.color, edgecolor=look.color, alpha=0.25)
        x_label, y_label = (relabeled(spec.name, labels, spec.axis) for spec in (x_spec, y_spec))
        finish(ax, x_label, y_label, style)
    return ax


ELLIPSE_POINTS = 48
"""Corners of the line that draws an ellipse."""


def ellipse(x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]] | None:
    """The ellipse of one standard deviation; none for fewer than three runs, or where they lie on a line."""
    import numpy as np

    if len(x) < 3:
        return None
    values, vectors = np.linalg.eigh(np.cov(x, y))
    if values[0] <= 0.0:
        return None
    turn = np.linspace(0.0, 2.0 * math.pi, ELLIPSE_POINTS + 1)
    points = vectors @ (np.sqrt(values)[:, None] * np.array([np.cos(turn), np.sin(turn)]))
    return (points[0] + np.mean(x)).tolist(), (points[1] + np.mean(y)).tolist()


def scatter_figure(
    comparison: Comparison, at: tuple[tuple[str, Any], ...], metrics: tuple[str, str] = ("delay_mean_s", "goodput_bps")
) -> Figure | None:
    """One metric against another at one setting; None without two transports that have both in every run."""
    x_spec, y_spec = map(metric_of, metrics)
    curves: list[Curve] = []
    for slot, name in enumerate(comparison.transports):
        point = next(p for p in comparison.points if p.transport == name and p.at == at)
        if any(len(point.runs.values(spec.name)) != len(point.runs) for spec in (x_spec, y_spec)):
            continue
        pairs = _per_run(point, x_spec, y_spec)
        x, y = [a for a, _ in pairs], [b for _, b in pairs]
        mean = point.runs.interval(y_spec.name)
        title = relabeled(name, None, transport_title(name))
        curves.append(interval_curve(title, [sum(x) / len(x)], [mean], y_spec.scale, slot=slot))
        curves.append(Curve("", x, y, style="marks", slot=slot))
        around = ellipse(x, y)
        if around is not None:
            curves.append(Curve("", *around, style="outline", slot=slot))
    if sum(bool(curve.name) for curve in curves) < 2:
        return None
    where = "".join(f", {axis_title(key)} = {value}" for key, value in at)
    return Figure(
        id=f"{y_spec.name}-against-{x_spec.name}".replace("_", "-"),
        title=f"{y_spec.label} against {x_spec.label.lower()}{where}",
        x_label=x_spec.axis,
        y_label=y_spec.axis,
        curves=tuple(curves),
        caption=f"{means_of(len(comparison.seeds))}; hollow marks: single runs; ellipse: one standard deviation around "
        "the mean. Up and to the left is better.",
        y_from_zero=False,
    )


def _name(point: Point, labels: Labels) -> str:
    title = relabeled(point.transport, labels, transport_title(point.transport))
    return ", ".join([title, *(f"{relabeled(k, labels, axis_title(k))} = {v}" for k, v in point.at)])


def _per_flow(point: Point, spec: Metric) -> list[float]:
    """Values of all flows and seeds that have one, in the metric's unit."""
    column: np.ndarray[Any, Any] = point.runs.flows[spec.name]
    values = [float(value) * spec.scale for value in column if math.isfinite(value)]
    return values or _refuse(point, spec)


def _per_run(point: Point, x_spec: Metric, y_spec: Metric) -> list[tuple[float, float]]:
    """Pairs of values of the runs that have both, flows added up or averaged as the metrics say."""
    columns = [point.runs.values(spec.name) for spec in (x_spec, y_spec)]
    for spec, column in zip((x_spec, y_spec), columns, strict=True):
        if len(column) != len(point.runs):
            _refuse(point, spec)
    return [(x * x_spec.scale, y * y_spec.scale) for x, y in zip(*columns, strict=True)]


def _refuse(point: Point, spec: Metric) -> Any:
    raise InputError(f"{spec.name}: {point.transport} has no value in some or all runs", hint="leave it out")
