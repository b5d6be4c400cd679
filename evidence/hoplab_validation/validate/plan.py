"""What a part of the validation is: scenarios to run, and a judge of the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab_validation.peers.verdict import Row


@dataclass(frozen=True)
class Depth:
    """How much to run.

    Attributes
    ----------
    name : str
        ``quick``, ``normal`` or ``full``.
    seeds : int
        Replications per row.
    thorough : bool
        All rows; otherwise a selection that still covers every kind.
    live_seeds : int
        Replications on both sides of a comparison with a live peer.
    """

    name: str
    seeds: int
    thorough: bool
    live_seeds: int

    def seed_list(self, least: int = 1) -> tuple[int, ...]:
        """Seeds 1 to N, at least `least` of them."""
        return tuple(range(1, max(self.seeds, least) + 1))


QUICK = Depth("quick", seeds=5, thorough=False, live_seeds=3)
NORMAL = Depth("normal", seeds=10, thorough=True, live_seeds=6)
FULL = Depth("full", seeds=30, thorough=True, live_seeds=20)


@dataclass(frozen=True)
class Plan:
    """One part, ready to run.

    Attributes
    ----------
    part : str
        Name on the command line.
    title : str
        What it shows, in one line.
    orders : tuple of Order
        Scenarios and seeds for the engine.
    judge : callable
        Called with one `Runs` per order, in order; returns the rows.
    """

    part: str
    title: str
    orders: tuple[Order, ...]
    judge: Callable[[Sequence[Runs]], list[Row]]


@dataclass(frozen=True)
class Outcome:
    """A part with its rows; `skipped` is the reason if it has none."""

    part: str
    title: str
    rows: tuple[Row, ...]
    skipped: str = ""


class SkipError(Exception):
    """Raised by a judge that cannot work here, e.g. because a peer is not installed."""


def carry_out(plans: Sequence[Plan], *, threads: int | None = None, progress: bool | None = None) -> list[Outcome]:
    """Run all scenarios of all parts as one batch, then judge part by part."""
    orders = [order for plan in plans for order in plan.orders]
    results = iter(run_orders(orders, threads=threads, progress=progress, label="validating") if orders else [])
    outcomes = []
    for plan in plans:
        mine = [next(results) for _ in plan.orders]
        try:
            outcomes.append(Outcome(plan.part, plan.title, tuple(plan.judge(mine))))
        except SkipError as reason:
            outcomes.append(Outcome(plan.part, plan.title, (), str(reason)))
    return outcomes
