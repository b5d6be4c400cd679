"""Every pair of what is compared, tested at each setting and in the mean over the settings.

The family of a test is what the comparison asks. At one setting it is the pairs at that setting. Over several settings
two families share the 5 %, half each: the pairs of means over the settings, whose number does not grow with the
settings, and the pairs at the settings. Holm's procedure adjusts within a family. The probability of one or more false
differences among all of them is then at most 5 %, whatever the tests have in common.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hoplab.stats.compare import Paired, paired
from hoplab.stats.interval import DEFAULT_LEVEL, Interval
from hoplab.stats.several import holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Cell = Mapping[str, Mapping[int, float]]
    """At one setting: by name, by seed."""

ALPHA = 0.05
"""Adjusted p value below which a difference is shown."""


@dataclass(frozen=True)
class Pair:
    """Two of what is compared, paired by seed.

    Attributes
    ----------
    at : int or None
        Position of the setting; None for means over the settings, in each of which the mean of all values weighs 1.
    a, b : str
        `a` has the better mean over the shared seeds.
    left, right : tuple of float
        Values of `a` and of `b` per shared seed.
    paired : Paired
        `a` against `b`.
    p_adjusted : float or None
        Of no difference, adjusted for all tests of the comparison; None with one seed.
    """

    at: int | None
    a: str
    b: str
    left: tuple[float, ...]
    right: tuple[float, ...]
    paired: Paired
    p_adjusted: float | None = None

    @property
    def is_shown(self) -> bool:
        """Whether a difference is shown."""
        return self.p_adjusted is not None and self.p_adjusted < ALPHA

    @property
    def verdict(self) -> str:
        """`is_shown` in words."""
        return "no interval" if self.p_adjusted is None else "leads" if self.is_shown else "no difference shown"

    @property
    def is_hidden(self) -> bool:
        """Whether the adjustment alone keeps a difference from being shown."""
        p = self.paired.p_of_none
        return p is not None and p < ALPHA and not self.is_shown

    @property
    def percent(self) -> Interval | None:
        """How far `a` is above `b` in percent of `b`; None where the ratio or an end of its interval is undefined."""
        return _with_ends(self.paired.percent)

    @property
    def factor(self) -> Interval | None:
        """`b` over `a`; None where it or an end of its interval is undefined."""
        return _with_ends(paired(self.right, self.left).ratio)

    def is_within(self, margin: float, claims: int = 1) -> bool:
        """Whether the interval of the relative difference is inside a margin in percent.

        Two one-sided tests of 5 % are an interval of 90 %. The interval is that of 95 %, as it is shown, and a wider
        one where more than two equivalences are claimed at once.
        """
        level = DEFAULT_LEVEL if claims <= 2 else 1.0 - 2.0 * ALPHA / claims
        found = _with_ends(paired(self.left, self.right, level).percent)
        return found is not None and min(ends_of(found)) > -margin and max(ends_of(found)) < margin


@dataclass(frozen=True)
class Pairwise:
    """All pairs: those at each setting, and those of means over the settings.

    Attributes
    ----------
    at : tuple of tuple of Pair
        By setting.
    means : tuple of Pair
        Empty unless there are several settings.
    over : tuple of int
        Positions of the settings that the means are over.
    """

    at: tuple[tuple[Pair, ...], ...]
    means: tuple[Pair, ...]
    over: tuple[int, ...]

    @property
    def tests(self) -> int:
        """Tests at the settings."""
        return sum(pair.p_adjusted is not None for pairs in self.at for pair in pairs)


def pairwise(cells: Sequence[Cell], better: str) -> Pairwise:
    """Test every pair at every setting, and in the mean over the settings.

    Parameters
    ----------
    cells : sequence of mapping
        By setting: name to values by seed. Names without values are left out.
    better : {"high", "low"}
        Which mean is the better one.
    """
    at = [[*_pairs(cell, better, place)] for place, cell in enumerate(cells)]
    several = sum(map(bool, at)) > 1
    over = _usable(cells) if several else []
    means = [*_pairs(_over([cells[place] for place in over]), better, None)] if len(over) > 1 else []
    share = 2.0 if several else 1.0
    flat = iter(_adjusted([pair for pairs in at for pair in pairs], share))
    adjusted = tuple(tuple(next(flat) for _ in pairs) for pairs in at)
    return Pairwise(adjusted, tuple(_adjusted(means, share)), tuple(over))


def ends_of(interval: Interval) -> tuple[float, float]:
    """Both ends; the mean where there is none."""
    low = interval.mean if interval.low is None else interval.low
    return low, interval.mean if interval.high is None else interval.high


def _pairs(cell: Cell, better: str, place: int | None) -> Iterable[Pair]:
    for one, other in itertools.combinations(cell, 2):
        seeds = [seed for seed in cell[one] if seed in cell[other]]
        if not seeds:
            continue
        values = {name: tuple(cell[name][seed] for seed in seeds) for name in (one, other)}
        more = math.fsum(values[one]) - math.fsum(values[other])
        a, b = (one, other) if (more >= 0.0 if better == "high" else more <= 0.0) else (other, one)
        yield Pair(place, a, b, values[a], values[b], paired(values[a], values[b]))


def _usable(cells: Sequence[Cell]) -> list[int]:
    """Settings at which every name has a value, and not all values are zero."""
    names = {name for cell in cells for name in cell}
    return [place for place, cell in enumerate(cells) if all(map(cell.get, names)) and _scale(cell) > 0.0]


def _over(cells: Sequence[Cell]) -> Cell:
    """Means over settings, by name and by the seeds that have a value at all of them; each setting weighs alike."""
    scales = [*map(_scale, cells)]
    found = {}
    for name in cells[0]:
        seeds = [seed for seed in cells[0][name] if all(seed in cell[name] for cell in cells)]
        found[name] = {
            seed: math.fsum(cell[name][seed] / scale for cell, scale in zip(cells, scales, strict=True)) / len(cells)
            for seed in seeds
        }
    return found


def _scale(cell: Cell) -> float:
    values = [abs(value) for by_seed in cell.values() for value in by_seed.values()]
    return math.fsum(values) / len(values)


def _adjusted(pairs: Sequence[Pair], share: float) -> list[Pair]:
    """The pairs with p adjusted by Holm, times `share` where the family has one part in `share` of the 5 %."""
    tested = [p for pair in pairs if (p := pair.paired.p_of_none) is not None]
    after = iter(holm(tested))
    return [
        pair if pair.paired.p_of_none is None else replace(pair, p_adjusted=min(1.0, share * next(after)))
        for pair in pairs
    ]


def _with_ends(interval: Interval | None) -> Interval | None:
    return None if interval is None or interval.low is None or interval.high is None else interval
