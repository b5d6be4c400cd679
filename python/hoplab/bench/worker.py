"""One run on one thread in a process of its own: what the benchmark times.

Usage: ``python -m hoplab.bench.worker FILE SEED [PREFIX INTERVAL]``; prints the run as one JSON line. With PREFIX the
run is traced, its states every INTERVAL simulated seconds: into PREFIXevents.parquet and PREFIXsamples.parquet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main(arguments: list[str]) -> None:
    """Run one scenario file with one seed, and load no more than that needs."""
    from hoplab._core import Job, run_many  # noqa: PLC0415 (the process that is timed loads nothing else)

    path, seed, *trace = arguments
    prefix, interval_s = (trace[0], float(trace[1])) if trace else (None, None)
    text = Path(path).read_text(encoding="utf-8")

    def show(index: int, json: str, series: dict[str, Any]) -> None:
        del index, series
        sys.stdout.write(json + "\n")

    run_many([Job(text, path, [], int(seed), interval_s, prefix)], 1, show)


if __name__ == "__main__":
    main(sys.argv[1:])
