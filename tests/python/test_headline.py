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
from hoplab.base.metrics import metrics_named
from hoplab.base.transports import short_names
from hoplab.running.comparing import Comparison, Point
from hoplab.running.headline import distinct_note, headline_of
from hoplab.running.runs import Run, Runs
from hoplab.stats import holm

SCENARIO = hoplab.Scenario.from_text('duration = "6 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n')


def comparison_of(goodput: Mapping[str, Sequence[float]], distinct: float = 1.0) -> Comparison:
    """A comparison with these goodputs per seed, and distinct payload in this proportion to them."""
    template = json.loads(hoplab.run(SCENARIO, seeds=1)[0].json)
    points = []
    for name, values in goodput.items():
        runs = []
        for seed, value in enumerate(values, 1):
            flow = {**template["flows"][0], "transport": name, "goodput_bps": value, "unique_bps": value * distinct}
            runs.append(Run.from_engine(json.dumps({**template, "seed": seed, "flows": [flow]}), {}))
        points.append(Point(name, (), Runs(SCENARIO, tuple(runs))))
    n = len(next(iter(goodput.values())))
    return Comparison(SCENARIO, tuple(goodput), {}, tuple(range(1, n + 1)), tuple(points))


NOISE = {"vegas": [100e3, 90e3, 110e3, 101e3], "sack": [101e3, 92e3, 107e3, 99e3]}
LEAD = {"sack": [100e3, 90e3, 110e3, 101e3], "vegas": [111e3, 100e3, 120e3, 112e3]}


def test_noise_has_no_leader() -> None:
    said = comparison_of(NOISE).headline()
    assert said == "No difference shown between vegas and sack (95 % CI -3.6 to +4.0 %)."


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
    assert within == "vegas and sack are equivalent within 5 % (95 % CI -3.6 to +4.0 %)."
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
    assert "(a and c2: 95 % CI +0.2 to +4.7 %, p = 0.3 after Holm)" in found.headline()


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
        (said,) = headline_of(found, metrics_named(names))
        assert said.startswith("vegas leads: mean page load time 25 % below sack"), names
    assert found.headline("page_p95_s").startswith("vegas leads: p95 page load time ")


def test_measures_without_a_direction_have_no_leader() -> None:
    assert headline_of(comparison_of(LEAD), metrics_named("window,hops_mean")) == [
        "Mean window: neither more nor less is better, so no transport leads."
    ]


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
