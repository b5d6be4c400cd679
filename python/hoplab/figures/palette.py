"""Colors, markers and dashes that stay apart for color-blind readers and in print.

The colors are those of Okabe and Ito 2008 (Color Universal Design), without the yellow, which is faint on white,
and with black moved behind. Neighboring slots differ in marker and dash as well as in color. After seven the colors
come again, with another marker and dash.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Ink:
    """Looks of one slot; `dash` is in units of the line width, empty for a full line."""

    color: str
    marker: str
    dash: tuple[float, ...]


_FIRST: tuple[Ink, ...] = (
    Ink("#0072b2", "o", ()),
    Ink("#d55e00", "s", (6, 2)),
    Ink("#009e73", "^", (2, 2)),
    Ink("#cc79a7", "D", (6, 2, 1, 2)),
    Ink("#e69f00", "v", (4, 1, 1, 1, 1, 1)),
    Ink("#56b4e9", "P", (8, 3)),
    Ink("#000000", "X", (1, 1)),
)
_SHIFT = 3
INKS: tuple[Ink, ...] = (
    *_FIRST,
    *(
        replace(look, marker=other.marker, dash=other.dash)
        for look, other in zip(_FIRST, (*_FIRST[_SHIFT:], *_FIRST[:_SHIFT]), strict=True)
    ),
)
"""Twice as many looks as colors."""


def ink(slot: int) -> Ink:
    """Looks of a slot; more curves than slots repeat them."""
    return INKS[slot % len(INKS)]
