"""Verdicts of a study: one row per claim, for report, terminal and `verdicts.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.report.claim_chart import Chart, ChartRow
from hoplab_studies.shared.claims import KINDS, Claim, Paper
from hoplab_studies.shared.study import DEFAULT, Check, Grid, Grids, Part, Study
from hoplab_studies.shared.verdict import (
    EXPLAINED,
    LEVEL_WORDS,
    MIN_SEEDS,
    NOT_CONTRADICTED,
    NOT_SUPPORTED,
    NOT_TESTABLE,
    REPRODUCED,
    UNEXPLAINED,
    WORDS,
    Condition,
    Finding,
    Level,
    explaining,
    judge,
)

FORMAT = 2
"""Of `verdicts.json`. Format 1 had former names beside the present ones: verdict, settled, hangs_on."""

CHARTED = 8
"""Most conditions in the chart of a claim."""


@dataclass(frozen=True)
class Row:
    """Verdict on one claim.

    Attributes
    ----------
    found : Finding or None
        Under the study's assumptions; None if no run tests the claim.
    others : tuple of Finding
        With one assumption changed.
    """

    claim: Claim
    word: str
    found: Finding | None = None
    others: tuple[Finding, ...] = ()
    sensitivity: str = ""

    @property
    def conclusive(self) -> bool:
        """Whether the intervals permit no better verdict, from `MIN_SEEDS` seeds on."""
        return self.found is None or (self.found.conclusive and self.found.n >= MIN_SEEDS)

    @property
    def open_because(self) -> str:
        """Reason why the verdict is not conclusive; empty if it is."""
        if self.found is None or self.conclusive:
            return ""
        if self.word == NOT_CONTRADICTED:
            return f"the 95 % CIs (n = {self.found.n}) include the limit"
        if not self.found.conclusive:
            return f"the 95 % CIs (n = {self.found.n}) permit another verdict"
        return f"n = {self.found.n}, a conclusive verdict needs {MIN_SEEDS}"

    @property
    def shown(self) -> str:
        """The verdict, marked if inconclusive or preliminary."""
        if self.found is None or self.conclusive:
            return self.word
        if self.word == NOT_CONTRADICTED:  # says so itself
            return self.word
        mark = f"preliminary (n = {self.found.n})" if self.found.conclusive else "inconclusive"
        return f"{self.word}, {mark}"

    def numbers(self) -> str:
        """Evidence of the verdict, in sentences."""
        if self.found is None:
            return f"Not supported: {self.claim.later}." if self.word == NOT_SUPPORTED else self.claim.proof
        parts = [self.found.text()]
        if self.word in {EXPLAINED, UNEXPLAINED}:
            parts += [f"With {other.assumption}: {other.text(1)}" for other in self._relevant()]
            parts += [f"Cause: {self.claim.cause}."] if self.claim.cause else []
        if self.open_because and self.found.conclusive:
            parts.append(f"Preliminary: {self.open_because}.")
        elif self.open_because:
            parts.append(f"Inconclusive: {self.open_because}.")
        return " ".join(parts)

    def in_short(self) -> str:
        """The decisive condition, and the sensitivity."""
        if self.found is None:
            return self.numbers()
        return f"{self.found.text(1)} {self.depends_on()}"

    @property
    def sentence(self) -> str:
        """The verdict, in one sentence."""
        return f"{self.shown[0].upper()}{self.shown[1:]}: {self.claim.statement}."

    @property
    def reason(self) -> str:
        """The reason of the verdict, in one sentence."""
        if self.found is None:
            return self.numbers()
        held = sum(one.level() == Level.HOLDS for one in self.found.conditions)
        (one,) = self.found.decisive(1)
        return f"{held} of {len(self.found.conditions)} conditions hold; the decisive one is {one.text()}."

    def chart(self) -> Chart | None:
        """Its decisive conditions, those with one tolerance together."""
        if self.found is None:
            return None
        chosen = self.found.decisive(CHARTED)
        bands = list(dict.fromkeys(one.band for one in chosen))
        chosen.sort(key=lambda one: bands.index(one.band))
        return Chart(tuple(map(self._row, chosen)), len(self.found.conditions) - len(chosen))

    def _row(self, one: Condition) -> ChartRow:
        named = (values for what, values in self.claim.paper.items() if one.what.startswith(what))
        bands = tuple(band for band in (one.band, one.or_band) if band is not None)
        states = {Level.HOLDS: "holds", Level.OPEN: "open"}
        ends = (None, None) if one.value.n == 1 else (one.value.low, one.value.high)
        return ChartRow(
            one.what, one.value.mean, *ends, bands, tuple(next(named, ())), states.get(one.level(), "differs")
        )

    def depends_on(self) -> str:
        """Sensitivity of the verdict to assumptions."""
        if self.found is None:
            return ""
        parts = [f"Sensitive to {self.sensitivity}"]
        for level, word in LEVEL_WORDS.items():
            assumptions = [other.assumption for other in self.others if other.level() == level]
            if assumptions:
                parts.append(f"{word} with {', '.join(assumptions)}")
        return "; ".join(parts) + "."

    def _relevant(self) -> list[Finding]:
        return explaining(self.others) if self.word == EXPLAINED else list(self.others)

    def to_dict(self) -> dict[str, Any]:
        """For `verdicts.json`."""
        claim, found = self.claim, self.found
        return {
            "id": claim.id,
            "source": claim.source,
            "grade": claim.grade,
            "kind": claim.kind,
            "statement": claim.statement,
            "scenario": claim.scenario,
            "tolerance": claim.tolerance,
            "outcome": self.word,
            "conclusive": self.conclusive if found else None,
            "open_because": self.open_because or None,
            "tested": claim.tested or None,
            "later": claim.later or None,
            "proof": claim.proof or None,
            "paper": dict(claim.paper) or None,
            "cause": claim.cause or None,
            "sensitivity": self.sensitivity or None,
            "n": found.n if found else 0,
            "conditions": [condition.to_dict() for condition in found.conditions] if found else [],
            "others": [
                {
                    "assumption": other.assumption,
                    "level": other.level().name.lower(),
                    "conclusive": other.conclusive,
                    "conditions": [condition.to_dict() for condition in other.conditions],
                }
                for other in self.others
            ],
        }


def rows_of(study: Study, paper: Paper, grids: Grids, *, figure: str = "") -> list[Row]:
    """Judge every claim of the paper, or those of one figure."""
    parts = {part.name: part for part in study.parts}
    chosen = [claim for claim in paper.claims if not figure or claim.figure == figure]
    return [_row(claim, [check for check in study.checks if check.claim == claim.id], parts, grids) for claim in chosen]


def _row(claim: Claim, checks: list[Check], parts: Mapping[str, Part], grids: Grids) -> Row:
    if not checks:
        return Row(claim, REPRODUCED if claim.proof else NOT_TESTABLE if claim.grade == "X" else NOT_SUPPORTED)
    found = Finding(tuple(condition for check in checks for condition in _tested(check, DEFAULT, grids)))
    varied: dict[str, list[Condition]] = {}
    for check in checks:
        for assumption, test in check.readings:
            varied.setdefault(assumption, []).extend(test(*_grids(check, DEFAULT, grids)))
        for variation in parts[check.part].variations:
            conditions = _tested(check, variation.name, grids)
            varied.setdefault(variation.assumption, []).extend(conditions)
        for series, assumption, test in check.on_series:
            names = (check.part, *check.also, *check.beside)
            if any((name, series) in grids for name in names):
                read = test(*(grids.get((name, series)) or grids[name, DEFAULT] for name in names))
                varied.setdefault(assumption, []).extend(read)
    others = tuple(Finding(tuple(conditions), assumption) for assumption, conditions in varied.items())
    sensitivity = "; ".join(dict.fromkeys(check.sensitivity for check in checks))
    return Row(claim, judge(found, others), found, others, sensitivity)


def _tested(check: Check, series: str, grids: Grids) -> Sequence[Condition]:
    """Conditions of a check, from the grids of its parts."""
    return check.test(*_grids(check, series, grids))


def _grids(check: Check, series: str, grids: Grids) -> list[Grid]:
    keys = [(part, series) for part in (check.part, *check.also)]
    beside = [grids.get((part, series)) or grids[part, DEFAULT] for part in check.beside]
    return [*(grids[key] for key in keys if key in grids), *beside]


@dataclass(frozen=True)
class Trial:
    """A condition that does not hold, and its value with one assumption changed.

    Attributes
    ----------
    before, after : Condition
        Under the study's assumptions, and under `assumption`.
    """

    claim: str
    before: Condition
    assumption: str
    after: Condition


MISSED = 3
"""Limit of conditions per claim in the sensitivity table: those with the smallest margin."""


def trials(rows: Sequence[Row]) -> list[Trial]:
    """Sensitivity of every claim that is not reproduced: its conditions in the other series and readings."""
    found = []
    for row in rows:
        if row.found is None or row.word not in {EXPLAINED, UNEXPLAINED}:
            continue
        missed = [condition for condition in row.found.decisive(MISSED) if condition.level() != Level.HOLDS]
        for before in missed:
            for other in row.others:
                same = (after for after in other.conditions if _point(after) == _point(before))
                found += [Trial(row.claim.id, before, other.assumption, after) for after in same]
    return found


def _point(condition: Condition) -> str:
    """The compared quantity, without additions of a series in parentheses."""
    return condition.what.split(" (", 1)[0]


def tally(rows: Iterable[Row]) -> list[tuple[str, int]]:
    """Count of each verdict, in the order of `WORDS`."""
    counts = Counter(row.word for row in rows)
    return [(word, counts[word]) for word in WORDS if counts[word]]


def tallies(rows: Sequence[Row]) -> dict[str, list[tuple[str, int]]]:
    """Counts of verdicts by kind of evidence, in the order of `KINDS`: claims decided by runs first."""
    counted = {kind: tally(row for row in rows if row.claim.kind == kind) for kind in KINDS}
    return {kind: counts for kind, counts in counted.items() if counts}


def conclusive_count(rows: Iterable[Row]) -> int:
    """Number of conclusive verdicts among the claims that runs test."""
    return sum(row.conclusive for row in rows if row.found)
