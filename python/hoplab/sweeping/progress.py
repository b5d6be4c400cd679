"""The live line of a sweep on stderr: runs done, rate, time left, failures."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hoplab.base.terminal import plain, raw
from hoplab.sweeping.executor import Observer, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def watching(label: str, *, show: bool | None = None) -> Iterator[Observer]:
    """Show the progress of a sweep.

    Parameters
    ----------
    label : str
        What is running.
    show : bool, optional
        True and False decide; by default the line is shown where stderr is a terminal.
    """
    if not (sys.stderr.isatty() if show is None else show):
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        console=Console(file=raw(sys.stderr)),
        transient=True,
    )
    with bar:
        yield _Live(bar, bar.add_task(plain(label), total=None, pace=""))


class _Live:
    """Draws the progress. The rate excludes reused runs."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar = bar
        self._task = task
        self._started = time.monotonic()
        self._total = 0
        self._before = 0
        self._made = 0
        self._failures = 0

    def planned(self, total: int, done: int) -> None:
        self._total = total
        self._before = done - self._made
        self._draw()

    def finished(self) -> None:
        self._made += 1
        self._draw()

    def failed(self) -> None:
        self._failures += 1
        self._draw()

    def _draw(self) -> None:
        elapsed = time.monotonic() - self._started
        left = self._total - self._before - self._made - self._failures
        self._bar.update(
            self._task,
            total=self._total,
            completed=self._before + self._made,
            pace=pace(self._made, elapsed, left, self._failures),
        )


def pace(executed: int, elapsed_s: float, pending: int, failures: int) -> str:
    """Rate, remaining time and failures, as text.

    Parameters
    ----------
    executed, pending, failures : int
        Numbers of executed, pending and failed runs.
    elapsed_s : float
        Time since the start of the first run, in s.
    """
    words = []
    if executed and elapsed_s > 0.0:
        rate = executed / elapsed_s
        words += [f"{rate:.3g} runs/s", f"{duration(pending / rate)} left"]
    if failures:
        words.append(f"{failures} failed")
    return ", ".join(words)


def duration(seconds: float) -> str:
    """A time as text: ``42 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``."""
    if seconds < 10.0:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for (big, big_s), (small, small_s) in (
        (("d", 86400), ("h", 3600)),
        (("h", 3600), ("min", 60)),
        (("min", 60), ("s", 1)),
    ):
        if whole >= big_s:
            rest = whole % big_s // small_s
            return f"{whole // big_s} {big} {rest} {small}" if rest else f"{whole // big_s} {big}"
    return f"{whole} s"


_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
