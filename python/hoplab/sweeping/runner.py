"""What a sweep needs of an engine, and the compiled engine as one.

A sweep knows engines by the protocol `Runner` alone; tests bring one that fails on purpose.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hoplab.base.engine import core, running_core
from hoplab.base.errors import is_command_line
from hoplab.running.execution import job_of
from hoplab.running.limits import NONE, Limits
from hoplab.scenario import controllers
from hoplab.scenario.user_classes import UserClass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Series = dict[str, Any]
"""Sampled series of one run: name to NumPy array; `t_s` in seconds."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run to make. Plain values, so that it can be sent to another machine.

    Attributes
    ----------
    id : str
        Name of the run in the run store.
    text, path : str
        The scenario file without its sweep, and its name for messages.
    overrides : tuple of (str, str)
        Key and TOML value, in order.
    seed : int
        Seed of the replication.
    series_interval_s : float or None
        Sampling interval of the series, s.
    """

    id: str
    text: str
    path: str
    overrides: tuple[tuple[str, str], ...]
    seed: int
    series_interval_s: float | None


class Runner(Protocol):
    """An engine: resolves scenarios and makes runs."""

    @property
    def version(self) -> str:
        """The engine's version, part of every run's id."""

    def resolve(self, text: str, path: str, overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """The scenario with every default filled in: `scenario` (SI numbers), `toml`, `warnings`, `facts`.

        Raises
        ------
        Exception
            The engine's error, with attributes `path`, `line`, `key`, `expected` and `hint`, for an invalid scenario.
        """

    def run(
        self,
        tasks: Sequence[Task],
        threads: int,
        on_result: Callable[[int, str, Series], None],
        on_failure: Callable[[int, Exception], None] | None = None,
    ) -> None:
        """Make runs on so many threads; calls `on_result(index, json, series)` here, in the order they finish.

        A failed run is reported to `on_failure(index, error)`; the others continue.

        Raises
        ------
        Exception
            What a callback raised, or without `on_failure` the engine's own where a run broke; runs not yet reported
            are then lost.
        """


class CoreRunner:
    """The compiled engine, `hoplab._core`. Sent to another process, it takes the controllers of this one along.

    Parameters
    ----------
    limits : Limits
        When a run is ended, and counts as failed.
    """

    def __init__(self, limits: Limits = NONE) -> None:
        self._limits = limits

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments, with the controllers."""
        return _core_runner, (controllers.held(), self._limits)

    @property
    def version(self) -> str:
        """The engine's version."""
        return str(core().version())

    def resolve(self, text: str, path: str, overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """See `Runner.resolve`."""
        answer = core().resolve(text, path, list(overrides), as_options=is_command_line())
        resolved: dict[str, Any] = json.loads(answer)
        return resolved

    def run(
        self,
        tasks: Sequence[Task],
        threads: int,
        on_result: Callable[[int, str, Series], None],
        on_failure: Callable[[int, Exception], None] | None = None,
    ) -> None:
        """See `Runner.run`."""
        engine = running_core(series=any(task.series_interval_s is not None for task in tasks))
        jobs = [
            job_of(task.text, task.path, task.overrides, task.seed, task.series_interval_s, limits=self._limits)
            for task in tasks
        ]
        engine.run_many(jobs, threads, on_result, on_failure)


def _core_runner(held: dict[str, type[UserClass]], limits: Limits = NONE) -> CoreRunner:
    controllers.hold(held)
    return CoreRunner(limits)
