"""Seeds, TOML text, tables, metrics: the small parts, each by hand."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoplab.base.errors import InputError, OutputError, UsageError
from hoplab.base.metrics import METRICS, metric_of
from hoplab.base.numbers import counted
from hoplab.base.table import Table
from hoplab.running.seeds import MAX_SEEDS, seeds_of
from hoplab.scenario.tomltext import document, literal


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        (1, (7,)),
        (3, (7, 8, 9)),
        ("3", (7, 8, 9)),
        ("2..4", (2, 3, 4)),
        ("5..5", (5,)),
        ("1,4,9", (1, 4, 9)),
        ([2, 1], (2, 1)),
        (range(3), (0, 1, 2)),
    ],
)
def test_seeds_count_from_the_scenarios_own(spelled: object, expected: tuple[int, ...]) -> None:
    assert seeds_of(spelled, 7) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spelled", [0, -1, "0", "x", "1..", "..3", "4..2", "1,,2", "1,1", "-3,4", [], [1.5], [True], "2e3"]
)
def test_seeds_that_make_no_sense_are_refused(spelled: object) -> None:
    with pytest.raises(UsageError):
        seeds_of(spelled, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("spelled", [10**12, "1..1000000000000"])
def test_an_absurd_number_of_seeds_is_refused_at_once(spelled: object) -> None:
    with pytest.raises(UsageError, match=str(MAX_SEEDS)):
        seeds_of(spelled, 1)  # type: ignore[arg-type]


TOML_VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(TOML_VALUES)
def test_a_literal_reads_back_as_it_was(value: object) -> None:
    assert tomllib.loads(f"value = {literal(value)}")["value"] == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1), TOML_VALUES, max_size=5))
def test_a_document_reads_back_as_it_was(tables: dict[str, object]) -> None:
    assert tomllib.loads(document(tables)) == tables


@pytest.mark.parametrize("value", [None, math.nan, math.inf, b"x", object()])
def test_what_toml_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"mac\.ssrl"):
        literal(value, "mac.ssrl")


def test_a_table_goes_to_polars_and_duckdb_with_nulls() -> None:
    flows = Table.from_rows([{"seed": 1, "delay_s": 0.5, "name": "a"}, {"seed": 2, "delay_s": None, "name": None}])
    frame = pl.DataFrame(flows)
    assert frame.schema == {"seed": pl.Int64, "delay_s": pl.Float64, "name": pl.String}
    assert frame["delay_s"].to_list() == [0.5, None]
    assert frame["name"].to_list() == ["a", None]
    answer = duckdb.sql("SELECT count(delay_s), sum(seed) FROM flows")
    assert answer is not None
    assert answer.fetchall() == [(1, 3)]


def test_two_streams_of_one_table_can_be_open_at_once() -> None:
    table = Table.from_rows([{"x": i} for i in range(5000)])
    first, second = pl.DataFrame(table), pl.DataFrame(table)
    assert first.equals(second)
    assert first["x"].to_list() == list(range(5000))


def test_a_table_without_rows_keeps_its_columns() -> None:
    table = Table.from_rows([], ("seed", "name"))
    assert len(table) == 0
    assert pl.DataFrame(table).columns == ["seed", "name"]


def test_a_table_goes_to_pandas() -> None:
    frame = Table.from_rows([{"x": 1, "y": 2.5}]).to_pandas()
    assert frame.to_dict("records") == [{"x": 1, "y": 2.5}]


def test_a_table_is_written_as_csv_and_parquet(tmp_path: Path) -> None:
    table = Table.from_rows([{"x": 1, "y": "it's, quoted"}])
    table.to_csv(tmp_path / "it's.csv")
    table.to_parquet(tmp_path / "t.parquet")
    assert pl.read_csv(tmp_path / "it's.csv").to_dicts() == [{"x": 1, "y": "it's, quoted"}]
    assert pl.read_parquet(tmp_path / "t.parquet").to_dicts() == [{"x": 1, "y": "it's, quoted"}]


def test_write_error_of_a_table_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no/such"):
        Table.from_rows([{"x": 1}]).to_csv(tmp_path / "no/such/t.csv")


def test_unknown_column_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown column 'y', expected x"):
        Table.from_rows([{"x": 1}])["y"]


def test_columns_of_different_length_are_refused() -> None:
    import numpy as np

    with pytest.raises(ValueError, match="differ in length"):
        Table({"a": np.arange(2), "b": np.arange(3)})


def test_html_of_a_table_is_escaped() -> None:
    assert "<script>" not in Table.from_rows([{"x": "<script>"}])._repr_html_()


def test_metric_names_are_columns_with_units() -> None:
    assert metric_of("goodput_bps") is METRICS["goodput_bps"]
    assert metric_of("goodput") is METRICS["goodput_bps"]
    with pytest.raises(InputError, match="did you mean goodput"):
        metric_of("goodputs")


def test_one_of_a_kind_is_singular() -> None:
    assert [counted(count, "run") for count in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
