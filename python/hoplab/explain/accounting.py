"""Packet accounting: created, delivered, dropped by node and reason, in transit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.figures.traced import Traced

KINDS = ("segment", "datagram", "ack", "lack")


@dataclass(frozen=True)
class Account:
    """Packets of one flow and kind: `created` is the sum of delivered, dropped and in transit.

    Attributes
    ----------
    dropped : sequence of (node, reason, count)
        The most frequent first.
    in_transit : int
        In a queue, on the air, or in a proxy buffer at the end of the run.
    """

    flow: int
    kind: str
    created: int
    delivered: int
    dropped: Sequence[tuple[int, str, int]]

    @property
    def lost(self) -> int:
        """Dropped packets, over all nodes and reasons."""
        return sum(count for _, _, count in self.dropped)

    @property
    def in_transit(self) -> int:
        """Neither delivered nor dropped at the end of the run."""
        return self.created - self.delivered - self.lost


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
    accounts = [
        Account(
            flow,
            kind,
            created,
            delivered,
            [(node, reason, n) for of, what, node, reason, n in drops if (of, what) == (flow, kind)],
        )
        for flow, kind, created, delivered in counts
    ]
    return sorted(accounts, key=lambda account: (account.flow, KINDS.index(account.kind)))
