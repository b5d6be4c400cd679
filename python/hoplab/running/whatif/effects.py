"""What changes of a scenario do to its results: paired by seed, adjusted for their number, ranked."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hoplab.base.metrics import Metric, metric_of
from hoplab.base.table import Table
from hoplab.running.answers.phrases import in_sentence, signed
from hoplab.stats import ALPHA, Interval, Paired, holm, paired

if TYPE_CHECKING:
    from hoplab.running.runs import Runs
    from hoplab.running.whatif.changes import Change
    from hoplab.scenario.model import Scenario

NAMED = 3
"""Changes of each kind that the headline names."""
VERDICTS = ("helps", "raises", "harms", "lowers")
UNDEFINED = "undefined"
NO_EFFECT = "no effect shown"


@dataclass(frozen=True)
class Variant:
    """The scenario with one thing changed, and its runs."""

    change: Change
    runs: Runs


@dataclass(frozen=True)
class Refused:
    """A change that the engine refuses, and its reason."""

    change: Change
    reason: str


@dataclass(frozen=True)
class Effect:
    """What one change does to a measure.

    Attributes
    ----------
    paired : Paired or None
        With the change against the scenario as given; None where no seed has both values.
    p_adjusted : float or None
        Of no effect, adjusted by Holm over all changes that have one; None with one seed.
    is_identical : bool
        Whether every run has the event sequence that it has without the change.
    cut_off : tuple of int
        Flows of the scenario that get nothing through in any run, and did in one without the change.
    """

    metric: Metric
    variant: Variant
    paired: Paired | None
    p_adjusted: float | None
    is_identical: bool
    cut_off: tuple[int, ...]

    @property
    def change(self) -> Change:
        """What was changed."""
        return self.variant.change

    @property
    def is_shown(self) -> bool:
        """Whether an effect is shown."""
        return self.p_adjusted is not None and self.p_adjusted < ALPHA

    @property
    def verdict(self) -> str:
        """``helps`` or ``harms``; ``raises`` or ``lowers`` a measure of which neither more nor less is better."""
        if self.paired is None:
            return UNDEFINED
        if not self.is_shown:
            return NO_EFFECT
        is_up = self.paired.difference.mean > 0.0
        if self.metric.better is None:
            return "raises" if is_up else "lowers"
        return "helps" if is_up == (self.metric.better == "high") else "harms"

    @property
    def percent(self) -> Interval | None:
        """The difference in percent of the mean without the change; None where it or an end is undefined."""
        return self.paired.percent if self.paired else None

    @property
    def text(self) -> str:
        """The difference with its 95 % interval: in percent, or else in the unit of the measure."""
        if self.paired is None:
            return "-"
        if self.is_identical:
            return "0, equal runs"
        if self.paired.effect_size is None and self.paired.n > 1 and self.paired.difference.mean == 0.0:
            return "0 in every seed"
        shown, unit, digits = self._shown()
        mean = signed(shown.mean, digits) + unit
        if shown.low is None or shown.high is None or shown.low == shown.high:
            return mean
        return f"{mean} ({signed(shown.low, digits)} to {signed(shown.high, digits)})"

    @property
    def by(self) -> str:
        """The difference without its sign, behind "falls by" and "rises by"."""
        shown, unit, digits = self._shown()
        ends = sorted({abs(end) for end in (shown.low, shown.high) if end is not None})
        interval = f" ({ends[0]:.{digits}f} to {ends[1]:.{digits}f})" if len(ends) > 1 else ""
        return f"{abs(shown.mean):.{digits}f}{unit}{interval}"

    def _shown(self) -> tuple[Interval, str, int]:
        """The interval to show, its unit, and digits that show its ends."""
        percent = self.percent
        if percent is None:
            assert self.paired is not None
            return self.paired.difference.scaled(self.metric.scale), f" {self.metric.unit}".rstrip(), self.metric.digits
        width = percent.half_width or 0.0
        is_fine = 0.0 < width < 1.0 or max(abs(percent.mean - width), abs(percent.mean + width)) < 10.0
        return percent, " %", 1 if is_fine else 0


@dataclass(frozen=True)
class WhatIf:
    """Every variant of a scenario with one thing changed, all on the same seeds.

    Attributes
    ----------
    baseline : Runs
        The scenario as given.
    variants : tuple of Variant
        In the order in which they were made.
    refused : tuple of Refused
        Changes that the engine refuses.
    metric : str
        The measure by which `rows`, `headline` and `effects` rank, unless they name another.
    """

    scenario: Scenario
    seeds: tuple[int, ...]
    baseline: Runs
    variants: tuple[Variant, ...]
    refused: tuple[Refused, ...]
    metric: str = "goodput_bps"

    def effects(self, metric: str | None = None) -> list[Effect]:
        """The effect of every change: what helps, what harms, what shows no effect; in each the largest first.

        Raises
        ------
        InputError
            If the metric is unknown.
        """
        spec = metric_of(metric or self.metric)
        pairs = [self._paired(variant, spec.name) for variant in self.variants]
        tested = [pair.p_of_none for pair in pairs if pair and pair.p_of_none is not None]
        adjusted = iter(holm(tested))
        found = [
            Effect(
                spec,
                variant,
                pair,
                next(adjusted) if pair and pair.p_of_none is not None else None,
                self._is_identical(variant),
                self._cut_off(variant),
            )
            for variant, pair in zip(self.variants, pairs, strict=True)
        ]
        order = (*VERDICTS, NO_EFFECT, UNDEFINED)
        return sorted(found, key=lambda one: (order.index(one.verdict), -_size(one)))

    @cached_property
    def rows(self) -> Table:
        """One row per change, ranked by `metric`; see `table`."""
        return self.table()

    def table(self, metric: str | None = None) -> Table:
        """One row per change, ranked.

        Columns: `verdict`, `group`, `change`, `mean`, `difference`, `low`, `high`, `percent`, `percent_low`,
        `percent_high`, `p_holm`, `n`, `is_identical`, `cut_off` (flows that get nothing), `set` (keys as `--set` takes
        them); in SI units.
        """
        rows = [self._row(effect) for effect in self.effects(metric)]
        return Table.from_rows(rows, ROW)

    def headline(self, metric: str | None = None) -> str:
        """What may be said: the changes with the largest effects that are shown, and how many show none."""
        return "\n".join(headline(self.effects(metric), len(self.seeds)))

    @cached_property
    def flows(self) -> Table:
        """One row per change, seed and flow, as `Runs.flows`; `change` is empty for the scenario as given."""
        every = [("", self.baseline), *((variant.change.title, variant.runs) for variant in self.variants)]
        return Table.concat([runs.flows.with_constants({"change": title}) for title, runs in every])

    @property
    def refusals(self) -> Table:
        """One row per refused change: `group`, `change`, `reason`."""
        rows = [{"group": one.change.group, "change": one.change.title, "reason": one.reason} for one in self.refused]
        return Table.from_rows(rows, ("group", "change", "reason"))

    def settings(self, variant: Variant) -> list[str]:
        """The keys of a change as `--set` takes them; none where no key can set it."""
        return [f"{key}={value}" for key, value in variant.runs.scenario.overrides[len(self.scenario.overrides) :]]

    def json_lines(self, metrics: Sequence[str] = ()) -> str:
        """The scenario as given, every change and every refused change: one object per line, in SI units."""
        names = [self.metric, *(name for name in metrics if name != self.metric)]
        head = {"change": None, "seeds": list(self.seeds), "measures": _measures(self.baseline, names)}
        lines: list[dict[str, Any]] = [head]
        for effect in self.effects():
            row = self._row(effect)
            listed = {"cut_off": list(effect.cut_off), "set": self.settings(effect.variant)}
            lines.append({**row, **listed, "metric": self.metric, "measures": _measures(effect.variant.runs, names)})
        lines += [{**row, "verdict": "refused"} for row in self.refusals.rows()]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

    def _row(self, effect: Effect) -> dict[str, Any]:
        pair, percent = effect.paired, effect.percent
        mean = effect.variant.runs.interval(effect.metric.name)
        difference = pair.difference if pair else None
        return {
            "verdict": effect.verdict,
            "group": effect.change.group,
            "change": effect.change.title,
            "mean": mean and mean.mean,
            "difference": difference and difference.mean,
            "low": difference and difference.low,
            "high": difference and difference.high,
            "percent": percent and percent.mean,
            "percent_low": percent and percent.low,
            "percent_high": percent and percent.high,
            "p_holm": effect.p_adjusted,
            "n": pair.n if pair else 0,
            "is_identical": effect.is_identical,
            "cut_off": ",".join(map(str, effect.cut_off)),
            "set": " ".join(self.settings(effect.variant)),
        }

    def _paired(self, variant: Variant, metric: str) -> Paired | None:
        before = {run.seed: run.value(metric) for run in self.baseline}
        shared = [
            (value, there)
            for run in variant.runs
            if (value := run.value(metric)) is not None and (there := before[run.seed]) is not None
        ]
        return paired([a for a, _ in shared], [b for _, b in shared]) if shared else None

    def _is_identical(self, variant: Variant) -> bool:
        return [run.fingerprint for run in variant.runs] == [run.fingerprint for run in self.baseline]

    def _cut_off(self, variant: Variant) -> tuple[int, ...]:
        before, after = (
            {flow.id for run in runs for flow in run.lasting if flow.goodput_bps > 0.0}
            for runs in (self.baseline, variant.runs)
        )
        return tuple(sorted(before - after))

    def __repr__(self) -> str:
        return f"<WhatIf of {self.scenario.name!r}: {len(self.variants)} changes, {len(self.seeds)} seeds>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{effect.verdict}</td><td>{html.escape(effect.change.title)}</td><td>{effect.text}</td></tr>"
            for effect in self.effects()
        )
        return f"<p>{html.escape(self.headline())}</p><table><tbody>{rows}</tbody></table>"


ROW = (
    *("verdict", "group", "change", "mean", "difference", "low", "high"),
    *("percent", "percent_low", "percent_high", "p_holm", "n", "is_identical", "cut_off", "set"),
)
"""Columns of `WhatIf.table`."""


def headline(effects: Sequence[Effect], seeds: int) -> list[str]:
    """What may be said of ranked effects, one sentence each."""
    if not effects:
        return ["Nothing can be changed."]
    if seeds == 1:
        return ["One seed: no effect is shown or excluded; use more seeds, such as 10."]
    found = [_sentence([effect for effect in effects if effect.verdict == verdict]) for verdict in VERDICTS]
    sentences = [sentence for sentence in found if sentence]
    none = sum(effect.verdict == NO_EFFECT for effect in effects)
    if none:
        of = f"{none} of {len(effects)} changes" if none < len(effects) else f"any of {none} changes"
        sentences.append(f"No effect is shown of {of}.")
    return sentences


def _sentence(effects: Sequence[Effect]) -> str:
    """The largest effects of one verdict; empty without any."""
    clauses: list[str] = []
    for effect in effects[:NAMED]:
        assert effect.paired is not None
        verb = "rises" if effect.paired.difference.mean > 0.0 else "falls"
        subject = "it" if clauses else in_sentence(effect.metric)
        clauses.append(f"{effect.change.phrase} {subject} {verb} by {effect.by}")
    if len(effects) > NAMED:
        more, verb = len(effects) - NAMED, effects[0].verdict
        clauses.append(f"{more} more {verb if more == 1 else verb.removesuffix('s')}, by less")
    return f"{_capital('; '.join(clauses))}." if clauses else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _size(effect: Effect) -> float:
    return abs(effect.paired.difference.mean) if effect.paired else 0.0


def _measures(runs: Runs, names: Sequence[str]) -> dict[str, Any]:
    found = {name: runs.interval(name) for name in names}
    return {name: interval and interval.to_dict() for name, interval in found.items()}
