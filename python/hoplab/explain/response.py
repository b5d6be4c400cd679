"""Reaction times of senders: from a drop to the retransmission of the segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.figures.traced import Traced


@dataclass(frozen=True)
class Retransmissions:
    """Drops of one flow's segments, with the delay of their retransmissions.

    Attributes
    ----------
    dropped : int
        Dropped segments; a segment dropped twice counts twice.
    delays_s : sequence of float
        From each drop to the next retransmission of the segment, in s, ascending. Drops without a retransmission
        before the end of the run are left out.
    """

    flow: int
    dropped: int
    delays_s: Sequence[float]

    def quantile(self, share: float) -> float:
        """Quantile of the delays, in s."""
        return self.delays_s[min(int(share * len(self.delays_s)), len(self.delays_s) - 1)]


def retransmissions(run: Traced) -> list[Retransmissions]:
    """Every flow with dropped segments."""
    rows = run.rows("""
        WITH lost AS (
            SELECT flow, seq, t_ns FROM events
            WHERE seed = $seed AND event = 'dropped' AND packet = 'segment' AND flow IS NOT NULL AND seq IS NOT NULL
        ),
        sent AS (
            SELECT flow, seq, t_ns FROM events WHERE seed = $seed AND event = 'segment_sent' AND is_retransmission
        )
        SELECT lost.flow, (sent.t_ns - lost.t_ns) / 1e9 FROM lost ASOF LEFT JOIN sent
        ON lost.flow = sent.flow AND lost.seq = sent.seq AND sent.t_ns >= lost.t_ns ORDER BY 1, 2
    """)
    delays: dict[int, list[float]] = {}
    dropped: dict[int, int] = {}
    for flow, delay in rows:
        dropped[flow] = dropped.get(flow, 0) + 1
        retransmitted = delays.setdefault(flow, [])
        if delay is not None:
            retransmitted.append(delay)
    return [Retransmissions(flow, count, delays[flow]) for flow, count in dropped.items()]
