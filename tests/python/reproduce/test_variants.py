"""The study of the TCP variants: that its parts fit together, and that ranges are judged rightly."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

from hoplab.studies.shared.claims import papers
from hoplab.studies.shared.running import scenario_of
from hoplab.studies.shared.verdict import Level
from hoplab.studies.variants import scenarios as ground
from hoplab.studies.variants import study as variants
from hoplab.studies.variants.measures import both, within


@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_has_a_check_and_every_check_a_part(quick: bool) -> None:
    study = variants.study(quick=quick)
    claims = {claim.id for claim in papers()["variants"].claims}
    assert {check.claim for check in study.checks} == claims
    assert {check.part for check in study.checks} <= {part.name for part in study.parts}
    settings = sum(len(values) for part in study.parts[:4] for key, values in part.axes.items() if key != TRANSPORT)
    assert settings == 16
    assert all(bool(part.variations) is not quick for part in study.parts[:4])


TRANSPORT = "traffic.transport"


@pytest.mark.parametrize("sweep", variants.SWEEPS, ids=lambda sweep: sweep.part)
def test_scenarios_resolve_with_every_assumption(sweep: variants.Sweep) -> None:
    part = next(part for part in variants.study().parts if part.name == sweep.part)
    for series in part.series:
        resolved = scenario_of(part, series).resolve()
        assert len(resolved.data["flows"]) == 4


@pytest.mark.parametrize(("series", "share"), [("frames", 0.95), ("ns2-defaults", 0.98966)])
def test_of_frames_with_a_shadow_each_so_many_arrive_over_250_m(series: str, share: float) -> None:
    """Closed form: free space up to 1 m, then the path loss exponent, and a normal deviate in dB."""
    part = next(part for part in variants.study().parts if part.name == "nodes")
    radio = scenario_of(part, next(one for one in part.series if one.name == series)).resolve().data["radio"]
    assert radio["shadowing_coherence"] == "frame"
    at_reference_w = radio["tx_power_w"] * (3e8 / radio["frequency_hz"] / (4 * math.pi)) ** 2
    mean_w = at_reference_w * 250.0 ** -radio["path_loss_exponent"]
    margin_db = 10 * math.log10(mean_w / radio["rx_threshold_w"])
    assert NormalDist(sigma=radio["shadowing_deviation_db"]).cdf(margin_db) == pytest.approx(share, abs=1e-5)
    assert radio["rx_threshold_w"] / radio["cs_threshold_w"] == pytest.approx(23.4, abs=0.03)


def test_variants_share_the_network_of_a_seed() -> None:
    part = variants.study().parts[0]
    base = scenario_of(part, part.series[0])
    one, other = (
        base.with_({"traffic.transport": name, "radio.errors.frame_error_rate": rate, "seed": 7}).resolve().data
        for name, rate in (("bic", 0.01), ("vegas", 0.25))
    )
    assert one["topology"] == other["topology"]
    ends = [[(flow["from"], flow["to"]) for flow in data["flows"]] for data in (one, other)]
    assert ends[0] == ends[1]


def test_the_figures_have_the_letters_of_the_claims() -> None:
    names = {shown.name for shown in variants.study().figures}
    assert names == {f"fig{n}{letter}" for n in (2, 3, 4, 5) for letter in "abcd"}
    assert {claim.figure for claim in papers()["variants"].claims} - {""} == names


@pytest.mark.parametrize(
    ("last", "ranges", "level"),
    [
        ([3.0, 3.1, 2.9, 3.0], ((2.0, 4.0),), Level.HOLDS),
        ([1.5, 1.6, 1.4, 1.5], ((2.0, 4.0),), Level.TREND),
        ([0.5, 0.6, 0.4, 0.5], ((2.0, 4.0),), Level.DIFFERS),
        ([20.0, 21.0, 19.0, 20.0], ((10.0, math.inf), (1.5, 3.0)), Level.HOLDS),
        ([5.0, 5.1, 4.9, 5.0], ((10.0, math.inf), (1.5, 3.0)), Level.TREND),
    ],
)
def test_a_ratio_within_ranges(last: list[float], ranges: tuple[tuple[float, float], ...], level: Level) -> None:
    condition = within("ratio", last, [1.0] * 4, ranges, rises=True)
    assert condition.level() == level
    assert condition.holds("low") == condition.holds("high") == (level == Level.HOLDS)


def test_an_interval_across_an_end_settles_nothing() -> None:
    condition = within("ratio", [1.0, 3.0, 1.0, 3.0], [1.0] * 4, ((1.9, 2.5),), rises=True)
    assert condition.level() == Level.OPEN
    assert condition.holds("high")
    assert not condition.holds("low")


def test_placements_without_a_number_are_left_out() -> None:
    assert both([1.0, None, 3.0], [4.0, 5.0, None]) == ([1.0], [4.0])


def test_seven_variants() -> None:
    assert len(ground.VARIANTS) == 7
