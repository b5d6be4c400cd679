"""A file that a scenario names is edited while its sweep runs: no run is stored under what it no longer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoplab.base.errors import EXIT_INPUT, InputError, exit_code_of
from hoplab.store import RunStore, open_results
from hoplab.sweeping import Outcome, execute_plan, make_plan, parse_sweep, split_source
from hoplab.sweeping.backend import LocalBackend
from hoplab.sweeping.executor import Silent
from hoplab.sweeping.runner import CoreRunner

WALK = """\
$node_(0) set X_ 0.0
$node_(0) set Y_ 0.0
$node_(0) set Z_ 0.0
$node_(1) set X_ {x}
$node_(1) set Y_ 0.0
$node_(1) set Z_ 0.0
$ns_ at 0.5 "$node_(1) setdest 150.0 10.0 5.0"
"""
SWEEP = """\
duration = "1 s"

[topology]
kind = "random"
nodes = 2

[mobility]
kind = "setdest"
file = "walk.scn"

[[flow]]
from = 0
to = 1

[sweep]
seeds = 40
"""


class Editor(Silent):
    """Saves the file with another content once some runs are stored."""

    def __init__(self, file: Path, after: int, content: str) -> None:
        self.file = file
        self.left = after
        self.content = content

    def finished(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.file.write_text(self.content)


def swept(folder: Path, observer: Silent | None = None) -> Outcome:
    source = split_source(SWEEP, str(folder / "sweep.toml"))
    plan = make_plan(source, parse_sweep(source), CoreRunner())
    return execute_plan(plan, folder / "out", LocalBackend(plan.runner, 2), observer=observer)


def test_an_edited_movement_file_ends_the_sweep(tmp_path: Path) -> None:
    walk = tmp_path / "walk.scn"
    walk.write_text(WALK.format(x=100.0))
    with pytest.raises(InputError, match=r"walk\.scn: changed during the sweep") as raised:
        swept(tmp_path, Editor(walk, 5, WALK.format(x=120.0)))
    assert exit_code_of(raised.value) == EXIT_INPUT
    store = RunStore(tmp_path / "out")
    before = open_results(tmp_path / "out").catalog.runs
    kept = [run for run in before if store.state(run) == "done"]
    assert 5 <= len(kept) < 40
    manifests = [store.manifest(run) or {} for run in kept]
    assert len({manifest["scenario"]["mobility"]["file_blake3"] for manifest in manifests}) == 1
    # As it is now, it is another scenario: all runs are made; and back again, what was kept is found.
    assert (swept(tmp_path).executed, swept(tmp_path).reused) == (40, 40)
    walk.write_text(WALK.format(x=100.0))
    again = swept(tmp_path)
    assert (again.executed, again.reused) == (40 - len(kept), len(kept))


@pytest.mark.parametrize("content", ["", WALK[:40], "set X_"], ids=["emptied", "half", "wrong"])
def test_a_movement_file_that_is_half_written_has_changed_too(tmp_path: Path, content: str) -> None:
    walk = tmp_path / "walk.scn"
    walk.write_text(WALK.format(x=100.0))
    with pytest.raises(InputError, match=r"walk\.scn: changed during the sweep"):
        swept(tmp_path, Editor(walk, 5, content))
    walk.write_text(WALK.format(x=100.0))
    again = swept(tmp_path)
    assert again.failures == []
    assert again.executed + again.reused == 40
    assert again.reused >= 5
