"""What bounds are computed from: the engine's times of frames, received powers, and flows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hoplab.base.engine import core
from hoplab.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.scenario.model import Scenario


@dataclass(frozen=True, slots=True)
class Station:
    """A node's MAC.

    Attributes
    ----------
    wait_s : float
        Mean backoff before a packet, s.
    difs_s : float
        DIFS, s.
    waits : bool
        Whether it contends as DCF does. A Semi-TCP node is granted the medium by its receiver without backoff.
    always_waits : bool
        Whether each frame waits for DIFS, as in ns-2; by the standard a frame on an idle medium need not.
    longest_delay_s : float
        Longest propagation delay of a link, s: its timeouts allow no more.
    exchanges : mapping
        By length of a packet above the MAC: seconds of RTS and DATA, of CTS and ACK, of the gaps between them.
    """

    wait_s: float
    difs_s: float
    waits: bool
    always_waits: bool
    longest_delay_s: float
    exchanges: dict[int, tuple[float, float, float]]


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
class Network:
    """A network at one moment.

    Attributes
    ----------
    power_w : array
        Received power by sender and receiver, W; 0 where frames are not sensed.
    delay_s : array
        Propagation delay by sender and receiver, s.
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

    def links(self) -> list[tuple[int, int]]:
        """Links whose ends decode each other's frames within the timeouts."""
        reads = self.power_w >= self.rx_threshold_w
        longest = min(station.longest_delay_s for station in self.stations)
        usable = reads & reads.T & (self.delay_s <= longest)
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
    if scenario.resolve().data.get("wires"):
        raise InputError(f"{scenario.path}: bounds are not supported with [[wire]]")
    job = core().Job(scenario.text, scenario.path, [*scenario.overrides], seed)
    found: dict[str, Any] = json.loads(core().bound_inputs(job, [*times_s]))
    if not found["flows"]:
        raise InputError(f"{scenario.path}: no flows, expected at least one [[flow]] or a [traffic] table")
    if found["is_sinr"]:
        raise InputError(
            f'{scenario.path}: radio.rx_model = "sinr" is not supported by bounds, expected "ns2"',
            hint="add --set radio.rx_model=ns2 for the bound of the same places with thresholds",
        )
    size = found["nodes"]
    lengths = found["lengths"]
    stations = tuple(
        Station(
            row["wait_s"],
            row["difs_s"],
            row["waits"],
            row["always_waits"],
            row["longest_delay_s"],
            dict(zip(lengths, map(tuple, row["exchanges"]), strict=True)),
        )
        for row in found["stations"]
    )
    flows = tuple(_flow(row) for row in found["flows"])
    not_strict = []
    if found["is_shadowed"] and scenario.resolve().data["radio"]["shadowing_coherence"] == "frame":
        not_strict.append("received power has a random part: conflicts are those of its mean")
    if not found["is_still"]:
        not_strict.append("nodes move: the bound is the mean over snapshots")
    counted = [*NOT_COUNTED, *(["frames corrupted by radio.errors"] if found["has_errors"] else [])]
    seen = []
    for rows in found["sensed"]:
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
            )
        )
    return seen


def _flow(row: dict[str, Any]) -> Flow:
    ways = {name: tuple(row[name]) if row.get(name) is not None else None for name in ("path", "back")}
    return Flow(**{**row, **ways})
