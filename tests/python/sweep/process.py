"""A sweep in a process of its own, for tests that kill it or its workers: ``-m sweep.process DIR FILE [ray]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hoplab.sweeping import backend_of, execute_plan
from sweep.kit import plan_of


def main() -> None:
    """Run the sweep of a file in a directory."""
    root, file, *on = sys.argv[1:]
    plan = plan_of(Path(file).read_text(), file)
    outcome = execute_plan(plan, Path(root), backend_of(on[0] if on else None, plan.runner, 2))
    answer = {
        "made": outcome.executed,
        "kept": outcome.reused,
        "damaged": len(outcome.damaged),
        "failures": [{"seed": f.seed, "attempts": f.attempts, "error": f.error} for f in outcome.failures],
    }
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
