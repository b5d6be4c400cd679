"""How long it takes before anything is simulated: CPU time of short commands, best of five."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab_validation.bench.process import run_module

REPEATS = 5

SECOND = """duration = "1 s"
[topology]
kind = "chain"
hops = 4
[[flow]]
transport = "new_reno"
"""
"""One second of a chain of four hops."""


@dataclass(frozen=True)
class Start:
    """A command, and the CPU time that it may take."""

    name: str
    words: Sequence[str]
    goal_s: float


@dataclass(frozen=True)
class Started:
    """A command, and the CPU time that it took, in s, each time."""

    start: Start
    cpu_s: tuple[float, ...]

    @property
    def best_s(self) -> float:
        """The least of them: what disturbs a measurement only ever adds."""
        return min(self.cpu_s)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"name": self.start.name, "goal_s": self.start.goal_s, "best_s": self.best_s, "cpu_s": self.cpu_s}


STARTS = (
    Start("start-up: hoplab --help", ("--help",), 0.2),
    Start("start-up: hoplab run, one simulated second", ("run", "second.toml"), 0.4),
)


def measure(start: Start, on_done: Callable[[], None]) -> Started:
    """Run a command some times, each in a process of its own.

    Raises
    ------
    WorkerFailedError
    """
    times = []
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as name:
        folder = Path(name)
        (folder / "second.toml").write_text(SECOND, encoding="utf-8")
        for _ in range(REPEATS):
            times.append(run_module(start.name, "hoplab", *start.words, folder=folder).cpu_s)
            on_done()
    return Started(start, tuple(times))
