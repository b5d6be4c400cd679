"""How much more two threads do than one: the same replications, timed by the clock on the wall."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab_validation.bench.cases.suite import Case, chain
from hoplab_validation.bench.process import run_module
from hoplab_validation.bench.spread import Spread

GOAL = 1.9
"""Times the throughput of one thread that two shall have."""

RUNS = 32
"""Many short ones, as a sweep makes: of few long ones one thread waits for the last that the other makes."""


@dataclass(frozen=True)
class Replicated(Case):
    """A scenario that is run `RUNS` times with one thread and with two."""

    duration_s: float
    repeats: int


@dataclass(frozen=True)
class Gain:
    """Wall-clock seconds of each repeat, with one thread and with two."""

    case: Replicated
    walls_s: tuple[tuple[float, float], ...]

    def ratio(self) -> Spread:
        """Throughput of two threads over that of one."""
        return Spread.of(one / two for one, two in self.walls_s)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"name": self.case.name, "goal": GOAL, "ratio": self.ratio(), "walls_s": self.walls_s}


def cases(*, quick: bool = False) -> list[Replicated]:
    """What is replicated."""
    duration_s, repeats = (20.0, 1) if quick else (400.0, 5)
    return [Replicated(f"replications: {RUNS} runs, 8 hops, NewReno, static", chain(8, "static"), duration_s, repeats)]


def measure(case: Replicated, on_done: Callable[[], None]) -> Gain:
    """Time one thread and two in turn.

    Raises
    ------
    WorkerFailedError
    """
    walls = []
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as folder:
        path = Path(folder) / "scenario.toml"
        path.write_text(case.scenario(case.duration_s).text, encoding="utf-8")
        for _ in range(case.repeats):
            one, two = (_wall_s(case, path, threads) for threads in (1, 2))
            walls.append((one, two))
            on_done()
    return Gain(case, tuple(walls))


def _wall_s(case: Replicated, path: Path, threads: int) -> float:
    done = run_module(case.name, "hoplab_validation.bench.cases.thread_scaling", str(path), str(threads))
    return float(done.output.splitlines()[-1])


def main(path: str, threads: int) -> None:
    """In a process of its own: run the file with seeds 1 to `RUNS`, and print how long that took, loading apart."""
    from hoplab._core import Job, run_many  # noqa: PLC0415 (the timed process loads only this)

    text = Path(path).read_text(encoding="utf-8")
    jobs = [Job(text, path, [], seed, None, None) for seed in range(1, RUNS + 1)]

    def ignore(index: int, json: str, series: dict[str, Any]) -> None:
        del index, json, series

    begin_s = time.perf_counter()
    run_many(jobs, threads, ignore)
    sys.stdout.write(f"{time.perf_counter() - begin_s}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
