# ruff: noqa: S608 (every name and path in a statement is quoted by `name` or `quoted`)
"""The tables of a sweep: views over the files of its runs, and the merged Parquet files made from them.

Order and bytes of a merged table depend on the plan and the runs alone: rows stand by point, then
by the order of the seeds, whatever order the runs finished in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.store import columns, files
from hoplab.store.columns import name, quoted
from hoplab.store.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb

    from hoplab.store.catalog import Catalog

TABLES = "tables"
UNMERGED = frozenset({"series", "events"})
"""Tables read from the runs' own files: they are long, and a copy would double them."""
_STATE = "tables.json"
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the tables of a directory come from.

    Attributes
    ----------
    parts : dict
        Table to the files of the runs that have it, in the order of the plan.
    """

    parts: dict[str, list[Path]]


def layout_of(ledger: Ledger, runs: Sequence[str]) -> Layout:
    """Find the tables of some runs."""
    parts: dict[str, list[Path]] = {}
    for run in runs:
        for file in sorted(ledger.path_of(run).glob("*.parquet")):
            parts.setdefault(file.stem, []).append(file)
    return Layout(parts)


def attach(connection: duckdb.DuckDBPyConnection, root: Path, catalog: Catalog, runs: Sequence[str]) -> list[str]:
    """Make the tables of a sweep known to a connection; returns their names.

    Parameters
    ----------
    connection : DuckDBPyConnection
        As from `columns.connect`.
    root : Path
        Directory of the results.
    catalog : Catalog
        Its plan.
    runs : sequence of str
        Runs that are whole.
    """
    ledger = Ledger(root)
    layout = layout_of(ledger, runs)
    _create_points(connection, catalog, set(runs))
    axes = [name(column) for column in catalog.columns.values()]
    current = _is_current(root, catalog, runs)
    found = ["points"]
    for table, parts in sorted(layout.parts.items()):
        merged = root / TABLES / f"{_shown(table)}.parquet"
        if current and table not in UNMERGED:
            connection.execute(
                f"CREATE VIEW {name(_shown(table))} AS SELECT * FROM read_parquet({quoted(str(merged))})"
            )
        else:
            _create_parts(connection, table, parts)
            connection.execute(_view(table, axes))
        found.append(_shown(table))
    return found


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
    place = root / TABLES
    place.mkdir(parents=True, exist_ok=True)
    (place / _STATE).unlink(missing_ok=True)
    written: list[Path] = []
    with columns.connect() as connection:
        for table in attach(connection, root, catalog, runs):
            if table in UNMERGED:
                continue
            target = place / f"{table}.parquet"

            def copy(beside: Path, table: str = table) -> None:
                with columns.disk_errors(beside):
                    connection.execute(
                        f"COPY (SELECT * FROM {name(table)}) TO {quoted(str(beside))} "
                        "(FORMAT parquet, COMPRESSION zstd)"
                    )

            files.build(target, copy)
            written.append(target)
    for left in place.glob("*.parquet"):
        if left not in written:
            left.unlink()
    state = {"content": catalog.digest(runs), "files": {path.name: files.digest_file(path) for path in written}}
    files.replace(place / _STATE, json.dumps(state, indent=1).encode() + b"\n")
    return written


def _is_current(root: Path, catalog: Catalog, runs: Sequence[str]) -> bool:
    try:
        state = json.loads((root / TABLES / _STATE).read_bytes())
        return bool(state["content"] == catalog.digest(runs))
    except (OSError, ValueError, KeyError):
        return False


def _create_points(connection: duckdb.DuckDBPyConnection, catalog: Catalog, done: set[str]) -> None:
    """The tables `points` (one row per point) and `plan` (one row per point and seed that is done)."""
    import numpy as np  # noqa: PLC0415

    rows = [
        (point.point, position, seed, run)
        for point in catalog.points
        for position, (seed, run) in enumerate(zip(point.seeds, point.runs, strict=True))
        if run in done
    ]
    plan: columns.Columns = {
        "point": np.asarray([row[0] for row in rows], dtype=np.int64),
        "position": np.asarray([row[1] for row in rows], dtype=np.int64),
        "seed": np.asarray([row[2] for row in rows], dtype=np.uint64),
        "run": np.asarray([row[3] for row in rows], dtype=object) if rows else np.zeros(0, dtype="U1"),
    }
    points: columns.Columns = {"point": np.asarray([point.point for point in catalog.points], dtype=np.int64)}
    for key, column in catalog.columns.items():
        points[column] = columns.array(column, [point.settings[key] for point in catalog.points])
    points["planned"] = np.asarray([len(point.runs) for point in catalog.points], dtype=np.int64)
    points["done"] = np.asarray([sum(run in done for run in point.runs) for point in catalog.points], dtype=np.int64)
    for table, content in (("plan", plan), ("points", points)):
        connection.register("given", columns.for_duckdb(content))
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM given")
        connection.unregister("given")


def _create_parts(connection: duckdb.DuckDBPyConnection, table: str, parts: Sequence[Path]) -> None:
    """A view over many files, in chunks: one statement does not grow with the sweep."""
    views = []
    for start in range(0, len(parts), _CHUNK):
        listed = ", ".join(quoted(str(path)) for path in parts[start : start + _CHUNK])
        views.append(f"SELECT * FROM read_parquet([{listed}], union_by_name = true)")
    connection.execute(f"CREATE VIEW {name('parts_' + table)} AS {' UNION ALL BY NAME '.join(views)}")


def _view(table: str, axes: Sequence[str]) -> str:
    """The table as users see it: by point and seed, with the axes; long tables are joined by `run` on demand."""
    parts = name(f"parts_{table}")
    if table in UNMERGED:
        return f"CREATE VIEW {name(table)} AS SELECT * FROM {parts}"
    own = [axis for axis in axes if not (table == "flows" and axis == name("transport"))]
    chosen = ", ".join(["plan.point", *(f"points.{axis}" for axis in own), "plan.seed"])
    order = "plan.point, plan.position" + (", parts.flow" if table == "flows" else "")
    order += ", parts.kind, parts.name" if table == "counters" else ""
    return (
        f"CREATE VIEW {name(_shown(table))} AS SELECT {chosen}, parts.* "
        f"FROM plan JOIN points USING (point) JOIN {parts} AS parts USING (run) ORDER BY {order}"
    )


def _shown(table: str) -> str:
    """Name of a merged table; one row of `run` per run makes `runs`."""
    return "runs" if table == "run" else table
