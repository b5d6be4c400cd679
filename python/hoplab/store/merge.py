# ruff: noqa: S608 (every name and path in a statement is quoted by `name` or `quoted`)
"""The tables of a sweep: made from the results of its runs, and kept as merged Parquet files.

Order and bytes of a merged table depend on the plan and the runs alone: rows stand by point, then
by the order of the seeds, whatever order the runs finished in.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from hoplab.base import regular_files
from hoplab.base.json_schema import Each, check
from hoplab.store import columns, files
from hoplab.store.columns import name, quoted
from hoplab.store.rows import rows_of
from hoplab.store.run_store import RunStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

    from hoplab.store.catalog import Catalog
    from hoplab.store.columns import Columns
    from hoplab.store.rows import Row

TABLES = "tables"
UNMERGED = frozenset({"series", "events"})
"""Tables read from the runs' own files: they are long, and a copy would double them."""
_STATE = "tables.json"
_CHUNK = 500


def merge(root: Path, catalog: Catalog, runs: Sequence[str]) -> list[Path]:
    """Write the merged tables of a sweep, each in one step; returns their files.

    Parameters
    ----------
    root : Path
        Directory of the results.
    catalog : Catalog
        Its plan.
    runs : sequence of str
        Runs that are whole; others are left out.

    Raises
    ------
    OSError
        If something cannot be written.
    """
    if _is_current(root, catalog, runs) and _is_whole(root):
        return sorted((root / TABLES).glob("*.parquet"))
    place = root / TABLES
    place.mkdir(parents=True, exist_ok=True)
    (place / _STATE).unlink(missing_ok=True)
    written: list[Path] = []
    for table, content in load(root, catalog, runs).items():
        target = place / f"{table}.parquet"
        files.build(target, partial(columns.write_parquet, content))
        written.append(target)
    for left in place.glob("*.parquet"):
        if left not in written:
            left.unlink()
    state = {"content": catalog.digest(runs), "files": {path.name: files.digest_file(path) for path in written}}
    files.replace(place / _STATE, json.dumps(state, indent=1).encode() + b"\n")
    return written


def attach(connection: duckdb.DuckDBPyConnection, root: Path, catalog: Catalog, runs: Sequence[str]) -> list[str]:
    """Make the tables of a sweep known to a connection; returns their names.

    Merged tables that were harmed are made anew, for this connection, from what the runs have stored.

    Parameters
    ----------
    connection : DuckDBPyConnection
        As from `columns.connect`.
    root : Path
        Directory of the results.
    catalog : Catalog
        Its plan.
    runs : sequence of str
        Stored runs.
    """
    found: list[str] = []
    if _is_current(root, catalog, runs) and _is_whole(root):
        for path in sorted((root / TABLES).glob("*.parquet")):
            columns.view(connection, path.stem, path)
            found.append(path.stem)
    else:
        for table, content in sorted(load(root, catalog, runs).items()):
            with columns.registered(connection, content) as given:
                connection.execute(f"CREATE TABLE {name(table)} AS SELECT * FROM {given}")
            found.append(table)
    for table in sorted(UNMERGED):
        parts = [path for run in runs if (path := RunStore(root).path_of(run) / f"{table}.parquet").is_file()]
        if parts:
            with columns.readable(f"{root}: the stored tables of {table}"):
                connection.execute(f"CREATE VIEW {name(table)} AS {_union(parts)}")
            found.append(table)
    return found


def load(root: Path, catalog: Catalog, runs: Sequence[str]) -> dict[str, Columns]:
    """Every table but the unmerged ones, from the runs' results; each row has its point, axes, seed and run."""
    store = RunStore(root)
    done = set(runs)
    tables: dict[str, list[Row]] = {}
    for point in catalog.points:
        axes = {catalog.columns[key]: value for key, value in point.settings.items()}
        for seed, run in zip(point.seeds, point.runs, strict=True):
            if run not in done:
                continue
            where = {"point": point.point, **axes, "seed": seed, "run": run}
            interval_s = ((store.manifest(run) or {}).get("scenario") or {}).get("goodput_interval_s")
            for table, rows in rows_of(store.result(run), interval_s).items():
                # A flow's own transport stands in the column of the axis of that name, which set it.
                tables.setdefault(table, []).extend({**where, **row} for row in rows)
    found = {table: columns.from_rows(rows) for table, rows in tables.items() if rows}
    return {"points": _points(catalog, done), **found}


def _points(catalog: Catalog, done: set[str]) -> Columns:
    rows: list[Row] = [
        {
            "point": point.point,
            **{catalog.columns[key]: value for key, value in point.settings.items()},
            "planned": len(point.runs),
            "done": sum(run in done for run in point.runs),
        }
        for point in catalog.points
    ]
    return columns.from_rows(rows)


def _union(parts: Sequence[Path]) -> str:
    """One statement over many files, in chunks of a readable length."""
    pieces = []
    for start in range(0, len(parts), _CHUNK):
        listed = ", ".join(quoted(str(path)) for path in parts[start : start + _CHUNK])
        pieces.append(f"SELECT * FROM read_parquet([{listed}], union_by_name = true)")
    return " UNION ALL BY NAME ".join(pieces)


def _state(root: Path) -> dict[str, Any]:
    try:
        state: dict[str, Any] = regular_files.read_json(root / TABLES / _STATE)
        check(state, {"content": str, "files": Each(str)})
    except (OSError, ValueError):
        return {}
    return state


def _is_current(root: Path, catalog: Catalog, runs: Sequence[str]) -> bool:
    """Whether the merged tables belong to this plan and these runs."""
    return bool(_state(root).get("content") == catalog.digest(runs))


def _is_whole(root: Path) -> bool:
    """Whether the merged tables are as they were written."""
    stated = _state(root).get("files", {})
    there = {path.name for path in (root / TABLES).glob("*.parquet")}
    try:
        return there == set(stated) and all(
            files.digest_file(root / TABLES / file) == value for file, value in stated.items()
        )
    except OSError:
        return False
