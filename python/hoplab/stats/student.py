"""Student's t distribution, without SciPy: tail probability and quantile.

The tail is half of the regularized incomplete beta function I_x(n/2, 1/2) at x = n / (n + t^2) (Abramowitz and Stegun
26.5.27), by the continued fraction of DLMF 8.17.22, evaluated as Lentz and Thompson do.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_TINY = 1e-300
_LIMIT = 10_000
"""Terms of the fraction; a few dozen suffice unless degrees exceed 1e6."""


def tail(t: float, degrees: float) -> float:
    """Probability that T exceeds |t|."""
    square = t * t
    if math.isinf(square):
        return 0.0
    x = degrees / (degrees + square)
    return 0.5 * _beta(degrees / 2.0, 0.5, x, square / (degrees + square))


def quantile(degrees: float, upper: float) -> float:
    """The t that T exceeds with probability `upper`, at most one half.

    The tail is convex in t > 0, so Newton's method from a value below the root rises to it. The normal quantile is such
    a value: the t distribution has more in its tails.
    """
    if degrees == 1.0:
        return 1.0 / math.tan(math.pi * upper)
    scale = math.exp(math.lgamma((degrees + 1.0) / 2.0) - math.lgamma(degrees / 2.0)) / math.sqrt(degrees * math.pi)
    t = -NormalDist().inv_cdf(upper)
    for _ in range(200):
        density = scale * math.exp(-(degrees + 1.0) / 2.0 * math.log1p(t * t / degrees))
        step = (tail(t, degrees) - upper) / density
        t += step
        if abs(step) <= 4e-16 * t:
            break
    return t


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b), where `rest` is 1 - x."""
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1.0 / _away(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _LIMIT):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = 1.0 / _away(1.0 + term * d)
            c = _away(1.0 + term / c)
            change = c * d
            value *= change
        if abs(change - 1.0) < 1e-16:
            break
    return value


def _away(value: float) -> float:
    """A divisor that is not zero."""
    return value if abs(value) > _TINY else _TINY
