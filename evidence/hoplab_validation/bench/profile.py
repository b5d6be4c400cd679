"""Where the instructions of named scenarios go, by part of the engine.

Usage: ``python -m hoplab_validation.bench.profile`` (``make profile``). The scenarios are those of
`hoplab_validation.bench.instructions`; callgrind charges each instruction to a line. A line of the engine belongs to
the part that its file is in, one of a library to the part whose function it was compiled into.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from hoplab_validation.bench import instructions

PARTS = {
    "finding receivers": r"phy/(?:neighbors|propagation)/|mobility/",
    "signals at receivers": r"phy/|world/phy_dispatch\.rs",
    "stations (DCF)": r"mac/",
    "pending events": r"kernel/(?:queue|timing_wheel)\.rs|world/run\.rs",
    "queues, ARP, routing": r"net/",
    "transports, traffic": r"transport/|app/|world/(?:flows|pull)\.rs",
}
"""Files of the engine, as they begin below its sources; the first part that fits has them."""
REST = "the rest"
SOURCES = "crates/hoplab/src/"
_FILE = re.compile(r"^(c?)(?:fl|fi|fe)=\((\d+)\)(?: (.*))?$")
_COST = re.compile(r"^(?:\d+|\+\d+|-\d+|\*) (\d+)$")


def part_of(path: str) -> str | None:
    """The part of the engine that a file is in; None for files that are not the engine's."""
    _, found, file = path.rpartition(SOURCES)
    if not found:
        return None
    return next((part for part, files in PARTS.items() if re.match(files, file)), REST)


def shares(lines: Iterable[str]) -> dict[str, float]:
    """Shares of instructions by part, from a file of callgrind's."""
    costs: Counter[str] = Counter()
    files: dict[str, str] = {}
    home = here = ""
    is_call = False
    for line in lines:
        if file := _FILE.match(line):
            of_called, number, name = file.groups()
            path = files.setdefault(number, name) if name else files[number]
            here = here if of_called else path
        elif line.startswith("fn="):
            home = here
        elif line.startswith("calls="):
            is_call = True
        elif cost := _COST.match(line):
            if not is_call:
                costs[part_of(here) or part_of(home) or REST] += int(cost[1])
            is_call = False
    total = sum(costs.values())
    return {part: costs[part] / total for part in [*PARTS, REST]} if total else {}


def table(found: Mapping[str, Mapping[str, float]]) -> str:
    """Scenarios by parts, in percent."""
    parts = [*PARTS, REST]
    rows = [["scenario", *parts], ["---"] * (1 + len(parts))]
    rows += [[name, *(f"{100.0 * of[part]:.0f} %" for part in parts)] for name, of in found.items()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Run the scenarios under valgrind and print the table."""
    scenarios = instructions.cases()
    with tempfile.TemporaryDirectory(prefix="hoplab-shares-") as name:
        dumps, _ = instructions.run_counted(scenarios, Path(name))
        found = {case: shares(path.read_text(encoding="utf-8").splitlines()) for case, path in dumps.items()}
    sys.stdout.write(table(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
