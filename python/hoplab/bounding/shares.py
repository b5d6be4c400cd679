"""Shares of the possible of all replications of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.bounding.bounds import Bound, bound
from hoplab.bounding.stored import is_drawn
from hoplab.stats import Interval, mean_interval

if TYPE_CHECKING:
    from hoplab.running.runs import Runs


@dataclass(frozen=True, slots=True)
class Shares:
    """Means over replications.

    Attributes
    ----------
    possible : Interval
        How far along its own direction a run got; 1 at the bound of `dcf`.
    fair : Interval
        The worst flow's goodput over the max-min fair rate.
    strict : bool
        Whether no run can be above the bound.
    """

    possible: Interval
    fair: Interval
    strict: bool


def shares(runs: Runs) -> Shares:
    """The shares of some runs, by bounds from above. Networks that a seed draws have a bound per seed.

    Raises
    ------
    InputError
        As `bound`.
    """
    limits: dict[int | None, Bound] = {}
    possible, fair = [], []
    for run in runs:
        key = run.seed if is_drawn(runs.scenario) else None
        if key not in limits:
            limits = {key: bound(runs.scenario, schedule=False, seed=run.seed)}
        possible.append(limits[key].share(run))
        fair.append(limits[key].fair_share(run))
    return Shares(mean_interval(possible), mean_interval(fair), all(limit.strict for limit in limits.values()))
