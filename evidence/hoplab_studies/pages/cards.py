"""Cards: for each figure of a paper what it shows, what was found, the verdict, and why.

A study's `cards.toml` has the words and names the claims and tables; numbers come from the stored study alone. Codes of
claims stand in the folded part of a card only.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from hoplab_studies.catalog import study_of
from hoplab_studies.pages.curves import Curves, Point, Series
from hoplab_studies.pages.rows import rows_svg
from hoplab_studies.pages.standing import counted, pending_of, standing_of
from hoplab_studies.pages.stored import StoredClaim, StoredStudy, StoredTable
from hoplab_studies.semi_tcp.published import numbers as printed_numbers
from hoplab_studies.shared.claims import KINDS, Claim, Paper
from hoplab_studies.shared.verdict import NOT_TESTABLE

_NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"
CELL = re.compile(rf"^{_NUMBER}(?: \({_NUMBER} to {_NUMBER}\))?$")
"""A mean, and its interval if it has one."""


@dataclass(frozen=True, slots=True)
class ChartOf:
    """What a chart takes from a stored table.

    Attributes
    ----------
    table : str
        Its title.
    title, x : str
        Title of the chart, and label of its horizontal axis.
    y : str
        Column of values; empty if each curve is a column or a row of its own.
    by : str
        Column that names the curves.
    names : tuple of str
        Curves to draw, in this order; all if empty.
    across : bool
        Whether each row is a curve and columns are places.
    unit : str
        End of columns' titles that names of curves leave out.
    printed : str
        Rows of the paper's Table 1 to draw beside: their topology.
    """

    table: str
    title: str
    x: str
    y: str = ""
    by: str = ""
    names: tuple[str, ...] = ()
    across: bool = False
    logarithmic: bool = False
    unit: str = ""
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One figure, or statements of the text that belong together.

    Attributes
    ----------
    figures : tuple of str
        Names on the command line.
    claims : tuple of str
        Ids; of a claim per pair of transports, the part before the colon.
    shows, why : str
        What the paper shows, or our own study expects, and why the verdict is what it is: a sentence or two each.
    found : str
        What the chart shows, if it needs words.
    decides : tuple of str
        Claims whose decisive conditions are drawn; all that runs decide, if there is no chart of a table.
    """

    name: str
    title: str
    claims: tuple[str, ...]
    shows: str
    why: str
    figures: tuple[str, ...] = ()
    found: str = ""
    decides: tuple[str, ...] = ()
    charts: tuple[ChartOf, ...] = ()

    def has(self, claim: Claim) -> bool:
        """Whether a claim is of this card."""
        return claim.id in self.claims or claim.id.split(":")[0] in self.claims


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards of a study; `title` is its name on pages."""

    title: str
    cards: tuple[Card, ...]


def deck_of(paper: str) -> Deck:
    """The cards of a study."""
    place = resources.files("hoplab_studies").joinpath(paper.replace("-", "_"), "cards.toml")
    data = tomllib.loads(place.read_text(encoding="utf-8"))
    return Deck(data["title"], tuple(map(_card, data["card"])))


def _card(row: dict[str, Any]) -> Card:
    charts = tuple(ChartOf(**_tuples(one)) for one in row.pop("chart", []))
    return Card(**_tuples(row), charts=charts)


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    """Lists of TOML as tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


@dataclass(frozen=True)
class Judged:
    """A stored study with its paper and its cards."""

    paper: Paper
    deck: Deck
    stored: StoredStudy

    @cached_property
    def standings(self) -> dict[str, str]:
        """Where each claim stands, by its id."""
        pending = pending_of(study_of(self.paper.name, quick=False), self.stored)
        return {
            row.id: standing_of(row, self.paper.claim(row.id), pending.get(row.id, ())) for row in self.stored.claims
        }

    @cached_property
    def found(self) -> Counter[str]:
        """How many claims of the paper stand where, those alone that runs are to decide."""
        return Counter(self.standings[row.id] for row in self.stored.claims if row.kind == "run")

    @property
    def decided(self) -> int:
        """Number of claims that runs decide."""
        return self.found.total() - self.found[NOT_TESTABLE]

    def of(self, card: Card) -> list[tuple[Claim, StoredClaim]]:
        """The claims of a card with their verdicts."""
        both = ((self.paper.claim(row.id), row) for row in self.stored.claims)
        return [(claim, row) for claim, row in both if card.has(claim)]

    def apart(self) -> list[tuple[Claim, StoredClaim]]:
        """Claims of no card: what is tallied apart."""
        both = ((self.paper.claim(row.id), row) for row in self.stored.claims)
        return [(claim, row) for claim, row in both if not any(card.has(claim) for card in self.deck.cards)]

    def pictures(self, card: Card) -> dict[str, str]:
        """The charts of a card: file names and contents."""
        drawn = [curves_of(one, self.stored.table(one.table)).svg() for one in card.charts]
        chosen = [(claim, row) for claim, row in self.of(card) if self._is_drawn(card, claim, row)]
        drawn += [rows_svg(chosen)] if chosen else []
        start = f"{self.paper.name}-{card.name}"
        return {f"{start}-{k}.svg" if len(drawn) > 1 else f"{start}.svg": text for k, text in enumerate(drawn, 1)}

    def _is_drawn(self, card: Card, claim: Claim, row: StoredClaim) -> bool:
        if card.decides:
            return claim.id in card.decides
        return not card.charts and bool(row.conditions)

    def verdict(self, card: Card) -> str:
        """The verdict of a card, in one sentence."""
        rows = [row for _, row in self.of(card)]
        runs = [self.standings[row.id] for row in rows if row.kind == "run"]
        others = [
            f"{one} ({KINDS[kind]})"
            for kind in KINDS
            if kind != "run" and (one := counted(self.standings[row.id] for row in rows if row.kind == kind))
        ]
        said = []
        if len(runs) == 1:
            said.append(f"**{runs[0]}**")
        elif len(set(runs)) == 1:
            said.append(f"**{runs[0]}**, all {len(runs)} claims")
        elif runs:
            said.append(f"of {len(runs)} claims: **{counted(runs)}**")
        said += [f"tallied apart: {', '.join(others)}"] if others else []
        return f"{'; '.join(said)}."


def curves_of(chart: ChartOf, table: StoredTable) -> Curves:
    """The curves that a chart takes from a table; a cell without a number is a gap."""
    cells: dict[str, list[tuple[float, str]]] = {}
    if chart.across:
        for name, *values in table.rows:
            cells[name] = list(zip(map(_place, table.header[1:]), values, strict=True))
    elif chart.by:
        by, y = table.header.index(chart.by), table.header.index(chart.y)
        for row in table.rows:
            cells.setdefault(row[by], []).append((float(row[0]), row[y]))
    else:
        for k, name in enumerate(table.header[1:], 1):
            cells[name] = [(float(row[0]), row[k]) for row in table.rows]
    series = []
    for name in chart.names or cells:
        points = (_point(x, cell) for x, cell in cells[name])
        series.append(Series(name.removesuffix(chart.unit), tuple(filter(None, points))))
    return Curves(chart.title, chart.x, (*series, *_printed(chart)), chart.logarithmic)


def _printed(chart: ChartOf) -> Iterator[Series]:
    """The paper's own values of Table 1, as printed."""
    rows = [row for row in printed_numbers("semi_tcp_table1") if row["topology"] == chart.printed]
    for k in dict.fromkeys(row["k"] for row in rows):
        points = tuple(Point(float(row["t_c"]), float(row["throughput"]), None, None) for row in rows if row["k"] == k)
        yield Series(f"k = {k}, printed", points, hollow=True)


def _place(head: str) -> float:
    """The number in a column's title: ``8 hops``, ``T_c = 2``."""
    found = re.search(r"\d+", head)
    assert found is not None, head
    return float(found[0])


def _point(x: float, cell: str) -> Point | None:
    found = CELL.match(cell)
    if found is None:
        return None
    low, high = (None if end is None else float(end) for end in found.groups()[1:])
    return Point(x, float(found[1]), low, high)
