"""The directory of `--out`: made before anything runs, filled when all is done."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hoplab.errors import OutputError

if TYPE_CHECKING:
    from hoplab.table import Table


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
        if path.exists() and not force:
            raise OutputError(f"{path}: is there already", hint="name another file, or add --force")
        if not path.parent.is_dir():
            raise OutputError(f"{path}: cannot be written: there is no directory {path.parent}")


def write_all(folder: Path, *, texts: Mapping[str, str], tables: Mapping[str, Table]) -> None:
    """Write each text as it is, each table as CSV and Parquet, and checksums of what is read again."""
    from hoplab.store.seal import break_seal, seal  # noqa: PLC0415 (loads what only stored tables need)

    try:
        break_seal(folder)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        for name, table in tables.items():
            table.to_csv(folder / f"{name}.csv")
            table.to_parquet(folder / f"{name}.parquet")
        if tables:
            seal(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
