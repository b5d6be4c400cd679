"""A run's result as rows of tables.

Every list of objects in the engine's result (`flows`, later `nodes` and `links`) makes rows of a table of that name,
every object of counts (`drops`, `frames`) rows of `counters`, and the run as a whole one row of `runs`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import METRICS, RUN_METRICS, SESSION_METRICS, Flow, of_run, over_flows
from hoplab.stats import jain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Row = dict[str, Any]
"""Column to value; None where it is missing."""

RENAMED = {"flows": "flow", "nodes": "node", "links": "link"}
"""What `id` is called in a table, where it is read without its context."""

GOODPUT_INTERVALS = "goodput_intervals"
"""Table of goodput by flow and interval; it has rows where the scenario has `goodput_interval`."""

DERIVED = frozenset({"runs", "counters", GOODPUT_INTERVALS})
"""Tables made from `result.json` when they are asked for; a run's directory has no file of them."""


def rows_of(result: Mapping[str, Any], goodput_interval_s: float | None = None) -> dict[str, list[Row]]:
    """Rows of every table of one run, by table.

    Parameters
    ----------
    result : mapping
        The engine's object for the run (the `--json` contract).
    goodput_interval_s : float or None
        The scenario's interval, which gives `goodput_intervals` their times.
    """
    tables = {"runs": [_run(result)], "flows": [], "counters": _counters(result)}
    series = result.get("goodput_series_bps") or ()
    if goodput_interval_s is not None and series:
        tables[GOODPUT_INTERVALS] = interval_rows(series, goodput_interval_s)
    for name, value in result.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            renamed = RENAMED.get(name, "id")
            tables[name] = [{renamed if key == "id" else key: cell for key, cell in item.items()} for item in value]
    return tables


def interval_rows(series_bps: Iterable[Iterable[float]], width_s: float) -> list[Row]:
    """One row per flow and interval: `flow`, `begin_s`, `end_s`, `goodput_bps`."""
    return [
        {"flow": flow, "begin_s": i * width_s, "end_s": (i + 1) * width_s, "goodput_bps": rate}
        for flow, rates in enumerate(series_bps)
        for i, rate in enumerate(rates)
    ]


def value_of(result: Mapping[str, Any], metric: str) -> float | None:
    """A metric of a run as a whole, or of its flows taken together; None where it is undefined."""
    value: float | None = _run(result).get(metric)
    return value


def _run(result: Mapping[str, Any]) -> Row:
    """What the engine says of the whole run, and its flows taken together."""
    flows = [Flow.stored(flow) for flow in result.get("flows", [])]
    workloads = result.get("workloads", [])
    row: Row = {name: over_flows(metric, flows, workloads) for name, metric in METRICS.items()}
    lasting = [flow.goodput_bps for flow in flows if flow.workload is None and flow.goodput_bps is not None]
    fairness = jain(lasting) if lasting else math.nan
    report = {**result, "fairness": fairness if len(lasting) > 1 else math.nan}
    whole = {**RUN_METRICS, **(SESSION_METRICS if result.get("sessions") else {})}
    row |= {name: of_run(metric, report) for name, metric in whole.items()}
    row["jain"] = None if math.isnan(fairness) else fairness
    for kind in ("drops", "frames"):
        counts = result.get(kind)
        row[kind] = sum(counts.values()) if isinstance(counts, dict) else None
    return {**row, **{key: result.get(key) for key in ("events", "sim_s", "fingerprint", "version")}}


def _counters(result: Mapping[str, Any]) -> list[Row]:
    return [
        {"kind": kind, "name": name, "count": count}
        for kind, counts in sorted(result.items())
        if isinstance(counts, dict)
        for name, count in sorted(counts.items())
        if isinstance(count, int) and not isinstance(count, bool)
    ]
