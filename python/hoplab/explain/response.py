"""How long it takes until somebody reacts: neighbors to congestion, senders to losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.figures.traced import Traced


@dataclass(frozen=True)
class Repairs:
    """Segments of one flow that were dropped, and when their sender sent them again.

    Attributes
    ----------
    dropped : int
        Times that a segment of it was dropped.
    delays_s : sequence of float
        From each drop to the next time that the sender sent that segment again, in s, in order of size; without those
        that it never sent again before the run ended.
    """

    flow: int
    dropped: int
    delays_s: Sequence[float]

    def quantile(self, share: float) -> float:
        """The delay, in s, that this share of the repairs does not exceed."""
        return self.delays_s[min(int(share * len(self.delays_s)), len(self.delays_s) - 1)]


def repairs(run: Traced) -> list[Repairs]:
    """For every flow with dropped segments, how its sender reacted."""
    rows = run.rows("""
        WITH lost AS (
            SELECT flow, seq, t_ns FROM events
            WHERE seed = $seed AND event = 'dropped' AND packet = 'segment' AND flow IS NOT NULL AND seq IS NOT NULL
        ),
        sent AS (
            SELECT flow, seq, t_ns FROM events WHERE seed = $seed AND event = 'segment_sent' AND again
        )
        SELECT lost.flow, (sent.t_ns - lost.t_ns) / 1e9 FROM lost ASOF LEFT JOIN sent
        ON lost.flow = sent.flow AND lost.seq = sent.seq AND sent.t_ns >= lost.t_ns ORDER BY 1, 2
    """)
    delays: dict[int, list[float]] = {}
    dropped: dict[int, int] = {}
    for flow, delay in rows:
        dropped[flow] = dropped.get(flow, 0) + 1
        answered = delays.setdefault(flow, [])
        if delay is not None:
            answered.append(delay)
    return [Repairs(flow, count, delays[flow]) for flow, count in dropped.items()]
