"""The scenarios of the benchmark, and for how long each side runs them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.scenario import Scenario


@dataclass(frozen=True)
class Span:
    """Two simulated durations in seconds; their difference in CPU time leaves out the start-up."""

    short_s: float
    long_s: float


@dataclass(frozen=True)
class Entry:
    """One line of the benchmark.

    Attributes
    ----------
    family : str
        ``flows`` (a ratio is wanted) or ``density`` (cost per frame as the network grows).
    goal : float or None
        Times faster than ns-2 that the project set itself, start-up excluded.
    ours, theirs : Span
        Durations; ours are longer, so that both sides take long enough to be timed.
    repeats : int
        How often both sides are run, in turn; repeat k uses seed k.
    """

    family: str
    name: str
    tables: dict[str, Any]
    ours: Span
    theirs: Span
    repeats: int
    goal: float | None = None

    def scenario(self, duration_s: float) -> Scenario:
        """The scenario with a duration."""
        return Scenario.from_dict(self.tables, duration=f"{duration_s:g} s")


def suite(*, quick: bool = False) -> list[Entry]:
    """All entries; the quick ones take seconds and are good for a smoke test only."""
    repeats = 2 if quick else 5
    scale = 0.1 if quick else 1.0

    def entry(name: str, tables: dict[str, Any], ours_s: float, theirs_s: float, goal: float) -> Entry:
        spans = [Span(20.0, 20.0 + scale * long_s) for long_s in (ours_s, theirs_s)]
        return Entry("flows", name, tables, spans[0], spans[1], repeats, goal)

    chains = [
        entry(f"chain of {hops} hops, NewReno, {routing}", chain(hops, routing), 4000.0, 600.0, 6.0)
        for hops, routing in ((8, "aodv"), (8, "static"), (16, "aodv"), (16, "static"))
    ]
    grids = [
        entry(f"grid of 50 nodes, 5 flows, {routing}", grid(routing), 2000.0, 100.0, 12.0)
        for routing in ("aodv", "static")
    ]
    mobile = entry("50 moving nodes, 5 flows, aodv", moving(), 400.0, 60.0, 18.0)
    calls = Entry(
        "flows", "256 moving nodes, 128 calls, dsdv", calling(), Span(20.0, 20.0 + scale * 60.0),
        Span(20.0, 20.0 + scale * 10.0), min(repeats, 3), 40.0,
    )  # fmt: skip
    return [*chains, *grids, mobile, calls, *densities(quick=quick)]


def densities(*, quick: bool = False) -> list[Entry]:
    """The same density from 100 to 6,400 nodes; ns-2's start-up limits the repeats."""
    plans = [
        (100, Span(1.0, 1201.0), Span(1.0, 41.0), 5),
        (400, Span(1.0, 301.0), Span(1.0, 11.0), 5),
        (1600, Span(1.0, 76.0), Span(1.0, 4.0), 3),
        (6400, Span(1.0, 19.0), Span(0.5, 1.5), 2),
    ]
    if quick:
        plans = [(nodes, Span(1.0, 3.0), Span(1.0, 2.0), 1) for nodes, *_ in plans[:2]]
    return [
        Entry("density", f"{nodes} nodes, one-hop CBR", one_hop(nodes), ours, theirs, repeats)
        for nodes, ours, theirs, repeats in plans
    ]


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
    """50 nodes that walk at up to 10 m/s over a square kilometre, five NewReno flows between ten of them."""
    return {
        "name": "bench moving",
        "topology": {"kind": "random", "nodes": 50, "area": ["1000 m", "1000 m"]},
        "mobility": {"kind": "waypoint", "min_speed": "1 m/s", "max_speed": "10 m/s"},
        "routing": {"protocol": "aodv"},
        "flow": [{"from": 2 * i, "to": 2 * i + 1, "transport": "new_reno", "start": f"{i + 1} s"} for i in range(5)],
    }


def calling() -> dict[str, Any]:
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
                "start": f"{10.0 * i / calls:.3f} s",
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


def mean_hearers(positions: Sequence[tuple[float, float]], range_m: float) -> float:
    """Nodes that sense a frame, on average over senders, with ranges in metres."""
    from hoplab.peers.paths import within  # noqa: PLC0415

    found = within(positions, [range_m] * len(positions))
    return sum(map(len, found)) / len(positions)
