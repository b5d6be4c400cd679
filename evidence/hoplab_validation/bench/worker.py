"""One run on one thread in a process of its own: what the benchmark times.

Usage: ``python -m hoplab_validation.bench.worker [--set=KEY=VALUE]... FILE SEED [PREFIX INTERVAL]``; prints the run as
one JSON line, with `peak_bytes`, the most memory that the process had, beside the engine's own fields. With PREFIX the
run is traced, its states every INTERVAL simulated seconds: into PREFIXevents.parquet and PREFIXsamples.parquet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main(arguments: list[str]) -> None:
    """Run one scenario file with one seed, and load no more than that needs."""
    from hoplab._core import Job, run_many  # noqa: PLC0415 (the timed process loads only this)

    settings = [word.removeprefix(SET).partition("=") for word in arguments if word.startswith(SET)]
    path, seed, *trace = [word for word in arguments if not word.startswith(SET)]
    prefix, interval_s = (trace[0], float(trace[1])) if trace else (None, None)
    text = Path(path).read_text(encoding="utf-8")

    def show(index: int, json: str, series: dict[str, Any]) -> None:
        del index, series
        sys.stdout.write(f'{json[:-1]}, "peak_bytes": {peak_bytes()}}}\n')

    overrides = [(key, value) for key, _, value in settings]
    run_many([Job(text, path, overrides, int(seed), interval_s, prefix)], 1, show)


SET = "--set="


def peak_bytes() -> int:
    """Peak memory of this process; 0 where Linux does not report it.

    `getrusage` would include the memory of the parent at the fork.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii", errors="replace").splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


if __name__ == "__main__":
    main(sys.argv[1:])
