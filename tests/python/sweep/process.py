"""A sweep in a process of its own, for tests that kill it: ``python -m sweep.process DIR FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from sweep.kit import sweep_in


def main() -> None:
    """Run the sweep of a file in a directory."""
    root, file = map(Path, sys.argv[1:3])
    outcome = sweep_in(root, file.read_text())
    sys.stdout.write(f"{outcome.made} {outcome.kept} {len(outcome.damaged)}\n")


if __name__ == "__main__":
    main()
