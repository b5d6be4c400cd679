"""A run's result as columns, and columns as Parquet.

Every list of objects in the engine's result (`flows`, later `nodes` and `links`) becomes a table of that name,
every object of counts (`drops`, `frames`) rows of the table `counters`, and sampled series rows of `series`.
The table `run` has one row: the run as a whole.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import re
import threading
from typing import TYPE_CHECKING, Any

from hoplab.metrics import METRICS
from hoplab.stats import jain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb

Columns = dict[str, Any]
"""Column name to NumPy array (masked where values are missing), all of one length."""

RENAMED = {"id": {"flows": "flow", "nodes": "node", "links": "link"}}
"""Names that differ between the `--json` contract and the tables, where they are read without their context."""

_KINDS: dict[str, str] = {
    "flow": "BIGINT", "node": "BIGINT", "link": "BIGINT", "src": "BIGINT", "dst": "BIGINT", "transport": "VARCHAR",
    "segments_sent": "BIGINT", "retransmissions": "BIGINT", "timeouts": "BIGINT",
}  # fmt: skip
"""Types of columns whose values alone may not show them; the others are told by their unit suffix or their values."""

_UNIT = re.compile(r"_(?:s|bps|m|w|hz|j|db|dbm|share|ratio|mean)$")


def tables_of(run: str, result: Mapping[str, Any], series: Mapping[str, Any] | None) -> dict[str, Columns]:
    """Every table of one run, by name; each has the run's id as its first column.

    Parameters
    ----------
    run : str
        The run's id.
    result : mapping
        The engine's object for the run (the `--json` contract).
    series : mapping or None
        Sampled series: ``t_s`` (s), ``flow``, and one array per metric, all of one length.
    """
    tables: dict[str, Columns] = {"run": _run(result), "flows": _from_rows("flows", []), "counters": _counters(result)}
    for key, value in result.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            tables[key] = _from_rows(key, value)
    if series is not None:
        tables["series"] = _series(series)
    return {key: _with_run(run, content) for key, content in tables.items()}


def over_flows(result: Mapping[str, Any], metric: str) -> float | None:
    """A metric of a run's flows taken together, added or averaged as `hoplab.metrics` says; None where undefined."""
    values = [flow[metric] for flow in result.get("flows", []) if flow.get(metric) is not None]
    if not values:
        return None
    total = math.fsum(values)
    return total if METRICS[metric].over_flows == "sum" else total / len(values)


def write_parquet(columns: Columns, path: Path) -> None:
    """Write columns to a Parquet file (zstd); equal columns make equal bytes.

    Raises
    ------
    OSError
        If the file cannot be written; `errno` is ENOSPC where the disk is full.
    """
    connection = _writer()
    connection.register("columns_to_write", for_duckdb(columns))
    try:
        with disk_errors(path):
            connection.execute(f"COPY columns_to_write TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)")
    finally:
        connection.unregister("columns_to_write")


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn DuckDB's errors about files into `OSError`, so that one handler sees every full disk."""
    import duckdb  # noqa: PLC0415 (heavy; only when needed)

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
    import duckdb  # noqa: PLC0415

    return duckdb.connect(
        config={
            "threads": 1,
            "preserve_insertion_order": True,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


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


def _from_rows(table: str, rows: Sequence[Mapping[str, Any]]) -> Columns:
    keys: dict[str, None] = {}
    for row in rows:
        keys.update(dict.fromkeys(row))
    if not rows and table == "flows":
        keys = dict.fromkeys(("id", "src", "dst", "transport", "goodput_bps"))
    columns: Columns = {}
    for key in keys:
        renamed = RENAMED.get(key, {}).get(table, key)
        columns[renamed] = array(renamed, [row.get(key) for row in rows])
    return columns


def _run(result: Mapping[str, Any]) -> Columns:
    """One row: what the engine says of the whole run, and its flows taken together."""
    flows = result.get("flows", [])
    columns: Columns = {}
    for key in METRICS:
        columns[key] = array(key, [over_flows(result, key)])
    goodput = [flow["goodput_bps"] for flow in flows if flow.get("goodput_bps") is not None]
    fairness = jain(goodput) if goodput else math.nan
    columns["jain"] = array("jain", [None if math.isnan(fairness) else fairness], "DOUBLE")
    for kind in ("drops", "frames"):
        counts = result.get(kind, {})
        columns[kind] = array(kind, [sum(counts.values()) if isinstance(counts, dict) else None], "BIGINT")
    for key, kind in (("events", "BIGINT"), ("sim_s", "DOUBLE"), ("fingerprint", "VARCHAR"), ("version", "VARCHAR")):
        columns[key] = array(key, [result.get(key)], kind)
    return columns


def _with_run(run: str, columns: Columns) -> Columns:
    import numpy as np  # noqa: PLC0415

    length = len(next(iter(columns.values())))
    return {"run": np.full(length, run, dtype=object), **columns}


def _counters(result: Mapping[str, Any]) -> Columns:
    rows = [
        (kind, key, value)
        for kind, counts in result.items()
        if isinstance(counts, dict)
        for key, value in sorted(counts.items())
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    kinds, names, counts = zip(*rows, strict=True) if rows else ((), (), ())
    return {
        "kind": array("kind", list(kinds), "VARCHAR"),
        "name": array("name", list(names), "VARCHAR"),
        "count": array("count", list(counts), "BIGINT"),
    }


def _series(series: Mapping[str, Any]) -> Columns:
    """Long form: t_ns, entity, metric, value; in order of metric, then as sampled."""
    import numpy as np  # noqa: PLC0415

    t_ns = np.rint(np.asarray(series["t_s"], dtype=np.float64) * 1e9).astype(np.int64)
    flows = np.asarray(series["flow"])
    entity = np.asarray([f"flow.{flow}" for flow in flows.tolist()], dtype=object)
    metrics = sorted(key for key in series if key not in {"t_s", "flow"})
    return {
        "t_ns": np.tile(t_ns, len(metrics)),
        "entity": np.tile(entity, len(metrics)) if metrics else entity[:0],
        "metric": np.repeat(np.asarray(metrics, dtype=object), len(t_ns)),
        "value": np.concatenate([np.asarray(series[key], dtype=np.float64) for key in metrics] or [np.empty(0)]),
    }


def array(column: str, values: list[Any], kind: str | None = None) -> Any:
    """One column from Python values, None where missing; its type from its name, its unit suffix, or its values."""
    import numpy as np  # noqa: PLC0415

    missing = [value is None for value in values]
    kind = kind or _KINDS.get(column) or _guess(column, values)
    if kind == "VARCHAR":
        return np.asarray([None if value is None else _text(value) for value in values], dtype=object)
    dtype, blank = {"DOUBLE": (np.float64, 0.0), "BIGINT": (np.int64, 0), "BOOLEAN": (np.bool_, False)}[kind]
    filled: Any = np.asarray([blank if value is None else value for value in values], dtype=dtype)
    return np.ma.masked_array(filled, mask=missing) if any(missing) else filled


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, list | dict) else str(value)


def _guess(column: str, values: list[Any]) -> str:
    present = [value for value in values if value is not None]
    if any(isinstance(value, str | list | dict) for value in present):
        return "VARCHAR"
    if present and all(isinstance(value, bool) for value in present):
        return "BOOLEAN"
    whole = bool(present) and all(isinstance(value, int) for value in present)
    return "BIGINT" if whole and not _UNIT.search(column) else "DOUBLE"


def for_duckdb(columns: Columns) -> Columns:
    """Columns as DuckDB takes them.

    DuckDB cannot tell the type of an object column without strings in it; NumPy's own string type can.
    """
    import numpy as np  # noqa: PLC0415

    ready: Columns = {}
    for key, values in columns.items():
        empty = values.dtype == object and all(value is None for value in values.tolist())
        ready[key] = np.ma.masked_array(np.zeros(len(values), dtype="U1"), mask=True) if empty else values
    return ready
