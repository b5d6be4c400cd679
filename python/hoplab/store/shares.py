"""Shares of the possible, kept beside the results of a command for its reports."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.stats import Interval

POSSIBLE = "possible.json"
"""Name of the file."""
COLUMNS = ("of possible (%)", "worst flow of fair (%)")
"""Headings of a table's columns."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the runs of a point: means over replications.

    Attributes
    ----------
    possible, fair : Interval
        How far along its own direction a run got, 1 at the bound of `dcf`; the worst flow over the max-min fair rate.
    strict : bool
        Whether no run can be above the bound.
    """

    possible: Interval
    fair: Interval
    strict: bool

    @property
    def both(self) -> tuple[Interval, Interval]:
        """The values of `COLUMNS`."""
        return self.possible, self.fair


def to_json(shares: dict[int, Shares]) -> str:
    """The shares by point as JSON."""
    rows = {
        str(point): {"possible": one.possible.to_dict(), "fair": one.fair.to_dict(), "strict": one.strict}
        for point, one in shares.items()
    }
    return json.dumps(rows, indent=1) + "\n"


def read_shares(root: Path) -> dict[int, Shares]:
    """The shares by point that a directory of results has; none without the file, or if it is damaged."""
    try:
        rows: dict[str, dict[str, Any]] = regular_files.read_json(root / POSSIBLE)
        return {
            int(point): Shares(_interval(row["possible"]), _interval(row["fair"]), bool(row["strict"]))
            for point, row in rows.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _interval(row: dict[str, Any]) -> Interval:
    found = Interval(**row)
    if not math.isfinite(found.mean):
        raise ValueError("no mean")
    return found
