"""Numbers from other programs: NumPy's, too large ones, and what only looks like a number."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.command_line import CommandLine

import hoplab
from hoplab.base.errors import EXIT_USAGE, UsageError
from hoplab.base.numbers import integer_of, number_of
from hoplab.base.table import Table
from hoplab.running.execution import thread_count
from hoplab.running.limits import Limits
from hoplab.running.seeds import MAX_SEEDS, seeds_of
from hoplab.store import columns

LARGEST = 2**64 - 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.int64(2), (5, 6)),
        (np.uint8(1), (5,)),
        (np.array([3, 1]), (3, 1)),
        ([np.int32(7), 8], (7, 8)),
        ((seed for seed in (4, 2)), (4, 2)),
        (range(2), (0, 1)),
        ([LARGEST], (LARGEST,)),
        (f"{LARGEST - 1}..{LARGEST}", (LARGEST - 1, LARGEST)),
        (" 2 ", (5, 6)),
    ],
)
def test_seeds_of_every_integer_type(given: Any, expected: tuple[int, ...]) -> None:
    found = seeds_of(given, 5)
    assert found == expected
    assert all(type(seed) is int for seed in found)


@pytest.mark.parametrize(
    "given",
    [
        b"12",
        bytearray(b"3"),
        memoryview(b"3"),
        {1: 2},
        2.0,
        True,
        None,
        ["1"],
        [1.0],
        [True],
        [np.bool_(True)],
        [2**64],
        [-1],
        "1_0",
        "\N{ARABIC-INDIC DIGIT THREE}",
        "1..",
        "0x10",
        "9" * 5000,
        itertools.count(),
        object(),
    ],
)
def test_what_is_no_seed_is_refused(given: Any) -> None:
    with pytest.raises(UsageError):
        seeds_of(given, 1)


def test_too_many_seeds_are_refused_before_they_exist() -> None:
    for given in (10**30, f"0..{10**18}", itertools.count(), MAX_SEEDS + 1):
        with pytest.raises(UsageError, match="seeds"):
            seeds_of(given, 0)


@pytest.mark.parametrize("value", [np.float64(1.5), np.int64(1), 1.5, 2])
def test_limits_take_numpy_numbers(value: Any) -> None:
    assert Limits(max_wall_s=value).max_wall_s == float(value)
    assert thread_count(np.int64(3)) == 3


@pytest.mark.parametrize("value", [0, -1, 10**20, 1.5, True, "4", b"4", np.array([1, 2])])
def test_threads_that_are_none_are_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="threads"):
        thread_count(value)


def test_numbers_are_distinguished_from_similar_values() -> None:
    assert [integer_of(value) for value in (3, np.int8(3), np.array(3), True, np.bool_(1), 3.0, "3", None)] == [
        3, 3, 3, None, None, None, None, None,
    ]  # fmt: skip
    assert [number_of(value) for value in (3, 0.5, np.float32(0.5), "1", b"1", True, float("nan"), 10**400)] == [
        3.0, 0.5, 0.5, None, None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize("values", [[2**63, 1], [LARGEST], [2**63 - 1, -1], [2**64, 1], [2**63, -1]])
def test_integers_of_any_size_fit_a_table(values: list[int]) -> None:
    for name in ("seed", "size"):
        held = Table.from_rows([{name: value} for value in values])
        assert [int(value) for value in held[name]] == values
    assert [int(value) for value in columns.array("size", list(values))] == values


@pytest.mark.parametrize("seed", [2**63, LARGEST])
def test_largest_seeds_run_and_are_stored(seed: int, hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", "--set", "duration=1 s", "--seeds", f"{seed},3", "--json")
    assert [json.loads(line)["seed"] for line in answer.out.splitlines()] == [seed, 3]
    assert hoplab("run", "chain.toml", "--set", "duration=1 s", "--seeds", f"{seed},3", "--out", "o").code == 0
    assert hoplab("report", "o", "--force").code == 0
    assert str(seed) in hoplab("query", "SELECT DISTINCT seed FROM flows", "o").out


@pytest.mark.parametrize("seed", [2**63, LARGEST])
def test_export_takes_the_largest_seeds(seed: int, chain: Path) -> None:
    from hoplab.scenario.trajectories import movements, setdest

    scenario = hoplab.Scenario.from_toml(chain)
    assert len(movements(scenario, seed=seed)) == 5
    for wrong in (2**64, -1, 1.5):
        with pytest.raises(UsageError, match="seed"):
            setdest(scenario, seed=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "option", [["--threads", "9" * 20], ["--seeds", "9" * 20], ["--max-events", "9" * 30], ["--seeds", str(2**64)]]
)
def test_options_with_twenty_digits_are_usage_errors(option: list[str], hoplab: CommandLine, chain: Path) -> None:
    answer = hoplab("run", "chain.toml", *option)
    assert answer.code == EXIT_USAGE
    assert "internal error" not in answer.err
