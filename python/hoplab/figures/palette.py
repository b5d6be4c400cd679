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


BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#000000",
)
_FIRST: tuple[Ink, ...] = (
    Ink(BLUE, "o", ()),
    Ink(VERMILION, "s", (6, 2)),
    Ink(GREEN, "^", (2, 2)),
    Ink(PURPLE, "D", (6, 2, 1, 2)),
    Ink(ORANGE, "v", (4, 1, 1, 1, 1, 1)),
    Ink(SKY, "P", (8, 3)),
    Ink(BLACK, "X", (1, 1)),
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
