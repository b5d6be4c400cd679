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
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(file=raw(sys.stderr), force_terminal=show),
        transient=True,
    )
    task = bar.add_task(plain(label), total=total)
    started = time.monotonic()
    running = False

    def tick(done: int) -> None:
        nonlocal running
        bar.update(task, completed=done)
        if not running and time.monotonic() - started > _PATIENCE_S:
            bar.start()
            running = True

    try:
        yield tick
    finally:
        bar.stop()


def _silent(done: int) -> None:
    """Show nothing."""
