"""The chart of conditions that decide, a row each, as an SVG file."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from hoplab.report.claim_chart import Chart, ChartRow, Shape
from hoplab_studies.pages.curves import FONT, WIDTH
from hoplab_studies.pages.stored import StoredClaim, StoredCondition
from hoplab_studies.shared.claims import Claim

SHAPE = Shape(WIDTH, 0, 58, 52, 2)

STYLE = (
    ".room{fill:none;stroke:#ccc}.band{fill:#009e73;fill-opacity:.2}line.tick{stroke:#ddd}"
    ".paper{fill:#fff;stroke:#000;stroke-width:1.6}.hollow{fill:#fff}"
)


def rows_svg(judged: Sequence[tuple[Claim, StoredClaim]]) -> str:
    """The decisive condition of each claim, with its interval, its tolerance and the paper's value."""
    rows = tuple(_row(claim, row, row.conditions[0]) for claim, row in judged if row.conditions)
    drawn = str(Chart(rows).svg(SHAPE))
    opening = re.match(r'<svg class="[^"]*" viewBox="0 0 (\S+) (\S+)"', drawn)
    assert opening is not None
    width, height = opening.groups()
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    ground = f'<style>{STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>'
    body = drawn[opening.end() :].replace(">", f" {FONT}>{ground}", 1)
    return head + re.sub(r"(</text>|</g>|/>)(?=<(?!/))", r"\1\n", body) + "\n"


def _row(claim: Claim, row: StoredClaim, one: StoredCondition) -> ChartRow:
    paper = next((tuple(values) for what, values in claim.paper.items() if one.what.startswith(what)), ())
    value = math.inf if one.value is None else one.value
    return ChartRow(f"{one.said}: {one.what}", value, one.low, one.high, one.bands, paper, _state(row, one))


def _state(row: StoredClaim, one: StoredCondition) -> str:
    """Whether the condition holds, is open, or is denied; an inconclusive denial whose interval reaches in is open."""
    if one.level in {"holds", "open"}:
        return one.level
    reaches = one.low is not None and one.high is not None and any(
        one.low <= high and one.high >= low for low, high in one.bands
    )  # fmt: skip
    return "open" if reaches and not row.conclusive else "differs"
