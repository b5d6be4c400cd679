"""Runs of scenario files in one process, one after the other, each with its own seed: what valgrind counts.

Usage: ``python -m hoplab_validation.bench.counted FILE ...``. It loads no more than that needs, and prints the events
of each run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def main(files: Sequence[str]) -> None:
    """Run each file once."""
    from hoplab._core import Job, run_many  # noqa: PLC0415 (the counted process loads only this)

    def note(index: int, text: str, series: dict[str, Any]) -> None:
        del index, series
        sys.stdout.write(f"{json.loads(text)['events']}\n")

    for file in files:
        run_many([Job(Path(file).read_text(encoding="utf-8"), file, [], SEED)], 1, note)


SEED = 1

if __name__ == "__main__":
    main(sys.argv[1:])
