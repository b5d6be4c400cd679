"""The study of the TCP variants: that its parts fit together, and that ranges are judged rightly."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import pytest
from fakes.command_line import CommandLine
from msgspec.structs import replace as altered

import hoplab
from hoplab.running.runs import Run, Runs
from hoplab.sweeping import CoreRunner, backend_of
from hoplab_studies.shared import running
from hoplab_studies.shared.claims import papers
from hoplab_studies.shared.numbers import both
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import DEFAULT, Axes, Grid, Settings
from hoplab_studies.shared.verdict import Level
from hoplab_studies.variants import figures, windows
from hoplab_studies.variants import measures as of
from hoplab_studies.variants import scenarios as ground
from hoplab_studies.variants import study as variants
from hoplab_studies.variants.measures import within


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


@pytest.mark.parametrize("sweep", figures.SWEEPS, ids=lambda sweep: sweep.part)
def test_scenarios_resolve_with_every_assumption(sweep: figures.Sweep) -> None:
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
    panels = {f"fig{n}{letter}" for n in (2, 3, 4, 5) for letter in "abcd"}
    assert names == panels | {"windows", "slow-start-errors", "slow-start-speed"}
    assert {claim.figure for claim in papers()["variants"].claims} - {""} == panels


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


@pytest.fixture(scope="module")
def run() -> Run:
    scenario = ground.network("errors", 12.0).with_({"topology.nodes": 30, "traffic.min_hops": 1})
    return hoplab.run(scenario.with_({"radio.errors.frame_error_rate": 0.1}), seeds=1)[0]


def test_engine_counts_frames_that_the_error_model_destroys() -> None:
    scenario = ground.controllers_part().scenario.with_({"duration": "5 s", "warmup": "0 s"})
    harmed = scenario.with_({"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": 0.1})
    (none,), (some,) = (hoplab.run(one, seeds=[2]).runs for one in (scenario, harmed))
    assert of.corrupted(none) == 0.0
    frames = sum(some.frames.values())
    assert 0.03 * frames < of.corrupted(some) < 0.2 * frames
    assert of.dropped_or_corrupted(some) == of.dropped(some) + of.corrupted(some)


def errors_of(run: Run, first: tuple[int, int, int], last: tuple[int, int, int]) -> Grid:
    """Both ends of the error sweep, five placements of two variants: drops, frames destroyed, segments per flow."""
    points: dict[Settings, Runs] = {}
    for rate, (drops, harmed, sent) in ((0.01, first), (0.25, last)):
        flows = tuple(altered(one, segments_sent=sent) for one in run.flows)
        made = altered(run, flows=flows, drops={"mac_retry": drops}, lost={"noise": harmed, "collision": 5})
        for name in ("reno", "vegas"):
            setting = (("radio.errors.frame_error_rate", rate), ("traffic.transport", name))
            points[setting] = Runs(ground.network("errors"), (made,) * 5)
    axes = {"radio.errors.frame_error_rate": (0.01, 0.25), "traffic.transport": ("reno", "vegas")}
    return Grid(axes, points)


def test_a_rate_of_drops_rises_where_their_number_falls(run: Run) -> None:
    (check,) = (one for one in variants.study().checks if one.claim == "V3")
    rates = dict(check.readings)
    plain, with_errors = (rates[key] for key in sorted(rates, key=len))
    grid = errors_of(run, (100, 300, 100), (40, 60, 4))
    (number,), (rate,), (whole,) = (test(grid) for test in (check.test, plain, with_errors))
    assert (number.value.mean, rate.value.mean, whole.value.mean) == pytest.approx((0.4, 10.0, 6.25))
    assert [one.level() for one in (number, rate, whole)] == [Level.DIFFERS, Level.HOLDS, Level.HOLDS]
    assert (
        of.rate_over_variants(errors_of(run, (1, 1, 0), (1, 1, 0)), of.dropped, of.sent, "frame_error_rate", 0.01)[0]
        is None
    )


def test_rates_may_be_monotone_where_numbers_are_not(run: Run) -> None:
    (check,) = (one for one in variants.study().checks if (one.claim, one.part) == ("V18", "errors"))
    grid = errors_of(run, (100, 300, 100), (40, 60, 4))
    ((_, as_rate),) = check.readings
    number, rate = (next(one for one in test(grid) if "drops" in one.what) for test in (check.test, as_rate))
    assert (number.value.mean, rate.value.mean) == (-1.0, 1.0)
    assert (number.level(), rate.level()) == (Level.DIFFERS, Level.HOLDS)


def test_a_median_ignores_the_placement_that_decides_the_mean() -> None:
    last, first = [1.5 + 0.01 * i for i in range(21)], [1.0] * 20 + [60.0]
    assert within("delay", last, first, ((1.2, 3.0),), rises=True).level() == Level.DIFFERS
    median = of.within_medians("delay", last, first, ((1.2, 3.0),), rises=True)
    assert median.value.mean == pytest.approx(1.6)
    assert median.level() == Level.HOLDS
    falling = of.within_medians("delay", first, last, ((1.2, 3.0),), rises=True)
    assert falling.level() == Level.DIFFERS


@pytest.mark.parametrize("sweep", figures.SWEEPS, ids=lambda sweep: sweep.part)
def test_another_sender_takes_the_place_of_one(run: Run, sweep: figures.Sweep) -> None:
    part = next(one for one in variants.study().parts if one.name == sweep.part)
    default = grid_over(part.axes, run)
    for name, old, new in (("westwood", "westwood_plus", "westwood"), ("ns2-vegas", "vegas", "vegas")):
        series = next(one for one in part.variations if one.name == name)
        own = grid_over(part.axes_of(series), run)
        whole = own.over(default, series.reuse)
        ends = (sweep.values[0], sweep.values[-1])
        assert whole.values(sweep.axis) == ends
        assert set(whole.values("transport")) == set(ground.VARIANTS) - {old} | {new}
        assert len(whole.points) == 14
        for value in ends:
            assert whole.at(**{sweep.axis: value, "transport": new}) is own.at(**{sweep.axis: value, "transport": new})
            mine, theirs = (grid.at(**{sweep.axis: value, "transport": "bic"}) for grid in (whole, default))
            assert mine is theirs
        assert len(variants._everyone_loses(sweep, whole)) == 7


def grid_over(axes: Axes, run: Run) -> Grid:
    """A grid with a run at each point, as the study reads them."""
    points: dict[Settings, Runs] = {}
    scenario = ground.network("speed")
    for values in itertools.product(*axes.values()):
        keys = zip(axes, values, strict=True)
        setting = tuple((key, value) for axis, value in keys for key in axis.split(","))
        points[setting] = Runs(scenario, (run,) * 2)
    return Grid(axes, points)


def test_senders_differ_in_what_they_name() -> None:
    part = next(one for one in variants.study().parts if one.name == "speed")
    for name, profile, transport in (("westwood", "ns2_linux", "westwood"), ("ns2-vegas", "ns2_oneway", "vegas")):
        series = next(one for one in part.variations if one.name == name)
        (sent,) = series.axes[TRANSPORT]
        resolved = scenario_of(part, series).with_({TRANSPORT: sent}).resolve().data
        assert (resolved["tcp"]["profile"], {flow["transport"] for flow in resolved["flows"]}) == (profile, {transport})


def test_windows_are_drawn_of_one_placement(tmp_path: Path) -> None:
    part = windows.part()
    part = replace(part, scenario=part.scenario.with_({"duration": "12 s", "topology.nodes": 60}))
    (job,) = running.jobs_of([part], 1, tmp_path)
    running.execute(job, backend_of(None, CoreRunner(), 2))
    windows_ = windows.drawn(running.grids_of([job])["windows", DEFAULT])
    assert [one.id for one in windows_] == [f"window-{name.replace('_', '-')}" for name in ground.VARIANTS]
    for figure in windows_:
        assert [curve.style for curve in figure.curves] == ["step", "step"]
        assert all(len(curve.x) == len(curve.y) > 40 for curve in figure.curves)
        assert max(figure.curves[0].y) > 1.0


def test_figure_without_claims_prints_no_verdicts(
    hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = windows.part()
    brief = replace(part, scenario=part.scenario.with_({"duration": "12 s", "topology.nodes": 60}))
    whole = variants.study(quick=True)
    monkeypatch.setattr(variants, "study", lambda **_: replace(whole, parts=(brief,)))
    answer = hoplab("reproduce", "variants", "windows", "--quick", "--seeds", "1", "--out", "out")
    assert answer.code == 0, answer.err
    assert "no claim is judged on this figure" in answer.out
    assert '<figure id="window-vegas"' in (tmp_path / "out" / "report.html").read_text()


def test_placements_without_a_number_are_left_out() -> None:
    assert both([1.0, None, 3.0], [4.0, 5.0, None]) == ([1.0], [4.0])


def test_seven_variants() -> None:
    assert len(ground.VARIANTS) == 7
