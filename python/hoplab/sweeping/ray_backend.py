"""The same runs on Ray: a local one started for the sweep, or a cluster.

Workers execute runs and return them; only this process writes the run store, so that no shared file system is
needed and the tables are those of a local sweep. A worker or node that dies costs its runs in flight, which are made
again; a run that has taken three workers with it is given up. A cluster that is lost ends the sweep: Ray would join or
start another one in its place, which the user did not ask for.
"""

from __future__ import annotations

import importlib
import os
import secrets
import sys
import threading
from collections import deque
from contextlib import contextmanager, redirect_stdout, suppress
from io import TextIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from hoplab.base.errors import InputError, PartialError
from hoplab.running.execution import thread_count
from hoplab.store.run_store import ATTEMPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hoplab.sweeping.backend import OnFailed, OnFinished
    from hoplab.sweeping.runner import Runner, Series, Task

OBJECT_STORE_BYTES = 256 * 2**20
"""Shared memory of a local Ray: results in flight are small, and Ray would take a third of the machine's."""
LOOPBACK = "127.0.0.1"
JOINS = 3
"""Connection attempts to a cluster."""
RECONNECT_S = 5
"""Seconds for which a lost connection to a cluster is tried anew; Ray's own default is 30."""
AHEAD = 2
"""Runs handed out per CPU: one in the making and one waiting, so that no worker idles."""


class RayBackend:
    """Ray, as a place to make runs.

    Parameters
    ----------
    runner : Runner
        The engine; workers get a copy.
    address : str or None
        ``ray://HOST:PORT`` of a cluster; None starts a local Ray and ends it with the sweep.
    workers : int or None
        Runs at a time on a local Ray; one per core by default.
    """

    def __init__(self, runner: Runner, *, address: str | None = None, workers: int | None = None) -> None:
        self._runner = runner
        self._address = address
        self._workers = workers

    def execute(self, tasks: Sequence[Task], on_finished: OnFinished, on_failed: OnFailed) -> None:
        """See `Backend.execute`."""
        with _connected(self._address, self._workers) as ray:
            _Distribution(ray, self._address, self._runner, on_finished, on_failed).run(tasks)


class _Distribution:
    """Hands tasks out, a few per CPU, and takes results in as they come."""

    def __init__(
        self, ray: Any, address: str | None, runner: Runner, on_finished: OnFinished, on_failed: OnFailed
    ) -> None:
        self._ray = ray
        self._place = "ray" if address is None else address
        self._runner = runner
        self._on_finished = self._noting(on_finished)
        self._on_failed = self._noting(on_failed)
        self._flying: dict[Any, Task] = {}
        self._deaths: dict[str, int] = {}
        self._own_error: Exception | None = None

    def run(self, tasks: Sequence[Task]) -> None:
        """Execute the tasks; a cluster that is lost meanwhile is an error of its own."""
        try:
            _check_version(self._ray, self._runner)
            self._distribute(tasks)
        except Exception as error:
            if error is self._own_error or not self._is_lost(error):
                raise
            raise PartialError(
                f"backend {self._place}: the cluster is lost ({_last_line(error)}); finished runs are stored",
                hint="give the same command again when it is back, or with another --backend",
            ) from error

    def _distribute(self, tasks: Sequence[Task]) -> None:
        waiting = deque(tasks)
        runner = self._ray.put(self._runner)
        make = self._ray.remote(num_cpus=1, max_retries=0)(make_run)
        try:
            while waiting or self._flying:
                room = max(1, AHEAD * int(self._ray.cluster_resources().get("CPU", 1)))
                while waiting and len(self._flying) < room:
                    task = waiting.popleft()
                    self._flying[make.remote(runner, task)] = task
                ready, _ = self._ray.wait(list(self._flying), num_returns=1, timeout=0.5)
                for reference in ready:
                    again = self._take(reference, self._flying.pop(reference))
                    if again is not None:
                        waiting.append(again)
        finally:
            # What cannot be cancelled belongs to a cluster that is gone.
            with suppress(Exception):
                for reference in self._flying if self._ray.is_initialized() else ():
                    self._ray.cancel(reference, force=True)

    def _is_lost(self, error: Exception) -> bool:
        """Whether an error of Ray means that there is no connection any longer.

        It may come from any use of Ray, even the hash of a reference, and be a `ConnectionError`, an error of gRPC or
        a `ValueError` of its channel. A client asks the cluster whether it is connected, which may fail likewise.
        """
        try:
            return isinstance(error, ConnectionError) or not self._ray.is_initialized()
        except Exception:  # noqa: BLE001 (whatever it is, the cluster gives no answer)
            return True

    def _noting(self, call: Callable[..., None]) -> Callable[..., None]:
        """The same call; an error that it raises is not Ray's, such as one of the disk."""

        def noting(*args: Any) -> None:
            try:
                call(*args)
            except Exception as error:
                self._own_error = error
                raise

        return noting

    def _take(self, reference: Any, task: Task) -> Task | None:
        """Store a result; returns the task if its worker died and it must be executed again."""
        errors = self._ray.exceptions
        try:
            text, series = self._ray.get(reference)
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(getattr(error, "cause", None), BaseException) else error
            self._on_failed(task, f"{type(cause).__name__}: {_last_line(cause)}", 1)
            return None
        except errors.RayError as error:  # the worker, its node or its memory is gone
            deaths = self._deaths[task.id] = self._deaths.get(task.id, 0) + 1
            if deaths < ATTEMPTS:
                return task
            self._on_failed(task, f"its worker died {deaths} times: {type(error).__name__}", deaths)
            return None
        self._on_finished(task, text, series)
        return None


def make_run(runner: Runner, task: Task) -> tuple[str, Series]:
    """Make one run in a worker."""
    made: list[tuple[str, Series]] = []
    runner.run([task], 1, lambda _, text, series: made.append((text, series)))
    return made[0]


def worker_version(runner: Runner) -> str:
    """The engine's version in a worker."""
    return runner.version


def _check_version(ray: Any, runner: Runner) -> None:
    """Refuse a cluster with another engine: its runs would be stored under ids that are not theirs."""
    try:
        theirs = ray.get(ray.remote(num_cpus=1)(worker_version).remote(runner))
    except ray.exceptions.RayError as error:
        raise InputError(
            f"Ray's workers cannot load the engine: {_last_line(error)}", hint="install the same hoplab on every node"
        ) from error
    if theirs != runner.version:
        raise InputError(
            f"Ray's workers have engine {theirs}, this process has {runner.version}",
            hint="install the same hoplab on every node",
        )


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Ray, started or joined; ended by its own handle. One that the caller had started is used and left alone."""
    with _environment(address), _load(loopback=address is None) as ray:
        if ray.is_initialized():
            yield ray
            return
        with redirect_stdout(_Unbidden(sys.stdout)):
            yield from _started(ray, address, workers)


@contextmanager
def _environment(address: str | None) -> Iterator[None]:
    """Variables of Ray that hold for this sweep; those that the user has set stay.

    Ray reads some of them when it is imported, others when it connects.
    """
    given = {"RAY_CLIENT_RECONNECT_GRACE_PERIOD": str(RECONNECT_S)}
    if address is None and not _has_token():
        # Ray protects what it starts by a token, and would write one into the user's home.
        given["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    if address is None or _has_token():
        # A head started by `ray start` asks for a token; Ray offers one only where this is said.
        given["RAY_AUTH_MODE"] = "token"
    set_here = {name: value for name, value in given.items() if name not in os.environ}
    os.environ.update(set_here)
    try:
        yield
    finally:
        for name in set_here:
            os.environ.pop(name, None)


def _started(ray: Any, address: str | None, workers: int | None) -> Iterator[Any]:
    if address is None:
        ray.init(
            address="local",
            num_cpus=thread_count(workers),
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _node_ip_address=LOOPBACK,
            log_to_driver=False,
            logging_level="ERROR",
        )
    else:
        try:
            _join(ray, address)
        except (ConnectionError, TimeoutError) as error:
            raise InputError(
                f"backend {address}: no Ray cluster responds ({_last_line(error)})",
                hint="the port is the client server's (10001 by default); a cluster with a token requires it here: "
                "RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token",
            ) from error
        except (ImportError, RuntimeError, ValueError) as error:  # no client installed, another version of Ray, no port
            raise InputError(
                f"backend {address}: Ray cannot connect: {_last_line(error)}",
                hint="cluster and client require the same Ray and Python; install with `make dev`",
            ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _join(ray: Any, address: str) -> None:
    """Connect to a cluster, again where its client server answers and then cannot start a server for this client.

    Ray starts it by a fork of a process with threads, and now and then the child dies at once.
    """
    for attempt in range(1, JOINS + 1):
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except ConnectionAbortedError:
            if attempt == JOINS:
                raise
            ray.shutdown()
        else:
            return


def _has_token() -> bool:
    """Whether there is a token for clusters that ask for one."""
    given = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    return given or (Path.home() / ".ray" / "auth_token").is_file()


class _Unbidden(TextIOBase):
    """Standard output without what Ray's own threads print there: it belongs to the data.

    A worker that died is reported by the sweep.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if threading.current_thread().name.startswith("ray_"):
            return len(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()


@contextmanager
def _load(*, loopback: bool) -> Iterator[Any]:
    """Ray, quiet, and on the loopback interface alone where it is our own; it joins nothing by itself meanwhile."""
    if loopback:
        # Ray replaces 127.0.0.1 by the machine's address unless clusters are switched off; the variable's name
        # speaks of the systems where that is the default.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")  # else what is held back is printed at the end, by another thread
    # Ray warns of a future default unless this is set; hoplab asks for no accelerator in either case.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
        from ray._private import auto_init_hook
    except ImportError as error:
        raise InputError(
            "Ray is not installed", hint="in the source directory: make dev, or pip install '.[ray]'"
        ) from error
    # Without a connection, Ray's functions would start a Ray, or join the one that RAY_ADDRESS or a file names.
    before, auto_init_hook.enable_auto_connect = auto_init_hook.enable_auto_connect, False
    _read_token()
    try:
        yield ray
    finally:
        auto_init_hook.enable_auto_connect = before


def _read_token() -> None:
    """Let Ray read mode and token again, where it was imported before they were set."""
    with suppress(ImportError, AttributeError):
        raylet: Any = importlib.import_module("ray._raylet")
        raylet.Config.initialize("")
        raylet.AuthenticationTokenLoader.instance().reset_cache()


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
