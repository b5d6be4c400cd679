"""The directory of `--out`: made before anything runs, filled when all is done."""

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
    from hoplab.scenario.model import Scenario


def prepare(folder: Path, *, force: bool) -> Path:
    """Make the directory, and find out now rather than after the runs whether it can be written.

    Raises
    ------
    OutputError
        If it cannot be made or written, or holds something already and `force` is not given.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        taken = any(folder.iterdir())
    except FileExistsError:
        raise OutputError(f"{folder}: is a file, expected a directory to write to") from None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    if taken and not force:
        raise OutputError(f"{folder}: holds something already", hint="name another directory, or add --force")
    return folder


def new_files(paths: Iterable[str], *, force: bool) -> None:
    """Find out now rather than after the runs whether files can be written.

    Raises
    ------
    OutputError
        If one cannot, or is there already and `force` is not given.
    """
    for path in map(Path, paths):
        check_target(path, force=force)
        if not path.parent.is_dir():
            raise OutputError(f"{path}: cannot be written: there is no directory {path.parent}")


def check_target(path: Path, *, force: bool, remedy: str = "name another file") -> None:
    """Refuse a file that is there already, unless `force`; and whatever is no regular file, in any case.

    Raises
    ------
    OutputError
        The hint is `remedy`, and `--force` where that helps.
    """
    from hoplab.store import files  # noqa: PLC0415 (the package loads the statistics)

    kind = files.kind_of(path)
    if kind == "a file" and not force:
        raise OutputError(f"{path}: is there already", hint=f"{remedy}, or add --force")
    if kind not in {None, "a file"}:
        raise OutputError(f"{path}: is {kind}, not a regular file, and is not replaced", hint=remedy)


def portable(scenario: Scenario, folder: Path) -> tuple[str, dict[str, str]]:
    """A resolved scenario as it is stored in a directory, and its keys that name files, with the copies there."""
    from hoplab.store.kept_files import KeptFiles  # noqa: PLC0415

    kept, seen_from = KeptFiles(folder), Path(scenario.path).parent
    with _writing(folder):
        toml = kept.portable(scenario.resolve().toml, seen_from, folder)
        return toml, kept.overrides(scenario.text, scenario.overrides, seen_from)


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A directory inside `folder` whose files take their places in it when the block ends without an error.

    Until then, and after an error, the results that `folder` holds are as they were. Tables of theirs that have no
    successor go: what remains is of one run.

    Raises
    ------
    OutputError
        If something cannot be written or put in its place.
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
    """Write each text as it is, each table as CSV and Parquet, and checksums of what is read again."""
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
    """Put texts and tables into a directory, all of them or none; see `staged` and `fill`."""
    with staged(folder) as work:
        fill(work, texts=texts, tables=tables)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error


def _swap(work: Path, folder: Path) -> None:
    from hoplab.report.record import FORMER_RECORD, RECORD  # noqa: PLC0415
    from hoplab.store import files  # noqa: PLC0415
    from hoplab.store.checksums import SEAL, sealed_names  # noqa: PLC0415

    made = sorted(path.name for path in work.iterdir() if path.is_file())
    for name in made:
        files.refuse_irregular(folder / name)
        files.sync(work / name)  # a full disk shows here, before anything old is touched
    if SEAL in made:
        stale = sealed_names(folder) - set(made)
        (folder / SEAL).unlink(missing_ok=True)
        for name in stale:
            for path in (folder / name, (folder / name).with_suffix(".csv")):
                if path.name not in made and files.kind_of(path) == "a file":
                    path.unlink()
    for name in sorted(made, key=lambda name: name == SEAL):  # checksums last: without them nothing is believed
        (work / name).replace(folder / name)
    if RECORD in made and files.kind_of(folder / FORMER_RECORD) == "a file":
        (folder / FORMER_RECORD).unlink()  # it describes the former results
    files.sync(folder)
