"""What several papers' networks have in common, as tables of a scenario, and the series that they share.

A study makes its networks with `Scenario.from_dict` and changes them with `Scenario.with_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoplab_studies.shared.study import Variation

Table = Mapping[str, Any]

RANGES_500: Table = {"rx_range": "250 m", "cs_range": "500 m"}
"""Ranges that papers state; ns-2's own carrier sense reaches 550 m."""

QUEUE_50: Table = {"limit": 50}
"""ns-2's interface queue."""

AODV = Variation(
    "aodv", "AODV in place of static routes", {"routing.protocol": "aodv", "routing.aodv.network_diameter": 64}
)
"""AODV over the longest chains that a study runs."""


def rates(data: str) -> Table:
    """802.11 with data at one rate and the rest at 1 Mb/s."""
    return {"data_rate": data, "basic_rate": "1 Mb/s"}


def waypoint(low: str, high: str, **more: object) -> Table:
    """Random waypoint movement between two speeds."""
    return {"kind": "waypoint", "min_speed": low, "max_speed": high, **more}


def seconds(time_s: float) -> str:
    """A time as a scenario has it."""
    return f"{time_s:g} s"
