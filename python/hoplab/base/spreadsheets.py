"""Cells of CSV files that people open in spreadsheets: a text is never taken for a formula.

Names come from files of others. A spreadsheet evaluates a cell that begins with an equals sign, and may start programs
(OWASP, "CSV Injection"). An apostrophe in front makes it text.
"""

from __future__ import annotations

import re

FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""Letters at which a formula begins, wide ones included."""

_QUANTITY = re.compile(r"[+-]?(\d[\d_.]*|\.\d+)([eE][+-]?\d+)?( ?[A-Za-z%][A-Za-z0-9%/]*)?|[+-]+")
"""A number, with a unit or not, and dashes for what is missing: no formula begins so and ends there."""


def inert(text: str) -> str:
    """A text with an apostrophe in front if a spreadsheet would evaluate it."""
    is_formula = text.startswith(FORMULA) and not _QUANTITY.fullmatch(text)
    return f"'{text}" if is_formula else text
