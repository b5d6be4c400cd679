"""Warm-up, batch means and sequential stopping."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from hoplab.stats import Decision, StatisticsError, StoppingRule, batch_means, mser5, parse_relative


def test_mser5_finds_the_end_of_a_ramp() -> None:
    rng = np.random.default_rng(1)
    level = np.r_[np.linspace(0.0, 10.0, 100), np.full(900, 10.0)]
    found = mser5(level + rng.normal(0.0, 0.5, 1000))
    assert found.converged
    assert 70 <= found.samples <= 130
    assert found.seconds(0.5) == found.samples * 0.5


def test_mser5_of_steady_noise_cuts_little() -> None:
    cuts = [mser5(np.random.default_rng(seed).normal(3.0, 1.0, 1000)).samples for seed in range(20)]
    assert sorted(cuts)[10] <= 100


def test_mser5_reports_a_nonstationary_series() -> None:
    assert not mser5(np.linspace(0.0, 1.0, 400)).converged


def test_mser5_is_the_minimum_of_its_definition() -> None:
    rng = np.random.default_rng(2)
    series = np.r_[rng.normal(4.0, 1.0, 35), rng.normal(1.0, 1.0, 165)]
    means = series.reshape(40, 5).mean(axis=1)
    scores = [((means[d:] - means[d:].mean()) ** 2).sum() / (40 - d) ** 2 for d in range(21)]
    assert mser5(series).samples == 5 * int(np.argmin(scores))


def test_mser5_wants_four_batches() -> None:
    with pytest.raises(StatisticsError, match="at least 4"):
        mser5([1.0] * 19)


def test_batch_means_by_hand() -> None:
    result = batch_means([9.0, 9.0, 1.0, 3.0, 2.0, 4.0, 7.0], batches=3, discard=1)  # batches of 2: (1, 3) and (2, 4)
    assert result.batch == 2
    assert result.interval.mean == 2.5
    assert result.interval.n == 2


def test_batch_means_of_correlated_data_say_so() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(0.0, 1.0, 20_000)
    slow = np.zeros_like(noise)
    for i in range(1, len(slow)):
        slow[i] = 0.999 * slow[i - 1] + noise[i]
    assert not batch_means(slow).independent
    assert sum(batch_means(np.random.default_rng(seed).normal(0.0, 1.0, 2000)).independent for seed in range(20)) >= 14


def test_batch_means_need_two_batches() -> None:
    with pytest.raises(StatisticsError, match="at least two"):
        batch_means([1.0] * 10, batches=2, discard=1)


def test_stopping_waits_for_the_minimum_then_judges() -> None:
    rule = StoppingRule(0.05, minimum=4, maximum=20)
    assert rule.decide([]) == Decision(False, 4, None)
    assert not rule.decide([10.0, 10.0, 10.0]).reached
    assert rule.decide([10.0, 10.0, 10.0, 10.0]).reached
    wide = rule.decide([5.0, 15.0, 8.0, 12.0])
    assert not wide.reached
    assert 4 < wide.next_n <= 8


def test_stopping_ends_at_the_maximum() -> None:
    rule = StoppingRule(0.01, minimum=2, maximum=4)
    decision = rule.decide([1.0, 9.0, 1.0, 9.0])
    assert not decision.reached
    assert decision.next_n == 4


def test_a_starving_point_counts_as_reached() -> None:
    assert StoppingRule(0.05, minimum=3).decide([0.0, 0.0, 0.0]).reached


def test_stopping_keeps_its_coverage() -> None:
    """Stopping when the interval happens to be narrow costs coverage; from ten runs on, little."""
    rng = np.random.default_rng(8)
    rule = StoppingRule(0.05, minimum=10, maximum=200)
    hits = 0
    for _ in range(1000):
        values = list(rng.normal(10.0, 1.5, 10))
        while not (decision := rule.decide(values)).reached and decision.next_n > len(values):
            values += list(rng.normal(10.0, 1.5, decision.next_n - len(values)))
        assert decision.interval is not None
        hits += decision.interval.contains(10.0)
    assert 0.91 <= hits / 1000 <= 0.97


@pytest.mark.parametrize(("text", "share"), [("5%", 0.05), (" 2.5 % ", 0.025), ("0.1", 0.1)])
def test_a_precision_is_read(text: str, share: float) -> None:
    assert parse_relative(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["5", "-1%", "0", "100%", "nan", "five"])
def test_a_precision_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(StatisticsError, match=text.strip("-")[:1]):
        parse_relative(text)


def test_importing_the_statistics_loads_nothing_heavy() -> None:
    code = "import sys, hoplab.stats; print([m for m in ('numpy', 'scipy', 'duckdb') if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
