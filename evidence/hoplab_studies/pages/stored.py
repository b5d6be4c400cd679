"""What the repository keeps of a finished study: `docs/judge/studies/verdicts/PAPER.json`."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab.base.errors import InputError
from hoplab.report.claim_chart import Band
from hoplab.report.record import read_record
from hoplab_studies.shared.outcome import CHARTED
from hoplab_studies.shared.verdict import FORMER_WORDS, UNEXPLAINED, WORDS, number
from hoplab_studies.stored import reopened

KEPT = ("id", "outcome", "kind", "conclusive", "n", "tolerance")
"""What is kept of each claim, besides the assumptions under which it holds and its decisive conditions."""

KEPT_OF_CONDITION = ("what", "value", "low", "high", "limit", "band", "or_band", "level")

LEVELS = ("differs", "trend", "open", "holds")
"""Levels of conditions, the decisive ones first."""

FORMER = {former: word for word, former in FORMER_WORDS.items() if former not in WORDS}
"""Verdict words of files of format 1."""

Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredCondition:
    """A condition of a claim; `value` is None where the reference is zero."""

    what: str
    value: float | None
    low: float | None
    high: float | None
    limit: str
    bands: tuple[Band, ...]
    level: str

    @property
    def said(self) -> str:
        """The value with its interval."""
        if self.value is None:
            return "unbounded"
        ends = "" if self.low is None or self.high is None else f" ({number(self.low)} to {number(self.high)})"
        return f"{number(self.value)}{ends}"

    @property
    def text(self) -> str:
        """Quantity, value with its interval, and limit."""
        return f"{self.what}: {self.said}, limit {self.limit}"


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """The verdict on one claim; its conditions, the decisive one first."""

    id: str
    outcome: str
    kind: str
    conclusive: bool | None
    n: int
    tolerance: str
    holds_with: tuple[str, ...]
    conditions: tuple[StoredCondition, ...]

    @property
    def decisive(self) -> str:
        """The condition that decides, as text; empty if no run tests the claim."""
        return self.conditions[0].text if self.conditions else ""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the report, as text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str


@dataclass(frozen=True, slots=True)
class StoredStudy:
    """A finished study."""

    paper: str
    seeds: int
    runs: int
    engine: str
    command: str
    not_run: tuple[str, ...]
    claims: tuple[StoredClaim, ...]
    tables: tuple[StoredTable, ...]
    notes: tuple[str, ...]

    def table(self, title: str) -> StoredTable:
        """A table by its title.

        Raises
        ------
        InputError
            If it is not stored.
        """
        for table in self.tables:
            if table.title == title:
                return table
        hint = "store the study again, from a directory that has its runs"
        raise InputError(f"{self.paper}: no table {title!r} is stored, which a card draws", hint=hint)


def load(place: Path) -> StoredStudy:
    """Read a stored study."""
    content = json.loads(place.read_text(encoding="utf-8"))
    return StoredStudy(
        paper=content["paper"],
        seeds=content["seeds"],
        runs=content["runs"],
        engine=content["engine"],
        command=content["command"],
        not_run=tuple(content["not_run"]),
        claims=tuple(map(_claim, content["verdicts"])),
        tables=tuple(
            StoredTable(one["title"], tuple(one["header"]), tuple(map(tuple, one["rows"])), one["note"])
            for one in content.get("tables", ())
        ),
        notes=tuple(content.get("notes", ())),
    )


def _claim(row: Content) -> StoredClaim:
    kept = {key: row[key] for key in KEPT}
    return StoredClaim(
        **kept, holds_with=tuple(row["holds_with"]), conditions=tuple(map(_condition, row["conditions"]))
    )


def _condition(one: Content) -> StoredCondition:
    bands = tuple(
        (_end(band[0], -math.inf), _end(band[1], math.inf)) for key in ("band", "or_band") if (band := one[key])
    )
    return StoredCondition(one["what"], one["value"], one["low"], one["high"], one["limit"], bands, one["level"])


def _end(value: float | None, infinite: float) -> float:
    return infinite if value is None else float(value)


def stored_form(content: Content, command: str) -> Content:
    """What is kept of a `verdicts.json`.

    Raises
    ------
    InputError
        If it is of a figure alone, or of a quick study.
    """
    if content.get("figure") is not None or content.get("mode") != "full":
        message = f"{content.get('paper')}: not a full study of the whole paper"
        raise InputError(message, hint="run hoplab reproduce with --full and without a figure")
    rows = [
        {key: row[key] for key in KEPT}
        | {"holds_with": [one["assumption"] for one in row["others"] if one["level"] == "holds"]}
        | {"conditions": decisive(row["conditions"])}
        for row in content["verdicts"]
    ]
    kept = {key: content[key] for key in ("paper", "seeds", "runs", "engine")}
    return {**kept, "command": command, "not_run": content["not_run"], "verdicts": rows}


def decisive(conditions: list[Content]) -> list[Content]:
    """The conditions that decide: of the least level those with the smallest margin first."""
    found = sorted(conditions, key=lambda one: (LEVELS.index(one["level"]), room(one)))[:CHARTED]
    return [{key: one.get(key) for key in KEPT_OF_CONDITION} for one in found]


def room(condition: Content) -> float:
    """The margin of a condition, in half-widths; what is not stored has no bound."""
    stored = condition.get("room")
    if stored is not None:
        return float(stored)
    return math.inf if condition["level"] in {"holds", "open"} else -math.inf


def command_of(folder: Path, paper: str) -> str:
    """The command of a study, without its output directory."""
    place = folder / "provenance.json"
    found = json.loads(place.read_text(encoding="utf-8")).get("command") if place.is_file() else None
    return re.sub(r" --out \S+", "", str(found)) if found else f"hoplab reproduce {paper} --full"


def report_of(folder: Path, beginnings: tuple[str, ...]) -> Content:
    """The study's own tables whose title begins so, and its notes, from its stored runs."""
    record = read_record(folder)
    if record is None:
        return {}
    done = reopened(folder, record)
    tables = [
        {"title": one.title, "header": one.header, "rows": one.rows, "note": one.note}
        for one in done.study.tables(done.grids)
        if one.title.startswith(beginnings)
    ]
    notes = [] if done.study.notes is None else list(done.study.notes(done.grids))
    return {"tables": tables, "notes": notes}


def moved(found: Content, before: Content) -> list[str]:
    """Lines for the changelog: counts of earlier verdicts on a paper, and each claim whose verdict is another."""
    earlier = {row["id"]: row for row in before["verdicts"]}
    words = {key: FORMER.get(word := row.get("outcome", row.get("verdict")), word) for key, row in earlier.items()}
    now = Counter(row["outcome"] for row in found["verdicts"])
    since = f"of {len(words)} claims {_listed(Counter(words.values()))}; now, of {now.total()}, {_listed(now)}"
    lines = [f"- {found['paper']}: {since}."]
    for row in found["verdicts"]:
        word = words.get(row["id"])
        if word == row["outcome"]:
            continue
        changed = word is not None and earlier[row["id"]]["tolerance"] != row["tolerance"]
        has_lost = word is not None and word.startswith("not reproduced (explained") and row["outcome"] == UNEXPLAINED
        reason = [
            *(["a new claim"] if word is None else []),
            *([f"the criterion is now: {row['tolerance']}"] if changed else []),
            *(["no series was run that could explain it"] if has_lost and found["not_run"] else []),
            *[_condition(one).text for one in row["conditions"][:1]],
        ]
        lines.append(f"  - {row['id']}: {word or 'none'}, now {row['outcome']}. {'. '.join(reason)}.")
    return lines


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word])
