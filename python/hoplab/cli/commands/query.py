"""`hoplab query`: SQL over the results of a sweep."""

from __future__ import annotations

import csv
import io
import json as jsonlib
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoplab.base.errors import InputError, UsageError
from hoplab.base.table import inert
from hoplab.cli import options
from hoplab.cli.console import set_verbosity, text_table
from hoplab.store import open_results
from hoplab.store.catalog import PLAN
from hoplab.store.results import ask_run

if TYPE_CHECKING:
    from hoplab.base.table import Table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("query")(query)


def query(
    sql: Annotated[
        str,
        typer.Argument(metavar="SQL", help="A query over points, runs, flows, ...; of a traced run events, samples."),
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="Left by sweep or run --out. [default: . or the one in results/]"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per row and line.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="CSV with a header line.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Query stored results with SQL.

    The dialect is DuckDB's: "SELECT hops, avg(goodput_bps) FROM runs GROUP BY hops".
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    if json and csv:
        raise UsageError("--json and --csv exclude each other")
    if folder is not None and folder.is_dir() and not (folder / PLAN).exists():
        table: Table = ask_run(folder, sql)
    else:
        table = open_results(folder if folder is not None else results_here()).sql(sql)
    if csv:
        sys.stdout.write(csv_text(table))
    elif json:
        for row in table.rows():
            sys.stdout.write(jsonlib.dumps({key: plain(value) for key, value in row.items()}, default=str) + "\n")
    else:
        print(text_table(table.names, [[shown(value) for value in row.values()] for row in table.rows()], left=0))


def results_here() -> Path:
    """The current directory if it holds results, else the only results in ./results.

    Raises
    ------
    InputError
        If there are none, or several.
    """
    here = Path()
    if (here / PLAN).is_file():
        return here
    found = sorted(place.parent for place in (here / "results").glob(f"*/{PLAN}"))
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"several results: {', '.join(map(str, found))}", hint="name the directory")
    raise InputError("no results found", hint="name the directory that hoplab sweep wrote")


def csv_text(table: Table) -> str:
    """A table as CSV; missing values are empty, numbers keep every digit, and no text is a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.names)
    for row in table.rows():
        cells = map(plain, row.values())
        writer.writerow(["" if cell is None else inert(cell) if isinstance(cell, str) else cell for cell in cells])
    return buffer.getvalue()


def plain(value: Any) -> Any:
    """A cell for JSON or CSV: missing numbers are None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(value: Any) -> str:
    """A cell for people."""
    cell = plain(value)
    if cell is None:
        return "-"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
