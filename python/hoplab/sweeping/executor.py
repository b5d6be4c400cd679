"""Running a plan: find what is missing, make it, store each run as it finishes, merge the tables.

The run store is the only state between two calls, so that a sweep
that was killed goes on where its last stored run stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from hoplab.base.errors import EXIT_INPUT, InputError, OutputError, exit_code_of, is_command_line
from hoplab.base.shareable import shareable, without_folder
from hoplab.stats import Decision, StoppingRule
from hoplab.store import files
from hoplab.store.catalog import PLAN, Catalog, FormatError, PlannedPoint, load_catalog
from hoplab.store.merge import merge
from hoplab.store.run_store import Failure, RunStore
from hoplab.sweeping.plan import describe, more_seeds
from hoplab.sweeping.run_writer import RunWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from hoplab.store.run_store import Header
    from hoplab.sweeping.backend import Backend
    from hoplab.sweeping.plan import Plan, Point
    from hoplab.sweeping.runner import Series, Task

START_SEEDS = 10
"""Default number of seeds of `precision`; docs/use/statistics.md has the reason."""


class Observer(Protocol):
    """Receives the progress of a sweep."""

    def planned(self, total: int, done: int) -> None:
        """Set the numbers of planned and stored runs."""

    def finished(self) -> None:
        """One run more is stored."""

    def failed(self) -> None:
        """One run more has failed."""


class Silent:
    """An observer without output."""

    def planned(self, total: int, done: int) -> None:
        """See `Observer.planned`."""

    def finished(self) -> None:
        """See `Observer.finished`."""

    def failed(self) -> None:
        """See `Observer.failed`."""


@dataclass(slots=True)
class Outcome:
    """How a sweep ended.

    Attributes
    ----------
    root : Path
        Directory of the results.
    catalog : Catalog
        The plan, with the seeds that `precision` added.
    executed, reused : int
        Runs executed now, and found in the store.
    damaged : list of str
        Runs with a checksum mismatch: moved to `damaged/` and executed again.
    failures : list of Failure
        Runs that are missing because they failed, quarantined ones among them.
    unreached : list of str
        Points whose interval is wider than `precision` asks, at the largest number of seeds.
    coinciding : list of str
        Points where two seeds yield identical runs.
    """

    root: Path
    catalog: Catalog
    executed: int = 0
    reused: int = 0
    damaged: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)
    coinciding: list[str] = field(default_factory=list)

    @property
    def beyond(self) -> list[str]:
        """Stored runs that are not of this plan: those of a plan that it replaced in this directory."""
        return sorted({entry.name for entry in (self.root / "runs").glob("*")} - set(self.catalog.runs))

    @property
    def most_seeds(self) -> int:
        """The largest number of seeds that a point was given."""
        return max((len(point.seeds) for point in self.catalog.points), default=0)

    @property
    def partial(self) -> bool:
        """Whether runs are missing."""
        return bool(self.failures or self.unreached)


def execute_plan(  # noqa: PLR0913 (all but three by keyword)
    plan: Plan,
    root: Path,
    backend: Backend,
    *,
    observer: Observer | None = None,
    force: bool = False,
    retry: bool = False,
) -> Outcome:
    """Make what is missing of a plan.

    Parameters
    ----------
    plan : Plan
        What to run. `precision` adds seeds to it.
    root : Path
        Directory of the results; created if missing.
    backend : Backend
        Where runs are executed.
    observer : Observer, optional
        Receives the progress.
    force : bool
        Use a directory with other content; stored runs are kept.
    retry : bool
        Execute quarantined runs again.

    Raises
    ------
    OutputError
        If the directory has other content or cannot be written. Stored runs are kept.
    KeyboardInterrupt
        On Ctrl-C. Stored runs are kept.
    """
    try:
        _claim(plan, root, force=force)
        return _Drive(plan, RunStore(root), backend, observer or Silent(), retry=retry).run()
    except OutputError:
        raise
    except OSError as error:
        raise files.output_error(error, root) from error


def named_files(scenario: Mapping[str, Any]) -> dict[str, str]:
    """Files that a resolved scenario names, with the digest of what they held when it was read."""
    found = {}
    for table, key in (("mobility", "file_blake3"), ("topology", "links_blake3")):
        named: Mapping[str, Any] = scenario.get(table) or {}
        if named.get("file") and key in named:
            found[str(named["file"])] = str(named[key])
    return found


class _Drive:
    """One call of `execute_plan`."""

    def __init__(self, plan: Plan, store: RunStore, backend: Backend, observer: Observer, *, retry: bool) -> None:
        self._plan = plan
        self._runs = store
        self._backend = backend
        self._observer = observer
        self._retry = retry
        self._done: set[str] = set()
        self._failed: dict[str, Failure] = {}
        self._measured: dict[str, float | None] = {}
        self._named: dict[str, dict[str, str]] = {}
        self._outcome = Outcome(store.root, catalog_of(plan))

    def run(self) -> Outcome:
        plan, outcome = self._plan, self._outcome
        self._runs.remove_stale()
        rule = _rule(plan)
        decisions: dict[int, Decision] = {}
        while True:
            outcome.catalog = catalog_of(plan)
            outcome.catalog.save(self._runs.root)
            self._make(self._missing())
            if rule is None:
                break
            decisions = {point.index: rule.decide(self._values(point)) for point in plan.points}
            if not _extend(plan, rule, decisions):
                break
        by_index = {point.index: point for point in plan.points}
        outcome.unreached = [
            describe(by_index[index].settings) for index, decision in decisions.items() if not decision.reached
        ]
        outcome.failures = [self._failed[run] for run in outcome.catalog.runs if run in self._failed]
        outcome.coinciding = self._coinciding()
        merge(self._runs.root, outcome.catalog, [run for run in outcome.catalog.runs if run in self._done])
        return outcome

    def _missing(self) -> list[Task]:
        """Runs to make now, each once, in the order of the plan."""
        wanted: dict[str, Task] = {}
        for point, seed, run in self._plan.runs():
            if run in self._done or run in self._failed or run in wanted:
                continue
            state = self._runs.state(run)
            if state == "damaged":
                self._runs.move_to_damaged(run)
                self._outcome.damaged.append(run)
            if state == "done":
                self._done.add(run)
                self._outcome.reused += 1
                continue
            failure = self._runs.failure(run)
            if failure is not None and self._retry:
                self._runs.clear_failure(run)
            elif failure is not None and failure.quarantined:
                self._failed[run] = failure
                continue
            wanted[run] = self._plan.task(point, seed)
            self._named[run] = named_files(point.scenario)
        return list(wanted.values())

    def _make(self, tasks: list[Task]) -> None:
        self._observer.planned(len(self._done) + len(self._failed) + len(tasks), len(self._done))

        def on_failed(task: Task, error: str, attempts: int) -> None:
            said = without_folder(error, task.path)
            self._failed[task.id] = self._runs.record_failure(self._header(task), said, attempts=attempts)
            self._observer.failed()

        if tasks:
            with RunWriter(self._store, self._stored) as keeper:
                self._backend.execute(tasks, keeper.keep, on_failed)

    def _store(self, task: Task, text: str, series: Series) -> None:
        stored = None if task.series_interval_s is None else series
        self._runs.commit(self._header(task), text, stored)

    def _header(self, task: Task) -> Header:
        """What the run store records of a run. It reads files that the scenario names once more, as the run did."""
        named = self._named[task.id]
        try:
            header = self._plan.header(task)
        except Exception as error:
            if not named or exit_code_of(error) != EXIT_INPUT:
                raise
            raise _changed(", ".join(named)) from error  # it was valid at the start
        for name, digest in named_files(header.scenario).items():
            if digest != named.get(name):
                raise _changed(name)
        return header

    def _stored(self, task: Task) -> None:
        self._done.add(task.id)
        self._outcome.executed += 1
        self._observer.finished()

    def _values(self, point: Point) -> list[float]:
        """The measure of a point's finished runs, in the order of its seeds."""
        runs = (self._plan.id_of(point, seed) for seed in self._plan.seeds[point.index])
        found = (self._value(run) for run in runs if run in self._done)
        return [value for value in found if value is not None]

    def _value(self, run: str) -> float | None:
        if run not in self._measured:
            self._measured[run] = self._runs.value(run, self._plan.sweep.measure)
        return self._measured[run]

    def _coinciding(self) -> list[str]:
        """Points with two seeds of one fingerprint: their replications are not independent."""
        return [
            describe(point.settings)
            for point in self._plan.points
            if _repeats(
                self._runs.fingerprint(run)
                for run in (self._plan.id_of(point, seed) for seed in self._plan.seeds[point.index])
                if run in self._done
            )
        ]


def _changed(names: str) -> InputError:
    return InputError(
        f"{names}: changed during the sweep, expected constant content",
        hint="rerun the command: runs with the former content are kept, the others executed",
    )


def catalog_of(plan: Plan) -> Catalog:
    """The plan as it is stored."""
    points = []
    for point in plan.points:
        seeds = tuple(plan.seeds[point.index])
        runs = tuple(plan.id_of(point, seed) for seed in seeds)
        points.append(PlannedPoint(point.index, dict(point.settings), seeds, runs))
    return Catalog(
        name=plan.name,
        path=shareable(plan.source.path),
        source=files.digest(plan.source.text.encode()),
        engine=plan.version,
        axes=plan.sweep.axes,
        compare=plan.sweep.compare,
        measure=plan.sweep.measure,
        series_interval_s=plan.sweep.series_interval_s,
        points=tuple(points),
    )


def _claim(plan: Plan, root: Path, *, force: bool) -> None:
    """Create the directory; refuse one with other content."""
    root.mkdir(parents=True, exist_ok=True)
    remedy = (
        "name another directory with --out, or add --force"
        if is_command_line()
        else "pass another directory as out=, or force=True"
    )
    hint = f"{remedy}; stored runs are kept"
    names = {entry.name for entry in root.iterdir()}
    if PLAN not in names:
        # Another process may be writing the same plan: its temporary file is allowed.
        is_begun = "runs" in names or any(name.startswith(f".{PLAN}.") for name in names)
        if names and not is_begun and not force:
            raise OutputError(f"{root}: directory is not empty and holds no sweep", hint=hint)
        return
    try:
        earlier = load_catalog(root, is_verified=False)
    except FormatError as error:
        if force:
            return
        raise OutputError(f"{root}: {error.message}", hint=f"{error.hint}, or {hint}") from error
    except ValueError:
        return  # unreadable: this plan takes its place, and the runs below it are still found by their ids
    if earlier.engine != plan.version and not force:
        raise OutputError(
            f"{root}: holds runs of engine {earlier.engine}; event sequences of {plan.version} may differ",
            hint=f"{remedy}: all runs are executed again, old ones are kept",
        )
    other = earlier.path != shareable(plan.source.path) and earlier.source != files.digest(plan.source.text.encode())
    if other and not force:
        raise OutputError(f"{root}: holds the sweep of another file, {earlier.path}", hint=hint)


def _rule(plan: Plan) -> StoppingRule | None:
    sweep = plan.sweep
    if sweep.precision is None:
        return None
    have = max(len(seeds) for seeds in plan.seeds.values())
    minimum = START_SEEDS if have == 1 else have
    maximum = max(sweep.max_seeds, minimum)
    for index, seeds in plan.seeds.items():
        plan.seeds[index] = more_seeds(seeds, minimum)
    return StoppingRule(sweep.precision, minimum=minimum, maximum=maximum)


def _extend(plan: Plan, rule: StoppingRule, decisions: dict[int, Decision]) -> bool:
    """Add seeds where an interval is too wide; compared points share them. False if none are added."""
    added = False
    for members in plan.groups().values():
        wanted = max(decisions[point.index].next_n for point in members)
        for point in members:
            have = plan.seeds[point.index]
            if all(decisions[member.index].reached for member in members) or len(have) >= rule.maximum:
                continue
            # A run that failed leaves its seed without a value: at least one seed more is tried.
            plan.seeds[point.index] = more_seeds(have, min(max(wanted, len(have) + 1), rule.maximum))
            added = True
    return added


def _repeats(fingerprints: Iterable[str | None]) -> bool:
    seen: set[str] = set()
    for fingerprint in fingerprints:
        if fingerprint is not None and fingerprint in seen:
            return True
        if fingerprint is not None:
            seen.add(fingerprint)
    return False
