"""Tables as LaTeX: rules of booktabs, numbers that siunitx aligns, means with their intervals.

A table needs the packages booktabs and siunitx (version 2 or 3). Intervals are written
``294.2 +- 3.1``, as siunitx reads them in its columns S.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | bool | int | float | tuple[float, float | None] | None
"""Text, a number, or a mean with the half-width of its interval; None and NaN are missing."""

MISSING = "{--}"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\N{PLUS-MINUS SIGN}": r"\ensuremath{\pm}",
    "\N{MICRO SIGN}": r"\ensuremath{\mu}",
    "\N{EN DASH}": "--",
}
"""Characters that LaTeX reads as something else, or that its first fonts lack."""
MOST_DECIMALS = 6
_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:e(-?)\+?0*(\d+))?")


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    digits : int, optional
        Decimals of its numbers. By default two digits of the median half-width, or four significant digits.
    """

    heading: str
    cells: Sequence[Cell]
    digits: int | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether siunitx aligns it: some cell is a number, and none is text."""
        kept = [cell for cell in self.cells if not _is_missing(cell)]
        return bool(kept) and not any(isinstance(cell, str | bool) for cell in kept)


def escaped(text: str) -> str:
    """Text as LaTeX prints it, on one line."""
    return "".join(SPECIAL.get(character, character) for character in " ".join(text.split()) if character.isprintable())


def latex_table(columns: Sequence[Column], *, caption: str = "", label: str = "", grouped: bool = False) -> str:
    """A table with these columns.

    Parameters
    ----------
    columns : sequence of Column
        At least one; all of equal length.
    caption : str
        With a caption the table floats.
    label : str
        Its name for references; only with a caption.
    grouped : bool
        Whether rows with the same first cell are set apart from the others.
    """
    written = [_written(column) for column in columns]
    heads = [f"{{{escaped(column.heading)}}}" for column in columns]
    specs = [spec for spec, _ in written]
    lines = [
        f"\\begin{{tabular}}{{{' '.join(specs)}}}",
        r"  \toprule",
        f"  {' & '.join(heads)} \\\\",
        r"  \midrule",
    ]
    before: str | None = None
    for row in zip(*(cells for _, cells in written), strict=True):
        if grouped and before is not None and row[0] != before:
            lines.append(r"  \addlinespace")
        before = row[0]
        # A row that begins with [ or * would be an argument of the line break before it.
        first = f"{{{row[0]}}}" if row[0][:1] in {"[", "*"} else row[0]
        lines.append(f"  {' & '.join([first, *row[1:]])} \\\\")
    lines += [r"  \bottomrule", r"\end{tabular}"]
    if not caption:
        return "\n".join(lines) + "\n"
    named = [f"  \\label{{{label}}}"] if label else []
    body = [f"  {line}" for line in lines]
    floating = [
        r"\begin{table}",
        r"  \centering\small",
        f"  \\caption{{{escaped(caption)}}}",
        *named,
        *body,
        r"\end{table}",
    ]
    return "\n".join(floating) + "\n"


def _written(column: Column) -> tuple[str, list[str]]:
    """The letter of a column with its options, and its cells."""
    if not column.is_numeric:
        return "l", [MISSING if _is_missing(cell) else escaped(str(cell)) for cell in column.cells]
    digits = column.digits if column.digits is not None else _digits(column.cells)
    cells = [_number(cell, digits) for cell in column.cells]
    return f"S[{_format(cells)}]", cells


def _is_missing(cell: Cell) -> bool:
    value = cell[0] if isinstance(cell, tuple) else cell
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _digits(cells: Sequence[Cell]) -> int | None:
    """Decimals that show two digits of the median half-width; None without half-widths."""
    pairs = (cell[1] for cell in cells if isinstance(cell, tuple))
    widths = sorted(half for half in pairs if half is not None and math.isfinite(half) and half > 0.0)
    if not widths:
        return None
    return min(max(1 - math.floor(math.log10(widths[len(widths) // 2])), 0), MOST_DECIMALS)


def _number(cell: Cell, digits: int | None) -> str:
    if _is_missing(cell):
        return MISSING
    mean, half = cell if isinstance(cell, tuple) else (cell, None)
    text = _plain(mean, digits)
    return text if half is None or not math.isfinite(half) else f"{text} +- {_plain(half, digits)}"


def _plain(value: object, digits: int | None) -> str:
    if isinstance(value, int):
        return str(value)
    text = f"{value:.4g}" if digits is None else f"{value:.{digits}f}"
    return re.sub(r"e([-+]?)0*(\d+)", lambda found: f"e{found[1].replace('+', '')}{found[2]}", text)


def _format(cells: Sequence[str]) -> str:
    """Room of the column: sign, digits before and behind the point, of the half-width, and of an exponent."""
    sign, whole, decimals, uncertain, exponent = "", 1, 0, 0, ""
    for cell in cells:
        mean, _, half = cell.partition(" +- ")
        found = _NUMBER.fullmatch(mean)
        if found is None:
            continue
        sign = sign or found[1]
        whole, decimals = max(whole, len(found[2])), max(decimals, len(found[3] or ""))
        if found[5] and len(found[5]) >= len(exponent.lstrip("e-")):
            exponent = f"e{found[4] or ''}{'1' * len(found[5])}"
        uncertain = max(uncertain, len(half.replace(".", "").lstrip("0")) if half else 0)
    room = f"table-format={sign}{whole}.{decimals}{f'({uncertain})' if uncertain else ''}{exponent}"
    return f"{room}, separate-uncertainty" if uncertain else room
