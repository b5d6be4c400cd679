"""`hoplab whatif`: one thing changed at a time, and what each change does."""

from __future__ import annotations

import json as json_module
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.metrics import ALL_METRICS, metrics_named
from hoplab.base.numbers import counted
from hoplab.base.progress import duration
from hoplab.cli import completing, options, output
from hoplab.cli.console import command_line, info, is_quiet, number, set_verbosity, text_table, warn_all
from hoplab.running.execution import thread_count
from hoplab.running.whatif.asking import plan
from hoplab.running.whatif.changes import chosen_groups
from hoplab.running.whatif.effects import UNDEFINED
from hoplab.scenario.model import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.base.metrics import Metric
    from hoplab.running.whatif.asking import Plan
    from hoplab.running.whatif.effects import Effect, Refused, WhatIf

LISTED = 10
"""Refused changes that are named one by one; the rest is counted."""
USUAL = ("goodput_bps", "delay_mean_s", "fairness")
"""Measures of the table, unless others are chosen: those that the scenario as given has."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("whatif")(whatif)


def whatif(
    file: options.File,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="A,B,C",
            help="Kinds of changes: nodes,gateways,channels,retries,rts,queues,routing. [default: all]",
            autocompletion=completing.changes,
        ),
    ] = None,
    set_keys: options.SetKeys = None,
    seeds: options.Seeds = "10",
    metrics: options.Metrics = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the changes and say how long; run one.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per change and line.")] = False,
    threads: options.Threads = None,
    max_events: options.MaxEvents = None,
    max_wall: options.MaxWall = None,
    out: options.Out = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Change one thing at a time; rank changes by effect.

    Each relay off, each gateway, channel, retry limit and queue, RTS on or off, each routing protocol. Differences to
    the scenario as given are paired by seed. Changes that the engine refuses are left out, and counted.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    limits = options.limits_of(max_events, max_wall)
    shown = metrics_named(metrics) if metrics is not None else None
    groups = None if only is None else chosen_groups(only.split(","))
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    wanted = plan(scenario, only=groups, seeds=seeds, limits=limits)
    folder = None if out is None or dry_run else output.prepare(out, force=force)
    time = _time(wanted, threads)
    if dry_run:
        print(_json_plan(wanted) if json else _listed_plan(wanted, time))
        return
    info(time)
    found = wanted.run(
        metric=shown[0].name if shown else USUAL[0], threads=threads, progress=False if is_quiet() else None
    )
    warn_all(found.baseline.warnings)
    if json:
        sys.stdout.write(found.json_lines([metric.name for metric in shown or ()]))
    else:
        print(describe(found, shown))
    if folder is not None:
        from hoplab.report.record import RECORD, Record  # noqa: PLC0415 (slow to load, and only needed with --out)

        toml, copies = output.portable(scenario, folder)
        record = Record("whatif", command_line(), scenario, files=copies)
        output.write_all(
            folder,
            texts={
                "changes.jsonl": found.json_lines([metric.name for metric in shown or ()]),
                "scenario.toml": toml,
                "summary.txt": describe(found, shown) + "\n",
                RECORD: record.to_json(),
            },
            tables={"changes": found.rows, "flows": found.flows, "refused": found.refusals},
        )
        info(f"tables: {folder}")


def _time(wanted: Plan, threads: int | None) -> str:
    """How many runs, and how long they take."""
    count = thread_count(threads)
    amounts = (len(wanted.variants), "change"), (len(wanted.seeds), "seed"), (wanted.runs, "run")
    parts = [counted(amount, noun) for amount, noun in amounts]
    time = f"about {duration(wanted.seconds(count))} on {count} threads with a core each (from one run)"
    return f"{wanted.scenario.name}: {', '.join(parts)}, {time}"


def _listed_plan(wanted: Plan, time: str) -> str:
    rows = [[change.group, change.title] for change, _ in wanted.variants]
    return "\n".join([time, "", text_table(["kind", "change"], rows, left=2), *_left_out(wanted.refused)])


def _json_plan(wanted: Plan) -> str:
    return json_module.dumps(
        {
            "runs": wanted.runs,
            "cpu_s": wanted.seconds(1),
            "changes": [{"group": change.group, "change": change.title} for change, _ in wanted.variants],
            "refused": [
                {"group": one.change.group, "change": one.change.title, "reason": one.reason} for one in wanted.refused
            ],
        }
    )


def describe(found: WhatIf, shown: Sequence[Metric] | None = None) -> str:
    """The headline, and the table for people: a row per change, grouped by what is shown of it."""
    usual = [ALL_METRICS[name] for name in USUAL if found.baseline.values(name)]
    metrics = list(shown or usual or [ALL_METRICS[USUAL[0]]])
    effects = found.effects()
    n = len(found.seeds)
    level = "n = 1, no interval; add --seeds 10" if n == 1 else f"mean \N{PLUS-MINUS SIGN} 95 % interval of {n} seeds"
    title = f"{found.scenario.name}, one thing changed at a time: {level}" + (
        "; differences are paired by seed" if n > 1 else ""
    )
    has_cut = any(effect.cut_off for effect in effects)
    header = ["", "change", *(metric.axis for metric in metrics), f"{metrics[0].label} by (95 % CI)"]
    header += ["p (Holm)", *(["flows that get nothing"] if has_cut else [])]
    given = [number(found.baseline.interval(m.name), scale=m.scale, digits=m.digits) for m in metrics]
    rows = [["as given", "", *given, "", *[""] * (len(header) - len(metrics) - 3)]]
    last = ""
    for effect in effects:
        rows.append(_row(effect, metrics, "" if effect.verdict == last else effect.verdict, has_cut=has_cut))
        last = effect.verdict
    tests = sum(effect.p_adjusted is not None for effect in effects)
    lines = [found.headline(), "", title, "", text_table(header, rows, left=2)]
    if tests > 1:
        lines += ["", f"Paired t tests of {tests} changes, p adjusted by Holm; CIs unadjusted."]
    return "\n".join([*lines, *_left_out(found.refused)])


def _row(effect: Effect, metrics: Sequence[Metric], verdict: str, *, has_cut: bool) -> list[str]:
    runs = effect.variant.runs
    cells = [number(runs.interval(m.name), scale=m.scale, digits=m.digits) for m in metrics]
    p = "" if effect.p_adjusted is None or effect.is_identical else f"{effect.p_adjusted:.2g}"
    row = [verdict, effect.change.title, *cells, "" if effect.verdict == UNDEFINED else effect.text, p]
    return [*row, *([", ".join(map(str, effect.cut_off))] if has_cut else [])]


def _left_out(refused: Sequence[Refused]) -> list[str]:
    """Refused changes with their reasons."""
    if not refused:
        return []
    lines = [f"  {one.change.title}: {one.reason}" for one in refused[:LISTED]]
    more = [f"  and {len(refused) - LISTED} more: --json lists them"] if len(refused) > LISTED else []
    left_out = f"{counted(len(refused), 'change')} {'is' if len(refused) == 1 else 'are'}"
    return ["", f"{left_out} left out, because the engine refuses:", *lines, *more]
