"""A study as data: scenarios with axes, figures, and the checks that judge claims."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Protocol

from hoplab.base.errors import InputError, UsageError
from hoplab.figures import Figure
from hoplab.report.model import Item, ReportTable
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.sweeping.runner import Runner
from hoplab_studies.shared.claims import nearest
from hoplab_studies.shared.verdict import Condition

DEFAULT = "default"
"""Name of the series with the study's assumptions."""

Axes = Mapping[str, tuple[Any, ...]]
Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Variation:
    """One changed assumption: a series on the same points and seeds.

    Attributes
    ----------
    assumption : str
        The change, as text: ``AODV in place of static routes``.
    changes : mapping
        Scenario keys and their values, as for `Scenario.with_`.
    axes : mapping
        Axes with other or fewer values than in the part.
    reuse : mapping
        Axis values whose points, which the change does not affect, are taken from the default series: its own are
        then executed for the rest alone.
    """

    name: str
    assumption: str
    changes: Mapping[str, object]
    axes: Axes = field(default_factory=dict)
    reuse: Axes = field(default_factory=dict)

    def over(self, axes: Axes) -> Variation:
        """The same on these axes, too; axes of its own stay."""
        return replace(self, axes={**axes, **self.axes})

    def along(self, name: str, assumption: str, *others: Variation) -> Variation:
        """One series with these changes and those of others."""
        changes = {key: value for one in (self, *others) for key, value in one.changes.items()}
        return Variation(name, assumption, changes)


class OtherRunner(Runner, Protocol):
    """What makes the runs of a part in place of the engine alone.

    Attributes
    ----------
    run_s : float
        About the CPU time of a run, s.
    """

    run_s: float

    def require(self) -> None:
        """Raise an error that names the remedy if something is missing."""


@dataclass(frozen=True)
class Part:
    """A scenario over axes, with variations.

    Attributes
    ----------
    axes : mapping
        Values by scenario key; keys separated by commas share a value.
    alone : bool
        Whether each flow is also run in isolation, on every point and seed: unfairness U needs it.
    runner : OtherRunner, optional
        What makes the runs; the engine by default.
    """

    name: str
    scenario: Scenario
    axes: Axes
    variations: tuple[Variation, ...] = ()
    series_interval_s: float | None = None
    alone: bool = False
    runner: OtherRunner | None = None

    @property
    def series(self) -> tuple[Variation, ...]:
        """The default and each variation."""
        return (Variation(DEFAULT, "", {}), *self.variations)

    def axes_of(self, series: Variation) -> Axes:
        """The axes of one series."""
        return {**self.axes, **series.axes}

    def without(self, names: Collection[str]) -> Part:
        """The part without some of its variations."""
        return replace(self, variations=tuple(one for one in self.variations if one.name not in names))

    def only(self, names: Collection[str]) -> Part:
        """The part with some of its variations alone."""
        return replace(self, variations=tuple(one for one in self.variations if one.name in names))


@dataclass(frozen=True)
class Grid:
    """The runs of one part under one series of assumptions.

    Attributes
    ----------
    alone : tuple of Grid
        Runs of each flow in isolation, by flow; empty unless the part has `alone`.
    """

    axes: Axes
    points: Mapping[Settings, Runs]
    alone: tuple[Grid, ...] = ()

    def at(self, **where: Any) -> Runs:
        """The runs of one point, axes by the last part of their key: ``at(transport="vegas", hops=8)``.

        Raises
        ------
        InputError
            If there is not exactly one such point.
        """
        found = [
            runs
            for setting, runs in self.points.items()
            if all({short(key): value for key, value in setting}[name] == v for name, v in where.items())
        ]
        if len(found) != 1:
            raise InputError(f"{len(found)} points at {where}: expected one")
        return found[0]

    def over(self, default: Grid, reuse: Axes) -> Grid:
        """These points, and those of the default series with the axis values of `reuse`.

        Both have the other axes' values of this grid.
        """
        wanted = {**self.axes, **reuse}
        kept = {
            setting: runs
            for setting, runs in default.points.items()
            if all(value in wanted[_axis_of(wanted, key)] for key, value in setting)
        }
        axes = {key: tuple(dict.fromkeys((*reuse.get(key, ()), *values))) for key, values in self.axes.items()}
        pairs = zip(self.alone, default.alone, strict=True)
        return Grid(axes, {**kept, **self.points}, tuple(own.over(other, reuse) for own, other in pairs))

    def values(self, axis: str) -> tuple[Any, ...]:
        """The values of an axis, by the last part of its key."""
        return next(values for key, values in self.axes.items() if axis in map(short, key.split(",")))


Grids = Mapping[tuple[str, str], Grid]
"""The runs of a study, by part and series."""


def _axis_of(axes: Axes, key: str) -> str:
    """The axis that sets a key; several keys may share one."""
    return next(axis for axis in axes if key in axis.split(",") or key == axis)


def short(key: str) -> str:
    """The last part of a scenario key: ``hops`` of ``topology.hops``."""
    return key.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Shown:
    """A figure of the paper.

    Attributes
    ----------
    name : str
        As on the command line: ``fig6``.
    part : str
        The part whose runs it shows; empty if it needs no runs or is not supported.
    axes : mapping
        Axes with fewer values than in the part.
    draw : callable
        Draws the figures from the default series of the part and of `also`.
    also : tuple of str
        Further parts of the figure or its claims.
    """

    name: str
    title: str
    part: str = ""
    axes: Axes = field(default_factory=dict)
    draw: Callable[..., Sequence[Figure]] | None = None
    also: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts of the figure."""
        return (self.part, *self.also) if self.part else ()


@dataclass(frozen=True)
class Margin:
    """Where the truth lies at the margin of a claim that two values are alike.

    Attributes
    ----------
    where : mapping
        Points, by the last part of an axis's key; every point if empty.
    factor : float
        Their numbers, over those of all other points.
    numbers : tuple of str
        Fields of flows, or of estimates.
    flows : tuple of int
        Flows that it applies to; all if empty.
    part : str
        The part; every part of the check if empty.
    """

    where: Mapping[str, Any]
    factor: float
    numbers: tuple[str, ...] = ("goodput_bps", "unique_bps", "throughput_bps")
    flows: tuple[int, ...] = ()
    part: str = ""


@dataclass(frozen=True)
class Check:
    """Evaluates conditions of one claim on the runs of one part; a claim about several parts has several checks.

    Attributes
    ----------
    test : callable
        From the part's grid to conditions; the grids of the parts in `also` follow it.
    also : tuple of str
        Parts evaluated together with the first; in a variation, those that have it.
    sensitivity : str
        The most influential assumption, as text.
    beside : tuple of str
        Reference parts; their grids come last. A part without the variation contributes its default series.
    readings : tuple of (str, callable)
        Other measures on the same runs: their description and test.
    on_series : tuple of (str, str, callable)
        Series name, description and test. Parts without that series contribute their default series.
    margins : tuple of Margin
        Of a claim that nothing differs: the least difference that it denies. With it, as without any difference in all
        other claims, "reproduced" must come in at most 5 % of draws (tests/python/studies).
    """

    claim: str
    part: str
    sensitivity: str
    test: Callable[..., Sequence[Condition]]
    also: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    readings: tuple[tuple[str, Callable[..., Sequence[Condition]]], ...] = ()
    on_series: tuple[tuple[str, str, Callable[..., Sequence[Condition]]], ...] = ()
    margins: tuple[Margin, ...] = ()


@dataclass(frozen=True)
class Study:
    """A paper's parts, figures, checks and assumptions."""

    paper: str
    parts: tuple[Part, ...]
    figures: tuple[Shown, ...]
    checks: tuple[Check, ...]
    assumptions: tuple[Item, ...]
    tables: Callable[[Grids], Sequence[ReportTable]]
    """Tables of numbers, from the runs by part and series."""
    missing: tuple[str, ...] = ()
    """Parts of claims that the engine does not support."""
    notes: Callable[[Grids], Sequence[str]] | None = None
    """Further sentences of the summary, from the runs by part and series."""
    full_seeds: int | None = None
    """Seeds of --full, if the paper states a number; None for the default."""

    def figure(self, name: str) -> Shown:
        """A figure by name: ``fig6``, ``6`` or ``figure-6``.

        Raises
        ------
        UsageError
            If the name is unknown; the message lists the figures.
        """
        known = [shown.name for shown in self.figures]
        digits = "".join(c for c in name if c.isdigit())
        plain = f"fig{digits}" if name.lower().strip("0123456789 .-_") in {"", "fig", "figure"} else name.lower()
        if plain not in known and digits:
            near = get_close_matches(plain, known, n=3) or known[:1]
            message = f"unknown figure {name!r} of {self.paper}, expected {', '.join(known)}"
            raise UsageError(message, hint=f"did you mean {' or '.join(near)}?")
        nearest(plain, known, "figure")
        return next(shown for shown in self.figures if shown.name == plain)

    def alone(self) -> Study:
        """The study without variations, which explain differences."""
        return self.without(self.series)

    @property
    def series(self) -> tuple[str, ...]:
        """Names of the variations of all parts, each once."""
        return tuple(dict.fromkeys(one.name for part in self.parts for one in part.variations))

    def without(self, names: Collection[str]) -> Study:
        """The study without some of its variations."""
        return replace(self, parts=tuple(part.without(names) for part in self.parts))

    def narrowed(self, shown: Shown | None) -> tuple[Part, ...]:
        """Parts of one figure, or all."""
        if shown is None:
            return self.parts
        return tuple(replace(part, axes={**part.axes, **shown.axes}) for part in self.parts if part.name in shown.parts)
