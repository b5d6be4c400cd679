"""The trace of a run on disk: `events.parquet`, every record, and `samples.parquet`, values read at regular times.

The engine writes the tables of each run while it goes on, on the thread of that run, so that a long run needs no more
memory than a short one. At the end the tables of all runs become one file each.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hoplab.base.engine import core
from hoplab.base.errors import InputError, OutputError
from hoplab.store import files
from hoplab.store.checksums import remove_checksums, verify, write_checksums
from hoplab.store.columns import connect, readable, view

if TYPE_CHECKING:
    import duckdb

TABLES = ("events", "samples")
Parameters = list[Any] | dict[str, Any]
"""Of a query: by place or by name."""


@dataclass
class TraceFolder:
    """A directory that traces of jobs are written to.

    Parameters
    ----------
    folder : Path
        Where; it must exist.
    jobs : int
        How many.
    """

    folder: Path
    jobs: int

    def __enter__(self) -> Self:
        self._beside.mkdir(exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._beside, ignore_errors=True)

    def prefix(self, index: int) -> str:
        """What the names of a job's files begin with, as the engine wants it."""
        return str(self._beside / f"{index}-")

    def finish(self) -> list[Path]:
        """Put the tables of all jobs together, in their order; the files, which replace older ones and have checksums.

        Raises
        ------
        OSError
            If they cannot be written.
        """
        remove_checksums(self.folder)
        made = [self._join(table) for table in TABLES]
        write_checksums(self.folder, [path.name for path in made])
        return made

    def _join(self, table: str) -> Path:
        target = self.folder / f"{table}.parquet"
        parts = [f"{self.prefix(index)}{table}.parquet" for index in range(self.jobs)]
        if len(parts) == 1:
            files.settle(Path(parts[0]), target)
        else:
            files.build(target, lambda place: core().join_tables(parts, str(place)))
        return target

    @property
    def _beside(self) -> Path:
        return self.folder / ".trace"


@dataclass(frozen=True)
class Trace:
    """A stored trace, queried in SQL.

    Attributes
    ----------
    folder : Path
        Where `events.parquet` and `samples.parquet` are.
    connection : DuckDBPyConnection
        Sees them as the views `events` and `samples`.
    """

    folder: Path
    connection: duckdb.DuckDBPyConnection = field(repr=False)

    def columns(self, query: str, parameters: Parameters | None = None) -> dict[str, Any]:
        """The answer to a query as one NumPy array per column (masked where values are missing)."""
        with readable(f"{self.folder}: the trace"):
            answer: dict[str, Any] = self.connection.execute(query, parameters or []).fetchnumpy()
        return answer

    def rows(self, query: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """The answer to a query, row by row."""
        with readable(f"{self.folder}: the trace"):
            return self.connection.execute(query, parameters or []).fetchall()

    def copy(self, table: str, path: Path, kind: str) -> None:
        """Write `events` or `samples`, by seed and time, as `csv` or `parquet`.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        import duckdb

        how = "FORMAT csv, HEADER" if kind == "csv" else "FORMAT parquet, COMPRESSION zstd"
        name = str(path).replace("'", "''")
        try:
            self.connection.execute(f"COPY (SELECT * FROM {table} ORDER BY seed, t_ns) TO '{name}' ({how})")  # noqa: S608 (one of two names)
        except duckdb.IOException as error:
            raise OutputError(f"{path}: cannot be written: {error}") from error

    @cached_property
    def has_categories(self) -> bool:
        """Whether events have a column of access categories: those of a run that uses them."""
        return any(row[0] == "category" for row in self.rows("DESCRIBE events"))

    @property
    def seeds(self) -> list[int]:
        """Seeds that were traced."""
        return [int(seed) for (seed,) in self.rows("SELECT DISTINCT seed FROM samples ORDER BY seed")]


def has_trace(folder: str | Path) -> bool:
    """Whether a directory holds a trace."""
    return all((Path(folder) / f"{table}.parquet").exists() for table in TABLES)


def open_trace(folder: str | Path) -> Trace:
    """Open the trace that `hoplab run --trace` left in a directory.

    Raises
    ------
    InputError
        If there is none, or it cannot be read.
    """
    if not has_trace(folder):
        raise InputError(f"{folder}: no trace found", hint=f"hoplab run FILE --trace --out {folder} writes one")
    verify(Path(folder), [f"{table}.parquet" for table in TABLES])
    connection = connect()
    for table in TABLES:
        view(connection, table, Path(folder) / f"{table}.parquet")
    return Trace(Path(folder), connection)
