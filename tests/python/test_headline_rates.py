"""How often headlines are wrong: false claims, true differences that they name, and every pair of every sentence."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoplab.base.metrics import metric_of
from hoplab.running.answers.headline import Field, sentences
from hoplab.running.answers.phrases import Words
from hoplab.stats import Pair, pairwise
from hoplab.stats.interval import t_quantile

WORDS = Words(metric_of("goodput_bps"))
SEEDS = 10
HALF_WIDTH = t_quantile(SEEDS - 1, 0.95) * math.sqrt(2.0 / SEEDS)
"""Of the interval of a difference between two with a noise of 1 each, to which their seeds add alike."""
EXPERIMENTS = 1000

Cells = list[dict[str, dict[int, float]]]


def drawn(rng: np.random.Generator, names: int, places: int, shift: Callable[[int, int], float]) -> Cells:
    """Values about 100: what seeds share, a noise of 1, and a shift by position of name and setting."""
    common = rng.normal(0.0, 2.0, SEEDS)
    return [
        {
            f"t{i}": dict(enumerate((100.0 + common + rng.normal(0.0, 1.0, SEEDS) + shift(i, place)).tolist()))
            for i in range(names)
        }
        for place in range(places)
    ]


def field_of(cells: Cells) -> Field:
    if len(cells) == 1:
        return Field(tuple(cells[0]), {}, ((),), pairwise(cells, "high"))
    hops = tuple(range(1, len(cells) + 1))
    at = tuple((("topology.hops", h),) for h in hops)
    return Field(tuple(cells[0]), {"topology.hops": hops}, at, pairwise(cells, "high"))


def split(lines: Sequence[str]) -> tuple[str, str]:
    """What is claimed, and what is said to be hidden by the adjustment."""
    hidden = [line for line in lines if line.startswith("p is below")]
    return " ".join(line for line in lines if line not in hidden), " ".join(hidden)


def most(share: float) -> float:
    """A share and twice the standard error of its estimate."""
    return share + 2.0 * math.sqrt(share * (1.0 - share) / EXPERIMENTS)


@pytest.mark.parametrize(("names", "places"), [(2, 1), (5, 1), (3, 4)])
def test_at_most_one_headline_in_twenty_claims_what_is_not(names: int, places: int) -> None:
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(EXPERIMENTS):
        claimed, _hidden = split(sentences(field_of(drawn(rng, names, places, lambda _i, _place: 0.0)), WORDS))
        false += re.search(r" leads|above|below", claimed) is not None
    assert 0 < false / EXPERIMENTS <= most(0.05)


def test_equals_behind_a_leader_are_seldom_separated() -> None:
    """The first leads by three half-widths; any pair of the others that is shown is false, in a sentence or a table."""
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(EXPERIMENTS):
        field = field_of(drawn(rng, 4, 1, lambda i, _place: 3.0 * HALF_WIDTH if i == 0 else 0.0))
        false += any(pair.is_shown and "t0" not in {pair.a, pair.b} for pair in field.tests.at[0])
    assert 0 < false / EXPERIMENTS <= most(0.05)


@pytest.mark.parametrize(
    ("names", "places", "ahead"), [(2, 1, (0,)), (5, 1, (0,)), (3, 6, range(6))], ids=["pair", "five", "axis"]
)
def test_differences_of_three_half_widths_are_named(names: int, places: int, ahead: Sequence[int]) -> None:
    """At least 19 of 20 headlines name the leader, by that much above all others, as leader."""
    rng = np.random.default_rng(3)
    named = 0
    for _ in range(EXPERIMENTS // 4):
        cells = drawn(rng, names, places, lambda i, place: 3.0 * HALF_WIDTH if i == 0 and place in ahead else 0.0)
        claimed, _hidden = split(sentences(field_of(cells), WORDS))
        named += "t0 leads" in claimed
    assert named / (EXPERIMENTS // 4) >= 0.95


def test_a_difference_at_one_of_eleven_settings_is_claimed_or_said_to_be_hidden() -> None:
    rng = np.random.default_rng(4)
    claims, silent = 0, 0
    for _ in range(100):
        cells = drawn(rng, 4, 11, lambda i, place: 3.0 * HALF_WIDTH if i == 0 and place == 3 else 0.0)
        claimed, hidden = split(sentences(field_of(cells), WORDS))
        is_claimed = re.search(r"^t0( leads|'s goodput is) .*hops = 4", claimed) is not None
        claims += is_claimed
        silent += not is_claimed and "t0 above" not in hidden
    assert 0 < claims < 100, "the adjustment for 66 tests hides some, and not all"
    assert silent <= 1


def claims(lines: Sequence[str], names: Sequence[str]) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """Pairs that sentences about one setting claim to differ, and pairs that they say no difference is shown of."""
    word = "|".join(names)
    claimed: set[frozenset[str]] = set()
    denied: set[frozenset[str]] = set()
    for line in lines:
        if line.startswith(("p is", "Paired")):
            continue
        for part in re.sub(r" \([^)]*\)", "", line).split("; "):
            first = re.match(rf"({word})(?: leads|'s goodput is)", part)
            if first:
                assert "more" not in part, "the test reads every name"
                claimed |= {frozenset((first[1], b)) for b in re.findall(rf"(?:above|below) ({word})", part)}
            elif "any of" in part or "between" in part:
                left, _, right = part.partition(" and any of ")
                if right:
                    sides = [re.findall(word, left), re.findall(word, right)]
                    denied |= {frozenset(pair) for pair in itertools.product(*sides)}
                else:
                    denied |= {frozenset(pair) for pair in itertools.combinations(re.findall(word, part), 2)}
    return claimed, denied


@given(
    st.lists(st.lists(st.integers(0, 12), min_size=4, max_size=4), min_size=2, max_size=4),
    st.lists(st.sampled_from((0.2, 1.0, 4.0)), min_size=4, max_size=4),
)
@settings(max_examples=200, deadline=None)
def test_every_pair_of_a_headline_was_tested_and_says_what_its_test_says(
    values: list[list[int]], spread: list[float]
) -> None:
    names = tuple(f"t{i}" for i in range(len(values)))
    cells = [
        {
            name: {seed: 100.0 + spread[i] * v for seed, v in enumerate(row)}
            for i, (name, row) in enumerate(zip(names, values, strict=True))
        }
    ]
    field = field_of(cells)
    tested: Mapping[frozenset[str], Pair] = {frozenset((pair.a, pair.b)): pair for pair in field.tests.at[0]}
    claimed, denied = claims(sentences(field, WORDS), names)
    assert all(tested[pair].is_shown for pair in claimed)
    assert not any(tested[pair].is_shown for pair in denied)
    best = {pair for pair in tested if not tested[pair].is_shown}
    undefeated = [name for name in names if not any(pair.is_shown and pair.b == name for pair in tested.values())]
    assert {frozenset(pair) for pair in itertools.combinations(undefeated, 2)} <= best
    for name in names:
        assert any(name in pair for pair in claimed | denied), "no name is left out"


def test_families_of_tests_share_five_percent() -> None:
    """At one setting Holm over its pairs; over several, pairs at settings and pairs of means have a half each."""
    rng = np.random.default_rng(5)
    cells = drawn(rng, 3, 4, lambda i, _place: 0.5 * i)
    one, four = pairwise(cells[:1], "high"), pairwise(cells, "high")
    assert one.means == ()
    assert one.over == ()
    assert len(four.means) == 3
    assert four.over == (0, 1, 2, 3)
    assert four.tests == 12
    smallest = min((p for pairs in four.at for p in pairs), key=lambda pair: pair.paired.p_of_none or 0.0)
    assert smallest.p_adjusted == pytest.approx(min(1.0, 2.0 * 12 * (smallest.paired.p_of_none or 0.0)))
    least = min(four.means, key=lambda pair: pair.paired.p_of_none or 0.0)
    assert least.p_adjusted == pytest.approx(min(1.0, 2.0 * 3 * (least.paired.p_of_none or 0.0)))


def test_means_over_settings_weigh_settings_alike() -> None:
    """One hop carries ten times as much as the other: 10 % more at one and 10 % less at the other cancel."""
    low = {seed: 100.0 + seed for seed in range(6)}
    cells = [
        {"a": {s: 11.0 * v for s, v in low.items()}, "b": {s: 10.0 * v for s, v in low.items()}},
        {"a": low, "b": {s: 1.1 * v for s, v in low.items()}},
    ]
    (pair,) = pairwise(cells, "high").means
    assert abs(pair.paired.difference.mean) < 1e-12


def test_settings_without_a_value_are_left_out_of_means() -> None:
    values = {seed: 100.0 + seed for seed in range(6)}
    more = {seed: 110.0 + 2 * seed for seed in range(6)}
    cells: Cells = [{"a": values, "b": more}, {"a": values}, {"a": values, "b": more}]
    assert pairwise(cells, "high").over == (0, 2)
