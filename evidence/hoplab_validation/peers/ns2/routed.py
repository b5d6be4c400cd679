"""What ns-2's routers send and its sinks receive, from lines of its trace (`cmu-trace.cc`, old form)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

LINE = re.compile(r"([sfr]) (\S+) _(\d+)_ (?:RTR|AGT) +--- (\d+) (\S+) ")
DSR = re.compile(r"\] (\d+) \[(\d+) \d+\] \[(\d+) \d+ (\d+) \S+\] \[(\d+) ")
"""Of a packet of DSR: its addresses, whether it has a route request, a route reply of how many nodes, errors."""

HEADERS, REQUEST, OPTION, ERROR, ADDRESS = 24, 8, 4, 16, 4
"""Bytes of IP header and DSR header, of options without addresses, and of an address (RFC 4728 section 6)."""

DATAGRAM = "cbr"


@dataclass
class Routed:
    """Packets, each counted at every node that sends it.

    Attributes
    ----------
    messages : Counter
        Messages of DSR by kind, and their `bytes` with IP headers by the RFC: ns-2 counts headers anew at every hop.
    hops : list of tuple
        Datagrams at their sinks after the warm-up, in order: time in s, source, and hops.
    sources : tuple of int
        Sources of the flows.
    """

    messages: Counter[str] = field(default_factory=Counter)
    hops: list[tuple[float, int, int]] = field(default_factory=list)
    sources: tuple[int, ...] = ()


def routed_of(path: Path, since_s: float, sources: tuple[int, ...]) -> Routed:
    """The counts of a trace; empty if there is no file."""
    found = Routed(sources=sources)
    if not path.exists():
        return found
    sent: Counter[str] = Counter()
    creators: dict[str, int] = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            match = LINE.match(line)
            if match is None:
                continue
            event, time_s, node, uid, kind = match.groups()
            if kind == DATAGRAM and event == "r":
                if float(time_s) >= since_s:
                    found.hops.append((float(time_s), creators[uid], sent[uid]))
            elif kind == DATAGRAM:
                creators.setdefault(uid, int(node))
                sent[uid] += 1
            elif kind == "DSR":
                found.messages.update(_of_message(line))
    return found


def _of_message(line: str) -> dict[str, int]:
    """Kinds and bytes of a packet of DSR."""
    match = DSR.search(line)
    if match is None:
        return {}
    addresses, request, reply, nodes, errors = map(int, match.groups())
    size = HEADERS + ERROR * errors
    if request:
        size += REQUEST + ADDRESS * (addresses - 1)
    elif addresses > 2:  # none to a neighbor
        size += OPTION + ADDRESS * (addresses - 2)
    if reply:
        size += OPTION + ADDRESS * (nodes - 1)
    return {"bytes": size, "rreq": int(request > 0), "rrep": int(reply > 0), "rerr": int(errors > 0)}
