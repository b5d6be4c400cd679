"""Result tables: named columns of equal length, readable by everything that speaks Arrow.

A `Table` holds NumPy arrays. Polars, DuckDB and other Arrow readers take it as it is, through the PyCapsule
interface; DuckDB makes the stream, so that no Arrow library is needed here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, OutputError
from hoplab.base.latex import Column, latex_table

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import pandas as pd

_SQL_TYPE = {"i": "BIGINT", "u": "UBIGINT", "f": "DOUBLE", "b": "BOOLEAN"}
_SHOWN_ROWS = 20


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, all of one length. Missing numbers are NaN here and null for Arrow readers.

    Examples
    --------
    >>> table = Table.from_rows([{"hops": 1, "goodput_bps": 1.2e6}, {"hops": 2, "goodput_bps": 6.2e5}])
    >>> len(table), table.names
    (2, ('hops', 'goodput_bps'))
    """

    columns: Mapping[str, np.ndarray[Any, Any]]

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]], names: Sequence[str] | None = None) -> Table:
        """Build a table from one mapping per row; `names` gives the columns where there may be no row."""
        if names is None:
            names = list(rows[0]) if rows else []
        return cls({name: _column([row.get(name) for row in rows]) for name in names})

    @classmethod
    def concat(cls, tables: Sequence[Table]) -> Table:
        """Stack tables of the same columns."""
        import numpy as np

        if not tables:
            return cls({})
        columns: dict[str, np.ndarray[Any, Any]] = {}
        for name in tables[0].names:
            parts = [table[name] for table in tables]
            # NumPy joins signed and unsigned integers as floats, which lose the last digits of a seed.
            is_mixed = {part.dtype.kind for part in parts if len(part)} == {"i", "u"}
            joined = (
                _column([value for part in parts for value in part.tolist()]) if is_mixed else np.concatenate(parts)
            )
            columns[name] = joined
        return cls(columns)

    def with_constants(self, values: Mapping[str, Any]) -> Table:
        """The same rows with a column of one value in front, for each of `values`."""
        front = {name: _column([value] * len(self)) for name, value in values.items()}
        return Table({**front, **self.columns})

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        try:
            return self.columns[name]
        except KeyError:
            raise InputError(f"unknown column {name!r}, expected {', '.join(self.names)}") from None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dict of plain Python values."""
        lists = [column.tolist() for column in self.columns.values()]
        for values in zip(*lists, strict=True):
            yield dict(zip(self.columns, values, strict=True))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over `rows()`; so `pandas.DataFrame(table)` works, too."""
        return self.rows()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the columns over as an Arrow stream (Arrow PyCapsule interface); each call makes a new stream."""
        return self._relation().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pd.DataFrame:
        """Copy into a pandas DataFrame; needs pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise InputError(
                "to_pandas() requires pandas, which is not installed", hint="pip install pandas"
            ) from error
        return pd.DataFrame({name: column.copy() for name, column in self.columns.items()})

    def to_csv(self, path: str | Path) -> None:
        """Write a CSV file with a header line; texts that a spreadsheet would evaluate have an apostrophe in front."""
        import numpy as np

        changed = {}
        for name, column in self.columns.items():
            if column.dtype.kind not in _SQL_TYPE:
                texts = [inert(value) if isinstance(value, str) else value for value in column]
                if any(new is not old for new, old in zip(texts, column, strict=True)):
                    changed[name] = np.array(texts, dtype=object)
        _write(Table({**self.columns, **changed}) if changed else self, path, "FORMAT csv, HEADER")

    def to_parquet(self, path: str | Path) -> None:
        """Write a Parquet file, compressed with zstd."""
        _write(self, path, "FORMAT parquet, COMPRESSION zstd")

    def to_latex(
        self,
        path: str | Path | None = None,
        *,
        headings: Mapping[str, str] | None = None,
        digits: Mapping[str, int] | None = None,
        caption: str = "",
        label: str = "",
    ) -> str:
        """The table in LaTeX, for the packages booktabs and siunitx; also written to `path` if one is given.

        A column and its half-width (``mean`` and ``half_width``, ``difference`` and ``difference_half_width``) are one
        column with intervals, in place of the columns ``low`` and ``high``.

        Parameters
        ----------
        path : str or Path, optional
            File to write, such as ``goodput.tex``.
        headings : mapping, optional
            Words in place of names of columns.
        digits : mapping, optional
            Decimals of columns. By default two digits of the median half-width, or four significant digits.
        caption, label : str
            With a caption the table floats.

        Raises
        ------
        InputError
            If the table has no columns.
        OutputError
            If the file cannot be written.
        """
        halves = {name: half for name in self.names if (half := _half_width_of(name)) in self.columns}
        left_out = {*halves.values(), *(("low", "high") if "mean" in halves else ())}
        columns = []
        for name, values in self.columns.items():
            if name not in left_out:
                cells: list[Any] = values.tolist()
                if name in halves:
                    cells = list(zip(cells, self[halves[name]].tolist(), strict=True))
                columns.append(Column((headings or {}).get(name, name), cells, (digits or {}).get(name)))
        if not columns:
            raise InputError("cannot export a table without columns")
        text = latex_table(columns, caption=caption, label=label)
        if path is not None:
            try:
                Path(path).write_text(text, encoding="utf-8")
            except OSError as error:
                raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
        return text

    def _relation(self) -> duckdb.DuckDBPyRelation:
        """Select all rows, on a connection of its own: a connection feeds one open stream at a time."""
        import duckdb

        columns = dict(self.columns)  # DuckDB finds it by this name
        casts = ", ".join(
            f"CAST({_quote(name)} AS {_SQL_TYPE.get(column.dtype.kind, 'VARCHAR')}) AS {_quote(name)}"
            for name, column in columns.items()
        )
        if not casts:
            raise InputError("cannot export a table without columns")
        return duckdb.connect().sql(f"SELECT {casts} FROM columns")  # noqa: S608 (names are quoted)

    def __repr__(self) -> str:
        head = f"Table, {len(self)} rows x {len(self.columns)} columns"
        shown = [self.names, *([_text(v) for v in row.values()] for row in self._head())]
        widths = [max(len(cell) for cell in column) for column in zip(*shown, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in shown]
        more = ["..."] if len(self) > _SHOWN_ROWS else []
        return "\n".join([head, *lines, *more])

    def _repr_html_(self) -> str:
        header = "".join(f"<th>{html.escape(name)}</th>" for name in self.names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_text(value))}</td>" for value in row.values()) + "</tr>"
            for row in self._head()
        )
        more = f"<p>{len(self)} rows, the first {_SHOWN_ROWS} shown</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _head(self) -> Iterator[dict[str, Any]]:
        return Table({name: column[:_SHOWN_ROWS] for name, column in self.columns.items()}).rows()


def _half_width_of(name: str) -> str:
    """Name of the column with the half-widths of another column's intervals."""
    return "half_width" if name == "mean" else f"{name}_half_width"


FORMULA = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""Letters at which a formula of a spreadsheet begins, wide ones included."""

_QUANTITY = re.compile(r"[+-]?(\d[\d_.]*|\.\d+)([eE][+-]?\d+)?( ?[A-Za-z%][A-Za-z0-9%/]*)?|[+-]+")
"""A number, with a unit or not, and dashes for what is missing: no formula begins so and ends there."""


def inert(text: str) -> str:
    """A text with an apostrophe in front if a spreadsheet would evaluate it, and perhaps start a program.

    Names come from files of others (OWASP, "CSV Injection").
    """
    is_formula = text.startswith(FORMULA) and not _QUANTITY.fullmatch(text)
    return f"'{text}" if is_formula else text


def _write(table: Table, path: str | Path, options: str) -> None:
    import duckdb

    quoted = str(path).replace("'", "''")
    relation = table._relation()  # noqa: SLF001 (of this module)
    try:
        relation.query("rows_to_write", f"COPY rows_to_write TO '{quoted}' ({options})")
    except duckdb.IOException as error:
        raise OutputError(f"{path}: cannot be written: {error}") from error


def _column(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """One column: integers stay integers, a missing number becomes NaN, all else becomes text."""
    import numpy as np

    if all(isinstance(value, bool | np.bool_) for value in values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, int | np.integer) for value in values):
        low, high = min(values, default=0), max(values, default=0)
        if low >= -(2**63) and high < 2**63:
            return np.array(values, dtype=np.int64)
        if low >= 0 and high < 2**64:
            return np.array(values, dtype=np.uint64)
        return np.array([str(value) for value in values], dtype=object)
    if all(value is None or isinstance(value, int | float | np.number) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array([None if value is None else str(value) for value in values], dtype=object)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)
