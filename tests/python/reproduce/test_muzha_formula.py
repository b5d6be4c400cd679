"""A DRAI formula in Python: the keys that it becomes, and the runs that it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

import hoplab
from hoplab import InputError, UsageError
from hoplab_studies.muzha import scenarios as ground

CHAIN = """
duration = "20 s"
[topology]
kind = "chain"
hops = 4
[[flow]]
transport = "muzha"
"""


def chain() -> hoplab.Scenario:
    return hoplab.Scenario.from_text(CHAIN)


def test_formula_becomes_levels_of_cells() -> None:
    keys = hoplab.drai_grid(lambda busy, queue: 5.0 - queue - 2.0 * busy, busy=[0.5, 1.0], queue=[1.0])
    assert list(keys) == [
        "muzha.drai.mode",
        "muzha.drai.grid.queue",
        "muzha.drai.grid.busy",
        "muzha.drai.grid.levels",
    ]
    assert keys["muzha.drai.grid.levels"] == [5, 4, 3, 4, 3, 2]  # rows of the queue, whatever the order of arguments


def test_formula_of_the_table_gives_the_runs_of_the_table() -> None:
    """The lower of two levels, written as a formula, is the engine's own mode, event by event."""

    def lower(queue: float, busy: float) -> int:
        by_queue = 5 - sum(queue >= step for step in (0.05, 0.4, 1.0, 4.0))
        return min(by_queue, 5 - sum(busy >= step for step in (0.7, 0.85, 0.97)))

    steps = {"queue": [0.05, 0.4, 1.0, 4.0], "busy": [0.7, 0.85, 0.97]}
    written = hoplab.run(chain().with_(hoplab.drai_grid(lower, **steps)), seeds=2)
    own = hoplab.run(chain(), seeds=2)
    assert [run.fingerprint for run in written] == [run.fingerprint for run in own]
    other = hoplab.run(chain().with_(hoplab.drai_grid(lambda queue: 5.0 - min(queue, 4.0), queue=[2.0])), seeds=2)
    assert [run.fingerprint for run in other] != [run.fingerprint for run in own]


def test_formula_of_the_study_uses_all_levels() -> None:
    levels = ground.FORMULA.changes["muzha.drai.grid.levels"]
    assert isinstance(levels, list)
    assert set(levels) == {1, 2, 3, 4, 5}
    assert ground.headroom(queue=0.0, busy=0.65) == 5.0
    assert ground.headroom(queue=1.0, busy=0.9) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("formula", "steps", "message"),
    [
        (lambda: 5, {}, "no steps, expected those of a signal"),
        (lambda wait: 5, {"wait": [1.0]}, "unknown signal 'wait', expected queue, share, busy, delay, used"),
        (lambda busy: 5, {"busy": [0.5, 0.2]}, r"steps of busy are \[0.5, 0.2\], expected ascending"),
        (lambda busy: 5, {"busy": [0.0]}, r"steps of busy are \[0.0\], expected ascending numbers above 0"),
        (lambda busy, queue: 5, {"busy": range(1, 80), "queue": range(1, 80)}, "6400 cells, expected at most 4096"),
        (lambda busy: 9, {"busy": [0.5]}, "the formula returned 9 at busy = 0, expected 1 to 5"),
        (lambda busy: "5", {"busy": [0.5]}, "the formula returned '5' at busy = 0"),
        (lambda busy: 1.0 / busy, {"busy": [0.5]}, "the formula failed at busy = 0: ZeroDivisionError"),
    ],
)
def test_bad_formulas_are_named(formula: Callable[..., float], steps: dict[str, Sequence[float]], message: str) -> None:
    with pytest.raises((UsageError, InputError), match=message):
        hoplab.drai_grid(formula, **steps)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"muzha.drai.mode": "grid"}, 'muzha.drai.mode: "grid" requires [muzha.drai.grid]'),
        (
            {"muzha.drai.mode": "grid", "muzha.drai.grid.busy": [0.5], "muzha.drai.grid.levels": [5]},
            "muzha.drai.grid.levels: has 1 entries",
        ),
        (
            {"muzha.drai.mode": "grid", "muzha.drai.grid.busy": [0.5], "muzha.drai.grid.levels": [5, 9]},
            "expected: levels from 1 to 5",
        ),
        (
            {"muzha.drai.mode": "grid", "muzha.drai.grid.busy": [0.5, 0.2], "muzha.drai.grid.levels": [5, 4, 3]},
            "muzha.drai.grid.busy: must ascend",
        ),
    ],
)
def test_bad_grids_are_named(keys: dict[str, object], message: str) -> None:
    with pytest.raises(hoplab.ScenarioError, match=re.escape(message)):
        chain().with_(keys).resolve()
