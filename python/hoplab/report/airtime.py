"""Airtime by node, as a table."""

from __future__ import annotations

from hoplab.base.airtime import AIRTIME, label
from hoplab.report.model import ReportTable
from hoplab.running.runs import Runs


def airtime_tables(runs: Runs) -> list[ReportTable]:
    """Airtime by node, as a mean over the runs that recorded it; no table if none did."""
    accounted = [run.airtime for run in runs if run.airtime]
    if not accounted:
        return []
    uses = [use for use in AIRTIME if any(node[use] > 0.0 for nodes in accounted for node in nodes)]
    rows = []
    for nodes in zip(*accounted, strict=True):
        total = sum(sum(node[use] for use in AIRTIME) for node in nodes)
        cells = [f"{100.0 * sum(node[use] for node in nodes) / total:.2f}" if total else "-" for use in uses]
        rows.append((label(nodes[0], runs.scenario.node_names), *cells))
    note = (
        f"Percent of the run, mean over n = {len(accounted)}. Each nanosecond counts in one column, the first that "
        "applies of: radio off, transmitting, receiving or overhearing, SIFS and response, EIFS, NAV, DIFS and "
        "backoff, parked, idle."
    )
    return [ReportTable("Airtime by node", ("node", *(AIRTIME[use] for use in uses)), tuple(rows), note)]
