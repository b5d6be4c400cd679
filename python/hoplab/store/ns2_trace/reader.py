"""Turns rows of a trace into the lines that ns-2 writes for the same."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hoplab.store.ns2_trace.copies import Copies
from hoplab.store.ns2_trace.forms import NO_MAC, Copy, Mac, Packet, Place, Writer
from hoplab.store.ns2_trace.names import (
    AODV,
    BURSTS,
    DROPS,
    FIRST,
    KINDS,
    REPORTS,
    TO_ALL,
    UNSET,
    body_of,
    ports,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PLCP = 24
"""Bytes that ns-2 counts for the preamble in lengths of frames."""
MAC_BYTES = 34
"""Bytes that it has taken off a data frame when it finds that it is not the awaited one."""
BROADCAST = "ffffffff"
IP, ARP = "800", "806"
AGENT_TTL = 32


class Row(NamedTuple):
    """A row of the table of events. Columns that may be null are read of events alone that have them."""

    t_ns: int
    node: int
    event: str
    frame: str
    packet: str
    peer: int | None
    flow: int | None
    uid: int
    seq: int | None
    bytes: int
    reason: str
    value: float
    ttl: int | None
    delay_ns: int | None
    message: str | None


@dataclass(slots=True)
class _Sent:
    """The last data frame of a node."""

    copy: Copy
    uid: int
    bytes: int
    is_broadcast: bool


class _Held(NamedTuple):
    """A line that the next row may change."""

    row: Row
    line: str


@dataclass
class Reader:
    """The state of all nodes as far as lines show it.

    Parameters
    ----------
    data : mapping
        The resolved scenario.
    writer : Writer
        Of one form.
    """

    data: Mapping[str, Any]
    writer: Writer
    copies: Copies = field(default_factory=Copies)
    numbered: int = 0
    _later: list[tuple[int, int, str]] = field(default_factory=list)
    _count: int = 0
    _sent: dict[int | None, _Sent] = field(default_factory=dict)
    _control: dict[tuple[int | None, str], tuple[Mac, int]] = field(default_factory=dict)
    _held: _Held | None = None

    def __post_init__(self) -> None:
        routing, flows = self.data["routing"], self.data["flows"]
        self._protocol = routing["protocol"]
        self._on_demand = "DSR" if self._protocol == "dsr" else "AODV"
        self._added = {"segment": routing["extra_bytes"], "datagram": routing["udp_header"]}
        self._added["ack"] = self._added["lack"] = self._added["segment"]
        self._flows, self._ports = flows, ports(flows)
        self._delay = round(float(self.data["link"]["delay_s"]) * 1e9)
        aodv = routing.get("aodv", {})
        self._hello_lifetime = (1 + aodv.get("allowed_hello_loss", 3)) * aodv.get("hello_interval_s", 1.0)
        self._shows_collisions = self.data["radio"]["rx_model"] == "ns2"
        reports = routing["link_failure_feedback"]
        key = REPORTS.get(self._protocol)
        self._gives_back = reports and (key is None or routing[self._protocol][key])

    def read(self, row: Row) -> Iterator[str]:
        """The lines up to and with this row, in order of time."""
        if self._held is not None:
            yield from self._release(row)
        later = self._later
        while later and later[0][0] <= row.t_ns:
            yield heapq.heappop(later)[2]
        read: Callable[[Row], Iterator[str]] = getattr(self, f"_{row.event}")
        yield from read(row)

    def finish(self, t_ns: int) -> Iterator[str]:
        """The lines that are left when the run ends at this time."""
        if self._held is not None:
            yield self._held.line
        while self._later and self._later[0][0] <= t_ns:
            yield heapq.heappop(self._later)[2]

    def _release(self, row: Row) -> Iterator[str]:
        """Write the line that was held, unless this row says otherwise."""
        held = self._held
        assert held is not None
        before, line = held
        same_place = (row.t_ns, row.node) == (before.t_ns, before.node)
        if before.event == "frame_received":
            self._held = None
            if same_place and row.event == "frame_lost" and (row.frame, row.peer) == (before.frame, before.peer):
                return
            if before.frame == "ack":
                self._acknowledged(before.node)
            yield line
        elif not (same_place and row.event == "dropped"):
            # Routing drops what waits for the same neighbor before the MAC drops the packet.
            self._held = None
            yield line

    def schedule(self, t_ns: int, line: str) -> None:
        """Write a line when its time has come."""
        self._count += 1
        heapq.heappush(self._later, (t_ns, self._count, line))

    def _originated(self, row: Row) -> Iterator[str]:
        kind, dst = row.packet, -1 if row.peer is None else row.peer
        if kind in {"arp_request", "arp_reply"}:
            self._made_arp(row, dst)
            return
        if kind not in KINDS:
            is_update = kind not in AODV
            packet = Packet(self._next_number() if is_update else 0, "message" if is_update else self._on_demand, dst)
            packet.is_routing, packet.is_update = True, is_update
            self.copies.add(row.node, row.uid, Copy(packet, row.node, row.ttl or 0))
            return
        flow = -1 if row.flow is None else row.flow
        source, sink = self._ports[flow] if flow >= 0 else (255, 255)
        known = self._flows[flow] if flow >= 0 else {}
        src: int = known.get({"segment": "from", "datagram": "from", "ack": "to"}.get(kind, ""), row.node)
        packet = Packet(self._next_number(), KINDS[kind], dst, flow)
        packet.ports = (source, sink) if kind in {"segment", "datagram"} else (sink, source)
        if known.get("app") in BURSTS and kind == "datagram":
            packet.name = "exp"
        packet.seq = -1 if row.seq is None else row.seq
        packet.agent_bytes = row.bytes - self._added[kind]
        copy = Copy(packet, src, AGENT_TTL)
        self.copies.add(row.node, row.uid, copy)
        if src == row.node:
            yield self.writer.packet(Place("s", row.t_ns, row.node, "AGT"), packet.agent_bytes, copy)
            yield self.writer.packet(Place("r", row.t_ns, row.node, "RTR"), packet.agent_bytes, copy)
        copy.ttl = row.ttl or 0

    def _made_arp(self, row: Row, dst: int) -> None:
        node, to = row.node, max(dst, 0)
        target = target_of(row.message) if row.packet == "arp_request" else to
        name = "REQUEST" if row.packet == "arp_request" else "REPLY"
        bodies = (
            f"{name} {node}/{node} {to}/{target}",
            f"-P arp -Po {name} -Pms {node} -Ps {node} -Pmd {to} -Pd {target} ",
        )
        self.copies.add(node, row.uid, Copy(Packet(0, "ARP", dst), node, 0, bodies=bodies))

    def _forwarded(self, row: Row) -> Iterator[str]:
        copy = self.copies.get(row.node, row.uid) or self._unknown(row)
        copy.ttl = copy.ttl if row.ttl is None else row.ttl
        if row.peer is not None:
            copy.next_hop = row.peer
        else:
            # A node that passes a broadcast on is its source.
            copy.src = row.node
            copy.next_hop = TO_ALL if copy.packet.is_update else FIRST if row.packet == "rerr" else UNSET
        if copy.packet.is_routing:
            message = row.message
            if row.packet == "hello" and message:
                message = f'{{"node":{row.node},{message[1:]}'
            if self._protocol != "dsr":
                copy.bodies = body_of(row.packet, message, self._hello_lifetime)
        t_ns = row.t_ns + (row.delay_ns or 0)
        mark = "s" if copy.src == row.node else "f"
        line = self.writer.packet(Place(mark, t_ns, row.node, "RTR"), row.bytes, copy)
        if row.delay_ns:
            self.schedule(t_ns, line)
        else:
            yield line

    def _frame_sent(self, row: Row) -> Iterator[str]:
        duration, receiver = f"{int(row.value):x}", BROADCAST if row.peer is None else f"{row.peer:x}"
        size, place = row.bytes + PLCP, Place("s", row.t_ns, row.node, "MAC")
        if row.frame != "data":
            mac = (duration, receiver, f"{row.node if row.frame == 'rts' else 0:x}", "0")
            self._control[row.node, row.frame] = mac, size
            yield self.writer.control(place, size, row.frame.upper(), mac)
            return
        copy = self.copies.get(row.node, row.uid) or self._unknown(row)
        copy.mac = (duration, receiver, f"{row.node:x}", ARP if copy.packet.name == "ARP" else IP)
        self._sent[row.node] = _Sent(copy, row.uid, size, row.peer is None)
        if row.peer is None:
            self.copies.take(row.node, row.uid)
        yield self.writer.packet(place, size, copy)

    def _frame_received(self, row: Row) -> Iterator[str]:
        mac, size = self._control.get((row.peer, row.frame), (NO_MAC, 0))
        line = self.writer.control(Place("r", row.t_ns, row.node, "MAC"), size, row.frame.upper(), mac)
        self._held = _Held(row, line)
        return iter(())

    def _acknowledged(self, node: int) -> None:
        sent = self._sent.get(node)
        if sent is not None:
            self.copies.take(node, sent.uid)

    def _frame_accepted(self, row: Row) -> Iterator[str]:
        sent = self._sent.get(row.peer)
        copy = sent.copy.passed() if sent is not None and sent.uid == row.uid else self._unknown(row)
        size, packet = row.bytes, copy.packet
        yield self.writer.packet(Place("r", row.t_ns, row.node, "MAC"), size, copy)
        if packet.name == "ARP":
            return
        if packet.is_routing:
            self.copies.hear(row.node, row.uid, copy)
        else:
            self.copies.add(row.node, row.uid, copy)
        if packet.is_routing or packet.dst != row.node:
            t_ns = row.t_ns + self._delay
            self.schedule(t_ns, self.writer.packet(Place("r", t_ns, row.node, "RTR"), size, copy))

    def _delivered(self, row: Row) -> Iterator[str]:
        copy = self.copies.take(row.node, row.uid) or self._unknown(row)
        if not copy.packet.is_routing:
            yield self.writer.packet(Place("r", row.t_ns, row.node, "AGT"), row.bytes, copy)

    def _dropped(self, row: Row) -> Iterator[str]:
        copy = self.copies.take(row.node, row.uid) or self._unknown(row)
        is_held = self._held is not None and self._held.row.uid == row.uid
        if is_held and row.reason == "mac_retry":
            return
        layer, reason = DROPS[row.reason]
        if not is_held and (layer == "IFQ" or reason == "CBK"):
            duration, receiver, _, _ = copy.mac
            if row.reason in {"queue_full", "link_failure"}:
                receiver = BROADCAST if row.peer is None and copy.next_hop < 0 else f"{copy.next_hop:x}"
            copy.mac = (duration, receiver, f"{row.node:x}", ARP if copy.packet.name == "ARP" else IP)
        if reason == "TTL":
            copy.ttl = 0
        yield self.writer.packet(Place("D", row.t_ns, row.node, layer, reason), row.bytes, copy)

    def _retry_limit(self, row: Row) -> Iterator[str]:
        if row.frame == "rts" and (row.node, "rts") in self._control:
            mac, size = self._control[row.node, "rts"]
            yield self.writer.control(Place("D", row.t_ns, row.node, "MAC", "RET"), size, "RTS", mac)
        copy = self.copies.get(row.node, row.uid) or self._unknown(row)
        ethernet = ARP if copy.packet.name == "ARP" else IP
        copy.mac = (f"{int(row.value):x}", f"{row.peer:x}", f"{row.node:x}", ethernet)
        size = row.bytes + (0 if self._gives_back else MAC_BYTES + PLCP)
        line = self.writer.packet(Place("D", row.t_ns, row.node, "MAC", "RET"), size, copy)
        self._held = _Held(row, line)

    def _frame_collided(self, row: Row) -> Iterator[str]:
        return self._lost(row, "COL") if self._shows_collisions else iter(())

    def _frame_lost(self, row: Row) -> Iterator[str]:
        if row.reason == "collision" and not self._shows_collisions:
            yield from self._lost(row, "COL")
        elif row.reason == "busy":
            yield from self._lost(row, "STA" if row.frame in {"cts", "ack"} else "BSY")
        elif row.reason == "duplicate":
            yield from self._lost(row, "DUP")

    def _lost(self, row: Row, reason: str) -> Iterator[str]:
        """The line of a frame that a station has lost; ns-2 has none for frames that it could not decode."""
        place = Place("D", row.t_ns, row.node, "MAC", reason)
        if row.frame != "data":
            mac, size = self._control.get((row.peer, row.frame), (NO_MAC, 0))
            yield self.writer.control(place, size, row.frame.upper(), mac)
            return
        sent = self._sent.get(row.peer)
        if sent is not None and reason == "COL":
            yield self.writer.packet(place, sent.bytes, sent.copy)
        elif sent is not None:
            yield self.writer.packet(place, sent.bytes - PLCP - MAC_BYTES, sent.copy.passed())

    def _next_number(self) -> int:
        self.numbered += 1
        return self.numbered - 1

    def _unknown(self, row: Row) -> Copy:
        """A packet that began before the trace."""
        name = KINDS.get(row.packet, self._on_demand if row.packet in AODV else "message")
        packet = Packet(0, name, -1 if row.peer is None else row.peer)
        packet.is_routing = row.packet not in KINDS
        return Copy(packet, row.node, AGENT_TTL)


def target_of(message: str | None) -> int:
    """Whose address an ARP request asks for."""
    return int(json.loads(message)["target"]) if message else 0
