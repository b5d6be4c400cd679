"""Queues that refuse everything."""

from __future__ import annotations

from typing import Any

from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found

MOST = 0.5
"""Share of a reason in a flow's drops from which on it is the cause."""


def short_in_bytes(case: Case) -> Found | None:
    """A queue is shorter than one packet."""
    common = case.data["queue"].get("limit_bytes")
    own = {int(node["id"]): node["queue"]["limit_bytes"] for node in case.data["nodes"] if _has_limit(node)}
    wires = [(k, wire) for k, wire in enumerate(case.data.get("wires", ())) if _has_limit(wire)]
    if not common and not own and not wires:
        return None
    length = case.links.data_bytes(case.number) if case.has_links else int(case.flow["segment"])
    senders = case.route[:-1] if case.has_links else [case.src]
    limits = [
        (f"node.{node}.queue.limit_bytes" if node in own else "queue.limit_bytes", own.get(node, common))
        for node in senders
    ]
    limits += [
        (f"wire.{index}.queue.limit_bytes", wire["queue"]["limit_bytes"])
        for index, wire in wires
        if set(wire["between"]) <= set(case.route)
    ]
    small = next(((key, most) for key, most in limits if most and most < length), None)
    if small is None:
        return None
    key, most = small
    return Found(f"its packets have {length} bytes, and {key} = {most} holds none of them", {key: 50 * length})


def discipline(case: Case) -> Found | None:
    """A queue discipline drops what arrives before the queue is full."""
    if case.share("early") < MOST:
        return None
    queue = case.data["queue"]
    kind = queue.get("kind", "drop_tail")
    return Found(
        f'queue.kind = "{kind}" dropped {case.drops["early"]} of its packets early: its thresholds leave none',
        {"queue": {"kind": "drop_tail"}} if kind != "drop_tail" else {},
        f"or raise the thresholds of {kind}",
    )


def _has_limit(table: Any) -> bool:
    return bool(table.get("queue", {}).get("limit_bytes"))
