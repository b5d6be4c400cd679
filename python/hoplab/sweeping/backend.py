"""Backends that execute runs: this machine's cores; `ray_backend` has Ray."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hoplab.sweeping.runner import Runner, Series, Task

    OnFinished = Callable[[Task, str, Series], None]
    """Stores a run; what it raises ends the sweep."""
    OnFailed = Callable[[Task, str, int], None]
    """Records a failed run: error and number of attempts."""


class Backend(Protocol):
    """Makes runs and reports each in the calling thread, in the order they finish."""

    def execute(self, tasks: Sequence[Task], on_finished: OnFinished, on_failed: OnFailed) -> None:
        """Make every run once; returns when each is reported.

        Raises
        ------
        Exception
            Exceptions of `on_finished` and `on_failed`; KeyboardInterrupt on Ctrl-C.
        """


class LocalBackend:
    """The engine's own threads.

    The engine reports a failed run and continues. If a run ends its whole batch, bisecting the remaining runs isolates
    it, and every other run is executed.

    Parameters
    ----------
    runner : Runner
        The engine.
    threads : int
        Runs at a time.
    """

    def __init__(self, runner: Runner, threads: int) -> None:
        self._runner = runner
        self._threads = threads

    def execute(self, tasks: Sequence[Task], on_finished: OnFinished, on_failed: OnFailed) -> None:
        """See `Backend.execute`."""
        waiting = deque([list(tasks)])
        while waiting:
            batch = waiting.popleft()
            if not batch:
                continue
            left, error = self._batch(batch, on_finished, on_failed)
            if error is None:
                continue
            if len(left) == 1:
                on_failed(left[0], _told(error), 1)
            else:
                middle = (len(left) + 1) // 2
                waiting.extendleft([left[middle:], left[:middle]])

    def _batch(
        self, batch: Sequence[Task], on_finished: OnFinished, on_failed: OnFailed
    ) -> tuple[list[Task], Exception | None]:
        """Make a batch; returns what is left of it and the engine's error, if it broke."""
        reported: set[int] = set()
        storing: BaseException | None = None

        def tell(index: int, how: Callable[[], None]) -> None:
            """Report a run; what that raises is the caller's and ends the sweep, whatever the engine makes of it."""
            nonlocal storing
            try:
                how()
            except BaseException as error:
                storing = error
                raise
            reported.add(index)

        def on_result(index: int, text: str, series: Series) -> None:
            tell(index, lambda: on_finished(batch[index], text, series))

        def on_failure(index: int, failed: Exception) -> None:
            tell(index, lambda: on_failed(batch[index], _told(failed), 1))

        error: Exception | None = None
        try:
            self._runner.run(batch, self._threads, on_result, on_failure)
        except Exception as raised:  # noqa: BLE001 (any error of a run is recorded with the line that replays it)
            error = raised
        if storing is not None:
            raise storing
        left = [task for index, task in enumerate(batch) if index not in reported]
        if left and error is None:
            error = RuntimeError(f"the engine returned {len(reported)} of {len(batch)} runs")
        return left, error


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
