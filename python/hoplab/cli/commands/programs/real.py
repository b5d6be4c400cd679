"""`hoplab real`: real programs over the simulated network, in virtual time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoplab.base.errors import EXIT_VERDICT, UsageError
from hoplab.base.numbers import counted
from hoplab.base.scratch import scratch
from hoplab.base.table import Table
from hoplab.cli import options, output
from hoplab.cli.commands.programs.shown import PROTOCOLS, check, ended, node_word, talk, texts_of
from hoplab.cli.commands.programs.words import Execute, Length, OptionalFile, WithPrograms, commands_of, scenario_for
from hoplab.cli.commands.run import describe, store
from hoplab.cli.console import info, is_quiet, number, set_verbosity, text_table, warn_all
from hoplab.running.execution import SERIES_SAMPLES, captures
from hoplab.running.execution import run as run_scenario
from hoplab.running.live.session import Command, LiveRun
from hoplab.running.real import kernel
from hoplab.running.real.session import Where, run_real
from hoplab.running.seeds import seeds_of
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval

if TYPE_CHECKING:
    from hoplab.running.runs import Run, Runs


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What a command line asks for, beside the network and its programs."""

    json: bool = False
    out: Path | None = None
    trace: bool = False
    pcapng: Path | None = None
    force: bool = False
    strict: bool = False
    threads: int | None = None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("real", cls=WithPrograms)(real)


def real(
    file: OptionalFile = None,
    set_keys: options.SetKeys = None,
    execute: Execute = None,
    seeds: Annotated[str | None, typer.Option("--seeds", metavar="SEEDS", help=options.SEEDS_HELP)] = None,
    length: Length = None,
    build: Annotated[
        bool, typer.Option("--build", help="Build the kernel first, if it is not there; FILE is optional.")
    ] = False,
    threads: options.Threads = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 5 if the last program fails.")] = False,
    json: options.Json = False,
    out: options.Out = None,
    trace: options.Trace = False,
    pcapng: options.Pcapng = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Run real programs over a simulated network, in virtual time."""
    set_verbosity(quiet=quiet, verbose=verbose)
    if build:
        made = kernel.cached() if kernel.cached().is_file() else kernel.build(info, show=False if is_quiet() else None)
        info(f"kernel: {made}")
    if file is None:
        if build:
            return
        raise UsageError("missing FILE", hint="hoplab real FILE, or hoplab real --build")
    wishes = Wishes(json=json, out=out, trace=trace, pcapng=pcapng, force=force, strict=strict, threads=threads)
    in_virtual_time(scenario_for(file, set_keys, length), commands_of(execute or [], None), seeds, wishes)


def refuse_virtual(*, shell: str | None, precise: bool) -> None:
    """Refuse options of real time.

    Raises
    ------
    UsageError
        If one is given.
    """
    given = next(
        (name for name, is_given in (("--shell", shell is not None), ("--precise", precise)) if is_given), None
    )
    if given is not None:
        raise UsageError(f"{given}: not supported with --virtual", hint="omit --virtual to run in real time")


def in_virtual_time(scenario: Scenario, commands: Sequence[Command], seeds: str | None, wishes: Wishes) -> None:
    """Run a network with each seed, repeat each run without programs, and report."""
    if wishes.trace and wishes.out is None:
        raise UsageError("--trace requires an output directory", hint="add --out DIR")
    chosen = seeds_of(seeds or 1, scenario.seed)
    found = kernel.find()
    if wishes.pcapng is not None:
        output.new_files(captures(str(wishes.pcapng), chosen), force=wishes.force)
    folder = None if wishes.out is None else output.prepare(wishes.out, force=wishes.force)
    show = False if is_quiet() else None
    with scratch("packets") as kept:
        lives = run_real(scenario, commands, chosen, Where(found, kept, wishes.threads), show=show)
        repeated = [
            _repeated(seed, live, wishes, folder, len(chosen)) for seed, live in zip(chosen, lives, strict=True)
        ]
    runs = _joined(scenario, repeated)
    warn_all(runs.warnings)
    if wishes.json:
        sys.stdout.write(runs.json_lines())
    else:
        print(_shown(runs, lives))
    if folder is not None:
        if len(chosen) > 1:
            tables = {
                "flows": runs.flows,
                "conversations": _conversations(repeated),
                "programs": _programs(chosen, lives),
            }
            output.write_all(
                folder,
                texts={"runs.jsonl": runs.json_lines()},
                tables={name: table for name, table in tables.items() if len(table)},
            )
        info(f"reports, tables and recorded packets: {folder}")
    if wishes.strict and any(program["status"] != 0 for live in lives for program in live.programs[-1:]):
        raise typer.Exit(EXIT_VERDICT)


def _repeated(seed: int, live: LiveRun, wishes: Wishes, folder: Path | None, count: int) -> Run:
    """The run of a seed from its recorded packets, stored in a directory of its own if there are several."""

    def executed(work: Path | None) -> Runs:
        runs = run_scenario(
            live.replay,
            seeds=[seed],
            series_interval_s=None if work is None else live.pace["end_ns"] * 1e-9 / SERIES_SAMPLES,
            trace=work if wishes.trace else None,
            pcapng=wishes.pcapng,
            progress=False,
        )
        check(live, runs[0])
        return runs

    if folder is None:
        return executed(None)[0]
    own = folder if count == 1 else output.prepare(folder / f"seed-{seed}", force=wishes.force)
    with output.staged(own) as work:
        runs = executed(work)
        store(work, runs, live.replay, own, is_traced=wishes.trace, more=texts_of(live))
    return runs[0]


def _joined(scenario: Scenario, runs: Sequence[Run]) -> Runs:
    from hoplab.running.runs import Runs  # noqa: PLC0415 (loads NumPy)

    return Runs(scenario, tuple(runs))


def _shown(runs: Runs, lives: Sequence[LiveRun]) -> str:
    """What people read: the network, conversations and programs."""
    lines = [f"{runs.scenario.name}: in virtual time, Linux {lives[0].kernel}", *describe(runs).split("\n"), ""]
    if len(runs) > 1:
        return "\n".join([*lines, *_mean_talk(runs), *_mean_ends(lives)])
    outputs = [
        f"{lives[0].replay.node_names.get(program['node'], program['node'])}| {line}"
        for program, text in zip(lives[0].programs, lives[0].outputs, strict=True)
        for line in text.splitlines()
    ]
    return "\n".join(
        [
            *lines,
            *talk((runs[0].live or {}).get("conversations", []), runs.scenario.node_names),
            *outputs,
            *ended(lives[0]),
        ]
    )


def _mean_talk(runs: Runs) -> list[str]:
    """Means over seeds of conversations between two nodes; ports differ between seeds."""
    sums: dict[tuple[Any, ...], dict[int, list[float]]] = {}
    for run in runs:
        for one in (run.live or {}).get("conversations", []):
            key = (one["from"], one["to"], one["protocol"])
            counts = sums.setdefault(key, {}).setdefault(run.seed, [0.0] * len(_SUMMED))
            for index, name in enumerate(_SUMMED):
                counts[index] += one[name] or 0
    rows = []
    for (source, sink, protocol), by_seed in sorted(sums.items(), key=lambda item: str(item[0])):
        cells = [
            number(mean_interval([by_seed.get(seed, [0.0] * len(_SUMMED))[index] for seed in runs.seeds]))
            for index in range(len(_SUMMED))
        ]
        ends = [runs.scenario.node_names.get(node, str(node)) for node in (source, sink)]
        rows.append([*ends, PROTOCOLS.get(protocol, str(protocol)), *cells])
    return [text_table(["from", "to", "protocol", *_SUMMED], rows, left=3), ""] if rows else []


_SUMMED = ("packets", "bytes", "delivered")


def _mean_ends(lives: Sequence[LiveRun]) -> list[str]:
    lines = []
    for index, program in enumerate(lives[0].programs):
        failed = sum(live.programs[index]["status"] != 0 for live in lives)
        said = f"status 0 in {len(lives) - failed} of {counted(len(lives), 'run')}"
        lines.append(f"{node_word(lives[0], program)}: {program['command']}: {said}")
    return lines


def _conversations(runs: Sequence[Run]) -> Table:
    """One row per seed and conversation."""
    rows = []
    for run in runs:
        for one in (run.live or {}).get("conversations", []):
            dropped = ", ".join(f"{reason} {count}" for reason, count in one["dropped"].items())
            rows.append({"seed": run.seed, **one, "dropped": dropped})
    return Table.from_rows(rows)


def _programs(seeds: Sequence[int], lives: Sequence[LiveRun]) -> Table:
    """One row per seed and program."""
    return Table.from_rows(
        [{"seed": seed, **program} for seed, live in zip(seeds, lives, strict=True) for program in live.programs]
    )
