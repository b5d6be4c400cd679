"""Storing runs beside making them.

A run is stored in some 10 ms, most of it waiting for the disk, and a short run is made in as many. A few threads
store while the engine goes on; what they have stored is reported in the thread that hands runs in.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from hoplab.sweeping.runner import Series, Task

WRITERS = 4
WAITING = 32
"""Finished runs that wait to be stored; the engine waits when there are more, so that memory is bounded."""


class Keeper:
    """Stores runs from several threads.

    Leaving it waits until every run handed in is stored, whatever ended the sweep.

    Parameters
    ----------
    store : callable
        Stores one run; called in a thread.
    stored : callable
        Told of each stored run, in the thread that calls `keep`.
    """

    def __init__(self, store: Callable[[Task, str, Series], None], stored: Callable[[Task], None]) -> None:
        self._store = store
        self._stored = stored
        self._pool = ThreadPoolExecutor(WRITERS, thread_name_prefix="hoplab-store")
        self._waiting: deque[tuple[Task, Future[None]]] = deque()

    def keep(self, task: Task, text: str, series: Series) -> None:
        """Hand a finished run in.

        Raises
        ------
        OSError
            If this run or an earlier one could not be stored.
        """
        self._waiting.append((task, self._pool.submit(self._store, task, text, series)))
        if len(self._waiting) > WAITING:
            wait([self._waiting[0][1]])
        while self._waiting and self._waiting[0][1].done():
            self._report()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                while self._waiting:
                    self._report()
        finally:
            self._pool.shutdown(wait=True)

    def _report(self) -> None:
        task, future = self._waiting.popleft()
        future.result()
        self._stored(task)
