"""Shares of the possible of the stored runs of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoplab.base.errors import InputError
from hoplab.bounding.bounds import Bound, bound
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab.store.possible import StoredShare
from hoplab.store.run_store import RunStore

if TYPE_CHECKING:
    from hoplab.store import Results


def stored_shares(results: Results) -> tuple[dict[int, StoredShare], dict[int, str]]:
    """Shares by point, and why points have none.

    Networks that a seed draws have a bound per seed; all others one per point.
    """
    store, done = RunStore(results.path), set(results.done)
    found: dict[int, StoredShare] = {}
    without: dict[int, str] = {}
    for point in results.catalog.points:
        runs = [(seed, run) for seed, run in zip(point.seeds, point.runs, strict=True) if run in done]
        if not runs:
            continue
        scenario = Scenario.from_file(store.path_of(runs[0][1]) / "scenario.toml")
        try:
            found[point.point] = _share(scenario, store, runs)
        except InputError as error:
            without[point.point] = str(error).splitlines()[0]
    return found, without


def is_drawn(scenario: Scenario) -> bool:
    """Whether the networks or flows of seeds differ."""
    data = scenario.resolve().data
    return bool(data["topology"].get("drawn")) or "mobility" in data or "traffic" in data


def _share(scenario: Scenario, store: RunStore, runs: list[tuple[int, str]]) -> StoredShare:
    limits: dict[int | None, Bound] = {}
    possible, fair = [], []
    for seed, run in runs:
        key = seed if is_drawn(scenario) else None
        if key not in limits:
            limits[key] = bound(scenario, schedule=False, seed=seed)
        rates = [float(flow["goodput_bps"] or 0.0) for flow in store.result(run)["flows"]]
        possible.append(limits[key].share(rates))
        fair.append(limits[key].fair_share(rates))
    strict = all(limit.strict for limit in limits.values())
    return StoredShare(mean_interval(possible), mean_interval(fair), strict)
