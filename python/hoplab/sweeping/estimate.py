"""How long a sweep will take, from what its runs took before or from a few short trials.

A trial simulates a few seconds of a point and is scaled to its duration. A network that is still filling costs less
per second than a full one, so that the estimate is one of size: within a factor of two, not of ten percent.
Storing a run is timed too, in the system's temporary directory: short runs are stored no faster than they are made.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from hoplab.base.scratch import scratch
from hoplab.store.run_store import RunStore
from hoplab.sweeping.executor import START_SEEDS
from hoplab.sweeping.run_writer import WRITERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hoplab.sweeping.plan import Plan, Point
    from hoplab.sweeping.runner import Runner

TRIALS = 5
TRIAL_S = 2.0
"""Simulated seconds of a trial, after the last flow has started."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep would do.

    Attributes
    ----------
    points, runs : int
        Points, and different runs of them all.
    done : int
        Runs that are stored whole.
    quarantined : int
        Runs that failed too often and would not be tried.
    cpu_s : float or None
        CPU time of the pending runs, s; None where every trial failed.
    wall_s : float or None
        The same spread over the threads, with the time to store, s.
    basis : str
        Basis of the estimate, as text.
    open_end : bool
        Whether `precision` may add runs.
    """

    points: int
    runs: int
    done: int
    quarantined: int
    cpu_s: float | None
    wall_s: float | None
    basis: str
    open_end: bool

    @property
    def pending(self) -> int:
        """Runs that would be executed."""
        return self.runs - self.done - self.quarantined


def estimate(plan: Plan, root: Path, runner: Runner, threads: int) -> Estimate:
    """Count the runs of a plan and estimate their time; writes no file.

    Parameters
    ----------
    plan : Plan
        What would run.
    root : Path
        Directory of the results; may be absent.
    runner : Runner
        Makes the trials.
    threads : int
        Runs at a time.
    """
    store = RunStore(root)
    wanted: dict[str, Point] = {}
    for point, _, run in plan.runs():
        wanted.setdefault(run, point)
    first = min((len(seeds) for seeds in plan.seeds.values()), default=1)
    factor = START_SEEDS if plan.sweep.precision is not None and first == 1 else 1
    done = [run for run in wanted if store.state(run) == "done"]
    stored = set(done)
    quarantined = [
        run
        for run in wanted
        if run not in stored and (failure := store.failure(run)) is not None and failure.quarantined
    ]
    settled = {*done, *quarantined}
    per_point: dict[int, int] = {}
    for run, point in wanted.items():
        if run not in settled:
            per_point[point.index] = per_point.get(point.index, 0) + 1
    measured = _measured(store, wanted, done)
    trials = {} if measured and set(per_point) <= set(measured) else _trials(plan, runner, sorted(per_point), measured)
    costs = {**trials, **measured}
    total = _total(per_point, costs) if costs or not per_point else None
    basis = _words(len(measured), len(trials))
    return Estimate(
        points=len(plan.points),
        runs=len(wanted) * factor,
        done=len(done),
        quarantined=len(quarantined),
        cpu_s=None if total is None else total.cpu_s * factor,
        wall_s=None if total is None else (total.cpu_s / threads + total.storing_s / WRITERS) * factor,
        basis=basis,
        open_end=plan.sweep.precision is not None,
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run, or many, take: CPU time of the engine, and time to store, s."""

    cpu_s: float
    storing_s: float


def _measured(store: RunStore, wanted: dict[str, Point], done: list[str]) -> dict[int, Cost]:
    """Cost of a run of each point that has one in the run store."""
    found: dict[int, list[Cost]] = {}
    for run in done:
        made = (store.manifest(run) or {}).get("made") or {}
        if isinstance(made.get("cpu_s"), int | float):
            cost = Cost(float(made["cpu_s"]), float(made.get("storing_s") or 0.0))
            found.setdefault(wanted[run].index, []).append(cost)
    return {
        index: Cost(fmean(cost.cpu_s for cost in costs), fmean(cost.storing_s for cost in costs))
        for index, costs in found.items()
    }


def _trials(plan: Plan, runner: Runner, points: list[int], measured: dict[int, Cost]) -> dict[int, Cost]:
    """Cost of a run of some points, evenly spread over those without a measurement."""
    open_points = [index for index in points if index not in measured]
    count = min(TRIALS, len(open_points))
    chosen = {open_points[round(k * (len(open_points) - 1) / max(count - 1, 1))] for k in range(count)}
    costs: dict[int, Cost] = {}
    with scratch("trials") as folder:
        for index in sorted(chosen):
            cost = _trial(plan, runner, plan.points[index], RunStore(folder))
            if cost is not None:
                costs[index] = cost
    return costs


def _trial(plan: Plan, runner: Runner, point: Point, store: RunStore) -> Cost | None:
    scenario = point.scenario
    duration_s = float(scenario.get("duration_s", TRIAL_S))
    started_s = _started_s(scenario)
    trial_s = min(duration_s, started_s + TRIAL_S)
    seed = plan.seeds[point.index][0]
    task = plan.task(point, seed)
    short = (("warmup", '"0 s"'), ("duration", f'"{trial_s!r} s"'))
    task = replace(task, overrides=(*task.overrides, *short))
    made: list[str] = []
    try:
        runner.run([task], 1, lambda _, text, __: made.append(text))
    except Exception:  # noqa: BLE001 (a failed trial yields no estimate; the sweep reports the cause)
        return None
    header = plan.header(task)
    storing: list[float] = []
    for turn in range(2):  # the first also loads DuckDB
        before = time.perf_counter()
        store.commit(replace(header, id=f"{header.id}{turn}"), made[0], None)
        storing.append(time.perf_counter() - before)
    cpu_s = float(json.loads(made[0]).get("cpu_s") or 0.0)
    active = max(_flow_s(scenario, trial_s), 1e-9)
    return Cost(cpu_s * max(_flow_s(scenario, duration_s), active) / active, min(storing))


def _flow_s(scenario: Mapping[str, Any], until_s: float) -> float:
    """Seconds of all flows together until then: what a run costs goes with them, not with the time before."""
    starts = [float(flow.get("start_s") or 0.0) for flow in scenario.get("flows", [])]
    return sum(max(until_s - start, 0.0) for start in starts or [0.0])


def _started_s(scenario: Mapping[str, Any]) -> float:
    """When all flows have started, whatever seed draws their starts, s."""
    traffic = scenario.get("traffic") or {}
    drawn = float(traffic.get("start_s") or 0.0) + float(traffic.get("start_window_s") or 0.0)
    return max([drawn, *(float(flow.get("start_s") or 0.0) for flow in scenario.get("flows", []))])


def _total(per_point: dict[int, int], costs: dict[int, Cost]) -> Cost:
    """Each point costs what its nearest neighbor with a known cost does."""
    known = sorted(costs)
    cpu_s = storing_s = 0.0
    for point, count in per_point.items():
        distances = {abs(index - point): index for index in reversed(known)}
        cost = costs[distances[min(distances)]]
        cpu_s += count * cost.cpu_s
        storing_s += count * cost.storing_s
    return Cost(cpu_s, storing_s)


def _words(measured: int, trials: int) -> str:
    parts = []
    if measured:
        parts.append(f"stored runs of {measured} point{'s' if measured > 1 else ''}")
    if trials:
        parts.append(f"{trials} short trial{'s' if trials > 1 else ''}")
    return " and ".join(parts) or "no measured run"
