"""`hoplab validate`: the engine against its references."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.engine import core
from hoplab.base.errors import EXIT_OK, EXIT_VERDICT, OutputError, UsageError
from hoplab.cli import options
from hoplab.cli.console import info, is_quiet, print_verdicts, set_verbosity
from hoplab_validation.peers.verdict import COLORS, plain_table
from hoplab_validation.validate import report
from hoplab_validation.validate.parts import plans
from hoplab_validation.validate.plan import FULL, NORMAL, QUICK, carry_out

if TYPE_CHECKING:
    from hoplab_validation.validate.plan import Outcome

DEFAULT_OUT = Path("validation")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("validate", epilog="Exit code 5 when a row differs.")(validate)


def validate(
    parts: Annotated[list[str] | None, typer.Argument(metavar="[PART]...", help="Parts to run. [default: all]")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and seeds: under a minute.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Three times the seeds.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Output directory.")] = DEFAULT_OUT,
    all_rows: Annotated[bool, typer.Option("--all", help="Print every row, also those that agree.")] = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Validate the engine against ns-2, ns-3, and models.

    References: exact vectors, Bianchi's model, stored tables of ns-2 and ns-3, and ns-2 itself where it is installed.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    if quick and full:
        raise UsageError("--quick and --full exclude each other")
    depth = QUICK if quick else FULL if full else NORMAL
    chosen = plans(parts or [], depth)
    outcomes = carry_out(chosen, threads=threads, progress=False if is_quiet() else None)
    version = str(core().version())
    texts = {
        "validation.json": report.as_json(outcomes, depth, version),
        "validation.md": report.as_markdown(outcomes, depth, version),
    }
    _write(out, texts)
    if json:
        print(texts["validation.json"])
    else:
        print_verdicts(_describe(outcomes, every=all_rows), COLORS)
    info(f"report: {out / 'validation.md'}")
    raise typer.Exit(EXIT_OK if report.passed(outcomes) else EXIT_VERDICT)


def _describe(outcomes: list[Outcome], *, every: bool) -> str:
    """Each part with its counts and the rows that differ, or all rows."""
    lines = []
    for outcome in outcomes:
        total, agree, differ, noted = report.counts(outcome.rows)
        state = f"skipped: {outcome.skipped}" if outcome.skipped else f"{agree} of {total} rows agree"
        extra = "".join(f", {n} {word}" for n, word in ((differ, "differ"), (noted, "differ, not decisive")) if n)
        lines.append(f"{outcome.part}: {outcome.title}\n  {state}{extra}")
        shown = [row for row in outcome.rows if every or not row.agrees]
        if shown:
            lines.append("\n".join("  " + line for line in plain_table(shown).splitlines()))
    lines.append("verdict: " + ("agrees" if report.passed(outcomes) else "differs"))
    return "\n".join(lines)


def _write(folder: Path, texts: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
