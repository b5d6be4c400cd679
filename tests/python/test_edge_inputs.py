"""Inputs at the edge of what commands take: each is an error that names them, and none an internal one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

HUGE = "99999999999999999999"
WIRES = (
    '[[wire]]\nbetween = ["a", "b"]\nrate = "10 Mb/s"\ndelay = "5 ms"\n'
    '[[flow]]\nfrom = "a"\nto = "b"\ntransport = "tcp_cubic"\n'
)
HOSTS = '[[node]]\nkind = "host"\nname = "a"\n[[node]]\nkind = "host"\nname = "b"\n' + WIRES


@pytest.fixture
def files(tmp_path: Path, chain: Path) -> Path:
    """A scenario of hosts only."""
    (tmp_path / "hosts.toml").write_text(HOSTS)
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (["bound", "chain.toml", "--seed", HUGE], 2, "expected an integer from 0 to 2**64 - 1"),
        (["bound", "chain.toml", "--replay", "--seed", HUGE], 2, "expected an integer from 0 to 2**64 - 1"),
        (["export", "chain.toml", "--links", "out", "--seed", HUGE], 2, "expected an integer from 0 to 2**64 - 1"),
        (["show", "hosts.toml", "--preview", "map.svg"], 3, "no node has a position"),
        (["bound", "hosts.toml", "--replay"], 3, "no node has a radio"),
        (["export", "hosts.toml", "--links", "out"], 3, "no node has a radio"),
    ],
)
def test_edges_are_named(hoplab: CommandLine, line: list[str], code: int, words: str) -> None:
    answer = hoplab(*line)
    assert (answer.code, words in answer.err) == (code, True), answer.err
    assert "internal error" not in answer.err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("profile", ["ns2", "std"])
def test_hosts_alone_have_a_bound(hoplab: CommandLine, profile: str) -> None:
    answer = hoplab("bound", "hosts.toml", "--set", f"profile={profile}")
    assert answer.code == 0
    assert "limited by link 0-1" in answer.out


def test_precision_that_no_run_reaches_ends_at_the_most_seeds(hoplab: CommandLine, chain: Path) -> None:
    line = ["--set", "duration=1 s", "--precision", "1e-300%", "--max-seeds", "11", "--out", "s"]
    answer = hoplab("sweep", chain.name, *line)
    assert "precision not reached with 11 seeds" in answer.err
    assert "internal error" not in answer.err


def test_workload_without_a_kind_is_one_of_transfers(hoplab: CommandLine, chain: Path) -> None:
    text = chain.read_text() + '[[workload]]\nsize = "10 kB"\nrate = "2/s"\nfrom = 0\nto = 4\n'
    chain.write_text(text)
    out: Any = hoplab("show", chain.name, "--resolved")
    assert (out.code, 'kind = "poisson"' in out.out) == (0, True), out.err


@pytest.mark.parametrize("command", ["run", "explain", "bound"])
def test_stack_that_is_not_built_in_is_an_input_error(hoplab: CommandLine, chain: Path, command: str) -> None:
    answer = hoplab(command, chain.name, "--set", 'flow.transport="smoltcp_cubic"', "--set", "duration=1 s")
    if answer.code == 0:
        pytest.skip("this engine has smoltcp")
    assert answer.code == 3
    assert 'smoltcp_* need a program that is built with feature "smoltcp"' in answer.err
