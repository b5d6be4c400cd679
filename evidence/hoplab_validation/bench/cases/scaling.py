"""What a hearer costs as a network grows at constant density: hoplab alone, all sizes in turn."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab_validation.bench.cases.suite import Case, Span, hearers, one_hop
from hoplab_validation.bench.process import frames, run_worker
from hoplab_validation.bench.spread import Spread

GOAL = 1.5
"""Times that a hearer may cost in the largest network what it costs in the smallest."""


@dataclass(frozen=True)
class Size(Case):
    """One of the networks, and for how long it is run: about a million frames, whatever its size."""

    nodes: int
    span: Span


@dataclass(frozen=True)
class Growing:
    """Networks that are run one after the other, `repeats` times; repeat k uses seed k."""

    name: str
    sizes: tuple[Size, ...]
    repeats: int


@dataclass(frozen=True)
class Grown:
    """Mean number of hearers in each network, and what one costs per frame, in nanoseconds: repeat by repeat."""

    case: Growing
    hearers: tuple[float, ...]
    costs_ns: tuple[tuple[float, ...], ...]

    def cost_ns(self, size: int) -> Spread:
        """Cost per frame and hearer in the network of this place in the list."""
        return Spread.of(costs[size] for costs in self.costs_ns)

    def ratio(self, size: int) -> Spread:
        """The same over the cost in the smallest network, which was measured in the same minute."""
        return Spread.of(costs[size] / costs[0] for costs in self.costs_ns)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        nodes = [size.nodes for size in self.case.sizes]
        return {
            "name": self.case.name,
            "goal": GOAL,
            "nodes": nodes,
            "hearers": self.hearers,
            "cost_ns": [self.cost_ns(size) for size in range(len(nodes))],
            "ratio": [self.ratio(size) for size in range(len(nodes))],
        }


def cases(*, quick: bool = False) -> list[Growing]:
    """The networks of each measurement."""
    spans = {100: 1200.0, 400: 300.0, 1600: 75.0, 6400: 18.0, 10_000: 12.0}
    if quick:
        spans = {100: 12.0, 400: 3.0}
    sizes = tuple(Size(f"{nodes} nodes", one_hop(nodes), nodes, Span(1.0, 1.0 + s)) for nodes, s in spans.items())
    return [Growing(f"growth: one-hop CBR, {sizes[0].name} to {sizes[-1].name}", sizes, 2 if quick else 7)]


def measure(case: Growing, on_done: Callable[[], None]) -> Grown:
    """Run all sizes in turn.

    Raises
    ------
    WorkerFailedError
    """
    means = tuple(hearers(size.scenario(size.span.short_s)) for size in case.sizes)
    costs = []
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as folder:
        for seed in range(1, case.repeats + 1):
            costs.append(
                tuple(_frame_ns(size, seed, Path(folder)) / n for size, n in zip(case.sizes, means, strict=True))
            )
            on_done()
    return Grown(case, means, tuple(costs))


def _frame_ns(size: Size, seed: int, folder: Path) -> float:
    """CPU time per frame in nanoseconds by the engine's own clock, building the network excluded."""
    short, long = (
        run_worker(size.scenario(duration_s), seed, folder)[1] for duration_s in (size.span.short_s, size.span.long_s)
    )
    return 1e9 * float(long["cpu_s"] - short["cpu_s"]) / (frames(long) - frames(short))
