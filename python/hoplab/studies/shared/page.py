"""The report of a study, and `verdicts.json` beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hoplab.base.engine import core
from hoplab.figures import Figure
from hoplab.report.cite import bibtex
from hoplab.report.environment import environment
from hoplab.report.model import Fact, Item, Report, ReportTable, Verdict
from hoplab.report.settings import Setting, settings_of
from hoplab.studies.shared.claims import Paper
from hoplab.studies.shared.outcome import FORMAT, Grids, Row, Trial, rows_of, tally, trials
from hoplab.studies.shared.running import scenario_of
from hoplab.studies.shared.study import DEFAULT, Part, Shown, Study
from hoplab.studies.shared.verdict import EXPLAINED, LATER, MIN_SEEDS, UNEXPLAINED, Level, shown

INTERVALS = (
    "Intervals: 95 %, Student t over seeds, ratios Fieller's; every comparison is paired by seed. Positions of optima, "
    "shares of points and other statistics of whole curves: 95 % percentiles over seeds drawn anew. Means decide a "
    "verdict; it is settled where both ends of every interval give the same one. Each interval stands for itself: "
    "with twenty of them, one may well miss."
)


@dataclass(frozen=True)
class Reproduction:
    """A finished study, or one figure of it."""

    study: Study
    paper: Paper
    shown: Shown | None
    grids: Grids
    seeds: int
    quick: bool
    wall_s: float | None
    """How long it took, in s; None where nothing was run."""

    @cached_property
    def rows(self) -> list[Row]:
        """One verdict per claim."""
        return rows_of(self.study, self.paper, self.grids, figure=self.shown.name if self.shown else "")

    @property
    def runs(self) -> int:
        """Runs behind it."""
        grids = [one for grid in self.grids.values() for one in (grid, *grid.alone)]
        return sum(len(runs) for grid in grids for runs in grid.points.values())

    @property
    def figures(self) -> list[Figure]:
        """The figures, as the paper draws them."""
        chosen = [self.shown] if self.shown else list(self.study.figures)
        drawn: list[Figure] = []
        for figure in chosen:
            if figure.draw is not None:
                drawn += figure.draw(*(self.grids[part, DEFAULT] for part in figure.parts))
        return drawn

    @property
    def summary(self) -> list[str]:
        """What came out, in sentences."""
        # One figure has not the runs of all parts, which the notes compare.
        notes = self.study.notes(self.grids) if self.study.notes and self.shown is None else ()
        return [*notes, *summary(self.rows, seeds=self.seeds, quick=self.quick)]


def summary(rows: Sequence[Row], *, seeds: int, quick: bool) -> list[str]:
    """What came out, in sentences."""
    judged = [row for row in rows if row.found]
    said = ", ".join(f"{count} {word}" for word, count in tally(judged))
    sentences = [f"{len(judged)} of {len(rows)} claims judged: {said or 'none'}."]
    for word in (UNEXPLAINED, EXPLAINED):
        chosen = [row for row in judged if row.word == word]
        sentences += [f"{row.claim.id}, {row.shown}: {row.claim.statement}. {row.in_short()}" for row in chosen]
    unsettled = [row for row in judged if not row.conclusive]
    if quick and seeds < MIN_SEEDS:
        sentences.append(f"--quick: {seeds} seeds give a first impression and settle no verdict; --full runs enough.")
    possible = [row.claim.id for row in unsettled if row.found and not row.found.conclusive]
    if possible:
        sentences.append(
            f"{seeds} seeds cannot give these, another verdict is within the intervals: {', '.join(possible)}."
        )
    later = [row.claim.id for row in rows if row.word == LATER]
    if later:
        names = sorted({row.claim.later for row in rows if row.word == LATER})
        sentences.append(f"Waiting for a later version of hoplab with {', '.join(names)}: {', '.join(later)}.")
    return sentences


def report(done: Reproduction, *, command: str, made: Sequence[Fact] | None = None) -> Report:
    """The report; `made` is the environment of the runs where it is not this one."""
    rows, study = done.rows, done.study
    what = f", {done.shown.name}: {done.shown.title}" if done.shown else ""
    parts = study.narrowed(done.shown)
    scenarios = {part.name: scenario_of(part, part.series[0]).resolve().toml for part in parts}
    warnings = dict.fromkeys(w for grid in done.grids.values() for runs in grid.points.values() for w in runs.warnings)
    return Report(
        title=f"{done.paper.title}{what}",
        lead=f"The claims of the paper against runs of hoplab: {done.runs} runs, {done.seeds} seeds per point.",
        summary=done.summary,
        figures=done.figures,
        tables=[*trials_table(trials(rows)), *study.tables(done.grids)],
        verdicts=[_verdict(row) for row in rows],
        assumptions=[*study.assumptions, *(Item("left out", missing) for missing in study.missing)],
        environment=[
            *(made or environment()),
            Fact("study", _took(done)),
            Fact("seeds", f"1 to {done.seeds}"),
        ],
        warnings=[*warnings],
        settings=[
            setting for part in parts for setting in _settings(part, scenarios[part.name], alone=len(parts) == 1)
        ],
        scenario_toml="\n".join(scenarios.values()),
        scenario_name="The scenarios of the study before axes and variations, every default filled in",
        command=command,
        bibtex=bibtex(done.paper.name),
        footnotes=[INTERVALS],
    )


def trials_table(found: Sequence[Trial]) -> list[ReportTable]:
    """What was changed, and what it did, as one table; none where every claim holds."""
    if not found:
        return []
    cells = tuple(
        (
            trial.claim,
            trial.before.what,
            trial.assumption,
            trial.before.limit,
            shown(trial.before.value),
            shown(trial.after.value),
            "holds" if trial.after.level() == Level.HOLDS else "does not",
            str(trial.after.value.n),
        )
        for trial in found
    )
    header = ("claim", "condition that does not hold", "with", "limit", "as assumed", "gives there", "and", "n")
    note = "Same points and seeds, one assumption or reading replaced. Means with 95 % intervals."
    return [ReportTable("Cause experiments", header, cells, note, 3)]


def verdicts_json(done: Reproduction) -> str:
    """The verdicts for machines."""
    content: Mapping[str, Any] = {
        "format": FORMAT,
        "paper": done.paper.name,
        "figure": done.shown.name if done.shown else None,
        "mode": "quick" if done.quick else "full",
        "seeds": done.seeds,
        "engine": str(core().version()),
        "verdicts": [row.to_dict() for row in done.rows],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _settings(part: Part, toml: str, *, alone: bool) -> list[Setting]:
    """The settings of one part; its name before each key where there are several parts."""
    varied = settings_of(toml, f"{part.name}.toml", part.axes)
    return varied if alone else [replace(setting, key=f"{part.name}: {setting.key}") for setting in varied]


def _took(done: Reproduction) -> str:
    if done.wall_s is None:
        return f"{done.runs} stored runs"
    return f"{done.runs} runs in {done.wall_s:.0f} s, stored ones not made again"


def _verdict(row: Row) -> Verdict:
    claim = row.claim
    statement = f"{claim.statement} ({claim.source}). Tolerance: {claim.tolerance}."
    if row.found:
        statement += f" Tested: {claim.tested}."
        if claim.later:
            statement += f" Later: {claim.later}."
    return Verdict(claim.id, statement, row.shown, row.numbers(), row.depends_on())
