"""Tables of workloads, completion times and sessions, for reports and the terminal."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import (
    METRICS,
    RUN_METRICS,
    SESSION_METRICS,
    SESSION_TIMES,
    SESSION_VALUES,
    STATISTICS,
    Metric,
)
from hoplab.stats import mean_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from hoplab.running.runs import Runs
    from hoplab.stats import Interval

FLOWS = Metric("flows", "Flows", None, "sum")
TIMES = tuple(
    RUN_METRICS[name] for name in ("fct_mean_s", "fct_p50_s", "fct_p95_s", "fct_p99_s", "slowdown_mean", "unfinished")
)
"""Columns of transfers: all times, and one slowdown beside them."""


def workload_rows(runs: Runs, written: Callable[[Interval | None, Metric], str]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the table of workloads: one row each; completion times where transfers end."""
    metrics = [FLOWS, METRICS["goodput_bps"], *(TIMES if any(run.completion for run in runs) else ())]
    header = ["workload", "kind", "flows", "goodput (kb/s)", *(metric.axis for metric in metrics[2:])]
    rows = []
    for own in _by_workload(runs):
        cells = [written(_interval(own, metric.name), metric) for metric in metrics]
        rows.append([str(own[0]["workload"]), str(own[0]["kind"]), *cells])
    return header, rows


def time_rows(runs: Runs, written: Callable[[Interval | None, Metric], str]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the times of sessions: one row per workload and time."""
    header = ["workload", "kind", "time of", *(label.format("(ms)") for label in STATISTICS.values()), "unfinished"]
    rows = []
    for own in _by_workload(runs):
        for time, (words, _) in SESSION_TIMES.items():
            metrics = [SESSION_METRICS[f"{time}_{key}"] for key in (*STATISTICS, "unfinished")]
            cells = [_interval(own, metric.name) for metric in metrics]
            if any(cells):
                shown = [written(cell, metric) for cell, metric in zip(cells, metrics, strict=True)]
                rows.append([str(own[0]["workload"]), str(own[0]["kind"]), words, *shown])
    return header, rows


def value_rows(runs: Runs, written: Callable[[Interval | None, Metric], str]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of other numbers of sessions: one row per workload that has some."""
    found = _by_workload(runs)
    metrics = [metric for metric in SESSION_VALUES if any(_interval(own, metric.name) for own in found)]
    rows = []
    for own in found:
        cells = [_interval(own, metric.name) for metric in metrics]
        if any(cells):
            shown = [written(cell, metric) for cell, metric in zip(cells, metrics, strict=True)]
            rows.append([str(own[0]["workload"]), str(own[0]["kind"]), *shown])
    return ["workload", "kind", *(metric.axis for metric in metrics)], rows


def size_rows(runs: Runs) -> list[tuple[str, ...]]:
    """Completion times by size: means over runs."""
    classes: dict[int | None, list[dict[str, Any]]] = {}
    for run in runs:
        for one in (run.completion or {}).get("sizes", ()):
            classes.setdefault(one["up_to_bytes"], []).append(one)
    order = sorted(classes, key=lambda up_to: float("inf") if up_to is None else up_to)
    return [
        (
            "larger" if up_to is None else f"{up_to / 1e3:g} kB",
            str(sum(one["flows"] for one in classes[up_to])),
            str(sum(one["unfinished"] for one in classes[up_to])),
            *(_mean([one[key] for one in classes[up_to]]) for key in ("mean_s", "p50_s", "p95_s")),
        )
        for up_to in order
    ]


def _by_workload(runs: Runs) -> list[list[dict[str, Any]]]:
    """Rows of each workload, one per run."""
    table = list(runs.workloads.rows())
    return [
        [row for row in table if row["workload"] == number]
        for number in dict.fromkeys(row["workload"] for row in table)
    ]


def _interval(rows: list[dict[str, Any]], name: str) -> Interval | None:
    values = [float(value) for row in rows if (value := row.get(name)) is not None and not math.isnan(value)]
    return mean_interval(values) if values else None


def _mean(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{fmean(known) * 1e3:.1f}" if known else "-"
