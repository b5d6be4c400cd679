"""The chart of one claim: positions of values, bands and intervals, and its text for terminals."""

from __future__ import annotations

import math

import pytest

from hoplab.report.claim_chart import COLUMNS, Chart, ChartRow


def row(value: float, low: float | None, high: float | None, **more: object) -> ChartRow:
    found = {"text": "a over b", "bands": ((1.0, math.inf),), **more}
    return ChartRow(value=value, low=low, high=high, **found)  # type: ignore[arg-type]


def test_rows_with_one_tolerance_share_an_axis() -> None:
    chart = Chart((row(1.2, 1.1, 1.3), row(0.9, 0.8, 1.05), row(3.0, 2.0, 4.0, bands=((0.0, 5.0),))))
    assert [len(rows) for rows in chart.panels] == [2, 1]


def test_characters_stand_at_their_values() -> None:
    lines = Chart((row(2.05, 1.5, 2.5, bands=((0.0, 1.0),), paper=(4.0,)),)).lines()
    cells = lines[1].split("|")[1]
    assert len(cells) == COLUMNS
    # From -0.32 to 4.32: 47 steps of 0.0987.
    assert [cells.index(mark) for mark in "=-o#"] == [3, 18, 24, 44]
    assert lines[1].endswith("2.05 (1.5 to 2.5), paper 4")


@pytest.mark.parametrize("state", ["holds", "open", "differs"])
def test_svg_has_band_interval_and_the_papers_value(state: str) -> None:
    svg = str(Chart((row(1.2, 1.1, 1.3, paper=(1.4,), state=state, text="<b> over &"),)).svg())
    assert svg.count('class="band"') == 2  # one in the legend
    assert svg.count('class="paper"') == 2
    assert "<b>" not in svg
    assert "&lt;b&gt; over &amp;" in svg


def test_values_without_interval_or_number_are_drawn() -> None:
    for one in (row(1.2, None, None), row(math.inf, None, None), row(math.nan, None, None, bands=())):
        chart = Chart((one,))
        assert "svg" in chart.svg()
        assert len(chart.lines()[1].split("|")[1]) == COLUMNS


def test_values_over_many_decades_have_a_logarithmic_axis() -> None:
    cells = Chart((row(10.0, 1.0, 100.0, bands=()),)).lines()[1].split("|")[1]
    assert abs(cells.index("o") - COLUMNS / 2) <= 1
