"""Running ns-2: what its output means, and which outputs are failures."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fakes.peers import needs_ns2

from hoplab.stats import mean_interval
from hoplab_validation.peers.ns2 import run as ns2_run
from hoplab_validation.peers.ns2.tcl import script

LINE = "HOPLAB flow=0 segments=1000 sent=1100 retransmissions=44 timeouts=3 cwnd=6.25"


def test_goodput_is_counted_over_the_measured_window(make: Any) -> None:
    (flow,) = ns2_run.parse(f"num_nodes is set 4\n{LINE}\nHOPLAB end\n", make())
    assert flow.goodput_bps == 1000 * 1460 * 8 / 40.0
    assert (flow.sent, flow.retransmissions, flow.timeouts, flow.cwnd) == (1100, 44, 3, 6.25)


def test_datagrams_have_no_window(make: Any) -> None:
    (flow,) = ns2_run.parse("HOPLAB flow=0 segments=10\nHOPLAB end\n", make())
    assert (flow.sent, flow.cwnd) == (None, None)


@pytest.mark.parametrize("output", ["", LINE, "HOPLAB end\n"])
def test_a_run_that_stops_early_is_a_failure(output: str, make: Any) -> None:
    with pytest.raises(ns2_run.Ns2FailedError):
        ns2_run.parse(output, make())


@pytest.mark.parametrize("code", ["print('Error: do not find nosuch')", "raise SystemExit(1)"])
def test_an_error_in_words_or_as_exit_code_is_a_failure(code: str, tmp_path: Path) -> None:
    script = tmp_path / "fake.py"
    script.write_text(f"import sys\nopen(sys.argv[2], 'w').close()\n{code}\n", encoding="utf-8")
    with pytest.raises(ns2_run.Ns2FailedError, match="ended with 1" if "Exit" in code else "continued"):
        ns2_run.execute(sys.executable, script, 1)


def test_results_and_cpu_time_of_a_run(tmp_path: Path) -> None:
    script = tmp_path / "fake.py"
    script.write_text(
        "import sys, time\n"
        "open(sys.argv[2], 'w').write('HOPLAB end ' + sys.argv[1])\n"
        "while time.process_time() < 0.3: pass\n",
        encoding="utf-8",
    )
    output, cpu_s = ns2_run.execute(sys.executable, script, 7)
    assert output == "HOPLAB end 7"
    assert 0.3 <= cpu_s < 2.0


def test_runs_have_seeds_without_a_pattern(make: Any, tmp_path: Path) -> None:
    # What ns-2 draws first grows with its seed: 1.4 % of the range for seed 1, 2.8 % for seed 2, and so on.
    script = tmp_path / "fake.py"
    script.write_text(
        "import sys\n"
        f"open(sys.argv[2], 'w').write('{LINE}\\nHOPLAB end\\n')\n"
        "open('seed', 'a').write(sys.argv[1] + ' ')\n",
        encoding="utf-8",
    )
    assert [ns2_run.run_once(sys.executable, script, seed, make()).seed for seed in (1, 2, 3)] == [1, 2, 3]
    theirs = [int(word) for word in (tmp_path / "seed").read_text(encoding="utf-8").split()]
    assert theirs == [ns2_run.irregular(seed) for seed in (1, 2, 3)]
    assert len({after - before for before, after in pairwise(theirs)}) == 2


def test_without_ns_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ns2_run.Ns2MissingError, match=r"install-peers\.sh") as caught:
        ns2_run.find()
    assert caught.value.exit_code == 69


@pytest.mark.slow
def test_ns2_reproduces_the_stored_row_of_four_hops(make: Any) -> None:
    needs_ns2()
    positions = [[200.0 * i, 0.0] for i in range(5)]
    scenario = make({"topology.positions": positions, "flows.0.to": 4, "duration_s": 120.0})
    runs = ns2_run.NS2.run_seeds(script(scenario), scenario, range(1, 11))
    goodput = mean_interval(run.flows[0].goodput_bps / 1e3 for run in runs)
    assert goodput.half_width is not None
    assert abs(goodput.mean - 289.5) <= goodput.half_width + 0.7


@pytest.mark.slow
def test_overrides_of_a_node_reach_ns2(make: Any) -> None:
    needs_ns2()
    short = {"nodes": [{"id": i, "mac": {"ssrl": 1}} for i in range(4)], "duration_s": 40.0}
    usual, changed = make({"duration_s": 40.0}), make(short)
    goodputs = [ns2_run.NS2.run_seeds(script(s), s, [1])[0].flows[0].goodput_bps for s in (usual, changed)]
    assert goodputs[1] < 0.8 * goodputs[0]
