"""What nodes' time went into, as a table."""

from __future__ import annotations

from hoplab.base.airtime import AIRTIME
from hoplab.report.model import ReportTable
from hoplab.running.runs import Runs


def airtime_tables(runs: Runs) -> list[ReportTable]:
    """What each node's time went into, as a mean over the runs that accounted for it; none if none did."""
    accounted = [run.airtime for run in runs if run.airtime]
    if not accounted:
        return []
    uses = [use for use in AIRTIME if any(node[use] > 0.0 for nodes in accounted for node in nodes)]
    rows = []
    for nodes in zip(*accounted, strict=True):
        total = sum(sum(node[use] for use in AIRTIME) for node in nodes)
        cells = [f"{100.0 * sum(node[use] for node in nodes) / total:.2f}" if total else "-" for use in uses]
        rows.append((str(nodes[0]["node"]), *cells))
    note = (
        f"Percent of the whole run, mean of {len(accounted)}. Every nanosecond of a node is in one column, the first "
        "that applies of: switched off, sending, receiving or overhearing, a gap of its own exchange, a wait after a "
        "frame that could not be read, a reservation of others, waiting to send, parked, idle."
    )
    return [
        ReportTable("What each node's time went into", ("node", *(AIRTIME[use] for use in uses)), tuple(rows), note)
    ]
