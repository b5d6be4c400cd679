"""Runs of the kernel's TCP, as a study needs them: each in a kernel of its own, in virtual time."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from hoplab.base.errors import HoplabError
from hoplab.cli.commands.programs.shown import check
from hoplab.running.execution import run as run_scenario
from hoplab.running.live.session import Command, LiveRun
from hoplab.running.real import ends, kernel
from hoplab.running.real.session import Where, run_real
from hoplab.scenario.model import Scenario
from hoplab.sweeping.runner import CoreRunner, Series, Task

CONNECTIONS = "connections"
"""Key of the kernel's measurements in the report of a run: one object per connection."""

BOOT_S, PER_SECOND_S = 0.7, 0.05
"""CPU time of a kernel's start, and of each simulated second, s; measured with BBR over 4 hops, for estimates alone."""


class KernelRunner:
    """Runs a connection of the kernel from the first to the last node; the scenario's name names the controller.

    Parameters
    ----------
    warmup_s, end_s : float
        Bytes count from the first to the second, s.
    """

    def __init__(self, *, warmup_s: float, end_s: float) -> None:
        self._times = f"{end_s:g} {warmup_s:g}"
        self._core = CoreRunner()
        self.run_s = BOOT_S + PER_SECOND_S * end_s

    @property
    def version(self) -> str:
        """The versions of the engine and of the kernel."""
        return f"{self._core.version}+{kernel.label()}"

    def require(self) -> None:
        """Raise an error that names the remedy if there is no kernel."""
        kernel.find()

    def resolve(self, text: str, path: str, overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """See `Runner.resolve`."""
        return self._core.resolve(text, path, overrides)

    def run(
        self,
        tasks: Sequence[Task],
        threads: int,
        on_result: Callable[[int, str, Series], None],
        on_failure: Callable[[int, Exception], None] | None = None,
    ) -> None:
        """See `Runner.run`."""
        self.require()
        with tempfile.TemporaryDirectory(prefix="hoplab-study-") as folder, ThreadPoolExecutor(threads) as pool:
            waited: dict[Future[tuple[LiveRun, float]], int] = {
                pool.submit(self._live, task, Path(folder) / str(index)): index for index, task in enumerate(tasks)
            }
            try:
                for future in as_completed(waited):
                    index = waited[future]
                    try:
                        text = _report(*future.result(), _scenario(tasks[index]).name)
                    except HoplabError as error:
                        if on_failure is None:
                            raise
                        on_failure(index, error)
                    else:
                        on_result(index, text, {})
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _live(self, task: Task, packets: Path) -> tuple[LiveRun, float]:
        """The run of a task, and its real time, s."""
        packets.mkdir()
        scenario = _scenario(task)
        program = f"exec {sys.executable} -S {ends.__file__}"
        take = Command("last", f"{program} take {self._times}")
        send = Command("first", f"{program} send {{last}} {scenario.name} {self._times}")
        began = time.monotonic()
        (live,) = run_real(scenario, [take, send], [task.seed], Where(kernel.find(), packets, 1), show=False)
        return live, time.monotonic() - began


def _scenario(task: Task) -> Scenario:
    return Scenario(task.text, task.path, task.overrides)


def _report(live: LiveRun, took_s: float, controller: str) -> str:
    """The engine's report of the packets, with what the programs measured."""
    (run,) = run_scenario(live.replay, progress=False)
    check(live, run)
    report = json.loads(run.json)
    try:
        taken, sent = (json.loads(text) for text in live.outputs)
        data = next(one for one in report["live"]["conversations"] if one["from"] == 0)
        measured = {
            "controller": str(sent["congestion"]),
            "goodput_bps": float(taken["goodput_bps"]),
            "rtt_s": float(sent["rtt_s"]),
            "retransmissions": int(sent["retransmissions"]),
            "delay_mean_s": data["delay_mean_s"],
        }
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        said = " ".join(text.strip() for text in live.outputs)
        raise HoplabError(f"the programs of {controller} measured nothing ({error}): {said}") from error
    if measured["controller"] != controller:
        raise HoplabError(f"the kernel used {measured['controller']} in place of {controller}")
    report[CONNECTIONS] = [{"id": 0, **measured}]
    report["cpu_s"] = took_s
    return json.dumps(report)
