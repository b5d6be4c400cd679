"""Flows that libraries carry: comparison, results, captures, and builds without a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from traced.test_wires_traced import packets

import hoplab
from hoplab.base.engine import own_transports, transports
from hoplab.running.execution import run as run_scenario

if TYPE_CHECKING:
    from fakes.command_line import CommandLine

CHAIN = """
duration = "12 s"
warmup = "2 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
transport = "quinn_cubic"
"""

INITIAL = b"\xc0\x00\x00\x00\x01"
"""Long header of an Initial packet with a packet number of one byte, and version 1 (RFC 9000 section 17.2)."""


def scenario(transport: str) -> hoplab.Scenario:
    return hoplab.Scenario.from_text(CHAIN.replace("quinn_cubic", transport))


def test_libraries_are_transports_with_a_feature() -> None:
    libraries = set(transports()) - set(own_transports())
    assert libraries == {"quinn_new_reno", "quinn_cubic", "quinn_bbr", "smoltcp_reno", "smoltcp_cubic"}


def test_quinn_compares_with_the_engine(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN)
    answer = hoplab("compare", "chain.toml", "--transports", "quinn_cubic,tcp_cubic", "--seeds", "2", "--json")
    assert answer.code == 0
    found = json.dumps([json.loads(line) for line in answer.out.splitlines()])
    assert "quinn_cubic" in found
    assert "tcp_cubic" in found


def test_results_have_windows_and_losses() -> None:
    first, second = run_scenario(scenario("quinn_new_reno"), seeds=2, progress=False)
    flow = first.flows[0]
    assert flow.declared_lost is not None
    assert flow.cwnd_mean is not None
    assert 500e3 < flow.goodput_bps < 700e3
    again = run_scenario(scenario("quinn_new_reno"), seeds=2, progress=False)
    assert [one.fingerprint for one in again] == [first.fingerprint, second.fingerprint]
    assert first.fingerprint != second.fingerprint


def test_captures_hold_the_bytes_of_quic(tmp_path: Path) -> None:
    path = tmp_path / "run.pcapng"
    run_scenario(scenario("quinn_cubic"), pcapng=path, progress=False)
    _, found = packets(path)
    assert sum(INITIAL in packet.data for packet in found) >= 4  # both ends' first flights, over two hops
    longest = max(len(packet.data) for packet in found)
    assert 1500 < longest < 1600


def test_default_build_names_the_feature_of_smoltcp() -> None:
    with pytest.raises(hoplab.ScenarioError, match='feature "smoltcp"'):
        run_scenario(scenario("smoltcp_reno"), progress=False)
