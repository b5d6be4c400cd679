"""The generated text of the pages of studies, their index and the sentence of the README."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from hoplab_studies.pages.cards import Card, Judged
from hoplab_studies.pages.standing import CONTRARY, NOT_LOOKED, STANDINGS, UNDECIDED, counted
from hoplab_studies.pages.stored import StoredClaim
from hoplab_studies.shared.claims import KINDS, Claim
from hoplab_studies.shared.verdict import MEANINGS, NOT_CONTRADICTED, NOT_TESTABLE, REPRODUCED, TREND_ONLY

NO_CURVE = "No curve is stored; the chart has the comparison that decides each claim."
NO_CHART = "No run tests this, so that there is no chart."

FIGURES = PurePosixPath("figures")
"""Folder of the charts, beside the pages."""


def block(*lines: str) -> str:
    """Lines between two markers of a page."""
    return "\n".join(["", "", *lines, "", ""])


def summary(judged: Judged) -> str:
    """What the verdicts rest on, and their counts."""
    stored = judged.stored
    rested = f"`{stored.command}`: {stored.seeds} seeds, {stored.runs:,} runs, engine {stored.engine}."
    return block(rested, "", f"{tally(judged)} ([the words](index.md#words))")


def tally(judged: Judged) -> str:
    """Counts of a study, in a sentence or two."""
    words = counted(one for one in judged.found.elements() if one != NOT_TESTABLE)
    said = f"Of {judged.decided} claims decided by runs: {words}."
    untested = judged.found[NOT_TESTABLE]
    return f"{said} {untested} cannot be tested." if untested else said


def cards(judged: Judged) -> str:
    """A card per figure, and what is tallied apart."""
    lines = [line for card in judged.deck.cards for line in _card(judged, card)]
    rest = judged.apart()
    if rest:
        kinds = Counter(row.kind for _, row in rest)
        said = ", ".join(f"{kinds[kind]} {KINDS[kind]}" for kind in KINDS if kinds[kind])
        lines += folded(f"Tallied apart, of no figure: {said}", claims_table(rest))
    if judged.stored.not_run:
        names = ", ".join(f"`{name}`" for name in judged.stored.not_run)
        lines += folded(
            f"Series not run with {judged.stored.seeds} seeds", [f"They cannot explain a difference here: {names}."]
        )
    return block(*lines).rstrip("\n") + "\n\n"


def _card(judged: Judged, card: Card) -> list[str]:
    chosen = judged.of(card)
    names = judged.pictures(card)
    said = _alternatives(card, chosen)
    images = " ".join(f"![{text}]({FIGURES / name})" for name, text in zip(names, said, strict=False))
    found = " ".join(filter(None, [card.found, "" if card.charts else NO_CURVE if names else NO_CHART]))
    command = [f"`hoplab reproduce {judged.paper.name} {name}`" for name in card.figures]
    return [
        f"### {card.title}",
        "",
        f"**{'Expected' if judged.paper.own else 'The paper'}:** {card.shows}",
        "",
        f"**Found:** {found}",
        "",
        *([images, ""] if images else []),
        f"**Verdict:** {judged.verdict(card)}",
        "",
        f"**Why:** {card.why}",
        "",
        *folded(
            "Claims, criteria, numbers",
            [*claims_table(chosen), *(["", f"Runs of this figure: {', '.join(command)}."] if command else [])],
        ),
    ]


def _alternatives(card: Card, judged: Sequence[tuple[Claim, StoredClaim]]) -> Iterator[str]:
    """Text in place of each picture: titles of curves, then what decides, in numbers."""
    yield from (f"{chart.title} over {chart.x}" for chart in card.charts)
    yield "; ".join(row.decisive for _, row in judged if row.decisive).replace("[", "(").replace("]", ")")


def numbers(judged: Judged) -> str:
    """The study's tables, each folded."""
    lines: list[str] = []
    for table in judged.stored.tables:
        rows = [in_row(*table.header), "| --- |" + " --- |" * (len(table.header) - 1)]
        lines += folded(table.title, [*rows, *(in_row(*row) for row in table.rows), "", table.note])
    return block(*lines).rstrip("\n") + "\n\n"


def notes(judged: Judged) -> str:
    """The notes of the report."""
    return "\n".join(["", *(f"- {note}" for note in judged.stored.notes), ""])


def counts(studies: Mapping[str, Judged]) -> str:
    """The tables of the index: papers with their sum, then our own study."""
    theirs = [one for one in studies.values() if not one.paper.own]
    ours = [one for one in studies.values() if one.paper.own]
    lines = [*_counts_table("paper", theirs, is_summed=True), "", "Our own study, whose claims no paper makes:", ""]
    lines += [*_counts_table("study", ours, is_summed=False)]
    return block(*lines)


def _counts_table(first: str, studies: Sequence[Judged], *, is_summed: bool) -> list[str]:
    header = (first, "decided by runs", *STANDINGS, NOT_TESTABLE)
    lines = [in_row(*header), "| --- |" + " ---: |" * (len(header) - 1)]
    total: Counter[str] = Counter()
    for one in studies:
        total += one.found
        lines.append(_counts_row(f"[{one.deck.title}]({one.paper.name}.md)", one.found))
    return [*lines, _counts_row("**all papers**", total)] if is_summed else lines


def _counts_row(name: str, found: Counter[str]) -> str:
    cells = [found.total() - found[NOT_TESTABLE], *(found[word] for word in (*STANDINGS, NOT_TESTABLE))]
    return in_row(name, *map(str, cells))


def words() -> str:
    """The words of the index and what they mean."""
    return block(*(f"- *{word}*: {meaning}." for word, meaning in STANDINGS.items()))


def meanings() -> str:
    """The table of verdicts of reproduce.md."""
    rows = [in_row(word, meaning) for word, meaning in MEANINGS.items()]
    return block(in_row("verdict", "meaning"), "| --- | --- |", *rows)


def readme(studies: Mapping[str, Judged]) -> str:
    """The sentence of the README, on papers alone."""
    theirs = [one for one in studies.values() if not one.paper.own]
    found = sum((one.found for one in theirs), Counter())
    decided, contrary = sum(one.decided for one in theirs), found[CONTRARY] + found[NOT_LOOKED]
    return (
        f"[{len(theirs)} papers](docs/judge/studies/index.md): {found[REPRODUCED]} of {decided} claims "
        f"reproduced, {found[TREND_ONLY]} trend, {found[UNDECIDED]} undecided, {contrary} contrary."
    )


def in_row(*cells: str) -> str:
    """A row of a table."""
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def folded(title: str, lines: Sequence[str]) -> list[str]:
    """Lines that a reader opens."""
    return ["<details markdown>", f"<summary>{title}</summary>", "", *lines, "", "</details>", ""]


def claims_table(judged: Sequence[tuple[Claim, StoredClaim]]) -> list[str]:
    """Claims with their codes, criteria and what decides."""
    lines = [in_row("code", "claim", "criterion", "what decides", "verdict"), "| --- | --- | --- | --- | --- |"]
    for claim, row in judged:
        marks = [", inconclusive"] if row.conclusive is False and row.outcome != NOT_CONTRADICTED else []
        if row.outcome.startswith("not reproduced") and row.holds_with:
            marks.append(f"; holds with {'; '.join(row.holds_with)}")
        verdict = "".join([row.outcome, *marks])
        lines.append(in_row(claim.id, claim.statement, row.tolerance, row.decisive or claim.proof or "-", verdict))
    return lines
