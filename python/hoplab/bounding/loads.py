"""What flows need of each vertex of a conflict graph, per bit of payload, on fixed or free routes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from hoplab.bounding.attempts import Attempts, Losses, attempts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hoplab.bounding.graph import Graph, Link
    from hoplab.bounding.inputs import Flow, Network, Station

DEAD = 1e-9
"""Probability of delivery below which a link carries nothing."""


@dataclass(frozen=True)
class Loads:
    """What the variables of a program mean.

    Attributes
    ----------
    seconds : sparse array
        Seconds per second of each vertex, by variable.
    rates : sparse array
        Payload of each flow, bit/s, by variable.
    equal : sparse array
        Rows that are zero: flow conservation where routes are free, and frames that are sent in one of several ways.
    caps : array
        Highest payload of each flow, bit/s; infinite without a limit of its own.
    """

    seconds: Any
    rates: Any
    equal: Any
    caps: np.ndarray


class _Ppdus(NamedTuple):
    """Rows that bound the PPDUs of a link from below: by packets and bytes; by time its contentions, with TXOPs."""

    by_packets: int
    by_bytes: int
    by_time: int | None


class _Entries:
    """Entries of the matrices; variables of frames that can be sent in several ways follow those of flows."""

    def __init__(
        self, network: Network, graph: Graph, width: int, lengths: Mapping[Link, tuple[int, ...]] | None = None
    ) -> None:
        self.network, self.graph, self.width, self.lengths = network, graph, width, lengths or {}
        self.seconds: list[tuple[int, int, float]] = []
        self.equal: list[tuple[int, int, float]] = []
        self.rows = 0
        self._row_of: dict[tuple[str, Link, int], int] = {}
        self._ppdus: dict[Link, _Ppdus] = {}

    def cross(self, column: int, link: Link, length: int, count: float) -> None:
        """Per unit of a variable, so many packets of this length cross a link."""
        if link not in self.network.wires and self.network.stations[link[0]].aggregate:
            self._join(column, link, length, count)
            return
        for vertex, seconds in _fixed_needs(self.network, self.graph, link, length):
            self.seconds.append((vertex, column, seconds * count))
        for kind, packets in _frames_sent(self.network, self.graph, link, length):
            self._send(column, (kind, link, length), packets * count)

    def _join(self, column: int, link: Link, length: int, count: float) -> None:
        """The same where packets join others: each takes its own time, and its share of a PPDU.

        Each MPDU is sent until it arrives, with its share of bytes each time, and new packets once.
        """
        station = self.network.stations[link[0]]
        assert station.aggregate is not None
        sent = count / (1.0 - self.network.losses_of(link, length)[2])
        self._send(column, ("DATA", link, length), sent)
        if link not in self._ppdus:
            self._ppdus[link] = self._add_ppdus(link)
        rows = self._ppdus[link]
        self.equal.append((rows.by_packets, column, -count / self._most_packets(link)))
        self.equal.append((rows.by_bytes, column, -sent * self._share_of_bytes(link, length)))
        if rows.by_time is not None:
            seconds = station.aggregate.packet_s[length][0]
            self.equal.append((rows.by_time, column, -sent * seconds / _longest_access_s(station)))

    def _share_of_bytes(self, link: Link, length: int) -> float:
        """The share of a PPDU's bytes that a packet takes. Packets of one length fill whole numbers of places."""
        aggregate = self.network.stations[link[0]].aggregate
        assert aggregate is not None
        own = aggregate.packet_bytes[length]
        return 1.0 / (aggregate.bytes // own) if self.lengths.get(link) == (length,) else own / aggregate.bytes

    def _most_packets(self, link: Link) -> float:
        """Packets of a PPDU of a link, at most: by window and queue of the MAC, and by the windows of flows."""
        aggregate = self.network.stations[link[0]].aggregate
        assert aggregate is not None
        windows = 0.0
        for flow in self.network.flows:
            window = math.inf if flow.window is None else float(flow.window)
            ways = ((flow.path, 1.0), (flow.back, flow.acks))
            windows += sum(window for path, count in ways if count and (path is None or link in _hops(path)))
        return min(float(aggregate.packets), windows)

    def _add_ppdus(self, link: Link) -> _Ppdus:
        """One more variable: the PPDUs of a link; with TXOPs, another one for its contentions."""
        station, losses = self.network.stations[link[0]], self._least_losses(link)
        assert station.aggregate is not None
        ppdus = self._new()
        by_packets, by_bytes = self._at_least(ppdus), self._at_least(ppdus)
        contentions, by_time = ppdus, None
        if station.txop_s:
            contentions = self._new()
            by_time = self._at_least(contentions)
            exchange_s = min(station.aggregate.head_s) + min(station.frames[n].ack_s[0] for n in station.frames)
            exchange_s += 2.0 * station.sifs_s
            self.equal.append((by_time, ppdus, -exchange_s / _longest_access_s(station)))
        rts, cts, data, _ = losses
        accesses, gaps = 1.0, 0.0
        if station.uses_rts:
            accesses = 1.0 / ((1.0 - rts) * (1.0 - cts))
            self._send(contentions, ("RTS", link, 0), accesses)
            self._send(contentions, ("CTS", link, 0), accesses * (1.0 - rts))
            gaps = station.sifs_s * (accesses * (1.0 - rts) + 1.0)
        self._send(ppdus, ("HEAD", link, 0), 1.0)
        self._send(ppdus, ("ACK", link, 0), 1.0 - data)
        index = self.graph.index
        if ("D", link) in index:
            self.seconds.append((index["D", link], contentions, station.difs_s * accesses + gaps))
            self.seconds.append((index["D", link], ppdus, station.sifs_s * (1.0 - data)))
        if ("W", (link[0], link[0])) in index:
            self.seconds.append((index["W", (link[0], link[0])], contentions, station.wait_s * accesses))
        return _Ppdus(by_packets, by_bytes, by_time)

    def _least_losses(self, link: Link) -> Losses:
        """Losses of RTS and CTS; of data and ACK, the largest, with which the fewest Block Acks are sent."""
        found = [self.network.losses_of(link, length) for length in self.network.stations[link[0]].frames]
        return min(f[0] for f in found), min(f[1] for f in found), max(f[2] for f in found), max(f[3] for f in found)

    def _new(self) -> int:
        """One more variable."""
        self.width += 1
        return self.width - 1

    def _at_least(self, column: int) -> int:
        """A row that a variable exceeds by a variable of its own: entries below zero bound it from below."""
        self.equal += [(self.rows, column, 1.0), (self.rows, self._new(), -1.0)]
        self.rows += 1
        return self.rows - 1

    def _send(self, column: int, frame: tuple[str, Link, int], count: float) -> None:
        ways = self.graph.ways[self.graph.frame_of(frame)]
        if len(ways) == 1:
            self.seconds.append((ways[0].vertex, column, ways[0].seconds * count))
            return
        key = self.graph.frame_of(frame)
        unit = ways[0].seconds
        if key not in self._row_of:
            self._row_of[key] = self.rows
            for way in ways:
                self.equal.append((self.rows, self.width, unit / way.seconds * way.service))
                self.seconds.append((way.vertex, self.width, 1.0))
                self.width += 1
            self.rows += 1
        self.equal.append((self._row_of[key], column, -unit * count))

    def loads(self) -> Loads:
        flows = len(self.network.flows)
        rates = [(i, i, 1.0) for i in range(flows)]
        return Loads(
            _matrix(self.seconds, (self.graph.size, self.width)),
            _matrix(rates, (flows, self.width)),
            _matrix(self.equal, (self.rows, self.width)),
            _caps(self.network),
        )


def fixed_loads(network: Network, graph: Graph) -> Loads:
    """Flows on their static paths: one variable per flow, in bit/s of payload."""
    entries = _Entries(network, graph, len(network.flows), lengths_used(network))
    for column, flow in enumerate(network.flows):
        for link, length, count in crossed(flow) if _arrives(network, flow) else ():
            entries.cross(column, link, length, count / flow.packet_bits)
    return entries.loads()


def free_loads(network: Network, graph: Graph) -> Loads:
    """Flows on any usable links: one variable per flow, direction and link, in bit/s of payload."""
    links = [*graph.links, *network.wires]
    nodes, flows = network.nodes, len(network.flows)
    ways = [(i, flow.data_bytes, 1.0, flow.src, flow.dst) for i, flow in enumerate(network.flows)]
    ways += [(i, f.ack_bytes, f.acks, f.dst, f.src) for i, f in enumerate(network.flows) if f.acks > 0.0]
    entries = _Entries(network, graph, flows + len(ways) * len(links))  # the rates first
    entries.rows = len(ways) * nodes
    for k, (i, length, count, src, dst) in enumerate(ways):
        base = flows + k * len(links)
        for j, (a, b) in enumerate(links):
            entries.cross(base + j, (a, b), length, count / network.flows[i].packet_bits)
            entries.equal += [(k * nodes + a, base + j, 1.0), (k * nodes + b, base + j, -1.0)]
        entries.equal += [(k * nodes + src, i, -1.0), (k * nodes + dst, i, 1.0)]
    return entries.loads()


def links_used(network: Network) -> list[Link]:
    """Radio links on the static paths of all flows."""
    links = (link for flow in network.flows for link, _, _ in crossed(flow))
    return list(dict.fromkeys(link for link in links if link not in network.wires))


def lengths_used(network: Network) -> dict[Link, tuple[int, ...]]:
    """By radio link: lengths of packets on the static paths of all flows."""
    found: dict[Link, dict[int, None]] = {}
    for flow in network.flows:
        for link, length, _ in crossed(flow):
            if link not in network.wires:
                found.setdefault(link, {})[length] = None
    return {link: tuple(lengths) for link, lengths in found.items()}


def crossed(flow: Flow) -> list[tuple[Link, int, float]]:
    """Links that a packet and its acknowledgment cross: link, length, crossings per packet."""
    found = [(link, flow.data_bytes, 1.0) for link in _hops(flow.path)]
    return found + [(link, flow.ack_bytes, flow.acks) for link in _hops(flow.back) if flow.acks > 0.0]


def _hops(path: Sequence[int] | None) -> list[Link]:
    return [] if path is None else list(itertools.pairwise(path))


def _arrives(network: Network, flow: Flow) -> bool:
    """Whether every link on the way delivers at all."""
    ways = ((link, length) for link, length, _ in crossed(flow) if link not in network.wires)
    return all(_tried(network, link, length).delivered > DEAD for link, length in ways)


def _tried(network: Network, link: Link, length: int) -> Attempts:
    return attempts(network.stations[link[0]], length, network.losses_of(link, length))


def _sent(network: Network, link: Link, length: int) -> Attempts:
    """Frames per packet that a link delivers."""
    found = _tried(network, link, length)
    return Attempts().plus(found, 1.0 / found.delivered)


def _fixed_needs(network: Network, graph: Graph, link: Link, length: int) -> list[tuple[int, float]]:
    """Seconds of each merged vertex for one packet over a link, frames that are sent in several ways apart."""
    index = graph.index
    if link in network.wires:
        wire = network.wires[link]
        return [(index["X", link], (length + wire.overhead_bytes) * 8.0 / wire.rate_bps)]
    station, sent = network.stations[link[0]], _sent(network, link, length)
    frames = station.frames[length]
    share = station.contention(length)
    gaps = share * (sent.cts_sent + (sent.data_sent if sent.rts_sent else 0.0))
    gaps = station.sifs_s * (gaps + sent.ack_sent + (1.0 - share) * sent.data_sent)
    found = []
    if not graph.ways:
        found.append((index["F", link], frames.rts_s * share * sent.rts_sent + frames.data_s[0] * sent.data_sent))
        found.append((index["R", link], frames.cts_s * share * sent.cts_sent + frames.ack_s[0] * sent.ack_sent))
        found.append((index["G", link], gaps))
        gaps = 0.0
    if ("D", link) in index:
        found.append((index["D", link], station.difs_s * share * sent.accesses + gaps))
    if ("W", (link[0], link[0])) in index:
        found.append((index["W", (link[0], link[0])], station.slot_s * share * sent.slots))
    return found


def _frames_sent(network: Network, graph: Graph, link: Link, length: int) -> list[tuple[str, float]]:
    """Kinds of frames that are sent in several ways, and how many per packet."""
    if not graph.ways or link in network.wires:
        return []
    sent, share = _sent(network, link, length), network.stations[link[0]].contention(length)
    counts = [
        ("RTS", share * sent.rts_sent),
        ("CTS", share * sent.cts_sent),
        ("DATA", sent.data_sent),
        ("ACK", sent.ack_sent),
    ]
    return [(kind, count) for kind, count in counts if count > 0.0]


def _longest_access_s(station: Station) -> float:
    """Time after one contention, at most: that of a TXOP, or of one frame that exceeds it."""
    single = max(one.data_s[0] + one.ack_s[0] for one in station.frames.values())
    return max(station.txop_s, single + station.sifs_s) + station.sifs_s


def _caps(network: Network) -> np.ndarray:
    """By flow: the rate of its application, and a window per time that packet and acknowledgment take on their way."""
    caps = []
    for flow in network.flows:
        cap = math.inf if flow.rate_bps is None else flow.rate_bps
        if not _arrives(network, flow):
            cap = 0.0
        if flow.window is not None and flow.path is not None:
            trip = math.fsum(_crossing_s(network, link, length) for link, length, _ in crossed(flow))
            cap = min(cap, flow.window * flow.packet_bits / trip)
        caps.append(cap)
    return np.array(caps)


def _crossing_s(network: Network, link: Link, length: int) -> float:
    if link in network.wires:
        wire = network.wires[link]
        return (length + wire.overhead_bytes) * 8.0 / wire.rate_bps
    station = network.stations[link[0]]
    if station.txop_s:
        frames = station.frames[length]
        return frames.data_s[0] + station.sifs_s + frames.ack_s[0]
    # Backoff slots are left out: those of the next packet pass while this one is elsewhere.
    return math.fsum(station.exchanges[length]) + (station.difs_s if station.always_waits else 0.0)


def _matrix(entries: Sequence[tuple[int, int, float]], shape: tuple[int, int]) -> Any:
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return sparse.csr_array((values, (rows, columns)), shape=shape)
