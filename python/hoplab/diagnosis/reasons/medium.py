"""The medium is taken by others: locked sources, NAV without end, hidden terminals, saturated neighbors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found
from hoplab.diagnosis.reasons.frames import FAILED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hoplab.base.metrics import Flow

BUSY = 0.5
"""Share of a run for which frames of others are on the air around a node from which on they starve it."""
UNANSWERED = 0.1
"""Answered RTSs, as a share, below which a node sends to one that is not there."""
COLLIDED = 0.5
"""Share of a sender's frames lost to collisions at its neighbor."""
RELIEF = 0.25
"""Share of its throughput that a remedy leaves the flow that takes the medium."""


def locked(case: Case) -> Found | None:
    """Sources send at the same instants, and collide each time."""
    if case.share(*FAILED) < COLLIDED or (rhythm := _rhythm(case.flow)) is None:
        return None
    twins = [
        int(flow["id"])
        for flow in case.data["flows"]
        if flow["id"] != case.number and flow["from"] != case.flow["from"] and _rhythm(flow) == rhythm
    ]
    if not twins:
        return None
    others = "flow " + str(twins[0]) if len(twins) == 1 else "flows " + " and ".join(map(str, twins[:2]))
    warned = (text for text in case.scenario.resolve().warnings if "send datagrams at the same instants" in text)
    return Found(
        f"it and {others} send at the same instants, and their frames collide each time",
        {f"flow.{number}.start_spread": "1 s" for number in (case.number, *twins[:1])},
        warning=next(warned, ""),
    )


def _rhythm(flow: Mapping[str, Any]) -> tuple[float, float] | None:
    """Interval and start of a source with a constant rate; None for others."""
    if flow["app"] != "cbr" or flow.get("random") or not flow.get("rate_bps"):
        return None
    return float(flow["segment"]) / float(flow["rate_bps"]), float(flow["start_s"])


def nav(case: Case) -> Found | None:
    """A neighbor's RTSs, which get no answer, reserve the medium one after the other."""
    if case.run is None or not case.has_links or case.data["mac"].get("nav_reset_after_rts"):
        return None
    near = _around(case)
    for node in case.run.nodes[: case.radio_nodes]:
        calls = int(node["rts"])
        if node["id"] in near and node["id"] != case.src and calls and node["data"] < UNANSWERED * calls:
            seconds = calls * sum(case.links.times_s(int(node["id"])))
            if seconds >= BUSY * case.run.sim_s:
                return Found(
                    f"{case.word(int(node['id']))} sends {calls} RTSs without an answer, and each sets the NAV of its "
                    f"neighbors for a whole exchange",
                    {"mac.nav_reset_after_rts": True},
                )
    return None


def hidden(case: Case) -> Found | None:
    """Frames to a neighbor collide there with those of a node that the sender cannot sense."""
    if case.run is None or not case.has_links or case.is_moving:
        return None
    links, nodes = case.links, case.run.nodes
    for a, b in case.hops:
        tries = int(nodes[a]["data"]) + int(nodes[a]["rts"])
        lost = nodes[b].get("lost", {}).get("collision", 0) + nodes[b].get("lost", {}).get("undecodable", 0)
        others = [
            other
            for other in _senders(case)
            if other not in (a, b) and (other, b) in links.power and not _senses(case, other, a)
        ]
        worst = max(others, key=lambda node: int(nodes[node]["data"]), default=None)
        if worst is not None and tries and int(nodes[a]["passed_bytes"]) == 0 and lost:
            return Found(
                f"{case.word(worst)} cannot sense {case.word(a)}, and their frames collide at {case.word(b)} "
                f"({lost} of {tries} frames lost there)",
                *_relief(case, _flow_of(case, worst)),
            )
    return None


def starved(case: Case) -> Found | None:
    """Frames of other flows fill the medium at a node of the path."""
    if case.run is None or not case.has_links or case.is_moving:
        return None
    loads = {node: _load(case, node) for node in case.route if node < case.radio_nodes}
    node = max(loads, key=lambda node: loads[node], default=None)
    if node is None or loads[node] < BUSY:
        return None
    rival = _rival(case)
    if rival is None:
        return None
    return Found(
        f"frames of flow {rival.id} fill the medium at {case.word(node)} ({100.0 * min(1.0, loads[node]):.0f} % of the "
        f"time), and its own exchanges fail",
        *_relief(case, rival),
    )


def _around(case: Case) -> set[int]:
    """Nodes of the path, and those that they sense."""
    route = set(case.route)
    return route | {a for a, b in case.links.power if b in route and _senses(case, a, b)}


def _senses(case: Case, sender: int, node: int) -> bool:
    return case.links.power.get((sender, node), 0.0) >= float(case.data["radio"]["cs_threshold_w"])


def _senders(case: Case) -> list[int]:
    """Nodes that send data in the run."""
    return [] if case.run is None else [int(node["id"]) for node in case.run.nodes if node["data"]]


def _load(case: Case, at: int) -> float:
    """Share of the run for which frames that a node senses, or sends, are on the air."""
    if case.run is None:
        return 0.0
    total = 0.0
    for node in case.run.nodes[: case.radio_nodes]:
        number = int(node["id"])
        if number == at or _senses(case, number, at):
            kinds = zip(("rts", "cts", "data", "ack"), case.links.times_s(number), strict=True)
            frames = sum(int(node[kind]) * seconds for kind, seconds in kinds)
            payload = 8.0 * int(node["passed_bytes"]) / float(case.data["mac"]["data_rate_bps"])
            total += max(frames, payload)
    return total / case.run.sim_s if case.run.sim_s else 0.0


def _rival(case: Case) -> Flow | None:
    """The flow that carries most around the path."""
    if case.run is None:
        return None
    near = _around(case)
    others = [flow for flow in case.run.flows if flow.id != case.number and {flow.src, flow.dst} & near]
    best = max(others, key=lambda flow: flow.throughput_bps, default=None)
    return best if best is not None and best.throughput_bps > 0.0 else None


def _flow_of(case: Case, node: int) -> Flow | None:
    """The flow with the most throughput of which a node is an end."""
    flows = () if case.run is None else case.run.flows
    own = [flow for flow in flows if flow.id != case.number and node in (flow.src, flow.dst)]
    return max(own, key=lambda flow: flow.throughput_bps, default=None)


def _relief(case: Case, rival: Flow | None) -> tuple[dict[str, object], str]:
    """Keys with which a rival leaves room, and advice: less of a constant rate, or carrier sense that far."""
    tables = case.data["flows"]
    if rival is None or rival.workload is not None or rival.id >= len(tables):
        return {}, UNFAIR
    if tables[rival.id].get("rate_bps") and rival.throughput_bps:
        return {f"flow.{rival.id}.rate": f"{RELIEF * rival.throughput_bps / 1e3:.3g} kb/s"}, ""
    ends = (rival.src, rival.dst)
    metres = [d for node in case.route for end in ends if (d := case.distance_m(node, end)) is not None]
    far = max(metres, default=0.0)
    if far <= case.scenario.resolve().facts.cs_range_m:
        return {}, UNFAIR
    return {"radio.cs_range": f"{math.ceil(far)} m"}, ""


UNFAIR = "give that flow less, or a transport that shares, such as semi_tcp or tcp_ap"
"""Advice where no keys are known to help."""
