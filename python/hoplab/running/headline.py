"""What a comparison permits to say: which transport leads by how much, or that no difference is shown."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.table import Table
from hoplab.figures.titles import axis_title
from hoplab.stats import Interval, Paired, holm, paired

if TYPE_CHECKING:
    from hoplab.running.comparing import Comparison

ALPHA = 0.05
"""Adjusted p value below which a difference is shown."""
SPELLED = 12
"""Settings of the axes that have a sentence each."""
NAMED = 3
"""Transports behind the first that a sentence names."""
DISTINCT_BEYOND = 1.1
"""Distinct payload over goodput in order above which a note states both."""

Setting = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Pair:
    """Two transports at one setting of the axes, paired by seed.

    Attributes
    ----------
    at : tuple of (str, object)
        Each axis and its value here.
    a, b : str
        Transports as tables name them; `a` has the better mean.
    paired : Paired
        `a` against `b`.
    p_adjusted : float or None
        Of no difference, adjusted by Holm over all pairs of the comparison; None with one seed.
    """

    at: Setting
    a: str
    b: str
    paired: Paired
    p_adjusted: float | None

    @property
    def is_shown(self) -> bool:
        """Whether a difference is shown."""
        return self.p_adjusted is not None and self.p_adjusted < ALPHA

    @property
    def percent(self) -> Interval | None:
        """How far `a` is above `b` in percent of `b`; None where the ratio or an end of its interval is undefined."""
        ratio = self.paired.ratio
        if ratio is None or ratio.low is None or ratio.high is None:
            return None
        ends = [100.0 * (end - 1.0) for end in (ratio.mean, ratio.low, ratio.high)]
        width = (ends[2] - ends[1]) / 2.0
        return replace(ratio, mean=ends[0], half_width=width, low=ends[1], high=ends[2])

    def is_within(self, margin: float) -> bool:
        """Whether the whole 95 % interval of the relative difference is inside a margin in percent."""
        found = self.percent
        return found is not None and _ends(found)[0] > -margin and _ends(found)[1] < margin


def pairs(comparison: Comparison, metric: str = "goodput_bps", names: Mapping[str, str] | None = None) -> list[Pair]:
    """Every two transports at every setting, the better mean first; those without the metric are left out."""
    spec = metric_of(metric)
    words = comparison.names if names is None else names
    found = []
    for setting in comparison.settings():
        means = _ranked(comparison, spec, setting)
        for one, other in itertools.combinations(means, 2):
            values = comparison.shared_values(spec.name, one, other, setting)
            if values[0]:
                found.append(Pair(setting, words[one], words[other], paired(*values), None))
    tested = [pair for pair in found if pair.paired.p_of_none is not None]
    adjusted = iter(holm([p for pair in tested if (p := pair.paired.p_of_none) is not None]))
    return [replace(pair, p_adjusted=None if pair.paired.p_of_none is None else next(adjusted)) for pair in found]


def pair_table(found: Sequence[Pair], columns: dict[str, str]) -> Table:
    """One row per pair; relative difference in percent, and the words of the headline's verdict."""
    rows = []
    for pair in found:
        ends = {key: getattr(pair.percent, key, None) for key in ("mean", "low", "high")}
        verdict = "no interval" if pair.p_adjusted is None else "leads" if pair.is_shown else "no difference shown"
        row = {columns[key]: value for key, value in pair.at}
        row |= {"a": pair.a, "b": pair.b, "percent": ends["mean"], "low": ends["low"], "high": ends["high"]}
        rows.append(
            {**row, "p": pair.paired.p_of_none, "p_holm": pair.p_adjusted, "n": pair.paired.n, "verdict": verdict}
        )
    return Table.from_rows(rows, [*columns.values(), "a", "b", "percent", "low", "high", "p", "p_holm", "n", "verdict"])


def headline(
    comparison: Comparison,
    metric: str = "goodput_bps",
    *,
    margin: float | None = None,
    names: Mapping[str, str] | None = None,
) -> list[str]:
    """Sentences for people: one per setting, then how the tests were adjusted; `names` are other words for transports.

    Raises
    ------
    InputError
        If neither more nor less of the metric is better, or the margin is no percentage above 0.
    """
    spec = metric_of(metric)
    if spec.better is None:
        raise InputError(
            f"{spec.name}: a headline is not supported, neither more nor less of it is better",
            hint="use goodput_bps or delay_mean_s",
        )
    if margin is not None and not 0.0 < margin < 100.0:
        raise UsageError(f"margin {margin:g} %: expected above 0 and below 100", hint="such as 5")
    found = pairs(comparison, metric, names)
    if not found:
        return []
    if all(pair.p_adjusted is None for pair in found):
        return ["One seed: no difference is shown or excluded; use more seeds, such as 10."]
    settings = [setting for setting in comparison.settings() if any(pair.at == setting for pair in found)]
    sentences = [_sentence(spec, [pair for pair in found if pair.at == at], margin) for at in settings]
    lines = [f"{_where(at)}{text}." for at, (text, _) in list(zip(settings, sentences, strict=True))[:SPELLED]]
    lines = [f"N{line[1:]}" if line.startswith("no ") else line for line in lines]
    more = Counter(verdict for _, verdict in sentences[SPELLED:])
    if more:
        counts = ", ".join(f"{verdict} at {count}" for verdict, count in more.most_common())
        lines.append(f"{sum(more.values())} more settings: {counts}.")
    tests = sum(pair.p_adjusted is not None for pair in found)
    if tests > 1:
        lines.append(adjusted_by(tests))
    return lines


def adjusted_by(tests: int) -> str:
    """How several tests were adjusted."""
    return f"Paired t tests of {tests} pairs, p adjusted by Holm; CIs unadjusted."


def headline_metric(shown: Sequence[Metric]) -> Metric:
    """The measure that a table's sentence is about: the first of which more or less is better, or else its first."""
    return next((metric for metric in shown if metric.better is not None), shown[0])


def headline_of(
    comparison: Comparison,
    shown: Sequence[Metric],
    *,
    margin: float | None = None,
    names: Mapping[str, str] | None = None,
) -> list[str]:
    """`headline` about the `headline_metric` of a table; where neither more nor less of it is better, that."""
    spec = headline_metric(shown)
    if spec.better is None:
        return [f"{spec.label}: neither more nor less is better, so no transport leads."]
    return headline(comparison, spec.name, margin=margin, names=names)


def distinct_note(comparison: Comparison) -> str | None:
    """A note where distinct payload and goodput in order differ by more than a tenth; None otherwise."""
    order, distinct = metric_of("goodput_bps"), metric_of("unique_bps")
    apart: dict[str, list[tuple[float, float]]] = {}
    for point in comparison.points:
        means = [found.mean for spec in (order, distinct) if (found := point.runs.interval(spec.name)) is not None]
        if len(means) == 2 and means[1] > DISTINCT_BEYOND * means[0]:
            apart.setdefault(comparison.names[point.transport], []).append((means[0], means[1]))
    if not apart:
        return None
    widest = {name: max(found, key=lambda pair: pair[1] / max(pair[0], 1e-9)) for name, found in apart.items()}
    listed = ", ".join(
        f"{name} {b * distinct.scale:.1f} beside {a * order.scale:.1f} {order.unit}" for name, (a, b) in widest.items()
    )
    return (
        f"Goodput counts payload in order. Distinct payload differs by more than a tenth: {listed}. "
        "A paper that counts arrivals uses the latter: --metrics goodput,distinct."
    )


def _sentence(spec: Metric, found: Sequence[Pair], margin: float | None) -> tuple[str, str]:
    """What may be said at one setting, and the same in few words."""
    first = found[0].a
    behind = [pair for pair in found if pair.a == first]
    shown = [pair for pair in behind if pair.is_shown]
    level = [pair for pair in behind if not pair.is_shown]
    leads = f"{first} leads: {spec.label.lower()} "
    if not level:
        text = leads + _listed(shown, spec)
        is_small = margin is not None and shown[0].is_within(margin)
        return text + (f"; within {margin:g} %" if is_small else ""), f"{first} leads"
    last = level[-1]
    names = _and([first, *(pair.b for pair in level)])
    if margin is not None and all(pair.is_within(margin) for pair in level):
        text, verdict = f"{names} are equivalent within {margin:g} % ({_interval(last, spec)})", "equivalent"
    else:
        of = f"{first} and {last.b}: " if len(level) > 1 else ""
        text, verdict = f"no difference shown between {names} ({of}{_interval(last, spec)})", "no difference shown"
    return text + (f"; {first}'s {spec.label.lower()} is {_listed(shown, spec)}" if shown else ""), verdict


def _listed(shown: Sequence[Pair], spec: Metric) -> str:
    parts = [f"{_by(pair, spec)} {pair.b} ({_interval(pair, spec)})" for pair in shown[:NAMED]]
    more = f"{len(shown) - NAMED} more behind" if len(shown) > NAMED else ""
    return _and([*parts, *([more] if more else [])])


def _by(pair: Pair, spec: Metric) -> str:
    percent = pair.percent
    mean = pair.paired.difference.mean
    word = "above" if mean > 0.0 else "below"
    if percent is None:
        return f"{abs(mean) * spec.scale:.{spec.digits}f} {spec.unit} {word}".replace("  ", " ")
    return f"{abs(percent.mean):.{_digits(percent)}f} % {word}"


def _interval(pair: Pair, spec: Metric) -> str:
    if pair.paired.effect_size is None and pair.paired.difference.mean == 0.0:
        return "equal in every seed"
    found = _ci(pair, spec)
    is_apart = not (pair.is_shown or pair.paired.difference.contains(0.0))
    return f"{found}, p = {pair.p_adjusted:.2g} after Holm" if is_apart else found


def _ci(pair: Pair, spec: Metric) -> str:
    percent = pair.percent
    if percent is not None:
        (low, high), digits = _ends(percent), _digits(percent)
        return f"95 % CI {_signed(low, digits)} to {_signed(high, digits)} %"
    low, high = _ends(pair.paired.difference.scaled(spec.scale))
    ends = f"{_signed(low, spec.digits)} to {_signed(high, spec.digits)}"
    return f"95 % CI {ends} {spec.unit}".rstrip()


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0.0 else text


def _ends(interval: Interval) -> tuple[float, float]:
    low = interval.mean if interval.low is None else interval.low
    return low, interval.mean if interval.high is None else interval.high


def _digits(percent: Interval) -> int:
    return 1 if max(map(abs, _ends(percent))) < 10.0 else 0


def _where(at: Setting) -> str:
    return ", ".join(f"{axis_title(key)} = {value}" for key, value in at) + (": " if at else "")


def _and(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _ranked(comparison: Comparison, spec: Metric, setting: Setting) -> list[str]:
    """Transports with the metric, the best mean first."""
    means = {
        name: found.mean
        for name in comparison.transports
        if (found := comparison.runs_at(name, setting).interval(spec.name)) is not None
    }
    return sorted(means, key=lambda name: means[name], reverse=spec.better != "low")
