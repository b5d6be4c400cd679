"""A figure as a value: labelled curves with their intervals, apart from how it is drawn.

A curve of measured values cannot be made without the number of replications behind each point, nor, where there are
several, without the interval of their mean. One replication has no interval, and the figure says so on its face.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Style = Literal["points", "dots", "line", "step", "marks", "outline"]
MEASURED = frozenset({"points", "dots", "line"})
"""Styles that show means of replications; marks and steps show single runs or what others have found."""


@dataclass(frozen=True)
class Curve:
    """One labelled curve.

    Attributes
    ----------
    x, y : sequence of float
        Equal lengths, in the figure's units; NaN in `y` leaves a gap.
    low, high : sequence of float or None
        Ends of the interval of each point, or None for a curve without intervals.
    n : int, sequence of int or None
        Replications behind every point, or behind each. Points and lines need it, and an interval where it is above 1.
    style : {"points", "dots", "line", "step", "marks", "outline"}
        Marked points with bars, joined or (dots) not; a line with a band; a step line; unconnected hollow marks for
        reference values; a filled closed line.
    slot : int
        Color, marker and dash, so that a transport looks the same in every figure.
    shown : bool
        False for a curve that the reader switches on.
    exact : str
        Why points or a line have neither n nor interval, such as "closed form"; shown with the figure.

    Raises
    ------
    ValueError
        If lengths differ, or measured values come without n or interval.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    n: int | Sequence[int] | None = None
    style: Style = "points"
    slot: int = 0
    shown: bool = True
    exact: str = ""

    def __post_init__(self) -> None:
        ends = (self.x, self.y, self.low, self.high, None if isinstance(self.n, int) else self.n)
        if len({len(values) for values in ends if values is not None}) != 1:
            raise ValueError(f"curve {self.name!r}: x, y, n and the interval differ in length")
        if self.measured:
            self._check_evidence()

    @property
    def measured(self) -> bool:
        """Whether the curve shows means of replications."""
        return self.style in MEASURED and not self.exact

    @property
    def counts(self) -> list[int]:
        """Replications behind each point that has a value; empty where that is not known."""
        if self.n is None:
            return []
        each = [self.n] * len(self.y) if isinstance(self.n, int) else self.n
        return [n for n, y in zip(each, self.y, strict=True) if math.isfinite(y)]

    def _check_evidence(self) -> None:
        if self.n is None:
            raise ValueError(f"curve {self.name!r}: means require the number of replications (n)")
        low, high = self.low or [math.nan] * len(self.y), self.high or [math.nan] * len(self.y)
        ends = [(a, b) for a, b, y in zip(low, high, self.y, strict=True) if math.isfinite(y)]
        if any(n > 1 and not all(map(math.isfinite, pair)) for n, pair in zip(self.counts, ends, strict=True)):
            raise ValueError(f"curve {self.name!r}: means of several replications require an interval (low, high)")


@dataclass(frozen=True)
class Figure:
    """Curves in one pair of axes.

    Attributes
    ----------
    id : str
        Short name, unique in a report: lower case letters, digits, dashes.
    caption : str
        Content and method, with n and the level of the intervals.
    integer_x : bool
        True where only whole numbers make sense on the x axis (hops).
    x_names : tuple of str
        Words in place of 0, 1, 2, ... on the x axis; empty for numbers.
    """

    id: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    caption: str = ""
    integer_x: bool = False
    y_from_zero: bool = True
    x_names: tuple[str, ...] = ()

    @property
    def evidence(self) -> str:
        """Number of replications of the points, and whether they have intervals; empty without measured points."""
        counts = [n for curve in self.curves if curve.measured for n in curve.counts]
        said = []
        if counts:
            fewest, most = min(counts), max(counts)
            if most == 1:
                said.append("n = 1: one run per point, no interval. Differences may be random.")
            elif fewest == most:
                said.append(f"n = {most} per point, with intervals")
            else:
                said.append(f"n = {fewest} to {most} per point, with intervals{_alone(counts)}")
        exact = dict.fromkeys(curve.exact for curve in self.curves if curve.exact)
        return "; ".join([*said, *(f"without n: {why}" for why in exact)])

    @property
    def is_anecdote(self) -> bool:
        """Whether a point has n = 1, which the figure must state."""
        return any(n == 1 for curve in self.curves if curve.measured for n in curve.counts)

    def payload(self) -> dict[str, Any]:
        """Plain values for JSON, numbers rounded to 5 significant digits, gaps as None."""
        return {
            "id": self.id,
            "title": self.title,
            "x": self.x_label,
            "y": self.y_label,
            "integerX": self.integer_x,
            "fromZero": self.y_from_zero,
            "names": list(self.x_names),
            "curves": [
                {
                    "name": curve.name,
                    "style": curve.style,
                    "slot": curve.slot,
                    "shown": curve.shown,
                    "n": curve.n if curve.n is None or isinstance(curve.n, int) else list(curve.n),
                    "x": _plain(curve.x),
                    "y": _plain(curve.y),
                    "low": None if curve.low is None else _plain(curve.low),
                    "high": None if curve.high is None else _plain(curve.high),
                }
                for curve in self.curves
            ],
        }


def _alone(counts: Sequence[int]) -> str:
    return " but for single runs, which have none" if 1 in counts else ""


def _plain(values: Sequence[float]) -> list[float | None]:
    return [float(f"{value:.5g}") if math.isfinite(value) else None for value in values]
