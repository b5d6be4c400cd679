"""Batches: a scenario and its files are read once, whatever the number of seeds, and each seed has its own draws."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hoplab.base.engine import core

MOVING = """\
duration = "2 s"

[mobility]
kind = "setdest"
file = "movements.tcl"

[traffic]
kind = "cbr"
rate = "16 kb/s"
start_window = "1 s"
"""

MOVEMENTS = "\n".join(
    f"$node_({node}) set X_ {100.0 * (node + 1)}\n$node_({node}) set Y_ 10.0\n$node_({node}) set Z_ 0.0"
    for node in range(8)
)

RANDOM = """\
[topology]
kind = "random"
nodes = 8
area = ["400 m", "400 m"]
"""

SEEDS = range(1, 9)


def results(path: Path, seeds: Iterable[int] = SEEDS, forget: Path | None = None) -> dict[int, dict[str, object]]:
    """Reports by seed, without the time that they took; `forget` is deleted after the first."""
    reports: dict[int, dict[str, object]] = {}
    text = path.read_text()
    jobs = [core().Job(text, str(path), [], seed) for seed in seeds]

    def on_result(index: int, report: str, _: object) -> None:
        fields = json.loads(report)
        reports[jobs[index].seed] = {key: value for key, value in fields.items() if key != "cpu_s"}
        if forget is not None:
            forget.unlink(missing_ok=True)

    core().run_many(jobs, 1, on_result)
    return reports


def test_files_of_a_scenario_are_read_once_for_all_seeds(tmp_path: Path) -> None:
    path = tmp_path / "moving.toml"
    path.write_text(MOVING)
    movements = tmp_path / "movements.tcl"
    movements.write_text(MOVEMENTS)
    before = results(path)
    assert results(path, forget=movements) == before
    assert len(before) == len(SEEDS)


def test_seeds_of_a_batch_draw_as_runs_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "moving.toml"
    path.write_text(MOVING.replace('kind = "setdest"\nfile = "movements.tcl"', 'kind = "waypoint"') + RANDOM)
    together = results(path)
    for seed in (1, 5):
        assert results(path, [seed]) == {seed: together[seed]}
    assert len({json.dumps(report, sort_keys=True) for report in together.values()}) == len(SEEDS)
