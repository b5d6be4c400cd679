"""`hoplab live`: real programs over the simulated network, in real time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import EXIT_INTERRUPTED, EXIT_VERDICT, UsageError
from hoplab.base.scratch import scratch
from hoplab.cli import options, output
from hoplab.cli.commands.programs.real import Wishes, in_virtual_time, refuse_virtual
from hoplab.cli.commands.programs.shown import check, shown, texts_of
from hoplab.cli.commands.programs.words import Execute, Length, OptionalFile, WithPrograms, commands_of, scenario_for
from hoplab.cli.commands.run import store
from hoplab.cli.console import info, is_quiet, set_verbosity, warn_all
from hoplab.running.execution import SERIES_SAMPLES, captures
from hoplab.running.execution import run as run_scenario
from hoplab.running.live.session import Pace, enter, run_live

if TYPE_CHECKING:
    from hoplab.running.runs import Runs


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("live", cls=WithPrograms)(live)


def live(
    file: OptionalFile = None,
    set_keys: options.SetKeys = None,
    execute: Execute = None,
    shell: Annotated[
        str | None, typer.Option("--shell", metavar="NODE", help="Open a shell at a node; its end ends the run.")
    ] = None,
    inside: Annotated[
        str | None,
        typer.Option("--enter", metavar="NODE[:COMMAND]", help="Enter a node of the network that runs; no FILE."),
    ] = None,
    length: Length = None,
    precise: Annotated[
        bool, typer.Option("--precise", help="Poll the clock before each event: more CPU time, less lateness.")
    ] = False,
    max_lateness: Annotated[
        str, typer.Option("--max-lateness", metavar="TIME", help="Bound of the 99th percentile of lateness.")
    ] = "2 ms",
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 5 if the run is late or a program fails.")
    ] = False,
    json: options.Json = False,
    out: options.Out = None,
    trace: options.Trace = False,
    pcapng: Annotated[
        Path | None, typer.Option("--pcapng", metavar="FILE", help="Write all frames as Wireshark reads them.")
    ] = None,
    virtual: Annotated[
        bool, typer.Option("--virtual", help="Run in virtual time, as `hoplab real` with one seed.")
    ] = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Run real programs over a simulated network, in real time."""
    set_verbosity(quiet=quiet, verbose=verbose)
    if inside is not None:
        node, _, command = inside.partition(":")
        raise typer.Exit(enter(node, ["/bin/sh", "-c", command] if command else []))
    if file is None:
        raise UsageError("missing FILE", hint="hoplab live FILE, or hoplab live --enter NODE")
    if virtual:
        refuse_virtual(shell=shell, precise=precise)
        in_virtual_time(
            scenario_for(file, set_keys, length),
            commands_of(execute or [], None),
            None,
            Wishes(json=json, out=out, trace=trace, pcapng=pcapng, force=force, strict=strict),
        )
        return
    if trace and out is None:
        raise UsageError("--trace requires an output directory", hint="add --out DIR")
    pace = Pace(options.seconds_of("--max-lateness", max_lateness), precise)
    scenario = scenario_for(file, set_keys, length)
    commands = commands_of(execute or [], shell)
    if pcapng is not None:
        output.new_files(captures(str(pcapng), [scenario.seed]), force=force)
    folder = None if out is None else output.prepare(out, force=force)
    with scratch("packets") as kept:
        done = run_live(scenario, commands, pace, kept / "packets.txt")

        def repeated(work: Path | None) -> Runs:
            duration_s = done.pace["end_ns"] * 1e-9
            runs = run_scenario(
                done.replay,
                seeds=[scenario.seed],
                series_interval_s=None if work is None else duration_s / SERIES_SAMPLES,
                trace=work if trace else None,
                pcapng=pcapng,
                progress=False if is_quiet() else None,
            )
            check(done, runs[0])
            warn_all(runs.warnings)
            print(runs.json_lines().rstrip() if json else shown(runs, done))
            return runs

        if folder is None:
            repeated(None)
        else:
            with output.staged(folder) as work:
                store(work, repeated(work), done.replay, folder, is_traced=trace, more=texts_of(done))
            info(f"report, tables and recorded packets: {folder}")
    failed = [program for program in done.programs[-1:] if program["status"] != 0]
    if done.is_interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)
    if strict and (done.grade == "late" or failed):
        raise typer.Exit(EXIT_VERDICT)
