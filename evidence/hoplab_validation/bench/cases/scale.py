"""Large networks run to their end: CPU time, memory, and what was delivered."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab.scenario.model import Scenario
from hoplab_validation.bench.cases.suite import Case
from hoplab_validation.bench.process import frames, run_worker

MEMORY_GOAL_BYTES = 2 << 30
"""Most that a process may have had, whatever the network."""

SPACING_M = 200.0
NODES_PER_FLOW = 100
"""One NewReno flow for so many nodes."""

HOPS = 6
"""Length of the flows over a grid."""


@dataclass(frozen=True)
class Done:
    """What a run took: CPU time of the process, its most memory, simulated seconds, frames, goodput of all flows."""

    case: Case
    cpu_s: float
    peak_bytes: int
    simulated_s: float
    frames: int
    goodput_bps: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {key: value for key, value in vars(self).items() if key != "case"} | {"name": self.case.name}


def cases(*, quick: bool = False) -> list[Case]:
    """The networks, each with its duration; the quick ones are a tenth as large and as long."""
    still, moving, long_s = (1024, 200, 2.0) if quick else (10_000, 2_000, 20.0)
    return [
        Case(f"scale: {still} static nodes, {still // NODES_PER_FLOW} NewReno over {HOPS} hops", mesh(still, long_s)),
        Case(f"scale: {moving} moving nodes, {moving // NODES_PER_FLOW} NewReno, aodv", roaming(moving, long_s)),
    ]


def mesh(nodes: int, duration_s: float) -> dict[str, Any]:
    """A square grid, 200 m apart; in every block of 100 nodes one flow along a row."""
    side = math.isqrt(nodes)
    flows = []
    for index in range(nodes // NODES_PER_FLOW):
        first = index * NODES_PER_FLOW
        first -= max(0, first % side + HOPS - side + 1)
        flows.append({"from": first, "to": first + HOPS, "transport": "new_reno", "start": f"{10 * index} ms"})
    return {
        "name": f"bench scale {nodes} static",
        "duration": f"{duration_s:g} s",
        "topology": {"kind": "grid", "rows": side, "columns": side},
        "flow": flows,
    }


def roaming(nodes: int, duration_s: float) -> dict[str, Any]:
    """Mobile nodes at up to 10 m/s with a density of 50 per square kilometer; flows over AODV between random pairs."""
    side_m = round(1000.0 * math.sqrt(nodes / 50.0))
    flows = [
        {"from": 2 * i, "to": 2 * i + 1, "transport": "new_reno", "start": f"{100 * i} ms"}
        for i in range(nodes // NODES_PER_FLOW)
    ]
    return {
        "name": f"bench scale {nodes} moving",
        "duration": f"{duration_s:g} s",
        "topology": {"kind": "random", "nodes": nodes, "area": [f"{side_m} m", f"{side_m} m"]},
        "mobility": {"kind": "waypoint", "min_speed": "1 m/s", "max_speed": "10 m/s"},
        "routing": {"protocol": "aodv"},
        "flow": flows,
    }


def measure(case: Case, on_done: Callable[[], None]) -> Done:
    """Run a network once.

    Raises
    ------
    WorkerFailedError
    """
    scenario = Scenario.from_dict(case.tables)
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as folder:
        cpu_s, run = run_worker(scenario, 1, Path(folder))
    on_done()
    return Done(
        case,
        cpu_s,
        int(run["peak_bytes"]),
        float(scenario.resolve().data["duration_s"]),
        frames(run),
        sum(float(flow["goodput_bps"]) for flow in run["flows"]),
    )
