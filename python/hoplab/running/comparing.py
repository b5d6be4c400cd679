"""Run one scenario with several transports, on the same seeds, over any number of axes."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import InputError, UsageError
from hoplab.base.metrics import metric_of
from hoplab.base.numbers import counted
from hoplab.base.suggest import by_likeness
from hoplab.base.table import Table
from hoplab.base.transports import short_names
from hoplab.figures import notebook
from hoplab.figures.build import comparison_figure
from hoplab.figures.distributions import draw_boxes, draw_cdf
from hoplab.figures.draw import draw
from hoplab.figures.relations import draw_against
from hoplab.running.answers import notes
from hoplab.running.answers.differences import Differences, column_names
from hoplab.running.answers.headline import TRANSPORT
from hoplab.running.answers.phrases import word_of
from hoplab.running.execution import Order, run_orders
from hoplab.running.limits import Limits
from hoplab.running.runs import Runs
from hoplab.running.seeds import Seeds, refuse_seed_axis, seeds_of
from hoplab.running.selecting import part_of
from hoplab.scenario import controllers
from hoplab.scenario.model import Scenario
from hoplab.scenario.tomltext import hashable
from hoplab.stats import DEFAULT_LEVEL, Interval, Paired, paired

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hoplab.diagnosis import Finding
    from hoplab.scenario.controllers import Controller


DISTRIBUTIONS = {"box": draw_boxes, "cdf": draw_cdf}
"""Kinds of `Comparison.plot` that show single values."""


@dataclass(frozen=True)
class Point:
    """One transport at one setting of the axes.

    Attributes
    ----------
    at : tuple of (str, object)
        Each axis and its value here.
    """

    transport: str
    at: tuple[tuple[str, Any], ...]
    runs: Runs

    def value(self, axis: str) -> Any:
        """Value of an axis, by its key (``topology.hops``)."""
        return dict(self.at)[axis]


@dataclass(frozen=True)
class Comparison:
    """Every transport at every point, all on the same seeds."""

    scenario: Scenario
    transports: tuple[str, ...]
    axes: Mapping[str, tuple[Any, ...]]
    seeds: tuple[int, ...]
    points: tuple[Point, ...]

    @cached_property
    def names(self) -> dict[str, str]:
        """Each transport as tables name it: a controller by its class."""
        return short_names(self.transports)

    def settings(self) -> list[tuple[tuple[str, Any], ...]]:
        """Every combination of axis values, in order; one empty combination when there is no axis."""
        return list(_settings(self.axes))

    def runs(self, transport: str | type[Controller], **at: Any) -> Runs:
        """Replications of one transport at one point, axes by the last part of their key (``hops=4``).

        A controller may be given as its class or by the name of its class.
        """
        transport = controllers.name_of(transport)
        transport = next((full for full, short in self.names.items() if short == transport), transport)
        for point in self.points:
            if point.transport == transport and all(self._matches(point, name, value) for name, value in at.items()):
                return point.runs
        raise self._nothing_at(transport, at)

    def _nothing_at(self, transport: str, at: Mapping[str, Any]) -> InputError:
        """Why there is no point: a name that was not run, or a value; what was run is listed, the nearest first."""
        where = ", ".join([transport, *(f"{name} = {value}" for name, value in at.items())])
        hint = None
        if transport not in self.transports:
            hint = f"transports that were run: {', '.join(by_likeness(transport, self.transports))}"
        for name, value in at.items():
            values = self.axes[self.axis_key(name)]
            if hint is None and hashable(value) not in values:
                hint = f"values of {name} that were run: {', '.join(by_likeness(str(value), [*map(str, values)]))}"
        return InputError(f"no run at {where}", hint=hint)

    def only(self, transports: Sequence[str | type[Controller]] | None = None, /, **at: Any) -> Comparison:
        """A part of the comparison; no run is executed.

        Parameters
        ----------
        transports : sequence of str or type, optional
            Those that are kept, in the order of the comparison.
        at
            Axes by the last part of their key: a list keeps these values (``hops=[2, 4]``), a value leaves the axis out
            (``hops=4``).

        Raises
        ------
        InputError
            If a transport, an axis or a value was not run.
        """
        return part_of(self, transports, at)

    def index_at(self, transport: str, setting: tuple[tuple[str, Any], ...]) -> int:
        """Position in `points` of one transport at a combination that `settings` gives."""
        return next(i for i, p in enumerate(self.points) if p.transport == transport and p.at == setting)

    def runs_at(self, transport: str, setting: tuple[tuple[str, Any], ...]) -> Runs:
        """Replications of one transport at a combination that `settings` gives."""
        return self.points[self.index_at(transport, setting)].runs

    def interval(self, metric: str, transport: str, *, level: float = DEFAULT_LEVEL, **at: Any) -> Interval | None:
        """Mean and Student-t interval of a metric at one point."""
        return self.runs(transport, **at).interval(metric, level=level)

    @cached_property
    def flows(self) -> Table:
        """One row per point, seed and flow; a column per axis, named by the last part of its key."""
        return Table.concat(
            [
                point.runs.flows.with_constants({"transport": self.names[point.transport], **self._columns(point)})
                for point in self.points
            ]
        )

    @cached_property
    def series(self) -> Table:
        """One row per point, seed, time and flow; columns as in `Runs.series`, with `transport` and the axes."""
        tables = [
            point.runs.series.with_constants({"transport": self.names[point.transport], **self._columns(point)})
            for point in self.points
        ]
        return Table.concat(tables)

    @cached_property
    def goodput_intervals(self) -> Table:
        """One row per point, seed, flow and interval, as `Runs.goodput_intervals`, with `transport` and the axes."""
        tables = [
            point.runs.goodput_intervals.with_constants(
                {"transport": self.names[point.transport], **self._columns(point)}
            )
            for point in self.points
        ]
        return Table.concat(tables)

    def summary(self, metric: str = "goodput_bps", *, level: float = DEFAULT_LEVEL) -> Table:
        """One row per point: `transport`, the axes, `mean`, `half_width`, `low`, `high`, `n`."""
        rows = []
        for point in self.points:
            interval = point.runs.interval(metric, level=level)
            ends = {key: getattr(interval, key, None) for key in ("mean", "half_width", "low", "high")}
            n = 0 if interval is None else interval.n
            rows.append({"transport": self.names[point.transport], **self._columns(point), **ends, "n": n})
        return Table.from_rows(rows)

    def difference(
        self, metric: str, transport: str, baseline: str, *, level: float = DEFAULT_LEVEL, **at: Any
    ) -> Paired:
        """One transport against another, seed by seed: difference, ratio and effect size.

        Raises
        ------
        InputError
            If the metric is undefined in some run, so that the seeds cannot be paired.
        """
        return paired_runs(self.runs(transport, **at), self.runs(baseline, **at), metric, level=level)

    def between(self, key: str | None = None) -> Differences:
        """Differences between transports, or between the values of an axis: pairs, headline.

        Parameters
        ----------
        key : str, optional
            ``"transport"``, or an axis by its key or the last part of it. By default the transports; with one transport
            the first axis of 2 to 20 values.

        Raises
        ------
        InputError
            If there is no such axis.
        """
        compared = self._compared_by_default() if key is None else key
        if compared == TRANSPORT:
            cells = tuple(tuple(self.runs_at(name, at) for name in self.transports) for at in self.settings())
            names = {name: self.names[name] for name in self.transports}
            return Differences(tuple(names.values()), self.axes, cells, transports=names)
        axis = self.axis_key(compared)
        others: dict[str, tuple[Any, ...]] = {name: values for name, values in self.axes.items() if name != axis}
        rows = []
        for transport in self.transports:
            for at in _settings(others):
                places = ({**dict(at), axis: value} for value in self.axes[axis])
                rows.append(tuple(self.runs_at(transport, tuple((k, place[k]) for k in self.axes)) for place in places))
        if len(self.transports) > 1:
            others = {TRANSPORT: tuple(self.names.values()), **others}
        values = tuple(map(word_of, self.axes[axis]))
        transports = dict(zip(values, values, strict=True)) if axis.endswith(".transport") else {}
        return Differences(values, others, tuple(rows), what=axis, transports=transports)

    def _compared_by_default(self) -> str:
        several = [key for key, values in self.axes.items() if 1 < len(values) <= MOST_COMPARED]
        return several[0] if len(self.transports) == 1 and several else TRANSPORT

    def headline(self, metric: str = "goodput_bps", *, margin: float | None = None, between: str | None = None) -> str:
        """What may be said, as `between(...).headline` says it: who leads by how much, or that no difference is shown.

        Parameters
        ----------
        metric : str
            A metric of which more or less is better.
        margin : float, optional
            Percent: pairs whose 95 % interval of the relative difference is inside it are called equivalent.
        between : str, optional
            As for `between`.

        Raises
        ------
        InputError
            If neither more nor less of the metric is better.
        UsageError
            If the margin is not above 0 and below 100.
        """
        return self.between(between).headline(metric, margin=margin)

    def pairs(self, metric: str = "goodput_bps", *, between: str | None = None) -> Table:
        """One row per setting and two transports, or two values of an axis; columns as in `Differences.pairs`."""
        return self.between(between).pairs(metric)

    def plot(  # noqa: PLR0913 (keyword-only but for the first)
        self,
        metric: str = "goodput_bps",
        *,
        over: str | None = None,
        kind: str = "interval",
        labels: Mapping[str, str] | None = None,
        style: str = "screen",
        ax: Axes | None = None,
    ) -> Axes:
        """Draw a metric of every transport.

        Parameters
        ----------
        metric : str
            A column of `flows`, or a short name of `--metrics`.
        over : str, optional
            The axis to draw against; by default the first. Other axes make a curve for each of their values.
        kind : {"interval", "box", "cdf"}
            Means with 95 % intervals; or the distribution over flows and seeds, as a box or as cumulative shares.
        labels : mapping, optional
            Other words for transports, axes (by key) and metrics (by column): ``{"new_reno": "NewReno (RFC 6582)"}``.
        style : {"screen", "paper"}
            ``"paper"``: 3.5 inches wide, 8-point text, no title, legend above the axes, and fonts that publishers
            accept in PDF files.
        ax : Axes, optional
            Where to draw; by default a new figure.

        Raises
        ------
        InputError
            If a metric is not known, or a transport has no value of it (boxes and shares).
        UsageError
            If `kind` or `style` is not known, or `over` is given with a distribution.
        """
        if kind == "interval":
            return draw(comparison_figure(self, metric, over=over, labels=labels), ax=ax, style=style)
        if kind not in DISTRIBUTIONS:
            raise UsageError(f"unknown kind {kind!r}", hint=f"expected one of interval, {', '.join(DISTRIBUTIONS)}")
        if over is not None:
            raise UsageError(f'over: not supported with kind = "{kind}", which draws every point')
        return DISTRIBUTIONS[kind](self, metric, labels, ax, style)

    def plot_against(
        self,
        x: str = "delay_mean_s",
        y: str = "goodput_bps",
        *,
        labels: Mapping[str, str] | None = None,
        style: str = "screen",
        ax: Axes | None = None,
    ) -> Axes:
        """Draw one metric against another.

        Without an axis: a mark per run, and each mean with the ellipse of one standard deviation. With axes: a line per
        transport through its means with 95 % intervals, in the order of the first axis; a line per value of the others.

        Parameters
        ----------
        x : str
            A metric, or an axis: then the metric `y` is drawn over it, as by `plot`.
        y : str
            A metric.
        labels, style, ax
            As for `plot`.

        Raises
        ------
        InputError
            As `plot`.
        UsageError
            For more series than there are colors and markers.
        """
        return draw_against(self, (x, y), labels, ax, style)

    def json_lines(self) -> str:
        """One object per point and seed: a run's object with the point it belongs to under `point`."""
        lines = []
        for point in self.points:
            where = {"transport": point.transport, **dict(point.at)}
            lines += [json.dumps({**json.loads(line), "point": where}) + "\n" for line in point.runs.diagnosed]
        return "".join(lines)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of all points, each once and with the points that it is of, unless it is of all."""
        return notes.warnings_of(self)

    @property
    def diagnosis(self) -> tuple[tuple[str, Finding], ...]:
        """Why flows deliver nothing or almost nothing: each flow and reason once, behind the words for its points."""
        return notes.findings_of(self)

    def axis_key(self, name: str) -> str:
        """The key of an axis, from the key or its last part."""
        if name in self.axes:
            return name
        for key, column in self._column_names.items():
            if column == name:
                return key
        raise InputError(f"unknown axis {name!r}, expected {', '.join(by_likeness(name, list(self.axes))) or 'none'}")

    @cached_property
    def _column_names(self) -> dict[str, str]:
        return column_names(self.axes)

    def _columns(self, point: Point) -> dict[str, Any]:
        return {self._column_names[key]: value for key, value in point.at}

    def _matches(self, point: Point, name: str, value: Any) -> bool:
        return bool(point.value(self.axis_key(name)) == hashable(value))

    def __repr__(self) -> str:
        axes = "".join(f", {len(values)} x {key}" for key, values in self.axes.items())
        seeds = counted(len(self.seeds), "seed")
        return f"<Comparison of {', '.join(self.names.values())} in {self.scenario.name!r}{axes}, {seeds}>"

    def _repr_html_(self) -> str:
        return notebook.comparison_html(self)


def compare(  # noqa: PLR0913 (keyword-only but for the first two)
    scenario: Scenario | str | Path,
    transports: Sequence[str | type[Controller]],
    *,
    over: Mapping[str, Iterable[Any]] | None = None,
    seeds: Seeds = 10,
    threads: int | None = None,
    series_interval_s: float | None = None,
    max_events: int | None = None,
    max_wall_s: float | None = None,
    keep_workloads: bool = False,
    progress: bool | None = None,
) -> Comparison:
    """Run a scenario once per transport, axis value and seed; all transports see the same seeds.

    Parameters
    ----------
    scenario : Scenario, str or Path
        The scenario, or its TOML file; the transport of every flow is replaced.
    transports : sequence of str or type
        Names as in `hoplab list`, controllers by file and class such as ``"mine.py:MyReno"``, or their classes.
    over : mapping, optional
        Dotted scenario keys and the values to run: ``{"topology.hops": range(1, 9)}``. Several axes are crossed.
    seeds : int, str or iterable of int
        As for `run`; ten by default, so that there is an interval.
    keep_workloads : bool
        Whether workloads keep the transport that the file gives them.
    threads, series_interval_s, max_events, max_wall_s, progress
        As for `run`.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If a transport is unknown or named twice.
    ScenarioError
        If a point is not a valid scenario; no run is executed.
    LimitError
        If a run exceeds a limit.
    """
    scenario = Scenario.of(scenario)
    names = controllers.checked(transports)
    for key in over or {}:
        refuse_seed_axis(key)
    axes = {key: _axis_values(key, values) for key, values in (over or {}).items()}
    if "flow.transport" in axes:
        raise UsageError("flow.transport: not supported as an axis, compare varies it", hint="pass transports")
    chosen = seeds_of(seeds, scenario.seed)
    _check_runs(names, axes, chosen)
    changes = {name: controllers.overrides_of(name, scenario, keep_workloads=keep_workloads) for name in names}
    where = [(setting, transport) for setting in _settings(axes) for transport in names]
    orders = [Order(scenario.with_({**dict(setting), **changes[transport]}), chosen) for setting, transport in where]
    results = run_orders(
        orders,
        threads=threads,
        series_interval_s=series_interval_s,
        limits=Limits(max_events, max_wall_s),
        progress=progress,
        label="comparing",
    )
    points = tuple(Point(transport, setting, runs) for (setting, transport), runs in zip(where, results, strict=True))
    return Comparison(scenario, names, axes, chosen, points)


MOST_COMPARED = 20
"""Values of an axis that are compared without a request: their pairs are tested one by one."""

MOST_RUNS = 100_000
"""Limit of runs of one comparison, which are kept in memory."""


def _check_runs(names: Sequence[str], axes: Mapping[str, Sequence[Any]], seeds: Sequence[int]) -> None:
    runs = math.prod([len(names), len(seeds), *map(len, axes.values())])
    if runs > MOST_RUNS:
        listed = " x ".join(f"{len(values):,} ({key})" for key, values in [*axes.items()][:8])
        more = f" x {len(axes) - 8} more axes" if len(axes) > 8 else ""
        raise UsageError(
            f"{runs:,} runs, expected at most {MOST_RUNS:,}: {len(names)} transports, {len(seeds):,} seeds, "
            f"{listed}{more}",
            hint="use fewer values or seeds, or a sweep",
        )


def paired_runs(left: Runs, right: Runs, metric: str, *, level: float = DEFAULT_LEVEL) -> Paired:
    """Compare two sets of replications on the seeds that they share."""
    shared = _shared(left, right, metric)
    if not shared:
        raise InputError(f"{metric_of(metric).name} is undefined in every pair of runs")
    return paired([x for x, _ in shared], [y for _, y in shared], level)


def _shared(left: Runs, right: Runs, metric: str) -> list[tuple[float, float]]:
    """Values of the seeds in which both have one."""
    a, b = ({run.seed: run.value(metric) for run in runs} for runs in (left, right))
    return [(x, y) for seed, x in a.items() if x is not None and (y := b.get(seed)) is not None]


def _settings(axes: Mapping[str, tuple[Any, ...]]) -> Iterable[tuple[tuple[str, Any], ...]]:
    for values in itertools.product(*axes.values()):
        yield tuple(zip(axes, values, strict=True))


def _axis_values(key: str, values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str):
        raise UsageError(f"axis {key}: expected a list or a range, found string {values!r}")
    found = tuple(
        hashable(value.item() if hasattr(value, "item") else value) for value in itertools.islice(values, MOST_RUNS + 1)
    )
    if not found:
        raise UsageError(f"axis {key}: no values")
    if len(set(map(repr, found))) != len(found):
        raise UsageError(f"axis {key}: duplicate value in {', '.join(map(str, found))}")
    return found
