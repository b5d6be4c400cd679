"""Storing runs beside making them.

A run is stored in some 10 ms, most of it waiting for the disk, and a short run is made in as many. A few threads
store while the engine goes on; what they have stored is reported in the thread that hands runs in.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

from hoplab.running.memory import threads_that_fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from hoplab.sweeping.runner import Series, Task

WRITERS = 4
WAITING = 32
"""Finished runs that wait to be stored; the engine waits when there are more, so that memory is bounded."""


class RunWriter:
    """Stores runs from several threads.

    Leaving it waits until every run handed in is stored, whatever ended the sweep.

    Parameters
    ----------
    store : callable
        Stores one run; called in a thread.
    stored : callable
        Called with each stored run, in the thread that calls `keep`.
    """

    def __init__(self, store: Callable[[Task, str, Series], None], stored: Callable[[Task], None]) -> None:
        self._store = store
        self._stored = stored
        self._waiting: deque[tuple[Task, Future[None]]] = deque()
        self._inbox: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        for number in range(threads_that_fit(WRITERS)):
            thread = threading.Thread(target=self._work, name=f"hoplab-store-{number}")
            try:
                thread.start()
            except RuntimeError:  # the system starts no more threads: existing ones or the caller store
                break
            self._threads.append(thread)

    def keep(self, task: Task, text: str, series: Series) -> None:
        """Hand a finished run in.

        Raises
        ------
        OSError
            If this run or an earlier one could not be stored.
        """
        future: Future[None] = Future()

        def store() -> None:
            try:
                future.set_result(self._store(task, text, series))
            except BaseException as error:  # noqa: BLE001 (raised where the run is reported)
                future.set_exception(error)

        self._waiting.append((task, future))
        if self._threads:
            self._inbox.put(store)
        else:
            store()
        if len(self._waiting) > WAITING:
            wait([self._waiting[0][1]])
        while self._waiting and self._waiting[0][1].done():
            self._report()

    def _work(self) -> None:
        while (store := self._inbox.get()) is not None:
            store()

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
            for _ in self._threads:
                self._inbox.put(None)
            for thread in self._threads:
                thread.join()

    def _report(self) -> None:
        task, future = self._waiting.popleft()
        future.result()
        self._stored(task)
