"""Interference: collisions with their interferers, and exposed terminals."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hoplab.figures.traced import Traced
from hoplab.scenario.channels import Channels, may_meet
from hoplab.scenario.radio_links import RadioLinks
from hoplab.scenario.trajectories import Trajectory
from hoplab.store.columns import readable

LONGEST_S = 0.03
"""Upper bound of a frame's airtime, in s."""
EXPONENTS = {"free_space": 2.0, "two_ray": 4.0}
"""Path loss exponent at large distances."""
SHADOWING = "shadowing"
"""The model with an exponent of its own."""


@dataclass(frozen=True)
class Ranges:
    """Carrier-sense range and capture margin.

    Attributes
    ----------
    sense_m : float
        Carrier-sense range, in m.
    margin : float
        Smallest ratio of the interferer's distance to the sender's at which the frame is captured.
    """

    sense_m: float
    margin: float

    @classmethod
    def of(cls, radio: dict[str, Any], sense_m: float) -> Ranges:
        """Ranges of a resolved scenario's radio; under shadowing, at mean power."""
        propagation = str(radio["propagation"])
        # The key has a default that other models do not read.
        exponent = float(radio["path_loss_exponent"]) if propagation == SHADOWING else EXPONENTS.get(propagation, 4.0)
        return cls(sense_m, float(radio["capture_ratio"]) ** (1.0 / exponent))


@dataclass(frozen=True)
class Collision:
    """Frames from `sender` to `addressee` lost in a collision with a frame of `other`, the interferer.

    Attributes
    ----------
    hidden : bool
        Whether `other` is out of carrier-sense range of `sender`.
    """

    sender: int
    addressee: int
    other: int
    hidden: bool
    frames: int


@dataclass(frozen=True)
class Exposed:
    """Two links that defer to each other although their data would not collide."""

    first: tuple[int, int]
    second: tuple[int, int]
    frames: int


class Hearing(Protocol):
    """Which node senses which, and which frame survives another."""

    def senses(self, node: int, sender: int, t_s: float) -> bool:
        """Whether a node senses a sender at a time, in s."""

    def survives(self, sender: int, addressee: int, other: int) -> bool:
        """Whether data outlast a later frame of another node, at the start."""

    def rests(self, node: int) -> bool:
        """Whether a node is stationary."""


@dataclass(frozen=True)
class ByDistance:
    """Nodes with positions: carrier sense and capture by distance."""

    trajectories: Sequence[Trajectory]
    ranges: Ranges

    def senses(self, node: int, sender: int, t_s: float) -> bool:
        """Whether the sender is in carrier-sense range."""
        here, there = (self.trajectories[one].position(t_s) for one in (node, sender))
        return math.dist(here, there) <= self.ranges.sense_m

    def survives(self, sender: int, addressee: int, other: int) -> bool:
        """Whether the other node is out of range, or so much farther that the data are captured."""
        at, near, far = (self.trajectories[one].start for one in (addressee, sender, other))
        apart = math.dist(far, at)
        return apart > self.ranges.sense_m or apart >= self.ranges.margin * math.dist(near, at)

    def rests(self, node: int) -> bool:
        """Whether it has no legs."""
        return not self.trajectories[node].legs


@dataclass(frozen=True)
class ByPower:
    """Listed links: by the powers of the list at the start of the run."""

    links: RadioLinks

    def senses(self, node: int, sender: int, t_s: float) -> bool:  # noqa: ARG002 (as at the start)
        """Whether the sender's power makes the medium busy."""
        return self.links.is_sensed(sender, node)

    def survives(self, sender: int, addressee: int, other: int) -> bool:
        """By the ratio of powers."""
        return self.links.survives(sender, addressee, other)

    def rests(self, node: int) -> bool:  # noqa: ARG002 (nodes of listed links have no positions)
        """Always."""
        return True


def collisions(run: Traced, hearing: Hearing, channels: Channels) -> list[Collision]:
    """Collisions by sender, receiver and interferer, the most frequent first.

    A frame with several interferers counts once for each: the counts are frame-interferer pairs.
    """
    found: Counter[tuple[int, int, int, bool]] = Counter()
    # Begin, end, sender, type, channel; times in s.
    recent: deque[tuple[float, float, int, str, int | None]] = deque()
    for t_s, event, node, peer, frame, airtime_s in _frames(run):
        while recent and recent[0][0] < t_s - 2 * LONGEST_S:
            recent.popleft()
        if event == "frame_sent":
            recent.append((t_s, t_s + airtime_s, node, frame, channels.of_frame(node, peer, frame)))
            continue
        own = channels.of_frame(peer, node, frame)
        of_sender = (sent for sent in reversed(recent) if sent[2] == peer and sent[3] == frame)
        mine = next((sent for sent in of_sender if may_meet(own, sent[4])), None)
        if mine is None:
            continue
        begin, end = mine[:2]
        met = (sent for sent in recent if sent[0] < end and sent[1] > begin and may_meet(own, sent[4]))
        others = {sent[2] for sent in met} - {peer, node}
        for other in others:
            if hearing.senses(node, other, t_s):
                found[peer, node, other, not hearing.senses(other, peer, t_s)] += 1
    return [Collision(a, b, c, hidden, frames) for (a, b, c, hidden), frames in found.most_common()]


def exposed(run: Traced, hearing: Hearing, channels: Channels) -> list[Exposed]:
    """Pairs of used links whose senders sense each other and whose receivers would capture their data.

    Judged among stationary nodes, and for data alone: the responses may still collide.
    """
    rows = run.rows("""
        SELECT node, peer, count(*) FROM events
        WHERE seed = $seed AND event = 'frame_sent' AND frame = 'data' AND peer IS NOT NULL AND flow IS NOT NULL
        GROUP BY ALL ORDER BY 3 DESC LIMIT 200
    """)
    rows = [row for row in rows if hearing.rests(row[0]) and hearing.rests(row[1])]
    found = []
    for i, (a, b, frames) in enumerate(rows):
        for c, d, more in rows[i + 1 :]:
            if len({a, b, c, d}) < 4 or not (hearing.senses(a, c, 0.0) and hearing.senses(c, a, 0.0)):
                continue
            if not may_meet(channels.of_link(a, b), channels.of_link(c, d)):
                continue
            if hearing.survives(a, b, c) and hearing.survives(c, d, a):
                found.append(Exposed((a, b), (c, d), min(frames, more)))
    return sorted(found, key=lambda pair: -pair.frames)


def _frames(run: Traced) -> Iterator[tuple[float, str, int, int, str, float]]:
    """Transmissions and collisions in order of time: time, event, node, peer, frame type, airtime."""
    query = """
        SELECT t_ns / 1e9, event, node, coalesce(peer, -1), frame, coalesce(airtime_ns, 0) / 1e9 FROM events
        WHERE seed = $seed AND (event = 'frame_sent' OR (event = 'frame_lost' AND reason = 'collision'))
    """
    with readable(f"{run.trace.folder}: the trace"):
        answer = run.trace.connection.cursor().execute(query, {"seed": run.seed})
        while rows := answer.fetchmany(20_000):
            yield from rows
