"""The report of a study, and `verdicts.json` beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hoplab.base.engine import core
from hoplab.base.numbers import counted
from hoplab.figures import Figure
from hoplab.report.cite import bibtex
from hoplab.report.environment import environment
from hoplab.report.model import Fact, Item, Report, ReportTable, Verdict
from hoplab.report.settings import Setting, settings_of
from hoplab_studies.shared.claims import KINDS, Paper
from hoplab_studies.shared.outcome import FORMAT, Row, Trial, conclusive_count, rows_of, tallies, trials
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import DEFAULT, Grids, Part, Shown, Study
from hoplab_studies.shared.verdict import EXPLAINED, LEVEL_WORDS, MIN_SEEDS, NOT_SUPPORTED, UNEXPLAINED, shown

INTERVALS = (
    "Intervals: 95 %, Student t over seeds; Fieller for ratios; comparisons are paired by seed. Statistics of whole "
    "curves, such as optima and shares of points: percentiles of bootstrap resamples of seeds. A claim is reproduced "
    "if every interval lies within its tolerance, and not contradicted if an interval includes the limit and none "
    "denies the claim. Other verdicts are conclusive if no value within the intervals gives a better one. CIs are not "
    "adjusted for multiple comparisons."
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
    """Wall time in s; None if no run was executed."""
    not_run: tuple[str, ...] = ()
    """Names of series of the study that are left out."""

    @cached_property
    def rows(self) -> list[Row]:
        """One verdict per claim."""
        return rows_of(self.study, self.paper, self.grids, figure=self.shown.name if self.shown else "")

    @property
    def runs(self) -> int:
        """Number of runs; a series may share points with the default one."""
        grids = [one for grid in self.grids.values() for one in (grid, *grid.alone)]
        points = {id(runs): len(runs) for grid in grids for runs in grid.points.values()}
        return sum(points.values())

    @property
    def figures(self) -> list[Figure]:
        """The figures, as the paper draws them."""
        chosen = [self.shown] if self.shown else list(self.study.figures)
        drawn: list[Figure] = []
        for figure in chosen:
            if figure.draw is not None:
                drawn += map(_beside_paper, figure.draw(*(self.grids[part, DEFAULT] for part in figure.parts)))
        return drawn

    @property
    def summary(self) -> list[str]:
        """Results, in sentences."""
        # The notes compare all parts; one figure has the runs of some.
        notes = self.study.notes(self.grids) if self.study.notes and self.shown is None else ()
        is_told = self.not_run and self.shown is None and not self.quick
        left_out = [f"Series not run with {self.seeds} seeds: {', '.join(self.not_run)}."] if is_told else []
        return [*notes, *summary(self.rows, seeds=self.seeds, quick=self.quick), *left_out]


def _beside_paper(figure: Figure) -> Figure:
    """A figure that says where the paper's own values are: as hollow marks, or in print only."""
    if any(word in curve.name for curve in figure.curves for word in ("printed", "released")):
        return figure
    return replace(figure, caption=f"{figure.caption} {NO_VALUES}".strip())


NO_VALUES = "The values of the paper's figure are not available as numbers; its curves are not redrawn."


def summary(rows: Sequence[Row], *, seeds: int, quick: bool) -> list[str]:
    """Results, in sentences."""
    judged = [row for row in rows if row.found]
    sentences = counts(rows)
    for word in (UNEXPLAINED, EXPLAINED):
        chosen = [row for row in judged if row.word == word]
        sentences += [f"{row.claim.id}, {row.shown}: {row.claim.statement}. {row.in_short()}" for row in chosen]
    sentences += preliminary(seeds) if quick else []
    inconclusive = [row.claim.id for row in judged if row.found and not row.found.conclusive]
    if inconclusive:
        claims = ", ".join(inconclusive)
        sentences.append(f"Inconclusive: the 95 % CIs (n = {seeds}) permit another verdict ({claims}).")
    later = [row.claim.id for row in rows if row.word == NOT_SUPPORTED]
    if later:
        names = sorted({row.claim.later for row in rows if row.word == NOT_SUPPORTED})
        sentences.append(f"Not supported: {', '.join(names)} ({', '.join(later)}).")
    return sentences


def preliminary(seeds: int) -> list[str]:
    """The sentence of a study with too few seeds for conclusive verdicts."""
    return [f"Preliminary: {counted(seeds, 'seed')}. Use --full for conclusive verdicts."] if seeds < MIN_SEEDS else []


def counts(rows: Sequence[Row]) -> list[str]:
    """Tallies by kind of evidence, a sentence each; the findings of runs come first."""
    sentences = []
    for kind, found in tallies(rows).items():
        chosen = [row for row in rows if row.claim.kind == kind]
        listed = ", ".join(f"{count} {word}" for word, count in found)
        if kind == "run":
            judged = sum(row.found is not None for row in chosen)
            conclusive = f" ({conclusive_count(chosen)} of {judged} conclusive)" if judged else ""
            sentences.append(f"{_claims(len(chosen))} {KINDS[kind]}: {listed}{conclusive}.")
        else:
            ids = ", ".join(row.claim.id for row in chosen)
            sentences.append(f"Tallied apart, {_claims(len(chosen))} {KINDS[kind]}: {listed} ({ids}).")
    return sentences


def _claims(count: int) -> str:
    return f"{count} claim{'' if count == 1 else 's'}"


def report(done: Reproduction, *, command: str, made: Sequence[Fact] | None = None) -> Report:
    """The report; `made` is the environment of the runs, if not the current one."""
    rows, study = done.rows, done.study
    what = f", {done.shown.name}: {done.shown.title}" if done.shown else ""
    parts = study.narrowed(done.shown)
    scenarios = {part.name: scenario_of(part, part.series[0]).resolve().toml for part in parts}
    warnings = dict.fromkeys(w for grid in done.grids.values() for runs in grid.points.values() for w in runs.warnings)
    return Report(
        title=f"{done.paper.title}{what}",
        lead=f"Claims of the paper, evaluated by {counted(done.runs, 'run')} of hoplab "
        f"with {counted(done.seeds, 'seed')} per point.",
        summary=done.summary,
        figures=done.figures,
        tables=[*sensitivity_table(trials(rows)), *study.tables(done.grids)],
        verdicts=[_verdict(row) for row in rows],
        assumptions=[*study.assumptions, *(Item("not supported", missing) for missing in study.missing)],
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
        scenario_name="Scenarios of the study without axes and variations, defaults included",
        command=command,
        bibtex=bibtex(done.paper.name),
        footnotes=[INTERVALS],
    )


def sensitivity_table(found: Sequence[Trial]) -> list[ReportTable]:
    """Conditions that do not hold, with each assumption changed; no table if every claim holds."""
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
            LEVEL_WORDS[trial.after.level()],
            str(trial.after.value.n),
        )
        for trial in found
    )
    header = ("claim", "condition", "changed assumption", "limit", "default", "changed", "result", "n")
    note = "Identical points and seeds, one assumption or reading changed. Means with 95 % intervals."
    return [ReportTable("Sensitivity", header, cells, note, 3)]


def verdicts_json(done: Reproduction) -> str:
    """Content of `verdicts.json`."""
    content: Mapping[str, Any] = {
        "format": FORMAT,
        "paper": done.paper.name,
        "figure": done.shown.name if done.shown else None,
        "mode": "quick" if done.quick else "full",
        "seeds": done.seeds,
        "runs": done.runs,
        "not_run": list(done.not_run),
        "engine": str(core().version()),
        "tallies": {kind: dict(found) for kind, found in tallies(done.rows).items()},
        "conclusive": {
            kind: conclusive_count(row for row in done.rows if row.claim.kind == kind) for kind in tallies(done.rows)
        },
        "verdicts": [row.to_dict() for row in done.rows],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _settings(part: Part, toml: str, *, alone: bool) -> list[Setting]:
    """Settings of one part; with several parts, keys begin with the part's name."""
    varied = settings_of(toml, f"{part.name}.toml", part.axes)
    return varied if alone else [replace(setting, key=f"{part.name}: {setting.key}") for setting in varied]


def _took(done: Reproduction) -> str:
    if done.wall_s is None:
        return f"{done.runs} stored runs"
    return f"{counted(done.runs, 'run')}, stored ones reused, in {done.wall_s:.0f} s"


def _verdict(row: Row) -> Verdict:
    claim = row.claim
    statement = f"{claim.statement} ({claim.source}). Tolerance: {claim.tolerance}."
    if row.found:
        statement += f" Tested: {claim.tested}."
        if claim.later:
            statement += f" Not supported: {claim.later}."
    return Verdict(
        claim.id, statement, row.shown, row.numbers(), row.depends_on(), row.sentence, row.reason, row.chart()
    )
