"""Differences between transports, values of an axis, or runs that have names: pairs and the headline."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as field_
from typing import Any

from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import metric_of
from hoplab.base.table import Table
from hoplab.running.answers.families import families_of, families_sentences
from hoplab.running.answers.headline import TRANSPORT, Field, Setting, adjusted_by, delay_sentence, sentences
from hoplab.running.answers.phrases import Words, axis_words
from hoplab.running.runs import Runs
from hoplab.stats import Pair, pairwise

GOODPUTS = ("goodput_bps", "unique_bps", "own_goodput_bps")
"""Measures beside which a headline has delay."""


@dataclass(frozen=True)
class Differences:
    """What is compared, with its runs at every setting of the other axes.

    Attributes
    ----------
    names : tuple of str
        What is compared.
    axes : mapping
        The other axes by key, with their values.
    cells : tuple of tuple of Runs
        By setting, in the order of `settings`, and by name.
    what : str
        The axis whose values are compared; empty where names say what they are.
    transports : mapping
        Where transports are compared: the name of each.
    """

    names: tuple[str, ...]
    axes: Mapping[str, tuple[Any, ...]]
    cells: tuple[tuple[Runs, ...], ...]
    what: str = ""
    transports: Mapping[str, str] = field_(default_factory=dict)
    _fields: dict[str, Field] = field_(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Every combination of values of the other axes."""
        return tuple(tuple(zip(self.axes, values, strict=True)) for values in itertools.product(*self.axes.values()))

    def headline(self, metric: str = "goodput_bps", *, margin: float | None = None) -> str:
        """What may be said of a metric: sentences in which every pair was tested.

        Parameters
        ----------
        metric : str
            A metric of which more or less is better.
        margin : float, optional
            Percent: pairs whose 95 % interval of the relative difference is inside it are called equivalent.

        Raises
        ------
        InputError
            If neither more nor less of the metric is better.
        UsageError
            If the margin is not above 0 and below 100.
        """
        return "\n".join(self.lines(metric, margin=margin))

    def lines(self, metric: str = "goodput_bps", *, margin: float | None = None) -> list[str]:
        """`headline` by sentence."""
        if margin is not None and not 0.0 < margin < 100.0:
            raise UsageError(f"margin {margin:g} %: expected above 0 and below 100", hint="such as 5")
        if len(self.names) < 2:
            return []
        spec = metric_of(metric)
        if spec.better is None:
            raise InputError(
                f"{spec.name}: a headline is not supported, neither more nor less of it is better",
                hint="pairs() has its differences; a headline is about a measure such as goodput_bps or delay_mean_s",
            )
        field = self.field(spec.name)
        words = Words(spec, axis_words(self.what))
        found = sentences(field, words, margin)
        if not found:
            return [f"{spec.label}: no run has a value, so nothing is compared."]
        delay = metric_of("delay_mean_s")
        if spec.name in GOODPUTS:
            found += delay_sentence(self.field(delay.name), Words(delay, axis_words(self.what)))
        if all(families_of(self.transports)):
            pairs = field.tests.means or [pair for place in field.places[:1] for pair in field.tests.at[place]]
            found += families_sentences(self.transports, pairs, words, is_delayed=self._is_delayed())
        if field.tests.tests > 1:
            found.append(adjusted_by(field.tests.tests, len(field.tests.means)))
        return found

    def pairs(self, metric: str = "goodput_bps") -> Table:
        """One row per setting and pair.

        Columns: the other axes, `a` (the better mean) and `b`, `percent` of `a` above `b` with its 95 % interval `low`
        to `high`, `difference` with `difference_low` and `difference_high` in the unit of the metric, `p`, `p_holm`
        (adjusted for all tests), `n`, and `verdict`.
        """
        return Table.from_rows(self._rows(metric), [*self._columns.values(), *COLUMNS])

    def means(self, metric: str = "goodput_bps") -> Table:
        """One row per pair of means over the settings, each of which weighs alike; columns as in `pairs`.

        The unit of `difference` is the mean of all.
        """
        return Table.from_rows([_row(pair) for pair in self.field(metric).tests.means], COLUMNS)

    def field(self, metric: str) -> Field:
        """The tests of a metric; more of it ranks first where neither more nor less is better."""
        spec = metric_of(metric)
        if spec.name not in self._fields:
            cells = [
                {name: by for name, runs in zip(self.names, row, strict=True) if (by := _by_seed(runs, spec.name))}
                for row in self.cells
            ]
            tests = pairwise(cells, spec.better or "high")
            self._fields[spec.name] = Field(self.names, self.axes, self.settings, tests)
        return self._fields[spec.name]

    def renamed(self, words: Mapping[str, str]) -> Differences:
        """The same with other words for transports."""
        transports = {transport: words.get(name, name) for transport, name in self.transports.items()}
        names = tuple(words.get(name, name) for name in self.names) if transports else self.names
        axes = {
            key: tuple(words.get(value, value) for value in values) if key == TRANSPORT else values
            for key, values in self.axes.items()
        }
        return replace(self, names=names, axes=axes, transports=transports)

    def to_json(self, metric: str = "goodput_bps", *, margin: float | None = None) -> str:
        """The headline and every pair as one JSON object."""
        found = {
            "metric": metric,
            "between": self.what or TRANSPORT,
            "headline": self.lines(metric, margin=margin),
            "pairs": self._rows(metric),
            "means": [_row(pair) for pair in self.field(metric).tests.means],
        }
        return json.dumps(found) + "\n"

    def _is_delayed(self) -> bool:
        """Whether one-way agents have delayed acknowledgments."""
        return any(runs.scenario.resolve().data.get("tcp", {}).get("delayed_ack") for runs in self.cells[0])

    @property
    def _columns(self) -> dict[str, str]:
        return column_names(self.axes)

    def _rows(self, metric: str) -> list[dict[str, Any]]:
        field = self.field(metric)
        return [
            {**{self._columns[key]: value for key, value in field.settings[place]}, **_row(pair)}
            for place, pairs in enumerate(field.tests.at)
            for pair in pairs
        ]

    def __str__(self) -> str:
        return self.headline()


COLUMNS = (
    "a",
    "b",
    "percent",
    "low",
    "high",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "p_holm",
    "n",
    "verdict",
)
"""Columns of pairs, after those of axes."""


def differences(named: Mapping[str, Runs]) -> Differences:
    """Compare runs that have names, such as those of the same scenario with several keys changed.

    Parameters
    ----------
    named : mapping of str to Runs
        Two or more, on the same seeds.

    Raises
    ------
    UsageError
        If there are fewer, or no seed is that of all.
    """
    if len(named) < 2:
        raise UsageError("differences: expected runs under two names or more", hint='such as {"before": a, "after": b}')
    shared = set.intersection(*({*runs.seeds} for runs in named.values()))
    if not shared:
        raise UsageError(
            "differences: no seed is shared, pairs need the same seeds", hint="pass the same seeds to each"
        )
    return Differences(tuple(named), {}, (tuple(named.values()),))


def column_names(axes: Iterable[str]) -> dict[str, str]:
    """Column of each axis: the last part of its key where that is unique, else the whole key."""
    last = {key: key.rsplit(".", 1)[-1] for key in axes}
    return {key: short if [*last.values()].count(short) == 1 else key for key, short in last.items()}


def _by_seed(runs: Runs, metric: str) -> dict[int, float]:
    return {run.seed: value for run in runs if (value := run.value(metric)) is not None}


def _row(pair: Pair) -> dict[str, Any]:
    """A pair as a row; relative difference in percent, and the words of the headline's verdict."""
    percent, difference = pair.percent, pair.paired.difference
    return {
        "a": pair.a,
        "b": pair.b,
        **{key: getattr(percent, key, None) for key in ("low", "high")},
        "percent": getattr(percent, "mean", None),
        "difference": difference.mean,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "p": pair.paired.p_of_none,
        "p_holm": pair.p_adjusted,
        "n": pair.paired.n,
        "verdict": pair.verdict,
    }
