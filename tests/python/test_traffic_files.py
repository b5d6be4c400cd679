"""Traffic files of ns-2 beside scenarios. Numbers are those of ns-2.35 with the same file."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab import ScenarioError
from hoplab.base.errors import EXIT_OK
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario

CBR = """\
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(0) $udp_(0)
set null_(0) [new Agent/Null]
$ns_ attach-agent $node_(1) $null_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set packetSize_ 512
$cbr_(0) set interval_ 0.1
$cbr_(0) attach-agent $udp_(0)
$ns_ connect $udp_(0) $null_(0)
$ns_ at 1.05 "$cbr_(0) start"
"""
NETWORK = """\
duration = "20 s"
[topology]
kind = "positions"
positions = [[10, 10], [110, 10], [10, 60], [110, 60]]
[routing]
protocol = "aodv"
[traffic]
file = "traffic.tcl"
"""


def scenario(folder: Path, traffic: str) -> Scenario:
    (folder / "traffic.tcl").write_text(traffic)
    path = folder / "network.toml"
    path.write_text(NETWORK)
    return Scenario.from_toml(path)


def test_number_that_is_used_twice_makes_two_flows(tmp_path: Path) -> None:
    second = CBR.replace("(0) $udp", "(2) $udp").replace("(1)", "(3)").replace("512", "256")
    second = second.replace("0.1\n", "0.2\n").replace("1.05", "2.05")
    flows = run(scenario(tmp_path, CBR + second))[0].flows
    assert [(flow.src, flow.dst, flow.segments_sent) for flow in flows] == [(0, 1, 190), (2, 3, 90)]


def test_packets_above_the_agents_size_are_split(tmp_path: Path) -> None:
    (flow,) = run(scenario(tmp_path, CBR.replace("512", "1024")))[0].flows
    assert flow.segments_sent == 380
    assert flow.goodput_bps == pytest.approx(190 * 1024 * 8 / 18.95)


def test_statement_that_is_not_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"traffic\.tcl:11: unsupported statement"):
        scenario(tmp_path, CBR + "foreach i {1 2} {$cbr_(0) set rate_ 5}\n").resolve()


def test_a_comparison_on_datagrams_alone_says_that_it_compares_nothing(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "cbr.tcl").write_text(CBR)
    file = tmp_path / "cbr.toml"
    file.write_text('duration = "2 s"\n[topology]\nkind = "chain"\nhops = 1\n[traffic]\nfile = "cbr.tcl"\n')
    answer = hoplab("compare", file, "-t", "sack,vegas", "--seeds", "2")
    assert answer.code == EXIT_OK
    assert "warning: sack and vegas give the same event sequences" in answer.err
