"""Two schemes on the same seeds, and ratios of totals.

Replications of two schemes that share their seeds share mobility, traffic and channel draws
(common random numbers). What differs from seed to seed is then largely the same on both sides,
and the interval of the difference is narrower than two separate intervals suggest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hoplab.stats import student
from hoplab.stats.interval import (
    DEFAULT_LEVEL,
    Interval,
    StatisticsError,
    check_level,
    finite,
    mean_interval,
    sum_of_squares,
    t_quantile,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Paired:
    """Scheme `a` against scheme `b`, seed by seed.

    Attributes
    ----------
    n : int
        Number of pairs.
    difference : Interval
        mean(a) - mean(b), in the unit of the values; Student interval of the differences.
    ratio : Interval or None
        mean(a) / mean(b); Fieller's interval for pairs. None where mean(b) is zero. Its ends are
        None if mean(b) does not differ significantly from zero: the ratio is then unbounded.
    effect_size : float or None
        Hedges' g of the differences: their mean over their standard deviation, corrected for small
        n. None with one pair, or where all differences are equal.
    p_value : float or None
        Two-sided, of no difference in means (paired t test). None where `effect_size` is None.
    correlation : float or None
        Between the two schemes over seeds, -1 to 1. Above 0, pairing pays. None where a scheme does not vary.
    """

    n: int
    difference: Interval
    ratio: Interval | None
    effect_size: float | None
    p_value: float | None
    correlation: float | None

    @property
    def p_of_none(self) -> float | None:
        """`p_value`, 1 where all pairs are equal, 0 where all differ by one amount; None with one pair."""
        if self.p_value is not None or self.n == 1:
            return self.p_value
        return 1.0 if self.difference.mean == 0.0 else 0.0

    @property
    def percent(self) -> Interval | None:
        """How far `a` is above `b` in percent of `b`; None where it or, of several pairs, an end is undefined."""
        ratio = self.ratio
        if ratio is None or (ratio.n > 1 and (ratio.low is None or ratio.high is None)):
            return None
        low, high = (None if end is None else 100.0 * (end - 1.0) for end in (ratio.low, ratio.high))
        width = None if low is None or high is None else (high - low) / 2.0
        return replace(ratio, mean=100.0 * (ratio.mean - 1.0), half_width=width, low=low, high=high)


def paired(a: Iterable[float], b: Iterable[float], level: float = DEFAULT_LEVEL) -> Paired:
    """Compare two schemes whose i-th values come from the same seed.

    Parameters
    ----------
    a, b : iterable of float
        One number per seed, in the same order and unit.
    level : float
        Confidence level, above 0 and below 1.

    Returns
    -------
    Paired
        With n = 1 it holds the difference and the ratio without intervals.

    Raises
    ------
    StatisticsError
        If the lengths differ, or values are missing or not finite.
    """
    left, right = _pairs(a, b, "a", "b")
    n = len(left)
    differences = [x - y for x, y in zip(left, right, strict=True)]
    difference = mean_interval(differences, level)
    mean_b = math.fsum(right) / n
    ratio = _ratio_of_means(left, right, level) if mean_b != 0.0 else None
    effect_size = p_value = None
    if n > 1:
        deviation = math.sqrt(sum_of_squares(differences, difference.mean) / (n - 1))
        if deviation > 0.0:
            standardized = difference.mean / deviation
            effect_size = standardized * _small_sample_correction(n - 1)
            p_value = _two_sided_p(standardized * math.sqrt(n), n - 1)
    return Paired(n, difference, ratio, effect_size, p_value, _correlation(left, right))


def ratio_of_sums(numerators: Iterable[float], denominators: Iterable[float], level: float = DEFAULT_LEVEL) -> Interval:
    """Ratio of two totals over replications, such as segments dropped over segments sent.

    A mean of per-run ratios gives a run with ten packets the weight of a run with ten thousand; the ratio
    of totals does not (RFC 5166 metrics over several runs). The interval is Fieller's, from the pairs.

    Parameters
    ----------
    numerators, denominators : iterable of float
        One number of each per replication, in the same order.
    level : float
        Confidence level, above 0 and below 1.

    Returns
    -------
    Interval
        `mean` is sum(numerators) / sum(denominators). With n = 1 there is no interval; the ends are None
        if the denominator does not differ significantly from zero.

    Raises
    ------
    StatisticsError
        If the lengths differ, a value is missing or not finite, or the denominators sum to zero.
    """
    top, bottom = _pairs(numerators, denominators, "numerators", "denominators")
    if math.fsum(bottom) == 0.0:
        raise StatisticsError("denominators sum to zero: the ratio is undefined")
    return _ratio_of_means(top, bottom, level)


def _ratio_of_means(top: list[float], bottom: list[float], level: float) -> Interval:
    """mean(top) / mean(bottom) with Fieller's interval: the ratios r at which mean(top - r * bottom) may be zero."""
    check_level(level)
    n = len(top)
    mean_top, mean_bottom = math.fsum(top) / n, math.fsum(bottom) / n
    ratio = mean_top / mean_bottom
    if n == 1:
        return Interval(ratio, None, None, None, 1, "none", level)
    # Variances and covariance of the two means. The quadratic in r is solved around the ratio, where it
    # is well conditioned: with r = ratio + e,  (mean_bottom * e)^2 <= q * var(residual - e * bottom).
    residuals = [x - ratio * y for x, y in zip(top, bottom, strict=True)]  # their mean is zero by construction
    per_mean = 1.0 / ((n - 1) * n)
    residual_mean = math.fsum(residuals) / n
    var_residual = sum_of_squares(residuals, residual_mean) * per_mean
    var_bottom = sum_of_squares(bottom, mean_bottom) * per_mean
    covariance = (
        math.fsum((r - residual_mean) * (y - mean_bottom) for r, y in zip(residuals, bottom, strict=True)) * per_mean
    )
    q = t_quantile(n - 1, level) ** 2
    lead = mean_bottom**2 - q * var_bottom
    if lead <= 0.0:
        return Interval(ratio, None, None, None, n, "fieller-unbounded", level)
    center = -q * covariance / lead
    reach = math.sqrt(max(center**2 + q * var_residual / lead, 0.0))
    low, high = ratio + center - reach, ratio + center + reach
    return Interval(ratio, (high - low) / 2.0, low, high, n, "fieller", level)


def _pairs(a: Iterable[float], b: Iterable[float], name_a: str, name_b: str) -> tuple[list[float], list[float]]:
    left, right = finite(a, name_a), finite(b, name_b)
    if len(left) != len(right):
        raise StatisticsError(
            f"{name_a} has {len(left)} values and {name_b} has {len(right)}: pairs need one of each per seed"
        )
    return left, right


def _correlation(a: list[float], b: list[float]) -> float | None:
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    spread = math.sqrt(sum_of_squares(a, mean_a)) * math.sqrt(sum_of_squares(b, mean_b))
    if spread == 0.0:
        return None
    shared = math.fsum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    return max(-1.0, min(1.0, shared / spread))


def _small_sample_correction(degrees: int) -> float:
    """Hedges 1981, eq. 6e: the exact factor that makes the standardized mean unbiased; 0 below two degrees."""
    if degrees < 2:
        return 0.0
    return math.exp(math.lgamma(degrees / 2.0) - math.lgamma((degrees - 1) / 2.0)) / math.sqrt(degrees / 2.0)


def _two_sided_p(t: float, degrees: int) -> float:
    return 2.0 * student.tail(t, degrees)
