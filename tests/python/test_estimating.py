"""`hoplab estimate`: estimators beside the truth, as values, as tables and as a report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab as package
from hoplab.running.estimating import Spread

LINK = """\
duration = "20 s"
warmup = "2 s"

[topology]
kind = "chain"
hops = 1

[mac]
data_rate = "11 Mb/s"

[[flow]]
app = "cbr"
transport = "udp"
segment = 1480
rate = "2 Mb/s"
"""


@pytest.fixture
def link(tmp_path: Path) -> Path:
    path = tmp_path / "link.toml"
    path.write_text(LINK)
    return path


def test_rt_winf_agrees_with_the_air(link: Path) -> None:
    found = package.estimate(package.Scenario.from_toml(link))
    assert found.node_ids() == [0, 1]
    spreads = found.of_node(0, after_s=2.0)
    maximum = spreads["maximum", "capacity_bps"].mean
    assert maximum == pytest.approx(4.515e6, rel=1e-3)
    assert spreads["winf", "capacity_bps"].mean == pytest.approx(maximum, rel=0.02)
    apart = spreads["winf", "available_bps"].mean - spreads["maximum", "available_bps"].mean
    assert abs(apart) < 0.03 * maximum
    assert spreads["idle_gap", "available_bps"].mean > spreads["winf", "available_bps"].mean
    along = found.of_path()
    assert 4.9e6 < along["adhoc_probe"].mean < 5.15e6
    assert 1e6 < along["udp"].mean < spreads["winf", "capacity_bps"].mean


def test_the_table_names_every_estimator(hoplab: CommandLine, link: Path) -> None:
    answer = hoplab("estimate", "link.toml", "--nodes", "1", "--interval", "500 ms")
    assert answer.code == 0, answer.err
    for words in ("node 1", "rt-Winf, capacity", "IdleGap, available", "maximum (eq. 14)", "AdHoc Probe", "UDP"):
        assert words in answer.out
    assert "node 0" not in answer.out


def test_json_has_samples_and_summary(hoplab: CommandLine, link: Path) -> None:
    answer = hoplab("estimate", "link.toml", "--json", "--no-paths", "--interval", "2 s")
    data = json.loads(answer.out)
    assert len(data["nodes"]) == 10 * 2 * 3
    assert data["path"] == []
    assert {row["estimator"] for row in data["summary"]} == {"winf", "idle_gap", "maximum"}


def test_out_gets_tables_and_figures(hoplab: CommandLine, link: Path, tmp_path: Path) -> None:
    answer = hoplab("estimate", "link.toml", "--out", "out")
    assert answer.code == 0, answer.err
    page = (tmp_path / "out" / "report.html").read_text()
    for figure in ("capacity-0", "available-0", "capacity-1"):
        assert f'<figure id="{figure}">' in page
    assert (tmp_path / "out" / "nodes.csv").read_text().startswith("t_s,node,estimator,capacity_bps,available_bps")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nodes", "7"], "--nodes: node 7 does not exist, expected 0 to 1"),
        (["--nodes", "a"], "--nodes: invalid value"),
        (["--interval", "5"], "--interval: invalid value"),
        (["--interval", "0 s"], "interval = 0 s: must be greater than 0 s"),
        (["--interval", "60 s"], "interval = 60 s: exceeds the duration"),
        (["--flow", "3"], "flow 3 does not exist, expected 0 to 0"),
    ],
)
def test_bad_arguments_are_refused(hoplab: CommandLine, link: Path, words: list[str], said: str) -> None:
    answer = hoplab("estimate", "link.toml", *words)
    assert answer.code == 2
    assert said in answer.err


def test_a_spread_leaves_out_what_is_not_known() -> None:
    assert Spread.of([math.nan]) is None
    found = Spread.of([1.0, math.nan, 3.0])
    assert found == Spread(2.0, 0.5, 1.0, 3.0, 2)
