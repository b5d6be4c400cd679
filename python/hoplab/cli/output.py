"""The directory of `--out`: created before the first run, filled after the last."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hoplab.base.errors import OutputError

if TYPE_CHECKING:
    from hoplab.base.table import Table
    from hoplab.running.comparing import Comparison
    from hoplab.scenario.model import Scenario


def prepare(folder: Path, *, force: bool) -> Path:
    """Create the directory and check that it is writable, before the runs.

    Raises
    ------
    OutputError
        If it cannot be created or written, or is not empty and `force` is False.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        taken = any(folder.iterdir())
    except FileExistsError:
        raise OutputError(f"{folder}: not a directory, expected an output directory") from None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    if taken and not force:
        raise OutputError(f"{folder}: directory is not empty", hint="name another directory, or add --force")
    return folder


def new_files(paths: Iterable[str], *, force: bool) -> None:
    """Check that files can be written, before the runs.

    Raises
    ------
    OutputError
        If one cannot be written, or exists and `force` is False.
    """
    for path in map(Path, paths):
        check_target(path, force=force)
        if not path.parent.is_dir():
            raise OutputError(f"{path}: cannot be written: directory {path.parent} not found")


def check_target(path: Path, *, force: bool, remedy: str = "name another file") -> None:
    """Refuse an existing file unless `force`, and an irregular file in any case.

    Raises
    ------
    OutputError
        The hint is `remedy`, and `--force` for an existing file.
    """
    from hoplab.store import files  # noqa: PLC0415 (the package loads the statistics)

    kind = files.kind_of(path)
    if kind == "a file" and not force:
        raise OutputError(f"{path}: file exists", hint=f"{remedy}, or add --force")
    if kind not in {None, "a file"}:
        raise OutputError(f"{path}: is {kind}, expected a regular file or a new name", hint=remedy)


def portable(scenario: Scenario, folder: Path) -> tuple[str, dict[str, str]]:
    """A resolved scenario as stored in a directory, and its keys that name files, with their copies."""
    from hoplab.store.kept_files import KeptFiles  # noqa: PLC0415

    kept, seen_from = KeptFiles(folder), Path(scenario.path).parent
    with _writing(folder):
        toml = kept.portable(scenario.resolve().toml, seen_from, folder)
        return toml, kept.overrides(scenario.text, scenario.overrides, seen_from)


def as_given(comparison: Comparison, folder: Path) -> tuple[Comparison, str, dict[str, str]]:
    """A comparison as stored in a directory: with copies of its controllers, its scenario, and its keys with copies.

    The scenario has no default filled in, so that `--over` of another command may vary any of its keys.
    """
    from hoplab.running.storing import with_copies  # noqa: PLC0415
    from hoplab.scenario.model import Scenario  # noqa: PLC0415
    from hoplab.scenario.overriding import with_overrides  # noqa: PLC0415
    from hoplab.scenario.tomltext import literal  # noqa: PLC0415
    from hoplab.store.kept_files import KeptFiles  # noqa: PLC0415

    given, kept = comparison.scenario, KeptFiles(folder)
    with _writing(folder):
        copies = kept.overrides(given.text, given.overrides, Path(given.path).parent)
        overrides = (*given.overrides, *((key, literal(name)) for key, name in copies.items()))
        toml = with_overrides(Scenario(given.text, str(folder / "scenario.toml"), overrides))
        return with_copies(comparison, kept), toml, copies


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A directory inside `folder` whose files replace those of `folder` if the block ends without an error.

    Until then, and after an error, `folder` keeps its results. Tables without a replacement are removed, so that all
    files belong to one run.

    Raises
    ------
    OutputError
        If a file cannot be written or replaced.
    """
    with _writing(folder):
        work = Path(tempfile.mkdtemp(prefix=".hoplab-", dir=folder))
    try:
        yield work
        with _writing(folder):
            _swap(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def fill(folder: Path, *, texts: Mapping[str, str], tables: Mapping[str, Table]) -> None:
    """Write texts unchanged, tables as CSV and Parquet, and checksums."""
    from hoplab.store.checksums import write_checksums  # noqa: PLC0415 (loads what only stored tables need)

    with _writing(folder):
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        for name, table in tables.items():
            table.to_csv(folder / f"{name}.csv")
            table.to_parquet(folder / f"{name}.parquet")
        if tables:
            write_checksums(folder)


def write_all(folder: Path, *, texts: Mapping[str, str], tables: Mapping[str, Table]) -> None:
    """Write texts and tables to a directory, all or none; see `staged` and `fill`."""
    with staged(folder) as work:
        fill(work, texts=texts, tables=tables)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error


def _swap(work: Path, folder: Path) -> None:
    from hoplab.store import files  # noqa: PLC0415
    from hoplab.store.checksums import SEAL, sealed_names  # noqa: PLC0415

    made = sorted(path.name for path in work.iterdir() if path.is_file())
    for name in made:
        files.refuse_irregular(folder / name)
        files.sync(work / name)  # detects a full disk before files are replaced
    if SEAL in made:
        stale = sealed_names(folder) - set(made)
        (folder / SEAL).unlink(missing_ok=True)
        for name in stale:
            for path in (folder / name, (folder / name).with_suffix(".csv")):
                if path.name not in made and files.kind_of(path) == "a file":
                    path.unlink()
    for name in sorted(made, key=lambda name: name == SEAL):  # checksums last: results without them are invalid
        (work / name).replace(folder / name)
    files.sync(folder)
