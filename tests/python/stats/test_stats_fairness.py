"""Unfairness U of Kopparty 2002."""

from __future__ import annotations

import math
from itertools import permutations, product

import pytest

from hoplab.stats import StatisticsError, unfairness, unfairness_bound


def test_hand_computed() -> None:
    assert unfairness([0.9, 0.4]) == pytest.approx(0.5)
    assert unfairness([0.9, 0.5, 0.1]) == pytest.approx(0.692820, abs=1e-6)
    assert unfairness([1.0, 0.0, 0.0]) == pytest.approx(1.0)
    assert unfairness([1.0, 1.0, 0.0, 0.0]) == pytest.approx(1.154701, abs=1e-6)
    assert unfairness([0.3, 0.3, 0.3]) == pytest.approx(0.0, abs=1e-12)
    assert unfairness([1.2, 0.2]) == pytest.approx(1.0)
    assert math.isnan(unfairness([0.5]))


def test_it_is_the_papers_formula() -> None:
    x = [0.93, 0.11, 0.47, 0.68]
    k = len(x)
    papers = math.sqrt((k * sum(value**2 for value in x) - sum(x) ** 2) / (k - 1))
    assert unfairness(x) == pytest.approx(papers)
    assert all(unfairness(order) == pytest.approx(papers) for order in permutations(x))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_the_bound_is_reached_and_not_passed(k: int) -> None:
    largest = max(unfairness(x) for x in product((0.0, 0.5, 1.0), repeat=k))
    assert largest == pytest.approx(unfairness_bound(k))


def test_nonsense_is_refused() -> None:
    for x in ([], [0.5, -0.1], [0.5, math.nan]):
        with pytest.raises(StatisticsError):
            unfairness(x)
    with pytest.raises(StatisticsError, match="at least 2"):
        unfairness_bound(1)
