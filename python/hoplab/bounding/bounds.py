"""Bounds on what a scenario's network can carry, and the share of it that a run reaches."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from hoplab.base.errors import InputError
from hoplab.bounding import graph as graphs
from hoplab.bounding import sinr
from hoplab.bounding.graph import Graph, Link, Scheduler
from hoplab.bounding.inputs import Network, networks
from hoplab.bounding.loads import fixed_loads, free_loads, lengths_used
from hoplab.bounding.program import Objective, Polytope
from hoplab.bounding.schedule import Schedules

if TYPE_CHECKING:
    from hoplab.running.runs import Run
    from hoplab.scenario.model import Scenario

Routes = Literal["fixed", "free"]

MOST_VERTICES = 6000
"""Vertices above which a graph takes minutes and more."""
SNAPSHOTS = 200
"""Most snapshots of moving nodes, one per second otherwise."""
TOLERANCE = 0.005
TIME_S = 30.0


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bound from both sides.

    Attributes
    ----------
    low, high : float
        What a schedule carries, and what nothing exceeds: bit/s of payload; of `fair`, the sum of natural logarithms.
        `low` is 0 (minus infinity of `fair`) if no schedule was requested.
    flows_bps : tuple of float
        Rates of the flows at `high`, bit/s.
    binding : tuple of Link
        Links of the clique, or cut, that limits them.
    """

    low: float
    high: float
    flows_bps: tuple[float, ...]
    binding: tuple[Link, ...]

    @property
    def gap(self) -> float:
        """Width of the bracket over its upper end."""
        return (self.high - self.low) / abs(self.high) if self.high else 0.0


@dataclass(frozen=True)
class Limits:
    """Bounds from above of one scenario, to which runs are compared.

    Attributes
    ----------
    routes : str
        As in `Bound`.
    not_strict : tuple of str
        Reasons why a run can be above.
    max_min_bps : float
        The max-min fair rate, bit/s.
    """

    routes: Routes
    not_strict: tuple[str, ...]
    max_min_bps: float
    rooms: tuple[_Room, ...] = field(repr=False)

    @property
    def strict(self) -> bool:
        """Whether no run can be above."""
        return not self.not_strict

    def share(self, rates_bps: Run | Sequence[float]) -> float:
        """How far along its own direction a run got: 1 at the bound.

        Parameters
        ----------
        rates_bps : Run or sequence of float
            A run, or the distinct payload of each flow in bit/s: goodput can exceed it while a gap is filled. It counts
            from each flow's start: where starts differ by much, give the bits over the common time.
        """
        rates = np.array(_rates(rates_bps), dtype=float)
        if len(self.rooms) == 1:
            return self.rooms[0].polytope.extent(rates)
        # Rates of moving nodes are means over time: weighted sums of them are at most the means of the largest ones.
        carried = np.flatnonzero(rates > 0.0)
        weights = [np.eye(len(rates))[i] for i in carried]
        weights += [np.ones(len(rates)), np.divide(1.0, rates, out=np.zeros_like(rates), where=rates > 0.0)]
        most = [np.mean([room.polytope.support(weight) for room in self.rooms]) for weight in weights]
        return float(
            max((weight @ rates / top for weight, top in zip(weights, most, strict=True) if top > 0.0), default=0.0)
        )

    def fair_share(self, rates_bps: Run | Sequence[float]) -> float:
        """The worst flow's rate over the max-min fair rate: it falls where others starve.

        1 where a flow has no path: it carries all that it can.
        """
        rates = _rates(rates_bps)
        return min(rates) / self.max_min_bps if self.max_min_bps > 0.0 else 1.0


@dataclass(frozen=True)
class Bound:
    """Bounds of one scenario.

    Attributes
    ----------
    scheduler : str
        `dcf`: DCF without collisions, each backoff as long as its mean. `perfect`: any order of frames.
    routes : str
        `fixed`: the scenario's static paths. `free`: any, packet by packet.
    strict : bool
        Whether no run can be above it.
    proved : bool
        Whether schedules were sought that prove it from below.
    vertices, merged : int
        Size of the conflict graph, before and after twins are merged.
    """

    scheduler: Scheduler
    routes: Routes
    sum: Bracket
    max_min: Bracket
    fair: Bracket
    alone: tuple[Bracket, ...]
    strict: bool
    not_strict: tuple[str, ...]
    not_counted: tuple[str, ...]
    proved: bool
    vertices: int
    merged: int
    links: int
    seconds: float
    _limits: Limits = field(repr=False)

    def share(self, rates_bps: Run | Sequence[float]) -> float:
        """How far along its own direction a run got, as `Limits.share`."""
        return self._limits.share(rates_bps)

    def fair_share(self, rates_bps: Run | Sequence[float]) -> float:
        """The worst flow's rate over the max-min fair rate, as `Limits.fair_share`."""
        return self._limits.fair_share(rates_bps)


class _Room:
    """The programs of one snapshot."""

    def __init__(self, network: Network, scheduler: Scheduler, routes: Routes, *, acks: bool) -> None:
        if not acks:
            network = network.without_acks()
        self.network = network
        lengths = lengths_used(network) if routes == "fixed" else dict.fromkeys(network.links(), _lengths(network))
        links = list(lengths)
        per_link = 3 + (scheduler == "dcf") + 4 * network.is_sinr
        if len(links) * per_link > MOST_VERTICES:
            raise InputError(
                f"{len(links)} links: a bound of more than {MOST_VERTICES} vertices takes too long, expected fewer",
                hint="use --routes fixed, or fewer flows" if routes == "free" else "use fewer flows",
            )
        self.graph: Graph = (
            sinr.build(network, lengths, scheduler) if network.is_sinr else graphs.build(network, links, scheduler)
        )
        loads = fixed_loads(network, self.graph) if routes == "fixed" else free_loads(network, self.graph)
        self.polytope = Polytope(self.graph, loads)
        self.schedules: Schedules | None = None

    def bracket(self, objective: Objective, tolerance: float, deadline: float | None) -> Bracket:
        """The bound of one objective; without a deadline from above only."""
        best = -math.inf if objective == "fair" else 0.0
        while True:
            variables, high = self.polytope.solve(objective)
            rates = self.polytope.loads.rates @ variables
            load = self.polytope.loads.seconds @ variables
            if deadline is None or not load.any():
                break
            if self.schedules is None:
                self.schedules = Schedules(self.graph)
            cover = self.schedules.cover(load, deadline)
            factor = min(1.0 / cover.seconds, 1.0)
            found = high + len(rates) * math.log(factor) if objective == "fair" else high * factor
            best = max(best, found)
            # Of logarithms the width is that of the rates' geometric mean.
            width = (high - best) / len(rates) if objective == "fair" else 1.0 - best / high
            if width <= tolerance or time.monotonic() >= deadline or not math.isfinite(cover.limit):
                break
            if float(cover.prices @ load) <= cover.limit * (1.0 + 1e-9):
                break
            self.polytope.add(cover.prices, cover.limit)
        return Bracket(best, high, tuple(map(float, rates)), self._binding(variables))

    def _binding(self, variables: np.ndarray) -> tuple[Link, ...]:
        weights = self.polytope.binding(variables)
        links = (link for i in np.flatnonzero(weights > 0.0) for _, link in self.graph.names(int(i)))
        return tuple(sorted({link for link in links if link[0] != link[1]}))


def bound(  # noqa: PLR0913 (as the command has options)
    scenario: Scenario,
    *,
    scheduler: Scheduler = "dcf",
    routes: Routes | None = None,
    acks: bool = True,
    schedule: bool = True,
    tolerance: float = TOLERANCE,
    time_s: float = TIME_S,
    seed: int | None = None,
) -> Bound:
    """Bounds on what a scenario's network can carry.

    Parameters
    ----------
    scheduler : str
        `dcf` or `perfect`.
    routes : str or None
        `fixed` or `free`; None: fixed where the scenario's routes are static and its nodes stationary, else free.
    acks : bool
        Whether TCP's acknowledgments take their time.
    schedule : bool
        Whether to prove the bound from below, too.
    tolerance : float
        Width of brackets at which the search ends, as a share.
    time_s : float
        Time of each search, s.
    seed : int or None
        Seed of random places and movements; None for the scenario's.

    Raises
    ------
    InputError
        If the scenario has no flows, no fixed paths for `fixed`, or a radio that is not supported.
    """
    begin = time.monotonic()
    network, chosen, rooms = _rooms(scenario, scheduler, routes, seed, acks=acks)
    # Sets of frames that survive each single interferer need not survive their sum.
    is_exact = schedule and len(rooms) == 1 and not network.is_sinr
    names: list[Objective] = ["sum", "max_min", "fair", *range(len(network.flows))]
    found = {}
    for name in names:
        deadline = time.monotonic() + time_s if is_exact else None
        found[name] = _mean([room.bracket(name, tolerance, deadline) for room in rooms])
    alone = tuple(found[i] for i in range(len(network.flows)))
    return Bound(
        scheduler,
        chosen,
        found["sum"],
        found["max_min"],
        found["fair"],
        alone,
        not network.not_strict,
        network.not_strict,
        network.not_counted,
        is_exact,
        max(len(room.graph.vertices) for room in rooms),
        max(room.graph.size for room in rooms),
        max(len(room.graph.links) for room in rooms),
        time.monotonic() - begin,
        Limits(chosen, network.not_strict, found["max_min"].high, rooms),
    )


def limits(scenario: Scenario, *, seed: int | None = None) -> Limits:
    """Bounds of `dcf` from above alone, for shares of runs: much faster than `bound`.

    Raises
    ------
    InputError
        As `bound`.
    """
    network, routes, rooms = _rooms(scenario, "dcf", None, seed, acks=True)
    fair = math.fsum(room.polytope.solve("max_min")[1] for room in rooms) / len(rooms)
    return Limits(routes, network.not_strict, fair, rooms)


def _rooms(
    scenario: Scenario, scheduler: Scheduler, routes: Routes | None, seed: int | None, *, acks: bool
) -> tuple[Network, Routes, tuple[_Room, ...]]:
    """The network at its start, its kind of routes, and the programs of its snapshots."""
    data = scenario.resolve().data
    seed = data["seed"] if seed is None else seed
    network = networks(scenario, seed)[0]
    is_still = not any("move" in reason for reason in network.not_strict)
    protocol = data["routing"]["protocol"]
    chosen: Routes = routes or ("fixed" if protocol == "static" and is_still else "free")
    if chosen == "fixed" and not is_still:
        raise InputError("nodes move, so that no route is fixed, expected --routes free", hint="omit --routes")
    if chosen == "fixed":
        _check_paths(protocol, network)
    snapshots = [network] if is_still else networks(scenario, seed, _times(scenario))
    return network, chosen, tuple(_Room(one, scheduler, chosen, acks=acks) for one in snapshots)


def _mean(brackets: Sequence[Bracket]) -> Bracket:
    if len(brackets) == 1:
        return brackets[0]
    count = len(brackets)
    flows = tuple(math.fsum(rates) / count for rates in zip(*(b.flows_bps for b in brackets), strict=True))
    return Bracket(math.fsum(b.low for b in brackets) / count, math.fsum(b.high for b in brackets) / count, flows, ())


def _times(scenario: Scenario) -> list[float]:
    data = scenario.resolve().data
    begin, end = data["warmup_s"], data["duration_s"]
    count = min(SNAPSHOTS, max(1, math.ceil(end - begin)))
    return [begin + (end - begin) * (i + 0.5) / count for i in range(count)]


def _check_paths(protocol: str, network: Network) -> None:
    if protocol != "static":
        raise InputError(
            f'routing.protocol = "{protocol}" finds routes during the run, expected "static" for --routes fixed',
            hint="use --routes free",
        )
    for flow in network.flows:
        if flow.path is None or flow.back is None:
            raise InputError(
                f"flow {flow.id}: no path between nodes {flow.src} and {flow.dst}, expected one for every flow"
            )


def _lengths(network: Network) -> tuple[int, ...]:
    sent = (length for flow in network.flows for length in (flow.data_bytes, flow.ack_bytes if flow.acks else 0))
    return tuple(dict.fromkeys(length for length in sent if length))


def _rates(given: Run | Sequence[float]) -> list[float]:
    flows: Mapping[int, object] | Sequence[object] | None = getattr(given, "flows", None)
    if flows is not None:
        return [flow.unique_bps for flow in flows]  # type: ignore[attr-defined]
    return [float(value) for value in given]  # type: ignore[union-attr]
