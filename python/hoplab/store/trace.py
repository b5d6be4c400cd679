"""The trace of a run on disk: `events.parquet`, every record, and `samples.parquet`, values read at regular times.

The engine hands over pieces of some hundred thousand rows; each becomes a file of its own beside the others, so that a
long run needs no more memory than a short one. At the end they become one file per table.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hoplab.engine import core
from hoplab.errors import InputError
from hoplab.store import files
from hoplab.store.columns import connect, disk_errors, quoted, registered, view

if TYPE_CHECKING:
    import duckdb

TABLES = ("events", "samples")

_EVENT_COLUMNS = (
    "t_ns",
    "nullif(node, -1) AS node",
    "{event} AS event",
    "{frame} AS frame",
    "{packet} AS packet",
    "nullif(peer, -1) AS peer",
    "nullif(flow, -1) AS flow",
    "nullif(uid, -1) AS uid",
    # Acknowledgments of nothing, and RCP's requests, have numbers below zero.
    "CASE WHEN seq = -1 THEN NULL ELSE seq END AS seq",
    "nullif(bytes, -1) AS bytes",
    "nullif(airtime_ns, -1) AS airtime_ns",
    "again",
    "congested",
    "{reason} AS reason",
    "CASE WHEN isnan(value) THEN NULL ELSE value END AS value",
)
_SAMPLE_COLUMNS = ("t_ns", "nullif(node, -1) AS node", "nullif(flow, -1) AS flow", "{metric} AS metric", "value")


@dataclass
class TraceWriter:
    """Takes pieces of traces, and makes of them the files of a directory.

    Parameters
    ----------
    folder : Path
        Where; it must exist.
    seeds : tuple of int
        Seed of each job, in the order of their indices.
    """

    folder: Path
    seeds: tuple[int, ...]
    _parts: dict[str, dict[int, list[Path]]] = field(default_factory=lambda: {name: {} for name in TABLES})
    _connection: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> Self:
        self._beside.mkdir(exist_ok=True)
        self._connection = connect()
        for column, names in _names().items():
            listed = ", ".join(map(quoted, names))
            self._connection.execute(f"CREATE TYPE {column}_name AS ENUM ({listed})")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._beside, ignore_errors=True)
        if self._connection is not None:
            self._connection.close()

    def take(self, index: int, table: str, columns: dict[str, Any]) -> None:
        """Store a piece of the trace of the job with this index.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        parts = self._parts[table].setdefault(index, [])
        part = self._beside / f"{table}-{index}-{len(parts)}.parquet"
        select = _events_query() if table == "events" else _samples_query(columns.pop("names"))
        with registered(self._open, columns) as given, disk_errors(part):
            self._copy(f"SELECT {self.seeds[index]}::UBIGINT AS seed, {select} FROM {given}", part)  # noqa: S608
        parts.append(part)

    def finish(self) -> list[Path]:
        """Put the pieces together, in order of the jobs; the files, which replace older ones.

        Raises
        ------
        OSError
            If they cannot be written.
        """
        return [self._merge(table) for table in TABLES if any(self._parts[table].values())]

    def _merge(self, table: str) -> Path:
        target = self.folder / f"{table}.parquet"
        parts = [part for index in sorted(self._parts[table]) for part in self._parts[table][index]]
        if len(parts) == 1:
            parts[0].replace(target)
            return target
        names = ", ".join(quoted(str(part)) for part in parts)

        def make(place: Path) -> None:
            with disk_errors(place):
                self._copy(f"SELECT * FROM read_parquet([{names}])", place)  # noqa: S608 (quoted)

        files.build(target, make)
        return target

    def _copy(self, query: str, place: Path) -> None:
        self._open.execute(f"COPY ({query}) TO {quoted(str(place))} (FORMAT parquet, COMPRESSION zstd)")

    @property
    def _beside(self) -> Path:
        return self.folder / ".trace"

    @property
    def _open(self) -> duckdb.DuckDBPyConnection:
        assert self._connection is not None
        return self._connection


@dataclass(frozen=True)
class Trace:
    """A stored trace, to be asked in SQL.

    Attributes
    ----------
    folder : Path
        Where `events.parquet` and `samples.parquet` are.
    connection : DuckDBPyConnection
        Sees them as the views `events` and `samples`.
    """

    folder: Path
    connection: duckdb.DuckDBPyConnection = field(repr=False)

    def columns(self, query: str, parameters: list[Any] | None = None) -> dict[str, Any]:
        """The answer to a query as one NumPy array per column (masked where values are missing)."""
        answer: dict[str, Any] = self.connection.execute(query, parameters or []).fetchnumpy()
        return answer

    def rows(self, query: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """The answer to a query, row by row."""
        return self.connection.execute(query, parameters or []).fetchall()

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
        raise InputError(f"{folder}: no trace here", hint=f"hoplab run FILE --trace --out {folder} leaves one")
    connection = connect()
    for table in TABLES:
        view(connection, table, Path(folder) / f"{table}.parquet")
    return Trace(Path(folder), connection)


@cache
def _names() -> dict[str, list[str]]:
    """Names that the numbers in each column of events stand for."""
    found: dict[str, list[str]] = json.loads(core().trace_names())
    return found


@cache
def _events_query() -> str:
    lists = {key: _looked_up(key, names, f"::{key}_name[]") for key, names in _names().items()}
    return ", ".join(column.format(**lists) for column in _EVENT_COLUMNS)


def _samples_query(names: list[str]) -> str:
    return ", ".join(column.format(metric=_looked_up("metric", names)) for column in _SAMPLE_COLUMNS)


def _looked_up(column: str, names: list[str], kind: str = "") -> str:
    """SQL for the name that a number stands for; none for a number without one."""
    listed = ", ".join(map(quoted, names))
    return f"([{listed}]{kind})[{column}::INTEGER + 1]"
