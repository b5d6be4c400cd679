"""From numbers with intervals to one of the verdict words.

A check is a list of conditions; each is put as a margin that is not negative where the claim's tolerance holds. The
means decide. A verdict is settled where both ends of the intervals would give the same word.
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
LATER = "not supported"

WORDS = (REPRODUCED, TREND_ONLY, EXPLAINED, UNEXPLAINED, NOT_TESTABLE, LATER)
FORMER_WORDS = {
    TREND_ONLY: "same trend",
    EXPLAINED: "differs (explained)",
    UNEXPLAINED: "differs (unexplained)",
    LATER: "needs a later version",
}
"""What `verdict` of `verdicts.json` holds until the next major version."""
MIN_SEEDS = 20
"""Seeds from which a verdict counts; fewer give a first impression."""

End = Literal["low", "mean", "high"]


class Level(IntEnum):
    """How far a claim holds."""

    DIFFERS = 0
    TREND = 1
    HOLDS = 2


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a check.

    Attributes
    ----------
    what : str
        What is compared, with its point: ``Vegas / NewReno at 4 hops``.
    value : Interval
        The quantity that a reader thinks in; for display.
    limit : str
        The tolerance on `value`: ``>= 0.98``.
    margins : tuple of Interval
        The tolerance holds where one of these is not negative.
    trend : Interval or None
        The direction holds where this is not negative; None where a missed tolerance leaves no direction.
    """

    what: str
    value: Interval
    limit: str
    margins: tuple[Interval, ...]
    trend: Interval | None = None

    def level(self, end: End = "mean") -> Level:
        """What the means say, or one end of the intervals; a missing lower end fails, a missing upper one holds."""
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
        """The numbers, for a reader."""
        return f"{self.what}: {shown(self.value)}, limit {self.limit}"

    def to_dict(self) -> dict[str, Any]:
        """For `verdicts.json`."""
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
    """A check's conditions in one series of runs; `assumption` says what the series assumes in place of the default."""

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
        """Seeds behind the condition that has the fewest."""
        return min(condition.value.n for condition in self.conditions)

    def deciding(self, count: int) -> list[Condition]:
        """The conditions nearest to failing, or failing most."""
        return sorted(self.conditions, key=lambda condition: (condition.level(), condition.room))[:count]

    def text(self, count: int = 3) -> str:
        """How many conditions hold, and the numbers of those that decide."""
        held = sum(condition.level() == Level.HOLDS for condition in self.conditions)
        numbers = "; ".join(condition.text() for condition in self.deciding(count))
        return f"{held} of {len(self.conditions)} conditions hold, n = {self.n}. Deciding: {numbers}."


def judge(default: Finding, others: Sequence[Finding] = ()) -> str:
    """The verdict word of a check.

    Parameters
    ----------
    default : Finding
        Under the study's assumptions.
    others : sequence of Finding
        The same check where one assumption is another. A difference is explained by a series in which the claim
        holds within its tolerance, settled; nothing else explains.
    """
    level = default.level()
    if level == Level.HOLDS:
        return REPRODUCED
    if level == Level.TREND:
        return TREND_ONLY
    return EXPLAINED if explaining(others) else UNEXPLAINED


def explaining(others: Sequence[Finding]) -> list[Finding]:
    """The series in which the claim holds."""
    return [found for found in others if found.level() == Level.HOLDS and found.conclusive]


def shown(interval: Interval) -> str:
    """Mean and 95 % interval, three digits."""
    if math.isinf(interval.mean):
        return "the other has none"
    if interval.low is None or interval.high is None:
        return f"{interval.mean:.3g} ({'no interval' if interval.n == 1 else 'interval not bounded'})"
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
