"""One line of a comparison: a reference, our value, how far apart they may be, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.stats import Interval
from hoplab_validation.peers.stats import text

COLORS = {"agrees": "green", "differs (noted)": "yellow", "differs": "red"}
"""Colors of verdicts on a terminal."""


@dataclass(frozen=True)
class Row:
    """A reference value and ours.

    Attributes
    ----------
    part : str
        Group the row belongs to, e.g. ``bianchi``.
    name : str
        The compared quantity, with its parameters.
    unit : str
        Unit of both values and of the tolerance.
    source : str
        The reference: a model, a stored table, a live run.
    reference, ours : Interval
        In `unit`.
    tolerance : float
        Largest difference that agrees, in `unit`.
    decisive : bool
        Whether the row counts for the overall verdict.
    note : str
        A remark on the row, if any.
    """

    part: str
    name: str
    unit: str
    source: str
    reference: Interval
    ours: Interval
    tolerance: float
    decisive: bool = True
    note: str = ""

    @property
    def difference(self) -> float:
        """Ours minus the reference, in `unit`."""
        return self.ours.mean - self.reference.mean

    @property
    def agrees(self) -> bool:
        """Whether the difference is within the tolerance."""
        return abs(self.difference) <= self.tolerance

    @property
    def verdict(self) -> str:
        """`agrees`, `differs`, or `differs (noted)` for a row that is not decisive."""
        if self.agrees:
            return "agrees"
        return "differs" if self.decisive else "differs (noted)"

    def cells(self) -> list[str]:
        """The row as words: name, source, reference, ours, difference, tolerance, verdict."""
        digits = self.digits()
        return [
            f"{self.name} ({self.unit})" if self.unit else self.name,
            self.source,
            text(self.reference, digits),
            text(self.ours, digits),
            f"{self.difference:+.{digits}f}{self._relative()}",
            f"{self.tolerance:.{digits}f}",
            self.verdict,
        ]

    def digits(self) -> int:
        """Decimals that show a tenth of the tolerance and a thousandth of the reference, from 1 to 6."""
        size = abs(self.reference.mean) / 1000.0
        steps = [step for step in (size, self.tolerance / 10.0) if step > 0.0]
        digits = 1
        while steps and digits < 6 and 10.0**-digits > min(steps):
            digits += 1
        return digits

    def _relative(self) -> str:
        if self.reference.mean == 0.0 or abs(self.difference) < 1e-12:
            return ""
        return f" ({100.0 * self.difference / abs(self.reference.mean):+.2f} %)"

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return {
            "part": self.part,
            "name": self.name,
            "unit": self.unit,
            "source": self.source,
            "reference": self.reference.to_dict(),
            "ours": self.ours.to_dict(),
            "difference": self.difference,
            "tolerance": self.tolerance,
            "verdict": self.verdict,
            "decisive": self.decisive,
            "note": self.note,
        }


HEADINGS = ("what", "reference", "theirs", "ours", "difference", "tolerance", "verdict")
"""Column titles of `Row.cells`."""


def failures(rows: Sequence[Row]) -> list[Row]:
    """Decisive rows that differ."""
    return [row for row in rows if row.decisive and not row.agrees]


def plain_table(rows: Sequence[Row]) -> str:
    """Rows as aligned text, for a terminal or a log."""
    cells = [list(HEADINGS), *(row.cells() for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def markdown_table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row.cells()) + " |" for row in rows]
    return "\n".join(lines)
