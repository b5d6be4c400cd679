"""The study of 802.11n meshes: that its parts fit together, and what separate channels are made of."""

from __future__ import annotations

import pytest

import hoplab
from hoplab_studies.ho2014 import scenarios as ground
from hoplab_studies.ho2014 import study as ho2014
from hoplab_studies.shared.claims import papers
from hoplab_studies.shared.numbers import goodput
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import Part


@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_has_a_check(quick: bool) -> None:
    study = ho2014.study(quick=quick)
    assert {check.claim for check in study.checks} == {claim.id for claim in papers()["ho2014"].claims}
    parts = {part.name for part in study.parts}
    assert {part for check in study.checks for part in (check.part, *check.beside)} <= parts


@pytest.mark.parametrize("part", ho2014.study().parts, ids=lambda part: part.name)
def test_scenarios_resolve_with_every_assumption(part: Part) -> None:
    for series in part.series:
        assert scenario_of(part, series).resolve().data["flows"]


def at(mode: str, hops: int) -> hoplab.Run:
    part = next(part for part in ground.parts(quick=True) if part.name == mode)
    scenario = scenario_of(part, part.series[0]).with_({"flow.to": ground.end_of(hops)})
    return hoplab.run(scenario, seeds=1)[0]


def test_hops_of_other_channels_do_not_contend() -> None:
    """802.11a: five hops carry as much as one, as the window is larger than their delay needs."""
    one, five = at("11a", 1), at("11a", 5)
    assert goodput(five) == pytest.approx(goodput(one), rel=0.05)
    assert five.flows[0].hops_mean == 9.0, "five over the air, four over wires"


def test_smaller_aggregates_are_why_several_hops_carry_less() -> None:
    one, five = at("11n", 1), at("11n", 5)
    assert ho2014.ppdus(five, 5) > 2.0 * ho2014.ppdus(one, 1)
    assert goodput(five) < 0.5 * goodput(one)
    assert goodput(five) > 2.0 * goodput(at("11a", 5)), "and more than 802.11a all the same"
