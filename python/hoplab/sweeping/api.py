"""`hoplab.sweep`: a scenario file with a `[sweep]`, or with axes given here, run and stored."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import HoplabWarning, UsageError
from hoplab.base.numbers import integer_of
from hoplab.running.execution import interval_of, thread_count
from hoplab.running.limits import Limits
from hoplab.running.seeds import MAX_SEEDS, seeds_of
from hoplab.scenario.model import Scenario
from hoplab.scenario.tomltext import literal
from hoplab.scenario.units import with_units
from hoplab.stats import StatisticsError, parse_relative
from hoplab.store.results import Results, open_results
from hoplab.sweeping.backend import Backend, LocalBackend
from hoplab.sweeping.executor import Observer, Outcome, execute_plan
from hoplab.sweeping.grammar import MAX_POINTS, parse_sweep
from hoplab.sweeping.plan import Plan, make_plan
from hoplab.sweeping.progress import watching
from hoplab.sweeping.runner import CoreRunner, Runner
from hoplab.sweeping.source import read_source, split_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hoplab.running.seeds import Seeds

RESULTS = Path("results")
"""Where results go unless a directory is named: below the current directory, by the file's stem."""


@dataclass(frozen=True, slots=True)
class Request:
    """Arguments of a sweep, from the command line or Python.

    Attributes
    ----------
    source : str, Path or Scenario
        A scenario file, or a scenario.
    overrides : sequence of (str, str)
        Keys and TOML values set on every point.
    over : mapping
        Axes beside, or in place of, those of the file.
    seeds : int, str, iterable of int or None
        In place of the file's.
    precision : str, float or None
        In place of the file's: "5%" or 0.05.
    max_seeds : int or None
        In place of the file's.
    series_interval_s : float or None
        In place of the file's, s.
    possible : bool or None
        In place of the file's.
    """

    source: str | Path | Scenario
    overrides: Sequence[tuple[str, str]] = ()
    over: Mapping[str, Iterable[Any]] | None = None
    seeds: Seeds | None = None
    precision: str | float | None = None
    max_seeds: int | None = None
    series_interval_s: float | None = None
    possible: bool | None = None

    def plan(self, runner: Runner) -> Plan:
        """Read, check and resolve every point."""
        given = self.source
        source = split_source(given.text, given.path) if isinstance(given, Scenario) else read_source(given)
        overrides = (*given.overrides, *self.overrides) if isinstance(given, Scenario) else tuple(self.overrides)
        sweep = parse_sweep(source)
        for key, values in (self.over or {}).items():
            sweep = sweep.with_axis(key, list(islice(values, MAX_POINTS + 1)))
        if self.seeds is not None:
            sweep = replace(sweep, seeds=_seeds(self.seeds))
        if self.precision is not None:
            try:
                sweep = replace(sweep, precision=parse_relative(str(self.precision)))
            except StatisticsError as error:
                raise UsageError(f"precision: {error}") from error
        if self.max_seeds is not None:
            sweep = replace(sweep, max_seeds=_max_seeds(self.max_seeds))
        if self.series_interval_s is not None:
            sweep = replace(sweep, series_interval_s=interval_of(self.series_interval_s))
        if self.possible is not None:
            sweep = replace(sweep, possible=self.possible)
        return make_plan(source, sweep, runner, overrides)

    @property
    def root(self) -> Path:
        """Directory of the results where none is named."""
        path = self.source.path if isinstance(self.source, Scenario) else str(self.source)
        return RESULTS / (Path(path).stem.strip("<>") or "sweep")


def _seeds(seeds: Seeds) -> int | str | tuple[int, ...]:
    """Checked seeds: a count and a spelling as they are, since they start at the scenario's own seed."""
    count = integer_of(seeds)
    chosen = seeds_of(seeds if count is None else count, 1)
    return seeds if isinstance(seeds, str) else chosen if count is None else count


def _max_seeds(value: Any) -> int:
    count = integer_of(value)
    if count is None or not 2 <= count <= MAX_SEEDS:
        raise UsageError(f"max_seeds = {value!r}: expected an integer from 2 to {MAX_SEEDS}")
    return count


def sweep(  # noqa: PLR0913 (all but the first by keyword)
    source: str | Path | Scenario,
    *,
    out: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    over: Mapping[str, Iterable[Any]] | None = None,
    seeds: Seeds | None = None,
    precision: str | float | None = None,
    max_seeds: int | None = None,
    series_interval_s: float | None = None,
    possible: bool | None = None,
    threads: int | None = None,
    backend: str | None = None,
    max_events: int | None = None,
    max_wall_s: float | None = None,
    progress: bool | None = None,
    force: bool = False,
    retry: bool = False,
) -> Results:
    """Run every point and seed of a sweep, store each run as it finishes, and open the results.

    Stored runs are reused; after an interruption the same call continues.

    Parameters
    ----------
    source : str, Path or Scenario
        A scenario file, with or without `[sweep]`, or a scenario.
    out : str or Path, optional
        Directory of the results; ``results/<name of the file>`` by default.
    overrides : mapping, optional
        Keys set on every point, as for `Scenario.with_`: strings with units, or SI numbers.
    over : mapping, optional
        Axes: ``{"topology.hops": range(1, 9)}``. They join the file's, or take the place of those of the same key.
    seeds, precision, max_seeds, series_interval_s, possible : optional
        In place of the file's.
    threads : int, optional
        Runs at a time; one per core by default.
    backend : str, optional
        ``"ray"`` or ``"ray://address"``; the cores of this machine by default.
    max_events, max_wall_s : optional
        Limits of events and wall time in s per run. A run that exceeds one fails; the others continue.
    progress : bool, optional
        Show a progress line; by default on a terminal only.
    force : bool
        Use a directory with other content; stored runs are kept.
    retry : bool
        Execute quarantined runs again.

    Returns
    -------
    Results
        `complete` is False, and `failures` says why, where runs failed.

    Raises
    ------
    InputError
        If the file or a point is invalid.
    OutputError
        If the results cannot be written; stored runs are kept.
    """
    runner = CoreRunner(Limits(max_events, max_wall_s))
    pairs = tuple((key, literal(with_units(value, key), key)) for key, value in (overrides or {}).items())
    axes = {
        key: [with_units(value, key) for value in islice(values, MAX_POINTS + 1)]
        for key, values in (over or {}).items()
    }
    request = Request(source, pairs, axes, seeds, precision, max_seeds, series_interval_s, possible)
    plan = request.plan(runner)
    root = request.root if out is None else Path(out)
    outcome = run_plan(plan, root, backend_of(backend, runner, threads), progress=progress, force=force, retry=retry)
    if plan.sweep.possible:
        from hoplab.bounding import store_shares  # noqa: PLC0415 (loads scipy)

        for point, reason in store_shares(outcome.root).items():
            warnings.warn(f"point {point} has no bound: {reason}", HoplabWarning, 2)
    return open_results(outcome.root)


def run_plan(  # noqa: PLR0913 (all but three by keyword)
    plan: Plan,
    root: Path,
    backend: Backend,
    *,
    progress: bool | None = None,
    observer: Observer | None = None,
    force: bool = False,
    retry: bool = False,
) -> Outcome:
    """Run a plan with a progress line of its own, or with that of several, whose `observer` it is given."""
    if observer is not None:
        return execute_plan(plan, root, backend, observer=observer, force=force, retry=retry)
    with watching(plan.name or "sweep", show=progress) as own:
        return execute_plan(plan, root, backend, observer=own, force=force, retry=retry)


def backend_of(name: str | None, runner: Runner, threads: int | None) -> Backend:
    """The backend of a name.

    Raises
    ------
    UsageError
        If the name is unknown.
    """
    if name is None or name == "local":
        return LocalBackend(runner, thread_count(threads))
    if name == "ray" or name.startswith("ray://"):
        from hoplab.sweeping.ray_backend import RayBackend  # noqa: PLC0415 (an extra, loaded on demand)

        return RayBackend(runner, address=None if name == "ray" else name, workers=threads)
    raise UsageError(f"backend: unknown value {name}, expected local, ray or ray://HOST:PORT")
