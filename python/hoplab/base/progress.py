"""A progress bar on stderr: only on a terminal, and only once the work has taken a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from hoplab.base.terminal import plain, raw

_PATIENCE_S = 1.0


class Tick(Protocol):
    """Called with the number of finished runs."""

    def __call__(self, done: int) -> None:
        """Show that `done` runs are finished."""


@contextmanager
def progress_bar(total: int, label: str, *, show: bool | None = None) -> Iterator[Tick]:
    """Show how many of `total` runs are done.

    Parameters
    ----------
    total : int
        Runs in all.
    label : str
        What is running.
    show : bool, optional
        True and False decide; by default the bar is shown where stderr is a terminal.
    """
    if not (sys.stderr.isatty() if show is None else show):
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        console=Console(file=raw(sys.stderr), force_terminal=show),
        transient=True,
    )
    task = bar.add_task(plain(label), total=total, pace="")
    started = time.monotonic()
    running = False

    def tick(done: int) -> None:
        nonlocal running
        elapsed = time.monotonic() - started
        bar.update(task, completed=done, pace=left(elapsed / done * (total - done)) if done else "")
        if not running and elapsed > _PATIENCE_S:
            bar.start()
            running = True

    try:
        yield tick
    finally:
        bar.stop()


def _silent(done: int) -> None:
    """Show nothing."""


def left(seconds: float) -> str:
    """The remaining time of a progress bar."""
    return f"{duration(seconds)} left"


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
