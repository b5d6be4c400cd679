"""Runs of any peer over seeds, with a pretended one, and what is read from their output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from hoplab.base.errors import HoplabError
from hoplab_validation.peers.resolved import Resolved
from hoplab_validation.peers.runs import FlowRun, Peer, PeerRun, flow_run, tail, values


class FailedError(HoplabError):
    """The pretended peer failed."""


class HungError(FailedError):
    """The pretended peer hung."""


def read(program: str, path: Path, seed: int, scenario: Resolved, limit_s: float | None) -> PeerRun:
    """A peer that counts the letters of its file as segments."""
    letters = len(path.read_text(encoding="utf-8"))
    return PeerRun(seed, (FlowRun(0, 8.0 * letters, letters, None, None, None, None),), limit_s or 0.0)


PEER = Peer(
    name="ns-0", failed=FailedError, hung=HungError, folder="hoplab-ns0-", suffix=".x", find=lambda: "ns0", run=read
)


def test_runs_are_in_order_of_seeds_with_progress(make: Any) -> None:
    done: list[int] = []
    runs = PEER.run_seeds(
        lambda seed: "x" * seed, make(), [5, 1, 3], processes=3, limit_s=2.5, on_done=lambda: done.append(1)
    )
    assert [(run.seed, run.flows[0].segments, run.cpu_s) for run in runs] == [(5, 5, 2.5), (1, 1, 2.5), (3, 3, 2.5)]
    assert len(done) == 3
    assert [run.flows[0].segments for run in PEER.run_seeds("four", make(), [1, 2])] == [4, 4]


@pytest.mark.parametrize(
    ("code", "limit_s", "error", "said"),
    [
        ("print('why'); raise SystemExit(3)", None, FailedError, "ns-0 ended with 3: why"),
        ("raise SystemExit(3)", None, FailedError, "ns-0 ended with 3: no output"),
        ("while True: pass", 0.3, HungError, r"ns-0 did not end within 0\.3 s with seed 8"),
    ],
)
def test_runs_that_fail_or_hang(code: str, limit_s: float | None, error: type, said: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=said) as caught:
        PEER.execute([sys.executable, "-c", code], tmp_path, seed=8, limit_s=limit_s)
    assert type(caught.value) is error


def test_lines_are_those_before_the_end(make: Any) -> None:
    output = "noise\nHOPLAB flow=0 segments=7\nHOPLAB end\n"
    ((flow, row),) = PEER.rows(PEER.lines(output), make())
    assert (flow.id, row) == (0, {"flow": "0", "segments": "7"})
    with pytest.raises(FailedError, match=r"ns-0 stopped before the end of the scenario: noise \| HOPLAB flow=0"):
        PEER.lines(output.replace("HOPLAB end", "HOPLAB"))
    with pytest.raises(FailedError, match="ns-0 printed nothing for flow 0"):
        PEER.rows([["flow=1"]], make())


def test_a_flow_is_what_it_received_in_its_window(make: Any) -> None:
    scenario = make({"flows.0.start_s": 30.0})
    row = values(["flow=0", "sent=1100", "cwnd=6.25"])
    assert flow_run(scenario.flows[0], row, 14_601, scenario) == FlowRun(
        0, 14_601 * 8 / 30.0, 10, 1100, None, None, 6.25
    )


def test_the_tail_of_a_log_is_its_last_five_lines() -> None:
    assert tail("\n".join("abcdefg") + "\n\n") == "c | d | e | f | g"
