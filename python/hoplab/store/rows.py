"""A run's result as rows of tables.

Every list of objects in the engine's result (`flows`, later `nodes` and `links`) makes rows of a table of that name,
every object of counts (`drops`, `frames`) rows of `counters`, and the run as a whole one row of `runs`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import ALL_METRICS, FORMER, LASTING, METRICS, RATES, RUN_METRICS, SESSION_METRICS, of_run
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


def over_flows(result: Mapping[str, Any], metric: str) -> float | None:
    """A metric over all flows of a run, added or averaged as `base.metrics` says; None where undefined."""
    flows = result.get("flows", [])
    workloads = result.get("workloads", [])
    if workloads and metric in RATES:
        flows = [*(flow for flow in flows if flow.get("workload") is None), *workloads]
    former = next((old for old, new in FORMER.items() if new == metric), LASTING.get(metric, metric))  # of 0.1
    values = [value for flow in flows if (value := flow.get(metric, flow.get(former))) is not None]
    if not values:
        return None
    total = math.fsum(values)
    return total if ALL_METRICS[metric].over_flows == "sum" else total / len(values)


def _run(result: Mapping[str, Any]) -> Row:
    """What the engine says of the whole run, and its flows taken together."""
    row: Row = {metric: over_flows(result, metric) for metric in METRICS}
    lasting = [flow for flow in result.get("flows", []) if flow.get("workload") is None]
    shares = [flow["goodput_bps"] for flow in lasting if flow.get("goodput_bps") is not None]
    fairness = jain(shares) if shares else math.nan
    among = fairness if len(shares) > 1 else math.nan
    of_whole = {**RUN_METRICS, **(SESSION_METRICS if result.get("sessions") else {})}
    row |= {metric: of_run(metric, result.get("completion"), among, result.get("sessions")) for metric in of_whole}
    row |= {old: row[new] for old, new in FORMER.items()}
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
