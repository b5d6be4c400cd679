"""Workloads and completion times: tables, `--metrics`, Python results, and transports without the measure."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hoplab
from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import metric_of, metrics_named, of_run
from hoplab.running.execution import run as run_scenario
from hoplab.store.rows import rows_of

if TYPE_CHECKING:
    from fakes.command_line import CommandLine


def hosts(delay: str) -> str:
    return f"""
[[node]]
kind = "host"
name = "a"
[[node]]
kind = "host"
name = "b"
[[wire]]
between = ["a", "b"]
rate = "10 Mb/s"
delay = "{delay}"
"""


WEB = f"""
duration = "20 s"
warmup = "2 s"
{hosts("25 ms")}
[[flow]]
from = "a"
to = "b"
transport = "tcp_reno"
[[workload]]
kind = "poisson"
from = "a"
to = "b"
transport = "tcp_reno"
size = {{ file = "sizes.txt" }}
rate = "2 /s"
"""


@pytest.fixture
def web(tmp_path: Path) -> Path:
    (tmp_path / "sizes.txt").write_text("# bytes share\n2000 0.5\n10000, 0.75\n\n20000\t1\n")
    place = tmp_path / "web.toml"
    place.write_text(WEB)
    return place


def test_workloads_keep_their_transport_on_request(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(KEPT)
    common = ("compare", "mine.toml", "-t", "tcp_cubic,vegas", "--seeds", "2", "--metrics", "fct_mean_s")
    replaced, kept = hoplab(*common), hoplab(*common, "--keep-workloads")
    assert (replaced.code, kept.code) == (0, 0)
    assert [line.split()[1] for line in replaced.out.splitlines() if line.startswith("vegas  ")] == ["-"]
    assert [line.split()[2] for line in kept.out.splitlines() if line.startswith("vegas  ")] == ["\N{PLUS-MINUS SIGN}"]


KEPT = """
duration = "6 s"
[topology]
kind = "chain"
hops = 1
[[flow]]
[[workload]]
kind = "poisson"
from = 0
to = 1
transport = "tcp_cubic"
size = "10 kB"
rate = "2 /s"
stop = "4 s"
"""


def test_run_has_transfers_of_the_file(web: Path) -> None:
    runs = hoplab.run(web, seeds=2)
    for run in runs:
        own = [flow for flow in run.flows if flow.workload == 0]
        assert len(run.lasting) == 1
        assert run.completion is not None
        assert run.completion["flows"] == len(own) == run.workloads[0]["flows"]
        times = [flow.fct_s for flow in own if flow.fct_s is not None]
        assert run.value("fct_mean_s") == pytest.approx(math.fsum(times) / len(times))
        assert {flow.transfer_bytes for flow in own} >= {2000}
        assert max(flow.transfer_bytes or 0 for flow in own) <= 20000
        assert all(flow.slowdown is not None and flow.slowdown > 0.5 for flow in own if flow.fct_s is not None)
        goodput = run.lasting[0].goodput_bps + run.workloads[0]["goodput_bps"]
        assert run.value("goodput_bps") == pytest.approx(goodput)
    row = next(runs.workloads.rows())
    assert row["fct_p95_s"] >= row["fct_p50_s"] > 0.0
    assert runs.interval("fct_p95_s") is not None
    with pytest.raises(InputError, match="unknown metric 'fct_p90_s'"):
        runs.interval("fct_p90_s")


def test_stored_rows_agree_with_the_run(web: Path) -> None:
    run = hoplab.run(web, seeds=1)[0]
    (row,) = rows_of(json.loads(run.json))["runs"]
    for name in ("goodput_bps", "unique_bps", "fct_mean_s", "fct_p99_s", "slowdown_mean", "unfinished", "fairness"):
        assert row[name] == run.value(name), name


def test_terminal_shows_workloads_and_dashes(web: Path, hoplab: CommandLine) -> None:
    answer = hoplab("run", str(web), "--seeds", "2")
    assert answer.code == 0, answer.err
    assert "workload  kind" in answer.out
    assert answer.out.count("tcp_reno") == 1, "flows of workloads have no rows of their own"
    answer = hoplab(
        "compare", str(web), "-t", "tcp_cubic,new_reno", "--seeds", "2", "--metrics", "goodput,fct,fairness"
    )
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    headings = lines[: next(i for i, line in enumerate(lines) if line.startswith("tcp_cubic  "))]
    assert {"Mean", "FCT", "(ms)", "Fairness"} <= set(" ".join(headings).split())
    agent = next(line for line in lines if line.startswith("new_reno  ")).split()
    assert agent.count("-") == 6, "five measures of completion, and the fairness of one flow"
    assert "0.0" not in agent[4:8]


def test_chosen_measures_reach_sweep_and_report(web: Path, hoplab: CommandLine, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    axes = '[sweep]\nmeasure = "fct_p95_s"\nseeds = 2\n[sweep.axes]\n"workload.rate" = ["1 /s", "4 /s"]\n'
    plan.write_text(f"{WEB}\n{axes}")
    out = tmp_path / "out"
    answer = hoplab("sweep", str(plan), "--out", str(out), "--metrics", "fct,distinct")
    assert answer.code == 0, answer.err
    assert "p95 FCT (ms)" in answer.out
    assert {"Distinct", "payload"} <= set(answer.out.split())
    assert "Timeouts" not in answer.out
    answer = hoplab("sweep", str(plan), "--out", str(out), "--json")
    measures = json.loads(answer.out.splitlines()[0])["measures"]
    assert measures["fct_mean_s"]["n"] == 2
    answer = hoplab("report", str(out), "--metrics", "slowdown")
    assert answer.code == 0, answer.err
    page = (out / "report.html").read_text()
    assert "Mean slowdown against" in page
    assert "Retransmissions against" not in page


def test_transports_of_a_comparison_reach_workloads(web: Path) -> None:
    found = hoplab.compare(web, ["tcp_reno", "tcp_cubic"], seeds=1)
    for transport in ("tcp_reno", "tcp_cubic"):
        flows = found.runs(transport)[0].flows
        assert {flow.transport for flow in flows} == {transport}
    starts = [[flow.start_s for flow in found.runs(name)[0].flows] for name in ("tcp_reno", "tcp_cubic")]
    assert starts[0] == starts[1]


def test_unknown_measures_are_refused_with_the_nearest() -> None:
    assert [metric.name for metric in metrics_named("goodput,fct_p95_s,goodput_bps")] == ["goodput_bps", "fct_p95_s"]
    with pytest.raises(UsageError, match="unknown measure 'godput'") as caught:
        metrics_named("godput")
    assert "goodput" in str(caught.value.hint)
    with pytest.raises(UsageError, match="no names"):
        metrics_named(" , ")


def test_fairness_needs_two_flows_that_get_something() -> None:
    def fairness(*shares: float) -> object:
        flows = [{"id": i, "goodput_bps": share} for i, share in enumerate(shares)]
        (row,) = rows_of({"flows": flows})["runs"]
        return row["fairness"]

    assert fairness(3.0) is None
    assert fairness(0.0, 0.0) is None
    assert fairness(1.0, 0.0) == 0.5
    assert of_run(metric_of("fct_mean_s"), {"completion": None}) is None


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('size = "10 kB"', "workload.0.kind: .*requires rate or load"),
        ('rate = "1 /s"', "requires size"),
        ('rate = "1 /s"\nload = 0.5\nsize = "1 kB"', "load: not supported with rate"),
        ('rate = "1 /s"\nsize = { pareto = 1.2 }', "pareto: requires min"),
        ('rate = "1 /s"\nsize = { cdf = [[10, 0.5], [5, 1.0]] }', "cdf: size 5 follows 10"),
        ('rate = "1 /s"\nsize = { file = "none.txt" }', "none.txt"),
        ('rate = "1"\nsize = "1 kB"', "rate: .*has no unit"),
        ('rate = "100000 /s"\nsize = "1 kB"', "makes more than 100000 flows"),
        ('rate = "1 /h"\nsize = "1 kB"\nstop = "1 s"', "no transfer begins"),
        ('rate = "1 /s"\nsize = { exponential = "1 kB", lognormal = 1.0 }', "lognormal: not supported with"),
    ],
)
def test_wrong_workloads_name_key_and_remedy(keys: str, message: str) -> None:
    text = f'[topology]\nkind = "chain"\nhops = 2\n[[workload]]\nkind = "poisson"\nfrom = 0\nto = [1, 2]\n{keys}\n'
    with pytest.raises(hoplab.ScenarioError, match=message):
        hoplab.Scenario.from_text(text).resolve()


SESSIONS = {
    "request": ('answer = "5 kB"\ntimes = 4\nstart_spread = "0 s"', ("exchange_p95_s", "exchange_unfinished")),
    "web": ('objects = 3\nreading = "1 s"', ("page_mean_s", "page_p99_s")),
    "video": ('ladder = ["1 Mb/s"]', ("startup_mean_s", "stalls", "stalled_share", "video_bps", "switches")),
    "rrul": (
        'connections = 1\nquiet = "2 s"',
        ("udp_ping_p50_s", "udp_ping_idle_p50_s", "tcp_ping_p99_s", "down_bps", "up_bps"),
    ),
}


def table(kind: str) -> str:
    return f'[[workload]]\nkind = "{kind}"\nfrom = "a"\nto = "b"\n{SESSIONS[kind][0]}\n'


def session(kind: str) -> str:
    return f'duration = "12 s"\n{hosts("10 ms")}{table(kind)}'


@pytest.mark.parametrize("kind", SESSIONS)
def test_sessions_have_their_measures_everywhere(kind: str, hoplab: CommandLine, tmp_path: Path) -> None:
    measures = SESSIONS[kind][1]
    place = tmp_path / "session.toml"
    place.write_text(session(kind))
    answer = hoplab("run", str(place), "--seeds", "2", "--json")
    assert answer.code == 0, answer.err
    (row,) = rows_of(json.loads(answer.out.splitlines()[0]))["runs"]
    for name in measures:
        assert row[name] is not None, name
    answer = hoplab("run", str(place), "--seeds", "2")
    assert f"0         {kind}" in answer.out
    answer = hoplab("compare", str(place), "-t", "tcp_reno,tcp_cubic", "--seeds", "2", "--metrics", ",".join(measures))
    assert answer.code == 0, answer.err
    assert "tcp_cubic" in answer.out
    assert "-" not in answer.out.split()
    plan = tmp_path / "plan.toml"
    plan.write_text(f'{session(kind)}[sweep]\nseeds = 2\n[sweep.axes]\n"wire.delay" = ["5 ms", "20 ms"]\n')
    out = tmp_path / "out"
    answer = hoplab("sweep", str(plan), "--out", str(out), "--metrics", ",".join(measures))
    assert answer.code == 0, answer.err
    answer = hoplab("sweep", str(plan), "--out", str(out), "--json", "--metrics", ",".join(measures))
    stored = json.loads(answer.out.splitlines()[0])["measures"]
    assert stored[measures[0]]["n"] == 2
    answer = hoplab("report", str(out), "--metrics", measures[0])
    assert answer.code == 0, answer.err


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("request", "Exchange time: mean"),
        ("web", "Page load time: mean"),
        ("video", "Mean video bitrate (kb/s) 1000.0"),
        ("rrul", "UDP ping without load: mean"),
    ],
)
def test_explain_has_measures_of_sessions(kind: str, words: str, hoplab: CommandLine, tmp_path: Path) -> None:
    place = tmp_path / "mesh.toml"
    chain = 'duration = "12 s"\n[topology]\nkind = "chain"\nhops = 1\n'
    place.write_text(chain + table(kind).replace('"a"', "0").replace('"b"', "1"))
    answer = hoplab("explain", str(place))
    assert answer.code == 0, answer.err
    assert f"Workload 0 ({kind})" in answer.out
    assert words in " ".join(answer.out.split())


def test_measures_of_other_workloads_are_dashes(tmp_path: Path, hoplab: CommandLine) -> None:
    place = tmp_path / "session.toml"
    place.write_text(session("web"))
    runs = run_scenario(place, seeds=1)
    assert runs[0].value("exchange_mean_s") is None
    assert runs[0].value("page_mean_s") is not None
    assert runs.interval("video_bps") is None
    answer = hoplab("compare", str(place), "-t", "tcp_reno,tcp_cubic", "--seeds", "2", "--metrics", "exchange,page")
    assert answer.code == 0, answer.err
    exchange = [line for line in answer.out.splitlines() if "exchange time" in line and not line.endswith(".")]
    assert [line.split()[-2:] for line in exchange[:5]] == [["-", "-"]] * 5


def test_viewers_without_a_segment_are_counted_apart(tmp_path: Path, hoplab: CommandLine) -> None:
    place = tmp_path / "out_of_range.toml"
    place.write_text(
        'duration = "12 s"\n[topology]\nkind = "positions"\npositions = [[0, 0], [200, 0], [2000, 0]]\n'
        '[[workload]]\nkind = "video"\nfrom = 0\nto = [1, 2]\nladder = ["100 kb/s"]\ntransport = "tcp_cubic"\n'
    )
    line = "viewers without a segment, not in the means of stalls: "
    assert f"{line}2 of 4\n" in hoplab("run", place, "--seeds", "2").out
    answer = hoplab("compare", place, "-t", "tcp_reno,tcp_cubic", "--seeds", "2", "--metrics", "video")
    assert f"{line}tcp_reno 2 of 4, tcp_cubic 2 of 4\n" in answer.out
    assert line not in hoplab("compare", place, "-t", "tcp_reno", "--seeds", "2", "--metrics", "goodput").out
    assert line not in hoplab("run", place, "--set", "workload.to=[1]").out


def test_pings_wait_longer_beside_the_load() -> None:
    (run,) = run_scenario(hoplab.Scenario.from_text(session("rrul")), seeds=1)
    idle, loaded = (run.value(f"udp_ping{name}_p50_s") for name in ("_idle", ""))
    assert idle is not None
    assert loaded is not None
    assert 0.02 < idle < loaded
    (down, up) = (run.value(name) for name in ("down_bps", "up_bps"))
    assert down is not None
    assert up is not None
    assert 1e6 < down < 10e6
    assert 1e6 < up < 10e6
