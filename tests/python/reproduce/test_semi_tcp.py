"""The study of Semi-TCP: that its parts fit together, what it reads from curves, a figure through the real engine."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.stats import Interval
from hoplab_studies.semi_tcp import gains, published
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp import study as semi_tcp
from hoplab_studies.semi_tcp.figures import searched
from hoplab_studies.semi_tcp.released import table, tolerance
from hoplab_studies.semi_tcp.series import NEARER_M, QUICK_SERIES
from hoplab_studies.shared.claims import papers
from hoplab_studies.shared.resampling import (
    condition,
    estimate,
    greatest_ratio,
    highest,
    no_more_than,
    onset,
    ratio_of_sums,
    share_above,
    slope,
)
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import Part, Study
from hoplab_studies.shared.verdict import NOT_SUPPORTED, NOT_TESTABLE, Level

ROOT = Path(__file__).parents[3]
KEPT_BACK = {5, 8, 11, 14, 17}
X = (1.0, 2.0, 4.0, 9.0, 12.0, 20.0)


@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_is_judged_or_shown_by_tests(quick: bool) -> None:
    study, paper = semi_tcp.study(quick=quick), papers()["semi-tcp"]
    judged = {check.claim for check in study.checks}
    for claim in paper.claims:
        assert bool(claim.tested) == (claim.id in judged), claim.id
        assert claim.tested or claim.proof or claim.grade == "X", claim.id
    assert judged <= {claim.id for claim in paper.claims}
    parts = {part.name for part in study.parts}
    assert {name for check in study.checks for name in (check.part, *check.beside)} <= parts


def test_every_row_of_the_ledger_is_there() -> None:
    """Eight rows of behavior, four panels of retries, Table 1, path lengths, flows together, sums, released results."""
    found = {claim.id for claim in papers()["semi-tcp"].claims}
    expected = {"SEMI-E1", "SEMI-F1", "SEMI-T-opt", "AP-1", *(f"SEMI-P{i}" for i in range(1, 9))}
    for prefix, count in (("SEMI-F7", 9), ("SEMI-F8", 3), ("SEMI-F9", 3), ("SEMI-T1", 8), ("SEMI-F10", 6)):
        expected |= {f"{prefix}-{i}" for i in range(1, count + 1)}
    expected |= {f"SEMI-F11-{i}" for i in (1, 2)} | {f"SEMI-F12-{i}" for i in range(1, 6)}
    expected |= {f"SEMI-A{i}" for i in range(1, 5)} | {f"AUX-{i}" for i in range(1, 13)}
    assert found == expected


def test_a_figure_runs_what_its_claims_need() -> None:
    study, paper = semi_tcp.study(), papers()["semi-tcp"]
    for check in study.checks:
        figure = paper.claim(check.claim).figure
        if figure:
            assert {check.part, *check.beside} <= set(study.figure(figure).parts), check.claim


def test_proofs_name_tests_that_exist() -> None:
    for claim in papers()["semi-tcp"].claims:
        for names, place in re.findall(r"([\w, ]+) in ([\w./]+\.(?:rs|py))", claim.proof):
            text = (ROOT / place).read_text(encoding="utf-8")
            for name in re.findall(r"\w+_\w+|algorithm_\d", names):
                assert f"fn {name}(" in text or f"def {name}(" in text, f"{claim.id}: {name} in {place}"


@pytest.mark.parametrize("part", semi_tcp.study().parts, ids=lambda part: part.name)
def test_scenarios_resolve_with_every_assumption(part: Part) -> None:
    for series in part.series:
        resolved = scenario_of(part, series).resolve()
        assert resolved.data["flows"]


def test_the_bounds_of_equations_1_and_2() -> None:
    for loss in published.LOSSES:
        assert published.rate_bound(512.0, 0.1, loss) == pytest.approx(512.0 / 0.1 * math.sqrt(3.0 / (2.0 * loss)))
        for hops in ground.HOPS:
            falls = published.path_bound(2 * hops, loss) / published.path_bound(hops, loss)
            assert falls == pytest.approx((1.0 - loss) ** hops / 2.0)
    at_ten = [published.path_bound(1, loss) - published.path_bound(10, loss) for loss in published.LOSSES]
    assert at_ten == sorted(at_ten, reverse=True)


def test_the_stored_numbers_are_the_ledgers() -> None:
    for name in ("semi_tcp_released", "semi_tcp_released_failures"):
        assert set(table(name)) == set(ground.RELEASED_HOPS) - KEPT_BACK
    mobile = [float(r["throughput"]) for r in published.numbers("semi_tcp_table1") if r["topology"] == "mobile"]
    assert len(published.numbers("semi_tcp_table1")) == 24
    assert max(mobile) / min(mobile) == pytest.approx(1.14, abs=0.005)
    assert (tolerance(6), tolerance(7)) == (0.15, 0.25)


def test_the_search_for_what_is_left_out_is_recorded() -> None:
    rows = published.numbers("semi_tcp_search")
    assert {row["role"] for row in rows} == {"chooses", "held back"}
    assert {float(row["distance_m"]) for row in rows} >= {NEARER_M, 1000.0}
    assert {row["row"] for row in rows} <= {claim.id for claim in papers()["semi-tcp"].claims}
    table = searched()
    assert len(table.header) == 4 + 4
    assert all(len(row) == len(table.header) for row in table.rows)


def test_the_short_form_runs_the_series_that_explain() -> None:
    quick = {part.name: [v.name for v in part.variations] for part in semi_tcp.study(quick=True).parts}
    assert {"equation-3", "all-three"} < set(quick["chain"])
    assert {"no-repair", "600m", "all-three", "one-out"} < set(quick["s1"])
    assert set(QUICK_SERIES) == {name for names in quick.values() for name in names}
    assert ground.places_of_ends(300.0, 1000.0) == [[250.0, 100.0], [1250.0, 100.0], [250.0, 200.0], [1250.0, 200.0]]


def test_readings_of_a_series_name_series_that_are_run() -> None:
    study = semi_tcp.study(quick=True)
    parts = {part.name: {v.name for v in part.variations} for part in study.parts}
    found = [(check.claim, series) for check in study.checks for series, _, _ in check.on_series]
    assert {claim for claim, _ in found} == {"SEMI-F7-7", "SEMI-F7-8", "SEMI-T1-8"}
    for check in study.checks:
        judged = set().union(*(parts[name] for name in (check.part, *check.beside)))
        assert {series for series, _, _ in check.on_series} <= judged, check.claim


# ---- statistics of curves -------------------------------------------------------------------------------------------


def rows(values: list[float], scatter: float = 0.0) -> list[list[float]]:
    """A curve of four seeds that scatter around these values."""
    return [[value + scatter * e for e in (-1.0, 0.3, 0.7, 0.0)] for value in values]


def test_where_a_curve_is_highest_and_level() -> None:
    curve = rows([10.0, 40.0, 80.0, 100.0, 100.0, 90.0], 0.1)
    assert estimate(highest(X), curve).mean == 12.0
    assert estimate(onset(X, 0.9), curve).mean == 9.0
    assert estimate(onset(X, 0.97), curve).low == 12.0


def test_a_slope_is_relative() -> None:
    falling = estimate(slope(X, 9.0), rows([0.0, 0.0, 0.0, 122.0, 116.0, 100.0]))
    assert falling.mean == pytest.approx(-2.0 / (338.0 / 3.0))
    assert no_more_than("slope", falling, 0.01).level() == Level.HOLDS
    assert no_more_than("slope", falling.scaled(-1.0), 0.01).level() == Level.DIFFERS
    assert no_more_than("slope", Interval(0.1, 0.2, -0.1, 0.3, 4), 0.05).level() == Level.OPEN
    assert no_more_than("slope", Interval(0.1, 0.2, -0.1, 0.3, 4), 0.35).level() == Level.HOLDS


def test_comparisons_of_curves_leave_out_what_is_missing() -> None:
    a: list[list[float | None]] = [[2.0, 2.0], [None, None], [3.0, 3.0]]
    b: list[list[float | None]] = [[1.0, 1.0], [1.0, 1.0], [None, 4.0]]
    assert estimate(share_above, a, b).mean == 0.5
    assert estimate(greatest_ratio, a, b).mean == 2.0
    assert estimate(ratio_of_sums, a, b).mean == 1.0


def test_a_statistic_within_a_range() -> None:
    curve = rows([1.0, 1.3], 0.01), rows([1.0, 1.0], 0.01)
    assert condition("gain", greatest_ratio, *curve, among=(1.25, 1.55)).level() == Level.HOLDS
    assert condition("gain", greatest_ratio, *curve, among=(1.8, 2.6), trend=(1.0, math.inf)).level() == Level.TREND
    missed = condition("gain", greatest_ratio, *curve, among=(1.8, 2.6))
    assert missed.level() == Level.DIFFERS
    assert not missed.holds("high")
    nothing: list[list[float | None]] = [[None, None], [None, None]]
    found = condition("gain", greatest_ratio, nothing, nothing, among=(0.0, 1.0), trend=(0.0, 1.0))
    assert found.level() == Level.DIFFERS
    assert not found.points_there("high")


def test_one_seed_has_no_interval() -> None:
    found = estimate(share_above, [[1.0], [2.0]], [[0.0], [3.0]])
    assert (found.mean, found.low, found.n) == (0.5, None, 1)


# ---- through the engine ---------------------------------------------------------------------------------------------


def shortened(study: Study, seconds: str, **axes: tuple[float, ...]) -> Study:
    """The study with short runs and fewer points."""

    def cut(part: Part) -> Part:
        kept = {key: axes.get(key.rsplit(".", 1)[-1], values) for key, values in part.axes.items()}
        return replace(part, scenario=part.scenario.with_(duration=f"{seconds} s"), axes=kept)

    return replace(study, parts=tuple(map(cut, study.parts)))


def test_every_figure_of_throughput_is_there_twice(
    hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = shortened(semi_tcp.study(quick=True), "12", ssrl=(4, 9))
    monkeypatch.setattr(semi_tcp, "study", lambda **_: made)
    answer = hoplab("reproduce", "semi-tcp", "fig7b", "--quick", "--no-sensitivity", "--out", "out")
    assert answer.code == 0, answer.err
    (row,) = json.loads((tmp_path / "out" / "verdicts.json").read_text())["verdicts"]
    assert row["id"] == "SEMI-F7-6"
    assert [other["assumption"] for other in row["others"]] == [semi_tcp.IN_ORDER]
    page = (tmp_path / "out" / "report.html").read_text()
    assert '<figure id="throughput-parallel">' in page
    assert '<figure id="in-order-parallel">' in page
    assert "fig7b --quick --no-sensitivity" in page
    again = hoplab("report", "out")
    assert again.code == 0, again.err


def test_a_figure_without_runs_is_drawn(hoplab: CommandLine, tmp_path: Path) -> None:
    answer = hoplab("reproduce", "semi-tcp", "fig1", "--quick", "--out", "out")
    assert answer.code == 0, answer.err
    (row,) = json.loads((tmp_path / "out" / "verdicts.json").read_text())["verdicts"]
    assert (row["id"], row["outcome"]) == ("SEMI-F1", "reproduced")
    assert '<figure id="bound">' in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.slow
def test_the_whole_study_judges_every_row(hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = shortened(semi_tcp.study(quick=True), "12", ssrl=ground.FEW_RETRIES)
    monkeypatch.setattr(semi_tcp, "study", lambda **_: made)
    monkeypatch.setattr("hoplab_studies.commands.reproduce.QUICK_SEEDS", 2)
    answer = hoplab("reproduce", "semi-tcp", "--quick", "--out", "out")
    assert answer.code == 0, answer.err
    found = {row["id"]: row for row in json.loads((tmp_path / "out" / "verdicts.json").read_text())["verdicts"]}
    assert set(found) == {claim.id for claim in papers()["semi-tcp"].claims}
    assert not [key for key, row in found.items() if row["outcome"] == NOT_SUPPORTED]
    assert [key for key, row in found.items() if row["outcome"] == NOT_TESTABLE] == ["SEMI-T1-7"]
    assert "by distinct segments" in answer.out
    assert found["SEMI-F7-5"]["outcome"] == "reproduced"


def test_sensitivity_of_a_gain_considers_its_interval() -> None:
    def ratio(low: float, mean: float, high: float) -> Interval:
        return Interval(mean, (high - low) / 2, low, high, 20)

    gain, sure, open_, none = ratio(1.3, 1.4, 1.5), ratio(1.1, 1.2, 1.3), ratio(0.6, 1.1, 1.8), ratio(0.4, 0.5, 0.7)
    assert gains._sensitivity(none, sure, None) == "No gain to explain."
    assert gains._sensitivity(gain, sure, None) == "The gain holds in order."
    assert gains._sensitivity(gain, sure, sure) == "The gain holds in order and with all ACKs."
    assert "Inconclusive in order" in gains._sensitivity(gain, open_, None)
    assert gains._sensitivity(gain, none, none) == (
        "The gain is sensitive to counting segments out of order and missing ACKs."
    )
