"""`hoplab import`: a measured mesh as a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from hoplab.base.engine import core
from hoplab.base.errors import InputError, UsageError
from hoplab.base.numbers import counted
from hoplab.base.scratch import scratch
from hoplab.cli import options, output
from hoplab.cli.console import info, set_verbosity, warn_all
from hoplab.scenario.importing import FORMATS, MeshError, read, to_files
from hoplab.scenario.importing.scenario import SCENARIO, Fill, Keep
from hoplab.scenario.importing.values import shown
from hoplab.scenario.model import Scenario


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_mesh)


def import_mesh(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file of a routing daemon or map.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where.", show_default=False)],
    format: Annotated[  # noqa: A002 (the name of the option)
        str | None, typer.Option("--format", metavar="NAME", help=f"One of {', '.join(FORMATS)}. [default: detected]")
    ] = None,
    types: Annotated[
        str | None, typer.Option("--types", metavar="A,B", help="Types of links that are radio, such as wifi24.")
    ] = None,
    keep: Annotated[
        str, typer.Option("--keep", metavar="WHICH", help="Nodes: of the largest part, or all.")
    ] = "largest",
    fill: Annotated[
        str, typer.Option("--fill", metavar="HOW", help="Missing power: refuse, level or propagation.")
    ] = "level",
    columns: Annotated[
        str | None, typer.Option("--map", metavar="A=B,...", help="Columns of the file: power_dbm=rssi,from=src.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Replace names by numbers, and places by distances.")
    ] = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> None:
    """Import a measured mesh as a scenario.

    Writes scenario.toml, the links, the nodes, and import.md, which says what was dropped, assumed and missing.
    """
    set_verbosity(quiet=quiet)
    chosen_keep, chosen_fill = _chosen("--keep", keep, get_args(Keep)), _chosen("--fill", fill, get_args(Fill))
    try:
        mesh = read(
            file,
            format=format,
            types=None if types is None else [name.strip() for name in types.split(",") if name.strip()],
            columns=_columns(columns),
        )
        found = to_files(
            mesh,
            source=file.name,
            keep=cast("Keep", chosen_keep),
            anonymous=anonymous,
            fill=cast("Fill", chosen_fill),
        )
    except MeshError as error:
        _list("dropped", error.dropped)
        raise
    info(f"{mesh.format}: {found.nodes} nodes, {counted(found.links, 'direction')} of links")
    for title, lines in (("dropped", found.dropped), ("assumed", found.assumed), ("missing", found.missing)):
        _list(title, lines)
    warnings = _warnings(found.texts, file)
    output.prepare(out, force=force)
    output.write_all(out, texts=found.texts, tables={})
    warn_all(warnings)
    print(out / SCENARIO)


def _list(title: str, lines: Iterable[str]) -> None:
    for line in lines:
        info(f"{title}: {line}")


def _warnings(texts: Mapping[str, str], file: Path) -> tuple[str, ...]:
    """Warnings of the scenario, which is loaded before any file is written.

    Raises
    ------
    InputError
        If it is refused.
    """
    with scratch("import") as folder:
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        try:
            return Scenario.from_file(folder / SCENARIO).resolve().warnings
        except core().ScenarioError as error:
            reason = str(error).replace(f"{folder}/", "")
            raise InputError(f"{shown(file)}: the mesh makes no valid scenario; nothing is written\n{reason}") from None


def _chosen(option: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise UsageError(f"{option}: unknown value {value}, expected {' or '.join(known)}")
    return value


def _columns(pairs: str | None) -> dict[str, str] | None:
    """Columns of `--map`.

    Raises
    ------
    UsageError
        If an entry has no equals sign.
    """
    if pairs is None:
        return None
    found = {}
    for pair in pairs.split(","):
        key, equals, name = pair.partition("=")
        if not equals or not key.strip() or not name.strip():
            raise UsageError(f"--map: invalid value {pair!r}", hint="expected COLUMN=NAME, such as power_dbm=rssi")
        found[key.strip()] = name.strip()
    return found
