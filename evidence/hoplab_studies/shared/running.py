"""Execute the runs of a study: each series is a sweep whose stored runs are reused."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.running.execution import thread_count
from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab.store.columns import connect, readable
from hoplab.store.run_store import RunStore
from hoplab.sweeping import Backend, CoreRunner, Outcome, Plan, Request, run_plan
from hoplab.sweeping.backend import LocalBackend
from hoplab.sweeping.estimate import estimate
from hoplab.sweeping.executor import Observer, Silent
from hoplab_studies.shared.study import DEFAULT, Grid, Part, Settings, Variation

if TYPE_CHECKING:
    from hoplab.sweeping.runner import Series

RUNS = "runs"
"""Directory of the stored runs, below that of the report."""

ALONE = "alone"
"""Part of directory names of isolated flows."""


@dataclass(frozen=True)
class Job:
    """One series of one part; `alone` is the index of the isolated flow, None for all flows."""

    part: Part
    variation: Variation
    plan: Plan
    root: Path
    alone: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Names of the part and the series."""
        return self.part.name, self.variation.name

    @property
    def count(self) -> int:
        """Planned runs."""
        return sum(len(seeds) for seeds in self.plan.seeds.values())


def jobs_of(parts: Sequence[Part], seeds: int, folder: Path) -> list[Job]:
    """Plan every series, without executing runs."""
    core = CoreRunner()
    jobs = []
    for part in parts:
        runner = part.runner or core
        for variation in part.series:
            scenario = scenario_of(part, variation)
            axes, interval_s = part.axes_of(variation), part.series_interval_s
            request = Request(scenario, (), axes, seeds=seeds, series_interval_s=interval_s)
            root = folder / RUNS / f"{part.name}-{variation.name}"
            jobs.append(Job(part, variation, request.plan(runner), root))
            for flow in range(len(scenario.resolve().data["flows"])) if part.alone else ():
                request = Request(_alone(part, variation, flow), (), axes, seeds=seeds)
                jobs.append(
                    Job(part, variation, request.plan(runner), root.with_name(f"{root.name}-{ALONE}-{flow}"), flow)
                )
    return jobs


def pending_series(parts: Sequence[Part], seeds: int, folder: Path) -> list[str]:
    """Names of series of which runs are not stored."""
    open_series = dict.fromkeys(
        job.variation.name
        for job in jobs_of(parts, seeds, folder)
        if job.variation.name != DEFAULT and not is_stored(job)
    )
    return list(open_series)


def is_stored(job: Job) -> bool:
    """Whether every run of a job is stored."""
    return pending(job) == 0


def pending(job: Job) -> int:
    """Runs of a job that are not stored."""
    store = RunStore(job.root)
    return sum(store.state(run) != "done" for _, _, run in job.plan.runs())


def _alone(part: Part, variation: Variation, flow: int) -> Scenario:
    """A part's scenario with one flow in isolation, before axes are set."""
    own = tomllib.loads(part.scenario.text)["flow"][flow]
    return replace(part.scenario.with_({"flow": [own], **variation.changes}), path=f"{part.name}.toml")


def scenario_of(part: Part, variation: Variation) -> Scenario:
    """A part's scenario under one variation."""
    return replace(part.scenario.with_(variation.changes), path=f"{part.name}.toml")


def expected_s(jobs: Sequence[Job], threads: int | None) -> list[float | None]:
    """Estimated wall time of each job's pending runs, in s, from short trials; None if all of its trials failed."""
    runner, count = CoreRunner(), thread_count(threads)
    return [
        estimate(job.plan, job.root, runner, count).wall_s
        if job.part.runner is None
        else pending(job) * job.part.runner.run_s / count
        for job in jobs
    ]


def execute(
    job: Job, backend: Backend, *, observer: Observer | None = None, retry: bool = False, threads: int | None = None
) -> Outcome:
    """Execute the pending runs of a series; `retry` includes quarantined runs.

    Runs of a part with a runner of its own are executed on so many `threads` of this machine.
    """
    if job.part.runner is not None:
        backend = LocalBackend(job.part.runner, thread_count(threads))
    return run_plan(job.plan, job.root, backend, observer=observer or Silent(), retry=retry)


def grids_of(jobs: Sequence[Job]) -> dict[tuple[str, str], Grid]:
    """Stored runs of completed series, by part and series."""
    whole = {job.key: grid_of(job) for job in jobs if job.alone is None}
    alone: dict[tuple[str, str], list[Grid]] = {}
    for job in jobs:
        if job.alone is not None:
            alone.setdefault(job.key, []).append(grid_of(job))
    found = {key: replace(grid, alone=tuple(alone.get(key, ()))) for key, grid in whole.items()}
    reuse = {job.key: job.variation.reuse for job in jobs if job.variation.reuse}
    return {key: grid.over(found[key[0], DEFAULT], reuse[key]) if key in reuse else grid for key, grid in found.items()}


def grid_of(job: Job) -> Grid:
    """Stored runs of one job."""
    store = RunStore(job.root)
    points: dict[Settings, Runs] = {}
    base = scenario_of(job.part, job.variation) if job.alone is None else _alone(job.part, job.variation, job.alone)
    series: Mapping[str, Series] = {}
    if job.part.series_interval_s and job.alone is None:
        series = _all_series(store, [run for _, _, run in job.plan.runs()])
    for point in job.plan.points:
        runs = tuple(_read(store, job.plan.id_of(point, seed), series) for seed in job.plan.seeds[point.index])
        points[point.settings] = Runs(base.with_(dict(point.settings)), runs)
    return Grid(job.part.axes_of(job.variation), points)


def _read(store: RunStore, run: str, series: Mapping[str, Series]) -> Run:
    result = store.result(run)
    result["cpu_s"] = ((store.manifest(run) or {}).get("made") or {}).get("cpu_s") or 0.0
    return Run.from_engine(json.dumps(result), series.get(run, {}))


def _all_series(store: RunStore, ids: Sequence[str]) -> dict[str, Series]:
    """Sampled windows by run, in the engine's form: `t_s`, `flow`, `cwnd` (segments)."""
    import numpy as np

    places = [str(store.path_of(run) / "series.parquet") for run in ids]
    query = (
        "SELECT run, t_ns, CAST(substr(entity, 6) AS INTEGER) AS flow, value FROM read_parquet(?) "
        "WHERE metric = 'cwnd' ORDER BY run, flow, t_ns"
    )
    with connect() as connection, readable("the stored series"):
        found: Mapping[str, Any] = connection.execute(query, [places]).fetchnumpy()
    names = np.asarray(found["run"], dtype=str)
    changes = np.flatnonzero(names[1:] != names[:-1]) + 1
    first = [0, *map(int, changes), len(names)]
    series = {}
    for start, end in itertools.pairwise(first):
        series[str(names[start])] = {
            "t_s": np.asarray(found["t_ns"][start:end]) * 1e-9,
            "flow": np.asarray(found["flow"][start:end], dtype=np.int32),
            "cwnd": np.asarray(found["value"][start:end], dtype=np.float64),
        }
    return series
