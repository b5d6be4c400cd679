"""Airtime categories of the engine, with their display names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AIRTIME = {
    "data": "own data",
    "broadcast": "own broadcasts",
    "rts": "own RTS",
    "cts": "own CTS",
    "ack": "own ACK",
    "received": "receiving",
    "collision": "collisions",
    "overheard": "overheard",
    "exchange": "SIFS and response",
    "eifs": "EIFS",
    "reserved": "NAV",
    "backoff": "DIFS and backoff",
    "parked": "parked",
    "idle": "idle",
    "off": "radio off",
}
"""Category to display name, in the order of the engine's table."""


def label(row: Mapping[str, Any], names: Mapping[int, str] | None = None) -> str:
    """Name of a row of airtime: the node by name or number, and the channel of the radio if the node has several."""
    node = (names or {}).get(int(row["node"]), str(row["node"]))
    return f"{node} (channel {row['channel']})" if "channel" in row else node
