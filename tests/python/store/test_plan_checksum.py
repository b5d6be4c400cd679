"""The plan of a sweep has a checksum: readers refuse a changed one, and the sweep itself writes it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.command_line import CommandLine


@pytest.mark.usefixtures("chain")
def test_changed_plan_is_a_mismatch_until_the_sweep_runs_again(hoplab: CommandLine, tmp_path: Path) -> None:
    line = ["sweep", "chain.toml", "--set", "duration=1 s", "--over", "topology.hops=2,3", "--out", "s"]
    assert hoplab(*line).code == 0
    plan = tmp_path / "s" / "sweep.json"
    before = plan.read_bytes()
    plan.write_bytes(before.replace(b'"topology.hops": 2', b'"topology.hops": 7'))
    assert plan.read_bytes() != before
    for command in (["report", "s", "--force"], ["query", "SELECT 1", "s"]):
        answer = hoplab(*command)
        assert (answer.code, "sweep.json: checksum mismatch" in answer.err) == (3, True), command
    assert hoplab(*line).code == 0
    assert plan.read_bytes() == before
    assert hoplab("query", "SELECT 1", "s").code == 0
    (tmp_path / "s" / "checksums.json").unlink()
    assert hoplab("query", "SELECT 1", "s").code == 0
