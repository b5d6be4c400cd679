"""`hoplab export`: tables, traces and mobility files in other formats, and results packed with what repeats them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoplab.base.errors import InputError, OutputError, UsageError
from hoplab.cli import options, output
from hoplab.cli.commands.query import csv_text, results_here
from hoplab.cli.console import info, set_verbosity, warn_all
from hoplab.report.record import read_record
from hoplab.scenario.links import as_links
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import setdest_and_shift
from hoplab.store import files, ns2_trace, open_results
from hoplab.store.catalog import PLAN
from hoplab.store.merge import UNMERGED
from hoplab.store.trace import TABLES, has_trace, open_trace

FORMATS = ("csv", "parquet")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export)


def export(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="A sweep or traced run; any results with --artifact; a scenario with --setdest and --links. "
            "[default: . or the one in results/]",
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--format", metavar="FORMAT", help="csv or parquet.")] = "csv",
    tables: Annotated[
        str | None, typer.Option("--tables", metavar="A,B", help="Which tables. [default: all but series]")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where. [default: DIR/export]")] = None,
    movements: Annotated[
        Path | None,
        typer.Option("--setdest", metavar="OUT", help="Write a scenario's places and movements as a file of ns-2."),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option("--links", metavar="OUT", help="Write a scenario with its links as a list: OUT.toml and OUT.csv."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Of which run. [default: the scenario's; the first traced]"),
    ] = None,
    ns2_trace: Annotated[
        Path | None,
        typer.Option("--ns2-trace", metavar="OUT", help="Write the trace of run --trace as a wireless trace of ns-2."),
    ] = None,
    trace_format: Annotated[
        str, typer.Option("--trace-format", metavar="FORMAT", help="With --ns2-trace: old or new.")
    ] = "old",
    artifact: Annotated[
        Path | None,
        typer.Option(
            "--artifact", metavar="OUT", help="Pack results and a script that repeats them: OUT.zip or OUT.tar.gz."
        ),
    ] = None,
    set_keys: options.SetKeys = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files of the same name.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Export tables, traces, mobility files, or an artifact.

    The path of each file goes to stdout.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    if artifact is not None:
        _export_artifact(folder, artifact, force=force)
        return
    if movements is not None:
        _export_movements(folder, movements, seed=seed, set_keys=set_keys, force=force)
        return
    if links is not None:
        _export_links(folder, links, seed=seed, set_keys=set_keys, force=force)
        return
    if ns2_trace is not None:
        _export_ns2_trace(folder, ns2_trace, seed=seed, trace_format=trace_format, force=force)
        return
    if seed is not None or set_keys:
        raise UsageError("--seed, --set: supported with --setdest and --links only")
    if kind not in FORMATS:
        raise UsageError(f"--format: unknown value {kind}, expected {' or '.join(FORMATS)}")
    if folder is not None and folder.is_file():
        hint = f"from a scenario: hoplab export {folder} --setdest OUT or --links OUT; tables: run hoplab sweep first"
        raise InputError(f"{folder}: is a file, expected a directory of results", hint=hint)
    if folder is not None and has_trace(folder):
        _export_samples(folder, folder / "export" if out is None else out, kind, tables, force=force)
        return
    _export_tables(folder, out, kind, tables, force=force)


def _export_artifact(folder: Path | None, target: Path, *, force: bool) -> None:
    """Pack a directory of results. Directory and archive may be named in either order."""
    from hoplab.artifact import pack, read_runs  # noqa: PLC0415 (loads what reports need)
    from hoplab.artifact.pack import ending_of  # noqa: PLC0415

    if folder is not None and target.is_dir() and not folder.is_dir():
        folder, target = target, folder
    if folder is None:
        raise UsageError("--artifact requires a directory of results", hint="hoplab export DIR --artifact OUT.zip")
    ending_of(target)
    output.check_target(target, force=force, remedy="name another file with --artifact")
    stored = read_runs(folder)
    try:
        pack(stored, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    print(target)
    if stored.missing:
        info(f"warning: {stored.missing} planned runs of {folder} are missing")


def _export_tables(folder: Path | None, out: Path | None, kind: str, tables: str | None, *, force: bool) -> None:
    """Write the tables of a sweep."""
    if folder is not None and (folder / "flows.parquet").exists() and not (folder / PLAN).exists():
        raise InputError(
            f"{folder}: results of run or compare, expected those of a sweep or of run --trace",
            hint="their tables are CSV and Parquet files there; with --goodput-interval '1 s' goodput_intervals is one",
        )
    results = open_results(folder if folder is not None else results_here())
    names = [name.strip() for name in tables.split(",")] if tables else [t for t in results.tables if t not in UNMERGED]
    chosen = {name: results.table(name) for name in dict.fromkeys(names)}
    target = results.path / "export" if out is None else out
    paths = {name: target / f"{name}.{kind}" for name in chosen}
    for path in paths.values():
        output.check_target(path, force=force, remedy="name another directory with --out")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, table in chosen.items():
            if kind == "csv":
                paths[name].write_text(csv_text(table), encoding="utf-8", newline="")
            else:
                table.to_parquet(paths[name])
            print(paths[name])
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    if not results.complete:
        info(f"warning: {len(results.missing)} of {len(results.catalog.runs)} runs are missing")


def _export_samples(folder: Path, target: Path, kind: str, tables: str | None, *, force: bool) -> None:
    """Write what was sampled in a traced run, and with `--tables events` every event."""
    names = [name.strip() for name in tables.split(",")] if tables else ["samples"]
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise UsageError(f"--tables: unknown table {unknown[0]!r} of a traced run, expected {' or '.join(TABLES)}")
    paths = [target / f"{name}.{kind}" for name in names]
    for path in paths:
        output.check_target(path, force=force, remedy="name another directory with --out")
    trace = open_trace(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, path in zip(names, paths, strict=True):
            trace.copy(name, path, kind)
            print(path)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


def _export_ns2_trace(folder: Path | None, target: Path, *, seed: int | None, trace_format: str, force: bool) -> None:
    """Write a stored trace in a format of ns-2."""
    if trace_format not in ns2_trace.FORMS:
        raise UsageError(f"--trace-format: unknown value {trace_format}, expected {' or '.join(ns2_trace.FORMS)}")
    place = Path() if folder is None else folder
    trace, record = open_trace(place), read_record(place)
    scenario = None if record is None else record.scenario
    if scenario is None:
        raise InputError(f"{place}: the scenario of the trace is missing", hint="rerun hoplab run --trace --out")
    if seed is None:
        seed = trace.seeds[0]
    elif seed not in trace.seeds:
        raise UsageError(f"--seed: no trace of seed {seed}, expected {', '.join(map(str, trace.seeds))}")
    output.check_target(target, force=force, remedy="name another file with --ns2-trace")

    def write(place: Path) -> None:
        with place.open("w", encoding="utf-8", newline="") as file:
            for line in ns2_trace.lines(trace, scenario, seed=seed, form=trace_format):
                file.write(line + "\n")

    try:
        files.build(target, write)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    print(target)


def _export_links(
    file: Path | None, target: Path, *, seed: int | None, set_keys: list[str] | None, force: bool
) -> None:
    """Write a scenario whose links are listed, and the list beside it."""
    if file is None:
        raise UsageError("--links requires a scenario file", hint="hoplab export FILE --links OUT")
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    warn_all(scenario.resolve().warnings)
    base = target.with_suffix("") if target.suffix in {".csv", ".toml"} else target
    paths = [base.with_name(f"{base.name}{ending}") for ending in (".toml", ".csv")]
    for path in paths:
        output.check_target(path, force=force, remedy="name another file with --links")
    texts = as_links(scenario, file=paths[1].name, seed=seed)
    for path, text in zip(paths, texts, strict=True):
        try:
            files.replace(path, text.encode())
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
        print(path)


def _export_movements(
    file: Path | None, target: Path, *, seed: int | None, set_keys: list[str] | None, force: bool
) -> None:
    """Write what a run of a scenario uses: where nodes begin, and how they move."""
    if file is None:
        raise UsageError("--setdest requires a scenario file", hint="hoplab export FILE --setdest OUT")
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    warn_all(scenario.resolve().warnings)
    output.check_target(target, force=force, remedy="name another file with --setdest")
    text, shift = setdest_and_shift(scenario, seed=seed)
    if shift != (0.0, 0.0):
        info(f"positions are shifted by ({shift[0]:g}, {shift[1]:g}) m: ns-2 refuses coordinates at or below 0")
    try:
        files.replace(target, text.encode())
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error
    print(target)
