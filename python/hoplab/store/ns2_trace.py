"""A stored trace in the wireless formats of ns-2, old and new, for scripts that read those.

The lines are those of ns-2.35 with agent, router and MAC trace on. Three things differ. Bodies of routing messages are
left out, but for their kind. Ports are the numbers of flows. The count of forwards and the hops left (TTL) follow from
the hops that a packet has come, not from a header.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import Trajectory, movements
from hoplab.store.columns import readable
from hoplab.store.trace import Trace

Form = Literal["old", "new"]
FORMS: tuple[Form, ...] = ("old", "new")

DROPS = {
    "mac_retry": ("MAC", "RET"),
    "link_failure": ("RTR", "CBK"),
    "queue_full": ("IFQ", "---"),
    "arp": ("IFQ", "ARP"),
    "no_route": ("RTR", "NRTE"),
    "route_timeout": ("RTR", "TOUT"),
    "route_buffer": ("RTR", "IFQ"),
    "ttl": ("RTR", "TTL"),
    "loop": ("RTR", "LOOP"),
}
"""Layer and reason of a packet's end."""
LOSSES = {"collision": "COL", "errored": "ERR", "busy": "BSY", "duplicate": "DUP", "noise": "ERR"}
"""Reason of a frame's loss."""
KINDS = {"segment": "tcp", "ack": "ack", "datagram": "cbr", "lack": "lack"}
"""What ns-2 calls a packet."""
MESSAGES = {
    "rreq": ("AODV", "REQUEST"),
    "rrep": ("AODV", "REPLY"),
    "rerr": ("AODV", "ERROR"),
    "hello": ("AODV", "HELLO"),
}
"""What ns-2 calls a routing message: its protocol, and its type; others are `message`, without a type."""
PLCP = 24
"""Bytes that ns-2 counts for the preamble in lengths of frames that are sent."""
BROADCAST = "ffffffff"
REMEMBERED = 10_000
"""Packets that are remembered after their end."""
TTL_OF_AGENT, TTL_OF_ROUTER = 32, 30

_QUERY = """
    SELECT t_ns, 0 AS turn, node, event, frame, packet, peer, flow, uid, seq, bytes, reason, value
    FROM events WHERE seed = $seed
    UNION ALL
    SELECT t_ns + $delay, -1, node, 'arrived', NULL, packet, peer, flow, uid, seq, bytes, NULL, NULL
    FROM events WHERE seed = $seed AND event = 'frame_accepted' AND packet NOT IN ('arp_request', 'arp_reply')
    ORDER BY 1, 2
"""


@dataclass
class _Packet:
    """What is known of a packet since it was made."""

    src: int
    dst: int
    hops: int = 0


@dataclass
class _Line:
    """One line, before it has a form; a frame without a packet has no `uid`."""

    mark: str
    t_ns: int
    node: int
    layer: str
    reason: str
    kind: str
    size: int
    mac: tuple[str, str, str, str] = ("0", "0", "0", "0")
    uid: int | None = None
    src: str = ""
    dst: str = ""
    ttl: int = 0
    next_hop: int = 0
    numbers: str = ""
    seq: int = 0
    hops: int = 0
    flow: int = -1
    body: str = ""


@dataclass
class _Reader:
    """Turns rows of the trace into lines, in order of time."""

    packets: dict[int, _Packet] = field(default_factory=dict)
    sent: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    macs: dict[int, dict[int, tuple[str, str, str, str]]] = field(default_factory=dict)
    done: deque[int] = field(default_factory=deque)

    def lines(self, row: dict[str, Any]) -> Iterator[_Line]:
        """The lines that ns-2 would write for this row."""
        read: Callable[[dict[str, Any]], Iterator[_Line]] | None = getattr(self, f"_{row['event']}", None)
        if read is not None:
            yield from read(row)

    def _originated(self, row: dict[str, Any]) -> Iterator[_Line]:
        self.packets[row["uid"]] = _Packet(row["node"], -1 if row["peer"] is None else row["peer"])
        if row["packet"] in {"segment", "ack", "datagram", "lack"}:
            yield self._line("s", row, "AGT", ttl=TTL_OF_AGENT)
            yield self._line("r", row, "RTR", ttl=TTL_OF_AGENT)

    def _forwarded(self, row: dict[str, Any]) -> Iterator[_Line]:
        packet = self.packets.get(row["uid"])
        is_own = packet is None or packet.src == row["node"]
        yield self._line("s" if is_own else "f", row, "RTR")

    def _frame_sent(self, row: dict[str, Any]) -> Iterator[_Line]:
        self.sent[row["node"], row["frame"]] = row
        if row["frame"] == "data":
            self.macs.setdefault(row["uid"], {})[row["node"]] = self._mac(row, row["node"], row["peer"])
        yield self._frame("s", row, row["node"], row["peer"])

    def _frame_received(self, row: dict[str, Any]) -> Iterator[_Line]:
        yield self._frame("r", row, row["peer"], row["node"])

    def _frame_accepted(self, row: dict[str, Any]) -> Iterator[_Line]:
        packet = self.packets.get(row["uid"])
        if packet is not None:
            packet.hops += 1
        macs = self.macs.setdefault(row["uid"], {})
        if row["peer"] in macs:
            macs[row["node"]] = macs[row["peer"]]
        yield self._line("r", row, "MAC")

    def _arrived(self, row: dict[str, Any]) -> Iterator[_Line]:
        yield self._line("r", row, "RTR")

    def _delivered(self, row: dict[str, Any]) -> Iterator[_Line]:
        if row["packet"] in {"segment", "ack", "datagram", "lack"}:
            yield self._line("r", row, "AGT")
        self._forget(row["uid"])

    def _dropped(self, row: dict[str, Any]) -> Iterator[_Line]:
        layer, reason = DROPS[row["reason"]]
        yield self._line("D", row, layer, reason)
        self._forget(row["uid"])

    def _frame_lost(self, row: dict[str, Any]) -> Iterator[_Line]:
        frame = self.sent.get((row["peer"], row["frame"]))
        if frame is not None:
            lost = {**frame, "t_ns": row["t_ns"], "node": row["node"]}
            line = self._frame("D", lost, row["peer"], frame["peer"])
            line.reason = LOSSES[row["reason"]]
            yield line

    def _forget(self, uid: int) -> None:
        """Forget a packet, but not yet: copies of it may be on their way."""
        self.done.append(uid)
        if len(self.done) > REMEMBERED:
            old = self.done.popleft()
            self.packets.pop(old, None)
            self.macs.pop(old, None)

    def _frame(self, mark: str, row: dict[str, Any], ta: int, ra: int | None) -> _Line:
        size = row["bytes"] + PLCP
        if row["frame"] == "data":
            line = self._line(mark, row, "MAC")
            line.size, line.mac = size, self._mac(row, ta, ra)
            return line
        duration = f"{int(row['value']):x}"
        mac = (duration, f"{ra:x}", f"{ta if row['frame'] == 'rts' else 0:x}", "0")
        return _Line(mark, row["t_ns"], row["node"], "MAC", "---", row["frame"].upper(), size, mac)

    @staticmethod
    def _mac(row: dict[str, Any], ta: int, ra: int | None) -> tuple[str, str, str, str]:
        ethernet = "806" if row["packet"] in {"arp_request", "arp_reply"} else "800"
        return (f"{int(row['value']):x}", BROADCAST if ra is None else f"{ra:x}", f"{ta:x}", ethernet)

    def _line(self, mark: str, row: dict[str, Any], layer: str, reason: str = "---", ttl: int | None = None) -> _Line:
        kind, uid = row["packet"], row["uid"]
        packet = self.packets.get(uid) or _Packet(row["node"], -1)
        protocol, body = MESSAGES.get(kind, ("message", ""))
        line = _Line(mark, row["t_ns"], row["node"], layer, reason, KINDS.get(kind) or protocol, row["bytes"], uid=uid)
        line.mac = self.macs.get(uid, {}).get(row["node"], line.mac)
        line.hops, line.flow = packet.hops, -1 if row["flow"] is None else row["flow"]
        line.seq = -1 if row["seq"] is None else row["seq"]
        if kind in {"arp_request", "arp_reply"}:
            line.kind, line.body = "ARP", "REQUEST" if kind == "arp_request" else "REPLY"
            line.src, line.dst = str(packet.src), str(max(packet.dst, 0))
            return line
        port = 255 if line.flow < 0 else line.flow
        line.src, line.dst = f"{packet.src}:{port}", f"{packet.dst}:{port}"
        line.ttl = TTL_OF_ROUTER - packet.hops if ttl is None else ttl
        line.next_hop = 0 if row["peer"] is None or mark not in {"s", "f"} or ttl is not None else row["peer"]
        line.body = body
        return line


def lines(trace: Trace, scenario: Scenario, *, seed: int, form: Form) -> Iterator[str]:
    """Each line of the trace of one seed, without its end.

    Parameters
    ----------
    scenario : Scenario
        Whose run it is: for the link layer's delay, and for the places of nodes in the new form.
    """
    data = scenario.resolve().data
    delay = round(float(data["link"]["delay_s"]) * 1e9)
    trajectories = movements(scenario, seed=seed) if form == "new" else None
    reader = _Reader()
    cursor = trace.connection.cursor()
    with readable(f"{trace.folder}: the trace"):
        answer = cursor.execute(_QUERY, {"seed": seed, "delay": delay})
        names = [column[0] for column in answer.description or []]
        while rows := answer.fetchmany(10_000):
            for values in rows:
                for line in reader.lines(dict(zip(names, values, strict=True))):
                    yield _old(line) if trajectories is None else _new(line, trajectories)


def _old(line: _Line) -> str:
    head = f"{line.mark} {line.t_ns / 1e9:.9f} _{line.node}_ {line.layer}  {line.reason} "
    mac = f"[{' '.join(line.mac)}] "
    if line.uid is None:
        return f"{head}0 {line.kind} {line.size} {mac}"
    if line.kind == "ARP":
        return f"{head}0 ARP {line.size} {mac}------- [{line.body} {line.src}/{line.src} {line.dst}/{line.dst}]"
    ip = f"------- [{line.src} {line.dst} {line.ttl} {line.next_hop}]"
    packet = f"{head}{line.uid} {line.kind} {line.size} {mac}{ip}"
    if line.kind in {"tcp", "ack", "lack"}:
        return f"{packet} [{line.seq} 0] {line.hops} 0"
    if line.kind == "cbr":
        return f"{packet} [{line.seq}] {line.hops} 0"
    return f"{packet} ({line.body})" if line.body else packet


def _new(line: _Line, trajectories: Sequence[Trajectory]) -> str:
    x, y = trajectories[line.node].position(line.t_ns / 1e9)
    mark = "d" if line.mark == "D" else line.mark
    duration, ra, ta, ethernet = line.mac
    hop = line.next_hop if line.mark in {"s", "f"} and line.layer == "RTR" else -2
    head = (
        f"{mark} -t {line.t_ns / 1e9:.9f} -Hs {line.node} -Hd {hop} -Ni {line.node} -Nx {x:.2f} -Ny {y:.2f} -Nz 0.00 "
        f"-Ne -1.000000 -Nl {line.layer} -Nw {line.reason} -Ma {duration} -Md {ra} -Ms {ta} -Mt {ethernet} "
    )
    if line.uid is None:
        return head
    if line.kind == "ARP":
        return f"{head}-P arp -Po {line.body} -Pms {line.src} -Ps {line.src} -Pmd {line.dst} -Pd {line.dst} "
    src, dst = line.src.replace(":", "."), line.dst.replace(":", ".")
    ip = f"-Is {src} -Id {dst} -It {line.kind} -Il {line.size} -If {max(line.flow, 0)} -Ii {line.uid} -Iv {line.ttl} "
    if line.kind in {"tcp", "ack", "lack"}:
        return f"{head}{ip}-Pn tcp -Ps {line.seq} -Pa 0 -Pf {line.hops} -Po 0 "
    if line.kind == "cbr":
        return f"{head}{ip}-Pn cbr -Pi {line.seq} -Pf {line.hops} -Po 0 "
    return f"{head}{ip}-P {line.kind.lower()} -Pc {line.body} " if line.body else f"{head}{ip}"
