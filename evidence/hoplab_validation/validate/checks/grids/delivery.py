"""Every routing protocol on every standard, over lines, grids and diamonds: a light flow arrives whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan

PART = "delivery"
SOURCE = "all of it"
PROTOCOLS = ("static", "aodv", "dsdv", "dsr", "olsr", "hwmp")
RADIOS: dict[str, dict[str, Any]] = {
    "11b": {},
    "11a": {"radio.standard": "11a", "mac.data_rate": "24 Mb/s"},
    "11g": {"radio.standard": "11g", "mac.data_rate": "24 Mb/s"},
    "11n": {"radio.standard": "11n", "mac.mcs": 3},
    "11n, 2.4 GHz": {"radio.standard": "11n", "radio.frequency": "2.4 GHz", "mac.mcs": 3},
}
"""Settings of each standard and band."""

SPACING_M = {"11b": 180.0}
OFDM_SPACING_M = 20.0
"""Neighbors hear each other at the data rate; nodes two apart hear neither data nor broadcasts well."""

TOLERANCE = 0.01
SENT_KBPS = 50.0
DURATION_S, START_S, STOP_S = 140, 100, 130
"""Routes are known at the start; the last datagrams have time to arrive."""


def places(shape: str, spacing: float) -> list[list[float]]:
    """Positions of a line of four hops, a grid of 3 x 3, or a diamond of two relays."""
    if shape == "line":
        return [[spacing * node, 0.0] for node in range(5)]
    if shape == "grid":
        return [[spacing * column, spacing * row] for row in range(3) for column in range(3)]
    return [[0.0, 0.0], [spacing, 0.7 * spacing], [spacing, -0.7 * spacing], [2.0 * spacing, 0.0]]


SHAPES = ("line", "grid", "diamond")


def network(protocol: str, radio: str, shape: str) -> Scenario:
    """One flow of datagrams between the ends, once routes are known."""
    ofdm: dict[str, Any] = {
        "profile": "std",
        "radio.propagation": "shadowing",
        "radio.path_loss_exponent": 3,
        "radio.shadowing_deviation_db": 0,
        "radio.tx_power": "10 mW",
    }
    scenario = Scenario.from_dict(
        name=f"{protocol}, {radio}, {shape}",
        duration=f"{DURATION_S} s",
        topology={
            "kind": "positions",
            "positions": places(shape, SPACING_M.get(radio, OFDM_SPACING_M)),
        },
        routing={"protocol": protocol},
        flow=[
            {
                "from": "first",
                "to": "last",
                "transport": "udp",
                "app": "cbr",
                "rate": f"{SENT_KBPS:g} kb/s",
                "segment": 512,
                "start": f"{START_S} s",
                "stop": f"{STOP_S} s",
            }
        ],
    )
    # HWMP does not combine with A-MPDUs.
    single = {"mac.ampdu": "0 B"} if protocol == "hwmp" and radio.startswith("11n") else {}
    return scenario.with_({**({} if radio == "11b" else ofdm), **RADIOS[radio], **single})


def plan(depth: Depth) -> Plan:
    """The share of datagrams that arrive."""
    points = [
        (protocol, radio, shape)
        for protocol in PROTOCOLS
        for radio in RADIOS
        for shape in SHAPES
        if depth.thorough or shape != "line"
    ]

    def judge(results: Sequence[Runs]) -> list[Row]:
        rows, sent_bits = [], SENT_KBPS * 1e3 * (STOP_S - START_S)
        for runs in results:
            share = mean_interval([run.flows[0].unique_bps * (DURATION_S - START_S) / sent_bits for run in runs])
            rows.append(Row(PART, runs.scenario.name, "", SOURCE, stored(1.0, None, 1), share, TOLERANCE))
        return rows

    orders = tuple(Order(network(*point), depth.seed_list()) for point in points)
    return Plan(PART, "Every routing protocol on every standard and band: a light flow arrives", orders, judge)
