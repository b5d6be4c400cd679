"""What the live line and the estimate say."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoplab.base.progress import duration
from hoplab.sweeping.estimate import estimate
from hoplab.sweeping.progress import Line, Share, pace, watching
from hoplab.sweeping.runner import CoreRunner
from sweep.kit import SCENARIO, plan_of, sweep_in


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (42.4, "42 s"),
        (60.0, "1 min"),
        (200.0, "3 min 20 s"),
        (7500.0, "2 h 5 min"),
        (7200.0, "2 h"),
        (3 * 86400 + 4 * 3600, "3 d 4 h"),
    ],
)
def test_times_as_people_say_them(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_rate_excludes_reused_runs() -> None:
    assert pace(10, 5.0, 10.0, 0) == "2 runs/s, 10 s left"
    assert pace(0, 5.0, None, 0) == ""
    assert pace(0, 5.0, None, 3) == "3 failed"
    assert pace(300, 1000.0, 100.0, 1) == "0.3 runs/s, 1 min 40 s left, 1 failed"


class _Bar:
    """Keeps the last state of a line."""

    def update(self, _: object, **state: object) -> None:
        self.state = state

    def pace(self) -> object:
        return self.state["pace"]


def test_one_line_of_several_sweeps_has_the_time_left_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 0.0, 2.0, 4.0, 6.0, 6.0])
    monkeypatch.setattr("hoplab.sweeping.progress.time.monotonic", lambda: next(now))
    bar = _Bar()
    first, second = Line(bar, None, [Share(4, 2, 1.0), Share(10, 0, 3.0)]).sweeps
    first.planned(4, 2)
    assert bar.state == {"total": 14, "completed": 2, "pace": ""}
    first.finished()
    assert bar.pace() == "0.5 runs/s, 1 min 2 s left"  # 31 units of cost at one in 2 s
    first.finished()
    second.planned(10, 1)
    assert bar.state == {"total": 14, "completed": 5, "pace": "0.333 runs/s, 1 min 21 s left"}
    second.failed()
    assert bar.pace() == "0.333 runs/s, 1 min 12 s left, 1 failed"


def test_the_live_line_is_drawn_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with watching("chain", show=True) as observer:
        sweep_in(tmp_path / "out", observer=observer)
    out, _ = capsys.readouterr()
    assert out == ""
    with watching("chain", show=False) as observer:
        sweep_in(tmp_path / "out", observer=observer)
    assert capsys.readouterr() == ("", "")


def test_an_estimate_scales_trials_to_the_duration(tmp_path: Path) -> None:
    text = SCENARIO.replace("[[flow]]", "[fake]\nsleep_s = 0.02\n[[flow]]", 1)
    plan = plan_of(text)
    found = estimate(plan, tmp_path / "out", plan.runner, 2)
    assert (found.points, found.runs, found.done, found.pending) == (6, 24, 0, 24)
    assert found.cpu_s is not None
    assert 24 * 0.02 * 5 <= found.cpu_s < 24 * 0.02 * 5 * 10, "trials of 2 s stand for 10 s"
    assert found.basis == "5 short trials"
    assert not (tmp_path / "out").exists()
    sweep_in(tmp_path / "out", text)
    nothing = estimate(plan, tmp_path / "out", plan.runner, 2)
    assert (nothing.pending, nothing.cpu_s, nothing.wall_s) == (0, 0.0, 0.0)


def test_estimate_reports_a_broken_engine(tmp_path: Path) -> None:
    plan = plan_of(SCENARIO.replace("[[flow]]", "[fake]\nfail = [1]\n[[flow]]", 1))
    found = estimate(plan, tmp_path / "out", plan.runner, 2)
    assert found.cpu_s is None
    assert found.wall_s is None


def test_trials_of_drawn_traffic_reach_beyond_its_latest_start(tmp_path: Path) -> None:
    text = """
duration = "20 s"
[topology]
kind = "chain"
hops = 3
[traffic]
kind = "tcp"
pairs = "random"
connections = 2
start_window = "8 s"
[sweep]
seeds = 2
"""
    found = estimate(plan_of(text, runner=CoreRunner()), tmp_path / "out", CoreRunner(), 1)
    assert found.cpu_s is not None
    assert found.cpu_s > 0.0
    assert found.basis == "1 short trial"
