"""What is left: an exchange that fails, and counts."""

from __future__ import annotations

from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found

FAILED = ("mac_retry", "link_failure", "arp", "unreachable")
"""Drop reasons of packets that a neighbor did not acknowledge."""
MOST = 0.5
"""Share of a reason in a flow's drops from which on it is the cause."""
CAUSES = {
    "collision": "collide there",
    "undecodable": "are not decoded there",
    "busy": "find it in another exchange",
    "noise": "are destroyed by noise there",
}
"""Causes of lost frames, in words."""
DROPS = {
    "mac_retry": "at the MAC's retry limit",
    "link_failure": "purged after a link failure",
    "queue_full": "by a full queue",
    "arp": "without an ARP reply",
    "no_route": "without a route",
    "route_timeout": "after a route discovery timed out",
    "route_buffer": "by a full send buffer",
    "ttl": "at the end of their TTL",
    "loop": "in a loop",
    "wire": "on a wire",
    "early": "by the queue discipline",
    "unreachable": "as unreachable",
}
"""Drop reasons, in words."""
LOOK = "hoplab explain has airtime, collisions and drops by node"


def exchange(case: Case) -> Found | None:
    """Exchanges of one link fail each time: what is sent, and what does not come back."""
    if case.run is None or case.share(*FAILED) < MOST or not case.has_links or case.is_moving:
        return None
    nodes = case.run.nodes
    for a, b in case.hops:
        sent = nodes[a]
        if int(sent["passed_bytes"]):
            continue
        if sent["data"]:
            what, back = f"{sent['data']} data frames", "ACK"
        elif sent["rts"]:
            what, back = f"{sent['rts']} RTSs", "CTS"
        else:
            what, back = f"{sent['broadcast']} broadcasts, ARP requests among them,", "reply"
        lost = {kind: count for kind, count in nodes[b].get("lost", {}).items() if kind in CAUSES}
        worst = max(lost, key=lambda kind: lost[kind], default=None)
        why = "" if worst is None else f": {lost[worst]} frames {CAUSES[worst]}"
        fix: dict[str, object] = {}
        if worst == "collision" and not sent["rts"]:
            fix = {"mac.rts_threshold": 0}
        return Found(f"{case.word(a)} sends {what} to {case.word(b)} and receives no {back}{why}", fix, LOOK)
    return None


def counts(case: Case) -> Found | None:
    """Where its packets went."""
    if case.report is None:
        return None
    if not case.drops:
        sent = case.report.segments_sent
        if not sent:
            return Found("its source sends nothing in the measured time", advice="lengthen duration")
        return Found(f"{sent} packets were sent and none was dropped: they wait or are under way", advice=LOOK)
    worst, count = case.drops.most_common(1)[0]
    return Found(
        f"{count} of its {case.drops.total()} dropped packets were dropped {DROPS.get(worst, worst)}", advice=LOOK
    )
