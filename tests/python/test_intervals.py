"""Values over time as files: goodput per flow and interval, every sampled value; plans that replace others."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fakes.command_line import CommandLine

import hoplab

TWO_FLOWS = """
duration = "4 s"
goodput_interval = "500 ms"
[topology]
kind = "parallel"
hops = 2
[[flow]]
transport = "new_reno"
[[flow]]
transport = "vegas"
start = "1 s"
"""


def answer(query: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(query).fetchall()


def test_intervals_add_up_to_the_goodput_of_each_flow() -> None:
    runs = hoplab.run(hoplab.Scenario.from_text(TWO_FLOWS), seeds=2)
    rows = list(runs.goodput_intervals.rows())
    assert len(rows) == 2 * 2 * 8
    for run in runs:
        for flow in run.flows:
            own = [row for row in rows if (row["seed"], row["flow"]) == (run.seed, flow.id)]
            assert own[0]["begin_s"] == 0.0
            assert own[-1]["end_s"] == pytest.approx(4.0)
            bits = sum(row["goodput_bps"] * (row["end_s"] - row["begin_s"]) for row in own)
            assert bits == pytest.approx(flow.goodput_bps * (4.0 - flow.start_s))


def test_files_have_the_intervals(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO_FLOWS)
    assert hoplab("run", "two.toml", "--seeds", "2", "--out", "run").code == 0
    with Path("run/goodput_intervals.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 32
    assert answer("SELECT count(*) FROM 'run/goodput_intervals.parquet'") == [(32,)]
    assert hoplab("compare", "two.toml", "-t", "sack,reno", "--seeds", "2", "--out", "compare").code == 0
    names = "SELECT DISTINCT transport FROM 'compare/goodput_intervals.parquet' ORDER BY 1"
    assert answer(names) == [("reno",), ("sack",)]
    assert hoplab("report", "compare").code == 0


def test_the_interval_of_the_command_line_reaches_all_files(hoplab: CommandLine, chain: Path) -> None:
    common = (str(chain), "--set", "duration=2 s", "--seeds", "2", "--goodput-interval", "500 ms")
    assert hoplab("run", *common, "--out", "run").code == 0
    assert hoplab("compare", *common, "-t", "reno,sack", "--out", "compare").code == 0
    assert hoplab("sweep", *common, "--over", "topology.hops=1,2", "--out", "sweep").code == 0
    assert hoplab("export", "sweep", "--tables", "goodput_intervals").code == 0
    counts = {"run": 2 * 4, "compare": 2 * 2 * 4, "sweep/export": 2 * 2 * 4}
    for folder, count in counts.items():
        assert answer(f"SELECT count(*) FROM '{folder}/goodput_intervals.csv'") == [(count,)], folder
    mean = "SELECT hops, seed, avg(goodput_bps) FROM 'sweep/export/goodput_intervals.csv' GROUP BY ALL ORDER BY ALL"
    total = "SELECT hops, seed, goodput_bps FROM 'sweep/tables/flows.parquet' ORDER BY ALL"
    assert answer(mean) == [(hops, seed, pytest.approx(rate)) for hops, seed, rate in answer(total)]


def test_without_an_interval_the_option_is_named(hoplab: CommandLine, chain: Path) -> None:
    common = (str(chain), "--set", "duration=1 s")
    hoplab("run", *common, "--out", "run")
    hoplab("sweep", *common, "--over", "topology.hops=1,2", "--seeds", "1", "--out", "sweep")
    asked = "SELECT * FROM goodput_intervals"
    for words in (
        ["export", "run", "--tables", "goodput_intervals"],
        ["export", "sweep", "--tables", "goodput_intervals"],
        ["query", asked, "run"],
        ["query", asked, "sweep"],
    ):
        refused = hoplab(*words)
        assert refused.code != 0, words
        assert "with --goodput-interval '1 s'" in refused.err, words
    wrong = hoplab("run", *common, "--goodput-interval", "often")
    assert (wrong.code, "--goodput-interval: invalid value 'often'" in wrong.err) == (2, True)


def test_a_traced_run_exports_every_sampled_value(hoplab: CommandLine, chain: Path) -> None:
    assert hoplab("run", str(chain), "-s", "duration=2 s", "--trace", "--out", "run").code == 0
    done = hoplab("export", "run")
    assert done.code == 0, done.err
    assert done.out == "run/export/samples.csv\n"
    stored = answer("SELECT count(*), sum(value) FROM 'run/samples.parquet'")
    assert answer("SELECT count(*), sum(value) FROM 'run/export/samples.csv'") == [
        (stored[0][0], pytest.approx(stored[0][1]))
    ]
    assert hoplab("export", "run", "--format", "parquet", "--tables", "events", "--out", "more").code == 0
    assert Path("more/events.parquet").exists()
    wrong = hoplab("export", "run", "--tables", "runs")
    assert "unknown table 'runs' of a traced run, expected events or samples" in wrong.err


def test_a_sweep_that_replaces_a_plan_says_so(hoplab: CommandLine, chain: Path) -> None:
    common = ("sweep", str(chain), "--set", "duration=1 s", "--seeds", "2")
    first = hoplab(*common, "--over", "topology.hops=1,2")
    assert first.code == 0, first.err
    assert "replaces" not in first.err
    more = hoplab(*common, "--over", "topology.hops=1,2,3")
    assert "replaces" not in more.err, "all stored runs are in the new plan"
    other = hoplab(*common, "--over", "topology.hops=2,4")
    assert "warning: 4 stored runs of a plan that this one replaces" in other.err


def test_a_window_of_one_has_a_mean_of_one() -> None:
    text = 'duration = "5 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nwindow = 1\n'
    runs = hoplab.run(hoplab.Scenario.from_text(text), seeds=2)
    assert runs.values("window_mean") == [1.0, 1.0]
    assert min(runs.values("cwnd_mean")) > 5.0, "the congestion window grows although it is not used"


def test_goodput_over_a_flows_own_life_ends_with_the_flow() -> None:
    text = (
        'duration = "20 s"\n[topology]\nkind = "chain"\nhops = 1\n[[flow]]\nstop = "4 s"\n[[flow]]\nfrom = 1\nto = 0\n'
    )
    text += 'start = "10 s"\nbytes = "200 kB"\ntransport = "tcp_cubic"\n'
    run = hoplab.run(hoplab.Scenario.from_text(text), seeds=1)[0]
    stopped, transfer = run.flows
    assert stopped.own_goodput_bps == pytest.approx(stopped.goodput_bps * 20.0 / 4.0)
    assert transfer.fct_s is not None
    assert transfer.own_goodput_bps == pytest.approx(200e3 * 8.0 / transfer.fct_s)
    lasting = hoplab.run(hoplab.Scenario.from_text(text.replace('stop = "4 s"\n', "")), seeds=1)
    assert lasting[0].flows[0].own_goodput_bps is None
    assert lasting[0].value("own_goodput_bps", 0) == lasting[0].flows[0].goodput_bps
