"""Confidence intervals of a mean over independent replications.

The interval of `mean_interval` is Student's: mean +- t(n - 1) * s / sqrt(n). One
replication says nothing about spread, so n = 1 has a mean and no interval.
"""

from __future__ import annotations

import functools
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hoplab.stats import student

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_LEVEL = 0.95
"""Confidence level of every interval unless the caller names another."""


class StatisticsError(ValueError):
    """Values for which the statistic is undefined."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval, in the unit of the values it came from.

    Attributes
    ----------
    mean : float
        Point estimate.
    half_width : float or None
        Half the distance from `low` to `high`; None where there is no interval (n = 1).
    low, high : float or None
        Ends of the interval; an end is None where it is unbounded or where there is no interval.
    n : int
        Number of replications.
    method : str
        Method of the interval: ``student``, ``bootstrap-bca``, ``fieller``, ...; ``none`` without one.
    level : float
        Confidence level, 0 to 1.
    """

    mean: float
    half_width: float | None
    low: float | None
    high: float | None
    n: int
    method: str = "student"
    level: float = DEFAULT_LEVEL

    @property
    def relative(self) -> float | None:
        """Half-width as a share of the mean's size; None without an interval, 0 for 0 +- 0, infinite for 0 +- h."""
        if self.half_width is None:
            return None
        if self.half_width == 0.0:
            return 0.0
        return self.half_width / abs(self.mean) if self.mean != 0.0 else math.inf

    def contains(self, value: float) -> bool:
        """Whether `value` is in the interval, ends included; False without an interval."""
        if self.method == "none":
            return False
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def overlaps(self, other: Interval) -> bool:
        """Tell whether two intervals share a point; always False where either has none."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return False
        return self.low <= other.high and other.low <= self.high

    def scaled(self, factor: float) -> Interval:
        """The same interval in another unit, each value times `factor` (1e-3 for kb/s from bit/s)."""
        ends = [None if end is None else end * factor for end in (self.low, self.high)]
        if factor < 0.0:
            ends.reverse()
        half_width = None if self.half_width is None else self.half_width * abs(factor)
        return Interval(self.mean * factor, half_width, ends[0], ends[1], self.n, self.method, self.level)

    def to_dict(self) -> dict[str, float | int | str | None]:
        """Plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return format(self, ".4g")

    def __format__(self, spec: str) -> str:
        """`mean +- half-width (n = ...)`, each number in the given format; the interval is left out where n = 1."""
        spec = spec or ".4g"
        if self.half_width is None:
            return f"{self.mean:{spec}} (n = {self.n})"
        return f"{self.mean:{spec}} \N{PLUS-MINUS SIGN} {self.half_width:{spec}} (n = {self.n})"


def mean_interval(x: Iterable[float], level: float = DEFAULT_LEVEL) -> Interval:
    """Mean and Student-t interval of independent replications.

    Parameters
    ----------
    x : iterable of float
        One number per replication, all in one unit. Finite; at least one.
    level : float
        Confidence level, above 0 and below 1.

    Returns
    -------
    Interval
        In the unit of `x`. With n = 1 `half_width`, `low` and `high` are None.

    Raises
    ------
    StatisticsError
        If `x` is empty or holds a value that is not finite, or `level` is out of range.

    Examples
    --------
    >>> interval = mean_interval([1.0, 2.0, 3.0])
    >>> round(interval.half_width, 3)
    2.484
    """
    values = finite(x)
    check_level(level)
    n = len(values)
    mean = math.fsum(value / n for value in values) if max(map(abs, values)) > 1e150 else math.fsum(values) / n
    if n == 1:
        return Interval(mean, None, None, None, 1, "none", level)
    variance = sum_of_squares(values, mean) / (n - 1)
    half_width = t_quantile(n - 1, level) * math.sqrt(variance / n)
    return Interval(mean, half_width, mean - half_width, mean + half_width, n, "student", level)


@functools.cache
def t_quantile(degrees: float, level: float) -> float:
    """Two-sided Student-t quantile: the value that |t| stays below with probability `level`."""
    return student.quantile(degrees, (1.0 - level) / 2.0)


def finite(x: Iterable[float], name: str = "x") -> list[float]:
    """The values as floats, refused where there are none or where one is not finite."""
    values = [float(value) for value in x]
    if not values:
        raise StatisticsError(f"{name} is empty, expected at least one value")
    for position, value in enumerate(values):
        if not math.isfinite(value):
            raise StatisticsError(f"{name}[{position}] = {value}: expected a finite value")
    return values


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1), such as 95 for 0.95."""
    if not 0.0 < level < 1.0:
        raise StatisticsError(f"level = {level}: expected a share between 0 and 1, such as 0.95")


def sum_of_squares(values: list[float], mean: float) -> float:
    """Sum of squared deviations from `mean`, with one rounding."""
    try:
        return math.fsum((value - mean) ** 2 for value in values)
    except OverflowError as error:
        largest = max(values, key=abs)
        raise StatisticsError(
            f"{largest:g}: expected at most 1e150 in magnitude, so that squares are finite"
        ) from error
