"""Numbers that several studies read from runs, seed by seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hoplab.running.runs import Run
from hoplab.stats import Interval, mean_interval
from hoplab_studies.shared.study import Grid

Measure = Callable[[Run], float | None]
"""A number of one run; None or NaN where the run does not have it."""


def goodput(run: Run) -> float:
    """Payload in order at all sinks, bit/s."""
    return math.fsum(flow.goodput_bps for flow in run.flows)


def relayed_waiting(run: Run) -> float:
    """Mean number of relayed packets that wait, over all nodes (Little's law)."""
    return math.fsum(node["relayed"] * (node["relay_wait_mean_s"] or 0.0) for node in run.nodes) / run.sim_s


def values(grid: Grid, measure: Callable[[Run], float], **where: Any) -> list[float]:
    """A measure at one point, seed by seed."""
    return [measure(run) for run in grid.at(**where)]


def known(numbers: Iterable[float | None]) -> list[float]:
    """Those that are there."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


def both(a: Sequence[float | None], b: Sequence[float | None]) -> tuple[list[float], list[float]]:
    """Both numbers of the seeds that have both."""
    pairs = [pair for pair in zip(a, b, strict=True) if len(known(pair)) == 2]
    return known(x for x, _ in pairs), known(y for _, y in pairs)


def mean(numbers: Iterable[float | None]) -> float:
    """Mean of those that are there; NaN without any."""
    there = known(numbers)
    return math.fsum(there) / len(there) if there else math.nan


def interval(numbers: Iterable[float | None]) -> Interval | None:
    """Mean and interval over the seeds that have the number; None without any."""
    there = known(numbers)
    return mean_interval(there) if there else None
