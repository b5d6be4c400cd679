"""Which flows deliver nothing or almost nothing.

Almost nothing is less than 2 % of what the flow could carry alone on its path, divided by the number of flows; of
datagrams also of what was sent. The estimate is coarse, within a factor of two or three, and 2 % is far from what that
moves. A flow that delivers nothing at all counts whatever it could carry, unless it was measured for a short time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoplab.base.metrics import Flow
    from hoplab.running.runs import Run
    from hoplab.scenario.model import Scenario

ALMOST = 0.02
"""Share of its expectation below which a flow delivers almost nothing."""
LEAST_PACKETS = 100
"""Packets below which an expectation is no base of a share."""
SHORT_S = 1.0
"""A flow that is measured for less, and for less than a tenth of the run, has just started."""
MOST_HOPS = 4
"""Hops within which the exchanges of a path exclude each other: a chain carries a quarter of a link (Li 2001)."""
OVERHEAD_S = {"11b": 1.5e-3}
"""Time of an exchange beyond its payload: headers, preambles, RTS, CTS, ACK and mean backoff."""
OFDM_OVERHEAD_S = 0.4e-3


def shares(scenario: Scenario, run: Run) -> dict[int, float]:
    """By flow, what it delivers as a share of what it could; 1 where that is not known.

    Flows of a workload count together, by the first of them: single ones come and go.
    """
    data = scenario.resolve().data
    lasting = [flow for flow in run.flows if flow.workload is None]
    beside = len(lasting) + len(run.workloads)
    found = {flow.id: share_of(scenario, flow, beside) for flow in lasting}
    for workload in run.workloads:
        own = [flow for flow in run.flows if flow.workload == workload["id"]]
        begun = [flow for flow in own if data["duration_s"] - flow.start_s >= _short(data)]
        if begun and not any(flow.goodput_bps for flow in own):
            found[begun[0].id] = 0.0
    return found


def share_of(scenario: Scenario, flow: Flow, beside: int) -> float:
    """The share of one flow with so many flows in the network, itself included; 1 where it is not known."""
    data = scenario.resolve().data
    if flow.fct_s is not None or flow.capacity_bps is not None:
        return 1.0
    table = table_of(data, flow)
    begin, end = measured(data, table)
    if end <= begin:
        return 0.0
    if end - begin < _short(data):
        return 1.0
    # The report's rates are over the time to the end of the run, also of flows that end before.
    bits = flow.goodput_bps * (float(data["duration_s"]) - begin)
    packet = 8.0 * float(table["segment"])
    most = _alone_bps(scenario, flow.id, table) / beside * (end - begin)
    if not flow.has_acks:
        most = min(most, flow.segments_sent * packet)
    if flow.transfer_bytes is not None:
        most = min(most, 8.0 * flow.transfer_bytes)
    if bits == 0.0:
        return 0.0
    return bits / most if most >= LEAST_PACKETS * packet else 1.0


def measured(data: Mapping[str, Any], table: Mapping[str, Any]) -> tuple[float, float]:
    """When the measurement of a flow begins and ends, s."""
    stop = table.get("stop_s")
    begin = max(float(data["warmup_s"]), float(table["start_s"]))
    return begin, min(float(data["duration_s"]), math.inf if stop is None else float(stop))


def table_of(data: Mapping[str, Any], flow: Flow) -> Mapping[str, Any]:
    """The resolved table of a flow; of a flow that a session opens, what is known of it."""
    tables: Sequence[Mapping[str, Any]] = data["flows"]
    if flow.id < len(tables) and (tables[flow.id]["from"], tables[flow.id]["to"]) == (flow.src, flow.dst):
        return tables[flow.id]
    ends = {"id": flow.id, "from": flow.src, "to": flow.dst}
    return {**ends, "app": "ftp", "segment": 1448, "start_s": flow.start_s, "transport": flow.transport}


def _short(data: Mapping[str, Any]) -> float:
    return min(SHORT_S, 0.1 * float(data["duration_s"]))


def _alone_bps(scenario: Scenario, number: int, table: Mapping[str, Any]) -> float:
    """What a flow could carry alone, about: its links, its wires, and its window over their delays."""
    resolved = scenario.resolve()
    data = resolved.data
    hops = next((flow.hops for flow in resolved.facts.flows if flow.id == number), None) or 1
    packet = 8.0 * float(table["segment"])
    overhead_s = OVERHEAD_S.get(str(data["radio"].get("standard", "11b")), OFDM_OVERHEAD_S)
    link_bps = packet / (packet / float(data["mac"]["data_rate_bps"]) + overhead_s)
    wires = data.get("wires", ())
    rates = [link_bps / min(hops, MOST_HOPS), *(float(wire["rate_bps"]) for wire in wires)]
    delay_s = 2.0 * sum(float(wire["delay_s"]) for wire in wires)
    if delay_s and "window" in table:
        rates.append(float(table["window"]) * packet / (delay_s + 0.01))
    if table.get("rate_bps"):
        rates.append(float(table["rate_bps"]))
    return min(rates)
