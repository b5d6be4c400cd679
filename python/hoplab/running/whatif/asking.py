"""Run every variant of a scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hoplab.base.errors import InputError, UsageError, is_command_line
from hoplab.base.metrics import metric_of
from hoplab.running.execution import Order, run_orders, thread_count, try_orders
from hoplab.running.limits import NONE, Limits
from hoplab.running.runs import Run, Runs
from hoplab.running.seeds import Seeds, seeds_of
from hoplab.running.whatif.changes import Change, Network, changes_of, chosen_groups
from hoplab.running.whatif.effects import Refused, Variant, WhatIf
from hoplab.scenario.model import Scenario

NOTHING = "nodes need relays, gateways need wires, channels need radios of a [[node]]"
"""Why a scenario has nothing to change."""
MOST_RUNS = 100_000
"""Limit of runs of one question, which are kept in memory."""


@dataclass(frozen=True)
class Plan:
    """What would run: the scenario as given, and with each change that the engine takes."""

    scenario: Scenario
    seeds: tuple[int, ...]
    variants: tuple[tuple[Change, Scenario], ...]
    refused: tuple[Refused, ...]
    limits: Limits = NONE

    @property
    def runs(self) -> int:
        """Number of runs."""
        return (1 + len(self.variants)) * len(self.seeds)

    @cached_property
    def first(self) -> Run:
        """The run of the scenario as given with the first seed."""
        (runs,) = run_orders([Order(self.scenario, self.seeds[:1])], threads=1, limits=self.limits, progress=False)
        return runs[0]

    def seconds(self, threads: int | None = None) -> float:
        """About how long all runs take, s: each as long as the first, which is executed."""
        return self.first.cpu_s * self.runs / min(thread_count(threads), self.runs)

    def run(self, *, metric: str = "goodput_bps", threads: int | None = None, progress: bool | None = None) -> WhatIf:
        """Execute all runs.

        Raises
        ------
        LimitError, EngineError
            If a run of the scenario as given fails; a change with such a run counts as refused.
        """
        first = self.first
        orders = [Order(self.scenario, self.seeds[1:]), *(Order(one, self.seeds) for _, one in self.variants)]
        rest, *others = try_orders(orders, threads=threads, limits=self.limits, progress=progress, label="what if")
        if isinstance(rest, Exception):
            raise rest
        variants, refused = [], [*self.refused]
        for (change, _), runs in zip(self.variants, others, strict=True):
            if isinstance(runs, Exception):
                refused.append(Refused(change, _reason(runs)))
            else:
                variants.append(Variant(change, runs))
        baseline = Runs(self.scenario, (first, *rest))
        return WhatIf(self.scenario, self.seeds, baseline, tuple(variants), tuple(refused), metric)


def plan(scenario: Scenario, *, only: Sequence[str] | None = None, seeds: Seeds = 10, limits: Limits = NONE) -> Plan:
    """All changes of a scenario; see `whatif`.

    Raises
    ------
    UsageError
        If the seeds or kinds of changes make no sense, or there are too many runs.
    InputError
        If the scenario has nothing of these kinds to change.
    """
    chosen = seeds_of(seeds, scenario.seed)
    variants, refused = [], []
    engine_error = _engine_error()
    changes = changes_of(Network(scenario, chosen), only)
    if not changes:
        raise InputError(f"{scenario.path}: nothing to change of {', '.join(chosen_groups(only))}", hint=NOTHING)
    for change in changes:
        try:
            variants.append((change, change.applied(scenario)))
        except engine_error as error:
            refused.append(Refused(change, _reason(error)))
    found = Plan(scenario, chosen, tuple(variants), tuple(refused), limits)
    if found.runs > MOST_RUNS:
        hint = "use --only or fewer --seeds" if is_command_line() else "use only or fewer seeds"
        raise UsageError(f"{found.runs:,} runs, expected at most {MOST_RUNS:,}", hint=hint)
    return found


def whatif(  # noqa: PLR0913 (all but the first by keyword)
    scenario: Scenario | str | Path,
    *,
    only: Sequence[str] | None = None,
    metric: str = "goodput_bps",
    seeds: Seeds = 10,
    threads: int | None = None,
    max_events: int | None = None,
    max_wall_s: float | None = None,
    progress: bool | None = None,
) -> WhatIf:
    """Run a scenario with one thing changed at a time: each relay off, each gateway, channel, retry limit, queue.

    Parameters
    ----------
    scenario : Scenario, str or Path
        The scenario, or its TOML file.
    only : sequence of str, optional
        Kinds of changes: ``nodes``, ``gateways``, ``channels``, ``retries``, ``rts``, ``queues``, ``routing``; by
        default all.
    metric : str
        The measure that ranks the changes; all flows together.
    seeds : int, str or iterable of int
        As for `run`; ten by default. All changes see the same seeds.
    threads, max_events, max_wall_s, progress
        As for `run`. A change with a run that exceeds a limit counts as refused.

    Returns
    -------
    WhatIf

    Raises
    ------
    UsageError
        If a kind of changes is unknown.
    InputError
        If the metric is unknown, or nothing of these kinds can be changed.
    LimitError
        If a run of the scenario as given exceeds a limit.

    Examples
    --------
    >>> chain = Scenario.from_dict(duration="5 s", topology={"kind": "chain", "hops": 2}, flow=[{}])
    >>> found = whatif(chain, only=["nodes"], seeds=3)
    >>> print(found.headline())
    Without node 1 goodput falls by 100 %.
    """
    metric_of(metric)
    wanted = plan(Scenario.of(scenario), only=only, seeds=seeds, limits=Limits(max_events, max_wall_s))
    return wanted.run(metric=metric, threads=threads, progress=progress)


def _engine_error() -> type[Exception]:
    from hoplab import ScenarioError  # noqa: PLC0415 (loads the engine)

    return ScenarioError


def _reason(error: Exception) -> str:
    """The first line of an error, without the place in the file."""
    return _PLACE.sub("", str(error).splitlines()[0])


_PLACE = re.compile(r"(?:override|--set) [^:]+: |.*:\d+: ")
"""Where the engine found an error: an override, or a line of a file."""
