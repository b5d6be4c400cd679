"""Verdicts from conditions with intervals.

A check is a list of conditions, each with a margin that is not negative where the tolerance of the claim holds. Means
decide. A verdict is conclusive where both ends of every interval give the same word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

from hoplab.stats import Interval

REPRODUCED = "reproduced"
TREND_ONLY = "trend only"
EXPLAINED = "not reproduced (explained)"
UNEXPLAINED = "not reproduced (unexplained)"
NOT_TESTABLE = "not testable (parameters missing)"
NOT_SUPPORTED = "not supported"

WORDS = (REPRODUCED, TREND_ONLY, EXPLAINED, UNEXPLAINED, NOT_TESTABLE, NOT_SUPPORTED)
COLORS = {REPRODUCED: "green", TREND_ONLY: "yellow", EXPLAINED: "yellow", UNEXPLAINED: "red"}
"""Colors of verdicts on a terminal."""
FORMER_WORDS = {
    TREND_ONLY: "same trend",
    EXPLAINED: "differs (explained)",
    UNEXPLAINED: "differs (unexplained)",
    NOT_SUPPORTED: "needs a later version",
}
"""Values of `verdict` in `verdicts.json` until the next major version; `outcome` has the present ones."""
MIN_SEEDS = 20
"""Minimum seeds of a conclusive verdict; with fewer it is preliminary."""

End = Literal["low", "mean", "high"]


class Level(IntEnum):
    """Degree to which a condition holds."""

    DIFFERS = 0
    TREND = 1
    HOLDS = 2


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a check.

    Attributes
    ----------
    what : str
        The compared quantity, with its point: ``Vegas / NewReno at 4 hops``.
    value : Interval
        The quantity, for display.
    limit : str
        The tolerance on `value`: ``>= 0.98``.
    margins : tuple of Interval
        The tolerance holds if one of these is not negative.
    trend : Interval or None
        The direction holds if this is not negative; None if the claim has no direction.
    """

    what: str
    value: Interval
    limit: str
    margins: tuple[Interval, ...]
    trend: Interval | None = None

    def level(self, end: End = "mean") -> Level:
        """Level at the means, or at one end of the intervals; a missing lower end fails, a missing upper end holds."""
        if any(_at(margin, end) >= 0.0 for margin in self.margins):
            return Level.HOLDS
        if self.trend is not None and _at(self.trend, end) >= 0.0:
            return Level.TREND
        return Level.DIFFERS

    @property
    def room(self) -> float:
        """Distance of the mean from the limit, in half-widths of its own interval; negative beyond it."""
        return max(margin.mean / (margin.half_width or abs(margin.mean) or 1.0) for margin in self.margins)

    def text(self) -> str:
        """Quantity, value and limit."""
        return f"{self.what}: {shown(self.value)}, limit {self.limit}"

    def to_dict(self) -> dict[str, Any]:
        """Content of `verdicts.json`."""
        value = self.value
        return {
            "what": self.what,
            "value": _finite(value.mean),
            "low": value.low,
            "high": value.high,
            "n": value.n,
            "limit": self.limit,
            "level": self.level().name.lower(),
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A check's conditions in one series of runs; `assumption` is what the series changes."""

    conditions: tuple[Condition, ...]
    assumption: str = ""

    def level(self, end: End = "mean") -> Level:
        """The lowest level of all conditions."""
        return min(condition.level(end) for condition in self.conditions)

    @property
    def conclusive(self) -> bool:
        """Whether both ends of every interval give the level of the means."""
        return self.level("low") == self.level("high")

    @property
    def n(self) -> int:
        """Minimum number of seeds over the conditions."""
        return min(condition.value.n for condition in self.conditions)

    def decisive(self, count: int) -> list[Condition]:
        """The conditions with the smallest margin."""
        return sorted(self.conditions, key=lambda condition: (condition.level(), condition.room))[:count]

    def text(self, count: int = 3) -> str:
        """Number of conditions that hold, and the decisive ones."""
        held = sum(condition.level() == Level.HOLDS for condition in self.conditions)
        decisive = "; ".join(condition.text() for condition in self.decisive(count))
        return f"{held} of {len(self.conditions)} conditions hold (n = {self.n}). Decisive: {decisive}."


def judge(default: Finding, others: Sequence[Finding] = ()) -> str:
    """The verdict word of a check.

    Parameters
    ----------
    default : Finding
        Under the study's assumptions.
    others : sequence of Finding
        The same check with one assumption changed. A series explains a difference only if the claim holds there
        conclusively.
    """
    level = default.level()
    if level == Level.HOLDS:
        return REPRODUCED
    if level == Level.TREND:
        return TREND_ONLY
    return EXPLAINED if explaining(others) else UNEXPLAINED


def explaining(others: Sequence[Finding]) -> list[Finding]:
    """The series in which the claim holds conclusively."""
    return [found for found in others if found.level() == Level.HOLDS and found.conclusive]


def shown(interval: Interval) -> str:
    """Mean and 95 % interval, three digits."""
    if math.isinf(interval.mean):
        return "unbounded: the reference is zero"
    if interval.low is None or interval.high is None:
        return f"{interval.mean:.3g} ({'no interval' if interval.n == 1 else 'interval unbounded'})"
    return f"{interval.mean:.3g} ({interval.low:.3g} to {interval.high:.3g})"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _at(margin: Interval, end: End) -> float:
    if end == "mean":
        return margin.mean
    found = margin.low if end == "low" else margin.high
    if found is None:
        return -1.0 if end == "low" else 1.0
    return found
