"""Run scenarios over seeds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.engine import core, running_core
from hoplab.base.errors import OutputError, UsageError
from hoplab.base.numbers import integer_of, number_of
from hoplab.base.progress import Tick, progress_bar
from hoplab.running.limits import NONE, Limits
from hoplab.running.memory import (
    RESULT_BYTES,
    RESULT_FLOW_BYTES,
    SAMPLE_BYTES,
    TRACED_BYTES,
    TRACED_PER_FLOW,
    TRACED_PER_NODE,
    refuse_beyond,
    refuse_interval,
    threads_that_fit,
)
from hoplab.running.runs import Run, Runs
from hoplab.running.seeds import Seeds, seeds_of
from hoplab.scenario.model import Scenario

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Order:
    """A scenario and the seeds to run it with."""

    scenario: Scenario
    seeds: tuple[int, ...]


def run(  # noqa: PLR0913 (all but the first by keyword)
    scenario: Scenario | str | Path,
    *,
    seeds: Seeds | None = None,
    threads: int | None = None,
    series_interval_s: float | None = None,
    trace: str | Path | None = None,
    airtime: bool = False,
    pcapng: str | Path | None = None,
    max_events: int | None = None,
    max_wall_s: float | None = None,
    progress: bool | None = None,
) -> Runs:
    """Run a scenario, on all cores where there are several seeds.

    Parameters
    ----------
    scenario : Scenario, str or Path
        The scenario, or its TOML file.
    seeds : int, str or iterable of int, optional
        A count N (from the scenario's own seed on), a spelling such as ``"3..7"``, or the seeds. By default the
        scenario's own seed alone.
    threads : int, optional
        How many runs at a time; by default one per core. The results do not depend on it.
    series_interval_s : float, optional
        Sample each flow's congestion window that often, in simulated seconds.
    trace : str or Path, optional
        Directory in which to leave `events.parquet` and `samples.parquet`, see `docs/use/reference/trace.md`, and their
        checksums. Samples are taken every `series_interval_s`, or 500 times.
    airtime : bool
        Account for every node's time (`Run.airtime`). A trace does so anyway.
    pcapng : str or Path, optional
        File in which to leave all frames, as Wireshark reads them. Several seeds need a name with ``{seed}`` in it.
    max_events : int, optional
        Limit of events per run. The first run that exceeds it ends the call.
    max_wall_s : float, optional
        The same of real time, s. No result of a run that finishes depends on either.
    progress : bool, optional
        Show a progress bar; by default on a terminal only.

    Returns
    -------
    Runs

    Raises
    ------
    InputError
        If there is no such scenario.
    UsageError
        If the seeds, threads, limits or interval make no sense.
    LimitError
        If a run exceeds `max_events` or `max_wall_s`; the message has the simulated time.
    EngineError
        If a run violates an invariant or makes no progress.
    """
    scenario = Scenario.of(scenario)
    chosen = seeds_of(1 if seeds is None else seeds, scenario.seed)
    looks = Looks(
        trace=None if trace is None else Path(trace),
        airtime=airtime,
        pcapng=None if pcapng is None else captures(str(pcapng), chosen),
    )
    if trace is not None and series_interval_s is None:
        series_interval_s = float(scenario.resolve().data["duration_s"]) / SERIES_SAMPLES
    (result,) = run_orders(
        [Order(scenario, chosen)],
        threads=threads,
        series_interval_s=series_interval_s,
        looks=looks,
        limits=Limits(max_events, max_wall_s),
        progress=progress,
    )
    return result


SERIES_SAMPLES = 500
"""Samples per run in a report: enough for a saw-tooth on a screen, few enough for a small file."""


@dataclass(frozen=True)
class Looks:
    """Output written during runs: traces and captures of one order.

    Attributes
    ----------
    trace : Path or None
        Directory for the tables of events and samples.
    airtime : bool
        Whether every node's time is accounted for.
    pcapng : tuple of str
        A capture file for each seed, or none at all.
    """

    trace: Path | None = None
    airtime: bool = False
    pcapng: tuple[str, ...] | None = None


def captures(pattern: str, seeds: Sequence[int]) -> tuple[str, ...]:
    """Capture file of each seed.

    Raises
    ------
    UsageError
        If there are several seeds, and one name for them.
    """
    names = tuple(pattern.replace("{seed}", str(seed)) for seed in seeds)
    if len(set(names)) < len(names):
        raise UsageError(f"{pattern}: one capture file name for {len(seeds)} seeds", hint="add {seed} to the name")
    return names


def run_orders(  # noqa: PLR0913 (all but the first by keyword)
    orders: Sequence[Order],
    *,
    threads: int | None = None,
    series_interval_s: float | None = None,
    looks: Looks | None = None,
    limits: Limits = NONE,
    progress: bool | None = None,
    label: str = "running",
) -> list[Runs]:
    """Run several scenarios over their seeds as one batch; the results come in the order given."""
    if series_interval_s is not None:
        series_interval_s = interval_of(series_interval_s)
    looks = looks or Looks()
    _refuse_too_much(orders, series_interval_s, is_traced=looks.trace is not None)
    jobs = _jobs(orders, series_interval_s, limits)
    results: list[Run | None] = [None] * len(jobs)
    with progress_bar(len(jobs), label, show=progress) as tick:
        on_result = _keeping(results, tick)
        if looks == Looks():
            running_core(series=series_interval_s is not None).run_many(jobs, thread_count(threads), on_result)
        else:
            _run_looked_at(jobs, thread_count(threads), on_result, looks)
    finished = [result for result in results if result is not None]
    if len(finished) != len(jobs):
        raise RuntimeError(f"the engine returned {len(finished)} of {len(jobs)} runs")
    queue = iter(finished)
    return [Runs(order.scenario, tuple(next(queue) for _ in order.seeds)) for order in orders]


def try_orders(
    orders: Sequence[Order],
    *,
    threads: int | None = None,
    limits: Limits = NONE,
    progress: bool | None = None,
    label: str = "running",
) -> list[Runs | Exception]:
    """As `run_orders`, but a failed run ends no other: the first error of an order stands in place of its runs."""
    _refuse_too_much(orders, None, is_traced=False)
    jobs = _jobs(orders, None, limits)
    results: list[Run | None] = [None] * len(jobs)
    failures: dict[int, Exception] = {}
    with progress_bar(len(jobs), label, show=progress) as tick:
        running_core(series=False).run_many(jobs, thread_count(threads), _keeping(results, tick), failures.__setitem__)
    found: list[Runs | Exception] = []
    first = 0
    for order in orders:
        mine = range(first, first + len(order.seeds))
        first = mine.stop
        failed = [failures[index] for index in mine if index in failures]
        runs = tuple(run for index in mine if (run := results[index]) is not None)
        found.append(failed[0] if failed else Runs(order.scenario, runs))
    return found


def _jobs(orders: Sequence[Order], series_interval_s: float | None, limits: Limits) -> list[Any]:
    return [
        job_of(
            order.scenario.text, order.scenario.path, order.scenario.overrides, seed, series_interval_s, limits=limits
        )
        for order in orders
        for seed in order.seeds
    ]


def _keeping(results: list[Run | None], tick: Tick) -> Any:
    """What the engine calls with each finished run."""
    done = 0

    def on_result(index: int, text: str, series: dict[str, np.ndarray[Any, Any]]) -> None:
        nonlocal done
        results[index] = Run.from_engine(text, series)
        done += 1
        tick(done)

    return on_result


def job_of(  # noqa: PLR0913 (as the engine's)
    text: str,
    path: str,
    overrides: Sequence[tuple[str, str]],
    seed: int,
    series_interval_s: float | None,
    *,
    limits: Limits,
) -> Any:
    """One replication, as the engine takes it."""
    most = {"max_events": limits.max_events, "max_wall_s": limits.max_wall_s}
    return core().Job(text, path, list(overrides), seed, series_interval_s, **most)


def _run_looked_at(jobs: Sequence[Any], threads: int, on_result: Any, looks: Looks) -> None:
    """Execute jobs and write the requested files."""
    engine = running_core(series=any(one.series_interval_s is not None for one in jobs))
    if looks.trace is None:
        engine.run_many([_watched(one, i, looks, None) for i, one in enumerate(jobs)], threads, on_result)
        return
    from hoplab.store.trace import TraceFolder  # noqa: PLC0415 (the store takes 50 ms, and only traces need it)

    try:
        looks.trace.mkdir(parents=True, exist_ok=True)
        with TraceFolder(looks.trace, len(jobs)) as folder:
            watched = [_watched(one, i, looks, folder.prefix(i)) for i, one in enumerate(jobs)]
            engine.run_many(watched, threads, on_result)
            folder.finish()
    except OSError as error:
        if error.filename in (looks.pcapng or ()):
            raise
        raise OutputError(f"{looks.trace}: trace cannot be written: {error.strerror or error}") from error


def _watched(one: Any, index: int, looks: Looks, trace: str | None) -> Any:
    """A job that is looked at while it runs."""
    capture = looks.pcapng[index] if looks.pcapng else None
    asked = (one.text, one.path, one.overrides, one.seed, one.series_interval_s)
    return core().Job(*asked, trace, looks.airtime, capture, one.max_events, one.max_wall_s)


def _refuse_too_much(orders: Sequence[Order], interval_s: float | None, *, is_traced: bool) -> None:
    """Refuse samples and results that memory has no room for."""
    count = sum(len(order.seeds) for order in orders)
    if interval_s is None and count < FEW_RUNS:
        return
    needed = 0.0
    for order in orders:
        resolved = order.scenario.resolve()
        flows, nodes = len(resolved.data["flows"]), resolved.facts.nodes
        needed += len(order.seeds) * (RESULT_BYTES + flows * RESULT_FLOW_BYTES)
        if interval_s is not None:
            # A trace is written while its run goes on; the samples of all runs stay.
            traced = (flows * TRACED_PER_FLOW + nodes * TRACED_PER_NODE) * TRACED_BYTES if is_traced else 0
            per_sample = len(order.seeds) * flows * SAMPLE_BYTES + traced
            refuse_interval("series_interval_s", interval_s, float(resolved.data["duration_s"]), per_sample)
    refuse_beyond(f"keeping {count} runs", needed, "use fewer seeds, or a sweep, which stores its runs")


FEW_RUNS = 1000
"""Fewer runs than this are held in memory without a look at their scenarios."""


def interval_of(seconds: Any) -> float:
    """A sampling interval, s.

    Raises
    ------
    UsageError
        If it is none.
    """
    number = number_of(seconds)
    if number is None or number <= 0.0:
        raise UsageError(f"series_interval_s = {seconds!r}: must be greater than 0 s")
    return number


def thread_count(threads: Any) -> int:
    """Number of threads: the argument, or one per core of this process; fewer if memory is limited."""
    if threads is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return threads_that_fit(cores)
    count = integer_of(threads)
    if count is None or not 1 <= count <= MOST_THREADS:
        raise UsageError(f"threads = {threads!r}: expected an integer from 1 to {MOST_THREADS}")
    return threads_that_fit(count)


MOST_THREADS = 4096
"""More threads than any machine that hoplab was tried on has cores."""
