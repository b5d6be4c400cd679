"""Shares of the possible of runs: what they carried over what the bounds from above allow."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.base.errors import InputError
from hoplab.bounding.bounds import Limits, limits
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab.store import files, open_results
from hoplab.store.run_store import RunStore
from hoplab.store.shares import POSSIBLE, Shares, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hoplab.running.runs import Run, Runs


@dataclass(frozen=True, slots=True)
class RunShare:
    """Shares of one run, as `Shares`."""

    possible: float
    fair: float
    strict: bool


def run_shares(runs: Runs) -> list[RunShare]:
    """The shares of each run, by bounds from above. Networks that a seed draws have a bound per seed.

    Raises
    ------
    InputError
        As `bound`.
    """
    return _each(runs.scenario, ((run.seed, run) for run in runs))


def shares(runs: Runs) -> Shares:
    """The shares of some runs: means with intervals.

    Raises
    ------
    InputError
        As `bound`.
    """
    return mean_shares(run_shares(runs))


def mean_shares(found: Sequence[RunShare]) -> Shares:
    """Means with intervals."""
    possible, fair = mean_interval([one.possible for one in found]), mean_interval([one.fair for one in found])
    return Shares(possible, fair, all(one.strict for one in found))


def json_lines(lines: str, found: Sequence[RunShare]) -> str:
    """Objects of runs, one per line, with the shares of each."""

    def number(value: float) -> float | None:
        return value if math.isfinite(value) else None

    rows = zip(lines.splitlines(), found, strict=True)
    return "".join(
        json.dumps({**json.loads(line), "possible_share": number(one.possible), "fair_share": number(one.fair)}) + "\n"
        for line, one in rows
    )


def store_shares(root: Path) -> dict[int, str]:
    """Bound the network of each point of a sweep, and keep the shares of its stored runs beside them.

    Returns
    -------
    dict
        Points without a bound, and why.

    Raises
    ------
    OutputError
        If the directory cannot be written.
    """
    results = open_results(root)
    store, done = RunStore(root), set(results.done)
    found: dict[int, Shares] = {}
    without: dict[int, str] = {}
    for point in results.catalog.points:
        runs = [(seed, run) for seed, run in zip(point.seeds, point.runs, strict=True) if run in done]
        if not runs:
            continue
        scenario = Scenario.from_file(store.path_of(runs[0][1]) / "scenario.toml")
        rates = (
            (seed, [float(flow["goodput_bps"] or 0.0) for flow in store.result(run)["flows"]]) for seed, run in runs
        )
        try:
            found[point.point] = mean_shares(_each(scenario, rates))
        except InputError as error:
            without[point.point] = str(error).splitlines()[0]
    try:
        files.replace(root / POSSIBLE, to_json(found).encode())
    except OSError as error:
        raise files.output_error(error, root) from error
    return without


def _each(scenario: Scenario, runs: Iterable[tuple[int, Run | Sequence[float]]]) -> list[RunShare]:
    """The shares of runs by seed."""
    limit: Limits | None = None
    is_drawn = _is_drawn(scenario)
    found = []
    for seed, run in runs:
        if limit is None or is_drawn:
            limit = limits(scenario, seed=seed)
        found.append(RunShare(limit.share(run), limit.fair_share(run), limit.strict))
    return found


def _is_drawn(scenario: Scenario) -> bool:
    """Whether the networks or flows of seeds differ."""
    data = scenario.resolve().data
    return bool(data["topology"].get("drawn")) or "mobility" in data or "traffic" in data
