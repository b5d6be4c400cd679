"""One chart per claim: its decisive conditions with their 95 % intervals, its tolerance, and the paper's value.

Conditions with one tolerance share an axis. The chart is an SVG in the page, and lines of characters on a terminal.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from hoplab.figures.palette import BLUE, VERMILION

Band = tuple[float, float]
"""Ends of a tolerance; infinite where it has none."""

AXIS, MARGIN = 34, 14
"""Height of an axis, and space at the sides of a panel, in px."""


@dataclass(frozen=True)
class Shape:
    """Sizes of the SVG, in px.

    Attributes
    ----------
    label : float
        Width of the column of labels; 0 writes each above its marks.
    letters : int
        Characters in a line of a label.
    entries : int
        Entries in a line of the legend.
    """

    width: float
    label: float
    row: float
    letters: int
    entries: int


WIDE = Shape(760, 330, 34, 54, 5)
NARROW = Shape(380, 0, 58, 52, 2)
"""On a phone."""

COLUMNS = 48
"""Width of a chart on a terminal."""

OPEN = "#e69f00"
STATES = {
    "holds": (BLUE, "within it, 95 % CI"),
    "open": (OPEN, "CI includes the limit"),
    "differs": (VERMILION, "does not hold"),
}
"""Color and text of what an interval says of its condition."""

MOST_DECADES = 1.3
"""Positive values that span more have a logarithmic axis."""


@dataclass(frozen=True)
class ChartRow:
    """One condition.

    Attributes
    ----------
    low, high : float or None
        Ends of its interval; None without one.
    bands : tuple of (float, float)
        Its tolerance; any of several counts.
    paper : tuple of float
        Values of the paper, on the axis of `value`.
    state : {"holds", "open", "differs"}
        What the interval says of the condition.
    """

    text: str
    value: float
    low: float | None
    high: float | None
    bands: tuple[Band, ...]
    paper: tuple[float, ...] = ()
    state: str = "holds"

    @property
    def known(self) -> list[float]:
        """Finite numbers that an axis has to show."""
        ends = [end for band in self.bands for end in band]
        return [x for x in (self.value, self.low, self.high, *ends, *self.paper) if x is not None and math.isfinite(x)]


@dataclass(frozen=True)
class Chart:
    """The chart of one claim; `more` counts conditions that it leaves out."""

    rows: tuple[ChartRow, ...]
    more: int = 0

    @property
    def panels(self) -> list[list[ChartRow]]:
        """Rows that share an axis."""
        return [list(rows) for _, rows in itertools.groupby(self.rows, key=lambda row: row.bands)]

    def svg(self, shape: Shape = WIDE) -> Markup:
        """The chart as an inline SVG."""
        parts, y = [], 6.0
        for rows in self.panels:
            drawn, height = _panel(rows, y, shape)
            parts.append(drawn)
            y += height
        label = escape("; ".join(row.text for row in self.rows))
        legend, height = _legend(y, self, shape)
        kind = "claim" if shape == WIDE else "claim narrow"
        opening = f'<svg class="{kind}" viewBox="0 0 {shape.width:g} {y + height:g}" role="img" aria-label="{label}">'
        return Markup(opening) + Markup("").join(parts) + legend + Markup("</svg>")  # noqa: S704

    def narrow_svg(self) -> Markup:
        """The chart for a phone."""
        return self.svg(NARROW)

    def lines(self) -> list[str]:
        """The chart in characters: = tolerance, - interval, o value, # paper."""
        found = []
        for rows in self.panels:
            axis = _Axis.of(rows, COLUMNS - 1)
            for row in rows:
                found += [row.text, f"  |{_cells(row, axis)}| {_shown(row)}"]
            found.append(f"   {axis.text(axis.low)}{axis.text(axis.high).rjust(COLUMNS - len(axis.text(axis.low)))}")
        found.append("= tolerance  - 95 % CI  o value" + ("  # paper" if any(row.paper for row in self.rows) else ""))
        return found


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    log: bool
    length: float

    @classmethod
    def of(cls, rows: Sequence[ChartRow], length: float) -> _Axis:
        """The axis of some rows, with room at both ends."""
        known = [x for row in rows for x in row.known] or [0.0, 1.0]
        low, high = min(known), max(known)
        if low > 0.0 and math.log10(high / low) > MOST_DECADES:
            return cls(low / 1.3, high * 1.3, log=True, length=length)
        room = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
        return cls(low - room, high + room, log=False, length=length)

    def at(self, x: float) -> float:
        """Position of a value, cut off at the ends."""
        x = min(max(x, self.low), self.high)
        if self.log:
            return self.length * math.log(x / self.low) / math.log(self.high / self.low)
        return self.length * (x - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Some round values."""
        if self.log:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [m * 10.0**d for d in decades for m in (1.0, 2.0, 5.0)]
        else:
            step = 10.0 ** math.floor(math.log10((self.high - self.low) / 4.0))
            step *= next(m for m in (1.0, 2.0, 5.0, 10.0) if (self.high - self.low) / (m * step) <= 6.0)
            first = math.ceil(self.low / step)
            found = [i * step for i in range(first, math.floor(self.high / step) + 1)]
        return [x for x in found if self.low <= x <= self.high]

    def text(self, x: float) -> str:
        """A value at an end of the axis."""
        return f"{x:.3g}"


def _panel(rows: Sequence[ChartRow], top: float, shape: Shape) -> tuple[Markup, float]:
    left, height = shape.label + MARGIN, shape.row * len(rows)
    axis = _Axis.of(rows, shape.width - shape.label - 2 * MARGIN)
    parts = [f'<rect class="room" x="{left:g}" y="{top:g}" width="{axis.length:g}" height="{height}"/>']
    for band in rows[0].bands:
        begin, end = (axis.at(x) for x in band)
        parts.append(
            f'<rect class="band" x="{left + begin:.1f}" y="{top:g}" width="{end - begin:.1f}" height="{height}"/>'
        )
    for tick in axis.ticks():
        x = left + axis.at(tick)
        parts.append(f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{top + height:g}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{top + height + 14:g}" text-anchor="middle">{tick:.6g}</text>')
    for i, row in enumerate(rows):
        y = top + shape.row * (i + (0.5 if shape.label else 0.75))
        parts += [_label(row, y if shape.label else top + shape.row * i + 18.0, shape), *_marks(row, axis, left, y)]
    return Markup("".join(parts)), height + AXIS  # noqa: S704 (texts are escaped)


def _label(row: ChartRow, y: float, shape: Shape) -> str:
    lines = textwrap.wrap(row.text, shape.letters)
    rest = textwrap.shorten(" ".join(lines[1:]), shape.letters, placeholder="...")
    lines = [*lines[:1], rest] if len(lines) > 1 else lines
    x, anchor = (shape.label, "end") if shape.label else (MARGIN + 4, "start")
    first = y + 4.0 - 6.5 * (len(lines) - 1)
    spans = "".join(f'<tspan x="{x:g}" y="{first + 13 * i:g}">{escape(line)}</tspan>' for i, line in enumerate(lines))
    return f'<text text-anchor="{anchor}">{spans}<title>{escape(f"{row.text}: {_shown(row)}")}</title></text>'


def _marks(row: ChartRow, axis: _Axis, left: float, y: float) -> Iterable[str]:
    color, _ = STATES[row.state]
    if row.low is not None and row.high is not None:
        a, b = (left + axis.at(x) for x in (row.low, row.high))
        yield f'<line x1="{a:.1f}" x2="{b:.1f}" y1="{y:g}" y2="{y:g}" stroke="{color}" stroke-width="3"/>'
    if math.isfinite(row.value):
        yield _dot(left + axis.at(row.value), y, color, filled=row.state != "open")
    for value in row.paper:
        x = left + axis.at(value)
        yield f'<path class="paper" d="M{x:.1f} {y - 8:g}l6 8l-6 8l-6 -8z"/>'


def _dot(x: float, y: float, color: str, *, filled: bool) -> str:
    fill = f' fill="{color}"' if filled else ' class="hollow"'
    return f'<circle cx="{x:.1f}" cy="{y:g}" r="5.5"{fill} stroke="{color}" stroke-width="2"/>'


def _legend(y: float, chart: Chart, shape: Shape) -> tuple[Markup, float]:
    """The entries that every chart has, line by line, and their height."""
    entries = [('<rect class="band" x="0" y="-9" width="18" height="11"/>', 24, "tolerance")]
    entries += [(_dot(8.0, -4.0, color, filled=color != OPEN), 19, text) for color, text in STATES.values()]
    if any(row.paper for row in chart.rows):
        entries.append(('<path class="paper" d="M6 -12l6 8l-6 8l-6 -8z"/>', 18, "the paper"))
    parts, place, line = [], 0.0, 0
    for i, (sign, beside, text) in enumerate(entries):
        if i and i % shape.entries == 0:
            place, line = 0.0, line + 1
        at = f"translate({place:g} {18 * line})"
        parts.append(f'<g transform="{at}">{sign}<text x="{beside}">{text}</text></g>')
        place += beside + 16 + 7 * len(text)
    group = f'<g class="legend-line" transform="translate(14 {y + 14:g})">{"".join(parts)}</g>'
    return Markup(group), 24.0 + 18 * line  # noqa: S704 (texts of this file)


def _cells(row: ChartRow, axis: _Axis) -> str:
    cells = [" "] * COLUMNS
    for band in row.bands:
        begin, end = (round(axis.at(x)) for x in band)
        cells[begin : end + 1] = "=" * (end + 1 - begin)
    if row.low is not None and row.high is not None:
        begin, end = (round(axis.at(x)) for x in (row.low, row.high))
        cells[begin : end + 1] = "-" * (end + 1 - begin)
    for value in row.paper:
        cells[round(axis.at(value))] = "#"
    if math.isfinite(row.value):
        cells[round(axis.at(row.value))] = "o"
    return "".join(cells)


def _shown(row: ChartRow) -> str:
    interval = "" if row.low is None or row.high is None else f" ({row.low:.3g} to {row.high:.3g})"
    said = f", paper {' or '.join(f'{x:.3g}' for x in row.paper)}" if row.paper else ""
    return f"{row.value:.3g}{interval}{said}"
