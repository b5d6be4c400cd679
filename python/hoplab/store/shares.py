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
SLACK = 0.005
"""Share by which rounding and the ends of a run may put it above a strict bound."""
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
    most : float
        The largest share of a run.
    """

    possible: Interval
    fair: Interval
    strict: bool
    most: float

    @property
    def is_exceeded(self) -> bool:
        """Whether a run is above a bound that no run can exceed: the bound or the engine is wrong."""
        return self.strict and self.most > 1.0 + SLACK

    @property
    def both(self) -> tuple[Interval, Interval]:
        """The values of `COLUMNS`."""
        return self.possible, self.fair


def to_json(shares: dict[int, Shares]) -> str:
    """The shares by point as JSON."""
    rows = {
        str(point): {
            "possible": one.possible.to_dict(),
            "fair": one.fair.to_dict(),
            "strict": one.strict,
            "most": one.most,
        }
        for point, one in shares.items()
    }
    return json.dumps(rows, indent=1) + "\n"


def read_shares(root: Path) -> dict[int, Shares]:
    """The shares by point that a directory of results has; none without the file, or if it is damaged."""
    try:
        rows: dict[str, dict[str, Any]] = regular_files.read_json(root / POSSIBLE)
        return {int(point): _shares(row) for point, row in rows.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _shares(row: dict[str, Any]) -> Shares:
    possible = _interval(row["possible"])
    return Shares(possible, _interval(row["fair"]), bool(row["strict"]), float(row.get("most", possible.mean)))


def _interval(row: dict[str, Any]) -> Interval:
    found = Interval(**row)
    if not math.isfinite(found.mean):
        raise ValueError("no mean")
    return found
