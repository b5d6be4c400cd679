"""A figure as a value: labelled curves with their intervals, apart from how it is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Style = Literal["points", "line", "step", "marks"]


@dataclass(frozen=True)
class Curve:
    """One labelled curve.

    Attributes
    ----------
    x, y : sequence of float
        Equal lengths, in the figure's units; NaN in `y` leaves a gap.
    low, high : sequence of float or None
        Ends of the interval of each point, or None for a curve without intervals.
    n : int or None
        Replications behind each point; a curve without it says in its `name` or the figure's note why.
    style : {"points", "line", "step", "marks"}
        Marked points with bars; a line with a band; a step line; unconnected hollow marks for reference values.
    slot : int
        Color, marker and dash, so that a transport looks the same in every figure.
    shown : bool
        False for a curve that the reader switches on.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    n: int | None = None
    style: Style = "points"
    slot: int = 0
    shown: bool = True

    def __post_init__(self) -> None:
        sizes = {len(s) for s in (self.x, self.y, self.low, self.high) if s is not None}
        if len(sizes) != 1:
            raise ValueError(f"curve {self.name!r}: x, y and the interval differ in length")


@dataclass(frozen=True)
class Figure:
    """Curves in one pair of axes.

    Attributes
    ----------
    id : str
        Short name, unique in a report: lower case letters, digits, dashes.
    caption : str
        What is seen and how it was made, with n and the level of the intervals.
    integer_x : bool
        True where only whole numbers make sense on the x axis (hops).
    """

    id: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    caption: str = ""
    integer_x: bool = False
    y_from_zero: bool = True

    def payload(self) -> dict[str, Any]:
        """Plain values for JSON, numbers rounded to 5 significant digits, gaps as None."""
        return {
            "id": self.id,
            "title": self.title,
            "x": self.x_label,
            "y": self.y_label,
            "integerX": self.integer_x,
            "fromZero": self.y_from_zero,
            "curves": [
                {
                    "name": curve.name,
                    "style": curve.style,
                    "slot": curve.slot,
                    "shown": curve.shown,
                    "n": curve.n,
                    "x": _plain(curve.x),
                    "y": _plain(curve.y),
                    "low": None if curve.low is None else _plain(curve.low),
                    "high": None if curve.high is None else _plain(curve.high),
                }
                for curve in self.curves
            ],
        }


def _plain(values: Sequence[float]) -> list[float | None]:
    return [float(f"{value:.5g}") if math.isfinite(value) else None for value in values]
