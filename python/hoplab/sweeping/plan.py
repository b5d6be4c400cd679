"""What a sweep will run: its points, their seeds and the ids of their runs.

Every point uses the same seeds, so that schemes are compared under common random numbers. Two points that resolve
to the same scenario share their runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import UsageError, is_command_line
from hoplab.running.memory import SAMPLE_BYTES, refuse_interval
from hoplab.running.seeds import seeds_of
from hoplab.scenario.tomltext import literal
from hoplab.store.run_store import Header, point_hash, seeded_id
from hoplab.sweeping.grammar import check_size
from hoplab.sweeping.packed import Packed, Packer
from hoplab.sweeping.runner import Task
from hoplab.sweeping.source import SweepError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hoplab.sweeping.grammar import Settings, Sweep
    from hoplab.sweeping.runner import Runner
    from hoplab.sweeping.source import Source


@dataclass(frozen=True, slots=True)
class Point:
    """One parameter setting.

    Attributes
    ----------
    index : int
        Position in the sweep, from 0.
    settings : tuple of (str, value)
        Axis key and value, in the order of the axes.
    packed : Packed
        The resolved scenario.
    """

    index: int
    settings: Settings
    packed: Packed = field(repr=False)

    @property
    def scenario(self) -> Mapping[str, Any]:
        """The resolved scenario in SI units; computed at each call."""
        return self.packed.unpacked()

    def group(self, compare: Sequence[str]) -> Settings:
        """The settings that this point has in common with those that it is compared to."""
        return tuple(pair for pair in self.settings if pair[0] not in compare)


@dataclass(slots=True)
class Plan:
    """A sweep whose every point the engine has accepted.

    Attributes
    ----------
    source : Source
        The file.
    sweep : Sweep
        Its axes and seeds, with what the command line changed.
    overrides : tuple of (str, str)
        Overrides of every point, before those of its axes.
    version : str
        The engine's version.
    points : list of Point
        In order.
    seeds : dict
        Point index to its seeds, in order. `precision` adds to these.
    warnings : list of str
        Warnings of the engine, without duplicates.
    runner : Runner
        The engine.
    """

    source: Source
    sweep: Sweep
    overrides: tuple[tuple[str, str], ...]
    version: str
    points: list[Point]
    seeds: dict[int, list[int]]
    warnings: list[str] = field(default_factory=list)
    runner: Runner = field(repr=False, kw_only=True)
    _ids: dict[tuple[int, int], str] = field(default_factory=dict, repr=False)
    _hashed: tuple[int, Any] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The scenario's name."""
        return str(self.points[0].scenario.get("name") or "")

    def id_of(self, point: Point, seed: int) -> str:
        """The id of one run."""
        key = (point.index, seed)
        if key not in self._ids:
            if self._hashed is None or self._hashed[0] != point.index:  # seeds of a point come together
                self._hashed = (point.index, point_hash(self.version, point.scenario))
            self._ids[key] = seeded_id(self._hashed[1], seed, self.sweep.series_interval_s)
        return self._ids[key]

    def header(self, task: Task) -> Header:
        """What the run store records of one run: the scenario as it was run, its own seed in it."""
        resolved = self.runner.resolve(task.text, task.path, [*task.overrides, ("seed", str(task.seed))])
        return Header(
            id=task.id,
            seed=task.seed,
            version=self.version,
            scenario=resolved["scenario"],
            toml=resolved["toml"],
            series_interval_s=task.series_interval_s,
            folder=Path(task.path).parent,
        )

    def task(self, point: Point, seed: int) -> Task:
        """What an engine needs to make one run."""
        return Task(
            id=self.id_of(point, seed),
            text=self.source.scenario,
            path=self.source.path,
            overrides=(*self.overrides, *axis_overrides(point.settings)),
            seed=seed,
            series_interval_s=self.sweep.series_interval_s,
        )

    def runs(self) -> Iterator[tuple[Point, int, str]]:
        """Point, seed and id of every run, in the order of the tables: by point, then as its seeds are listed."""
        for point in self.points:
            for seed in self.seeds[point.index]:
                yield point, seed, self.id_of(point, seed)

    def groups(self) -> dict[Settings, list[Point]]:
        """Points that are compared with each other, by what they share."""
        groups: dict[Settings, list[Point]] = {}
        for point in self.points:
            groups.setdefault(point.group(self.sweep.compare), []).append(point)
        return groups


def make_plan(source: Source, sweep: Sweep, runner: Runner, overrides: Sequence[tuple[str, str]] = ()) -> Plan:
    """Resolve every point, so that an invalid value is found before the first run.

    Parameters
    ----------
    source : Source
        The file.
    sweep : Sweep
        Checked axes and seeds.
    runner : Runner
        The engine.
    overrides : sequence of (str, str)
        Overrides of every point, as of option `--set`.

    Raises
    ------
    UsageError
        If an override names an axis or the sweep itself.
    SweepError
        If settings of a point are invalid, with file and line of the axis.
    """
    by_option = is_command_line()
    name = "--set" if by_option else "override"
    for key, _ in overrides:
        if key in sweep.axes:
            hint = f"--over {key}=... replaces the axis" if by_option else f'over={{"{key}": [...]}} replaces the axis'
            raise UsageError(f"{name} {key}: is an axis of this sweep", hint=hint)
        if key.split(".", 1)[0] == "sweep":
            hint = "use --seeds, --precision and --over" if by_option else "use seeds=, precision= and over="
            raise UsageError(f"{name} {key}: not a scenario key", hint=hint)
    check_size(source, sweep)
    fixed = tuple(overrides)
    packer = Packer()
    first_seeds: dict[int, list[int]] = {}
    points: list[Point] = []
    warnings: dict[str, None] = {}
    for index, settings in enumerate(sweep.points()):
        resolved = _resolve(source, sweep, runner, fixed, settings)
        warnings.update(dict.fromkeys(resolved.get("warnings", ())))
        scenario = resolved["scenario"]
        _check_series(source, sweep, scenario)
        points.append(Point(index, settings, packer.pack(scenario)))
        first_seeds[index] = list(seeds_of(sweep.seeds, int(scenario.get("seed", 1))))
    return Plan(
        source=source,
        sweep=sweep,
        overrides=fixed,
        version=runner.version,
        points=points,
        seeds=first_seeds,
        warnings=list(warnings),
        runner=runner,
    )


def _check_series(source: Source, sweep: Sweep, scenario: Mapping[str, Any]) -> None:
    """Refuse an interval that takes more samples of a run than memory has room for."""
    interval_s = sweep.series_interval_s
    if interval_s is None:
        return
    try:
        refuse_interval(
            "sweep.series", interval_s, float(scenario["duration_s"]), len(scenario["flows"]) * SAMPLE_BYTES
        )
    except UsageError as error:
        raise source.error(("sweep", "series"), error.message, hint=error.hint) from None


def axis_overrides(settings: Settings) -> tuple[tuple[str, str], ...]:
    """A point's settings as overrides of the engine."""
    return tuple((key, literal(value)) for key, value in settings)


def short(text: str) -> str:
    """A value as a message shows it."""
    return text if len(text) <= 80 else f"{text[:80]}..."


def more_seeds(have: Sequence[int], wanted: int) -> list[int]:
    """The seeds so far, and after the largest as many as are wanting."""
    first = max(have) + 1
    return [*have, *range(first, first + max(0, wanted - len(have)))]


def describe(settings: Settings) -> str:
    """A point's settings as a user writes them."""
    return ", ".join(f"{key} = {value}" for key, value in settings) or "the scenario"


def _resolve(
    source: Source, sweep: Sweep, runner: Runner, fixed: Sequence[tuple[str, str]], settings: Settings
) -> dict[str, Any]:
    try:
        return runner.resolve(source.scenario, source.path, [*fixed, *axis_overrides(settings)])
    except Exception as error:
        place = _axis_at_fault(settings, error)
        if place is None:
            raise
        key, value = place
        expected = getattr(error, "expected", None)
        if expected:
            message = f"axis '{key}': invalid value {short(literal(value))}, expected {expected}"
        else:  # the key is wrong: the first line has the problem
            first = (str(error).splitlines() or [""])[0]
            start = str(getattr(error, "path", ""))
            message = f"axis '{key}': {first.removeprefix(f'{start}: ')}"
        if key not in sweep.places:
            raise UsageError(message, hint=getattr(error, "hint", None)) from error
        raise source.error(sweep.places[key], message, hint=getattr(error, "hint", None)) from error


def _axis_at_fault(settings: Settings, error: Exception) -> tuple[str, Any] | None:
    """The axis that an engine's error names; None if it names another key or none."""
    key = getattr(error, "key", None)
    if not isinstance(key, str) or isinstance(error, SweepError):
        return None
    normal = _without_positions(key)
    return next((pair for pair in settings if pair[0] == key or _without_positions(pair[0]) == normal), None)


def _without_positions(key: str) -> str:
    """`flow.0.window` and `flow[0].window` as `flow.window`."""
    parts = key.replace("[", ".").replace("]", "").split(".")
    return ".".join(part for part in parts if not part.isdigit())
