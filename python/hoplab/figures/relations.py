"""One metric of a comparison against another, and how both change along an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.transports import transport_title
from hoplab.figures.build import comparison_figure, interval_curve, means_of
from hoplab.figures.distributions import Labels, point_name, refuse
from hoplab.figures.draw import draw, drawing, finish, new_axes
from hoplab.figures.model import Curve, Figure
from hoplab.figures.palette import INKS, ink
from hoplab.figures.titles import axis_title, relabeled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hoplab.running.comparing import Comparison, Point
    from hoplab.stats import Interval


def draw_against(comparison: Comparison, names: tuple[str, str], labels: Labels, ax: Axes | None, style: str) -> Axes:
    """See `Comparison.plot_against`."""
    key = _axis_of(comparison, names[0])
    if key is not None:
        figure = comparison_figure(comparison, names[1], over=key, labels=labels)
        _refuse_many(len(figure.curves))
        return draw(figure, ax=ax, style=style)
    x_spec, y_spec = map(metric_of, names)
    if not comparison.axes:
        _refuse_many(len(comparison.transports))
        return _draw_scatter(comparison, (x_spec, y_spec), labels, ax, style)
    return _draw_lines(comparison, (x_spec, y_spec), labels, ax, style)


def _axis_of(comparison: Comparison, name: str) -> str | None:
    """The key of the axis of this name; None if there is none."""
    try:
        return comparison.axis_key(name)
    except InputError:
        return None


def _refuse_many(count: int) -> None:
    """Refuse more series than looks: two of one look cannot be distinguished."""
    if count > len(INKS):
        raise UsageError(
            f"{count} series, expected at most {len(INKS)}: colors and markers repeat beyond",
            hint="draw a part: comparison.only(['new_reno', 'vegas'], hops=4).plot_against(...), and others beside it",
        )


def _draw_lines(
    comparison: Comparison, specs: tuple[Metric, Metric], labels: Labels, ax: Axes | None, style: str
) -> Axes:
    """A line per transport, and per value of axes but the first, through its means; the ends have the axis's values."""
    key = next(iter(comparison.axes))
    lines: dict[str, list[Point]] = {}
    for point in comparison.points:
        others = [f"{relabeled(k, labels, axis_title(k))} = {v}" for k, v in point.at if k != key]
        title = relabeled(point.transport, labels, transport_title(point.transport))
        lines.setdefault(", ".join([title, *others]), []).append(point)
    _refuse_many(len(lines))
    with drawing(style):
        ax = new_axes() if ax is None else ax
        means = [_draw_line(ax, line, specs, key, slot) for slot, line in enumerate(lines.items())]
        if min(x for x, _ in means) >= 0.0 > ax.get_xlim()[0]:
            ax.set_xlim(left=0.0)  # only intervals are below it
        if min(y for _, y in means) >= 0.0 > ax.get_ylim()[0]:
            ax.set_ylim(bottom=0.0)
        words = relabeled(key, labels, axis_title(key))
        place: dict[str, Any] = {"transform": ax.transAxes, "ha": "right", "va": "bottom"}
        ax.text(1.0, 1.01, f"numbers: {words}", size="small", color="0.35", **place)
        x_label, y_label = (relabeled(spec.name, labels, spec.axis) for spec in specs)
        finish(ax, x_label, y_label, style)
    return ax


def _draw_line(
    ax: Axes, line: tuple[str, Sequence[Point]], specs: tuple[Metric, Metric], key: str, slot: int
) -> tuple[float, float]:
    """Draw a line of points, with its name; returns the least mean of each metric."""
    look, (name, points) = ink(slot), line
    x, y = ([_scaled(point, spec) for point in points] for spec in specs)
    at = ([one.mean for one in x], [one.mean for one in y])
    dash: Any = (0, look.dash) if look.dash else "-"
    ax.plot(*at, color=look.color, linestyle=dash, linewidth=1.2, marker=look.marker, markersize=4, label=name)
    bars: dict[str, Any] = {"color": look.color, "linewidth": 0.8, "alpha": 0.6}
    for one, other in zip(x, y, strict=True):
        if one.low is not None and one.high is not None:
            ax.hlines(other.mean, one.low, one.high, **bars)
        if other.low is not None and other.high is not None:
            ax.vlines(one.mean, other.low, other.high, **bars)
    for index in dict.fromkeys((0, len(points) - 1)):
        ax.annotate(
            str(points[index].value(key)),
            (at[0][index], at[1][index]),
            xytext=(4.0, 4.0),
            textcoords="offset points",
            color=look.color,
            size="small",
        )
    return min(at[0]), min(at[1])


def _scaled(point: Point, spec: Metric) -> Interval:
    """Mean and interval of a metric at a point, in its unit."""
    found = point.runs.interval(spec.name)
    return refuse(point, spec) if found is None else found.scaled(spec.scale)


def _draw_scatter(
    comparison: Comparison, specs: tuple[Metric, Metric], labels: Labels, ax: Axes | None, style: str
) -> Axes:
    """A mark per run, and per point the mean with the ellipse of one standard deviation (Winstein 2013)."""
    x_spec, y_spec = specs
    with drawing(style):
        ax = new_axes() if ax is None else ax
        for slot, point in enumerate(comparison.points):
            pairs = _per_run(point, x_spec, y_spec)
            look = ink(slot)
            x, y = [a for a, _ in pairs], [b for _, b in pairs]
            ax.plot(x, y, linestyle="none", marker=look.marker, color=look.color, alpha=0.35, markersize=3)
            mean = (sum(x) / len(x), sum(y) / len(y))
            ax.plot(*mean, linestyle="none", marker=look.marker, color=look.color, label=point_name(point, labels))
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


def _per_run(point: Point, x_spec: Metric, y_spec: Metric) -> list[tuple[float, float]]:
    """Pairs of values of the runs that have both, flows added up or averaged as the metrics say."""
    columns = [point.runs.values(spec.name) for spec in (x_spec, y_spec)]
    for spec, column in zip((x_spec, y_spec), columns, strict=True):
        if len(column) != len(point.runs):
            refuse(point, spec)
    return [(x * x_spec.scale, y * y_spec.scale) for x, y in zip(*columns, strict=True)]
