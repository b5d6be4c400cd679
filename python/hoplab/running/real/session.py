"""Runs in virtual time: one kernel per seed, and as many at a time as there are cores.

The kernel's clock is advanced by events alone (`time-travel=inf-cpu`): waiting takes no time, computing takes none of
the network's, and a run depends on its seed alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoplab.base.errors import HoplabError
from hoplab.base.progress import progress_bar
from hoplab.base.scratch import scratch
from hoplab.running.execution import thread_count
from hoplab.running.live.places import Place
from hoplab.running.live.session import Command, LiveRun, Pace, collected, module_path, order_of
from hoplab.running.live.system import UnavailableError
from hoplab.running.real import guest
from hoplab.scenario.model import Scenario

MEMORY = "512M"
"""Of a kernel; the host gives what is used."""

START_NS = 1_600_000_000 * 10**9
"""Virtual time of day at the start of every kernel."""

START_S = 30.0
"""Real time for a kernel to start and to be switched off again: it needs less than a second."""

PATIENCE_S = 120.0
"""Real time for a kernel to start and end, beside the duration of its run: it needs a fraction of that."""

_LAUNCH = (
    sys.executable,
    "-S",
    "-c",
    (
        "import ctypes, os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); libc = ctypes.CDLL(None); "
        "libc.prctl(1, 9, 0, 0, 0); libc.personality(0x0040000); os.execv(sys.argv[2], sys.argv[2:])"
    ),
)
"""Starts a program on one core, at fixed addresses (ADDR_NO_RANDOMIZE), that ends with its parent, whatever ends that
(PR_SET_PDEATHSIG). It is a process of its own, since one with threads must not run code between fork and exec."""
_LAST_LINES = 5
CONSOLE_BYTES = 1 << 16
"""Of a kernel's console, that are kept."""


def kernel_words(kernel: Path, seed: int, first: Sequence[str] = (guest.__file__,)) -> list[str]:
    """The command line of a kernel, whose first process is Python with these arguments.

    Its random numbers depend on it: of the run it names the seed alone.
    """
    return [
        str(kernel),
        f"mem={MEMORY}",
        "time-travel=inf-cpu",
        f"time-travel-start={START_NS}",
        "rootfstype=hostfs",
        "rootflags=/",
        "ro",
        "norandmaps",
        "random.trust_cpu=off",
        "random.trust_bootloader=off",
        "quiet",
        "con=null",
        "con0=null,fd:1",
        "ssl=null",
        "uml_dir=.",
        f"hoplab.seed={seed}",
        "PYTHONHASHSEED=0",
        "PYTHONDONTWRITEBYTECODE=1",
        f"init={sys.executable}",
        "--",
        *first,
    ]


@dataclass
class _Cores:
    """Kernels on each core.

    A kernel and its programs are processes of the host that take turns. One core is enough; over several they take up
    to five times as long, as each turn wakes another core.
    """

    used: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def one(self) -> Iterator[int]:
        """A core with the fewest kernels. The first one differs between processes."""
        with self.lock:
            allowed = sorted(os.sched_getaffinity(0))
            first = os.getpid() % len(allowed)
            core = min(allowed[first:] + allowed[:first], key=lambda core: self.used[core])
            self.used[core] += 1
        try:
            yield core
        finally:
            with self.lock:
                self.used[core] -= 1


_CORES = _Cores()


class _Console:
    """The end of what a kernel prints: one that prints for ever fills neither disk nor memory."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._kept = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while part := os.read(self._process.stdout.fileno(), CONSOLE_BYTES):
            self._kept = (self._kept + part)[-CONSOLE_BYTES:]

    def end(self) -> str:
        """What is kept, once the kernel has ended."""
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return self._kept.decode(errors="replace")


@dataclass
class Kernels:
    """Kernels that run, so that the end of one ends the others."""

    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    is_ended: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, words: Sequence[str], place: Path, limit_s: float) -> tuple[str, str]:
        """Run a kernel in a directory, and return how it ended, and the end of what it printed."""
        with _CORES.one() as core:
            with self.lock:
                if self.is_ended:
                    return "ended with another run", ""
                process = subprocess.Popen(  # noqa: S603 (the kernel that was built, or the user's own)
                    [*_LAUNCH, str(core), *words],
                    cwd=place,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self.running.add(process)
            console = _Console(process)
            try:
                ended = f"status {process.wait(limit_s)}"
            except subprocess.TimeoutExpired:
                ended = f"it computed for {limit_s:.0f} s: a program that never waits stops virtual time"
            finally:
                self._kill(process)
                said = console.end()
                with self.lock:
                    self.running.discard(process)
            return ended, said

    def end(self) -> None:
        """End all kernels, and start none."""
        with self.lock:
            self.is_ended = True
            for process in self.running:
                self._kill(process)

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        process.wait()


def started(kernel: Path) -> str | None:
    """Start a kernel once and switch it off: None if it comes up, else how it ended."""
    up = "hoplab-is-up"
    code = f"print('{up}',flush=True);__import__('ctypes').CDLL(None).reboot({guest.POWER_OFF})"
    with scratch("real") as folder:
        ended, console = Kernels().run(kernel_words(kernel, 1, ("-c", code)), folder, START_S)
    return None if up in console else f"{ended}: {_last(console)}"


def _last(console: str) -> str:
    """The last lines of a console, in one."""
    lines = filter(None, map(str.strip, console.split("\n")[-_LAST_LINES:]))
    return "; ".join(lines) or "it printed nothing"


@dataclass(frozen=True)
class Where:
    """The kernel to use, the folder for packets that enter (files `SEED.txt`), and the number of kernels at a time."""

    kernel: Path
    packets: Path
    threads: int | None = None


def run_real(
    scenario: Scenario, commands: Sequence[Command], seeds: Sequence[int], where: Where, *, show: bool | None = None
) -> list[LiveRun]:
    """Run a network in virtual time with each seed.

    Raises
    ------
    UsageError
        If a command names a node without a device.
    UnavailableError
        If the kernel does not start.
    HoplabError
        If a run ends early.
    """
    if sys.platform != "linux":
        raise UnavailableError("virtual time requires Linux", hint="simulate with hoplab run")
    orders = {seed: order_of(scenario, commands, Pace(), seed, is_virtual=True) for seed in seeds}
    kernels, done = Kernels(), {}
    workers = min(len(seeds), thread_count(where.threads))
    with progress_bar(len(seeds), scenario.name, show=show) as tick, ThreadPoolExecutor(workers) as pool:
        try:
            waited = {pool.submit(_one, kernels, where, scenario, order): seed for seed, order in orders.items()}
            for future in as_completed(waited):
                done[waited[future]] = future.result()
                tick(len(done))
        except BaseException:
            kernels.end()
            raise
    return [done[seed] for seed in seeds]


def _one(kernels: Kernels, where: Where, scenario: Scenario, order: dict[str, Any]) -> LiveRun:
    """One seed's run."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/",
        "LANG": "C.UTF-8",
        "PYTHONPATH": module_path(),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    limit_s = PATIENCE_S + float(scenario.resolve().data["duration_s"])
    with scratch("real") as folder:
        place = Place(folder / "box", os.getpid())
        place.path.mkdir()
        whole = {**order, "environment": environment, "folder": str(Path.cwd()), "init": 1}
        place.order.write_text(json.dumps(whole), encoding="utf-8")
        ended, console = kernels.run(kernel_words(where.kernel, order["seed"]), folder, limit_s)
        if not place.result.is_file():
            raise HoplabError(
                f"seed {order['seed']}: the kernel ended without a result ({ended}): {_last(console)}",
                hint="hoplab live runs the same programs in real time",
            )
        own = Scenario(scenario.text, scenario.path, (*scenario.overrides, ("seed", str(order["seed"]))))
        return collected(own, place, where.packets / f"{order['seed']}.txt", ended)
