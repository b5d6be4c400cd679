"""What a node's time goes into, in the bands of a bar: one source for the page, its legend and its sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.base.airtime import AIRTIME


@dataclass(frozen=True)
class Band:
    """Uses of time that a bar shows as one.

    Attributes
    ----------
    key : str
        Its class in the page's style.
    meaning : str
        What it is, for somebody who reads of it for the first time.
    uses : tuple of str
        The engine's words for what it holds.
    """

    key: str
    name: str
    meaning: str
    uses: tuple[str, ...]


BANDS = (
    Band(
        "data", "own data", "The node sends packets of a flow, its own or somebody else's that it passes on.", ("data",)
    ),
    Band("broadcast", "own broadcasts", "It calls to all neighbors: routing and address questions.", ("broadcast",)),
    Band("control", "own RTS and CTS", "It asks a neighbor for the medium (RTS), or grants it (CTS).", ("rts", "cts")),
    Band("ack", "own ACKs", "It confirms frames that it has received.", ("ack",)),
    Band("received", "receiving", "It hears a frame that is meant for it.", ("received",)),
    Band(
        "collision",
        "collisions",
        "It hears frames that have destroyed each other: nobody gains from this time.",
        ("collision",),
    ),
    Band(
        "eifs", "EIFS", "It could not read a frame, and keeps silent for longer, so that others can answer.", ("eifs",)
    ),
    Band(
        "deferral",
        "deferral",
        "It keeps silent for others: it hears their frame, or has heard them reserve the medium (NAV).",
        ("overheard", "reserved"),
    ),
    Band(
        "exchange",
        "gaps of exchanges",
        "The short pauses within its own exchanges, and waiting for an answer.",
        ("exchange",),
    ),
    Band(
        "backoff",
        "backoff",
        "It has something to send and the medium is free: it waits for its drawn turn.",
        ("backoff",),
    ),
    Band("parked", "parked", "It holds a packet back because the next node is congested.", ("parked",)),
    Band("idle", "idle", "It has nothing to send and nothing to hear.", ("idle",)),
    Band("off", "switched off", "Its radio is off.", ("off",)),
)
"""In the order in which a bar shows them: what the node does itself, what it hears, what it waits for, nothing."""


@dataclass(frozen=True)
class Piece:
    """A band's part of one node's bar."""

    band: Band
    seconds: float
    share: float


def pieces(node: Mapping[str, Any]) -> list[Piece]:
    """One node's account as pieces of a bar, bands without time left out; the shares add up to 1."""
    total = total_s(node)
    found = [(band, float(sum(node[use] for use in band.uses))) for band in BANDS]
    return [Piece(band, seconds, seconds / total) for band, seconds in found if seconds > 0.0]


def total_s(node: Mapping[str, Any]) -> float:
    """All that one node's account holds, in s: the length of the run."""
    return float(sum(node[use] for use in AIRTIME))


def present(nodes: Sequence[Mapping[str, Any]]) -> list[Band]:
    """Bands that at least one node has time in."""
    return [band for band in BANDS if any(node[use] > 0.0 for node in nodes for use in band.uses)]
