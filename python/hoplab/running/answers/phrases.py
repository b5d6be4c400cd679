"""Words of headlines: names of what is compared, relative differences with intervals, and parts of an axis."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from hoplab.base.metrics import Metric
from hoplab.figures.titles import AXES, numbers_of
from hoplab.stats import Interval, Pair, ends_of

NAMED = 3
"""Pairs that a list names."""
GROUPED = 8
"""Names of a group that are written."""
VALUES = 6
"""Values of an axis that are listed."""
TENFOLD = 10.0
"""A multiple from which it has no decimals."""
MULTIPLE = 3.0
"""How many times another's something is, from which it is no percentage."""

_PARENTHESIS = re.compile(r" \([^)]*\)$")


@dataclass(frozen=True)
class Words:
    """How sentences name a measure and what is compared.

    Attributes
    ----------
    what : str
        The axis whose values are compared, in words; empty for transports, which have names of their own.
    """

    spec: Metric
    what: str = ""

    @property
    def measure(self) -> str:
        """The measure within a sentence."""
        return in_sentence(self.spec)

    def one(self, name: str) -> str:
        """What is compared, alone."""
        return f"{self.what} = {name}" if self.what else name

    def of(self, name: str) -> str:
        """What is compared, behind what it has."""
        return f"{'with' if self.what else 'of'} {name}"

    def several(self, names: Sequence[str]) -> str:
        """Names with an "and", the last of many as a count."""
        return self.one(_some(names))

    def any_of(self, names: Sequence[str]) -> str:
        """Names of which each is compared with the same one."""
        return f"any of {self.several(names)}" if len(names) > 1 else self.one(names[0])

    def owned(self, name: str) -> str:
        """The measure of what is compared."""
        return f"{self.measure} with {self.one(name)}" if self.what else f"{name}'s {self.measure}"

    def direction(self, pair: Pair) -> str:
        """Whether `a` has more of the measure than `b`, or less."""
        return "above" if pair.paired.difference.mean > 0.0 else "below"

    def against(self, pair: Pair) -> str:
        """How far `a` is above `b` or below it; as a multiple where it is far above."""
        direction, percent, difference = self.direction(pair), pair.percent, abs(pair.paired.difference.mean)
        if _is_multiple(percent):
            return f"{_times(1.0 + percent.mean / 100.0)} times that {self.of(pair.b)}"
        if percent is not None:
            return f"{abs(percent.mean):.{_digits(percent)}f} % {direction} {self._other(pair.b)}"
        if pair.at is None:  # in units of the mean of all
            return f"{100.0 * difference:.0f} % of the mean {direction} {self._other(pair.b)}"
        return f"{self._amount(difference)} {direction} {self._other(pair.b)}"

    def ci(self, pair: Pair) -> str:
        """The interval of `against`."""
        if pair.paired.effect_size is None and pair.paired.difference.mean == 0.0:
            return "equal in every seed"
        percent = pair.percent
        if _is_multiple(percent):
            low, high = (1.0 + end / 100.0 for end in ends_of(percent))
            return f"95 % CI {_times(low)} to {_times(high)} times"
        if percent is not None:
            (low, high), digits = ends_of(percent), _digits(percent)
            return f"95 % CI {signed(low, digits)} to {signed(high, digits)} %"
        if pair.at is None:
            low, high = ends_of(pair.paired.difference.scaled(100.0))
            return f"95 % CI {signed(low, 0)} to {signed(high, 0)} %"
        low, high = ends_of(pair.paired.difference.scaled(self.spec.scale))
        return f"95 % CI {signed(low, self.spec.digits)} to {signed(high, self.spec.digits)} {self.spec.unit}".rstrip()

    def pairs(self, shown: Sequence[Pair]) -> str:
        """How far one is above or below others."""
        parts = [f"{self.against(pair)} ({self.ci(pair)})" for pair in shown[:NAMED]]
        return listed([*parts, *([f"{len(shown) - NAMED} more behind"] if len(shown) > NAMED else [])])

    def span(self, pairs: Sequence[Pair], first: str, others: Sequence[str]) -> str:
        """How far one is above or below others at several settings: the least and the largest."""
        is_above = (self.direction(pairs[0]) == "above") == (pairs[0].a == first)
        ratios = sorted(r for pair in pairs if (r := _ratio(pair, first)) is not None)
        to = f"{'above' if is_above else 'below'} {self._others(others)}"
        if len(ratios) < len(pairs):
            amounts = sorted(abs(pair.paired.difference.mean) * self.spec.scale for pair in pairs)
            return f"{from_to(amounts[0], amounts[-1], self.spec.digits)} {self.spec.unit} {to}".replace("  ", " ")
        if ratios[0] >= MULTIPLE:
            digits = 1 if ratios[-1] < TENFOLD else 0
            return f"{from_to(ratios[0], ratios[-1], digits)} times that {self.of(_some(others))}"
        percents = sorted(abs(100.0 * (ratio - 1.0)) for ratio in ratios)
        return f"{from_to(percents[0], percents[-1], 1 if percents[-1] < 10.0 else 0)} % {to}"

    def _other(self, name: str) -> str:
        return f"that with {name}" if self.what else name

    def _others(self, names: Sequence[str]) -> str:
        return f"{'that' if len(names) == 1 else 'those'} with {_some(names)}" if self.what else _some(names)

    def _amount(self, value: float) -> str:
        return f"{value * self.spec.scale:.{self.spec.digits}f} {self.spec.unit}".rstrip()


def in_sentence(spec: Metric) -> str:
    """The label of a measure without its capital, unless it is an abbreviation."""
    return spec.label if spec.label[:2].isupper() else spec.label[:1].lower() + spec.label[1:]


def axis_words(key: str) -> str:
    """An axis in words, without a unit; its key where it has none."""
    return _PARENTHESIS.sub("", AXES.get(key, key))


def listed(parts: Sequence[str]) -> str:
    """Parts with commas and an "and"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def sentence(text: str) -> str:
    """A text as a sentence; names of transports keep their small letter."""
    return f"{text[0].upper() if text.startswith(OPENINGS) else text[0]}{text[1:]}."


OPENINGS = ("no difference", "in the mean", "goodput with", "mean ", "p is")
"""Beginnings of sentences that are no names."""


def where(words: str, values: Sequence[object], chosen: Sequence[int]) -> str:
    """A part of an axis: "at hops = 2", "up to hops = 3", "from hops = 5 on", "at all 11 values of hops".

    Parameters
    ----------
    words : str
        The axis.
    values : sequence
        All of its values, in the order of the runs.
    chosen : sequence of int
        Positions of the part, in order.
    """
    if len(chosen) == len(values) > 2:
        return f"at all {len(values)} values of {words}"
    runs, first, last = _runs(values, chosen), word_of(values[chosen[0]]), word_of(values[chosen[-1]])
    if len(runs) == 1 and len(chosen) > 1 and len(values) > 2:
        if chosen[-1] == len(values) - 1:
            return f"from {words} = {first} on"
        if chosen[0] == 0:
            return f"up to {words} = {last}"
    texts = []
    for run in runs:
        ends = [word_of(values[i]) for i in run]
        texts += [f"{ends[0]} to {ends[-1]}"] if len(run) > 2 else ends
    if len(texts) > VALUES:
        return f"at {len(chosen)} of {len(values)} values of {words}"
    return f"at {words} = {listed(texts)}"


def _runs(values: Sequence[object], chosen: Sequence[int]) -> list[list[int]]:
    """Neighbors among the values together, where the values are numbers that rise; else each alone."""
    numbers, _ = numbers_of(values)
    rises = bool(numbers) and all(a < b for a, b in itertools.pairwise(numbers))
    runs: list[list[int]] = []
    for i in chosen:
        if rises and runs and runs[-1][-1] == i - 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def word_of(value: object) -> str:
    """A value of an axis as scenarios have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def signed(value: float, digits: int) -> str:
    """A number with its sign, and 0 without."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0.0 else text


def from_to(low: float, high: float, digits: int) -> str:
    """A range; one number where both ends are printed alike."""
    first, last = f"{low:.{digits}f}", f"{high:.{digits}f}"
    return first if first == last else f"{first} to {last}"


def _some(names: Sequence[str]) -> str:
    """Names with an "and", the last of many as a count."""
    more = [f"{len(names) - GROUPED} more"] if len(names) > GROUPED else []
    return listed([*names[:GROUPED], *more])


def _ratio(pair: Pair, first: str) -> float | None:
    """One of a pair over the other."""
    ratio = pair.paired.ratio if pair.a == first else pair.factor
    return None if ratio is None else ratio.mean


def _is_multiple(percent: Interval | None) -> TypeGuard[Interval]:
    return percent is not None and percent.mean >= 100.0 * (MULTIPLE - 1.0)


def _times(ratio: float) -> str:
    return f"{ratio:.{1 if ratio < TENFOLD else 0}f}"


def _digits(percent: Interval) -> int:
    return 1 if max(map(abs, ends_of(percent))) < 10.0 else 0
