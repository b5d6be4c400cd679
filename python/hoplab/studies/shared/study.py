"""A study as data: scenarios with axes, figures, and the checks that judge claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from hoplab.base.errors import InputError, UsageError
from hoplab.figures import Figure
from hoplab.report.model import Item, ReportTable
from hoplab.running.runs import Runs
from hoplab.studies.shared.claims import nearest
from hoplab.studies.shared.verdict import Condition

DEFAULT = "default"
"""Name of the series that makes the study's own assumptions."""

Axes = Mapping[str, tuple[Any, ...]]
Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Variation:
    """One assumption replaced by another; a series of its own, run on the same points and seeds.

    Attributes
    ----------
    assumption : str
        What holds here in place of the default, for a reader: ``AODV in place of static routes``.
    changes : mapping
        Scenario keys and their values, as for `Scenario.with_`.
    axes : mapping
        Axes of the part that need fewer values here: the ends are enough where a claim is about the ends.
    """

    name: str
    assumption: str
    changes: Mapping[str, object]
    axes: Axes = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A scenario over axes, and the assumptions to vary.

    Attributes
    ----------
    axes : mapping
        Values by scenario key; several keys with commas between them get the same value.
    alone : bool
        Whether every flow is also run as the only one, on every point and seed: unfairness U needs it.
    """

    name: str
    text: str
    axes: Axes
    variations: tuple[Variation, ...] = ()
    series_interval_s: float | None = None
    alone: bool = False

    @property
    def series(self) -> tuple[Variation, ...]:
        """The default and each variation."""
        return (Variation(DEFAULT, "", {}), *self.variations)

    def axes_of(self, series: Variation) -> Axes:
        """The axes of one series."""
        return {**self.axes, **series.axes}


@dataclass(frozen=True)
class Grid:
    """The runs of one part under one series of assumptions.

    Attributes
    ----------
    alone : tuple of Grid
        The same points with one flow alone, by the number of the flow; empty where the part does not ask for it.
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

    def values(self, axis: str) -> tuple[Any, ...]:
        """The values of an axis, by the last part of its key."""
        return next(values for key, values in self.axes.items() if axis in map(short, key.split(",")))


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
        The part whose runs it shows; empty where its protocols are not there yet, or where it needs no runs.
    axes : mapping
        Axes of the part that this figure needs fewer values of.
    draw : callable
        The figure, or figures, from the part's default series, and from those of `also`.
    also : tuple of str
        Further parts that the figure or its claims need.
    """

    name: str
    title: str
    part: str = ""
    axes: Axes = field(default_factory=dict)
    draw: Callable[..., Sequence[Figure]] | None = None
    also: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to run for it."""
        return (self.part, *self.also) if self.part else ()


@dataclass(frozen=True)
class Check:
    """Turns runs of one part into conditions of one claim; a claim about several parts has a check for each.

    Attributes
    ----------
    test : callable
        From the part's grid to conditions; the grids of the parts in `also` follow it.
    also : tuple of str
        Parts that are judged together with the first. In a series of the first, those that have it, too.
    sensitivity : str
        The assumption that decides most, in a few words.
    beside : tuple of str
        Parts that this one is compared with; their grids come last. One without the series that is judged gives its
        default.
    readings : tuple of (str, callable)
        Other readings of the same runs: what is read in place of the default, for a reader, and the test.
    on_series : tuple of (str, str, callable)
        A series by its name, what is assumed and read there, for a reader, and the test. Parts without that series give
        their default, the first one, too.
    """

    claim: str
    part: str
    sensitivity: str
    test: Callable[..., Sequence[Condition]]
    also: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    readings: tuple[tuple[str, Callable[..., Sequence[Condition]]], ...] = ()
    on_series: tuple[tuple[str, str, Callable[..., Sequence[Condition]]], ...] = ()


@dataclass(frozen=True)
class Study:
    """All that is needed to re-run a paper."""

    paper: str
    parts: tuple[Part, ...]
    figures: tuple[Shown, ...]
    checks: tuple[Check, ...]
    assumptions: tuple[Item, ...]
    tables: Callable[[Mapping[tuple[str, str], Grid]], Sequence[ReportTable]]
    """Tables of numbers, from the runs by part and series."""
    missing: tuple[str, ...] = ()
    """What the ledger asks for and the engine cannot run."""
    notes: Callable[[Mapping[tuple[str, str], Grid]], Sequence[str]] | None = None
    """What the summary says beyond the verdicts, from the runs by part and series."""
    full_seeds: int | None = None
    """Seeds of the full form, where the paper says how many; None for the usual number."""

    def figure(self, name: str) -> Shown:
        """A figure by name: ``fig6``, ``6`` or ``figure-6``.

        Raises
        ------
        UsageError
            If the paper has none of that name; the message lists those it has.
        """
        known = [shown.name for shown in self.figures]
        digits = "".join(c for c in name if c.isdigit())
        plain = f"fig{digits}" if name.lower().strip("0123456789 .-_") in {"", "fig", "figure"} else name.lower()
        if plain not in known and digits:
            near = get_close_matches(plain, known, n=3) or known[:1]
            message = f"{self.paper} has no figure {name!r} in its study; there are {', '.join(known)}"
            raise UsageError(message, hint=f"did you mean {' or '.join(near)}?")
        nearest(plain, known, "figure")
        return next(shown for shown in self.figures if shown.name == plain)

    def alone(self) -> Study:
        """The same under its own assumptions only, which can explain no difference."""
        return replace(self, parts=tuple(replace(part, variations=()) for part in self.parts))

    def narrowed(self, shown: Shown | None) -> tuple[Part, ...]:
        """The parts to run for one figure, or all."""
        if shown is None:
            return self.parts
        return tuple(replace(part, axes={**part.axes, **shown.axes}) for part in self.parts if part.name in shown.parts)
