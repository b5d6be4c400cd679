"""The search for constants of TCP Muzha's routers: which settings it prefers, what it trains and judges on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hoplab_studies.muzha import calibration
from hoplab_studies.muzha import study as muzha
from hoplab_studies.muzha.calibration import Score
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import Part


def test_a_fair_setting_is_preferred_to_a_faster_one() -> None:
    fair, slow = Score((), 1.01, 0, {5: 0.7, 7: 1.5}), Score((), 0.99, 0, {5: 1.0, 7: 1.0})
    starved, greedy, resent = Score((), 1.2, 0, {5: 0.5}), Score((), 1.2, 0, {5: 1.9}), Score((), 1.2, 1, {5: 1.0})
    assert [one.unfair for one in (fair, slow, starved, greedy, resent)] == [0, 0, 1, 1, 0]
    assert max((fair, slow, starved, greedy, resent), key=lambda one: one.key) is fair


def test_crosses_of_the_test_are_not_those_of_the_training() -> None:
    ground = calibration.training(3)
    assert ground.crosses == (5, 7)
    for test in calibration.tests(3):
        assert not set(test.crosses) & set(ground.crosses)
        assert not set(test.seeds) & set(ground.seeds)
    flows = ground.cross(5, {"muzha.drai.u3": 1.0}).resolve().data
    assert [flow["transport"] for flow in flows["flows"]] == ["muzha", "new_reno"]
    assert flows["muzha"]["drai"]["u3"] == 1.0


def test_the_grid_covers_the_constants_in_force_and_rises() -> None:
    assert [name for name, _ in calibration.default_setting()] == list(calibration.GRID)
    for name, value in calibration.default_setting():
        assert value in calibration.GRID[name], name
    assert max(float(u2) for u2 in calibration.GRID["u2"]) <= min(float(u3) for u3 in calibration.GRID["u3"])


def test_shares_of_a_cross_come_with_intervals() -> None:
    short = replace(calibration.training(3), changes={"duration": "4 s"})
    found = calibration.share(short, calibration.default_setting(), threads=1, progress=False)
    assert set(found) == {5, 7}
    for interval in found.values():
        assert interval.n == 3
        assert interval.mean > 0.0


@pytest.mark.parametrize("part", muzha.study().parts, ids=lambda part: part.name)
def test_scenarios_resolve_with_every_assumption(part: Part) -> None:
    names = [series.name for series in part.series]
    assert len(names) == len(set(names))
    for series in part.series:
        data = scenario_of(part, series).resolve().data
        if series.name == "winf":
            assert data["winf"]["everywhere"]
            assert data["muzha"]["drai"]["table"]["used"]
