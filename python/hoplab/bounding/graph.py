"""Which frames and waits exclude each other: the conflict graph of the links in use.

A link from a to b has vertices F (RTS and DATA of a), R (CTS and ACK of b) and G (the gaps between them); with the
scheduler `dcf` also D (DIFS before the exchange), and each node W (its backoff slots). Two vertices conflict if they
cannot take place at the same time under any order of frames. NAV, EIFS and the order of arrivals are left out, so that
less is excluded than in a run: rates are bounded from above. For whole packets such bounds are those of Jain, Padhye,
Padmanabhan and Qiu (MobiCom 2003, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.bounding.inputs import Network

Scheduler = Literal["dcf", "perfect"]
Link = tuple[int, int]
Vertex = tuple[str, Link]
"""Letter, and link; of W, the node twice; of X, the ends of a wire."""
FrameKey = tuple[str, Link, int]
"""Kind, link, and length of the packet; 0 where it does not matter."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to send a frame: its merged vertex, its seconds, and the share of frames that survive."""

    vertex: int
    seconds: float
    service: float


@dataclass(frozen=True)
class Graph:
    """Vertices, and which conflict.

    Attributes
    ----------
    vertices : tuple of Vertex
        Before twins are merged.
    twins : array of int
        By vertex: the merged vertex that it belongs to.
    conflicts : array of bool
        Between merged vertices, symmetric, false on the diagonal.
    ways : mapping
        With cumulative interference: ways to send each frame. Else empty: a link's frames are vertices F and R.
    """

    links: tuple[Link, ...]
    vertices: tuple[Vertex, ...]
    twins: np.ndarray
    conflicts: np.ndarray
    ways: dict[FrameKey, list[Way]] = field(default_factory=dict)

    @staticmethod
    def frame_of(key: FrameKey) -> FrameKey:
        """The key in `ways`: only data depend on the length."""
        kind, link, length = key
        return kind, link, length if kind == "DATA" else 0

    @property
    def size(self) -> int:
        """Number of merged vertices."""
        return len(self.conflicts)

    @cached_property
    def index(self) -> dict[Vertex, int]:
        """The merged vertex of every vertex."""
        return {vertex: int(self.twins[i]) for i, vertex in enumerate(self.vertices)}

    def names(self, merged: int) -> list[Vertex]:
        """The vertices behind a merged one."""
        return [self.vertices[i] for i in np.flatnonzero(self.twins == merged)]


def build(network: Network, links: Sequence[Link], scheduler: Scheduler) -> Graph:
    """The conflict graph of some links."""
    links = tuple(links)
    found = _Builder(network, links, scheduler)
    vertices, conflicts = with_wires(network, found.vertices, found.conflicts())
    twins, kept = merge(conflicts)
    return Graph(links, vertices, twins, conflicts[np.ix_(kept, kept)])


def with_wires(
    network: Network, vertices: list[Vertex], conflicts: np.ndarray
) -> tuple[tuple[Vertex, ...], np.ndarray]:
    """Vertices of wires added, which exclude nothing: each direction has a medium of its own."""
    added = len(network.wires)
    return (*vertices, *(("X", ends) for ends in network.wires)), np.pad(conflicts, (0, added))


class _Builder:
    """Fills the matrix of conflicts, block by block: F, R, G by link, then W by node and D by link."""

    def __init__(self, network: Network, links: tuple[Link, ...], scheduler: Scheduler) -> None:
        self.network, self.links, self.count = network, links, len(links)
        self.a = np.array([a for a, _ in links], dtype=int)
        self.b = np.array([b for _, b in links], dtype=int)
        self.senses = network.power_w >= network.cs_threshold_w
        senders = sorted({a for a, _ in links if network.stations[a].waits}) if scheduler == "dcf" else []
        self.waiting = np.array(senders, dtype=int)
        self.spaced = [i for i, (a, _) in enumerate(links) if network.stations[a].waits] if scheduler == "dcf" else []
        self.is_dcf = scheduler == "dcf"
        self.vertices: list[Vertex] = [(letter, link) for letter in "FRG" for link in links]
        self.vertices += [("W", (node, node)) for node in senders]
        self.vertices += [("D", links[i]) for i in self.spaced]

    def conflicts(self) -> np.ndarray:
        n, w, d = self.count, len(self.waiting), len(self.spaced)
        f, r, g = slice(0, n), slice(n, 2 * n), slice(2 * n, 3 * n)
        waits, spaces = slice(3 * n, 3 * n + w), slice(3 * n + w, 3 * n + w + d)
        frames = slice(0, 2 * n)
        matrix = np.zeros((3 * n + w + d, 3 * n + w + d), dtype=bool)
        by_frame = self._frames()
        shared = self._shared(self.a, self.b, self.a, self.b)
        matrix[frames, frames] = by_frame
        both = by_frame[f] & by_frame[r]  # frames that conflict with both frames of a link
        own = np.eye(n, dtype=bool)
        matrix[g, frames] = both | np.hstack([own, own])
        four = by_frame[f, f] & by_frame[f, r] & by_frame[r, f] & by_frame[r, r]
        matrix[g, g] = shared | four
        matrix[frames, g] = matrix[g, frames].T
        if self.is_dcf:
            at_f, at_r = self._at_node(self.a), self._at_node(self.b)
            inside = (self.waiting[:, None] == self.a) | (self.waiting[:, None] == self.b)
            matrix[waits, f], matrix[waits, r], matrix[waits, g] = inside | at_f, inside | at_r, inside | (at_f & at_r)
            spaced = np.array(self.spaced, dtype=int)
            matrix[waits, spaces] = self._wait_and_space(by_frame, inside, at_r)[:, spaced]
            alike = shared[spaced]
            matrix[spaces, f], matrix[spaces, r], matrix[spaces, g] = alike, alike, alike
            matrix[spaces, spaces] = alike[:, spaced]
            matrix |= matrix.T
        np.fill_diagonal(matrix, val=False)
        return matrix

    def _frames(self) -> np.ndarray:
        """F and R: they share a node, or a sender harms the other's receiver; F also if senders sense each other."""
        power, ratio = self.network.power_w, self.network.capture_ratio
        sender, receiver = np.concatenate([self.a, self.b]), np.concatenate([self.b, self.a])
        at = power[sender[:, None], receiver[None, :]]
        harms = self.senses[sender[:, None], receiver[None, :]] & (power[sender, receiver][None, :] < ratio * at)
        found: np.ndarray = self._shared(sender, receiver, sender, receiver) | harms | harms.T
        if self.is_dcf:
            heard = self.senses[self.a[:, None], self.a[None, :]]
            found[: self.count, : self.count] |= heard & heard.T
        np.fill_diagonal(found, val=False)
        return found

    @staticmethod
    def _shared(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
        ends = [(x[:, None] == y[None, :]) for x in (a, b) for y in (c, d)]
        return np.asarray(np.logical_or.reduce(ends))

    def _at_node(self, senders: np.ndarray) -> np.ndarray:
        """By waiting node and link: whether the node senses that end of the link."""
        return np.asarray(self.senses[senders[None, :], self.waiting[:, None]])

    def _wait_and_space(self, by_frame: np.ndarray, inside: np.ndarray, at_r: np.ndarray) -> np.ndarray:
        """W and D: the node is in the link, or senses R of the link and can send nothing during R."""
        n = self.count
        answers = by_frame[:, n:]  # conflicts of every frame with R of each link
        found = inside.copy()
        for i, node in enumerate(self.waiting):
            own = np.concatenate([self.a == node, self.b == node])
            found[i] |= at_r[i] & answers[own].all(axis=0)
        return found


def merge(conflicts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Twins have equal closed neighborhoods: index of the merged vertex by vertex, and one vertex of each."""
    closed = conflicts | np.eye(len(conflicts), dtype=bool)
    packed = np.packbits(closed, axis=1)
    first: dict[bytes, int] = {}
    twins = np.array([first.setdefault(row.tobytes(), len(first)) for row in packed], dtype=int)
    kept = np.unique(twins, return_index=True)[1]
    return twins, kept
