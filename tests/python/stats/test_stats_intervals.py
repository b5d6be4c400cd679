"""Intervals: tables of quantiles, hand-computed values, and the coverage that they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hoplab.stats import (
    Interval,
    StatisticsError,
    bootstrap_interval,
    jain,
    mean_interval,
    paired,
    ratio_of_sums,
)
from hoplab.stats.interval import t_quantile

# Two-sided 95 % quantiles of Student's t, as any table prints them, by number of runs.
T_TABLE = {2: 12.7062, 3: 4.3027, 5: 2.7764, 10: 2.2622, 20: 2.0930, 30: 2.0452}
EXPERIMENTS = 2000


@pytest.mark.parametrize(("runs", "expected"), T_TABLE.items())
def test_t_quantiles_are_those_of_the_table(runs: int, expected: float) -> None:
    assert t_quantile(runs - 1, 0.95) == pytest.approx(expected, abs=5e-5)


def test_mean_interval_by_hand() -> None:
    interval = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    expected = 2.7764451 * math.sqrt(2.5 / 5)  # s^2 = 10 / 4
    assert interval.mean == 3.0
    assert interval.half_width == pytest.approx(expected, rel=1e-7)
    assert interval.low == pytest.approx(3.0 - expected)
    assert interval.n == 5


def test_one_run_has_no_interval() -> None:
    interval = mean_interval([7.0])
    assert (interval.mean, interval.half_width, interval.low, interval.high) == (7.0, None, None, None)
    assert not interval.contains(7.0)
    assert str(interval) == "7 (n = 1)"


@pytest.mark.parametrize("bad", [[], [1.0, math.nan], [math.inf]])
def test_values_without_a_mean_are_refused(bad: list[float]) -> None:
    with pytest.raises(StatisticsError):
        mean_interval(bad)


def test_a_level_in_percent_is_refused() -> None:
    with pytest.raises(StatisticsError, match=r"such as 0\.95"):
        mean_interval([1.0, 2.0], 95)


def test_scaling_turns_the_ends_with_the_sign() -> None:
    assert Interval(2.0, 1.0, 1.0, 3.0, 5).scaled(-2.0) == Interval(-4.0, 2.0, -6.0, -2.0, 5)


def test_student_intervals_cover_the_truth() -> None:
    """2,000 experiments of n = 3..30 normal runs: 95 % intervals hold the true mean in 93 to 97 %."""
    rng = np.random.default_rng(20261121)
    hits = 0
    for experiment in range(EXPERIMENTS):
        n = 3 + experiment % 28
        hits += mean_interval(rng.normal(5.0, 2.0, n)).contains(5.0)
    assert 0.93 <= hits / EXPERIMENTS <= 0.97


@pytest.mark.parametrize(("n", "low", "high"), [(3, 0.68, 0.77), (5, 0.80, 0.89), (10, 0.86, 0.93), (30, 0.90, 0.965)])
def test_bootstrap_coverage_is_as_the_guide_states(n: int, low: float, high: float) -> None:
    """docs/use/statistics.md states the measured coverage by n; a change of method must change it there."""
    rng = np.random.default_rng(n)
    hits = sum(
        bootstrap_interval(rng.normal(5.0, 2.0, n), resamples=499, seed=experiment).contains(5.0)
        for experiment in range(500)
    )
    assert low <= hits / 500 <= high


def test_bootstrap_is_repeatable_and_knows_its_edges() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0]
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval([3.0]).half_width is None
    assert bootstrap_interval([3.0, 3.0, 3.0]).half_width == 0.0
    median = bootstrap_interval(values, statistic=np.median, method="percentile")
    assert median.mean == 4.0
    assert median.contains(4.0)


def test_pairing_removes_what_seeds_share() -> None:
    rng = np.random.default_rng(3)
    shared = rng.normal(100.0, 10.0, 20)
    a = shared + 2.0 + rng.normal(0.0, 0.5, 20)
    b = shared + rng.normal(0.0, 0.5, 20)
    result = paired(a, b)
    assert result.difference.contains(2.0)
    assert result.difference.half_width is not None
    separate = math.hypot(*(interval.half_width or 0.0 for interval in (mean_interval(a), mean_interval(b))))
    assert result.difference.half_width < separate / 5
    assert result.correlation is not None
    assert result.correlation > 0.99
    assert result.effect_size is not None
    assert result.effect_size > 1.0
    assert result.p_value is not None
    assert result.p_value < 1e-6


def test_paired_by_hand() -> None:
    result = paired([3.0, 5.0, 10.0], [1.0, 2.0, 3.0])  # differences 2, 3, 7
    deviation = math.sqrt(7.0)
    assert result.difference.mean == 4.0
    assert result.difference.half_width == pytest.approx(4.3026527 * deviation / math.sqrt(3), rel=1e-6)
    # Hedges' correction for two degrees of freedom: gamma(1) / (sqrt(1) * gamma(1/2)).
    assert result.effect_size == pytest.approx(4.0 / deviation / math.sqrt(math.pi))
    t = 4.0 / deviation * math.sqrt(3)
    assert result.p_value == pytest.approx(1.0 - t / math.sqrt(2.0 + t * t))  # closed form at two degrees of freedom


def test_pairs_need_equal_lengths() -> None:
    with pytest.raises(StatisticsError, match="3 values and b has 2"):
        paired([1.0, 2.0, 3.0], [1.0, 2.0])


def test_equal_schemes_have_no_effect_size() -> None:
    result = paired([1.0, 2.0], [1.0, 2.0])
    assert (result.difference.mean, result.difference.half_width) == (0.0, 0.0)
    assert result.effect_size is None
    assert result.ratio is not None
    assert result.ratio.mean == 1.0


def test_ratio_of_sums_weighs_by_size() -> None:
    interval = ratio_of_sums([1.0, 90.0], [10.0, 100.0])
    assert interval.mean == pytest.approx(91.0 / 110.0)
    with pytest.raises(StatisticsError, match="sum to zero"):
        ratio_of_sums([1.0], [0.0])


def test_fieller_interval_solves_its_equation() -> None:
    """At an end r of the interval, the t statistic of mean(a - r b) equals the quantile."""
    rng = np.random.default_rng(5)
    b = rng.normal(10.0, 1.0, 12)
    a = 3.0 * b + rng.normal(0.0, 2.0, 12)
    interval = ratio_of_sums(a, b)
    assert interval.low is not None
    assert interval.high is not None
    for end in (interval.low, interval.high):
        residual = a - end * b
        t = abs(residual.mean()) / (residual.std(ddof=1) / math.sqrt(12))
        assert t == pytest.approx(t_quantile(11, 0.95), rel=1e-9)


def test_ratio_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(6)
    hits = 0
    for experiment in range(EXPERIMENTS):
        n = 3 + experiment % 28
        b = rng.normal(10.0, 1.0, n)
        hits += ratio_of_sums(2.0 * b + rng.normal(0.0, 3.0, n), b).contains(2.0)
    assert 0.93 <= hits / EXPERIMENTS <= 0.97


def test_a_ratio_to_almost_nothing_is_unbounded() -> None:
    interval = ratio_of_sums([1.0, 2.0, 3.0], [-1.0, 0.1, 1.0])
    assert interval.method == "fieller-unbounded"
    assert (interval.half_width, interval.low, interval.high) == (None, None, None)


def test_jain_by_hand() -> None:
    assert jain([1.0, 2.0, 3.0]) == pytest.approx(0.857143, abs=5e-7)
    assert jain([5.0, 5.0, 5.0, 5.0]) == 1.0
    assert jain([1.0, 0.0, 0.0, 0.0]) == 0.25
    assert jain([3e200, 3e200]) == 1.0
    assert math.isnan(jain([0.0, 0.0]))
    with pytest.raises(StatisticsError, match="must not be negative"):
        jain([1.0, -1.0])


@pytest.mark.parametrize("value", [1e155, -1e308])
def test_a_value_whose_square_overflows_is_refused(value: float) -> None:
    with pytest.raises(StatisticsError, match="expected at most 1e150 in magnitude"):
        mean_interval([1.0, value])
