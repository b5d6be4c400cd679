"""`hoplab reproduce`: repeat a published study and judge its claims."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import EXIT_OK, EXIT_PARTIAL, EXIT_VERDICT, OutputError, UsageError
from hoplab.base.numbers import counted
from hoplab.base.progress import duration
from hoplab.base.shareable import shareable_command
from hoplab.cli import options, output
from hoplab.cli.console import info, is_quiet, print_verdicts, set_verbosity, text_table, warn_all
from hoplab.report.record import RECORD, Record
from hoplab.running.execution import thread_count
from hoplab.sweeping import CoreRunner, backend_of
from hoplab.sweeping.progress import shares_of, sum_s, watching_all
from hoplab_studies import catalog as studies
from hoplab_studies.pages.cards import deck_of
from hoplab_studies.shared import page, running
from hoplab_studies.shared.claims import paper_named, papers
from hoplab_studies.shared.page import counts, preliminary, verdicts_json
from hoplab_studies.shared.verdict import COLORS, UNEXPLAINED

if TYPE_CHECKING:
    from hoplab.sweeping import Backend, Outcome
    from hoplab_studies.shared.claims import Paper
    from hoplab_studies.shared.outcome import Row
    from hoplab_studies.shared.page import Reproduction
    from hoplab_studies.shared.running import Job

QUICK_SEEDS = 3
FIGURE_S = 40
"""Time that one figure may take without --quick or --full, s."""

FULL_SEEDS = 20

LIST = "list"
"""In place of a paper or a figure: what there is."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reproduce")(reproduce)


def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(
            metavar="PAPER",
            help="ho2014, linux-over-hops, muzha, semi-tcp, split-tcp, variants or winf. "
            "[default: list them with what each has]",
        ),
    ] = None,
    figure: Annotated[
        str | None, typer.Argument(metavar="FIGURE", help="One figure, such as fig6; `list` lists the paper's figures.")
    ] = None,
    quick: Annotated[
        bool | None,
        typer.Option(
            "--quick/--full",
            help=f"{QUICK_SEEDS} seeds for preliminary verdicts, or {FULL_SEEDS} (winf: 30, linux-over-hops: 10). "
            f"[default: full; of one figure, quick with as many seeds as take {FIGURE_S} s]",
        ),
    ] = None,
    sensitivity: Annotated[
        bool | None,
        typer.Option(
            "--sensitivity/--no-sensitivity",
            help="Include or omit the sensitivity analysis. [default: include; omit for a figure without --full]",
        ),
    ] = None,
    stored_series: Annotated[
        bool,
        typer.Option(
            "--stored-series", help="Of the sensitivity analysis, include the series whose runs are all stored."
        ),
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", min=1, metavar="N", help="Seeds per point. Overrides --quick and --full."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue in DIR; reuse its runs.")] = False,
    backend: options.Backend = None,
    max_events: options.MaxEvents = None,
    max_wall: options.MaxWall = None,
    retry: options.Retry = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 5 if a difference is unexplained.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print verdicts.json.")] = False,
    threads: options.Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Output directory. [default: results/<PAPER>]")
    ] = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Repeat a published study and judge its claims."""
    set_verbosity(quiet=quiet, verbose=verbose)
    if stored_series and sensitivity is False:
        raise UsageError("--stored-series and --no-sensitivity contradict each other", hint="give one of them")
    if paper is None or paper == LIST:
        _print_papers()
        return
    found = paper_named(paper)
    if figure == LIST:
        _print_figures(found)
        return
    short = figure is not None and quick is None and not stored_series
    place = backend_of(backend, CoreRunner(options.limits_of(max_events, max_wall)), threads)
    done, folder = _run(
        found,
        figure,
        out,
        place,
        quick=short or bool(quick),
        sensitivity=(not short if sensitivity is None else sensitivity) or stored_series,
        stored_series=stored_series,
        seeds=seeds,
        short=short,
        resume=resume,
        retry=retry,
        threads=threads,
    )
    rows = done.rows
    if json:
        print(verdicts_json(done), end="")
    else:
        _print_verdicts(done)
    info(f"report: {folder / 'report.html'}")

    raise typer.Exit(EXIT_VERDICT if strict and any(row.word == UNEXPLAINED for row in rows) else EXIT_OK)


def _print_papers() -> None:
    """What can be reproduced: a row per study."""
    rows = []
    for name, paper in papers().items():
        study = studies.study_of(name, quick=False)
        judged = {check.claim for check in study.checks}
        decided = sum(claim.kind == "run" and claim.id in judged for claim in paper.claims)
        seeds = study.full_seeds or FULL_SEEDS
        rows.append((name, deck_of(name).title, str(decided), str(len(study.figures)), str(seeds)))
    print(text_table(("paper", "title", "claims", "figures", "seeds"), rows, left=2))
    info("hoplab reproduce PAPER list names a paper's figures; hoplab reproduce PAPER FIGURE repeats one")


def _print_figures(paper: Paper) -> None:
    """The figures of a study, and how many claims are judged on each."""
    study = studies.study_of(paper.name, quick=False)
    tested = {check.claim for check in study.checks}
    judged = Counter(claim.figure for claim in paper.claims if claim.id in tested)
    rows = [(one.name, one.title, str(judged[one.name])) for one in study.figures]
    print(text_table(("figure", "shows", "claims"), rows, left=2))
    others = sum(count for name, count in judged.items() if not name)
    if others:
        info(f"{others} claims of no one figure are judged with the whole paper: hoplab reproduce {paper.name}")


def _run(
    paper: Paper,
    figure: str | None,
    out: Path | None,
    backend: Backend,
    *,
    quick: bool,
    sensitivity: bool,
    stored_series: bool,
    seeds: int | None,
    short: bool,
    resume: bool,
    retry: bool,
    threads: int | None,
) -> tuple[Reproduction, Path]:
    """Execute the runs and write the report."""
    whole = studies.study_of(paper.name, quick=quick)
    full = whole.full_seeds or FULL_SEEDS
    parts = whole.narrowed(whole.figure(figure) if figure else None)
    for part in parts:
        if part.runner is not None:
            part.runner.require()
    folder = _folder(out or Path("results") / paper.name, resume=resume)
    not_run = () if sensitivity else whole.series
    if stored_series:
        not_run = tuple(running.pending_series(parts, seeds or (QUICK_SEEDS if quick else full), folder))
    study = whole.without(not_run)
    shown = study.figure(figure) if figure else None
    parts = study.narrowed(shown)
    if short and seeds is None:
        seeds = _seeds_within(FIGURE_S, running.jobs_of(parts, full, folder), full, threads)
    count = seeds or (QUICK_SEEDS if quick else full)
    jobs = running.jobs_of(parts, count, folder)
    options_of_study: dict[str, object] = {
        "paper": paper.name,
        "figure": shown.name if shown else None,
        "quick": quick,
        "seeds": count,
    }
    options_of_study |= {} if sensitivity else {"sensitivity": False}
    options_of_study |= {"not_run": list(not_run)} if stored_series else {}
    left_out = "--stored-series" if stored_series else None if sensitivity else "--no-sensitivity"
    command = _command(paper, shown.name if shown else None, folder, quick=quick, left_out=left_out, seeds=seeds)
    record = Record("reproduce", command, study=options_of_study)
    output.write_all(folder, texts={RECORD: record.to_json()}, tables={})
    expected: list[float | None] = [None] * len(jobs)
    if short or not quick:
        expected = running.expected_s(jobs, threads)
        _print_estimate(jobs, sum_s(expected), threads)
    started = time.monotonic()
    try:
        show = False if is_quiet() else None
        shares = shares_of([(job.count, job.count - running.pending(job)) for job in jobs], expected)
        with watching_all(paper.name, shares, show=show) as observers:
            outcomes = [
                running.execute(job, backend, observer=observer, retry=retry, threads=threads)
                for job, observer in zip(jobs, observers, strict=True)
            ]
    except KeyboardInterrupt:
        info("completed runs are stored; to continue, add --resume")
        raise
    _stop_if_partial(outcomes)
    grids = running.grids_of(jobs)
    done = page.Reproduction(study, paper, shown, grids, count, quick, time.monotonic() - started, not_run)
    report = page.report(done, command=command, made=record.environment)
    warn_all(report.warnings)
    output.write_all(
        folder, texts={"report.html": report.to_html(), "verdicts.json": page.verdicts_json(done)}, tables={}
    )
    wall_s, executed = time.monotonic() - started, sum(outcome.executed for outcome in outcomes)
    info(f"{counted(executed, 'run')} executed, {done.runs - executed} reused, in {wall_s:.0f} s")
    return done, folder


def _folder(folder: Path, *, resume: bool) -> Path:
    if not resume and folder.is_dir() and any(folder.iterdir()):
        hint = "to continue there, add --resume; or name another directory with --out"
        raise OutputError(f"{folder}: directory is not empty", hint=hint)
    return output.prepare(folder, force=True)


def _seeds_within(seconds: float, jobs: list[Job], full: int, threads: int | None) -> int:
    """Seeds whose pending runs take so long; at least those of a quick study, at most those of a full one."""
    wall_s = sum_s(running.expected_s(jobs, threads))
    if wall_s is None or wall_s <= seconds:
        return full
    return max(QUICK_SEEDS, int(full * seconds / wall_s))


def _print_estimate(jobs: list[Job], wall_s: float | None, threads: int | None) -> None:
    total = sum(job.count for job in jobs)
    if wall_s is None:
        info(f"{counted(total, 'run')}; no time estimate: the trials failed")
    elif wall_s <= 0.0:
        info(f"{counted(total, 'run')}, all stored")
    else:
        on = counted(thread_count(threads), "thread")
        info(f"{counted(total, 'run')}: about {duration(wall_s)} on {on} for pending runs")


def _stop_if_partial(outcomes: list[Outcome]) -> None:
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    if not failures:
        return
    for failure in failures:
        info(f"run {failure.id}, seed {failure.seed}, failed: {failure.error}\n  to repeat: {failure.replay}")
    info("no verdict: runs are missing; to execute failed runs again, add --resume")
    raise typer.Exit(EXIT_PARTIAL)


def _print_verdicts(done: Reproduction) -> None:
    if done.shown is not None:
        lines = [line for row in done.rows for line in _of_claim(row)] or ["no claim is judged on this figure"]
        print_verdicts("\n".join([*lines, *counts(done.rows), *preliminary(done.seeds)]), COLORS)
    else:
        rows = [(row.claim.id, row.claim.source, row.shown, row.claim.statement) for row in done.rows]
        table = text_table(("claim", "source", "verdict", "statement"), rows, left=4)
        print_verdicts("\n".join([table, "", *done.summary]), COLORS)
    sys.stdout.flush()


def _of_claim(row: Row) -> list[str]:
    """One claim of a figure: its chart, a sentence of verdict, one of reason."""
    chart = row.chart()
    return [
        f"{row.claim.id} ({row.claim.source})",
        row.sentence,
        *([f"  {line}" for line in chart.lines()] if chart else []),
        row.reason,
        "",
    ]


def _command(
    paper: Paper, figure: str | None, folder: Path, *, quick: bool, left_out: str | None, seeds: int | None
) -> str:
    words = ["hoplab", "reproduce", paper.name, *([figure] if figure else []), "--quick" if quick else "--full"]
    words += [left_out] if left_out else []
    words += [] if seeds is None else ["--seeds", str(seeds)]
    return shareable_command([*words, "--out", str(folder)])
