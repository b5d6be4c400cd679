"""Shares of the possible of a sweep's points, kept beside its results for reports."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab.base import regular
from hoplab.stats import Interval

POSSIBLE = "possible.json"
"""Name of the file."""


@dataclass(frozen=True, slots=True)
class StoredShare:
    """Shares of a point's runs.

    Attributes
    ----------
    possible, fair : Interval
        How far along its own direction a run got, and the worst flow over the max-min fair rate.
    strict : bool
        Whether no run can be above the bound.
    """

    possible: Interval
    fair: Interval
    strict: bool


def to_json(shares: dict[int, StoredShare]) -> str:
    """The shares by point as JSON."""
    rows = {
        str(point): {"possible": one.possible.to_dict(), "fair": one.fair.to_dict(), "strict": one.strict}
        for point, one in shares.items()
    }
    return json.dumps(rows, indent=1) + "\n"


def read_shares(root: Path) -> dict[int, StoredShare]:
    """The shares by point that a sweep stored; none without the file, or if it is damaged."""
    try:
        rows: dict[str, dict[str, Any]] = regular.read_json(root / POSSIBLE)
        return {
            int(point): StoredShare(_interval(row["possible"]), _interval(row["fair"]), bool(row["strict"]))
            for point, row in rows.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _interval(row: dict[str, Any]) -> Interval:
    found = Interval(**row)
    if not math.isfinite(found.mean):
        raise ValueError("no mean")
    return found
