"""`hoplab report`: one HTML page of stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoplab.base.errors import EXIT_OK, EXIT_PARTIAL, OutputError
from hoplab.base.metrics import metrics_named
from hoplab.cli import options, output
from hoplab.cli.console import info, set_verbosity, warn_all
from hoplab.report.animation.span import parse_span
from hoplab.report.directory import REPORT, report_of

GENERATOR = b'<meta name="generator" content="hoplab">'
HEAD_BYTES = 4096


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="What run --out, compare --out, sweep or reproduce left.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The page. [default: DIR/report.html]")
    ] = None,
    window: Annotated[
        str | None,
        typer.Option("--window", metavar="FROM..TO", help='Part of a traced run to animate, such as "20 s..35 s".'),
    ] = None,
    metrics: options.Metrics = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE even if it is no report of hoplab.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Build an HTML report from stored results.

    Figures, tables, verdicts and assumptions on one page. No run is executed.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    target = directory / REPORT if out is None else out
    shown = metrics_named(metrics) if metrics is not None else None
    found = report_of(directory, window=None if window is None else parse_span(window), metrics=shown)
    output.check_target(target, force=True, remedy="name another with --out")
    if not force and not _is_ours(target):
        raise OutputError(
            f"{target}: file exists and is not a report of hoplab", hint="name another file with --out, or add --force"
        )
    found.report.write(target)
    warn_all(found.report.warnings)
    print(f"report: {target}")
    if found.partial:
        info(f"partial: some runs of {directory} are missing")
    raise typer.Exit(EXIT_PARTIAL if found.partial else EXIT_OK)


def _is_ours(target: Path) -> bool:
    """Whether the path is free, or a report of hoplab."""
    try:
        with target.open("rb") as file:
            return GENERATOR in file.read(HEAD_BYTES)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
