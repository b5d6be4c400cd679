"""Legends that fit their figure and cover no data, placed by their measured width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

FEW = 3
"""Names up to which a legend of a screen's figure is inside the axes."""
BESIDE = 0.32
"""Share of a figure's width that a legend beside the axes may take."""
MARGIN_PX = 4.0
"""Least distance of a legend above the axes from both edges of the figure."""
AXES_SHARE = 0.8
"""Share of its height that a figure keeps below a legend: it grows by the rest."""
LOOK: dict[str, Any] = {"frameon": False, "handlelength": 2.2, "columnspacing": 1.2, "borderaxespad": 0.3}

_own: WeakSet[Figure] = WeakSet()


def may_grow(figure: Figure) -> None:
    """Let a legend make this figure higher: it is not one of the user's."""
    _own.add(figure)


def add_legend(ax: Axes, style: str) -> None:
    """Add a legend of all named curves.

    It is inside the axes for up to `FEW` names on a screen, and where the figure has other axes or no layout that makes
    room. Otherwise it is outside: on a screen to the right if narrow, in a paper above, in as many columns as fit.
    """
    handles, names = ax.get_legend_handles_labels()
    figure = ax.get_figure(root=True)
    if not handles or figure is None:
        return
    is_alone = len(figure.axes) == 1 and figure.get_layout_engine() is not None
    if not is_alone or (style != "paper" and len(names) <= FEW):
        ax.legend(frameon=False)
        return
    width = float(figure.bbox.width)
    if style != "paper":
        beside = figure.legend(handles, names, loc="outside right upper", **LOOK)
        if _width(beside) <= BESIDE * width:
            _grow(figure, float(beside.get_window_extent().height))
            return
        beside.remove()
    for columns, shown in _arrangements(figure, handles, names):
        above = figure.legend(handles, shown, loc="outside upper center", ncols=columns, **LOOK)
        if _width(above) <= width - 2.0 * MARGIN_PX:
            break
        above.remove()
    else:  # a word is wider than the figure
        above = figure.legend(handles, shown, loc="outside upper center", ncols=1, **LOOK)
    _grow(figure, float(above.get_window_extent().height) + AXES_SHARE * float(figure.bbox.height))


def _grow(figure: Figure, height_px: float) -> None:
    """Make a figure at least so high, if it is not the user's."""
    if figure in _own and height_px > figure.bbox.height:
        figure.set_figheight(height_px / figure.dpi)


def _arrangements(figure: Figure, handles: Sequence[Any], names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Numbers of columns from the most on, the rows as full as they can be; then one column with folded names."""
    count = len(names)
    for rows in range(1, count + 1):
        yield -(-count // rows), list(names)
    alone = figure.legend(handles, names, **LOOK)
    share = (float(figure.bbox.width) - 2.0 * MARGIN_PX) / _width(alone)
    alone.remove()
    longest = max(map(len, names))
    for shorter in (0.9, 0.7, 0.5, 0.3):
        letters = max(8, int(longest * share * shorter))
        yield 1, [textwrap.fill(name, letters) for name in names]


def _width(legend: Legend) -> float:
    """Width of a legend, in pixels of its figure."""
    return float(legend.get_window_extent().width)
