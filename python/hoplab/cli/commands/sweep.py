"""`hoplab sweep`: a scenario over axes and seeds, stored run by run, resumed where it stopped."""

from __future__ import annotations

import errno
import json as jsonlib
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import EXIT_OK, EXIT_PARTIAL
from hoplab.base.metrics import ALL_METRICS, Metric, metrics_named, usual_of_runs
from hoplab.base.numbers import counted
from hoplab.base.progress import duration
from hoplab.cli import completing, options
from hoplab.cli.console import command_line, info, is_quiet, number, page_of, set_verbosity, text_table, warn_all
from hoplab.cli.exceeding import end_above_bound
from hoplab.cli.output import write_all
from hoplab.report.directory import REPORT, report_of
from hoplab.report.record import RECORD, Record
from hoplab.running.execution import thread_count
from hoplab.store import open_results
from hoplab.store.shares import COLUMNS
from hoplab.sweeping import CoreRunner, Request, backend_of, run_plan
from hoplab.sweeping.estimate import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.store import Results
    from hoplab.sweeping import Outcome, Plan, Runner
    from hoplab.sweeping.estimate import Estimate

LISTED = 10
"""Failures and points that are named one by one; the rest is counted."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sweep")(sweep)


def sweep(
    file: options.File,
    set_keys: options.SetKeys = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=VALUES",
            help="An axis beside, or in place of, the file's: hops=1..8.",
            autocompletion=completing.keys,
        ),
    ] = None,
    seeds: Annotated[str | None, typer.Option("--seeds", metavar="SEEDS", help=options.SEEDS_HELP)] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", metavar="PERCENT", help="Add seeds until the relative half-width is this: 5%."),
    ] = None,
    max_seeds: Annotated[int | None, typer.Option("--max-seeds", min=2, help="Most seeds of a point.")] = None,
    metrics: options.Metrics = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how many runs and how long; run none.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per point and line.")] = False,
    possible: options.Possible = False,
    goodput_interval: options.GoodputInterval = None,
    threads: options.Threads = None,
    backend: options.Backend = None,
    max_events: options.MaxEvents = None,
    max_wall: options.MaxWall = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Directory of the results. [default: results/<FILE>]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Use a DIR of another sweep; keeps its runs.")] = False,
    retry: options.Retry = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Run a parameter sweep; reuse completed runs.

    Executes every point of the file's [sweep] for every seed. Stored runs are reused.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    shown = metrics_named(metrics) if metrics is not None else None
    runner: Runner = CoreRunner(options.limits_of(max_events, max_wall))
    request = Request(
        file,
        options.overrides_of(set_keys, goodput_interval),
        options.axes_of(over),
        seeds=seeds,
        precision=precision,
        max_seeds=max_seeds,
        possible=possible or None,
    )
    plan = request.plan(runner)
    root = request.root if out is None else out
    warn_all(plan.warnings)
    if dry_run:
        _print_estimate(plan, root, runner, threads, json=json)
        return
    try:
        outcome = run_plan(
            plan,
            root,
            backend_of(backend, runner, threads),
            progress=False if is_quiet() else None,
            force=force,
            retry=retry,
        )
    except KeyboardInterrupt:
        info(f"completed runs are stored; to continue, rerun the command; to see them: hoplab report {root}")
        raise
    if plan.sweep.possible:
        _store_shares(outcome)
    _print_results(outcome, shown, json=json)
    _write_report(outcome, shown)
    if plan.sweep.possible:
        end_above_bound(open_results(outcome.root).shares.values())
    raise typer.Exit(EXIT_PARTIAL if outcome.partial else EXIT_OK)


def _print_results(outcome: Outcome, shown: Sequence[Metric] | None, *, json: bool) -> None:
    results = open_results(outcome.root)
    if json:
        for line in point_objects(results):
            sys.stdout.write(line + "\n")
    elif results.done:
        print(describe(results, shown))
    warn_all(results.warnings[:LISTED] if results.done else ())
    _count_rest("points that fall into two groups", results.warnings if results.done else ())
    _report(outcome)


def _store_shares(outcome: Outcome) -> None:
    """Bound the network of each point, and keep the shares of its runs beside them."""
    from hoplab.bounding import store_shares  # noqa: PLC0415 (loads scipy)

    without = store_shares(outcome.root)
    warn_all(f"point {point} has no bound: {reason}" for point, reason in list(without.items())[:LISTED])
    _count_rest("points without a bound", list(without))


def _write_report(outcome: Outcome, shown: Sequence[Metric] | None) -> None:
    """Write or update the report and the provenance of the results.

    A directory that cannot be written is no error where all runs were stored before: their results are printed.
    """
    if not outcome.executed and not outcome.reused:
        return

    try:
        write_all(outcome.root, texts={RECORD: Record("sweep", command_line()).to_json()}, tables={})
        report_of(outcome.root, metrics=shown).report.write(outcome.root / REPORT)
    except OSError as error:
        if outcome.executed or not _is_read_only(error):
            raise
        info(f"warning: {outcome.root} cannot be written: its report is that of an earlier command")
        return
    info(f"report: {outcome.root / REPORT}")


def _is_read_only(error: BaseException | None) -> bool:
    """Whether an error, or one that it comes from, is about permission or a file system that is read only."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
            return True
        error = error.__cause__ or error.__context__
    return False


def point_objects(results: Results) -> list[str]:
    """One JSON object per point: its settings, seeds and runs, and each metric with n and interval."""
    intervals = {name: results.intervals(name) for name in ALL_METRICS}
    done, shares = set(results.done), results.shares
    lines = []
    for point in results.catalog.points:
        runs = {str(seed): run for seed, run in zip(point.seeds, point.runs, strict=True) if run in done}
        measures = {
            name: None if (interval := found[point.point]) is None else interval.to_dict()
            for name, found in intervals.items()
        }
        share = shares.get(point.point)
        content = {
            "point": point.point,
            "settings": point.settings,
            "planned": len(point.seeds),
            "n": len(runs),
            "runs": runs,
            "measures": measures,
            **(
                {}
                if share is None
                else {"possible_share": share.possible.to_dict(), "fair_share": share.fair.to_dict()}
            ),
            "warnings": [text] if (text := results.split_warnings.get(point.point)) else [],
        }
        lines.append(jsonlib.dumps(content, ensure_ascii=False))
    return lines


def describe(results: Results, shown: Sequence[Metric] | None = None) -> str:
    """The table for people: a row per point with the measures `shown`, and its difference to the first of its group."""
    catalog = results.catalog
    metrics = list(shown or usual_of_runs())
    if all(metric.name != catalog.measure for metric in metrics):
        metrics.insert(0, ALL_METRICS[catalog.measure])
    intervals = {metric.name: results.intervals(metric.name) for metric in metrics}
    if shown is None:
        metrics = [metric for metric in metrics if any(intervals[metric.name].values())]
    differences = results.differences(catalog.measure)
    compared = ALL_METRICS[catalog.measure]
    shares = results.shares
    header = [*catalog.columns.values(), *(metric.axis for metric in metrics), *(COLUMNS if shares else ()), "n"]
    if differences:
        header.append(f"{compared.label.lower()} minus the first's ({compared.unit or 'count'})")
    rows = []
    for point in catalog.points:
        cells = [number(intervals[m.name][point.point], scale=m.scale, digits=m.digits) for m in metrics]
        if shares:
            share = shares.get(point.point)
            cells += [number(one, scale=100.0) for one in (share.both if share else (None, None))]
        measured = intervals[catalog.measure][point.point]
        row = [*map(str, point.settings.values()), *cells, str(measured.n if measured else 0)]
        if differences:
            pair = differences.get(point.point)
            row.append("" if pair is None else number(pair.difference, scale=compared.scale, digits=compared.digits))
        rows.append(row)
    counts = [len(point.seeds) for point in catalog.points]
    single = max(counts) == 1
    level = "n = 1, no interval; add --seeds 10" if single else "mean \N{PLUS-MINUS SIGN} 95 % interval of n seeds"
    note = "; differences are paired by seed" if differences and not single else ""
    title = f"{catalog.name or Path(catalog.path).stem}: {level}{note}"
    return "\n".join([title, "", text_table(header, rows, left=len(catalog.axes), most=page_of(metrics))])


def _report(outcome: Outcome) -> None:
    """Report the outcome of a sweep on stderr."""
    info(f"{counted(outcome.executed, 'run')} executed, {outcome.reused} reused: {outcome.root}")
    beyond = len(outcome.beyond)
    if beyond:
        info(
            f"warning: {counted(beyond, 'stored run')} of a plan that this one replaces, in no table; "
            f"to keep both plans, name another directory with --out"
        )
    if outcome.damaged:
        place = outcome.root / "damaged"
        damaged = counted(len(outcome.damaged), "stored run")
        info(f"warning: {damaged} with a checksum mismatch: moved to {place}, executed again")
    for point in outcome.coinciding[:LISTED]:
        info(f"warning: {point}: two seeds yield identical runs: the replications are not independent")
    for point in outcome.unreached[:LISTED]:
        info(f"warning: {point}: precision not reached with {counted(outcome.most_seeds, 'seed')}")
    _count_rest("more point", outcome.unreached)
    for failure in outcome.failures[:LISTED]:
        state = f"quarantined after {counted(failure.attempts, 'attempt')}" if failure.quarantined else "failed"
        info(f"run {failure.id}, seed {failure.seed}, {state}: {failure.error}\n  to repeat: {failure.replay}")
    _count_rest("more failed run", outcome.failures)
    if outcome.failures:
        info(f"partial: {len(outcome.failures)} of {len(outcome.catalog.runs)} runs are missing")
        if any(failure.quarantined for failure in outcome.failures):
            info("  to execute quarantined runs again, add --retry")


def _count_rest(what: str, items: Sequence[object]) -> None:
    if len(items) > LISTED:
        info(f"... and {counted(len(items) - LISTED, what)}")


def _print_estimate(plan: Plan, root: Path, runner: Runner, threads: int | None, *, json: bool) -> None:
    count = thread_count(threads)
    found = estimate(plan, root, runner, count)
    if json:
        print(
            jsonlib.dumps(
                {
                    **asdict(found),
                    "pending": found.pending,
                    "threads": count,
                    "out": str(root),
                }
            )
        )
    else:
        print(words(found, count, root))


def words(found: Estimate, threads: int, root: Path) -> str:
    """An estimate for people."""
    at_least = "at least " if found.open_end else ""
    lines = [f"{counted(found.points, 'point')}, {at_least}{counted(found.runs, 'run')}; {found.done} stored in {root}"]
    if found.quarantined:
        lines.append(f"{found.quarantined} quarantined (--retry executes them again)")
    if found.wall_s is None:
        lines.append(f"{counted(found.pending, 'run')} to make; every trial failed, so there is no estimate of time")
    else:
        time = (
            f"about {duration(found.wall_s)} on {counted(threads, 'thread')} with a core each"
            if found.pending
            else "no pending runs"
        )
        lines.append(f"{counted(found.pending, 'run')} to make: {at_least}{time} (from {found.basis})")
    return "\n".join(lines)
