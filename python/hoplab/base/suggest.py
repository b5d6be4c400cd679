"""What a mistyped name may have been."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

LISTED = 12
"""Names that a message lists; the rest is counted."""


def by_likeness(word: str, known: Sequence[str]) -> list[str]:
    """Known names, those most like a word first; many are cut, with the number of the others at the end."""
    ranked = sorted(known, key=lambda name: -SequenceMatcher(None, word.lower(), name.lower()).ratio())
    more = len(ranked) - LISTED
    return ranked if more <= 0 else [*ranked[:LISTED], f"and {more} more"]
