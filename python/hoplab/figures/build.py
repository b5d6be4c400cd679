"""Make figures from results: every point a mean with its interval, every caption with n."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.transports import transport_title
from hoplab.figures.model import Curve, Figure, Style
from hoplab.figures.titles import axis_title, numbers_of, relabeled
from hoplab.stats import Interval, mean_interval
from hoplab.stats.interval import t_quantile

if TYPE_CHECKING:
    import numpy as np

    from hoplab.running.comparing import Comparison
    from hoplab.running.runs import Runs


def comparison_figure(
    comparison: Comparison,
    metric: str = "goodput_bps",
    *,
    over: str | None = None,
    figure_id: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Figure:
    """A metric against one axis of a comparison, one curve per transport and per value of the other axes.

    `labels` replaces the words for transports, axes (by key) and the metric (by column).
    """
    spec = metric_of(metric)
    if not comparison.axes:
        return _dots(comparison, spec, figure_id, labels)
    key = comparison.axis_key(over) if over else next(iter(comparison.axes))
    values = comparison.axes[key]
    numbers, unit = numbers_of(values)
    x = numbers or [float(i) for i in range(len(values))]
    curves: list[Curve] = []
    others = list(dict.fromkeys(_others(setting, key) for setting in comparison.settings()))
    for transport in comparison.transports:
        for other in others:
            intervals = [
                comparison.runs_at(transport, setting).interval(metric)
                for setting in comparison.settings()
                if _others(setting, key) == other
            ]
            title = relabeled(transport, labels, transport_title(transport))
            name = ", ".join([title, *(f"{relabeled(k, labels, axis_title(k))} = {v}" for k, v in other)])
            curves.append(interval_curve(name, x, intervals, spec.scale, slot=len(curves)))
    return Figure(
        id=figure_id or f"{spec.name}-over-{key}".replace(".", "-").replace("_", "-"),
        title=f"{spec.label} against {relabeled(key, labels, axis_title(key))}",
        x_label=relabeled(key, labels, axis_title(key, unit)),
        y_label=relabeled(spec.name, labels, spec.axis),
        curves=tuple(curves),
        caption=f"{means_of(len(comparison.seeds))} per point; all transports run the same seeds.",
        integer_x=not numbers or all(isinstance(value, int) for value in values),
        x_names=() if numbers else tuple(map(str, values)),
    )


def _dots(comparison: Comparison, spec: Metric, figure_id: str | None, labels: Mapping[str, str] | None) -> Figure:
    """A metric of each transport with its interval, where there is no axis."""
    names = tuple(relabeled(name, labels, transport_title(name)) for name in comparison.transports)
    curves = [
        interval_curve(names[i], [float(i)], [comparison.runs(transport).interval(spec.name)], spec.scale, slot=i)
        for i, transport in enumerate(comparison.transports)
    ]
    return Figure(
        id=figure_id or spec.name.replace("_", "-"),
        title=spec.label,
        x_label="transport",
        y_label=relabeled(spec.name, labels, spec.axis),
        curves=tuple(curves),
        caption=f"{means_of(len(comparison.seeds))}; all transports run the same seeds.",
        integer_x=True,
        x_names=names,
        y_from_zero=False,
    )


MOST_FLOWS = 12
"""Flows up to which a comparison has a figure of each flow."""


def flows_figure(comparison: Comparison, metric: str = "goodput_bps") -> Figure | None:
    """A metric of each flow and transport as dots with intervals; None with an axis, one flow, or many."""
    spec = metric_of(metric)
    flows = comparison.points[0].runs.lasting
    if comparison.axes or not 1 < len(flows) <= MOST_FLOWS:
        return None
    step = 0.6 / max(len(comparison.transports), 2)
    curves = []
    for slot, name in enumerate(comparison.transports):
        runs = comparison.runs(name)
        beside = (slot - (len(comparison.transports) - 1) / 2) * step
        x = [i + beside for i in range(len(flows))]
        intervals = [runs.interval(spec.name, flow.id) for flow in flows]
        curve = interval_curve(transport_title(name), x, intervals, spec.scale, slot=slot)
        curves.append(replace(curve, style="dots"))
    return Figure(
        id=f"{spec.name}-by-flow".replace("_", "-"),
        title=f"{spec.label} of each flow",
        x_label="flow",
        y_label=spec.axis,
        curves=tuple(curves),
        caption=f"{means_of(len(comparison.seeds))}; all transports run the same seeds.",
        integer_x=True,
        x_names=_paths_of(comparison.points[0].runs),
    )


def seeds_figure(runs: Runs, spec: Metric) -> Figure:
    """A metric of the only flow by seed: a mark per run, and the mean with its interval as a band."""
    flow = runs.lasting[0]
    marks = [(float(run.seed), value * spec.scale) for run in runs if (value := run.value(spec.name)) is not None]
    curves = [Curve("runs", [x for x, _ in marks], [y for _, y in marks], style="marks")]
    mean = runs.interval(spec.name)
    if mean is not None and mean.low is not None and mean.high is not None:
        ends = [min(run.seed for run in runs) - 0.5, max(run.seed for run in runs) + 0.5]
        y, low, high = ([end * spec.scale] * 2 for end in (mean.mean, mean.low, mean.high))
        curves.append(Curve("mean", ends, y, low, high, mean.n, "line", slot=1))
    return Figure(
        id=spec.name.replace("_", "-"),
        title=f"{spec.label}, {runs.scenario.name}",
        x_label="seed",
        y_label=spec.axis,
        curves=tuple(curves),
        caption=f"{transport_title(flow.transport)}, {runs.ends_in_words(flow.id)}. {means_of(len(runs))}, as a band; "
        "hollow marks: single runs.",
        integer_x=True,
        y_from_zero=False,
    )


def runs_figure(runs: Runs, metric: str = "goodput_bps") -> Figure:
    """A metric per flow: the mean with its interval, each seed as a mark; of one flow over several seeds by seed."""
    spec = metric_of(metric)
    flows = runs.lasting
    if len(flows) == 1 < len(runs):
        return seeds_figure(runs, spec)
    curves = []
    for slot, flow in enumerate(flows):
        values = runs.values(metric, flow.id)
        interval = mean_interval(values) if values else None
        ends = runs.ends_of(flow.id)
        name = ", ".join([f"flow {flow.id}: {transport_title(flow.transport)}", *([" to ".join(ends)] if ends else [])])
        curves.append(interval_curve(name, [float(slot)], [interval], spec.scale, slot=slot))
        marks = [value * spec.scale for value in values]
        beside = [slot + 0.05 + 0.3 * (i + 1) / len(marks) for i in range(len(marks))]  # seed by seed
        curves.append(Curve("", beside, marks, style="marks", slot=slot))
    return Figure(
        id=spec.name.replace("_", "-"),
        title=f"{spec.label}, {runs.scenario.name}",
        x_label="flow",
        y_label=spec.axis,
        curves=tuple(curves),
        caption=f"{means_of(len(runs))}; hollow marks: single runs.",
        integer_x=True,
        x_names=_paths_of(runs),
    )


def _paths_of(runs: Runs) -> tuple[str, ...]:
    """Number and ends of each flow; of one that `[traffic]` draws anew for each seed, the number."""
    return tuple(
        f"{flow.id}: {' to '.join(ends)}" if (ends := runs.ends_of(flow.id)) else str(flow.id) for flow in runs.lasting
    )


def cwnd_figure(
    named: Sequence[tuple[str, Runs, int]], *, start_s: float = 0.0, figure_id: str = "cwnd", title: str = ""
) -> Figure:
    """Congestion window of flows against time: mean over seeds with a band, and each first seed as a step line.

    Parameters
    ----------
    named : sequence of (str, Runs, int)
        Label, replications that were run with `series_interval_s`, and the flow.
    start_s : float
        Time to count from, in s; samples before it are left out.
    """
    curves: list[Curve] = []
    single: list[Curve] = []
    most = 0
    for slot, (name, runs, flow) in enumerate(named):
        times, matrix, first = _windows(runs, flow, start_s)
        n = len(matrix)
        most = max(most, n)
        mean, half = _mean_band(matrix)
        style: Style = "line"
        low = [max(m - h, 0.0) for m, h in zip(mean, half, strict=True)] if n > 1 else None
        high = [m + h for m, h in zip(mean, half, strict=True)] if n > 1 else None
        curves.append(Curve(name, times, mean, low, high, n, style, slot))
        label = f"{name}, seed {first} alone".lstrip(", ")
        single.append(Curve(label, times, matrix[0].tolist(), None, None, None, "step", slot, shown=False))
    return Figure(
        id=figure_id,
        title=title or "Congestion window",
        x_label="time since the flow's start (s)" if start_s else "time (s)",
        y_label="congestion window (segments)",
        curves=tuple(curves + single),
        caption=f"{means_of(most)}{', as a band' if most > 1 else ''}. "
        "Switched off at first: one run alone, which shows the saw-tooth that a mean levels out.",
    )


def interval_curve(
    name: str, x: Sequence[float], intervals: Sequence[Interval | None], scale: float, *, slot: int
) -> Curve:
    """Means with their intervals as a curve; a missing interval is a gap."""
    scaled = [None if interval is None else interval.scaled(scale) for interval in intervals]
    y = [math.nan if i is None else i.mean for i in scaled]
    low = [math.nan if i is None or i.low is None else i.low for i in scaled]
    high = [math.nan if i is None or i.high is None else i.high for i in scaled]
    counts = [0 if i is None else i.n for i in scaled]
    found = set(counts) - {0}
    n = counts if len(found) > 1 else max(found, default=0)
    return Curve(name, list(x), y, low, high, n, "points", slot)


def means_of(n: int) -> str:
    """Description of the points, the start of a caption."""
    return f"Mean and 95 % Student-t interval of {n} runs" if n > 1 else "One run, without an interval"


def _windows(runs: Runs, flow: int, start_s: float) -> tuple[list[float], np.ndarray[Any, Any], int]:
    """Sample times and one row of windows per seed that has the flow, from `start_s` on, and the first such seed."""
    import numpy as np

    found = []
    for run in runs:
        chosen = (run.series["flow"] == flow) & (run.series["t_s"] >= start_s)
        if chosen.any():
            found.append((run.series["t_s"][chosen] - start_s, run.series["cwnd"][chosen], run.seed))
    if not found:
        raise InputError(f"flow {flow}: no series recorded", hint="pass series_interval_s=0.1 to run()")
    shortest = min(len(row) for _, row, _ in found)
    matrix = np.vstack([row[:shortest] for _, row, _ in found])
    return found[-1][0][:shortest].tolist(), matrix, found[0][2]


def _mean_band(matrix: np.ndarray[Any, Any]) -> tuple[list[float], list[float]]:
    """Mean and Student-t half-width over the rows of a (seeds, times) array."""
    n = len(matrix)
    mean: list[float] = matrix.mean(axis=0).tolist()
    if n == 1:
        return mean, [0.0] * len(mean)
    half: list[float] = (t_quantile(n - 1, 0.95) * matrix.std(axis=0, ddof=1) / math.sqrt(n)).tolist()
    return mean, half


def _others(setting: tuple[tuple[str, Any], ...], key: str) -> tuple[tuple[str, Any], ...]:
    return tuple((k, v) for k, v in setting if k != key)
