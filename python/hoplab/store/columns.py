"""Rows as typed columns, and columns as Parquet, through DuckDB."""

from __future__ import annotations

import contextlib
import errno
import json
import re
import threading
from typing import TYPE_CHECKING, Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from hoplab.store.rows import Row

Columns = dict[str, Any]
"""Column name to NumPy array (masked where values are missing), all of one length."""

_KINDS: dict[str, str] = {
    "point": "BIGINT", "seed": "UBIGINT", "run": "VARCHAR", "flow": "BIGINT", "node": "BIGINT", "link": "BIGINT",
    "src": "BIGINT", "dst": "BIGINT", "transport": "VARCHAR", "segments_sent": "BIGINT", "retransmissions": "BIGINT",
    "timeouts": "BIGINT", "drops": "BIGINT", "frames": "BIGINT", "events": "BIGINT", "fingerprint": "VARCHAR",
    "version": "VARCHAR", "kind": "VARCHAR", "name": "VARCHAR", "count": "BIGINT", "jain": "DOUBLE",
}  # fmt: skip
"""Types of columns that cannot be inferred from unit suffix or values."""

_UNIT = re.compile(r"_(?:s|bps|m|w|hz|j|db|dbm|share|ratio|mean)$")


def from_rows(rows: Iterable[Row], names: Sequence[str] = ()) -> Columns:
    """Columns of rows; `names` come first and exist even without rows."""
    lists: dict[str, list[Any]] = {name: [] for name in names}
    length = 0
    for row in rows:
        for key, value in row.items():
            column = lists.setdefault(key, [])
            if len(column) < length:
                column.extend([None] * (length - len(column)))
            column.append(value)
        length += 1
    for column in lists.values():
        column.extend([None] * (length - len(column)))
    return {key: array(key, column) for key, column in lists.items()}


def from_series(run: str, series: Mapping[str, Any]) -> Columns:
    """Sampled series in long form: run, t_ns, entity, metric, value; in order of metric, then as sampled.

    Parameters
    ----------
    run : str
        The run's id.
    series : mapping
        As from the engine: ``t_s`` (s), ``flow``, and one array per metric, all of one length.
    """
    import numpy as np

    t_ns = np.rint(np.asarray(series["t_s"], dtype=np.float64) * 1e9).astype(np.int64)
    entity = np.asarray([f"flow.{flow}" for flow in np.asarray(series["flow"]).tolist()], dtype=object)
    metrics = sorted(key for key in series if key not in {"t_s", "flow"})
    return {
        "run": np.full(len(t_ns) * len(metrics), run, dtype=object),
        "t_ns": np.tile(t_ns, len(metrics)),
        "entity": np.tile(entity, len(metrics)),
        "metric": np.repeat(np.asarray(metrics, dtype=object), len(t_ns)),
        "value": np.concatenate([np.asarray(series[key], dtype=np.float64) for key in metrics] or [np.empty(0)]),
    }


def array(column: str, values: list[Any]) -> Any:
    """One column from Python values, None where missing; its type from its name, its unit suffix, or its values."""
    import numpy as np

    missing = [value is None for value in values]
    is_nested = any(isinstance(value, dict) for value in values)  # drops of flows, by reason; of runs a sum
    kind = (None if is_nested else _KINDS.get(column)) or _guess(column, values)
    if kind == "VARCHAR":
        return np.asarray([None if value is None else _text(value) for value in values], dtype=object)
    dtype, blank = {
        "DOUBLE": (np.float64, 0.0),
        "BIGINT": (np.int64, 0),
        "UBIGINT": (np.uint64, 0),
        "BOOLEAN": (np.bool_, False),
    }[kind]
    filled: Any = np.asarray([blank if value is None else value for value in values], dtype=dtype)
    return np.ma.masked_array(filled, mask=missing) if any(missing) else filled


def write_parquet(columns: Columns, path: Path) -> None:
    """Write columns to a Parquet file (zstd); equal columns make equal bytes.

    Raises
    ------
    OSError
        If the file cannot be written; `errno` is ENOSPC where the disk is full.
    """
    connection = _writer()
    with registered(connection, columns) as table, disk_errors(path):
        connection.execute(f"COPY {table} TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)")


@contextlib.contextmanager
def registered(connection: duckdb.DuckDBPyConnection, columns: Columns) -> Iterator[str]:
    """Let a connection see columns as a table; yields the table's name."""
    connection.register("given_columns", _for_duckdb(columns))
    try:
        yield "given_columns"
    finally:
        connection.unregister("given_columns")


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn DuckDB's errors about files into `OSError`, so that one handler sees every full disk."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        text = str(error)
        if "No space left" in text or "disk full" in text.lower():
            raise OSError(errno.ENOSPC, "No space left on device", str(path)) from error
        if isinstance(error, duckdb.IOException):
            raise OSError(errno.EIO, text, str(path)) from error
        raise


def connect() -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory that keeps the order of rows and never fetches an extension."""
    import duckdb

    return duckdb.connect(
        config={
            "threads": 1,
            "preserve_insertion_order": True,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "lock_configuration": True,  # a SET in front of a query could allow both
        }
    )


def view(connection: duckdb.DuckDBPyConnection, called: str, place: Path) -> None:
    """Show a connection a Parquet file as a table.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    what = f"read_parquet({quoted(str(place))})"
    with readable(str(place)):
        regular_files.check(place)
        connection.execute(f"CREATE VIEW {name(called)} AS SELECT * FROM {what}")  # noqa: S608 (quoted)


@contextlib.contextmanager
def readable(what: str) -> Iterator[None]:
    """While files are read that may have been harmed.

    Raises
    ------
    InputError
        If DuckDB cannot read `what`.
    """
    import duckdb

    try:
        yield
    except (duckdb.Error, UnicodeDecodeError, OSError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{what}: cannot be read ({first})", hint="rerun the command") from error


def quoted(text: str) -> str:
    """A SQL string."""
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """A SQL identifier."""
    return '"' + text.replace('"', '""') + '"'


_local = threading.local()


def _writer() -> duckdb.DuckDBPyConnection:
    """A connection for each thread: runs are stored from several threads at once."""
    if not hasattr(_local, "connection"):
        _local.connection = connect()
    connection: duckdb.DuckDBPyConnection = _local.connection
    return connection


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, list | dict) else str(value)


def _guess(column: str, values: list[Any]) -> str:
    present = [value for value in values if value is not None]
    if any(isinstance(value, str | list | dict) for value in present):
        return "VARCHAR"
    if present and all(isinstance(value, bool) for value in present):
        return "BOOLEAN"
    whole = bool(present) and all(isinstance(value, int) for value in present)
    if not whole or _UNIT.search(column):
        return "DOUBLE"
    low, high = min(present), max(present)
    return "BIGINT" if low >= -(2**63) and high < 2**63 else "UBIGINT" if low >= 0 and high < 2**64 else "VARCHAR"


def _for_duckdb(columns: Columns) -> Columns:
    """DuckDB cannot infer the type of an object column without strings; NumPy's string type has one."""
    import numpy as np

    ready: Columns = {}
    for key, values in columns.items():
        empty = values.dtype == object and all(value is None for value in values.tolist())
        ready[key] = np.ma.masked_array(np.zeros(len(values), dtype="U1"), mask=True) if empty else values
    return ready
