"""A small chart of curves with their intervals, as an SVG file that a phone shows at full size.

White ground and black letters: the site inverts charts in its dark scheme (docs/assets/site.css), and elsewhere the
ground comes with the picture. Letters are text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from hoplab.figures.palette import Ink, ink

WIDTH = 380
"""In px: two fit beside each other on a page, one on a phone."""

LEFT, RIGHT, TOP, HEIGHT = 46, 10, 28, 190
"""Of the plot, in px."""

BESIDE = 1.2
"""Distance of curves that stand beside each other, px."""

LETTER = 6.8
"""About the width of a letter, px."""

FONT = 'font-family="DejaVu Sans,Verdana,sans-serif" font-size="11"'

MARKS = {
    "o": "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z",
    "s": "M-3 -3h6v6h-6z",
    "^": "M0 -4l4 7h-8z",
    "v": "M0 4l4 -7h-8z",
    "D": "M0 -4l4 4l-4 4l-4 -4z",
    "P": "M-1.5 -4h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z",
    "X": "M-4 -2l2 -2l2 2l2 -2l2 2l-2 2l2 2l-2 2l-2 -2l-2 2l-2 -2l2 -2z",
}
"""Paths of the palette's markers."""


@dataclass(frozen=True, slots=True)
class Point:
    """A mean with its interval, at a place on the axis."""

    x: float
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """A curve; `hollow` points are values that the paper prints."""

    name: str
    points: tuple[Point, ...]
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """A chart.

    Attributes
    ----------
    title, x_label : str
        What the vertical axis has, written above the plot; what the horizontal one has.
    logarithmic : bool
        Whether the vertical axis is.
    """

    title: str
    x_label: str
    series: tuple[Series, ...]
    logarithmic: bool = False

    def svg(self) -> str:
        """The content of the file."""
        bottom = TOP + HEIGHT
        legend, end = self._legend(bottom + 46)
        height = end + 6
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f'role="img" aria-label={quoteattr(self.title)} {FONT}>'
        )
        ground = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
        title = f'<text x="6" y="16" font-weight="bold">{escape(self.title)}</text>'
        x_label = f'<text x="{LEFT + _PLOT / 2:g}" y="{bottom + 32}" text-anchor="middle">{escape(self.x_label)}</text>'
        parts = [opening, ground, title, *self._grid(), x_label, *self._curves(), *legend, "</svg>"]
        return "\n".join(parts) + "\n"

    @property
    def _values(self) -> list[float]:
        points = [point for one in self.series for point in one.points]
        return [x for point in points for x in (point.value, point.low, point.high) if x is not None]

    @property
    def _places(self) -> list[float]:
        return sorted({point.x for one in self.series for point in one.points})

    @property
    def _doubles(self) -> bool:
        """Whether places double from one to the next: then they have equal distances."""
        return len(self._places) > 2 and all(b == 2.0 * a for a, b in pairwise(self._places))

    @property
    def _range(self) -> tuple[float, float]:
        """Ends of the vertical axis: from zero, or of values on a logarithmic axis."""
        if self.logarithmic:
            means = [point.value for one in self.series for point in one.points if point.value > 0.0]
            return min(means) / 1.6, max(self._values) * 1.15
        low, high = min(0.0, *self._values), max(0.0, *self._values)
        return low, high + 0.04 * (high - low)

    def _y(self, value: float) -> float:
        low, high = self._range
        if self.logarithmic:
            share = math.log(max(value, low) / low) / math.log(high / low)
        else:
            share = (value - low) / (high - low)
        return TOP + HEIGHT * (1.0 - share)

    def _x(self, x: float, number: float) -> float:
        """A place on the axis; curves stand a little beside each other, so that intervals can be seen."""
        low, high = self._places[0], self._places[-1]
        if self._doubles:
            share = math.log(x / low) / math.log(high / low)
        else:
            share = (x - low) / (high - low) if high > low else 0.5
        return LEFT + 14 + (_PLOT - 28) * share + BESIDE * (number - (len(self.series) - 1) / 2.0)

    def _grid(self) -> Iterator[str]:
        bottom = TOP + HEIGHT
        lines, words = "", ""
        for tick in ticks(*self._range, logarithmic=self.logarithmic):
            y = self._y(tick)
            lines += f"M{LEFT} {y:.1f}h{_PLOT}"
            words += f'<text x="{LEFT - 5}" y="{y + 4:.1f}">{tick:g}</text>'
        yield f'<path d="{lines}" stroke="#ddd"/>'
        yield f'<g text-anchor="end">{words}</g>'
        yield f'<path d="M{LEFT} {bottom}h{_PLOT}" stroke="#444"/>'
        places = self._places
        shown = places if len(places) <= 10 else ticks(places[0], places[-1], logarithmic=False)
        middle = (len(self.series) - 1) / 2.0
        words = "".join(f'<text x="{self._x(x, middle):.1f}" y="{bottom + 15}">{x:g}</text>' for x in shown)
        yield f'<g text-anchor="middle">{words}</g>'

    def _curves(self) -> Iterator[str]:
        for k, one in enumerate(self.series):
            look = self._ink(k)
            places = [(self._x(point.x, k), point) for point in one.points]
            ends = "".join(
                f"M{x:.1f} {self._y(point.low):.1f}V{self._y(point.high):.1f}"
                for x, point in places
                if point.low is not None and point.high is not None
            )
            body = f'<path d="{ends}" fill="none" stroke-width="2" opacity=".55"/>' if ends else ""
            if not one.hollow:
                way = "L".join(f"{x:.1f} {self._y(point.value):.1f}" for x, point in places)
                body += f'<path d="M{way}" fill="none"{_dashes(look)}/>'
            body += "".join(_mark(x, self._y(point.value), look) for x, point in places)
            fill = "#fff" if one.hollow else look.color
            yield f'<g stroke="{look.color}" fill="{fill}">{body}</g>'

    def _ink(self, k: int) -> Ink:
        """A hollow series has the look of the one of its name before it."""
        if self.series[k].hollow:
            named = self.series[k].name.removesuffix(", printed")
            return next(ink(j) for j, one in enumerate(self.series) if one.name == named)
        return ink(k)

    def _legend(self, top: int) -> tuple[list[str], int]:
        x, y, found = 6.0, float(top), []
        for k, one in enumerate(self.series):
            width = 26 + LETTER * len(one.name)
            if x > 6.0 and x + width > WIDTH:
                x, y = 6.0, y + 16
            look = self._ink(k)
            fill = "#fff" if one.hollow else look.color
            line = "" if one.hollow else f'<path d="M{x:g} {y - 4:g}h18"{_dashes(look)}/>'
            sign = f'<g stroke="{look.color}" fill="{fill}">{line}{_mark(x + 9, y - 4, look)}</g>'
            found.append(f'{sign}<text x="{x + 22:g}" y="{y:g}">{escape(one.name)}</text>')
            x += width + 8
        return found, math.ceil(y)


_PLOT = WIDTH - LEFT - RIGHT


def _mark(x: float, y: float, look: Ink) -> str:
    return f'<path d="{MARKS[look.marker]}" transform="translate({x:.1f} {y:.1f})"/>'


def _dashes(look: Ink) -> str:
    return f' stroke-dasharray="{" ".join(f"{1.4 * one:g}" for one in look.dash)}"' if look.dash else ""


def ticks(low: float, high: float, *, logarithmic: bool) -> Sequence[float]:
    """Some round values of an axis."""
    if logarithmic:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        wide = high / low > 50.0
        found = [m * 10.0**d for d in decades for m in ((1.0,) if wide else (1.0, 2.0, 5.0))]
    else:
        step = 10.0 ** math.floor(math.log10((high - low) / 4.0))
        step *= next(m for m in (1.0, 2.0, 5.0, 10.0) if (high - low) / (m * step) <= 6.0)
        first = math.ceil(low / step - 1e-9)
        found = [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]
    return [x for x in found if low * (1 - 1e-9) <= x <= high * (1 + 1e-9) or x == 0.0 >= low]
