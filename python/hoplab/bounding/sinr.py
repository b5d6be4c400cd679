"""The conflict graph with cumulative interference: frames as vertices, each in a clean and a disturbed version.

A frame that is disturbed for part of its time survives at most with the weighted mean of its probabilities without and
with the disturbance, as exp(-ht) is convex. So a clean version, which excludes what can corrupt it, arrives always, and
a disturbed one, which excludes only what destroys it for certain, with the best of the probabilities in between. Gaps
within an exchange are counted with DIFS, by `dcf` alone.

Of an A-MPDU, each MPDU is such a frame, and its preamble is one that nothing corrupts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hoplab.base.engine import core
from hoplab.bounding.graph import FrameKey, Graph, Link, Scheduler, Vertex, Way, merge, with_wires

if TYPE_CHECKING:
    from hoplab.bounding.inputs import Network

KINDS = ("RTS", "CTS", "DATA", "ACK")
CLEAN = 0.99
"""Least survival under each interferer of a clean version."""
HOPELESS = 0.001
"""Survival below which two frames exclude each other."""


@dataclass(frozen=True)
class _Frame:
    """A frame in one modulation; `survival` by interfering node."""

    key: FrameKey
    choice: int
    sender: int
    receiver: int
    seconds: float
    survival: np.ndarray

    @property
    def is_first(self) -> bool:
        """Whether the sender of the packet sends it."""
        return self.key[0] in ("RTS", "HEAD", "DATA")


@dataclass(frozen=True)
class _Version:
    """A vertex of a frame: the least survival under which it takes place, and the share that arrives."""

    frame: int
    least: float
    service: float


def build(network: Network, lengths: Mapping[Link, tuple[int, ...]], scheduler: Scheduler) -> Graph:
    """The conflict graph of links that carry packets of some lengths."""
    frames = _frames(network, lengths)
    links = tuple(lengths)
    is_dcf = scheduler == "dcf"
    senses = network.power_w >= network.cs_threshold_w
    sender, receiver = (np.array([getattr(f, end) for f in frames], dtype=int) for end in ("sender", "receiver"))
    excluded = _share(sender, receiver)
    if is_dcf:
        first = np.array([f.is_first for f in frames], dtype=bool)
        heard = senses[sender[:, None], sender[None, :]]
        excluded |= first[:, None] & first[None, :] & heard & heard.T
    survival = np.zeros((0, 0))  # of a frame, under the sender of another
    if frames:
        survival = np.array([f.survival for f in frames])[:, sender]
    versions = _versions(survival, excluded)
    of = np.array([v.frame for v in versions], dtype=int)
    least = np.array([v.least for v in versions])
    lost = survival[np.ix_(of, of)] < least[:, None]
    conflicts = excluded[np.ix_(of, of)] | lost | lost.T
    vertices: list[Vertex] = [(_letter(frames[v.frame], v), frames[v.frame].key[1]) for v in versions]
    if is_dcf:
        ends = [(frames[v.frame].key[1], frames[v.frame].sender) for v in versions]
        vertices, conflicts = _with_waits(network, links, senses, ends, (vertices, conflicts))
    np.fill_diagonal(conflicts, val=False)
    named, conflicts = with_wires(network, vertices, conflicts)
    twins, kept = merge(conflicts)
    ways: dict[FrameKey, list[Way]] = {}
    for place, version in enumerate(versions):
        frame = frames[version.frame]
        ways.setdefault(frame.key, []).append(Way(int(twins[place]), frame.seconds, version.service))
    return Graph(links, named, twins, conflicts[np.ix_(kept, kept)], ways)


def _frames(network: Network, lengths: Mapping[Link, tuple[int, ...]]) -> list[_Frame]:
    asked = [(*link, length) for link, row in lengths.items() for length in row]
    found: dict[tuple[FrameKey, int], _Frame] = {}
    for which, place, choice, survival in core().survival(network.source.job, asked, network.source.time_s):
        a, b, length = asked[which]
        kind, times = KINDS[place], network.stations[a].frames[length]
        # The frames of an exchange but the data are the same for all packets, and RTS and CTS for all modulations.
        number = choice if kind in ("DATA", "ACK") else 0
        key = Graph.frame_of((kind, (a, b), length))
        aggregate = network.stations[a].aggregate
        data_s = aggregate.packet_s[length] if aggregate else times.data_s
        seconds = {"RTS": (times.rts_s,), "CTS": (times.cts_s,), "DATA": data_s, "ACK": times.ack_s}[kind][number]
        sender, receiver = (a, b) if kind in ("RTS", "DATA") else (b, a)
        found.setdefault((key, number), _Frame(key, number, sender, receiver, seconds, np.array(survival)))
        if kind == "DATA" and aggregate:
            head: FrameKey = ("HEAD", (a, b), 0)
            always = np.ones(len(survival))
            found.setdefault((head, 0), _Frame(head, 0, a, b, min(aggregate.head_s), always))
    return list(found.values())


def _share(sender: np.ndarray, receiver: np.ndarray) -> np.ndarray:
    """Whether two frames share a node."""
    pairs = [(x[:, None] == y[None, :]) for x in (sender, receiver) for y in (sender, receiver)]
    return np.asarray(np.logical_or.reduce(pairs))


def _versions(survival: np.ndarray, excluded: np.ndarray) -> list[_Version]:
    found = []
    possible = ~excluded & (survival.T >= HOPELESS)
    for frame, row in enumerate(survival):
        found.append(_Version(frame, CLEAN, 1.0))
        between = row[possible[frame] & (row >= HOPELESS) & (row < CLEAN)]
        if len(between):
            found.append(_Version(frame, HOPELESS, float(between.max())))
    return found


def _letter(frame: _Frame, version: _Version) -> str:
    kind, _, length = frame.key
    return f"{kind} {length} {frame.choice} {'clean' if version.least == CLEAN else 'disturbed'}"


def _with_waits(
    network: Network,
    links: tuple[Link, ...],
    senses: np.ndarray,
    ends: list[tuple[Link, int]],
    found: tuple[list[Vertex], np.ndarray],
) -> tuple[list[Vertex], np.ndarray]:
    """Vertices W of waiting nodes and D of their links added; `ends`: link and sender of each vertex so far."""
    vertices, frames = found
    waiting = sorted({a for a, _ in links if network.stations[a].waits})
    spaced = [link for link in links if network.stations[link[0]].waits]
    n, w = len(vertices), len(waiting)
    size = n + w + len(spaced)
    conflicts = np.zeros((size, size), dtype=bool)
    conflicts[:n, :n] = frames
    for i, node in enumerate(waiting):
        conflicts[n + i, :n] = [node in link or senses[sender, node] for link, sender in ends]
        conflicts[n + i, n + w :] = [node in link for link in spaced]
    for i, own in enumerate(spaced):
        conflicts[n + w + i, :n] = [bool({*own} & {*link}) for link, _ in ends]
        conflicts[n + w + i, n + w :] = [bool({*own} & {*link}) for link in spaced]
    vertices = [*vertices, *(("W", (node, node)) for node in waiting), *(("D", link) for link in spaced)]
    return vertices, conflicts | conflicts.T
