"""What a comparison permits to say: a sentence at a setting or over an axis, from tests of every pair that it names."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.figures.titles import numbers_of
from hoplab.running.answers.phrases import NAMED, Words, axis_words, from_to, listed, sentence, where, word_of
from hoplab.stats import ALPHA, Interval, Pair, Pairwise, ends_of

SPELLED = 6
"""Combinations of other axes that have a sentence each."""
PATTERNS = 4
"""Sets of settings that a sentence along an axis has one by one."""
FACTOR = 1.5
"""How many times the least delay another one is, from which a headline has a sentence about it."""

TRANSPORT = "transport"
"""The axis of transports, where something else is compared."""
Setting = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Field:
    """What is compared, at which settings, and the tests.

    Attributes
    ----------
    names : tuple of str
        What is compared, in the order of the comparison.
    axes : mapping
        The other axes by key, with their values.
    settings : tuple
        Every combination of their values, in the order of `tests.at`.
    """

    names: tuple[str, ...]
    axes: Mapping[str, tuple[Any, ...]]
    settings: tuple[Setting, ...]
    tests: Pairwise

    @property
    def along(self) -> str | None:
        """The axis that a sentence goes along: the first of numbers, or else the first, with several values."""
        several = [key for key, values in self.axes.items() if len(values) > 1]
        return next((key for key in several if numbers_of(self.axes[key])[0]), several[0] if several else None)

    @property
    def places(self) -> list[int]:
        """Settings with tests."""
        return [place for place, pairs in enumerate(self.tests.at) if any(p.p_adjusted is not None for p in pairs)]


def sentences(field: Field, words: Words, margin: float | None = None) -> list[str]:
    """Sentences for people: who leads where by how much, and how the tests were adjusted."""
    places = field.places
    if not any(field.tests.at):
        return []
    if not places:
        return ["One seed: no difference is shown or excluded; use more seeds, such as 10."]
    if len(places) == 1:
        found = _At(words, field.tests.at[places[0]], field.names, margin)
        lines = [sentence(f"{_head(field.settings[places[0]])}{text}") for text in found.texts()]
        hidden = _hidden(words, [(pair, "") for pair in found.unshown], field)
    else:
        lines, named = _over_axes(field, words, margin)
        mean = _At(words, field.tests.means, field.names, margin)
        lines += [sentence(f"in the mean over {_all(field)}, {text}") for text in mean.texts()]
        hidden = _hidden(words, [*named, *((pair, " in the mean") for pair in mean.unshown)], field)
    return [*lines, *hidden]


def adjusted_by(tests: int, means: int = 0) -> str:
    """How several tests were adjusted."""
    if not means:
        return f"Paired t tests of {tests} pairs, p adjusted by Holm; CIs unadjusted."
    return (
        f"{tests} paired t tests at settings and {means} of means, 2.5 % for each kind, p adjusted by Holm; "
        "CIs unadjusted."
    )


def delay_sentence(field: Field, words: Words) -> list[str]:
    """Where one's delay is a multiple of another's, by the tests of delay; nothing otherwise."""
    wins = {name: sum(p.is_shown and p.a == name for pairs in field.tests.at for p in pairs) for name in field.names}
    least = max(field.names, key=lambda name: wins[name])
    found: dict[str, dict[int, Interval]] = {}
    for place, pairs in enumerate(field.tests.at):
        for pair in pairs:
            factor = pair.factor if pair.is_shown and pair.a == least else None
            if factor is not None and factor.mean >= FACTOR:
                found.setdefault(pair.b, {})[place] = factor
    alike: dict[str, list[str]] = {}
    for name, factors in found.items():
        alone = "" if len(field.places) > 1 else f" {name}"
        alike.setdefault(_where(field, [*factors]) + alone, []).append(name)
    parts: list[str] = []
    for names in alike.values():
        every = [factor for name in names for factor in found[name].values()]
        many = from_to(min(factor.mean for factor in every), max(factor.mean for factor in every), 1)
        low, high = ends_of(every[0])
        after = _where(field, [*found[names[0]]]) if len(field.places) > 1 else f" (95 % CI {low:.1f} to {high:.1f})"
        of, that = words.of(words.several(names)), f"is {many} times that {words.of(words.one(least))}"
        parts.append(f"{of} {that if not parts else f'{many} times'}{after}")
    return [f"{words.spec.label} {listed(parts)}."] if parts else []


class _At:
    """Sentences of one set of pairs: those at a setting, or those of means.

    What is not shown to be worse than anything is a group, in which no pair is shown to differ. All others are shown to
    be worse than something that a sentence names.
    """

    def __init__(self, words: Words, pairs: Sequence[Pair], names: Sequence[str], margin: float | None) -> None:
        self.words, self.margin = words, margin
        self.by = {frozenset((p.a, p.b)): p for p in pairs if p.p_adjusted is not None}
        self.names = self._ranked(_all_tested(names, self.by))
        self.untested = [name for name in names if name not in self.names]
        self.unshown: list[Pair] = []

    def texts(self) -> list[str]:
        """Sentences without their ends, the first about the lead; fills `unshown`, pairs of which none is shown."""
        if len(self.names) < 2:
            return []
        words = self.words
        worse = {pair.b for pair in self.by.values() if pair.is_shown and pair.a in self.names}
        top = [name for name in self.names if name not in worse]
        first = max(top or self.names, key=lambda name: len(self._ahead(name)))
        ahead = self._ahead(first)
        rest = [name for name in self.names if name != first and name not in {pair.b for pair in ahead}]
        if not rest:
            small = self.margin is not None and all(pair.is_within(self.margin) for pair in ahead)
            within = f"; within {self.margin:g} %" if small else ""
            return [f"{words.one(first)} leads: {words.measure} {words.pairs(ahead)}{within}", *self._left_out()]
        group = top if len(top) > 1 else []
        lines = (
            [self._group(group, f"; {words.owned(first)} is {words.pairs(ahead)}" if ahead else "")] if group else []
        )
        if not group:
            lines.append(f"{words.owned(first)} is {words.pairs(ahead)}")
        lines += self._others(first, group, rest)
        return [*lines, *self._left_out()]

    def _others(self, first: str, group: Sequence[str], rest: Sequence[str]) -> list[str]:
        """What is shown of those that are not shown to be worse than the first; then pairs of the group with others."""
        words, lines = self.words, []
        by: dict[str, list[Pair]] = {}
        for name in (name for name in rest if name not in group):
            shown = [pair for other in self.names if (pair := self._of(other, name)).is_shown and pair.b == name]
            by.setdefault(shown[0].a, []).append(shown[0])
        lines += [f"{words.owned(name)} is {words.pairs(pairs)}" for name, pairs in by.items()]
        open_to: dict[tuple[str, ...], list[str]] = {}
        for name in group or [first]:
            others = tuple(o for o in self.names if o not in {*group, name} and not self._of(name, o).is_shown)
            open_to.setdefault(others, []).append(name)
            self.unshown += [self._of(name, other) for other in others]
        for others, names in open_to.items():
            if others:
                few, many = sorted((names, others), key=len)
                lines.append(f"no difference shown between {words.any_of(few)} and {words.any_of(many)}")
        return lines

    def _group(self, group: Sequence[str], more: str) -> str:
        """The names that no test separates, and the interval of the first and the last."""
        words = self.words
        pairs = [self._of(a, b) for a, b in itertools.combinations(group, 2)]
        ends = self._of(group[0], group[-1])
        of = f"{ends.a} and {ends.b}: " if len(group) > 2 else ""
        names, interval = words.several(group), f"({of}{words.ci(ends)})"
        if self.margin is not None and all(pair.is_within(self.margin) for pair in pairs):
            return f"{names} are equivalent in {words.measure} within {self.margin:g} % {interval}{more}"
        self.unshown += pairs
        return f"no difference in {words.measure} shown between {names} {interval}{more}"

    def _left_out(self) -> list[str]:
        return [f"{self.words.several(self.untested)}: too few shared seeds"] if self.untested else []

    def _ahead(self, name: str) -> list[Pair]:
        """Pairs in which a name is shown to be the better one, in the order of the ranks of the others."""
        return [
            pair
            for other in self.names
            if other != name and (pair := self._of(name, other)).is_shown and pair.a == name
        ]

    def _of(self, one: str, other: str) -> Pair:
        return self.by[frozenset((one, other))]

    def _ranked(self, names: Sequence[str]) -> list[str]:
        """The better ones first, by how many others each is ahead of in the mean."""
        return sorted(names, key=lambda name: -sum(pair.a == name for pair in self.by.values()))


def _all_tested(names: Sequence[str], by: Mapping[frozenset[str], Pair]) -> list[str]:
    """As many names as have a test with every other."""
    kept = list(names)
    while True:
        missing = {a: sum(frozenset((a, b)) not in by for b in kept if b != a) for a in kept}
        worst = max(kept, key=lambda name: missing[name], default=None)
        if worst is None or not missing[worst]:
            return kept
        kept.remove(worst)


def _over_axes(field: Field, words: Words, margin: float | None) -> tuple[list[str], list[tuple[Pair, str]]]:
    """A sentence for each combination of the other axes, and the pairs that sentences say no difference is shown of."""
    along = field.along
    assert along is not None
    groups: dict[Setting, list[int]] = {}
    for place in field.places:
        rest = tuple((key, value) for key, value in field.settings[place] if key != along)
        groups.setdefault(rest, []).append(place)
    if len(groups) > SPELLED:
        groups = {(): field.places}
    lines, named = [], []
    for rest, places in groups.items():
        found = _Along(words, field, places, margin)
        head = _head(tuple((key, value) for key, value in rest if len(field.axes[key]) > 1))
        lines.append(sentence(f"{head}{found.text()}"))
        named += found.unshown
    return lines, named


class _Along:
    """A sentence over settings along an axis: one of what is compared against every other."""

    def __init__(self, words: Words, field: Field, places: Sequence[int], margin: float | None) -> None:
        self.words, self.field, self.places, self.margin = words, field, places, margin
        self.by = {
            place: {frozenset((p.a, p.b)): p for p in field.tests.at[place] if p.p_adjusted is not None}
            for place in places
        }
        self.unshown: list[tuple[Pair, str]] = []

    def text(self) -> str:
        """The sentence without its end; fills `unshown`."""
        names = [name for name in self.field.names if any(name in key for at in self.by.values() for key in at)]
        every = [pair for at in self.by.values() for pair in at.values()]
        shown = [pair for pair in every if pair.is_shown]
        if not shown:
            return self._none(names)

        def rank(name: str) -> tuple[int, int, int]:
            return (
                sum(pair.a == name for pair in shown),
                -sum(pair.b == name for pair in shown),
                sum(pair.a == name for pair in every),
            )

        first = max(names, key=rank)
        signs = {other: self._signs(first, other) for other in names if other != first}
        leads = [i for i, _ in enumerate(self.places) if all(sign[i] == "+" for sign in signs.values())]
        alike: dict[tuple[str, ...], list[str]] = {}
        for other, sign in signs.items():
            alike.setdefault(sign, []).append(other)
        head = f"{self.words.one(first)} leads{self._where(leads)}: {self.words.measure}" if leads else ""
        differing = {sign: others for sign, others in alike.items() if {"+", "-"} & {*sign}}
        spelled = [*differing.items()][: len(differing) if len(differing) <= PATTERNS else NAMED]
        parts = [part for sign, others in spelled for part in self._parts(first, others, sign, leads)]
        more = sum(map(len, differing.values())) - sum(len(others) for _, others in spelled)
        parts += [f"differs from {more} more at some settings"] if more else []
        text = "; ".join(parts) if len(alike) == 1 else listed(parts)
        level = [other for sign, others in alike.items() if sign not in differing and "0" in sign for other in others]
        self.unshown += [
            (pair, self._at(i))
            for i, place in enumerate(self.places)
            for other in signs
            if (pair := self.by[place].get(frozenset((first, other)))) is not None and not pair.is_shown
        ]
        return f"{head or f'{self.words.owned(first)} is'} {text}{self._end(first, differing, level)}"

    def _none(self, names: Sequence[str]) -> str:
        """No test shows a difference."""
        pairs = [(pair, self._at(i)) for i, place in enumerate(self.places) for pair in self.by[place].values()]
        every = self._where(range(len(self.places)))
        if len(pairs) < len(self.places) * len(names) * (len(names) - 1) // 2:
            every += ", where both have values"
        if self.margin is not None and all(pair.is_within(self.margin) for pair, _ in pairs):
            return f"{self.words.several(names)} are equivalent in {self.words.measure} within {self.margin:g} %{every}"
        self.unshown += pairs
        return f"no difference in {self.words.measure} shown between {self.words.several(names)}{every}"

    def _parts(self, first: str, others: Sequence[str], sign: Sequence[str], leads: Sequence[int]) -> list[str]:
        """How far the first is above and below others that it differs from at the same settings."""
        found = []
        for mark in "+-":
            at = [i for i, one in enumerate(sign) if one == mark]
            if at:
                found.append(f"{self._span(first, others, at)}{'' if at == leads else self._where(at)}")
        return found

    def _end(self, first: str, differing: Mapping[tuple[str, ...], list[str]], level: Sequence[str]) -> str:
        """What is not shown."""
        parts = []
        if level:
            pairs = [at[key] for at in self.by.values() for other in level if (key := frozenset((first, other))) in at]
            is_small = self.margin is not None and all(pair.is_within(self.margin, len(level)) for pair in pairs)
            to, where_both = self.words.several(level), ""
            if len(pairs) < len(self.places) * len(level):
                where_both = ", where both have values"
            said = f"{to} equivalent within {self.margin:g} %" if is_small else f"no difference shown to {to}"
            parts.append(f"{said}{where_both}")
        some = [sign for sign in differing if "0" in sign]
        if some and len(differing) == 1:
            at = [i for i, one in enumerate(some[0]) if one == "0"]
            parts.append(f"{self._where(at).strip()}, no difference shown")
        elif some:
            parts.append("elsewhere no difference shown")
        return "".join(f"; {part}" for part in parts)

    def _span(self, first: str, others: Sequence[str], at: Sequence[int]) -> str:
        return self.words.span([self._pair(i, first, other) for i in at for other in others], first, others)

    def _pair(self, i: int, one: str, other: str) -> Pair:
        return self.by[self.places[i]][frozenset((one, other))]

    def _signs(self, first: str, other: str) -> tuple[str, ...]:
        """At each setting: whether the first is shown to be better, worse, neither, or is not tested."""
        found = [self.by[place].get(frozenset((first, other))) for place in self.places]
        return tuple("?" if p is None else "0" if not p.is_shown else "+" if p.a == first else "-" for p in found)

    def _where(self, chosen: Sequence[int]) -> str:
        return _where(self.field, [self.places[i] for i in chosen], self.places)

    def _at(self, i: int) -> str:
        return f" at {_head(self.field.settings[self.places[i]])[:-2]}"


def _where(field: Field, chosen: Sequence[int], among: Sequence[int] | None = None) -> str:
    """Settings in words, with a space before them; nothing where there is one setting."""
    among = field.places if among is None else among
    along = field.along
    if along is None or not chosen:
        return ""
    values = [dict(field.settings[place])[along] for place in among]
    if len(set(map(repr, values))) < len(values):  # several axes at once
        return (
            f" at all {len(among)} settings"
            if len(chosen) == len(among)
            else f" at {len(chosen)} of {len(among)} settings"
        )
    if along == TRANSPORT:
        names = [word_of(dict(field.settings[place])[along]) for place in chosen]
        return f" with all {len(names)} transports" if len(names) == len(among) > 2 else f" with {listed(names)}"
    return f" {where(axis_words(along), values, [among.index(place) for place in chosen])}"


def _hidden(words: Words, named: Sequence[tuple[Pair, str]], field: Field) -> list[str]:
    """Pairs that sentences say no difference is shown of, where the adjustment alone keeps it from being shown."""
    found = sorted(((p, at) for p, at in named if p.is_hidden), key=lambda one: one[0].paired.p_of_none or 0.0)
    if not found:
        return []
    parts = [
        f"{words.one(pair.a)} {words.direction(pair)} {pair.b}{at} "
        f"(p = {_below(pair.paired.p_of_none or 0.0)}, adjusted {pair.p_adjusted:.2g})"
        for pair, at in found[:NAMED]
    ]
    more = [f"{len(found) - NAMED} more"] if len(found) > NAMED else []
    tests = field.tests.tests + sum(pair.p_adjusted is not None for pair in field.tests.means)
    return [f"p is below {ALPHA:g} only without the adjustment for {tests} tests: {listed([*parts, *more])}."]


def _below(p: float) -> str:
    """A p value below `ALPHA` with as many digits as show it."""
    text = f"{p:.2g}"
    return text if float(text) < ALPHA else f"{p:.4g}"


def _all(field: Field) -> str:
    """The settings that means are over."""
    several = [key for key, values in field.axes.items() if len(values) > 1]
    is_whole = len(field.tests.over) == len(field.settings)
    words = "transports" if several[:1] == [TRANSPORT] else axis_words(several[0])
    return words if len(several) == 1 and is_whole else f"{len(field.tests.over)} settings"


def _head(at: Setting) -> str:
    """A setting before a sentence."""
    words = ", ".join(
        word_of(value) if key == TRANSPORT else f"{axis_words(key)} = {word_of(value)}" for key, value in at
    )
    return f"{words}: " if at else ""
