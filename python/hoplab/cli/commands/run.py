"""`hoplab run`: one scenario over seeds."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import UsageError
from hoplab.base.metrics import Metric, usual_of_flows, viewers
from hoplab.cli import options, output
from hoplab.cli.console import PAGE, command_line, info, is_quiet, number, set_verbosity, text_table, warn_all
from hoplab.cli.exceeding import end_above_bound
from hoplab.running.execution import SERIES_SAMPLES, captures
from hoplab.running.execution import run as run_scenario
from hoplab.running.flows import VARIES
from hoplab.running.seeds import seeds_of
from hoplab.scenario.model import Scenario
from hoplab.store.shares import POSSIBLE, to_json

if TYPE_CHECKING:
    from hoplab.base.table import Table
    from hoplab.running.runs import Runs
    from hoplab.stats import Interval
    from hoplab.store.shares import Shares


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)


def run(
    file: options.File,
    set_keys: options.SetKeys = None,
    seeds: Annotated[str | None, typer.Option("--seeds", metavar="SEEDS", help=options.SEEDS_HELP)] = None,
    possible: options.Possible = False,
    goodput_interval: options.GoodputInterval = None,
    json: options.Json = False,
    threads: options.Threads = None,
    out: options.Out = None,
    trace: options.Trace = False,
    pcapng: options.Pcapng = None,
    max_events: options.MaxEvents = None,
    max_wall: options.MaxWall = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Simulate a scenario; report means and 95 % CIs."""
    set_verbosity(quiet=quiet, verbose=verbose)
    limits = options.limits_of(max_events, max_wall)
    scenario = Scenario.from_file(file, options.overrides_of(set_keys, goodput_interval))
    chosen = seeds_of(seeds or 1, scenario.seed)
    if trace and out is None:
        raise UsageError("--trace requires an output directory", hint="add --out DIR")
    if pcapng is not None:
        output.new_files(captures(str(pcapng), chosen), force=force)
    folder = None if out is None else output.prepare(out, force=force)
    duration_s = float(scenario.resolve().data["duration_s"])

    if possible:
        from hoplab.bounding import json_lines as with_shares  # noqa: PLC0415 (loads scipy)
        from hoplab.bounding import mean_shares, run_shares  # noqa: PLC0415

    def executed(work: Path | None) -> tuple[Runs, Shares | None]:
        runs = run_scenario(
            scenario,
            seeds=chosen,
            threads=threads,
            series_interval_s=None if work is None else duration_s / SERIES_SAMPLES,
            trace=work if trace else None,
            pcapng=pcapng,
            max_events=limits.max_events,
            max_wall_s=limits.max_wall_s,
            progress=False if is_quiet() else None,
        )
        warn_all(runs.warnings)
        found = run_shares(runs) if possible else []
        if json:
            sys.stdout.write(with_shares(runs.json_lines(), found) if found else runs.json_lines())
        else:
            print("\n".join([describe(runs), *([of_possible(mean_shares(found))] if found else [])]))
        return runs, mean_shares(found) if found else None

    if folder is None:
        _, shares = executed(None)
    else:
        with output.staged(folder) as work:
            runs, shares = executed(work)
            store(work, runs, scenario, folder, is_traced=trace, shares=shares)
        info(f"report and tables: {folder}")
    end_above_bound([shares] if shares else [])


def store(
    work: Path,
    runs: Runs,
    scenario: Scenario,
    folder: Path,
    *,
    is_traced: bool,
    shares: Shares | None = None,
    more: Mapping[str, str] | None = None,
) -> None:
    """Write the results of a run to a directory, with `more` files of text; its trace is complete."""
    from hoplab.report.record import RECORD, Record  # noqa: PLC0415 (slow to load, and only needed with --out)
    from hoplab.report.results import runs_report  # noqa: PLC0415
    from hoplab.store.trace import open_trace  # noqa: PLC0415

    toml, copies = output.portable(scenario, folder)
    record = Record("run", command_line(), scenario, files=copies)
    trace = open_trace(work) if is_traced else None
    report = runs_report(runs, command=record.command, trace=trace, shares=shares)
    output.fill(
        work,
        texts={
            "runs.jsonl": runs.json_lines(),
            "scenario.toml": toml,
            "report.html": report.to_html(),
            RECORD: record.to_json(),
            **({} if shares is None else {POSSIBLE: to_json({0: shares})}),
            **(more or {}),
        },
        tables={"flows": runs.flows, "series": runs.series, "drops": runs.drops, **_intervals(runs)},
    )


def _intervals(runs: Runs) -> dict[str, Table]:
    table = runs.goodput_intervals
    return {"goodput_intervals": table} if len(table) else {}


def describe(runs: Runs) -> str:
    """The table for people: one row per flow, then what the network did."""
    n = len(runs)
    metrics = [one for one in usual_of_flows() if any(runs.values(one.name, flow.id) for flow in runs.lasting)]
    header = ["flow", "from", "to", "transport", *(metric.axis for metric in metrics)]
    rows = []
    for flow in runs.lasting:
        cells = [
            number(runs.interval(metric.name, flow.id), scale=metric.scale, digits=metric.digits) for metric in metrics
        ]
        rows.append([str(flow.id), *(runs.ends_of(flow.id) or (VARIES, VARIES)), flow.transport_name, *cells])
    seeds = f"seed {runs.seeds[0]}" if n == 1 else f"{n} seeds ({_spell(runs.seeds)})"
    level = "n = 1, no interval; add --seeds 10" if n == 1 else f"mean \N{PLUS-MINUS SIGN} 95 % interval, n = {n}"
    lines = [f"{runs.scenario.name}: {seeds}; {level}", "", *([text_table(header, rows, left=0), ""] if rows else [])]
    having = {flow.id: len(runs.with_flow(flow.id)) for flow in runs.lasting}
    if min(having.values(), default=n) < n:
        lines.append(f"seeds per flow   {', '.join(f'{flow}: {count}' for flow, count in having.items())}")
    lines.append(f"frames per run   {_means(runs, 'frames')}")
    lines.append(f"drops per run    {_means(runs, 'drops') or 'none'}")
    if runs[0].workloads:
        lines[-2:-2] = [_workloads(runs), ""]
    if runs[0].wires:
        lines[-2:-2] = [_wires(runs), ""]
    cpu_s, sim_s = sum(run.cpu_s for run in runs), sum(run.sim_s for run in runs)
    events = sum(run.events for run in runs)
    lines.append(f"engine           {events} events, {cpu_s:.2f} s of CPU for {sim_s:g} s simulated")
    if n == 1:
        lines.append(f"fingerprint      {runs[0].fingerprint}")
    return "\n".join(lines)


def of_possible(found: Shares) -> str:
    """The line about the share of the possible."""
    mark = "" if found.strict else "; the bound is not strict"
    return (
        f"of possible      {number(found.possible, scale=100.0)} % along its own direction, worst flow "
        f"{number(found.fair, scale=100.0)} % of the max-min fair rate{mark}"
    )


def _wires(runs: Runs) -> str:
    """One row per direction of each wire: means over runs."""
    names = runs.scenario.node_names
    header = ["wire", "packets", "utilization", "queue delay (ms)", "queue (packets)", "dropped", "lost"]
    rows = []
    for k, port in enumerate(runs[0].wires):
        ports = [run.wires[k] for run in runs]
        ends = " to ".join(names.get(port[end], str(port[end])) for end in ("from", "to"))
        dropped = [float(one["queue_full"] + one["early_drops"]) for one in ports]
        cells = [
            _mean([float(one["packets"]) for one in ports], 0),
            _mean([one["utilization"] for one in ports], 3),
            _mean([None if (delay := one["queue_delay_mean_s"]) is None else delay * 1e3 for one in ports], 3),
            _mean([one["queue_mean_packets"] for one in ports], 2),
            _mean(dropped, 0),
            _mean([float(one["lost"]) for one in ports], 0),
        ]
        rows.append([ends, *cells])
    return text_table(header, rows, left=0)


def _workloads(runs: Runs) -> str:
    """One row per workload, and below what their sessions measure."""
    from hoplab.report.completions import time_rows, value_rows, workload_rows  # noqa: PLC0415 (only with workloads)

    def written(found: Interval | None, metric: Metric) -> str:
        return number(found, scale=metric.scale, digits=metric.digits)

    tables = (
        (workload_rows(runs, written), 2, None),
        (time_rows(runs, written), 3, PAGE),
        (value_rows(runs, written), 2, PAGE),
    )
    shown = [text_table(header, rows, left=left, most=most) for (header, rows), left, most in tables if rows]
    never, every = map(sum, zip(*(viewers(run.sessions) for run in runs), strict=True))
    said = [f"viewers without a segment, not in the means of stalls: {never} of {every}"] if never else []
    return "\n\n".join([*shown, *said])


def _mean(values: Sequence[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{fmean(known):.{digits}f}" if known else "-"


def _means(runs: Runs, what: str) -> str:
    """Mean count of each kind, those that never occur left out."""
    totals: dict[str, int] = {}
    for one in runs:
        for kind, count in getattr(one, what).items():
            totals[kind] = totals.get(kind, 0) + count
    means = {kind: f"{total / len(runs):.1f}".removesuffix(".0") for kind, total in totals.items() if total}
    return ", ".join(f"{kind} {mean}" for kind, mean in means.items())


def _spell(seeds: tuple[int, ...]) -> str:
    if seeds == tuple(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]}..{seeds[-1]}"
    return ",".join(map(str, seeds))
