"""`hoplab validate` and `hoplab crosscheck` with the real engine, and a pretended ns-2 where one is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks import live
from hoplab_validation.validate.parts import PARTS
from hoplab_validation.validate.plan import QUICK, Depth, Plan, SkipError, carry_out

FAKE_NS2 = """#!{python}
import sys
with open(sys.argv[3], "w") as out:
    out.write("HOPLAB flow=0 segments={segments} sent=1000 retransmissions=40 timeouts=1 cwnd=6.0\\n")
    out.write("HOPLAB end\\n")
"""


@pytest.fixture
def pretend_ns2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory on the path for a program called `ns`; it is empty at first."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, segments: int) -> None:
    """Put a program there that reports so many segments."""
    program = folder / "ns"
    program.write_text(FAKE_NS2.format(python=sys.executable, segments=segments), encoding="utf-8")
    program.chmod(0o755)


def test_radio_and_exchange_agree_with_their_vectors() -> None:
    outcomes = carry_out([PARTS["radio"](QUICK), PARTS["exchange"](QUICK)])
    differ = [row for outcome in outcomes for row in outcome.rows if not row.agrees]
    assert not differ
    assert all(outcome.rows for outcome in outcomes)


def test_every_part_names_scenarios_that_are_valid() -> None:
    for part, plan in PARTS.items():
        assert plan(QUICK).part == part


def test_ns2_can_express_every_live_scenario() -> None:
    transports = set()
    for text in live.LIVE:
        scenario = Scenario.from_text(text)
        assert "$ns run" in tcl_of(scenario)
        transports |= {flow["transport"] for flow in scenario.resolve().data["flows"]}
    assert transports == {"udp", "tahoe", "reno", "new_reno", "sack", "vegas"}


def test_validate_writes_both_reports(hoplab: CommandLine) -> None:
    answer = hoplab("validate", "radio", "--quick", "--json")
    assert answer.code == 0
    data = json.loads(answer.out)
    assert data["passed"] is True
    assert data == json.loads(Path("validation/validation.json").read_text(encoding="utf-8"))
    assert "## radio" in Path("validation/validation.md").read_text(encoding="utf-8")


def test_validate_fails_when_a_row_differs(hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(depth: Depth) -> Plan:
        def judge(runs: Sequence[Runs]) -> list[Row]:
            return [Row("radio", "a range", "m", "vector", stored(250.0, None, 1), stored(251.0, None, 1), 0.5)]

        return Plan("radio", "made up", (), judge)

    monkeypatch.setitem(PARTS, "radio", wrong)
    answer = hoplab("validate", "radio")
    assert answer.code == 5
    assert "a range (m)" in answer.out
    assert answer.out.rstrip().endswith("verdict: differs")


def test_skipped_parts_are_reported(hoplab: CommandLine, pretend_ns2: Path) -> None:
    answer = hoplab("validate", "live")
    assert answer.code == 0
    assert "skipped: ns-2" in answer.out
    with pytest.raises(SkipError):
        PARTS["live"](QUICK).judge([])


def test_validate_refuses_what_does_not_exist(hoplab: CommandLine) -> None:
    assert hoplab("validate", "bianci").code == 2
    assert hoplab("validate", "--quick", "--full").code == 2


def test_crosscheck_needs_ns2(hoplab: CommandLine, chain: Path, pretend_ns2: Path) -> None:
    answer = hoplab("crosscheck", "ns2", chain)
    assert answer.code == 69
    assert "install-peers.sh" in answer.err


def test_the_script_can_be_had_without_ns2(hoplab: CommandLine, chain: Path, pretend_ns2: Path) -> None:
    answer = hoplab("crosscheck", "ns2", chain, "--tcl-only", "--set", "topology.spacing=180 m")
    assert answer.code == 0
    assert "730.0 10.0" in answer.out
    assert answer.out.endswith("$ns run\n")


@pytest.mark.parametrize(
    ("key", "value"),
    [("mac.profile", "std"), ("tcp.profile", "rfc"), ("tcp.header", "52"), ("routing.link_failure_feedback", "false")],
)
def test_crosscheck_names_what_ns2_does_not_have(key: str, value: str, hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("crosscheck", "ns2", chain, "--set", f"{key}={value}", "--set", "routing.protocol=aodv")
    assert answer.code == 3
    assert f"ns-2.35 does not support {key}" in answer.err


def test_both_sides_are_shown_and_judged(hoplab: CommandLine, chain: Path, pretend_ns2: Path) -> None:
    duration = ("--set", "duration=20 s", "--seeds", "2")
    install(pretend_ns2, segments=1)
    differs = hoplab("crosscheck", "ns2", chain, *duration, "--json")
    assert differs.code == 5
    data = json.loads(differs.out)
    assert data["agrees"] is False
    assert [run["seed"] for run in data["theirs"]] == [run["seed"] for run in data["ours"]] == [1, 2]

    ours_bps = sum(run["flows"][0]["goodput_bps"] for run in data["ours"]) / 2
    install(pretend_ns2, segments=round(ours_bps * 20.0 / (1460 * 8)))
    agrees = hoplab("crosscheck", "ns2", chain, *duration)
    assert agrees.code == 0
    assert "new_reno goodput (kb/s)" in agrees.out


def test_routes_of_the_script_are_those_of_the_engine() -> None:
    """Ties on a grid: the engine's static routes and those written for ns-2 must be the same."""
    from hoplab_validation.peers import paths
    from hoplab_validation.peers.resolved import parse

    grid = Scenario.from_dict(
        topology={"kind": "grid", "columns": 4}, duration="1 s", flow=[{"from": 0, "to": 15}, {"from": 3, "to": 12}]
    )
    resolved = parse(grid.resolve().data)
    links = paths.neighbors(resolved)
    found = [paths.path(links, flow.src, flow.dst) for flow in resolved.flows]
    assert found == [[0, 1, 2, 3, 7, 11, 15], [3, 2, 1, 0, 4, 8, 12]]
    assert [flow.hops for flow in grid.resolve().facts.flows] == [6, 6]
