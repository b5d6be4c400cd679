"""`hoplab live`: real programs over the simulated network, in real time."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from hoplab.base.errors import EXIT_INTERRUPTED, EXIT_VERDICT, HoplabError, UsageError
from hoplab.cli import options, output
from hoplab.cli.commands.run import describe, store
from hoplab.cli.console import info, is_quiet, set_verbosity, text_table, warn_all
from hoplab.running.execution import SERIES_SAMPLES, captures
from hoplab.running.execution import run as run_scenario
from hoplab.running.live.session import NODE, Command, LiveRun, Pace, enter, run_live, scenario_of

if TYPE_CHECKING:
    from hoplab.running.runs import Run, Runs

PROTOCOLS = {1: "icmp", 2: "igmp", 6: "tcp", 17: "udp", 132: "sctp"}
"""Names of IP protocol numbers (IANA)."""

MAX_SHOWN = 20
"""Conversations on the terminal; `--json` and `live.json` have them all."""


class WithPrograms(TyperCommand):
    """A command whose option `--exec` takes two words, NODE COMMAND, or one, NODE:COMMAND."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line with one word after each `--exec`."""
        return super().parse_args(ctx, one_word_each(args))


def one_word_each(args: list[str]) -> list[str]:
    """A command line in which `--exec NODE COMMAND` is `--exec NODE:COMMAND`."""
    words, rest = [], list(args)
    while rest:
        words.append(rest.pop(0))
        if words[-1] == "--":
            return words + rest
        if words[-1] == "--exec" and len(rest) > 1 and NODE.fullmatch(rest[0]):
            words.append(f"{rest.pop(0)}:{rest.pop(0)}")
    return words


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("live", cls=WithPrograms)(live)


def live(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Scenario file (TOML).", show_default=False)
    ] = None,
    set_keys: options.SetKeys = None,
    execute: Annotated[
        list[str] | None,
        typer.Option(
            "--exec",
            metavar="NODE COMMAND",
            help="Run a command at a node (also NODE:COMMAND); {0}, {first}, {last} are addresses. Repeatable; "
            "the last one ends the run.",
        ),
    ] = None,
    shell: Annotated[
        str | None, typer.Option("--shell", metavar="NODE", help="Open a shell at a node; its end ends the run.")
    ] = None,
    inside: Annotated[
        str | None,
        typer.Option("--enter", metavar="NODE[:COMMAND]", help="Enter a node of the network that runs; no FILE."),
    ] = None,
    length: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="Length of the run. [default: duration of the scenario]")
    ] = None,
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
    trace: Annotated[
        bool, typer.Option("--trace", help="With --out: store every event and sampled state, and show them over time.")
    ] = False,
    pcapng: Annotated[
        Path | None, typer.Option("--pcapng", metavar="FILE", help="Write all frames as Wireshark reads them.")
    ] = None,
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
    if trace and out is None:
        raise UsageError("--trace requires an output directory", hint="add --out DIR")
    pace = Pace(options.seconds_of("--max-lateness", max_lateness), precise)
    overrides = options.overrides_of(set_keys)
    if length is not None:
        overrides = (*overrides, ("duration", f'"{options.seconds_of("--for", length)!r} s"'))
    scenario = scenario_of(file, overrides)
    commands = commands_of(execute or [], shell)
    if pcapng is not None:
        output.new_files(captures(str(pcapng), [scenario.seed]), force=force)
    folder = None if out is None else output.prepare(out, force=force)
    with tempfile.TemporaryDirectory(prefix="hoplab-packets-") as kept:
        done = run_live(scenario, commands, pace, Path(kept) / "packets.txt")

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
            _check(done, runs[0])
            warn_all(runs.warnings)
            print(runs.json_lines().rstrip() if json else _shown(runs, done))
            return runs

        if folder is None:
            repeated(None)
        else:
            with output.staged(folder) as work:
                texts = {"live.json": done.to_json()}
                texts.update({f"program-{index}.txt": text for index, text in enumerate(done.outputs)})
                store(work, repeated(work), done.replay, folder, is_traced=trace, more=texts)
            info(f"report, tables and recorded packets: {folder}")
    failed = [program for program in done.programs[-1:] if program["status"] != 0]
    if done.is_interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)
    if strict and (done.grade == "late" or failed):
        raise typer.Exit(EXIT_VERDICT)


def commands_of(execute: list[str], shell: str | None) -> list[Command]:
    """Commands of a command line, that of the shell last.

    Raises
    ------
    UsageError
        If one lacks a node or a command.
    """
    commands = []
    for text in execute:
        node, colon, command = text.partition(":")
        if not colon or not command.strip():
            raise UsageError(
                f"--exec: invalid value {text!r}", hint="expected NODE COMMAND, such as --exec 0 'ping -c 3 {last}'"
            )
        commands.append(Command(node, command.strip()))
    if shell is not None:
        if not sys.stdin.isatty():
            raise UsageError("--shell requires a terminal", hint="use --exec NODE COMMAND in scripts")
        commands.append(Command(shell, 'exec "${SHELL:-/bin/sh}"', is_shell=True))
    return commands


def _check(done: LiveRun, run: Run) -> None:
    """The repetition must have the event sequence of the run in real time.

    Raises
    ------
    HoplabError
        If it has another.
    """
    if run.fingerprint != done.pace["fingerprint"]:
        raise HoplabError(
            f"the repetition differs from the run in real time: fingerprint {run.fingerprint}, expected "
            f"{done.pace['fingerprint']}",
            hint="this is a bug in hoplab: please report the scenario and packets.txt",
        )


def _shown(runs: Runs, done: LiveRun) -> str:
    """What people read: the network, conversations, programs and lateness."""
    report = runs[0].live or {}
    head = (
        f"{runs.scenario.name}: {runs[0].sim_s:.3f} s in real time, {len(report.get('nodes', []))} nodes with a device"
    )
    lines = [head, *describe(runs).split("\n")[1:], ""]
    conversations = report.get("conversations", [])
    if conversations:
        shown = sorted(conversations, key=lambda one: -one["bytes"])[:MAX_SHOWN]
        header = ["from", "to", "protocol", "packets", "bytes", "delivered", "delay mean (ms)", "max (ms)", "dropped"]
        lines += [text_table(header, [_row(one) for one in shown], left=3), ""]
        if len(conversations) > len(shown):
            lines += [f"{len(conversations) - len(shown)} more conversations: --json, or --out DIR", ""]
    for program in done.programs:
        status = "ended by hoplab" if (program["status"] or 0) < 0 else f"status {program['status']}"
        lines.append(f"node {program['node']}: {program['command']}: {status}")
    late = done.pace["lateness"]
    cells = ", ".join(
        f"{name} {_ms(late[key])}" for name, key in (("p50", "p50_s"), ("p99", "p99_s"), ("max", "max_s"))
    )
    lines.append(f"lateness         {done.grade}: {late['deliveries']} deliveries, {cells}")
    if late["beyond"]:
        worst = ", ".join(
            f"{moment['at_s']:.3f} s ({_ms(moment['late_s'])})" for moment in late["worst"][: min(late["beyond"], 5)]
        )
        lines.append(f"                 {late['beyond']} later than {_ms(late['bound_s'])}; the latest at {worst}")
    if done.ring_drops:
        lines.append(
            f"                 devices dropped {done.ring_drops} packets: programs send faster than hoplab reads"
        )
    if not done.realtime:
        lines.append("                 without real-time priority: run as root, or with CAP_SYS_NICE")
    if refused := done.pace["refused"]:
        lines.append("refused packets  " + ", ".join(f"{reason} {count}" for reason, count in refused.items()))
    return "\n".join(lines)


def _row(one: dict[str, object]) -> list[str]:
    def end(node: str, port: str) -> str:
        name = "*" if one[node] is None else str(one[node])
        return f"{name}:{one[port]}" if one[port] else name

    protocol = int(str(one["protocol"]))
    dropped = one["dropped"]
    reasons = ", ".join(f"{reason} {count}" for reason, count in dropped.items()) if isinstance(dropped, dict) else ""
    return [
        end("from", "from_port"),
        end("to", "to_port"),
        PROTOCOLS.get(protocol, str(protocol)),
        *(str(one[key]) for key in ("packets", "bytes", "delivered")),
        _ms(one["delay_mean_s"], unit=""),
        _ms(one["delay_max_s"], unit=""),
        reasons or "-",
    ]


def _ms(seconds: object, unit: str = " ms") -> str:
    return "-" if seconds is None else f"{float(str(seconds)) * 1e3:.3f}{unit}"
