"""The scenarios of the benchmark, and for how long each side runs them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.paths import within
from hoplab_validation.peers.resolved import parse
from hoplab_validation.validate.scenarios import saturated


@dataclass(frozen=True)
class Span:
    """Two simulated durations in seconds; their difference in CPU time leaves out the start-up."""

    short_s: float
    long_s: float


@dataclass(frozen=True)
class Goals:
    """Times faster than ns-2 that are required and that are aimed at, than ns-3 that are aimed at; us per frame."""

    required: float | None = None
    aim: float | None = None
    ns3: float | None = None
    frame_us: float | None = None


CHAIN = Goals(8.0, 12.0, 200.0)
MOVING = Goals(18.0, 30.0, 400.0)
CALLING = Goals(40.0, 80.0, 800.0)
STATIC_1600 = Goals(60.0, 100.0, 2000.0)
STATIC_6400 = Goals(300.0, 500.0)
CELL = Goals(frame_us=0.8)


@dataclass(frozen=True)
class Case:
    """Something to run: its name, and the tables of its scenario."""

    name: str
    tables: dict[str, Any]

    def scenario(self, duration_s: float) -> Scenario:
        """The scenario with a duration."""
        return Scenario.from_dict(self.tables, duration=f"{duration_s:g} s")


@dataclass(frozen=True)
class Entry(Case):
    """One line of the benchmark against other simulators.

    Attributes
    ----------
    family : str
        ``flows`` (a ratio is wanted), ``density`` (cost per frame as the network grows) or ``cell`` (all stations hear
        each other).
    ours, theirs : Span
        Durations; ours are longer where the load does not change with time, so that both sides take long enough to be
        timed.
    repeats : int
        How often both sides are run, in turn; repeat k uses seed k.
    goals : Goals
        What the project set itself, start-up excluded.
    ns3 : Span or None
        Durations in ns-3: the short one is a mark on the way. None where it is not wanted, as it would take too long.
    ns3_repeats : int
        How many of the repeats run ns-3 too.
    ns3_tables : dict or None
        The scenario for ns-3 where it is not the same: one whose flows begin sooner, as seconds take ns-3 minutes.
    passes : int
        How often hoplab runs in each turn, of which the mean is taken: more than once where its runs take less than a
        second, which would be a single moment of the machine against ns-2's mean over many.
    """

    family: str
    ours: Span
    theirs: Span
    repeats: int
    goals: Goals = Goals()
    ns3: Span | None = None
    ns3_repeats: int = 0
    ns3_tables: dict[str, Any] | None = None
    passes: int = 1

    def ns3_scenario(self, duration_s: float) -> Scenario:
        """What ns-3 runs, with a duration."""
        return Scenario.from_dict(self.ns3_tables or self.tables, duration=f"{duration_s:g} s")


def suite(*, quick: bool = False) -> list[Entry]:
    """All entries; the quick ones take seconds and are good for a smoke test only."""
    repeats, ns3_repeats = (2, 1) if quick else (5, 3)
    scale = 0.1 if quick else 1.0

    def entry(  # noqa: PLR0913, PLR0917 (one row of a table)
        name: str, tables: dict[str, Any], ours_s: float, theirs_s: float, ns3: Span, goals: Goals
    ) -> Entry:
        spans = [Span(20.0, 20.0 + scale * long_s) for long_s in (ours_s, theirs_s)]
        shorter = Span(ns3.short_s, ns3.short_s + scale * (ns3.long_s - ns3.short_s))
        return Entry(name, tables, "flows", spans[0], spans[1], repeats, goals, shorter, ns3_repeats)

    chains = [
        entry(f"chain of {hops} hops, NewReno, {routing}", chain(hops, routing), 4000.0, 600.0, Span(10.0, 50.0), CHAIN)
        for hops, routing in ((4, "aodv"), (8, "aodv"), (8, "static"), (16, "aodv"), (16, "static"))
    ]
    grids = [
        entry(f"grid of 50 nodes, 5 flows, {routing}", grid(routing), 2000.0, 100.0, Span(8.0, 18.0), Goals())
        for routing in ("aodv", "static")
    ]
    # The load of nodes that move changes with time: both sides run the same stretch.
    mobile = entry("50 moving nodes, 5 flows, aodv", moving(), 200.0, 200.0, Span(8.0, 18.0), MOVING)
    calls = Entry(
        "256 moving nodes, 128 calls, dsdv",
        calling(),
        "flows",
        # Longer runs may not end: a loop in the tables of ns-2's DSDV (seed 1, 50 s).
        Span(20.0, 20.0 + scale * 10.0),
        Span(20.0, 20.0 + scale * 10.0),
        repeats,
        CALLING,
        None if quick else Span(0.2, 0.4),
        1,
        calling(within_s=0.2),
        passes=1 if quick else 7,
    )
    return [*chains, *grids, mobile, calls, *densities(quick=quick), *cells(quick=quick)]


def densities(*, quick: bool = False) -> list[Entry]:
    """The same density from 100 to 6,400 nodes; start-up limits the repeats with ns-2, and ns-3 altogether."""
    plans = [
        (100, Span(1.0, 1201.0), Span(1.0, 41.0), 5, Goals(), Span(0.5, 5.5), 2),
        (400, Span(1.0, 301.0), Span(1.0, 11.0), 5, Goals(), Span(0.2, 0.7), 2),
        (1600, Span(1.0, 76.0), Span(1.0, 4.0), 3, STATIC_1600, Span(0.2, 0.5), 2),
        (6400, Span(1.0, 19.0), Span(0.5, 1.5), 2, STATIC_6400, None, 0),
    ]
    if quick:
        plans = [
            (nodes, Span(1.0, 3.0), Span(1.0, 2.0), 1, goals, Span(0.2, 0.4), 1) for nodes, *_, goals, _, _ in plans[:2]
        ]
    return [
        Entry(f"{nodes} nodes, one-hop CBR", one_hop(nodes), "density", ours, theirs, repeats, goals, ns3, times)
        for nodes, ours, theirs, repeats, goals, ns3, times in plans
    ]


def cells(*, quick: bool = False) -> list[Entry]:
    """Twenty saturated stations around one receiver, all in range of each other."""
    scale, repeats, ns3_repeats = (0.2, 1, 1) if quick else (1.0, 5, 2)
    return [
        Entry(
            f"cell of {STATIONS} stations, {access}", cell(STATIONS, rts=rts), "cell", Span(5.0, 5.0 + scale * 400.0),
            Span(5.0, 5.0 + scale * 60.0), repeats, CELL, Span(2.0, 2.0 + scale * 10.0), ns3_repeats,
        )
        for access, rts in (("RTS/CTS", True), ("basic access", False))
    ]  # fmt: skip


STATIONS = 20


def cell(stations: int, *, rts: bool) -> dict[str, Any]:
    """Stations on a circle of 50 m round a receiver; each always has a datagram of 1,472 bytes to send.

    More than twice the capacity of 20: with more, queue drops would dominate the cost per frame.
    """
    ring = saturated(stations, rts=rts, segment=1472, rate="200 kb/s")
    return {"name": f"bench cell {'rts' if rts else 'basic'}", **ring}


def chain(hops: int, routing: str) -> dict[str, Any]:
    """One NewReno flow from end to end, nodes 200 m apart, 2 Mb/s."""
    return {
        "name": f"bench chain {hops} {routing}",
        "topology": {"kind": "chain", "hops": hops},
        "routing": {"protocol": routing},
        "flow": [{"from": "first", "to": "last", "transport": "new_reno", "window": 32}],
    }


def grid(routing: str) -> dict[str, Any]:
    """5 rows of 10 nodes, 200 m apart; one NewReno flow along each row, five hops long."""
    rows, columns, hops = 5, 10, 5
    offsets = (0, 4, 2, 3, 1)
    flows = [
        {
            "from": row * columns + offset,
            "to": row * columns + offset + hops,
            "transport": "new_reno",
            "window": 32,
            "start": f"{row + 1} s",
        }
        for row, offset in zip(range(rows), offsets, strict=True)
    ]
    return {
        "name": f"bench grid {routing}",
        "topology": {"kind": "grid", "rows": rows, "columns": columns},
        "routing": {"protocol": routing},
        "flow": flows,
    }


def moving() -> dict[str, Any]:
    """50 mobile nodes at up to 10 m/s on a square kilometer, five NewReno flows between ten of them."""
    return {
        "name": "bench moving",
        "topology": {"kind": "random", "nodes": 50, "area": ["1000 m", "1000 m"]},
        "mobility": {"kind": "waypoint", "min_speed": "1 m/s", "max_speed": "10 m/s"},
        "routing": {"protocol": "aodv"},
        "flow": [{"from": 2 * i, "to": 2 * i + 1, "transport": "new_reno", "start": f"{i + 1} s"} for i in range(5)],
    }


def calling(*, within_s: float = 10.0) -> dict[str, Any]:
    """The largest network of Barreto 2015, section 5.1: 256 nodes that move fast, 128 streams of 64 kb/s over DSDV."""
    calls = 128
    return {
        "name": "bench calling",
        "topology": {"kind": "random", "nodes": 256, "area": ["1000 m", "1000 m"]},
        "mobility": {"kind": "waypoint", "init": "setdest2", "min_speed": "10 m/s", "max_speed": "30 m/s"},
        "mac": {"data_rate": "11 Mb/s"},
        "routing": {"protocol": "dsdv"},
        "flow": [
            {
                "from": 2 * i,
                "to": 2 * i + 1,
                "app": "cbr",
                "transport": "udp",
                "segment": 512,
                "rate": "64 kb/s",
                "start": f"{within_s * i / calls:.3f} s",
            }
            for i in range(calls)
        ],
    }


NODES_PER_FLOW = 25
STARTS_WITHIN_S = 0.1


def one_hop(nodes: int) -> dict[str, Any]:
    """A square grid, 200 m apart, where every 25th node sends 512-byte datagrams to its neighbor."""
    side = math.isqrt(nodes)
    sources = range(0, nodes, NODES_PER_FLOW)
    flows = []
    for index, node in enumerate(sources):
        source = node if node % side < side - 1 else node - 1
        start_ms = 1000.0 * STARTS_WITHIN_S * index / len(sources)
        flows.append(
            {
                "from": source,
                "to": source + 1,
                "app": "cbr",
                "transport": "udp",
                "segment": 512,
                "rate": "200 kb/s",
                "start": f"{start_ms:.3f} ms",
            }
        )
    return {
        "name": f"bench density {nodes}",
        "topology": {"kind": "grid", "rows": side, "columns": nodes // side},
        "flow": flows,
    }


def hearers(scenario: Scenario) -> float:
    """How many nodes sense a frame at the start, on average over its senders."""
    resolved = scenario.resolve()
    return mean_hearers(parse(resolved.data).positions, resolved.facts.cs_range_m)


def mean_hearers(positions: Sequence[tuple[float, float]], range_m: float) -> float:
    """Nodes that sense a frame, on average over senders, with ranges in metres."""
    found = within(positions, [range_m] * len(positions))
    return sum(map(len, found)) / len(positions)
