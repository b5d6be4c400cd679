"""Verdicts from conditions with intervals.

The rule, for every claim of every study. A claim is a list of conditions, each with a 95 % interval of its margin: the
distance to the claim's limit, negative beyond it.

- *reproduced*: every condition holds at the unfavorable end of its interval. Of a direction this end lies beyond the
  limit; of a claim that two values are alike, both ends lie within a stated margin (two one-sided tests).
- *not contradicted*: every condition holds in the mean, but for one or more the interval includes the limit. A
  condition that is denied by its interval alone (`Condition.by_interval`: best of several, monotone, alike, levels off)
  permits a mean beyond the limit, as long as the interval includes it.
- *trend only*: the direction of every condition holds at the unfavorable end, the size of one or more does not.
- *not reproduced*: otherwise. With *explained*, the claim is reproduced with one changed assumption.

*Trend only* and *not reproduced* are conclusive if no value within the intervals gives a better verdict. *Not
contradicted* is never conclusive. Noise widens intervals, so that it cannot produce "reproduced".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Literal

from hoplab.stats import Interval

REPRODUCED = "reproduced"
TREND_ONLY = "trend only"
EXPLAINED = "not reproduced (explained)"
UNEXPLAINED = "not reproduced (unexplained)"
NOT_CONTRADICTED = "not contradicted"
NOT_TESTABLE = "cannot be tested"
NOT_SUPPORTED = "not supported"

WORDS = (REPRODUCED, TREND_ONLY, EXPLAINED, UNEXPLAINED, NOT_CONTRADICTED, NOT_TESTABLE, NOT_SUPPORTED)
COLORS = {
    REPRODUCED: "green",
    TREND_ONLY: "yellow",
    NOT_CONTRADICTED: "yellow",
    EXPLAINED: "yellow",
    UNEXPLAINED: "red",
}
"""Colors of verdicts on a terminal."""
MEANINGS = {
    REPRODUCED: "every condition of the claim holds at the unfavorable end of its 95 % CI",
    NOT_CONTRADICTED: "the CI of one condition or more includes the limit, and none denies the claim: the runs do not "
    "decide. The mean meets the limit, except in conditions that only a whole CI denies (best of several, monotone, "
    "alike, levels off): there the mean may lie beyond it",
    TREND_ONLY: "the direction of every condition holds at that end, the size of one or more does not",
    EXPLAINED: "the claim does not hold; with one changed assumption it is reproduced",
    UNEXPLAINED: "the claim does not hold, and no changed assumption that was run reproduces it; the report names the "
    "series that were not run",
    NOT_TESTABLE: "the paper omits parameters of the test",
    NOT_SUPPORTED: "the claim concerns something that hoplab does not have",
}
"""What each verdict says, as docs/judge/reproduce.md has it."""

FORMER_WORDS = {
    TREND_ONLY: "same trend",
    EXPLAINED: "differs (explained)",
    UNEXPLAINED: "differs (unexplained)",
    NOT_CONTRADICTED: "reproduced",
    NOT_TESTABLE: "not testable (parameters missing)",
    NOT_SUPPORTED: "needs a later version",
}
"""Values of `verdict` in a `verdicts.json` of format 1, which had no `outcome` at first. "Not contradicted" counted as
reproduced, with `settled` false."""
MIN_SEEDS = 20
"""Minimum seeds of a conclusive verdict; with fewer it is preliminary."""

End = Literal["low", "mean", "high"]


class Level(IntEnum):
    """What the evidence says of a condition, or of all conditions of a claim."""

    DIFFERS = 0
    TREND = 1
    OPEN = 2
    """Holds in the mean; the interval includes the limit."""
    HOLDS = 3


LEVEL_WORDS = {
    Level.HOLDS: "holds",
    Level.OPEN: "not contradicted",
    Level.TREND: "trend only",
    Level.DIFFERS: "does not hold",
}


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
        The direction holds if this is positive; None if the claim has no direction.
    strict : bool
        Whether equality with the limit fails: more, not as much.
    by_interval : bool
        Whether only an interval beyond the limit denies it, not a mean: best of several, monotone, alike.
    band : (float, float) or None
        Ends of the tolerance on `value`, for the chart; an end may be infinite.
    or_band : (float, float) or None
        A second tolerance, if either counts.
    """

    what: str
    value: Interval
    limit: str
    margins: tuple[Interval, ...]
    trend: Interval | None = None
    strict: bool = False
    by_interval: bool = False
    band: tuple[float, float] | None = None
    or_band: tuple[float, float] | None = None

    def denied_by_interval(self) -> Condition:
        """The condition, denied only by an interval beyond the limit."""
        return replace(self, by_interval=True)

    def holds(self, end: End) -> bool:
        """Whether the tolerance holds at one end of the intervals, or in the mean."""
        if self.strict:
            return any(_at(margin, end) > 0.0 for margin in self.margins)
        return any(_at(margin, end) >= 0.0 for margin in self.margins)

    def permitted(self) -> bool:
        """Whether the mean holds, or, of a condition that its interval denies, any value within that or the limit."""
        if self.by_interval:
            return any(_at(margin, "high") >= 0.0 for margin in self.margins)
        return self.holds("mean")

    def points_there(self, end: End) -> bool:
        """Whether the direction holds at one end; where the tolerance does, so does the direction."""
        return self.holds(end) or (self.trend is not None and _at(self.trend, end) > 0.0)

    def level(self) -> Level:
        """What the evidence says of this condition."""
        return _level([self])

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
            "band": None if self.band is None else [_finite(end) for end in self.band],
            "or_band": None if self.or_band is None else [_finite(end) for end in self.or_band],
            "level": self.level().name.lower(),
            "room": _finite(self.room),
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A check's conditions in one series of runs; `assumption` is what the series changes."""

    conditions: tuple[Condition, ...]
    assumption: str = ""

    def level(self) -> Level:
        """What the evidence says of all conditions together."""
        return _level(self.conditions)

    @property
    def conclusive(self) -> bool:
        """Whether no value within the intervals gives a better verdict."""
        level = self.level()
        if level == Level.TREND:
            return not all(condition.holds("high") for condition in self.conditions)
        if level == Level.DIFFERS:
            return not all(condition.points_there("high") for condition in self.conditions)
        return level == Level.HOLDS

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
        The same check with one assumption changed. A series explains a difference only if the claim is reproduced
        there.
    """
    level = default.level()
    if level == Level.DIFFERS:
        return EXPLAINED if explaining(others) else UNEXPLAINED
    return {Level.HOLDS: REPRODUCED, Level.OPEN: NOT_CONTRADICTED, Level.TREND: TREND_ONLY}[level]


def explaining(others: Sequence[Finding]) -> list[Finding]:
    """The series in which the claim is reproduced."""
    return [found for found in others if found.level() == Level.HOLDS]


def _level(conditions: Sequence[Condition]) -> Level:
    if all(one.holds("low") for one in conditions):
        return Level.HOLDS
    if all(one.permitted() for one in conditions):
        return Level.OPEN
    return Level.TREND if all(one.points_there("low") for one in conditions) else Level.DIFFERS


def shown(interval: Interval) -> str:
    """Mean and 95 % interval, three digits."""
    if math.isinf(interval.mean):
        return "unbounded: the reference is zero"
    if interval.low is None or interval.high is None:
        return f"{number(interval.mean)} ({'no interval' if interval.n == 1 else 'interval unbounded'})"
    return f"{number(interval.mean)} ({number(interval.low)} to {number(interval.high)})"


def number(value: float) -> str:
    """Three digits; all digits before the point of numbers from 1000 to a million."""
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _at(margin: Interval, end: End) -> float:
    if end == "mean":
        return margin.mean
    found = margin.low if end == "low" else margin.high
    if found is None:
        return -1.0 if end == "low" else 1.0
    return found
