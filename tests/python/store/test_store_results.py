"""Stored results: SQL, tables for other libraries, statistics over points, and what is said when they are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sweep.kit import SCENARIO, opened, sweep_in

import hoplab.store
from hoplab.base.errors import InputError, UsageError
from hoplab.stats import mean_interval, paired
from hoplab.store import Results
from hoplab.store.catalog import axis_columns


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("store") / "it's"  # a quote, which SQL has to survive
    sweep_in(place, SCENARIO.replace("seeds = 4", 'seeds = 4\nseries = "100 ms"'))
    return place


@pytest.fixture
def results(root: Path) -> Results:
    return hoplab.store.open(root)


def test_tables_have_the_axes_and_stand_in_order(results: Results) -> None:
    runs = results.runs
    assert runs.names[:5] == ("point", "hops", "transport", "seed", "run")
    keys = list(zip(runs["point"].tolist(), runs["seed"].tolist(), strict=True))
    assert keys == sorted(keys)
    assert len(runs) == 24
    assert list(zip(results.points["hops"].tolist(), results.points["transport"].tolist(), strict=True)) == [
        (1, "new_reno"), (1, "vegas"), (2, "new_reno"), (2, "vegas"), (4, "new_reno"), (4, "vegas"),
    ]  # fmt: skip
    assert results.complete
    assert results.failures == []


def test_sql_joins_series_to_runs(results: Results) -> None:
    answer = results.sql("SELECT hops, max(value) AS top FROM series JOIN runs USING (run) GROUP BY hops ORDER BY hops")
    assert answer["hops"].tolist() == [1, 2, 4]
    assert answer["top"].tolist() == pytest.approx([1.9, 1.9, 1.9])


def test_merged_tables_and_the_runs_own_files_say_the_same(root: Path, tmp_path: Path) -> None:
    merged = opened(root).sql("SELECT * FROM flows").columns
    (root / "tables" / "tables.json").rename(tmp_path / "tables.json")
    try:
        unmerged = opened(root).sql("SELECT * FROM flows").columns
    finally:
        (tmp_path / "tables.json").rename(root / "tables" / "tables.json")
    assert list(merged) == list(unmerged)
    for name, column in merged.items():
        np.testing.assert_array_equal(column, unmerged[name])


def test_polars_and_pandas_take_tables_with_types_and_nulls(results: Results) -> None:
    query = results.sql("SELECT seed, transport, delay_mean_s, timeouts FROM flows")
    frame = pl.DataFrame(query)
    assert frame.schema["timeouts"] == pl.Int64
    assert frame.schema["delay_mean_s"] == pl.Float64
    assert 0 < frame["delay_mean_s"].null_count() < 24
    assert frame.equals(pl.DataFrame(query)), "a table can be read twice"
    pandas = query.to_pandas()
    assert isinstance(pandas, pd.DataFrame)
    assert pandas["delay_mean_s"].isna().sum() == frame["delay_mean_s"].null_count()
    assert pandas["transport"].tolist() == frame["transport"].to_list()


def test_summary_and_comparisons_are_the_statistics_of_the_runs(results: Results) -> None:
    values = results.values("goodput_bps")
    rows = list(results.summary("goodput_bps").rows())
    assert [row["n"] for row in rows] == [4] * 6
    expected = mean_interval(values[3].values())
    assert rows[3]["half_width"] == pytest.approx(expected.half_width)
    comparisons = list(results.comparisons("goodput_bps").rows())
    assert [(row["point"], row["baseline"]) for row in comparisons] == [(1, 0), (3, 2), (5, 4)]
    pair = paired(values[5].values(), values[4].values())
    assert comparisons[2]["difference"] == pytest.approx(pair.difference.mean)
    assert comparisons[2]["effect_size"] == pytest.approx(pair.effect_size)


def test_a_run_where_a_metric_is_undefined_does_not_count(results: Results) -> None:
    defined = sum(len(found) for found in results.values("delay_mean_s").values())
    assert defined == results.sql("SELECT count(delay_mean_s) AS n FROM runs")["n"][0] < 24


def test_a_wrong_query_names_the_tables(results: Results) -> None:
    with pytest.raises(UsageError, match=r"tables are counters, flows, points, runs, series"):
        results.sql("SELECT * FROM run_list")
    with pytest.raises(UsageError, match="nope"):
        results.sql("SELECT nope FROM runs")
    with pytest.raises(UsageError, match="returns no rows"):
        results.sql("")
    with pytest.raises(InputError, match="unknown table 'nodes'"):
        results.table("nodes")
    with pytest.raises(InputError, match="did you mean goodput"):
        results.summary("goodputs")


@pytest.mark.parametrize(
    "statement",
    [
        "INSTALL httpfs",
        "force install httpfs from 'http://127.0.0.1:1/'",
        "LOAD httpfs",
        "UPDATE EXTENSIONS",
        "INSTALL httpfs; SELECT 1",
        "SELECT 1; INSTALL httpfs",
    ],
)
def test_a_query_opens_no_connection(results: Results, statement: str) -> None:
    for _ in range(2):
        with pytest.raises(UsageError, match="a query opens no connection to a network"):
            results.sql(statement)
    with pytest.raises(UsageError, match="the configuration has been locked"):
        results.sql("SET autoinstall_known_extensions = true; SELECT 1")
    assert len(results.sql("SELECT 1 AS one")) == 1


def test_a_query_cannot_fetch_extensions(results: Results) -> None:
    with pytest.raises(UsageError):
        results.sql("SELECT * FROM 'https://127.0.0.1:9/x.parquet'")


def test_directory_without_results_lists_others(root: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="directory not found"):
        hoplab.store.open(tmp_path / "none")
    with pytest.raises(InputError, match="results are in"):
        hoplab.store.open(root.parent)
    (tmp_path / "sweep.json").write_text('{"format": 1}')
    with pytest.raises(InputError, match="not a plan"):
        hoplab.store.open(tmp_path)
    (tmp_path / "sweep.json").write_text('{"format": 99}')
    with pytest.raises(InputError, match="format 99, expected 1"):
        hoplab.store.open(tmp_path)


def test_results_can_be_read_while_nothing_is_done_yet(root: Path, tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_bytes((root / "sweep.json").read_bytes())
    results = hoplab.store.open(tmp_path)
    assert results.tables == ("points",)
    assert results.points["done"].tolist() == [0] * 6
    assert len(results.missing) == 24
    assert [row["n"] for row in results.summary().rows()] == [0] * 6


def test_the_plan_names_no_time_and_no_machine(root: Path) -> None:
    plan = json.loads((root / "sweep.json").read_text())
    assert set(plan) == {
        "format", "name", "path", "source", "engine", "axes", "compare", "measure", "series_interval_s", "points",
    }  # fmt: skip
    assert plan["compare"] == ["flow.transport"]


def test_axes_get_short_columns_where_these_are_free() -> None:
    assert axis_columns(["topology.hops", "mac.ssrl"]) == {"topology.hops": "hops", "mac.ssrl": "ssrl"}
    assert axis_columns(["topology.rows", "x.rows"]) == {"topology.rows": "topology_rows", "x.rows": "x_rows"}
    assert axis_columns(["flow.transport"]) == {"flow.transport": "transport"}
    assert axis_columns(["flow.0.transport", "queue.seed"]) == {
        "flow.0.transport": "flow_0_transport",
        "queue.seed": "queue_seed",
    }


def test_damaged_merged_table_is_rebuilt(tmp_path: Path) -> None:
    place = tmp_path / "out"
    sweep_in(place)
    whole = (place / "tables" / "runs.parquet").read_bytes()
    (place / "tables" / "runs.parquet").write_bytes(whole[:-9])
    sweep_in(place)
    assert (place / "tables" / "runs.parquet").read_bytes() == whole
