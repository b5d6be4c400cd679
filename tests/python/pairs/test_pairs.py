"""Every pair of features: in few scenarios in the quick lane, one by one in the full one, and triples at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import pytest

from hoplab.scenario.features import Feature, features, refusals
from hoplab_validation.pairs import stored
from hoplab_validation.pairs.covering import covering
from hoplab_validation.pairs.judge import accepted, judged
from hoplab_validation.pairs.page import contradicting

PARTS = 8
"""Tests that share the scenarios, for as many processes."""
TRIPLES = 200
STARVED = {"nothing", "silent"}
"""A flow among several may starve: pairs and triples are where a zero needs its sentence."""
SLOW = {"animation", "bound", "explain", "map", "possible", "whatif"}
"""Commands that take half a second and more: the quick lane has their refusals alone."""
CHOSEN = [one for one in features() if not one.out]
NAMED = {one.name: one for one in CHOSEN}


@cache
def scenarios() -> list[tuple[Feature, ...]]:
    return covering([one for one in CHOSEN if one.name not in SLOW], apart=contradicting(CHOSEN) | {*stored.known()})


def names(chosen: Sequence[Feature]) -> frozenset[str]:
    return frozenset(one.name for one in chosen)


def changed(group: Sequence[Feature]) -> list[str]:
    """Pairs of a set that are not as stored; or what fails of it, from which no feature can be left out."""
    verdict = judged(group)
    if verdict.kind == "runs" or verdict.kind in STARVED:
        return []
    if verdict.is_fault:
        return [smallest(group)]
    pairs = {
        names(pair): (judged if any(one.do for one in pair) else accepted)(pair) for pair in combinations(group, 2)
    }
    return [str(change) for change in stored.changes(pairs)]


def smallest(group: Sequence[Feature]) -> str:
    kept = [*group]
    for one in group:
        rest = [other for other in kept if other is not one]
        if judged(rest).is_fault:
            kept = rest
    verdict = judged(kept)
    return f"{' and '.join(sorted(names(kept)))}: {verdict.kind}: {verdict.message}"


def changes(pairs: Sequence[Sequence[Feature]]) -> list[str]:
    return [str(change) for change in stored.changes({names(pair): judged(pair) for pair in pairs})]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_pair_is_refused_but_those_that_are_stored(part: int) -> None:
    assert [words for group in scenarios()[part::PARTS] for words in changed(group)] == []


@pytest.mark.parametrize("part", range(PARTS))
def test_stored_pairs_do_not_run_and_say_the_same(part: int) -> None:
    pairs = [[NAMED[name] for name in one.features] for one in refusals()]
    assert changes(pairs[part::PARTS]) == [], "a refusal that is gone, or new words: make pairs BLESS=1"


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_pair_is_as_stored(part: int) -> None:
    assert changes([*combinations(CHOSEN, 2)][part::PARTS]) == []


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_triples_end_with_numbers_or_a_reason(part: int) -> None:
    drawn = random.Random(part)
    triples = [drawn.sample(CHOSEN, 3) for _ in range(TRIPLES // PARTS)]
    assert [smallest(triple) for triple in triples if judged(triple).is_fault] == []
