"""Access categories of 802.11e against stored runs of ns-3.37: stations of 802.11a, and of 802.11n with A-MPDUs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import joint_half_width, stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan

PART = "edca"
TITLE = "access categories of 802.11e: saturated flows of 802.11a, and of 802.11n with A-MPDUs, with and without TXOP"
SOURCE = "ns-3 table"
TABLE = "ns3_edca"

SHARE = 0.03
"""Goodput may differ by so much of what the whole cell carries, or by the sum of the half-widths where that is more."""

RADIUS_M = 5.0
SINGLE = {"video": {"txop_limit": "0 s"}, "voice": {"txop_limit": "0 s"}}
"""Categories without TXOP bursts."""

MODES: dict[str, dict[str, Any]] = {"11a": {"data_rate": "24 Mb/s"}, "11n": {"mcs": 7}}
"""Keys of `[mac]` for the modulation, by standard."""

OFFERED = {"11a": "24 Mb/s", "11n": "70 Mb/s"}
"""Rate of each flow, by standard."""

SPANS = {"11a": 5.0, "11n": 3.0}
"""Time in which goodput counts, s, by standard."""


def _cells() -> dict[str, list[tables.Row]]:
    cells: dict[str, list[tables.Row]] = {}
    for row in tables.read(TABLE):
        cells.setdefault(row["cell"], []).append(row)
    return cells


def scenario(name: str, rows: Sequence[tables.Row]) -> Scenario:
    """The scenario of a cell of the table, with a flow for each of its rows."""
    senders = max(int(row["sender"]) for row in rows)
    angles = (2.0 * math.pi * k / senders for k in range(senders))
    standard = rows[0]["standard"]
    common: dict[str, Any] = {"to": 0, "transport": "udp", "app": "cbr", "segment": 1472, "rate": OFFERED[standard]}
    return Scenario.from_dict(
        name=name,
        profile="std",
        duration=f"{0.5 + SPANS[standard]} s",
        warmup="0.5 s",
        topology={
            "kind": "positions",
            "positions": [[0.0, 0.0], *([RADIUS_M * math.cos(a), RADIUS_M * math.sin(a)] for a in angles)],
        },
        radio={
            "standard": standard,
            "propagation": "shadowing",
            "shadowing_deviation_db": 0.0,
            "path_loss_exponent": 3.0,
            "reference_distance": "1 m",
            "frequency": "5.15 GHz",
            "tx_power": "40 mW",
        },
        mac={
            "qos": True,
            **MODES[standard],
            "basic_rate": "24 Mb/s",
            "rts_threshold": 4_692_480,
            "edca": {} if rows[0]["txop"] == "yes" else SINGLE,
        },
        queue={"limit": 500},
        link={"arp": False, "delay": "0 s"},
        routing={"protocol": "static", "link_failure_feedback": False},
        flow=[{"from": int(row["sender"]), "priority": row["category"], **common} for row in rows],
    )


def plan(depth: Depth) -> Plan:
    """All cells of the table."""
    cells = _cells()
    orders = tuple(Order(scenario(name, rows), depth.seed_list()) for name, rows in cells.items())

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [row for (name, rows), ours in zip(cells.items(), runs, strict=True) for row in _judge(name, rows, ours)]

    return Plan(PART, TITLE, orders, judge)


def _judge(name: str, rows: Sequence[tables.Row], runs: Runs) -> list[Row]:
    whole = sum(float(row["mean_kbps"]) for row in rows)
    judged = []
    for flow, row in enumerate(rows):
        ours = mean_interval(run.flows[flow].goodput_bps / 1e3 for run in runs)
        theirs = stored(float(row["mean_kbps"]), float(row["half_width_kbps"]), int(row["seeds"]))
        limit = max(SHARE * whole, joint_half_width(ours, theirs))
        label = f"{name}, station {row['sender']}, {row['category']}"
        judged.append(Row(PART, label, "kb/s", SOURCE, theirs, ours, limit))
    return judged
