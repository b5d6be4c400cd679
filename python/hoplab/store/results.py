"""Results of a sweep, opened for questions: SQL, tables, intervals."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import metric_of
from hoplab.base.numbers import counted
from hoplab.base.table import Table
from hoplab.stats import DEFAULT_LEVEL, Interval, Paired, mean_interval, paired, split_warning
from hoplab.store import columns
from hoplab.store.catalog import Catalog, load_catalog, present
from hoplab.store.checksums import verify
from hoplab.store.merge import attach
from hoplab.store.rows import GOODPUT_INTERVALS
from hoplab.store.run_store import Failure, RunStore
from hoplab.store.shares import Shares, read_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb


@dataclass(frozen=True, eq=False)
class Query(Table):
    """Result of a SQL query: a `Table` whose Arrow stream is DuckDB's, with types and nulls."""

    relation: Callable[[], duckdb.DuckDBPyRelation] = field(repr=False)

    def _relation(self) -> duckdb.DuckDBPyRelation:
        return self.relation()

    __repr__ = Table.__repr__


@dataclass(frozen=True, eq=False)
class Results:
    """The results in one directory.

    Attributes
    ----------
    path : Path
        The directory.
    catalog : Catalog
        Its plan: axes, points, seeds.
    done : tuple of str
        Planned runs that are stored.
    """

    path: Path
    catalog: Catalog
    done: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every planned run is stored."""
        return len(self.done) == len(self.catalog.runs)

    @property
    def missing(self) -> list[str]:
        """Planned runs that are not there."""
        done = set(self.done)
        return [run for run in self.catalog.runs if run not in done]

    @property
    def failures(self) -> list[Failure]:
        """Failed runs: error, attempts, and the command that repeats each."""
        store = RunStore(self.path)
        return [failure for run in self.missing if (failure := store.failure(run)) is not None]

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that a query can use."""
        return tuple(self._connected[1])

    def sql(self, query: str) -> Query:
        """Ask DuckDB about the results.

        Parameters
        ----------
        query : str
            One SQL statement over `points`, `runs`, `flows`, `counters` and, where stored, `series`, `nodes`, `links`.

        Returns
        -------
        Query
            A table; polars and other Arrow readers take it as it is.

        Raises
        ------
        UsageError
            If DuckDB refuses the statement.
        """
        return ask(*self._connected, query)

    def table(self, name: str) -> Query:
        """A whole table, by name.

        Raises
        ------
        InputError
            If there is none of that name.
        """
        if name not in self.tables:
            raise InputError(f"{self.path}: unknown table '{name}'", hint=_tables_hint(self.tables, name))
        return self.sql(f"SELECT * FROM {columns.name(name)}")  # noqa: S608 (one of the names above)

    @property
    def points(self) -> Query:
        """One row per point: `point`, the axes, `planned` and `done` runs."""
        return self.table("points")

    @property
    def runs(self) -> Query:
        """One row per run: `point`, the axes, `seed`, `run`, and what its flows do together."""
        return self.table("runs")

    @property
    def flows(self) -> Query:
        """One row per run and flow."""
        return self.table("flows")

    @property
    def shares(self) -> dict[int, Shares]:
        """By point: the share of the possible, if the sweep had `possible`."""
        return read_shares(self.path)

    def values(self, metric: str = "goodput_bps") -> dict[int, dict[int, float]]:
        """A metric of all flows of a run together: point to seed to value, where it is defined.

        Parameters
        ----------
        metric : str
            A column of `flows`; flows are added or averaged as `hoplab.base.metrics` says.
        """
        column = metric_of(metric).name
        found: dict[int, dict[int, float]] = {point.point: {} for point in self.catalog.points}
        if self.done and column in self._run_columns:
            query = f"SELECT point, seed, {columns.name(column)} AS value FROM runs"  # noqa: S608 (a known name)
            for row in self.sql(query).rows():
                if row["value"] is None or math.isnan(row["value"]):
                    continue
                found[int(row["point"])][int(row["seed"])] = float(row["value"])
        return found

    @cached_property
    def _run_columns(self) -> tuple[str, ...]:
        """Columns of the stored runs: earlier versions lack later metrics, and runs without sessions theirs."""
        return self.sql("SELECT * FROM runs LIMIT 0").names

    @property
    def warnings(self) -> tuple[str, ...]:
        """Points where the measure of the sweep falls into two groups of seeds."""
        return tuple(self.split_warnings.values())

    @cached_property
    def split_warnings(self) -> dict[int, str]:
        """`warnings` by point; points without one are left out."""
        spec = metric_of(self.catalog.measure)
        values = self.values(spec.name)
        found = {}
        for point in self.catalog.points:
            where = ", ".join(f"{key} = {value}" for key, value in point.settings.items())
            what = f"{where}: {spec.label.lower()}" if where else spec.label.lower()
            sample = values[point.point].values()
            text = split_warning(sample, what, spec.unit, spec.scale) if sample else None
            if text is not None:
                found[point.point] = text
        return found

    def summary(self, metric: str = "goodput_bps", *, level: float = DEFAULT_LEVEL) -> Table:
        """One row per point: `point`, the axes, `mean`, `half_width`, `low`, `high`, `n`."""
        names = self.catalog.columns
        intervals = self.intervals(metric, level=level)
        rows = []
        for point in self.catalog.points:
            interval = intervals[point.point]
            ends = {key: getattr(interval, key, None) for key in ("mean", "half_width", "low", "high")}
            axes = {names[key]: value for key, value in point.settings.items()}
            rows.append({"point": point.point, **axes, **ends, "n": interval.n if interval else 0})
        return Table.from_rows(rows)

    def intervals(self, metric: str = "goodput_bps", *, level: float = DEFAULT_LEVEL) -> dict[int, Interval | None]:
        """Mean and Student-t interval of a metric at every point."""
        return {
            point: mean_interval(found.values(), level) if found else None
            for point, found in self.values(metric).items()
        }

    def differences(self, metric: str = "goodput_bps", *, level: float = DEFAULT_LEVEL) -> dict[int, Paired]:
        """Every point against the first of those it is compared to, on the seeds that both have.

        Points are compared where they differ in the axes that `[sweep] compare` names, and in nothing else.

        Returns
        -------
        dict
            Point to its comparison. The first of each group, and points without a common seed, are left out.
        """
        values = self.values(metric)
        found: dict[int, Paired] = {}
        for point, base in self.baselines().items():
            left, right = values[point], values[base]
            shared = [seed for seed in left if seed in right]
            if shared and point != base:
                found[point] = paired([left[seed] for seed in shared], [right[seed] for seed in shared], level)
        return found

    def baselines(self) -> dict[int, int]:
        """For every point, the first point of its comparison; the point itself where it is the first."""
        compare = self.catalog.compare
        first: dict[str, int] = {}
        found: dict[int, int] = {}
        for point in self.catalog.points:
            shared = {key: value for key, value in point.settings.items() if key not in compare}
            found[point.point] = first.setdefault(repr(shared), point.point)
        return found

    def comparisons(self, metric: str = "goodput_bps", *, level: float = DEFAULT_LEVEL) -> Table:
        """`differences` as a table.

        Returns
        -------
        Table
            One row per comparison: `point`, its `baseline`, the axes, `difference` and its half-width (in the
            unit of the metric), `ratio` with `ratio_low` and `ratio_high`, `effect_size`, `p_value`, `n`.
        """
        names = self.catalog.columns
        by_index = {point.point: point for point in self.catalog.points}
        baselines = self.baselines()
        rows = [
            {
                "point": point,
                "baseline": baselines[point],
                **{names[key]: value for key, value in by_index[point].settings.items()},
                "difference": pair.difference.mean,
                "difference_half_width": pair.difference.half_width,
                "ratio": pair.ratio.mean if pair.ratio else None,
                "ratio_low": pair.ratio.low if pair.ratio else None,
                "ratio_high": pair.ratio.high if pair.ratio else None,
                "effect_size": pair.effect_size,
                "p_value": pair.p_value,
                "n": pair.n,
            }
            for point, pair in self.differences(metric, level=level).items()
        ]
        return Table.from_rows(rows)

    @cached_property
    def _connected(self) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
        connection = columns.connect()
        return connection, attach(connection, self.path, self.catalog, self.done)

    def __repr__(self) -> str:
        axes = ", ".join(self.catalog.axes) or "no axis"
        return (
            f"<Results of {self.catalog.name!r} in {self.path}: "
            f"{counted(len(self.catalog.points), 'point')} over {axes}, "
            f"{len(self.done)} of {counted(len(self.catalog.runs), 'run')}>"
        )

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{self.summary()._repr_html_()}"


def ask(connection: duckdb.DuckDBPyConnection, names: list[str], query: str) -> Query:
    """The answer of a connection that sees tables of these names.

    Raises
    ------
    UsageError
        If DuckDB refuses the statement.
    """
    import duckdb

    def relation() -> duckdb.DuckDBPyRelation:
        cursor = connection.cursor()
        if any(map(_fetches, cursor.extract_statements(query))):
            raise UsageError(
                "INSTALL, LOAD and UPDATE EXTENSIONS are not supported: a query opens no connection to a network",
                hint="read the Parquet files of the results by a DuckDB of your own",
            )
        answer = cursor.sql(query)
        if answer is None:
            raise UsageError(f"the statement returns no rows, expected a query such as SELECT * FROM {names[0]}")  # noqa: S608
        return answer

    try:
        arrays = relation().fetchnumpy()
    except duckdb.Error as error:
        hint = _tables_hint(names, query) if isinstance(error, duckdb.CatalogException) else None
        raise UsageError(f"query failed: {_first_lines(error)}", hint=hint) from error
    return Query({key: _plain(values) for key, values in arrays.items()}, relation)


def _fetches(statement: duckdb.Statement) -> bool:
    """Whether a statement is about extensions, which DuckDB fetches from a server."""
    try:
        return statement.type.name == "LOAD"
    except ValueError:  # UPDATE EXTENSIONS, which the package has no name for
        return True


def _tables_hint(names: Sequence[str], wanted: str) -> str:
    """The tables that there are, and how to get one that a name or a statement asks for."""
    hint = f"tables are {', '.join(names)}"
    if GOODPUT_INTERVALS in wanted:
        hint += f"; run, compare and sweep record {GOODPUT_INTERVALS} with --goodput-interval '1 s'"
    return hint


def ask_run(folder: Path, query: str) -> Query:
    """Ask about the tables that `hoplab run --out` has left in a directory, the trace among them if there is one.

    Raises
    ------
    InputError
        If there are none.
    UsageError
        If DuckDB refuses the statement.
    """
    places = {place.stem: place for place in sorted(folder.glob("*.parquet"))}
    if not places:
        raise InputError(f"{folder}: no tables found", hint="hoplab run --out and hoplab sweep write tables")
    verify(folder, [place.name for place in places.values()])
    connection = columns.connect()
    for name, place in places.items():
        columns.view(connection, name, place)
    return ask(connection, list(places), query)


def open_results(path: str | Path) -> Results:
    """Open a directory of results.

    Parameters
    ----------
    path : str or Path
        What `hoplab sweep` named on its last line, or was given by `--out`.

    Raises
    ------
    InputError
        If there are no results.
    """
    root = Path(path)
    catalog = load_catalog(root)
    return Results(root, catalog, tuple(present(catalog, RunStore(root))))


def _plain(values: Any) -> Any:
    """A DuckDB column as `Table` holds it: missing numbers are NaN, missing text is None."""
    import numpy as np

    if not np.ma.isMaskedArray(values):
        return values
    hidden = np.ma.getmaskarray(values)
    plain = np.asarray(values.data)
    if not hidden.any():
        return plain
    if plain.dtype.kind in "iufb":
        return np.where(hidden, np.nan, plain.astype(np.float64))
    text: Any = plain.copy()
    text[hidden] = None
    return text


def _first_lines(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return "\n  ".join(lines[:4])
