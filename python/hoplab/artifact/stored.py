"""The runs of a directory of results, with all that repeats them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.report.record import RECORD, Record, read_record
from hoplab.report.stored import RUNS, stored_comparison, stored_lines
from hoplab.running.runs import Run
from hoplab.scenario.model import Scenario
from hoplab.store.catalog import PLAN, load_catalog, present
from hoplab.store.checksums import verify
from hoplab.store.kept_files import named_keys, registered_classes
from hoplab.store.run_store import RunStore

REPEATABLE = ("run", "compare", "sweep")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run: the fingerprint that is stored, and the scenario that repeats it.

    Attributes
    ----------
    label : str
        What sets it apart from the other runs: axes and seed, or its directory.
    text, path, overrides
        The scenario as `Scenario` has them.
    layers : mapping
        Fingerprint of each layer.
    """

    label: str
    seed: int
    fingerprint: str
    text: str = field(repr=False)
    path: str
    overrides: tuple[tuple[str, str], ...] = field(repr=False)
    layers: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class StoredRuns:
    """The runs of one directory.

    Attributes
    ----------
    kind : {"run", "compare", "sweep"}
        The command that made them.
    engine : str
        Version and trajectory number of the engine, such as ``0.2.0+t6``; empty where it is not stored.
    record : Record or None
        Provenance; None for a sweep that was interrupted before its report.
    missing : int
        Planned runs of a sweep that are not stored.
    files : tuple of Path
        Files that the scenarios name, each once.
    controllers : tuple of Path
        Those that are Python files, which runs execute.
    """

    folder: Path
    kind: str
    engine: str
    record: Record | None
    runs: tuple[StoredRun, ...]
    missing: int = 0
    files: tuple[Path, ...] = ()
    controllers: tuple[Path, ...] = ()


def read_runs(folder: str | Path) -> StoredRuns:
    """Read what `hoplab run --out`, `compare --out` or `sweep` left in a directory; no run is executed.

    Raises
    ------
    InputError
        If it holds no such results, is damaged, or a file is missing that its scenarios name.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "not a directory" if folder.exists() else "directory not found"
        raise InputError(f"{folder}: {what}, expected a directory of results")
    record = read_record(folder)
    if (folder / PLAN).exists():
        return _with_files(*_of_sweep(folder), folder, record)
    if record is None:
        raise InputError(
            f"{folder}: {RECORD} is missing: not a directory of results, or one of hoplab 0.1",
            hint="run --out, compare --out and sweep write directories that can be repeated",
        )
    if record.kind not in REPEATABLE or record.scenario is None:
        raise InputError(
            f"{folder}: results of hoplab {record.kind}, expected those of run, compare or sweep",
            hint=f"its command repeats them: {record.command}",
        )
    runs = _of_comparison(folder, record) if record.kind == "compare" else _of_run(folder, record.scenario)
    return _with_files(tuple(runs), record.engine, 0, folder, record)


def _of_run(folder: Path, scenario: Scenario) -> Iterator[StoredRun]:
    verify(folder, [RUNS])
    for run in stored_lines(folder / RUNS):
        yield _stored(f"seed {run.seed}", run, scenario)


def _of_comparison(folder: Path, record: Record) -> Iterator[StoredRun]:
    comparison = stored_comparison(folder, record)
    for point in comparison.points:
        where = [comparison.names[point.transport], *(f"{key} = {value}" for key, value in point.at)]
        for run in point.runs:
            yield _stored(", ".join([*where, f"seed {run.seed}"]), run, point.runs.scenario)


def _stored(label: str, run: Run, scenario: Scenario) -> StoredRun:
    place = (scenario.text, scenario.path, scenario.overrides)
    return StoredRun(label, run.seed, run.fingerprint, *place, run.fingerprints)


def _of_sweep(folder: Path) -> tuple[tuple[StoredRun, ...], str, int]:
    """The runs of a sweep, its engine, and how many planned runs are not stored."""
    catalog, store = load_catalog(folder), RunStore(folder)
    done = present(catalog, store)
    damaged = [run for run in done if store.state(run) != "done"]
    if damaged:
        raise InputError(
            f"{store.path_of(damaged[0])}: checksum mismatch in {len(damaged)} of {len(done)} stored runs",
            hint="hoplab sweep executes them again, with the scenario and the --out of this directory",
        )
    runs = []
    for run in done:
        manifest, place = store.manifest(run) or {}, store.path_of(run) / "scenario.toml"
        result = store.result(run)
        runs.append(
            StoredRun(
                f"runs/{run}, seed {manifest['seed']}",
                int(manifest["seed"]),
                str(result["fingerprint"]),
                regular_files.read_text(place),
                str(place),
                (),
                result.get("fingerprints", {}),
            )
        )
    return tuple(runs), catalog.engine, len(catalog.runs) - len(done)


def _with_files(
    runs: Sequence[StoredRun], engine: str, missing: int, folder: Path, record: Record | None
) -> StoredRuns:
    """The runs with the files that they name, which must be there.

    Raises
    ------
    InputError
        If one is missing, or a class that a program registered is needed.
    """
    named: dict[Path, bool] = {}
    for text, path, overrides in dict.fromkeys((run.text, run.path, run.overrides) for run in runs):
        for key, value in named_keys(text, overrides).items():
            is_python = key.endswith("controller")
            named[Path(path).parent / (value.rpartition(":")[0] if is_python else value)] = is_python
        for name in registered_classes(text, overrides):
            raise InputError(
                f"{folder}: {name} is a class that a program registered, of which no file is stored",
                hint="repeat it in that program, or name the file of the class, such as mine.py:Mine",
            )
    for place in named:
        if not place.is_file():
            is_copy = folder in place.parents
            raise InputError(
                f"{place}: file not found, named by the scenario of {folder}",
                hint="restore the directory from where it was copied"
                if is_copy
                else "hoplab up to 0.2 kept no copy in the directory: work where the file is, or run the command again",
            )
    kind = "sweep" if (folder / PLAN).exists() else record.kind if record else ""
    python = tuple(place for place, is_python in named.items() if is_python)
    return StoredRuns(folder, kind, engine, record, tuple(runs), missing, tuple(named), python)
