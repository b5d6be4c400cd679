"""Errors name what the caller wrote: options on the command line, overrides and arguments in Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab as library

CHAIN = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"transport": "vegas"}]}


def test_override_error_names_the_override() -> None:
    scenario = library.Scenario.from_dict(CHAIN)
    with pytest.raises(library.ScenarioError) as caught:
        scenario.with_({"mac.ssrl": "x"})
    lines = str(caught.value).split("\n")
    assert lines[0].startswith("override mac.ssrl: ")
    assert lines[2:4] == [' | mac.ssrl="x"', " |          ^^^"]
    assert caught.value.path == "override mac.ssrl"
    assert (caught.value.key, caught.value.value) == ("mac.ssrl", '"x"')


@pytest.mark.parametrize(
    "changes",
    [
        {"mac.ssrl": "x"},
        {"mac.srl": 9},
        {"topology.hops": -1},
        {"": 3},
        {"flow.3.window": 8},
        {"queue.kind": "cake"},
        {"a b": 1},
    ],
)
def test_api_errors_name_no_option(changes: dict[str, object]) -> None:
    scenario = library.Scenario.from_dict(CHAIN)
    with pytest.raises(library.ScenarioError) as caught:
        scenario.with_(changes)
    assert "--" not in str(caught.value)


def test_sweep_and_compare_errors_name_arguments(tmp_path: Path) -> None:
    scenario = library.Scenario.from_dict(CHAIN)
    with pytest.raises(library.UsageError, match=r"use seeds=\[1, 2, 3\]") as caught:
        library.compare(scenario, ["vegas"], over={"seed": [1, 2]})
    assert "--" not in str(caught.value)
    with pytest.raises(library.UsageError, match=r"override topology\.hops: is an axis of this sweep") as caught:
        library.sweep(scenario, over={"topology.hops": [1, 2]}, overrides={"topology.hops": 2}, out=tmp_path / "out")
    assert "--" not in str(caught.value)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    with pytest.raises(library.OutputError, match=r"pass another directory as out=, or force=True") as failed:
        library.sweep(scenario, seeds=1, out=tmp_path / "full")
    assert "--" not in str(failed.value)


def test_command_line_errors_name_the_option(hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("show", chain, "--set", "mac.ssrl=x")
    assert answer.code == 3
    assert answer.err.startswith("--set mac.ssrl: ")
    assert " | --set mac.ssrl=x" in answer.err
