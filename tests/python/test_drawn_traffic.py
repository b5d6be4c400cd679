"""Flows whose ends and number `[traffic]` draws anew for each seed: seeds 9 and 10 have one flow, 11 has three."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab import Runs, Scenario, compare, run
from hoplab.base.errors import InputError
from hoplab.figures.build import cwnd_figure, runs_figure

TEXT = """\
name = "drawn"
duration = "6 s"

[topology]
kind = "random"
nodes = 6
area = ["300 m", "300 m"]

[traffic]
kind = "cbr"
transport = "new_reno"
pairs = "cbrgen"
per_node = 0.5
rate = "64 kb/s"
start_window = "2 s"
"""
SEEDS = (9, 10, 11)


@pytest.fixture(scope="module")
def runs() -> Runs:
    return run(Scenario.from_text(TEXT), seeds=SEEDS, series_interval_s=0.5)


def test_a_flow_counts_the_seeds_that_have_it(runs: Runs) -> None:
    assert [len(one.flows) for one in runs] == [1, 1, 3]
    assert [flow.id for flow in runs.lasting] == [0, 1, 2]
    assert [len(runs.values("goodput_bps", flow)) for flow in range(3)] == [3, 1, 1]
    assert {row["flow"]: row["n"] for row in runs.summary().rows() if row["metric"] == "goodput_bps"} == {
        0: 3,
        1: 1,
        2: 1,
    }
    with pytest.raises(InputError, match="flow 3 does not exist, expected 0"):
        runs.interval("goodput_bps", 3)


def test_figures_name_flows_by_number_alone(runs: Runs) -> None:
    figure = runs_figure(runs)
    assert figure.x_names[0] == "0"
    assert figure.x_names[2].startswith("2: ")
    windows = cwnd_figure(runs.windowed())
    assert [curve.n for curve in windows.curves[:3]] == [3, 1, 1]
    assert windows.curves[-1].name.endswith("seed 11 alone")
    assert windows.caption.startswith("Mean and 95 % Student-t interval of 3 runs")


def test_tables_and_reports_say_how_many_seeds_have_a_flow(hoplab: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "drawn.toml"
    file.write_text(TEXT)
    answer = hoplab("run", file, "--seeds", "9..11", "--out", tmp_path / "results")
    assert answer.code == 0, answer.err
    assert "   0  varies  varies   new_reno" in answer.out
    assert "seeds per flow   0: 3, 1: 1, 2: 1" in answer.out
    page = (tmp_path / "results" / "report.html").read_text()
    assert "Fewer seeds have flow 1 (1), 2 (1)." in page
    assert "Flow 0 (NewReno, between nodes that vary): goodput" in page
    lines = hoplab("run", file, "--seeds", "9..11", "--json").out.splitlines()
    assert [len(json.loads(line)["flows"]) for line in lines] == [1, 1, 3]


def test_comparisons_pair_all_flows_of_a_seed() -> None:
    comparison = compare(Scenario.from_text(TEXT), ["new_reno", "vegas"], seeds=SEEDS)
    assert [len(point.runs.values("goodput_bps")) for point in comparison.points] == [3, 3]
