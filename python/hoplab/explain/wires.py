"""Wires of a run: how busy they are, and how much of the delay passes on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hoplab.figures.traced import Traced


@dataclass(frozen=True)
class WireDelay:
    """Mean delay of one flow's delivered data packets, from origin to delivery; a retransmission is a packet.

    Attributes
    ----------
    wire_s : float
        Part of it on wires: queue, service and propagation, in s.
    total_s : float
        All of it, in s.
    """

    flow: int
    wire_s: float
    total_s: float

    @property
    def sentence(self) -> str:
        """Both, and the share."""
        share = 100.0 * self.wire_s / self.total_s if self.total_s else 0.0
        return (
            f"Flow {self.flow}: {1e3 * self.wire_s:.1f} of {1e3 * self.total_s:.1f} ms of a packet's mean delay are on "
            f"wires ({share:.0f} %)."
        )


def wire_delays(run: Traced) -> list[WireDelay]:
    """Every flow whose data crossed a wire."""
    rows = run.rows("""
        WITH whole AS (
            SELECT uid, flow, min(t_ns) FILTER (event = 'originated') AS begun,
                min(t_ns) FILTER (event = 'delivered') AS ended
            FROM events
            WHERE seed = $seed AND event IN ('originated', 'delivered') AND packet IN ('segment', 'datagram')
                AND flow IS NOT NULL
            GROUP BY ALL HAVING begun IS NOT NULL AND ended IS NOT NULL
        ),
        crossed AS (
            SELECT came.uid, sum(came.t_ns - went.t_ns) AS wire
            FROM events AS came JOIN events AS went
                ON went.seed = came.seed AND went.uid = came.uid AND went.node = came.peer AND went.peer = came.node
            WHERE came.seed = $seed AND came.event = 'wire_received' AND went.event = 'forwarded'
            GROUP BY came.uid
        )
        SELECT flow, avg(wire) / 1e9, avg(ended - begun) / 1e9 FROM whole JOIN crossed USING (uid)
        GROUP BY flow ORDER BY flow
    """)
    return [WireDelay(*row) for row in rows]


def crossings(path: Sequence[int], wires: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Directions of wires that a path uses."""
    steps = set(pairwise(path))
    return [wire for wire in wires if (wire["from"], wire["to"]) in steps]


def wire_sentence(wire: Mapping[str, Any], names: Mapping[int, str]) -> str:
    """Load, queue and drops of one direction of a wire."""
    first, second = (names.get(wire[end], f"node {wire[end]}") for end in ("from", "to"))
    dropped = wire["queue_full"] + wire["early_drops"]
    wait = 1e3 * (wire["queue_delay_mean_s"] or 0.0)
    return (
        f"Wire, {first} to {second}: busy {100.0 * wire['utilization']:.0f} % of the time, mean queue delay {wait:.2f} "
        f"ms, {dropped} dropped by its queue, {wire['lost']} lost."
    )
