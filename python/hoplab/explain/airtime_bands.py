"""Categories of a node's airtime, as bands of a bar: one source for the page, its legend and its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.base.airtime import AIRTIME


@dataclass(frozen=True)
class Band:
    """Airtime categories of the engine that a bar shows as one.

    Attributes
    ----------
    key : str
        Its class in the page's style.
    meaning : str
        Definition, as in the legend.
    uses : tuple of str
        The engine's categories that it sums.
    """

    key: str
    name: str
    meaning: str
    uses: tuple[str, ...]


BANDS = (
    Band("data", "own data", "transmits data frames, own or forwarded", ("data",)),
    Band("broadcast", "own broadcasts", "transmits broadcast frames: routing and ARP", ("broadcast",)),
    Band("control", "own RTS and CTS", "transmits RTS and CTS frames", ("rts", "cts")),
    Band("ack", "own ACKs", "transmits MAC ACKs", ("ack",)),
    Band("received", "receiving", "receives a frame whose RA is this node, or a broadcast", ("received",)),
    Band("collision", "collisions", "receives frames that overlap", ("collision",)),
    Band("eifs", "EIFS", "defers after an undecodable frame", ("eifs",)),
    Band("deferral", "deferral", "medium busy with another node's frame, or NAV set", ("overheard", "reserved")),
    Band("exchange", "SIFS and response", "SIFS within its own exchanges, or waiting for a CTS or ACK", ("exchange",)),
    Band("contention", "contention", "DIFS and backoff on an idle medium", ("backoff",)),
    Band("parked", "parked", "withholds a packet because a neighbor is congested", ("parked",)),
    Band("idle", "idle", "no packet to transmit and an idle medium", ("idle",)),
    Band("off", "radio off", "the radio is off", ("off",)),
)
"""In the order of a bar: transmissions, receptions, waiting, idle."""


@dataclass(frozen=True)
class Piece:
    """A band's share of one node's bar."""

    band: Band
    seconds: float
    share: float


def pieces(node: Mapping[str, Any]) -> list[Piece]:
    """Pieces of one node's bar, without empty bands; the shares sum to 1."""
    total = total_s(node)
    found = [(band, float(sum(node[use] for use in band.uses))) for band in BANDS]
    return [Piece(band, seconds, seconds / total) for band, seconds in found if seconds > 0.0]


def total_s(node: Mapping[str, Any]) -> float:
    """Sum of one node's airtime, in s: the duration of the run."""
    return float(sum(node[use] for use in AIRTIME))


def present(nodes: Sequence[Mapping[str, Any]]) -> list[Band]:
    """Bands that are not empty for every node."""
    return [band for band in BANDS if any(node[use] > 0.0 for node in nodes for use in band.uses)]
