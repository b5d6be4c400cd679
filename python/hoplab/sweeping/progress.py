"""The live line of sweeps on stderr: runs done, rate, time left, failures."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hoplab.base.progress import left
from hoplab.base.terminal import plain, raw
from hoplab.sweeping.executor import Observer, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Share:
    """What one sweep is of the work that a line shows.

    Attributes
    ----------
    total, done : int
        Planned and stored runs.
    cost_s : float
        Time of one run, in s, or any measure of it: what the sweeps of one line compare in.
    """

    total: int
    done: int
    cost_s: float = 1.0


def shares_of(counts: Sequence[tuple[int, int]], times_s: Sequence[float | None]) -> list[Share]:
    """Sweeps by planned and stored runs, and by the time of the others; all runs cost the same if one is unknown."""
    is_known = sum_s(times_s)
    return [
        Share(total, done, (time_s or 0.0) / (total - done) if is_known and total > done else 1.0)
        for (total, done), time_s in zip(counts, times_s, strict=True)
    ]


def sum_s(times_s: Sequence[float | None]) -> float | None:
    """The sum of times; None if one is unknown."""
    known = [time_s for time_s in times_s if time_s is not None]
    return sum(known) if len(known) == len(times_s) else None


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
    with watching_all(label, [Share(0, 0)], show=show) as observers:
        yield observers[0]


@contextmanager
def watching_all(label: str, shares: Sequence[Share], *, show: bool | None = None) -> Iterator[Sequence[Observer]]:
    """Show the progress of several sweeps in one line; an observer for each. Parameters are those of `watching`."""
    if not (sys.stderr.isatty() if show is None else show):
        yield [Silent() for _ in shares]
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
        yield Line(bar, bar.add_task(plain(label), total=None, pace=""), shares).sweeps


class Line:
    """Draws the progress of sweeps. The rate excludes reused runs."""

    def __init__(self, bar: Any, task: Any, shares: Sequence[Share]) -> None:
        self._bar = bar
        self._task = task
        self._started = time.monotonic()
        self.sweeps = [_Sweep(self, share) for share in shares]

    def draw(self) -> None:
        """Show the counts of all sweeps."""
        elapsed_s = time.monotonic() - self._started
        made = sum(one.made for one in self.sweeps)
        spent = sum(one.made * one.cost_s for one in self.sweeps)
        pending = sum(one.pending * one.cost_s for one in self.sweeps)
        self._bar.update(
            self._task,
            total=sum(one.total for one in self.sweeps),
            completed=made + sum(one.before for one in self.sweeps),
            pace=pace(
                made,
                elapsed_s,
                elapsed_s * pending / spent if spent else None,
                sum(one.failures for one in self.sweeps),
            ),
        )


class _Sweep:
    """The counts of one sweep of a line."""

    def __init__(self, line: Line, share: Share) -> None:
        self._line = line
        self.total, self.before, self.cost_s = share.total, share.done, share.cost_s
        self.made = self.failures = 0

    @property
    def pending(self) -> int:
        """Runs to come."""
        return self.total - self.before - self.made - self.failures

    def planned(self, total: int, done: int) -> None:
        self.total, self.before = total, done - self.made
        self._line.draw()

    def finished(self) -> None:
        self.made += 1
        self._line.draw()

    def failed(self) -> None:
        self.failures += 1
        self._line.draw()


def pace(executed: int, elapsed_s: float, left_s: float | None, failures: int) -> str:
    """Rate, remaining time and failures, as text.

    Parameters
    ----------
    executed, failures : int
        Numbers of executed and failed runs.
    elapsed_s : float
        Time since the start of the first run, in s.
    left_s : float or None
        Time until the last is done, in s; None if unknown.
    """
    words = []
    if executed and elapsed_s > 0.0:
        words.append(f"{executed / elapsed_s:.3g} runs/s")
        words += [] if left_s is None else [left(left_s)]
    if failures:
        words.append(f"{failures} failed")
    return ", ".join(words)
