"""What ns-2.35 calls packets, messages, reasons, and the ports of agents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

DROPS = {
    "mac_retry": ("RTR", "CBK"),
    "link_failure": ("RTR", "CBK"),
    "queue_full": ("IFQ", "---"),
    "arp": ("IFQ", "ARP"),
    "no_route": ("RTR", "NRTE"),
    "route_timeout": ("RTR", "TOUT"),
    "route_buffer": ("RTR", "IFQ"),
    "ttl": ("RTR", "TTL"),
    "loop": ("RTR", "LOOP"),
}
"""Layer and reason of a packet's end above the MAC."""

KINDS = {"segment": "tcp", "ack": "ack", "datagram": "cbr", "lack": "lack", "arp_request": "ARP", "arp_reply": "ARP"}
"""Types of packets; a datagram of an application with bursts is `exp`, a message of routing `AODV`, `DSR` or
`message`."""

BURSTS = {"on_off", "voip"}
"""Applications whose datagrams are `exp`."""

AODV = {"rreq": 0x2, "rrep": 0x4, "rerr": 0x8, "hello": 0x1}
"""Types of AODV's messages; those of DSR have the same names, and no body in the trace."""

REPORTS = {"dsdv": "use_mac", "olsr": "use_link_layer_feedback"}
"""Keys by which protocols take packets back that exceed the MAC's retry limit; others always do."""

UNSET, TO_ALL, FIRST = -2, -1, 0
"""Next hops of a packet that no route has been chosen for, of an update of DSDV, and of AODV's errors to all."""


def ports(flows: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """Source and destination port of each flow: agents of a node are numbered in the order of flows."""
    used: dict[int, int] = {}
    found = []
    for flow in flows:
        pair = []
        for node in (flow["from"], flow["to"]):
            pair.append(used.get(node, 0))
            used[node] = pair[-1] + 1
        found.append((pair[0], pair[1]))
    return found


def body_of(kind: str, message: str | None, hello_lifetime_s: float) -> tuple[str, str]:
    """Body of a routing message in the old and in the new form; empty for protocols whose messages have none."""
    if kind not in AODV or message is None:
        return "", ""
    code, known = AODV[kind], json.loads(message)
    if kind == "rreq":
        # ns-2 counts the hop that the message is about to make.
        hops, number = known["hops"] + 1, known["id"]
        dst, dst_seq, origin, origin_seq = (known[key] for key in ("dst", "dst_seq", "origin", "origin_seq"))
        fields = f"-Ph {hops} -Pb {number} -Pd {dst} -Pds {dst_seq} -Ps {origin} -Pss {origin_seq}"
        return (
            f"[0x{code:x} {hops} {number} [{dst} {dst_seq}] [{origin} {origin_seq}]] (REQUEST)",
            f"-P aodv -Pt 0x{code:x} {fields} -Pc REQUEST ",
        )
    if kind == "rrep":
        hops, dst, seq, lifetime, name = known["hops"] + 1, known["dst"], known["dst_seq"], known["lifetime_s"], "REPLY"
    elif kind == "rerr":
        # ns-2 prints an error as if it was a reply: the count of destinations, and the first two of them.
        lost = [dst for dst, _ in known["unreachable"]]
        hops, dst, seq, lifetime, name = len(lost), lost[0], lost[1] if len(lost) > 1 else 0, 0.0, "ERROR"
    else:
        hops, dst, seq, lifetime, name = 1, known["node"], known["seq"], hello_lifetime_s, "HELLO"
    return (
        f"[0x{code:x} {hops} [{dst} {seq}] {lifetime:.6f}] ({name})",
        f"-P aodv -Pt 0x{code:x} -Ph {hops} -Pd {dst} -Pds {seq} -Pl {lifetime:.6f} -Pc {name} ",
    )
