"""The process that owns a live network: namespaces and devices of its nodes, their programs, and the engine's loop.

`python -m hoplab.running.live.inside DIR` does what `order.json` in DIR states. It leaves the host's namespaces, forks
an init, and waits for it. The init makes a namespace per node in a thread that ends at once, keeps a descriptor of
each, and starts programs from threads that have entered them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from hoplab.base.errors import HoplabError
from hoplab.running.live import system
from hoplab.running.live.places import Place

T = TypeVar("T")

PRIORITY = 50
"""Of the loop's thread in the class SCHED_FIFO."""

PATIENCE_S = 2.0
"""Time that programs have to end at the end of a run."""

TICK_S = 0.02
"""Between two looks at the programs."""

VIRTUAL_TICK_S = 0.1
"""The same in virtual time, where each look costs much real time."""


def in_thread(work: Callable[[], T]) -> T:
    """Call `work` in a thread that ends with it: its namespaces do not remain."""
    result: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            result.append(work())
        except BaseException as error:  # noqa: BLE001 (raised below)
            errors.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return result[0]


OUTPUT_BYTES = 64 << 20
"""Of a program's output, that are kept: one that prints for ever does not fill the disk."""
LINE_BYTES = 1 << 16
"""Longest line that is kept whole."""


class Network:
    """Namespaces and devices of all nodes with a device."""

    def __init__(self, ports: dict[int, system.Device]) -> None:
        self.spaces: dict[int, int] = {}
        self.devices: dict[int, int] = {}
        for node, device in ports.items():
            self.spaces[node], self.devices[node] = in_thread(partial(self._add, device))

    @staticmethod
    def _add(wanted: system.Device) -> tuple[int, int]:
        system.unshare(system.CLONE_NEWNET)
        device = system.open_device(wanted)
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC), device

    def at(self, node: int, work: Callable[[], T]) -> T:
        """Call `work` in the namespace of a node."""

        def there() -> T:
            system.enter(self.spaces[node], system.CLONE_NEWNET)
            return work()

        return in_thread(there)


class Program:
    """A command at a node. Its output goes to a file, and with the node before each line to stderr."""

    def __init__(self, network: Network, order: dict[str, Any], log: Path) -> None:
        self.node, self.name, self.command = int(order["node"]), str(order["name"]), str(order["command"])
        self.is_shell = bool(order.get("is_shell"))
        self.ended_s: float | None = None
        self._copy: threading.Thread | None = None
        self._log = log
        self.process = network.at(self.node, self._start)

    def _start(self) -> subprocess.Popen[bytes]:
        words = ["/bin/sh", "-c", self.command]
        env = {**os.environ, "HOPLAB_NODE": str(self.node)}
        if self.is_shell:
            # S603, PLW1509: the command is the user's own; the call before it sets one signal only.
            return subprocess.Popen(words, env=env, preexec_fn=_default_signals)  # noqa: S603, PLW1509
        process = subprocess.Popen(  # noqa: S603 (the user's own command)
            words,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._copy = threading.Thread(target=self._copy_output, args=(process,), daemon=True)
        self._copy.start()
        return process

    def _copy_output(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        left = OUTPUT_BYTES
        with self._log.open("wb") as log:
            while line := process.stdout.readline(LINE_BYTES):
                if left <= 0:
                    continue  # read on, so that the program does not block
                left -= len(line)
                if left <= 0:
                    line = f"hoplab: the output of this program beyond {OUTPUT_BYTES >> 20} MiB is not kept\n".encode()
                log.write(line)
                log.flush()
                sys.stderr.write(f"{self.name}| {line.decode(errors='replace')}")
                sys.stderr.flush()

    def has_ended(self, began: float) -> bool:
        """Whether it has ended; the first call that finds it so notes the time."""
        if self.process.poll() is None:
            return False
        if self.ended_s is None:
            self.ended_s = time.monotonic() - began
        return True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it and its children."""
        if self.process.poll() is None:
            if self.is_shell:
                self.process.send_signal(number)
            else:
                os.killpg(self.process.pid, number)

    def outcome(self) -> dict[str, Any]:
        """How it ended."""
        if self._copy is not None:
            self._copy.join(PATIENCE_S)
        status = self.process.returncode
        return {"node": self.node, "command": self.command, "status": status, "ended_s": self.ended_s}


def _default_signals() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(place: Place, order: dict[str, Any]) -> dict[str, Any]:
    """Execute an order as init of a process namespace, or of a kernel of its own."""
    network = Network({int(node): system.Device(**device) for node, device in order["ports"].items()})
    nodes = {"spaces": network.spaces, "names": order["names"], "init": order["init"]}
    place.nodes.write_text(json.dumps(nodes), encoding="utf-8")
    from hoplab._core import Job, run_live  # noqa: PLC0415 (may start threads: after this process has its namespaces)

    job = Job(order["text"], order["path"], [(key, value) for key, value in order["overrides"]], order["seed"])
    stopping, stop = os.pipe()
    stopped = threading.Event()
    has_shell = any(program.get("is_shell") for program in order["programs"])

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (as signal handlers are called)
        stopped.set()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN if has_shell else on_signal)
    is_virtual = order["clock"] == "virtual"
    tick_s = VIRTUAL_TICK_S if is_virtual else TICK_S
    outcome: dict[str, Any] = {"realtime": False, "memory_locked": False, "kernel": os.uname().release}

    def loop() -> None:
        try:
            if not is_virtual:  # computing takes no virtual time
                outcome["memory_locked"] = _tried(system.lock_memory)
            flags = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
            outcome["realtime"] = _tried(lambda: os.sched_setscheduler(0, flags, os.sched_param(PRIORITY)))
            report = run_live(
                job,
                list(network.devices.items()),
                stopping,
                str(place.packets),
                bound_s=order["bound_s"],
                clock=order["clock"],
            )
            outcome["pace"] = json.loads(report)
        except Exception as error:  # noqa: BLE001 (reported to the process outside)
            outcome["error"] = f"{type(error).__name__}: {error}"

    thread = threading.Thread(target=loop, name="loop")
    thread.start()
    while thread.is_alive() and not place.packets.exists():
        thread.join(TICK_S)  # programs start with the clock
    began = time.monotonic()
    programs = [
        Program(network, program, place.path / f"program-{index}.txt")
        for index, program in enumerate(order["programs"])
    ]
    while thread.is_alive() and not stopped.is_set():
        ended = [program.has_ended(began) for program in programs]
        if ended and ended[-1]:
            break
        thread.join(tick_s)
    os.write(stop, b"x")
    thread.join()
    _end(programs, began)
    outcome["programs"] = [program.outcome() for program in programs]
    outcome["devices"] = {str(node): network.at(node, system.device_counts) for node in network.spaces}
    outcome["is_interrupted"] = stopped.is_set()
    return outcome


def _remaining(programs: list[Program], began: float) -> int:
    """Number of programs that run."""
    return sum(not program.has_ended(began) for program in programs)


def _tried(call: Callable[[], object]) -> bool:
    """Whether the system has permitted a call."""
    try:
        call()
    except OSError:
        return False
    return True


def _end(programs: list[Program], began: float) -> None:
    """End programs that run: TERM, and KILL to those that remain."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for program in programs:
            program.signal(number)
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit and _remaining(programs, began):
            time.sleep(TICK_S)


def main(folder: str) -> int:
    """Leave the host, and execute the order in a directory."""
    system.die_with_parent()
    place = Place(Path(folder), os.getppid())
    if not place.order.is_file():
        return 1  # the parent has ended before the call above
    order = json.loads(place.order.read_text(encoding="utf-8"))
    try:
        system.leave_host()
    except HoplabError as error:
        return _fail(place, error)
    receiving, sending = os.pipe()
    init = os.fork()
    if init:
        os.write(sending, str(init).encode())
        os.close(sending)
        return os.waitstatus_to_exitcode(os.waitpid(init, 0)[1])
    system.die_with_parent()
    order["init"] = int(os.read(receiving, 20))
    try:
        system.mount_own_proc()
        result = run(place, order)
    except HoplabError as error:
        return _fail(place, error)
    place.result.write_text(json.dumps(result), encoding="utf-8")
    return 0


def _fail(place: Place, error: HoplabError) -> int:
    place.result.write_text(json.dumps({"unavailable": error.message, "hint": error.hint}), encoding="utf-8")
    return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
