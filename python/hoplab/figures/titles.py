"""Words for axes in place of the keys of scenarios."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

AXES = {
    "topology.hops": "hops",
    "topology.spacing": "spacing",
    "topology.nodes": "nodes",
    "flow.window": "window limit (segments)",
    "flow.rate": "offered rate",
    "flow.segment": "segment size",
    "queue.limit": "queue limit (packets)",
    "queue.kind": "queue discipline",
    "mac.data_rate": "data rate",
    "mac.rts_threshold": "RTS threshold (bytes)",
    "mac.ssrl": "short retry limit",
    "mac.slrl": "long retry limit",
    "mobility.max_speed": "maximum speed",
    "radio.errors.frame_error_rate": "frame error rate",
    "routing.protocol": "routing protocol",
}
"""Words for frequent axes; other keys end in theirs."""

_QUANTITY = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*([^\s\d].*)?")


def axis_title(key: str, unit: str = "") -> str:
    """A scenario key in words, with the unit of its values."""
    words = AXES.get(key) or re.sub(r"\d+ ", "", key.rsplit(".", 1)[-1].replace("_", " "))
    return f"{words} ({unit})" if unit else words


def numbers_of(values: Sequence[Any]) -> tuple[list[float], str]:
    """The values of an axis as numbers with their common unit; no numbers where they are words."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], ""
    matches = [_QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None for value in values]
    units = {match[2] for match in matches if match}
    if None in matches or len(units) != 1:
        return [], ""
    return [float(match[1]) for match in matches if match], units.pop() or ""


def relabeled(text: str, labels: Mapping[str, str] | None, default: str) -> str:
    """The user's label for a name or key, or else the default."""
    return (labels or {}).get(text, default)
