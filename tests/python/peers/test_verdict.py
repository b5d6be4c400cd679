"""Rows, tolerances, and the stored tables behind them."""

from __future__ import annotations

import csv
import json
from importlib import resources

import pytest

from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import stored, tolerance
from hoplab_validation.peers.verdict import Row, failures, markdown_table, plain_table


def row(ours: float, limit: float, *, decisive: bool = True) -> Row:
    return Row("part", "4 hops", "kb/s", "table", stored(289.5, 0.7, 10), stored(ours, 0.9, 10), limit, decisive)


def test_tolerance_is_the_widest_of_share_interval_and_floor() -> None:
    theirs, ours = stored(100.0, 2.0, 10), stored(101.0, 3.0, 10)
    assert tolerance(ours, theirs, 0.03) == 5.0
    assert tolerance(ours, theirs, 0.06) == 6.0
    assert tolerance(ours, theirs, 0.0, floor=7.0) == 7.0
    assert tolerance(stored(1.0, None, 1), stored(2.0, None, 1), 0.0) == 0.0


def test_verdicts() -> None:
    assert row(290.0, 1.0).verdict == "agrees"
    assert row(290.5, 1.0).agrees
    assert row(290.6, 1.0).verdict == "differs"
    assert row(290.6, 1.0, decisive=False).verdict == "differs (noted)"
    assert failures([row(290.0, 1.0), row(300.0, 1.0), row(300.0, 1.0, decisive=False)]) == [row(300.0, 1.0)]


def test_not_a_number_never_agrees() -> None:
    assert not row(float("nan"), 1.0).agrees


def test_tables_show_both_sides() -> None:
    rows = [row(290.2, 8.7)]
    for text in (plain_table(rows), markdown_table(rows)):
        assert "289.5" in text
        assert "290.2" in text
        assert "agrees" in text
    assert json.loads(json.dumps(rows[0].to_dict()))["difference"] == pytest.approx(0.7)


def test_every_stored_table_has_its_provenance() -> None:
    folder = resources.files("hoplab_validation.peers").joinpath("data")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".csv"))
    others = [name for name in tables.provenance()["files"] if not name.endswith(".csv")]
    assert all(folder.joinpath(name).is_file() for name in others)
    assert names == sorted(set(tables.provenance()["files"]) - set(others))
    for name in names:
        lines = list(csv.reader(folder.joinpath(name).read_text(encoding="utf-8").splitlines()))
        assert len(lines) > 2
        assert {len(line) for line in lines} == {len(lines[0])}, name
