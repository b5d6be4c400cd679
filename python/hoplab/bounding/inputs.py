"""What bounds are computed from: the engine's times of frames, received powers, and flows."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hoplab.base.engine import core
from hoplab.base.errors import InputError
from hoplab.base.numbers import seed_of
from hoplab.bounding.attempts import NO_LOSSES, Losses
from hoplab.scenario.channels import need_one_radio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Frames:
    """Air times of the frames for a packet, s: those of data and ACK by modulation of the data, the fastest first.

    RTS and CTS are 0 where none is sent. `is_short`: failures of the data count against the short retry limit.
    """

    rts_s: float
    cts_s: float
    data_s: tuple[float, ...]
    ack_s: tuple[float, ...]
    is_short: bool


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Limits and times of the PPDUs of a station with aggregation: none carries more, or takes less time.

    Attributes
    ----------
    head_s : tuple of float
        Time of a PPDU without packets, by modulation of the data, the fastest first, s.
    packets, bytes : int
        Most packets of a PPDU, by window and queue, and most bytes.
    packet_bytes, packet_s : mapping
        By length of a packet above the MAC: bytes of its MPDU, and its time by modulation, s.
    """

    head_s: tuple[float, ...]
    packets: int
    bytes: int
    packet_bytes: dict[int, int]
    packet_s: dict[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Wire:
    """One direction of a wire: its rate, and bytes that it adds to each packet."""

    rate_bps: float
    overhead_bytes: float


@dataclass(frozen=True, slots=True)
class Station:
    """A node's MAC.

    Attributes
    ----------
    slot_s, sifs_s, difs_s : float
        Slot and interframe spaces, s. A slot of 0: several access categories count their slots at once.
    txop_s : float
        Longest time of several exchanges after one contention, s; 0 for one exchange.
    cw_min, cw_max, draws_cw :
        Contention windows in slots; whether CW itself can be drawn.
    ssrl, slrl : int
        Retry limits.
    waits : bool
        Whether it contends as DCF does. A Semi-TCP node is granted the medium by its receiver without backoff.
    always_waits : bool
        Whether each frame waits for DIFS, as in ns-2; by the standard a frame on an idle medium need not.
    longest_delay_s : float
        Longest propagation delay of a link, s: its timeouts allow no more.
    frames : mapping
        By length of a packet above the MAC.
    aggregate : Aggregate or None
        None if each packet has an exchange of its own.
    """

    slot_s: float
    sifs_s: float
    difs_s: float
    txop_s: float
    cw_min: int
    cw_max: int
    draws_cw: bool
    ssrl: int
    slrl: int
    waits: bool
    always_waits: bool
    longest_delay_s: float
    frames: dict[int, Frames]
    aggregate: Aggregate | None

    @property
    def uses_rts(self) -> bool:
        """Whether an RTS precedes all data."""
        return all(one.rts_s > 0.0 for one in self.frames.values())

    @property
    def wait_s(self) -> float:
        """Mean backoff before the first attempt of a packet, s."""
        return self.slot_s * (self.cw_min if self.draws_cw else self.cw_min - 1) / 2.0

    def contention(self, length: int) -> float:
        """Contentions of the station, with their RTS and CTS, per exchange for a packet of this length, at least.

        Exchanges of a TXOP follow each other at SIFS and end within its limit: each takes its share of it at least.
        """
        if not self.txop_s:
            return 1.0
        frames = self.frames[length]
        exchange_s = frames.data_s[0] + frames.ack_s[0] + 2.0 * self.sifs_s
        return min(1.0, exchange_s / (self.txop_s + self.sifs_s))

    @property
    def exchanges(self) -> dict[int, tuple[float, float, float]]:
        """By length of a packet: seconds of RTS and DATA, of CTS and ACK, and of the gaps between them."""
        return {
            length: (one.rts_s + one.data_s[0], one.cts_s + one.ack_s[0], self.sifs_s * (3 if one.rts_s else 1))
            for length, one in self.frames.items()
        }


@dataclass(frozen=True, slots=True)
class Flow:
    """What a flow sends.

    Attributes
    ----------
    payload_bytes, data_bytes, ack_bytes : int
        Payload of a packet, and lengths above the MAC of a packet and of an acknowledgment; 0 without one.
    acks : float
        Acknowledgments per packet, at least.
    rate_bps : float or None
        Rate of its application, bit/s of payload; None if it has always something to send.
    window : int or None
        Limit of its window, in packets.
    path, back : tuple of int or None
        Nodes on its way and on the way back; None where routes are found during the run.
    """

    id: int
    src: int
    dst: int
    transport: str
    payload_bytes: int
    data_bytes: int
    ack_bytes: int
    acks: float
    rate_bps: float | None
    window: int | None
    path: tuple[int, ...] | None
    back: tuple[int, ...] | None

    @property
    def packet_bits(self) -> float:
        """Payload bits of a packet."""
        return self.payload_bytes * 8.0


@dataclass(frozen=True, slots=True)
class Source:
    """A run before its first event, and a time in it."""

    scenario: Scenario
    seed: int
    time_s: float

    @property
    def job(self) -> Any:
        """The run as the engine takes it."""
        return job_of(self.scenario, self.seed)


def job_of(scenario: Scenario, seed: int) -> Any:
    """A run as the engine takes it."""
    return core().Job(scenario.text, scenario.path, [*scenario.overrides], seed_of(seed))


@dataclass(frozen=True, slots=True)
class Network:
    """A network at one moment.

    Attributes
    ----------
    power_w : array
        Received power by sender and receiver, W; 0 where frames are not sensed.
    delay_s : array
        Propagation delay by sender and receiver, s.
    losses : mapping
        By sender, receiver and length of a packet: probabilities that its RTS, CTS, DATA and ACK are corrupted.
    wires : mapping
        By sender and receiver.
    is_sinr : bool
        Whether reception is by the ratio of signal to noise and interference.
    source : Source
        The run that this is read from.
    not_strict : tuple of str
        Reasons why a run can be above the bound.
    """

    stations: tuple[Station, ...]
    flows: tuple[Flow, ...]
    power_w: np.ndarray
    delay_s: np.ndarray
    rx_threshold_w: float
    cs_threshold_w: float
    capture_ratio: float
    not_strict: tuple[str, ...]
    not_counted: tuple[str, ...]
    losses: dict[tuple[int, int, int], Losses]
    wires: dict[tuple[int, int], Wire]
    is_sinr: bool
    source: Source

    @property
    def nodes(self) -> int:
        """Number of nodes, hosts on wires included."""
        return max([len(self.stations), *(1 + max(ends) for ends in self.wires)])

    def without_acks(self) -> Network:
        """The network whose acknowledgments take no time."""
        return replace(self, flows=tuple(replace(flow, acks=0.0) for flow in self.flows))

    def losses_of(self, link: tuple[int, int], length: int) -> Losses:
        """Probabilities that frames for a packet are corrupted."""
        return self.losses.get((*link, length), NO_LOSSES)

    def links(self) -> list[tuple[int, int]]:
        """Radio links whose ends decode each other's frames within the timeouts."""
        reads = self.power_w >= self.rx_threshold_w
        longest = min(station.longest_delay_s for station in self.stations)
        usable = reads & reads.T & (self.delay_s <= longest)
        for (a, b, _), losses in self.losses.items():
            usable[a, b] &= max(losses) < 1.0
        return [(int(a), int(b)) for a, b in np.argwhere(usable)]


NOT_COUNTED = ("ARP", "routing messages", "retransmissions", "slow start")
"""What the bounds leave out: each makes a real network slower than they say."""


def networks(scenario: Scenario, seed: int, times_s: Sequence[float] = (0.0,)) -> list[Network]:
    """The network of one run at each of some times, which do not decrease, in s.

    Raises
    ------
    InputError
        If the scenario has no flow, or a radio that bounds do not support.
    ScenarioError
        If the scenario is wrong.
    """
    need_one_radio(scenario.resolve().data, "hoplab bound")
    found: dict[str, Any] = json.loads(core().bound_inputs(job_of(scenario, seed), [*times_s]))
    if not found["flows"]:
        raise InputError(f"{scenario.path}: no flows, expected at least one [[flow]] or a [traffic] table")
    size = found["nodes"]
    stations = tuple(_station(row, found["lengths"]) for row in found["stations"])
    flows = tuple(_flow(row) for row in found["flows"])
    not_strict = []
    if found["is_random"]:
        not_strict.append("received power has a random part: conflicts are those of its mean")
    if not found["is_still"]:
        not_strict.append("nodes move: the bound is the mean over snapshots")
    counted = [*NOT_COUNTED, *(["bad states of links (gilbert)"] if found["is_bursty"] else [])]
    wires = {(int(a), int(b)): Wire(rate, overhead) for a, b, rate, overhead in found["wires"]}
    seen = []
    for time_s, rows, lost in zip(times_s, found["sensed"], found["losses"], strict=True):
        power, delay = np.zeros((size, size)), np.full((size, size), np.inf)
        if rows:
            table = np.asarray(rows, dtype=float)
            a, b = table[:, 0].astype(int), table[:, 1].astype(int)
            power[a, b], delay[a, b] = table[:, 2], table[:, 3]
        seen.append(
            Network(
                stations,
                flows,
                power,
                delay,
                found["rx_threshold_w"],
                found["cs_threshold_w"],
                found["capture_ratio"],
                tuple(not_strict),
                tuple(counted),
                {(int(a), int(b), int(n)): (rts, cts, data, ack) for a, b, n, rts, cts, data, ack in lost},
                wires,
                found["is_sinr"],
                Source(scenario, seed, time_s),
            )
        )
    return seen


def _station(row: dict[str, Any], lengths: Sequence[int]) -> Station:
    frames = {
        length: Frames(rts, cts, tuple(data), tuple(acks), is_short)
        for length, (rts, cts, data, acks), is_short in zip(lengths, row["exchanges"], row["short"], strict=True)
    }
    own = {name: value for name, value in row.items() if name not in ("exchanges", "short", "aggregate")}
    return Station(**own, frames=frames, aggregate=_aggregate(row["aggregate"], lengths))


def _aggregate(row: dict[str, Any] | None, lengths: Sequence[int]) -> Aggregate | None:
    if row is None:
        return None
    by_length = {length: tuple(times) for length, times in zip(lengths, row["packet_s"], strict=True)}
    sizes = dict(zip(lengths, row["packet_bytes"], strict=True))
    return Aggregate(tuple(row["head_s"]), row["packets"], row["bytes"], sizes, by_length)


def _flow(row: dict[str, Any]) -> Flow:
    ways = {name: tuple(row[name]) if row.get(name) is not None else None for name in ("path", "back")}
    return Flow(**{**row, **ways})
