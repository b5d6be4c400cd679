"""`hoplab compare`: several transports in one scenario, on the same seeds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoplab.base.errors import UsageError
from hoplab.base.metrics import OF_VIEWERS, Metric, metrics_named, usual_of_runs, viewers
from hoplab.cli import completing, options, output
from hoplab.cli.console import command_line, info, is_quiet, number, page_of, set_verbosity, text_table, warn_all
from hoplab.cli.exceeding import end_above_bound
from hoplab.running.answers.differences import column_names
from hoplab.running.answers.headline import TRANSPORT
from hoplab.running.answers.notes import distinct_note, headline_metric, headline_of, pair_rows
from hoplab.running.answers.phrases import in_sentence, word_of
from hoplab.running.comparing import compare as compare_transports
from hoplab.running.comparing import paired_runs
from hoplab.running.seeds import seeds_of
from hoplab.scenario.model import Scenario
from hoplab.store.shares import COLUMNS, POSSIBLE, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hoplab.base.table import Table
    from hoplab.running.answers.differences import Differences
    from hoplab.running.comparing import Comparison
    from hoplab.running.runs import Runs
    from hoplab.store.shares import Shares


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    file: options.File,
    transports: Annotated[
        str,
        typer.Option(
            "--transports",
            "-t",
            metavar="A,B,C",
            help="Transports to compare. [required]",
            autocompletion=completing.transports,
            show_default=False,
        ),
    ] = "",
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over",
            metavar="KEY=VALUES",
            help="An axis: topology.hops=1..8 or queue.limit=10,50.",
            autocompletion=completing.keys,
        ),
    ] = None,
    between: Annotated[
        str | None,
        typer.Option(
            "--between",
            metavar="KEY",
            help="Compare the values of an axis: its key, or mac.rts_threshold=0,3000. [default: transports]",
            autocompletion=completing.keys,
        ),
    ] = None,
    set_keys: options.SetKeys = None,
    seeds: options.Seeds = "10",
    keep_workloads: Annotated[
        bool, typer.Option("--keep-workloads", help="Workloads keep their transports: replace those of flows only.")
    ] = False,
    metrics: options.Metrics = None,
    equivalent: Annotated[
        float | None,
        typer.Option("--equivalent", metavar="PERCENT", help="Margin within which transports are called equivalent."),
    ] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Print every pair with its paired interval; with --json, one object.")
    ] = False,
    possible: options.Possible = False,
    goodput_interval: options.GoodputInterval = None,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print the table as LaTeX (booktabs, siunitx); with --out also table.tex.")
    ] = False,
    json: options.Json = False,
    threads: options.Threads = None,
    max_events: options.MaxEvents = None,
    max_wall: options.MaxWall = None,
    out: options.Out = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Compare transports, paired by seed.

    All transports run on the same seeds. The differences to the first transport are paired by seed. With --between, or
    with one transport over an axis, the values of the axis are compared instead.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    limits = options.limits_of(max_events, max_wall)
    compared, axes = _axes(over, between)
    shown = metrics_named(metrics) if metrics is not None else None
    names = [name.strip() for name in transports.split(",") if name.strip()]
    if latex and (json or pairs) and out is None:
        raise UsageError(
            f"--latex and {'--json' if json else '--pairs'}: both print",
            hint="add --out DIR: the table in LaTeX goes to DIR/table.tex",
        )
    if not names:
        raise UsageError(
            "--transports (-t): no names", hint="such as -t new_reno,vegas; hoplab list transports prints all names"
        )
    scenario = Scenario.from_file(file, options.overrides_of(set_keys, goodput_interval))
    chosen = seeds_of(seeds, scenario.seed)
    folder = None if out is None else output.prepare(out, force=force)
    comparison = compare_transports(
        scenario,
        names,
        over=axes,
        seeds=chosen,
        threads=threads,
        max_events=limits.max_events,
        max_wall_s=limits.max_wall_s,
        keep_workloads=keep_workloads,
        progress=False if is_quiet() else None,
    )
    differences = comparison.between(compared)
    warn_all(comparison.warnings)
    lines, shares = comparison.json_lines(), {}
    if possible:
        from hoplab.bounding import json_lines, mean_shares, run_shares  # noqa: PLC0415 (loads scipy)

        by_point = [run_shares(point.runs) for point in comparison.points]
        lines = json_lines(lines, [one for point in by_point for one in point])
        shares = dict(enumerate(map(mean_shares, by_point)))
    table = _latex(comparison, shown) if latex else ""
    if pairs:
        print_pairs(differences, shown, json=json, margin=equivalent)
    elif json:
        sys.stdout.write(lines)
    elif latex:
        sys.stdout.write(table)
    else:
        print(describe(comparison, shown, differences, shares=shares, margin=equivalent))
    if folder is not None:
        from hoplab.report.record import RECORD, Record  # noqa: PLC0415 (slow to load, and only needed with --out)
        from hoplab.report.results import comparison_report  # noqa: PLC0415

        stored, toml, copies = output.as_given(comparison, folder)
        record = Record(
            "compare",
            command_line(),
            scenario,
            stored.transports,
            [*stored.axes.items()],
            files=copies,
            seeds=stored.seeds,
            keep_workloads=keep_workloads,
            between=compared,
            margin=equivalent,
            metrics=[metric.name for metric in shown or ()],
        )
        report = comparison_report(
            stored, command=record.command, metrics=shown, shares=shares, margin=equivalent, between=compared
        )
        output.write_all(
            folder,
            texts={
                "runs.jsonl": stored.json_lines(),
                "scenario.toml": toml,
                "report.html": report.to_html(),
                RECORD: record.to_json(),
                **({POSSIBLE: to_json(shares)} if shares else {}),
                **({TABLE: table} if latex else {}),
            },
            tables={"flows": comparison.flows, "goodput": comparison.summary(), **_more(comparison, shown)},
        )
        info(f"report and tables: {folder}")
    end_above_bound(shares.values())


TABLE = "table.tex"


def _latex(comparison: Comparison, shown: Sequence[Metric] | None) -> str:
    """The table of means in LaTeX, with the packages and the command in comments."""
    from hoplab.artifact.paper import paper_table  # noqa: PLC0415 (loads the figures)

    metrics = list(shown or _usual(comparison) or usual_of_runs()[:1])
    text = paper_table(comparison, [metric.name for metric in metrics])
    command = command_line().replace("\n", " ")
    return f"% {command}\n% Needs \\usepackage{{booktabs, siunitx}}.\n{text}"


def _more(comparison: Comparison, shown: Sequence[Metric] | None) -> dict[str, Table]:
    """Tables of measures of workloads, of chosen measures, and of goodput by interval."""
    names = [metric.name for metric in shown or _usual(comparison) if shown is not None or metric.over_flows == "run"]
    tables = {name.rsplit("_", 1)[0] if name.endswith(("_s", "_bps")) else name: name for name in names}
    found = {table: comparison.summary(name) for table, name in tables.items() if table not in {"goodput", "flows"}}
    intervals = comparison.goodput_intervals
    return {**found, "goodput_intervals": intervals} if len(intervals) else found


def _usual(comparison: Comparison) -> list[Metric]:
    """The measures of the table, unless others are chosen: the usual ones that some run has."""
    return [one for one in usual_of_runs() if any(point.runs.values(one.name) for point in comparison.points)]


def describe(
    comparison: Comparison,
    shown: Sequence[Metric] | None = None,
    differences: Differences | None = None,
    *,
    shares: Mapping[int, Shares] | None = None,
    margin: float | None = None,
) -> str:
    """The headline, and the table for people: a row per point and transport, with `shown` and `shares` by point."""
    found = comparison.between() if differences is None else differences
    metrics = list(shown or _usual(comparison) or usual_of_runs()[:1])
    compared = headline_metric(found, metrics)
    paired = len(found.names) > 1
    header = [*comparison.axes, "transport", *(metric.axis for metric in metrics), "n"]
    if shares:
        header += COLUMNS
    if paired:
        unit = f" ({compared.unit})" if compared.unit else ""
        header.append(f"{in_sentence(compared)} minus {_possessive(found)}{unit}")
    rows = []
    for setting in comparison.settings():
        for transport in comparison.transports:
            index = comparison.index_at(transport, setting)
            runs = comparison.points[index].runs
            cells = [number(runs.interval(m.name), scale=m.scale, digits=m.digits) for m in metrics]
            row = [*(word_of(value) for _, value in setting), comparison.names[transport], *cells, str(len(runs))]
            if shares:
                row += [number(value, scale=100.0) for value in shares[index].both]
            if paired:
                row.append(_difference(found, compared, runs))
            rows.append(row)
    n = len(comparison.seeds)
    level = "n = 1, no interval; add --seeds 10" if n == 1 else f"mean \N{PLUS-MINUS SIGN} 95 % interval of {n} seeds"
    note = ", all transports on the same seeds; differences are paired by seed" if paired and n > 1 else ""
    title = f"{comparison.scenario.name}: {level}{note}"
    said = headline_of(found, metrics, asked=shown is not None, margin=margin)
    apart = distinct_note(comparison)
    table = text_table(header, rows, left=len(comparison.axes) + 1, most=page_of(metrics))
    unstarted = _unstarted(comparison) if any(metric.name in OF_VIEWERS for metric in metrics) else []
    below = [line for line in (apart, *unstarted) if line]
    return "\n".join([*said, *([""] if said else []), title, "", table, *([""] if below else []), *below])


def _unstarted(comparison: Comparison) -> list[str]:
    """A line for the viewers that received nothing, where there are some: by transport, over all settings."""
    counts = []
    for transport in comparison.transports:
        points = [point for point in comparison.points if point.transport == transport]
        never, every = map(sum, zip(*(viewers(run.sessions) for point in points for run in point.runs), strict=True))
        if never:
            counts.append(f"{comparison.names[transport]} {never} of {every}")
    return [f"viewers without a segment, not in the means of stalls: {', '.join(counts)}"] if counts else []


def print_pairs(found: Differences, shown: Sequence[Metric] | None, *, json: bool, margin: float | None = None) -> None:
    """Every pair of the measure that the headline is about, below the headline."""
    metrics = shown or usual_of_runs()
    compared = headline_metric(found, metrics)
    if json:
        sys.stdout.write(found.to_json(compared.name, margin=margin))
        return
    header, rows = pair_rows(found, compared)
    said = headline_of(found, metrics, asked=shown is not None, margin=margin)
    print("\n".join([*said, "", text_table(header, rows, left=len(found.axes) + 2)]))


def _axes(over: list[str] | None, between: str | None) -> tuple[str | None, Mapping[str, tuple[Any, ...]]]:
    """What is compared, and the axes: `--between KEY=VALUES` is an axis, too."""
    if between is None or "=" not in between:
        axes = options.axes_of(over)
        known = [TRANSPORT, *axes, *column_names(axes).values()]
        if between is not None and between not in known:
            raise UsageError(
                f"--between {between}: no such axis, expected {', '.join(known)}",
                hint=f"give its values, such as --between {between}=A,B",
            )
        return between, axes
    axes = options.axes_of([*(over or []), between])
    return between.partition("=")[0].strip(), axes


def _possessive(found: Differences) -> str:
    return f"{found.what} = {found.names[0]}" if found.what else f"{found.names[0]}'s"


def _difference(found: Differences, metric: Metric, runs: Runs) -> str:
    """The difference of runs to those of the first of what is compared, at the same setting."""
    first = next(row[0] for row in found.cells if any(cell is runs for cell in row))
    if first is runs:
        return ""
    if not (runs.values(metric.name) and first.values(metric.name)):
        return "-"
    return number(paired_runs(runs, first, metric.name).difference, scale=metric.scale, digits=metric.digits)
