"""`hoplab rerun`: repeat the runs of a directory, and compare their fingerprints."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.artifact.rerun import engine_note
from hoplab.artifact.rerun import rerun as repeat
from hoplab.artifact.stored import read_runs
from hoplab.base.engine import core
from hoplab.base.errors import EXIT_OK, EXIT_PARTIAL, EXIT_VERDICT
from hoplab.cli import consent, options
from hoplab.cli.console import info, is_quiet, set_verbosity

if TYPE_CHECKING:
    from hoplab.artifact.rerun import Outcome

LISTED = 10
"""Runs that are named one by one; the rest is counted."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rerun")(rerun)


def rerun(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="What run --out, compare --out or sweep left.")],
    run_controllers: consent.RunControllers = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Repeat stored runs; compare fingerprints.

    Exit code 0: all are equal; 5: some differ, and are named. The directory is not changed.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    stored = read_runs(directory)
    if not run_controllers:
        consent.refuse_controllers(directory, (place.name for place in stored.controllers), "rerun")
    note = engine_note(stored.engine, str(core().version()))
    if note:
        info(f"warning: {note}")
    outcome = repeat(stored, threads=threads, progress=False if is_quiet() else None)
    print(jsonlib.dumps(_plain(outcome, note), ensure_ascii=False) if json else described(outcome))
    if stored.missing:
        info(f"partial: {stored.missing} planned runs of {directory} are not stored, and were not repeated")
    raise typer.Exit(EXIT_VERDICT if outcome.differences else EXIT_PARTIAL if stored.missing else EXIT_OK)


def described(outcome: Outcome) -> str:
    """The outcome in words: a line per run that differs."""
    stored, differing = outcome.stored, outcome.differences
    count = len(stored.runs)
    lines = [f"{stored.folder}: {outcome.equal} of {count} runs of hoplab {stored.kind} have the stored fingerprint"]
    lines += [f"  {difference}" for difference in differing[:LISTED]]
    if len(differing) > LISTED:
        lines.append(f"  ... and {len(differing) - LISTED} more")
    return "\n".join(lines)


def _plain(outcome: Outcome, note: str | None) -> dict[str, object]:
    """Content of `--json`."""
    stored = outcome.stored
    return {
        "kind": stored.kind,
        "stored_engine": stored.engine,
        "engine": outcome.engine,
        "note": note,
        "runs": len(stored.runs),
        "equal": outcome.equal,
        "missing": stored.missing,
        "differing": [
            {
                "run": one.run.label,
                "seed": one.run.seed,
                "stored": one.run.fingerprint,
                "found": one.found or None,
                "layers": list(one.layers),
                "error": one.error or None,
            }
            for one in outcome.differences
        ],
    }
