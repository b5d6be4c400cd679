"""Every controller of real connections, alone on a wire, over rates and delays: it fills the wire."""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.base.transports import transports
from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan

PART = "lone"
SOURCE = "payload of the wire"
RATES_MBPS = (1, 10, 100)
DELAYS_MS = (5, 25, 100)
"""Each way."""

PAYLOAD, PACKET = 1448, 1500
DURATION_S, WARMUP_S = 60, 30
TOLERANCE = 0.05
"""Share of the payload that may be missing: probes of a model, and the end of a slow start at long delays."""

NOTES: dict[tuple[str, int, int], str] = {}
"""Points that do not decide, and why."""


def controllers() -> list[str]:
    """Controllers of real connections; stacks of libraries have pages of their own."""
    return [name for name, row in transports().items() if row.conversation == "connection" and row.feature is None]


def wire(transport: str, rate_mbps: int, delay_ms: int) -> Scenario:
    """Two hosts, and a queue of twice what is under way, at least 20 packets."""
    under_way = rate_mbps * 1e6 * 2e-3 * delay_ms / 8 / PACKET
    return Scenario.from_dict(
        name=f"{transport}, {rate_mbps} Mb/s, {delay_ms} ms",
        duration=f"{DURATION_S} s",
        warmup=f"{WARMUP_S} s",
        node=[{"kind": "host", "name": "a"}, {"kind": "host", "name": "b"}],
        wire=[
            {
                "between": ["a", "b"],
                "rate": f"{rate_mbps} Mb/s",
                "delay": f"{delay_ms} ms",
                "overhead": 0,
                "queue": {"limit": max(20, round(2 * under_way))},
            }
        ],
        flow=[{"from": "a", "to": "b", "transport": transport}],
    )


def plan(depth: Depth) -> Plan:
    """One run per controller, rate and delay: nothing on the wire is random."""
    points = [
        (transport, rate, delay)
        for transport in controllers()
        for rate in RATES_MBPS
        for delay in DELAYS_MS
        if depth.thorough or (rate, delay) in {(10, 25), (100, 100)}
    ]

    def judge(results: Sequence[Runs]) -> list[Row]:
        rows = []
        for point, runs in zip(points, results, strict=True):
            full = point[1] * PAYLOAD / PACKET
            ours = mean_interval([run.flows[0].goodput_bps / 1e6 for run in runs])
            note = NOTES.get(point, "")
            rows.append(
                Row(
                    PART, runs.scenario.name, "Mb/s", SOURCE, stored(full, None, 1), ours, TOLERANCE * full,
                    decisive=not note, note=note,
                )
            )  # fmt: skip
        return rows

    orders = tuple(Order(wire(*point), (1,)) for point in points)
    return Plan(PART, "Real connections alone on a wire: every controller over rates and delays", orders, judge)
