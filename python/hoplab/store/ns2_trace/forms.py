"""The two forms of a line: old, and new (`$ns use-newtrace`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from hoplab.store.ns2_trace.names import UNSET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.scenario.trajectories import Leg, Trajectory

Form = Literal["old", "new"]
FORMS: tuple[Form, ...] = ("old", "new")

Mac = tuple[str, str, str, str]
"""Fields of the MAC header in hexadecimal: Duration, receiver, transmitter, type."""
NO_MAC: Mac = ("0", "0", "0", "0")


@dataclass(slots=True)
class Packet:
    """What all copies of a packet have in common."""

    number: int
    name: str
    dst: int
    flow: int = -1
    ports: tuple[int, int] = (255, 255)
    seq: int = 0
    agent_bytes: int = 0
    is_routing: bool = False
    is_update: bool = False


@dataclass(slots=True)
class Copy:
    """A packet at one node: the fields of its headers as they are there."""

    packet: Packet
    src: int
    ttl: int
    hops: int = 0
    next_hop: int = UNSET
    mac: Mac = NO_MAC
    bodies: tuple[str, str] = ("", "")

    def passed(self) -> Copy:
        """The copy of a neighbor that has received it."""
        return Copy(self.packet, self.src, self.ttl, self.hops + 1, self.next_hop, self.mac, self.bodies)


@dataclass(slots=True)
class Place:
    """Where and how a line begins."""

    mark: str
    t_ns: int
    node: int
    layer: str
    reason: str = "---"


class Writer(Protocol):
    """Writes lines in one form."""

    def packet(self, place: Place, size: int, copy: Copy) -> str:
        """A line about a packet, or a frame with one."""

    def control(self, place: Place, size: int, name: str, mac: Mac) -> str:
        """A line about an RTS, CTS or ACK."""


def _clock(t_ns: int) -> str:
    return f"{t_ns // 1_000_000_000}.{t_ns % 1_000_000_000:09d}"


def movement(node: int, leg: Leg) -> str:
    """The line of a node that sets off, the same in both forms."""
    (x, y), (to_x, to_y) = leg.start, leg.end
    start, end = f"({x:.2f}, {y:.2f}, 0.00)", f"({to_x:.2f}, {to_y:.2f})"
    return f"M {leg.begin_s:.5f} {node} {start}, {end}, {leg.speed_mps:.2f}"


class Old:
    """The old wireless form."""

    def packet(self, place: Place, size: int, copy: Copy) -> str:
        """A line about a packet, or a frame with one."""
        packet = copy.packet
        head = f"{self._head(place)} {packet.number} {packet.name} {size} [{' '.join(copy.mac)}] -------"
        if packet.name == "ARP":
            return f"{head} [{copy.bodies[0]}]"
        source, sink = packet.ports
        next_hop = max(copy.next_hop, 0)
        head = f"{head} [{copy.src}:{source} {packet.dst}:{sink} {copy.ttl} {next_hop}] "
        if packet.name == "cbr":
            return f"{head}[{packet.seq}] {copy.hops} 0"
        if packet.name in {"tcp", "ack", "lack"}:
            return f"{head}[{packet.seq} 0] {copy.hops} 0"
        return head + copy.bodies[0]

    def control(self, place: Place, size: int, name: str, mac: Mac) -> str:
        """A line about an RTS, CTS or ACK."""
        return f"{self._head(place)} 0 {name} {size} [{' '.join(mac)}] "

    @staticmethod
    def _head(place: Place) -> str:
        return f"{place.mark} {_clock(place.t_ns)} _{place.node}_ {place.layer:>3} {place.reason:>4}"


@dataclass
class New:
    """The new form, which says where nodes are.

    Parameters
    ----------
    trajectories : sequence of Trajectory
        How they move.
    """

    trajectories: Sequence[Trajectory]
    still: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self.still = {
            node: self._at(node, 0.0) for node, trajectory in enumerate(self.trajectories) if not trajectory.legs
        }

    def packet(self, place: Place, size: int, copy: Copy) -> str:
        """A line about a packet, or a frame with one."""
        packet = copy.packet
        head = self._head(place, copy.next_hop, copy.mac)
        if packet.name == "ARP":
            return head + copy.bodies[1]
        source, sink = packet.ports
        flow = max(packet.flow, 0)
        head += (
            f"-Is {copy.src}.{source} -Id {packet.dst}.{sink} -It {packet.name} -Il {size} -If {flow} "
            f"-Ii {packet.number} -Iv {copy.ttl} "
        )
        if packet.name == "cbr":
            return f"{head}-Pn cbr -Pi {packet.seq} -Pf {copy.hops} -Po 0 "
        if packet.name in {"tcp", "ack", "lack"}:
            return f"{head}-Pn tcp -Ps {packet.seq} -Pa 0 -Pf {copy.hops} -Po 0 "
        return head + copy.bodies[1]

    def control(self, place: Place, size: int, name: str, mac: Mac) -> str:  # noqa: ARG002 (the form does not say them)
        """A line about an RTS, CTS or ACK."""
        return self._head(place, UNSET, mac)

    def _head(self, place: Place, next_hop: int, mac: Mac) -> str:
        node = place.node
        at = self.still.get(node) or self._at(node, place.t_ns / 1e9)
        mark = "d" if place.mark == "D" else place.mark
        duration, receiver, transmitter, ethernet = mac
        return (
            f"{mark} -t {_clock(place.t_ns)} -Hs {node} -Hd {next_hop} -Ni {node} {at} "
            f"-Ne -1.000000 -Nl {place.layer:>3} -Nw {place.reason} "
            f"-Ma {duration} -Md {receiver} -Ms {transmitter} -Mt {ethernet} "
        )

    def _at(self, node: int, t_s: float) -> str:
        x, y = self.trajectories[node].position(t_s)
        return f"-Nx {x:.2f} -Ny {y:.2f} -Nz 0.00"
