"""Headlines of comparisons: what the intervals permit to say, and nothing beyond."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from fakes.command_line import CommandLine
from hypothesis import given
from hypothesis import strategies as st

import hoplab
from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import ALL_METRICS, Metric, metrics_named
from hoplab.base.transports import short_names
from hoplab.running.answers.differences import differences
from hoplab.running.answers.notes import distinct_note, headline_of
from hoplab.running.answers.phrases import in_sentence, where
from hoplab.running.comparing import Comparison, Point
from hoplab.running.runs import Run, Runs
from hoplab.stats import holm

SCENARIO = hoplab.Scenario.from_text('duration = "6 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n')
Values = Mapping[str, Sequence[float]]


def runs_of(name: str, goodput: Sequence[float], distinct: float = 1.0, delay: float | None = None) -> Runs:
    """Runs with these goodputs per seed, distinct payload in proportion to them, and delays near one."""
    template = json.loads(hoplab.run(SCENARIO, seeds=1)[0].json)
    runs = []
    for seed, value in enumerate(goodput, 1):
        flow = {**template["flows"][0], "transport": name, "goodput_bps": value, "unique_bps": value * distinct}
        flow["delay_mean_s"] = 0.1 if delay is None else delay + 0.001 * (seed % 3)
        changed = {**template, "seed": seed, "flows": [flow], "fingerprint": f"{name} {value}"}
        runs.append(Run.from_engine(json.dumps(changed), {}))
    return Runs(SCENARIO, tuple(runs))


def comparison_of(goodput: Values, distinct: float = 1.0) -> Comparison:
    """A comparison with these goodputs per seed, and distinct payload in this proportion to them."""
    points = tuple(Point(name, (), runs_of(name, values, distinct)) for name, values in goodput.items())
    return _comparison({}, points)


def over_hops(goodput: Mapping[int, Values], delays: Mapping[str, float] | None = None) -> Comparison:
    """A comparison over the hops of a chain."""
    points = tuple(
        Point(name, (("topology.hops", hops),), runs_of(name, values, delay=(delays or {}).get(name)))
        for hops, by_name in goodput.items()
        for name, values in by_name.items()
    )
    return _comparison({"topology.hops": tuple(goodput)}, points)


def _comparison(axes: Mapping[str, tuple[int, ...]], points: tuple[Point, ...]) -> Comparison:
    names = tuple(dict.fromkeys(point.transport for point in points))
    return Comparison(SCENARIO, names, axes, points[0].runs.seeds, points)


NOISE = {"vegas": [100e3, 90e3, 110e3, 101e3], "sack": [101e3, 92e3, 107e3, 99e3]}
LEAD = {"sack": [100e3, 90e3, 110e3, 101e3], "vegas": [111e3, 100e3, 120e3, 112e3]}


def test_noise_has_no_leader() -> None:
    said = comparison_of(NOISE).headline()
    assert said == "No difference in goodput shown between vegas and sack (95 % CI -3.6 to +4.0 %)."


def test_leader_is_named_with_lead_and_interval() -> None:
    said = comparison_of(LEAD).headline()
    assert said.startswith("vegas leads: goodput 10 % above sack (95 % CI +")
    assert "Holm" not in said, "one pair needs no adjustment"


def test_less_delay_leads() -> None:
    found = comparison_of(LEAD)
    for point in found.points:
        for run in point.runs:
            delay = (0.3 if point.transport == "sack" else 0.2) + 0.001 * run.seed
            msgspec.structs.force_setattr(run.flows[0], "delay_mean_s", delay)
    assert found.headline("delay_mean_s").startswith("vegas leads: mean delay 33 % below sack (95 % CI -")


def test_margin_makes_equivalence() -> None:
    within = comparison_of(NOISE).headline(margin=5.0)
    assert within == "vegas and sack are equivalent in goodput within 5 % (95 % CI -3.6 to +4.0 %)."
    assert "no difference" in comparison_of(NOISE).headline(margin=2.0).lower()


def test_several_pairs_state_their_adjustment() -> None:
    said = comparison_of({**LEAD, "reno": [99e3, 92e3, 109e3, 100e3]}).headline()
    assert said.splitlines()[-1] == "Paired t tests of 3 pairs, p adjusted by Holm; CIs unadjusted."
    assert said.startswith("vegas leads: goodput ")
    assert " above sack (" in said
    assert " above reno (" in said


def test_one_seed_says_nothing() -> None:
    assert "no difference is shown or excluded" in comparison_of({"a": [1.0], "b": [2.0]}).headline()


def test_equal_runs_are_called_equal() -> None:
    assert "equal in every seed" in comparison_of({"a": [1.0, 2.0], "b": [1.0, 2.0]}).headline()


def test_interval_apart_from_zero_states_adjusted_p() -> None:
    """Five transports: p = 0.03 of one pair is not enough after ten tests."""
    base = [100e3, 90e3, 110e3, 101e3]
    apart = [value + more for value, more in zip(base, (2e3, 0.5e3, 1.5e3, 1e3), strict=True)]
    others = {f"c{i}": [value - 1e3 * ((j + i) % 3) for j, value in enumerate(base)] for i in range(3)}
    found = comparison_of({"a": apart, "b": base, **others})
    row = next(row for row in found.pairs().rows() if (row["a"], row["b"]) == ("a", "b"))
    assert row["low"] > 0.0
    assert row["p"] < 0.05 <= row["p_holm"]
    assert row["verdict"] == "no difference shown"
    said = found.headline()
    assert "No difference in goodput shown between a, b, c0, c1 and c2 (a and c2: 95 % CI +0.2 to +4.7 %)." in said
    assert "p is below 0.05 only without the adjustment for 10 tests: " in said
    assert "a above b (p = 0.03, adjusted 0.27)" in said


def test_headline_refuses_measures_without_direction() -> None:
    with pytest.raises(InputError, match="cwnd_mean: a headline is not supported"):
        comparison_of(NOISE).headline("cwnd_mean")
    with pytest.raises(UsageError, match="expected above 0"):
        comparison_of(NOISE).headline(margin=0.0)


def test_distinct_payload_beyond_a_tenth_is_noted() -> None:
    assert distinct_note(comparison_of(NOISE, distinct=1.05)) is None
    note = distinct_note(comparison_of(NOISE, distinct=1.2))
    assert note is not None
    assert "sack 119.7 beside 99.8 kb/s" in note


def test_datagrams_have_no_columns_for_what_they_lack(hoplab: CommandLine, tmp_path: Path) -> None:
    text = 'duration = "3 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\napp = "cbr"\nrate = "100 kb/s"\n'
    (tmp_path / "cbr.toml").write_text(text)
    answer = hoplab("compare", str(tmp_path / "cbr.toml"), "-t", "udp", "--seeds", "2", "--equivalent", "5")
    assert answer.code == 0, answer.err
    assert "Mean delay (ms)" in answer.out
    assert not any(word in answer.out for word in ("Retransmissions", "Timeouts", "Mean window"))


def test_headline_is_about_the_measure_that_was_asked_for() -> None:
    found = comparison_of(LEAD)
    for point in found.points:
        for run in point.runs:
            slow = (4.0 if point.transport == "sack" else 3.0) + 0.01 * run.seed
            msgspec.structs.force_setattr(run, "sessions", {"times": {"page": {"mean_s": slow, "p95_s": slow}}})
    for names in ("page", "page_mean_s,goodput", "window,page"):
        said = headline_of(found.between(), metrics_named(names), asked=True)
        assert said[0].startswith("vegas leads: mean page load time 25 % below sack"), names
    assert found.headline("page_p95_s").startswith("vegas leads: p95 page load time ")


def test_measures_without_a_direction_are_named() -> None:
    found = comparison_of(LEAD).between()
    assert headline_of(found, metrics_named("window,hops_mean"), asked=True) == [
        "Mean window and mean path length: neither more nor less is better, so no headline is about it."
    ]
    asked = headline_of(found, metrics_named("window,goodput"), asked=True)
    assert asked[0].startswith("vegas leads: goodput ")
    assert asked[-1] == "Mean window: neither more nor less is better, so no headline is about it."
    assert len(headline_of(found, metrics_named("window,goodput"))) == 1


def test_measures_without_a_value_are_named() -> None:
    found = comparison_of(LEAD).between()
    assert headline_of(found, metrics_named("page_mean_s"), asked=True) == [
        "Mean page load time: no run has a value, so nothing is compared."
    ]
    asked = headline_of(found, metrics_named("page_mean_s,goodput"), asked=True)
    assert asked[0].startswith("vegas leads: goodput ")
    assert asked[-1] == "Mean page load time: no run has a value."


@pytest.mark.parametrize("metric", ALL_METRICS.values(), ids=ALL_METRICS)
def test_every_metric_has_a_headline_or_its_name(metric: Metric) -> None:
    (said, *_) = headline_of(comparison_of(LEAD).between(), [metric], asked=True)
    assert in_sentence(metric) in said or metric.label in said


@given(st.lists(st.integers(0, 1000).map(lambda n: n / 1000), max_size=12))
def test_holm_keeps_order_and_lies_between_raw_and_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for raw, after in zip(p_values, adjusted, strict=True):
        assert raw <= after <= min(1.0, raw * len(p_values)) or after == pytest.approx(raw * len(p_values))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_holm_of_known_values() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_controllers_have_the_names_of_their_classes() -> None:
    names = ["vegas", "python:Mine@167c00ff", "lib/my_reno.py:Gentle"]
    assert list(short_names(names).values()) == ["vegas", "Mine", "Gentle"]
    assert list(short_names(["python:A@12345678", "python:A@87654321"]).values()) == ["A@1234", "A@8765"]


NOISY = {
    "semi_tcp": [320e3, 322e3, 124e3, 323e3, 330e3, 321e3, 318e3, 322e3],
    "tcp_bbr": [312e3, 311e3, 313e3, 310e3, 312e3, 311e3, 314e3, 312e3],
    "vegas": [290e3, 291e3, 288e3, 292e3, 290e3, 289e3, 291e3, 290e3],
    "cubic": [294e3, 293e3, 295e3, 292e3, 296e3, 294e3, 295e3, 293e3],
}
"""A noisy transport beside others that lie apart by far more than their noise."""


def test_a_noisy_transport_hides_no_difference_of_others() -> None:
    said = comparison_of(NOISY).headline().splitlines()
    assert said[0] == (
        "No difference in goodput shown between tcp_bbr and semi_tcp (95 % CI -13 to +31 %); tcp_bbr's goodput is "
        "6.1 % above cubic (95 % CI +5.8 to +6.4 %) and 7.5 % above vegas (95 % CI +6.9 to +8.1 %)."
    )
    assert said[1] == "No difference shown between semi_tcp and any of cubic and vegas."


def test_the_chain_of_the_review_denies_no_difference(hoplab: CommandLine) -> None:
    """Five transports at 4 and 5 hops: tcp_bbr is above vegas by 7.4 % at 4 hops, p = 3e-8."""
    assert hoplab("new", "chain").code == 0
    names = "semi_tcp,tcp_bbr,vegas,cubic,new_reno"
    answer = hoplab("compare", "chain.toml", "-t", names, "--over", "topology.hops=4,5")
    said = answer.out.splitlines()
    assert said[0] == (
        "tcp_bbr's goodput is 2.1 to 7.4 % above vegas, cubic and new_reno at hops = 4 and 5; "
        "no difference shown to semi_tcp."
    )
    assert said[1].startswith("In the mean over hops, no difference in goodput shown between tcp_bbr and semi_tcp (")
    assert "tcp_bbr's goodput is 4.7 % above vegas (95 % CI +4.2 to +5.1 %)" in said[1]
    assert (
        said[2] == "In the mean over hops, no difference shown between semi_tcp and any of vegas, new_reno and cubic."
    )


def near(mean: float, spread: float = 0.4e3) -> list[float]:
    """Eight values about a mean."""
    return [mean + spread * step for step in (-1.5, -0.5, 0.5, 1.5, -1.0, 1.0, 0.2, -0.2)]


def other(mean: float, spread: float = 0.4e3) -> list[float]:
    """Eight values about a mean that go with those of `near` in no seed."""
    return [mean + spread * step for step in (0.4, -1.4, 1.2, -0.2, 1.4, -0.6, -1.0, 0.2)]


CROSSING = {
    2: {"new_reno": near(630e3), "vegas": other(630e3)},
    3: {"new_reno": near(400e3), "vegas": other(400.1e3)},
    4: {"new_reno": near(294e3), "vegas": other(294.1e3)},
    5: {"new_reno": near(258e3), "vegas": other(266e3)},
    6: {"new_reno": near(236e3), "vegas": other(249e3)},
    7: {"new_reno": near(222e3), "vegas": other(240e3)},
}


def test_one_sentence_is_about_the_whole_axis() -> None:
    said = over_hops(CROSSING).headline().splitlines()
    assert said[0] == (
        "vegas leads from hops = 5 on: goodput 3.1 to 8.1 % above new_reno; up to hops = 4, no difference shown."
    )
    assert said[1].startswith("In the mean over hops, vegas leads: goodput 2.7 % above new_reno (95 % CI +")
    assert (
        said[-1]
        == "6 paired t tests at settings and 1 of means, 2.5 % for each kind, p adjusted by Holm; CIs unadjusted."
    )


def test_lost_ground_is_in_percent_of_the_other() -> None:
    """Leads are of what is behind: 110 is 10 % above 100, and 100 is 9.1 % below 110."""
    said = over_hops(
        {
            1: {"a": near(100e3), "b": other(110e3)},
            2: {"a": near(110e3), "b": other(100e3)},
            3: {"a": near(110e3), "b": other(100e3)},
        }
    ).headline()
    assert said.startswith("a leads from hops = 2 on: goodput 10 % above b; 9.1 % below b at hops = 1.")


def test_delay_stands_beside_goodput_where_it_is_a_multiple() -> None:
    found = over_hops(CROSSING, {"new_reno": 0.2, "vegas": 0.08})
    assert "Mean delay of new_reno is 2.5 times that of vegas at all 6 values of hops." in found.headline()
    alike = over_hops(CROSSING, {"new_reno": 0.1, "vegas": 0.08})
    assert "elay" not in alike.headline(), "below a factor of 1.5 the table has it"
    assert "elay of" not in found.headline("delay_mean_s")


def test_what_the_adjustment_alone_hides_is_said() -> None:
    """At one setting the difference is shown; among twelve it is not, and a sentence says why."""
    slight = {"a": near(100.75e3), "b": other(100e3)}
    assert over_hops({1: slight}).headline().startswith("hops = 1: a leads: goodput 0.8 % above b")
    level = {"a": near(100e3), "b": other(100e3)}
    said = over_hops({1: slight, **dict.fromkeys(range(2, 13), level)}).headline()
    assert "No difference in goodput shown between a and b at all 12 values of hops." in said
    assert "p is below 0.05 only without the adjustment for 13 tests: a above b at hops = 1 (p = 0.0" in said


def test_equivalence_is_of_every_pair_it_names() -> None:
    """The first is near both others; these are further apart than the margin."""
    base = near(100e3, 2e3)
    found = comparison_of({"a": near(100e3, 30e3), "b": base, "c": [value * 1.04 for value in base]})
    assert "equivalent" not in found.headline(margin=3.0)


def test_places_without_a_value_are_not_claimed() -> None:
    """The third has a delay at two of three settings, and level with the others there."""
    found = over_hops(
        {hops: {"a": near(100e3), "b": other(100e3), "c": near(100.1e3)} for hops in (2, 3, 4)},
        {"a": 0.2, "b": 0.1, "c": 0.1},
    )
    for run in found.runs("c", hops=4):
        msgspec.structs.force_setattr(run.flows[0], "delay_mean_s", None)
    said = found.headline("delay_mean_s", margin=5.0).splitlines()
    assert (
        said[0]
        == "b's mean delay is 50 % below a at all 3 values of hops; c equivalent within 5 %, where both have values."
    )
    assert said[1].startswith("In the mean over 2 settings, ")
    level = over_hops({hops: {"a": near(1e5), "b": near(1e5)} for hops in (2, 3)}, {"a": 0.1, "b": 0.1})
    for run in level.runs("a", hops=3):
        msgspec.structs.force_setattr(run.flows[0], "delay_mean_s", None)
    assert level.headline("delay_mean_s").startswith("hops = 2: no difference in mean delay shown")


def between_rts(*transports: str) -> Comparison:
    points = tuple(
        Point(name, (("mac.rts_threshold", value), ("topology.hops", hops)), runs_of(f"{name} {value}", values))
        for name in transports
        for value, mean in ((0, 290e3), (3000, 370e3))
        for hops, values in ((4, near(mean, 0.01 * mean)), (5, other(mean)))
    )
    return Comparison(
        SCENARIO, transports, {"mac.rts_threshold": (0, 3000), "topology.hops": (4, 5)}, points[0].runs.seeds, points
    )


def test_values_of_an_axis_are_compared() -> None:
    found = between_rts("new_reno", "vegas").between("rts_threshold")
    assert found.names == ("0", "3000")
    assert list(found.axes) == ["transport", "topology.hops"]
    said = found.headline().splitlines()
    assert said[:2] == [
        "new_reno: RTS threshold = 3000 leads at hops = 4 and 5: goodput 28 % above that with 0.",
        "vegas: RTS threshold = 3000 leads at hops = 4 and 5: goodput 28 % above that with 0.",
    ]
    assert said[2].startswith(
        "In the mean over 4 settings, RTS threshold = 3000 leads: goodput 28 % above that with 0 (95 % CI +"
    )
    row = next(found.pairs().rows())
    assert (row["transport"], row["hops"], row["a"], row["b"]) == ("new_reno", 4, "3000", "0")
    assert row["difference"] == pytest.approx(80e3)
    assert row["difference_low"] < 80e3 < row["difference_high"]


def test_one_transport_compares_the_values_of_its_axis() -> None:
    found = between_rts("new_reno")
    assert found.headline() == found.headline(between="mac.rts_threshold")
    assert found.headline(between="transport") == ""
    with pytest.raises(InputError, match=r"unknown axis 'mac\.slrl'"):
        found.between("mac.slrl")


def test_a_long_axis_is_compared_on_request_alone() -> None:
    runs = runs_of("new_reno", near(100e3))
    points = tuple(Point("new_reno", (("topology.spacing", value),), runs) for value in range(21))
    found = _comparison({"topology.spacing": tuple(range(21))}, points)
    assert found.headline() == ""
    assert len(found.pairs(between="spacing")) == 21 * 20 // 2


def test_named_runs_are_compared() -> None:
    found = differences(
        {"one radio": runs_of("new_reno", near(5e3, 5.0)), "two radios": runs_of("new_reno", other(28e3, 5.0))}
    )
    assert found.headline() == "two radios leads: goodput 5.6 times that of one radio (95 % CI 5.6 to 5.6 times)."
    with pytest.raises(UsageError, match="two names or more"):
        differences({"one radio": runs_of("new_reno", [1.0])})


def test_two_families_are_never_compared_without_a_word() -> None:
    lead = [value * 1.05 for value in LEAD["sack"]]
    said = comparison_of({**LEAD, "tcp_bbr": lead}).headline()
    assert (
        "sack and vegas are one-way agents, tcp_bbr a complete connection: "
        "handshake and acknowledgments differ, not only control."
    ) in said
    assert "To isolate control, compare tcp_bbr with tcp_reno or run agents with tcp.delayed_ack = true." in said
    both = comparison_of({"new_reno": LEAD["sack"], "tcp_reno": lead, "tcp_bbr": lead}).headline()
    assert (
        "A pair that isolates control: no difference shown between tcp_reno and tcp_bbr (equal in every seed)." in both
    )
    assert "The same Reno as agent and as connection: tcp_reno is 5.0 % above new_reno (" in both
    delayed = SCENARIO.with_({"tcp.delayed_ack": True})
    points = (
        Point("new_reno", (), Runs(delayed, runs_of("new_reno", LEAD["sack"]).runs)),
        Point("tcp_reno", (), runs_of("tcp_reno", lead)),
    )
    assert "handshake and loss recovery differ" in _comparison({}, points).headline()
    assert "To isolate control" not in _comparison({}, points).headline()
    for alike in (("sack", "vegas", "mine.py:Gentle"), ("tcp_bbr", "tcp_reno", "quinn_bbr"), ("udp", "vegas")):
        assert "one-way" not in comparison_of(dict.fromkeys(alike, lead)).headline(), alike


def test_coinciding_transports_are_named_with_their_place(hoplab: CommandLine) -> None:
    """The windows of both are at their limit of 20 segments over 2 hops, and nowhere else."""
    assert hoplab("new", "chain").code == 0
    line = ("compare", "chain.toml", "-t", "new_reno,cubic", "--seeds", "2", "--set", "duration=20 s")
    same = "new_reno and cubic give the same event sequences"
    assert (
        f"{same} at topology.hops = 2: no difference there depends" in hoplab(*line, "--over", "topology.hops=2,8").err
    )
    assert f"{same}: no difference here depends" in hoplab(*line, "--over", "topology.hops=1,2").err
    assert same not in hoplab(*line, "--over", "topology.hops=8").err


def test_the_demo_says_where_transports_coincide(hoplab: CommandLine) -> None:
    answer = hoplab("demo", "--seeds", "2", "--hops", "1..4")
    assert answer.err.splitlines()[0] == (
        "warning: new_reno and sack give the same event sequences at topology.hops = 1 and 2: "
        "no difference there depends on the transport"
    )


def test_warnings_of_some_points_have_their_place() -> None:
    points = over_hops(CROSSING).points
    vegas = [point for point in points if point.transport == "vegas" and point.value("topology.hops") > 5]
    for point in vegas:
        msgspec.structs.force_setattr(point.runs[0], "warnings", ["flow 0 delivered nothing"])
    found = _comparison({"topology.hops": tuple(CROSSING)}, points).warnings
    assert "vegas, topology.hops = 6 and 7: flow 0 delivered nothing" in found


@pytest.mark.parametrize(
    ("values", "chosen", "said"),
    [
        ((1, 2, 3, 4, 5, 6), (4, 5), "from h = 5 on"),
        ((1, 2, 3, 4, 5, 6), (0, 1), "up to h = 2"),
        ((1, 2, 3, 4, 5, 6), (1, 2, 3, 5), "at h = 2 to 4 and 6"),
        ((1, 2, 3, 4, 5, 6), range(6), "at all 6 values of h"),
        ((4, 5), (0, 1), "at h = 4 and 5"),
        (("50 m", "100 m", "200 m"), (1, 2), "from h = 100 m on"),
        (("codel", "red", "pie"), (1, 2), "at h = red and pie"),
        ((30, 10, 20), (1, 2), "at h = 10 and 20"),
        ((True, False), (0,), "at h = true"),
    ],
)
def test_parts_of_an_axis_in_words(values: Sequence[object], chosen: Sequence[int], said: str) -> None:
    assert where("h", values, chosen) == said


def test_between_and_pairs_of_the_command_line(hoplab: CommandLine) -> None:
    assert hoplab("new", "chain").code == 0
    line = ("compare", "chain.toml", "-t", "new_reno", "--seeds", "3", "--set", "duration=20 s")
    answer = hoplab(*line, "--between", "mac.rts_threshold=0,3000")
    assert answer.out.startswith("RTS threshold = 3000 leads: goodput ")
    assert "mac.rts_threshold" in answer.out.split("minus")[1].splitlines()[1]
    assert answer.out == hoplab(*line, "--over", "mac.rts_threshold=0,3000").out
    listed = hoplab(*line, "--over", "mac.rts_threshold=0,3000", "--pairs").out.splitlines()
    assert listed[-1].split()[:2] == ["3000", "0"]
    found = json.loads(hoplab(*line, "--between", "mac.rts_threshold=0,3000", "--pairs", "--json").out)
    assert found["between"] == "mac.rts_threshold"
    assert found["headline"][0] == answer.out.splitlines()[0]
    assert found["pairs"][0]["verdict"] == "leads"
    wrong = hoplab(*line, "--between", "mac.slrl")
    assert wrong.code == 2
    assert "--between mac.slrl: no such axis, expected transport" in wrong.err


def test_a_report_has_the_headline_and_its_pairs(hoplab: CommandLine, tmp_path: Path) -> None:
    assert hoplab("new", "chain").code == 0
    line = ("compare", "chain.toml", "-t", "new_reno,vegas", "--seeds", "3", "--set", "duration=20 s", "--out", "found")
    answer = hoplab(*line, "--between", "mac.rts_threshold=0,3000")
    page = (tmp_path / "found" / "report.html").read_text(encoding="utf-8")
    assert answer.out.startswith("RTS threshold = 3000 leads with new_reno and vegas: goodput ")
    assert "In the mean over transports, RTS threshold = 3000 leads: goodput " in answer.out
    assert "RTS threshold = 3000 leads with NewReno and Vegas: goodput " in page
    assert "Pairs, goodput" in page
