"""`hoplab demo`: the first study, end to end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hoplab.base.errors import UsageError
from hoplab.base.numbers import counted
from hoplab.cli import options, output
from hoplab.cli.console import info, is_quiet, set_verbosity, text_table, warn_all
from hoplab.demo import chains
from hoplab.report.record import RECORD, Record

DEFAULT_OUT = Path("hoplab-demo")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Output directory.")] = DEFAULT_OUT,
    seeds: options.Seeds = "10",
    hops: Annotated[str, typer.Option("--hops", metavar="HOPS", help="Chains to run, such as 1..16 or 4,8.")] = "1..16",
    force: options.Force = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Compare three TCP variants over 1 to 16 hops.

    NewReno, SACK and Vegas over chains, with a report.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    lengths = options.axes_of([f"topology.hops={hops}"])["topology.hops"]
    if not all(isinstance(length, int) for length in lengths):
        raise UsageError(f"--hops: invalid value {hops!r}", hint="expected a range (1..16) or a list (4,8,16)")
    folder = output.prepare(out, force=force)
    study = chains.run_study(hops=lengths, seeds=seeds, threads=threads, progress=False if is_quiet() else None)
    comparison = study.comparison
    warn_all(comparison.warnings)
    for metric in ("goodput_bps", "retransmissions"):
        table = chains.table(study, metric)
        print(f"{table.title}: mean \N{PLUS-MINUS SIGN} 95 % interval, n = {len(comparison.seeds)}\n")
        print(text_table(table.header, table.rows, left=0), end="\n\n")
    sys.stdout.flush()
    page = chains.report(study, command=_command(seeds, hops))
    output.write_all(
        folder,
        texts={
            "report.html": page.to_html(),
            "runs.jsonl": comparison.json_lines(),
            "scenario.toml": chains.SCENARIO,
            RECORD: Record("demo", _command(seeds, hops)).to_json(),
        },
        tables={"flows": comparison.flows, "goodput": comparison.summary()},
    )
    runs = len(comparison.points) * len(comparison.seeds)
    info(f"{counted(runs, 'run')} in {study.wall_s:.1f} s")
    print(f"report: {(folder / 'report.html').resolve()}")


def _command(seeds: str, hops: str) -> str:
    return f"hoplab demo --seeds {seeds} --hops {hops} --force"
