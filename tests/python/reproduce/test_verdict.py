"""Verdicts follow intervals: a mean that satisfies a claim does not reproduce it."""

from __future__ import annotations

import math

import pytest

from hoplab.stats import Interval, mean_interval
from hoplab_studies.shared.claims import Claim
from hoplab_studies.shared.measures import at_least, at_most, cuts, in_range, rank_correlation, ratio, variation
from hoplab_studies.shared.outcome import Row, trials
from hoplab_studies.shared.page import sensitivity_table
from hoplab_studies.shared.verdict import (
    EXPLAINED,
    MEANINGS,
    NOT_CONTRADICTED,
    REPRODUCED,
    TREND_ONLY,
    UNEXPLAINED,
    Condition,
    Finding,
    Level,
    judge,
    shown,
)

HIGH = [30.0, 31.0, 29.0, 30.5]
MIDDLE = [12.0, 12.5, 11.5, 12.0]
LOW = [10.0, 10.5, 9.5, 10.0]


def found(*conditions: Condition) -> Finding:
    return Finding(conditions)


def test_met_tolerance_is_reproduced_and_conclusive() -> None:
    finding = found(at_least("a over b", HIGH, LOW, 1.5))
    assert judge(finding) == REPRODUCED
    assert finding.conclusive
    assert finding.conditions[0].value.mean == pytest.approx(3.0125)


def test_direction_without_size_is_trend_only() -> None:
    finding = found(at_least("a over b", MIDDLE, LOW, 1.5))
    assert (judge(finding), finding.conclusive) == (TREND_ONLY, True)
    assert judge(found(at_most("b over a", LOW, MIDDLE, 0.5))) == TREND_ONLY


def test_wrong_direction_is_not_reproduced() -> None:
    assert judge(found(at_least("a over b", LOW, HIGH, 1.5))) == UNEXPLAINED


def test_missed_tolerance_without_direction_is_not_reproduced() -> None:
    assert judge(found(at_least("a over b", LOW, MIDDLE, 0.98, trend=None))) == UNEXPLAINED


def test_condition_with_smallest_margin_is_decisive() -> None:
    good, bad = at_least("good", HIGH, LOW, 1.5), at_least("bad", LOW, HIGH, 1.5)
    finding = found(good, bad)
    assert finding.level() == Level.DIFFERS
    assert finding.decisive(1) == [bad]


def test_only_a_conclusive_series_explains() -> None:
    differs = found(at_least("a over b", LOW, HIGH, 1.5))
    holds = Finding((at_least("a over b", HIGH, LOW, 1.5),), "AODV")
    trend = Finding((at_least("a over b", MIDDLE, LOW, 1.5),), "200 m")
    loose = Finding((at_least("a over b", [90.0, 1.0], [10.0, 10.0], 1.5),), "two wild seeds")
    assert loose.level() == Level.OPEN
    assert judge(differs, [holds]) == EXPLAINED
    assert judge(differs, [trend, loose]) == UNEXPLAINED


WILD = [20.0, 10.0, 30.0]


def test_mean_beyond_limit_with_interval_across_is_not_contradicted() -> None:
    finding = found(at_least("a over b", WILD, [10.0, 11.0, 9.0], 1.5))
    assert (judge(finding), finding.conclusive) == (NOT_CONTRADICTED, False)


def test_likeness_is_denied_by_a_whole_interval_and_a_direction_by_its_mean() -> None:
    """A change over a plateau of 0.044 (0.01 to 0.08), limit 0.03: "levels off" is open, "at most" is not."""
    value = Interval(0.044, 0.035, 0.009, 0.079, 20)
    margin = Interval(0.03 - 0.044, 0.035, 0.03 - 0.079, 0.03 - 0.009, 20)
    at_most_ = Condition("change", value, "<= 0.03", (margin,))
    assert judge(found(at_most_.denied_by_interval())) == NOT_CONTRADICTED
    assert (judge(found(at_most_)), found(at_most_).conclusive) == (UNEXPLAINED, False)
    assert "there the mean may lie beyond it" in MEANINGS[NOT_CONTRADICTED]


def test_missed_mean_with_interval_across_limit_is_inconclusive() -> None:
    finding = found(at_least("a over b", WILD, [10.0, 11.0, 9.0], 3.0))
    assert (judge(finding), finding.conclusive) == (UNEXPLAINED, False)
    assert found(at_least("a over b", LOW, HIGH, 1.5)).conclusive


def test_direction_within_its_interval_is_no_trend() -> None:
    finding = found(at_least("a over b", [10.5, 9.0, 11.0, 10.2], LOW, 1.5))
    assert (judge(finding), finding.conclusive) == (UNEXPLAINED, False)


def test_one_seed_reproduces_nothing() -> None:
    finding = found(at_least("a over b", [30.0], [10.0], 1.5))
    assert (judge(finding), finding.conclusive) == (NOT_CONTRADICTED, False)


def test_one_open_condition_leaves_the_claim_open() -> None:
    sure, loose = at_least("sure", HIGH, LOW, 1.5), at_least("loose", [90.0, 1.0, 40.0, 2.0], LOW, 1.5)
    assert (sure.level(), loose.level()) == (Level.HOLDS, Level.OPEN)
    assert judge(found(sure, loose)) == NOT_CONTRADICTED


def test_equal_values_are_not_more() -> None:
    assert at_least("a over a", LOW, LOW, 1.0).level() == Level.DIFFERS
    assert at_most("a over a", LOW, LOW, 1.0).level() == Level.DIFFERS
    assert at_least("best over a", LOW, LOW, 1.0).denied_by_interval().level() == Level.OPEN
    assert at_least("a over a, as much", LOW, LOW, 0.99).level() == Level.HOLDS


def test_alike_needs_both_ends_within_the_margin() -> None:
    def alike(low: float, mean: float, high: float) -> Condition:
        found = Interval(mean, (high - low) / 2.0, low, high, 20)
        return in_range("a over b", found, (0.9, 1.1)).denied_by_interval()

    assert alike(0.95, 1.0, 1.05).level() == Level.HOLDS
    assert alike(0.5, 1.0, 1.5).level() == Level.OPEN
    # More noise never turns into more "reproduced"; a mean outside is denied only by its whole interval.
    assert alike(0.5, 1.2, 1.9).level() == Level.OPEN
    assert alike(1.15, 1.2, 1.25).level() == Level.DIFFERS


def test_one_of_two_tolerances_suffices() -> None:
    misses, meets = mean_interval([-1.0, -1.1]), mean_interval([2.0, 2.1])
    condition = Condition("few or half", mean_interval([3.0, 3.1]), "either", (misses, meets))
    assert condition.level() == Level.HOLDS
    assert condition.room > 0.0


def test_ratio_to_zero_has_no_value() -> None:
    assert math.isinf(ratio([4.0, 5.0], [0.0, 0.0]).mean)
    condition = at_least("a over nothing", [4.0, 5.0], [0.0, 0.0], 1.5)
    assert condition.to_dict()["value"] is None
    assert "unbounded" in condition.text()


def test_values_have_their_interval() -> None:
    assert shown(Interval(1.0, 0.5, 0.5, 1.5, 3)) == "1 (0.5 to 1.5)"
    assert shown(Interval(1.0, None, None, None, 1, "none")) == "1 (no interval)"
    assert shown(Interval(1.0, None, None, None, 3, "fieller-unbounded")) == "1 (interval unbounded)"


def test_consecutive_reductions_are_one_cut() -> None:
    assert cuts([10, 11, 5, 2, 3, 4, 8, 4, 5]) == 2
    assert cuts([1, 2, 3, 4]) == 0


def test_rank_correlation() -> None:
    assert rank_correlation([2, 4, 8], [1.0, 5.0, 9.0]) == pytest.approx(1.0)
    assert rank_correlation([2, 4, 8], [9.0, 5.0, 1.0]) == pytest.approx(-1.0)
    assert rank_correlation([2, 4, 8], [3.0, 3.0, 3.0]) == 0.0


def test_variation_is_deviation_over_mean() -> None:
    assert variation([1.0, 3.0]) == pytest.approx(0.5)


def test_sensitivity_table_has_failed_conditions() -> None:
    claim = Claim("X-1", "Fig. 1", "S", "chain", "a is above b", "ratio at least 1.5")
    missed, kept = at_least("a over b (theirs 2)", LOW, HIGH, 1.5), at_least("c over d", HIGH, LOW, 1.5)
    other = Finding((at_least("a over b (theirs 3)", HIGH, LOW, 1.5), kept), "another ground")
    unlike = Finding((at_least("something else", HIGH, LOW, 1.5),), "another measure")
    row = Row(claim, judge(found(missed, kept), [other]), found(missed, kept), (other, unlike))
    (trial,) = trials([row])
    assert (trial.claim, trial.before, trial.assumption) == ("X-1", missed, "another ground")
    assert (trial.before.level(), trial.after.level()) == (Level.DIFFERS, Level.HOLDS)
    (table,) = sensitivity_table([trial])
    assert table.rows[0][:4] == ("X-1", "a over b (theirs 2)", "another ground", ">= 1.5")
    assert table.rows[0][-2:] == ("holds", "4")
    assert trials([Row(claim, REPRODUCED, found(kept), (other,))]) == []
    assert sensitivity_table([]) == []
