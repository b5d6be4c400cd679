"""Packet accounting: created, delivered, dropped by node and reason, in transit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.figures.traced import Traced

KINDS = ("segment", "datagram", "ack", "lack", "unreachable")


@dataclass(frozen=True)
class Account:
    """Packets of one flow and kind: created ones and copies are delivered, dropped or in transit.

    Attributes
    ----------
    dropped : sequence of (node, reason, count)
        The most frequent first.
    copies : int
        Packets that a sender drops at its retry limit although they have arrived, as all ACKs were lost: they go on.
    in_transit : int
        In a queue, on the air, or in a proxy buffer at the end of the run.
    """

    flow: int
    kind: str
    created: int
    delivered: int
    dropped: Sequence[tuple[int, str, int]]
    copies: int = 0

    @property
    def lost(self) -> int:
        """Dropped packets, over all nodes and reasons."""
        return sum(count for _, _, count in self.dropped)

    @property
    def in_transit(self) -> int:
        """Neither delivered nor dropped at the end of the run."""
        return self.created + self.copies - self.delivered - self.lost


def packet_accounts(run: Traced) -> list[Account]:
    """One account per flow and packet type, the flow's data first."""
    counts = run.rows("""
        SELECT flow, packet, count(*) FILTER (event = 'originated'), count(*) FILTER (event = 'delivered') FROM events
        WHERE seed = $seed AND flow IS NOT NULL AND event IN ('originated', 'delivered')
        GROUP BY ALL ORDER BY 1, 2
    """)
    drops = run.rows("""
        SELECT flow, packet, node, reason, count(*) FROM events
        WHERE seed = $seed AND flow IS NOT NULL AND event = 'dropped' GROUP BY ALL ORDER BY 5 DESC, 3
    """)
    copied = run.rows("""
        SELECT flow, packet, count(*) FROM events AS dropped
        WHERE seed = $seed AND flow IS NOT NULL AND event = 'dropped' AND EXISTS (
            SELECT 1 FROM events AS accepted
            WHERE accepted.seed = dropped.seed AND accepted.uid = dropped.uid AND accepted.event = 'frame_accepted'
            AND accepted.peer = dropped.node AND accepted.t_ns <= dropped.t_ns
        ) GROUP BY ALL
    """)
    copies = {(flow, kind): count for flow, kind, count in copied}
    accounts = [
        Account(
            flow,
            kind,
            created,
            delivered,
            [(node, reason, n) for of, what, node, reason, n in drops if (of, what) == (flow, kind)],
            copies.get((flow, kind), 0),
        )
        for flow, kind, created, delivered in counts
    ]
    return sorted(accounts, key=lambda account: (account.flow, KINDS.index(account.kind)))
