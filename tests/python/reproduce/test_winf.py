"""The study of rt-Winf: that its parts fit together, and that orders, trends and medians are judged rightly."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import cast

import pytest
from fakes.command_line import CommandLine

from hoplab.running.execution import run
from hoplab.running.runs import Run
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.claims import papers
from hoplab_studies.shared.running import scenario_of
from hoplab_studies.shared.study import Grid, Part, Variation
from hoplab_studies.shared.verdict import Level
from hoplab_studies.winf import ablations as winf_ablations
from hoplab_studies.winf import change as winf_change
from hoplab_studies.winf import estimators as winf_estimators
from hoplab_studies.winf import readings as winf_readings
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf import study as winf
from hoplab_studies.winf import utility as winf_utility
from hoplab_studies.winf.measures import above, median, rising, tau, unsteadiness

STUDY = winf.study()


@pytest.mark.parametrize("quick", [False, True])
def test_every_claim_has_a_check_a_proof_or_a_reason(quick: bool) -> None:
    study = winf.study(quick=quick)
    checks = {check.claim for check in study.checks}
    for claim in papers()["winf"].claims:
        assert bool(claim.tested) == (claim.id in checks), claim.id
        assert claim.tested or claim.proof or claim.later or claim.grade == "X", claim.id
        if claim.figure:
            assert study.figure(claim.figure).part in {c.part for c in study.checks if c.claim == claim.id}
    assert {check.part for check in study.checks} <= {part.name for part in study.parts}
    assert study.full_seeds == 30


@pytest.mark.parametrize("part", STUDY.parts, ids=lambda part: part.name)
def test_scenarios_resolve_with_every_assumption(part: Part) -> None:
    for series in part.series:
        scenario = scenario_of(part, series)
        for key, values in part.axes_of(series).items():
            for value in values:
                assert scenario.with_(dict.fromkeys(key.split(","), value)).resolve().data["flows"]


def test_transports_share_the_network_of_a_seed() -> None:
    base = ground.mesh()
    one, other = (
        base.with_({"traffic.transport": name, "seed": 7}).resolve().data for name in ("new_reno", "rcp_winf")
    )
    assert one["topology"] == other["topology"]
    ends = [[(f["from"], f["to"], f["start_s"]) for f in data["flows"]] for data in (one, other)]
    assert ends[0] == ends[1]
    assert [(source, sink) for source, sink, _ in ends[0]] == [(16 + i, 16 + (i + 1) % 5) for i in range(5)]


def test_the_ablations_have_fixed_capacities_and_a_window_of_one() -> None:
    part = winf_ablations.part(300.0, quick=False)
    names = {series.name for series in part.series}
    assert {"capacity4_5", "capacity11", "window1", "literal", "exchange", "queue10"} <= names


def test_meshes_are_connected() -> None:
    for fixed in (5, 9, 12, 16):
        facts = ground.mesh(fixed=fixed).resolve().facts
        assert facts.nodes == fixed + 5
        places = ground.mesh_positions(fixed)
        nearest = [min(math.dist(a, b) for b in places if b != a) for a in places]
        assert max(nearest) <= 250.0


@pytest.mark.parametrize(
    ("packet", "rts", "expected"),
    [(1500, True, 4.515), (1500, False, 6.06), (512, True, 2.11), (40, True, 0.20)],
)
def test_the_maximum_is_that_of_the_engine(packet: int, rts: bool, expected: float) -> None:
    assert winf_estimators.eq14(packet, rts=rts) * 1e-6 == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize(
    ("a", "level"),
    [
        ([[2.0, 2.1, 1.9]] * 5, Level.HOLDS),
        ([[1.0, 9.0, 0.9]] * 5, Level.OPEN),
        ([[2.0, 2.1, 1.9]] * 4 + [[1.0, 1.1, 0.9]], Level.HOLDS),
        ([[2.0, 2.1, 1.9]] * 3 + [[1.0, 1.1, 0.9]] * 2, Level.TREND),
        ([[2.0, 2.1, 1.9]] * 2 + [[1.0, 1.1, 0.9]] * 3, Level.DIFFERS),
        # Far below at one point, beyond the intervals: no order at all.
        ([[2.0, 2.1, 1.9]] * 4 + [[0.5, 0.5, 0.5]], Level.DIFFERS),
    ],
)
def test_an_order_needs_most_points_and_no_point_against_it(a: list[list[float]], level: Level) -> None:
    condition = above("A over B", [(point, [1.0, 1.1, 0.9]) for point in a])
    assert condition.level() == level


def test_seeds_without_a_number_are_left_out() -> None:
    condition = above("A over B", [([2.0, math.nan, 2.0, 2.0], [1.0, 1.0, math.nan, 1.0])])
    assert (condition.level(), condition.value.n) == (Level.HOLDS, 2)
    assert above("A over B", [([math.nan], [1.0])]).level() == Level.DIFFERS


def test_trends_by_rank() -> None:
    assert tau([1, 2, 3, 4], [1, 2, 3, 4]) == 1.0
    assert tau([1, 2, 3, 4], [4, 3, 2, 1]) == -1.0
    assert tau([1, 2, 3, 4], [1, 1, 1, 1]) == 0.0
    assert rising("delay", [1, 2, 3], [[1.0, 1.1], [2.0, 2.1], [3.0, 3.1]]).level() == Level.HOLDS
    down = [[3.0, 3.1], [2.0, 2.1], [1.0, 1.1]]
    assert rising("delay", [1, 2, 3], down).level() == Level.DIFFERS
    assert rising("delay", [1, 2, 3], down, falls=True).level() == Level.HOLDS
    assert rising("delay", [1, 2, 3], [[1.0, 1.1], [math.nan, 2.1], [3.0, math.nan]]).level() == Level.HOLDS


def test_the_trend_of_a_ratio_is_that_of_the_ratio_of_means() -> None:
    # In one seed of the second point hardly anything is carried: its own ratio is 40.
    over = [[10.0, 10.0], [20.0, 4.0], [10.0, 10.0]]
    base = [[10.0, 10.0], [20.0, 0.1], [8.0, 8.0]]
    trend = rising("ratio", [1, 2, 3], over, base)
    assert trend.value.mean == 1.0


def test_a_median_lies_between_order_statistics() -> None:
    found = median([float(i) for i in range(1, 31)])
    # Binomial(30, 1/2): at most 9 successes with probability 0.0214.
    assert (found.mean, found.low, found.high) == (15.5, 10.0, 21.0)
    assert median([1.0, 5.0, 2.0]).low is None


def test_rate_is_settled_within_five_seconds_near_later_mean() -> None:
    rates = [1.0] * 10 + [5.0] * 4 + [10.0] * 16
    # Five seconds that end 8 s after the change are the first with a mean within 10 % of 10.
    assert winf_change.settled(rates, 10.0, 30.0) == 8.0
    assert winf_change.settled(rates, 20.0, 30.0) == winf_change.OVER_S
    assert winf_change.settled([0.0] * 30, 10.0, 30.0) == 20.0


def test_routers_do_nothing_to_datagrams() -> None:
    """Reading B of CBR over UDP: the queues of XCP and RCP see them pass, and change nothing."""
    base = ground.carried(duration_s=40.0)
    found = {
        name: run(base.with_(dict.fromkeys(ground.CARRIED_KEYS.split(","), name)))[0] for name in winf_change.CARRIERS
    }
    delivered = {name: [flow.goodput_bps for flow in one.flows] for name, one in found.items()}
    assert delivered["none"] == delivered["xcp"] == delivered["rcp"]
    assert sum(delivered["none"]) > 0.0


@pytest.mark.slow
def test_the_largest_network_of_the_study_runs() -> None:
    """256 moving nodes and 128 flows, a fifth of the time of the study; before a study its time is stated."""
    found = run(ground.ad_hoc(nodes=256, duration_s=60.0).with_({"traffic.transport": "xcp_winf"}))[0]
    assert len(found.flows) == 128
    assert sum(flow.goodput_bps for flow in found.flows) > 0.0


def test_a_class_has_caught_up_only_if_it_stays() -> None:
    tcp = [10.0] * 20
    assert winf_utility._caught_up(tcp, [10.0] * 20) == 1.0
    assert winf_utility._caught_up(tcp, [0.0] * 4 + [12.0] * 16) == 12.0  # 8 of 12 seconds at 12 are 0.8 of 10
    # Ahead of TCP at 3 s, and at 0.3 of it in the end: never.
    assert winf_utility._caught_up(tcp, [20.0] * 3 + [0.0] * 17) == 20.0


def test_classes_of_the_utility_scenario() -> None:
    scenario = ground.utility(duration_s=10.0)
    tcp, form = winf_utility.classes(run(scenario)[0])
    assert len(tcp) == len(form) == 10
    assert sum(tcp) > 0.0
    assert sum(form) > 0.0


def test_a_figure_runs_and_is_judged(hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoplab_studies.commands.reproduce.QUICK_SEEDS", 2)
    answer = hoplab("reproduce", "winf", "fig2", "--quick", "--threads", "1", "--out", "out")
    assert answer.code == 0, answer.err
    assert "W-F2a" in answer.out
    assert '<figure id="capacity-pair">' in (tmp_path / "out" / "report.html").read_text()


def test_series_execute_the_changed_transports_alone() -> None:
    part = next(part for part in STUDY.parts if part.name == "mesh_ftp")
    series = {one.name: one for one in part.variations}
    assert series["normalised"].axes["traffic.transport"] == ("xcp_winf", "rcp_winf")
    assert series["channel"].axes["traffic.transport"] == ("rcp_winf",)
    for one in series.values():
        together = {*one.axes["traffic.transport"], *one.reuse.get("traffic.transport", ())}
        assert together == set(ground.PROTOCOLS), one.name


def test_mobile_relays_stay_between_sources_and_sinks() -> None:
    resolved = ground.mobile_utility().resolve()
    assert resolved.facts.nodes == 6
    assert [(flow["from"], flow["to"]) for flow in resolved.data["flows"]] == [(0, 2), (0, 2), (1, 3), (1, 3)]


def test_unsteadiness_is_the_variation_of_the_total_rate() -> None:
    class Series:
        goodput_series_bps = ((0.0, 1.0, 3.0), (0.0, 1.0, 1.0))

    # Both flows together: 0, then 2 and 4, whose deviation is 1 of a mean of 3.
    assert unsteadiness(cast("Run", Series())) == pytest.approx(1.0 / 3.0)


def test_no_claim_is_judged_on_rcp_by_count() -> None:
    # Goodput in order ends at the first loss of a sender that retransmits nothing.
    counting = {
        part.name for part in STUDY.parts if part.scenario.resolve().data.get("rcp", {}).get("recovery") == "count"
    }
    assert counting == {"mesh_count"}
    assert counting.isdisjoint(check.part for check in STUDY.checks)
    assert all("rcp.recovery" not in series.changes for part in STUDY.parts for series in part.series)


def test_tables_of_readings_hold_each_reading_and_part() -> None:
    parts = {part.name: part for part in winf_readings.parts(40.0)}
    found = winf_readings.tables(
        {
            (name, series.name): _grid_of_one_seed(parts[name], series)
            for name in ("mesh_count", "utility_mobile")
            for series in parts[name].series
        }
    )
    assert [len(table.rows) for table in found] == [4, 6]
    assert {row[0] for row in found[0].rows} == {"TCP and XCP-Winf", "TCP and RCP-Winf"}
    assert [row[1] for row in found[1].rows][:3] == ["RCP", "RCP-Winf", "RCP-Winf, normalised capacity"]


def _grid_of_one_seed(part: Part, series: Variation) -> Grid:
    axes = part.axes_of(series)
    points = {}
    for values in itertools.product(*axes.values()):
        settings = tuple((key, value) for keys, value in zip(axes, values, strict=True) for key in keys.split(","))
        points[settings] = run(scenario_of(part, series).with_({**dict(settings), "duration": "70 s"}))
    return Grid(axes, points)


def test_probes_of_the_mac_precede_data_without_handshake() -> None:
    """W10: four frames more per new link, and none beside RTS and CTS."""
    text = """
duration = "20 s"
[topology]
kind = "chain"
hops = 2
[winf]
everywhere = true
[[flow]]
app = "cbr"
transport = "udp"
segment = 512
rate = "64 kb/s"
start = "1 s"
"""
    base = Scenario.from_text(text)
    plain = base.with_({"mac.rts_threshold": 3000})

    def data(scenario: Scenario) -> int:
        return int(run(scenario, seeds=1)[0].frames["data"])

    assert data(plain.with_({"winf.probes": 4})) == data(plain) + 8  # two links
    assert data(base.with_({"winf.probes": 4})) == data(base)
    pauses = plain.with_({"winf.probes": 4, "winf.probe_pause": "10 ms"})  # every packet begins a communication
    assert data(pauses) > 4 * data(plain)


def test_variation_over_longer_intervals_is_that_of_their_means() -> None:
    class Series:
        goodput_series_bps = ((0.0, 2.0, 4.0, 1.0, 5.0, 9.0),)

    series = cast("Run", Series())
    assert unsteadiness(series, over=2) == pytest.approx(0.0)  # means of 3 and 3; the last one is no whole interval
    assert math.isnan(unsteadiness(cast("Run", type("None_", (), {"goodput_series_bps": ()})())))
