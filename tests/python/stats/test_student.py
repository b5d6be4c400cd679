"""Student's t distribution against SciPy's."""

from __future__ import annotations

import pytest
from scipy.special import stdtr, stdtrit

from hoplab.stats import student
from hoplab.stats.interval import t_quantile

DEGREES = (1.0, 1.5, 2.0, 2.7, 3.0, 4.0, 7.3, 9.0, 19.0, 49.0, 999.0, 1e5)


@pytest.mark.parametrize("degrees", DEGREES)
def test_quantiles_and_tails_agree_with_scipy(degrees: float) -> None:
    for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        assert t_quantile(degrees, level) == pytest.approx(float(stdtrit(degrees, 0.5 + level / 2.0)), rel=1e-10)
    for t in (0.0, 0.01, 0.3, 1.0, 2.0, 5.0, 20.0, 100.0):
        wanted = float(stdtr(degrees, -t))
        assert student.tail(t, degrees) == pytest.approx(wanted, rel=1e-10)
        assert student.tail(-t, degrees) == student.tail(t, degrees)


def test_ends_of_the_distribution() -> None:
    assert student.tail(0.0, 5.0) == 0.5
    assert student.tail(float("inf"), 5.0) == 0.0
    assert student.quantile(5.0, 0.5) == 0.0
