"""What stands beside the numbers of a comparison: warnings with their places, the headline of a table, payload."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import Metric, metric_of
from hoplab.running.answers.phrases import axis_words, in_sentence, listed, signed, word_of
from hoplab.stats import Pair, ends_of

if TYPE_CHECKING:
    from hoplab.diagnosis import Finding
    from hoplab.running.answers.differences import Differences
    from hoplab.running.answers.headline import Setting
    from hoplab.running.comparing import Comparison, Point

LISTED = 10
"""Points that a warning names one by one."""
LABELS = 2
"""Measures without a headline that are named."""
DISTINCT_BEYOND = 1.1
"""Distinct payload over goodput in order above which a note states both."""


def warnings_of(comparison: Comparison) -> tuple[str, ...]:
    """Warnings of all points, each once and with the points that it is of, unless it is of all."""
    own: dict[str, list[Point]] = {}
    for point in comparison.points:
        said = {one.text for one in point.runs.diagnosis}
        for text in point.runs.own_warnings:
            if text not in said:
                own.setdefault(text, []).append(point)
    split = [
        f"{', '.join([comparison.names[point.transport], *(f'{key} = {value}' for key, value in point.at)])}: {text}"
        for point in comparison.points
        for text in point.runs.split_warnings[:1]
    ]
    more = [f"the same at {len(split) - LISTED} more points"] if len(split) > LISTED else []
    placed = [f"{_place_of(comparison, points)}{text}" for text, points in own.items()]
    found = [f"{place}{one.text}" for place, one in findings_of(comparison)]
    return (*placed, *found, *_coinciding(comparison), *split[:LISTED], *more)


def findings_of(comparison: Comparison) -> tuple[tuple[str, Finding], ...]:
    """Why flows carry nothing, each flow and reason once: its points in words, and what is found at the first."""
    points: dict[tuple[int, str], list[Point]] = {}
    first: dict[tuple[int, str], Finding] = {}
    for point in comparison.points:
        for one in point.runs.diagnosis:
            key = (one.flow, one.reason)
            best = first.setdefault(key, one)
            first[key] = replace(best, goodput_bps=max(best.goodput_bps or 0.0, one.goodput_bps or 0.0))
            points.setdefault(key, []).append(point)
    return tuple((_place_of(comparison, points[key]), one) for key, one in first.items())


def headline_metric(found: Differences, shown: Sequence[Metric]) -> Metric:
    """The measure that a table's sentence is about: the first of which more or less is better and that some run has."""
    directed = [metric for metric in shown if metric.better is not None]
    valued = [metric for metric in directed if any(runs.values(metric.name) for row in found.cells for runs in row)]
    return [*valued, *directed, *shown][0]


def headline_of(
    found: Differences, shown: Sequence[Metric], *, asked: bool = False, margin: float | None = None
) -> list[str]:
    """The headline about the `headline_metric` of a table.

    Of measures that were asked for by name, a sentence has those before it that no run has, and those of which neither
    more nor less is better.
    """
    if len(found.names) < 2:
        return []
    chosen = headline_metric(found, shown)
    lines = found.lines(chosen.name, margin=margin) if chosen.better is not None else []
    if not asked and lines:
        return lines
    directed = [metric for metric in shown if metric.better is not None]
    absent = directed[: directed.index(chosen)] if lines else []
    if absent:
        lines.append(f"{_labels(absent)}: no run has a value.")
    without = [metric for metric in shown if metric.better is None]
    if without:
        lines.append(f"{_labels(without)}: neither more nor less is better, so no headline is about it.")
    return lines


def pair_rows(found: Differences, metric: Metric) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of the pairs of a metric for people, then those of means over the settings."""
    unit = f" ({metric.unit})" if metric.unit else ""
    header = [*map(axis_words, found.axes), "better", "worse", "by (%)", f"difference{unit}"]
    header += ["p", "p adjusted", "n", ""]
    field = found.field(metric.name)
    rows = [
        [*(word_of(value) for _, value in at), *_cells(pair, metric)]
        for at, tested in zip(field.settings, field.tests.at, strict=True)
        for pair in tested
    ]
    means = [[*("mean" for _ in found.axes), *_cells(pair, metric)] for pair in field.tests.means]
    return header, [*rows, *means]


def _cells(pair: Pair, metric: Metric) -> list[str]:
    """A pair without its setting; the difference of means over settings has no unit."""
    percent = "-"
    if pair.percent is not None:
        low, high = ends_of(pair.percent)
        percent = f"{signed(pair.percent.mean, 1)} ({signed(low, 1)} to {signed(high, 1)})"
    difference = "-"
    if pair.at is not None:
        low, high = ends_of(pair.paired.difference.scaled(metric.scale))
        mean = pair.paired.difference.mean * metric.scale
        difference = f"{mean:.{metric.digits}f} ({low:.{metric.digits}f} to {high:.{metric.digits}f})"
    chances = ["-" if p is None else f"{p:.2g}" for p in (pair.paired.p_of_none, pair.p_adjusted)]
    return [pair.a, pair.b, percent, difference, *chances, str(pair.paired.n), pair.verdict]


def _labels(metrics: Sequence[Metric]) -> str:
    more = [f"{len(metrics) - LABELS} more"] if len(metrics) > LABELS else []
    return listed([metrics[0].label, *map(in_sentence, metrics[1:LABELS]), *more])


def distinct_note(comparison: Comparison) -> str | None:
    """A note where distinct payload and goodput in order differ by more than a tenth; None otherwise."""
    order, distinct = metric_of("goodput_bps"), metric_of("unique_bps")
    apart: dict[str, list[tuple[float, float]]] = {}
    for point in comparison.points:
        means = [found.mean for spec in (order, distinct) if (found := point.runs.interval(spec.name)) is not None]
        if len(means) == 2 and means[1] > DISTINCT_BEYOND * means[0]:
            apart.setdefault(comparison.names[point.transport], []).append((means[0], means[1]))
    if not apart:
        return None
    widest = {name: max(found, key=lambda pair: pair[1] / max(pair[0], 1e-9)) for name, found in apart.items()}
    listing = ", ".join(
        f"{name} {b * distinct.scale:.1f} beside {a * order.scale:.1f} {order.unit}" for name, (a, b) in widest.items()
    )
    return (
        f"Goodput counts payload in order. Distinct payload differs by more than a tenth: {listing}. "
        "A paper that counts arrivals uses the latter: --metrics goodput,distinct."
    )


def _place_of(comparison: Comparison, points: Sequence[Point]) -> str:
    """Points that a warning is of, before it; nothing for all of them."""
    if len(points) == len(comparison.points):
        return ""
    names = list(dict.fromkeys(comparison.names[point.transport] for point in points))
    settings = list(dict.fromkeys(point.at for point in points))
    if len(names) * len(settings) > len(points):
        return f"{len(points)} of {len(comparison.points)} points: "
    parts = [listed(names)] if len(names) < len(comparison.transports) else []
    return f"{', '.join([*parts, *_at(comparison, settings)])}: "


def _at(comparison: Comparison, settings: Sequence[Setting]) -> list[str]:
    """Settings in words, a text for each axis of which they lack values."""
    every = comparison.settings()
    axes: dict[str, list[Any]] = {key: list(dict.fromkeys(dict(at)[key] for at in settings)) for key in comparison.axes}
    if math.prod(map(len, axes.values())) > len(settings):
        return [f"{len(settings)} of {len(every)} settings"]
    return [
        f"{key} = {listed([*map(word_of, values)])}"
        for key, values in axes.items()
        if len(values) < len(comparison.axes[key])
    ]


def _coinciding(comparison: Comparison) -> list[str]:
    """Transports that give the same event sequences, and where: nothing that runs there depends on the choice."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for point in comparison.points:
        prints = tuple(run.fingerprint for run in point.runs)
        groups.setdefault((point.at, prints), []).append(comparison.names[point.transport])
    same: dict[str, list[Setting]] = {}
    for (at, _), members in groups.items():
        if len(members) > 1:
            same.setdefault(listed(members), []).append(at)
    found = []
    for names, settings in same.items():
        where = ", ".join(_at(comparison, settings))
        place, there = (f" at {where}", "there") if where else ("", "here")
        found.append(f"{names} give the same event sequences{place}: no difference {there} depends on the transport")
    return found
