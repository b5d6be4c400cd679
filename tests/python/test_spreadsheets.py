"""CSV files that people open in spreadsheets: no text of theirs is a formula, and no number changes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hoplab import Table
from hoplab.base.table import inert
from hoplab.cli.commands.query import csv_text

FORMULAS = ["=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\uff1d1", "=", "-x", "+ 5"]
VALUES = ["", "a", "-", "--", "-5", "+5.5", "-82 dBm", "-1e-9", "-0.5 Mb/s", "1-2", "a=b", "-10 %", "'x"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_have_an_apostrophe(text: str) -> None:
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize("text", VALUES)
def test_numbers_quantities_and_names_stay(text: str) -> None:
    assert inert(text) == text


def test_tables_and_queries_write_no_formula(tmp_path: Path) -> None:
    table = Table.from_rows([{"name": text, "n": -1.5} for text in (*FORMULAS, *VALUES)])
    table.to_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["name"] for row in written] == [*(f"'{text}" for text in FORMULAS), *VALUES]
    assert {row["n"] for row in written} == {"-1.5"}
    assert [row["name"] for row in csv.DictReader(csv_text(table).splitlines())] == [row["name"] for row in written]
    assert table.columns["name"].tolist() == [*FORMULAS, *VALUES], "the table itself is as it was"
