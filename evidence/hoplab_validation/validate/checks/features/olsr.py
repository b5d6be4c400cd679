"""OLSR by RFC 3626 against stored runs of ns-3.37: still and moving networks, and a relay whose radio is switched off.

Both have the same positions and movements. Compared are delivery, messages and their bytes, and the tables: next hops,
and the lengths of the paths that follow from them. Here the trace has the messages where they are sent, and each
change of a route.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence

from hoplab.running.runs import Runs
from hoplab.stats import mean_interval
from hoplab.store.trace import Trace
from hoplab_validation.peers import tables
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks.features.routed import (
    DELAY,
    GAP,
    GAP_FLOOR_S,
    RING,
    Case,
    Judge,
    Ns3Case,
    datagrams,
    length,
    longest_gap_s,
    plan_cases,
    tables_at,
)
from hoplab_validation.validate.checks.features.traced import traced
from hoplab_validation.validate.plan import Depth, Plan

PART = "olsr"
SOURCE = "ns-3 table"
TABLE = "ns3_olsr"
COUNTS = ("packets", "grouped", "hello", "tc")
COLUMNS = ("scenario", "seed", "goodput_kbps", "delay_ms", "gap_s", *COUNTS, "bytes", "routes")

SAMPLES_S = (40.0, 55.0, 70.0)
"""When tables are compared."""

WARMUP_S, END_S, OFF_S = 30.0, 71.0, 45.0
"""Measured from and to, and when the relay is switched off."""

DELAY_SHARE, CONTROL_SHARE, SAME_POINTS = 0.15, 0.05, 5.0
"""Means may differ by so much, or by the sum of the half-widths where that is more; tables by 5 percentage points."""

CONTROL_FLOOR_PER_S = 0.05
"""Or by so much, where little is measured."""

HOPS, NEXT = "pairs with a path of the same length", "pairs with the same next hop"
UNITS = {"packets": "1/s", "grouped": "B/s", "hello": "1/s", "tc": "1/s"}
NAMES = {"packets": "packets sent", "grouped": "bytes sent", "hello": "HELLO messages sent", "tc": "TC messages sent"}

TIES = "of equally long paths each simulator takes another; the RFC leaves the choice open beyond two hops"
CROSS = (
    "both flows send at the same instants, and where they meet depends on the choice among equal paths; with the first "
    "flow alone 20.48 ± 0.07 ms in ns-3 (6 seeds) and 20.38 ± 0.02 ms here (10 seeds)"
)
CROSS_RADIOS = "where the flows meet depends on the choice among equal paths"
MPRS = "ns-3 selects MPRs for all radios together, RFC 3626 section 8.3.1 for each: more nodes forward"
MOVES = "tables of moving nodes depend on when messages are sent, which both draw"


def _text(name: str, topology: str, flows: Sequence[tuple[int, int]], more: str = "") -> str:
    """Datagrams of 20 kb/s between these ends."""
    return (
        f'name = "{name}"\nprofile = "std"\nduration = "{END_S:g} s"\nwarmup = "{WARMUP_S:g} s"\n'
        f'topology = {{ {topology} }}\nrouting = {{ protocol = "olsr" }}\n{more}{datagrams(flows, 20)}'
    )


def _radios(lists: Sequence[Sequence[int]]) -> str:
    """Tables `[[node]]` with these channels."""
    return "".join(
        f"[[node]]\nid = {node}\nradios = [{', '.join(f'{{ channel = {channel} }}' for channel in channels)}]\n"
        for node, channels in enumerate(lists)
    )


HOPS_OF_RADIOS = (2, 6, 11, 2, 6, 11)
"""Channels of the hops of the chain with two radios per relay."""

CASES: Mapping[str, Ns3Case] = {
    "chain 8": Ns3Case(_text("8 hops, OLSR", 'kind = "chain", hops = 8', [(0, 8), (8, 0)]), {NEXT: TIES}),
    "grid 5x5": Ns3Case(
        _text("grid of 5 by 5, OLSR", 'kind = "grid", columns = 5, rows = 5', [(0, 24), (20, 4)]),
        {NEXT: TIES, DELAY: CROSS},
    ),
    "random 30": Ns3Case(
        _text(
            "30 nodes at random, OLSR",
            'kind = "random", nodes = 30, area = ["900 m", "700 m"]',
            [(0, 1), (2, 3), (4, 5)],
        ),
        {NEXT: TIES},
    ),
    "moving 30": Ns3Case(
        _text(
            "30 nodes, 1 to 10 m/s, OLSR",
            'kind = "random", nodes = 30, area = ["900 m", "700 m"]',
            [(0, 1), (2, 3), (4, 5)],
            'mobility = { kind = "waypoint", min_speed = "1 m/s", max_speed = "10 m/s" }\n',
        ),
        {NEXT: TIES, HOPS: MOVES},
    ),
    "radios 6": Ns3Case(
        _text(
            "6 hops, a channel per hop, OLSR",
            'kind = "chain", hops = 6',
            [(0, 6), (6, 0)],
            _radios([sorted({*HOPS_OF_RADIOS[max(node - 1, 0) : node + 1]}) for node in range(7)]),
        ),
        {},
    ),
    "radios 3x3": Ns3Case(
        _text(
            "3 by 3, a channel per row and column, OLSR",
            'kind = "grid", columns = 3, rows = 3',
            [(0, 8), (6, 2)],
            _radios([(2 + node // 3, 6 + node % 3) for node in range(9)]),
        ),
        {NEXT: TIES, DELAY: CROSS_RADIOS, **dict.fromkeys(("packets", "grouped", "tc"), MPRS)},
    ),
    "relay off": Ns3Case(
        _text(
            "relay switched off at 45 s, OLSR",
            f'kind = "positions", positions = {RING}',
            [(0, 2)],
            f'node = [{{ id = 1, radio_off = [["{OFF_S:g} s", "1000 s"]] }}]\n',
        ),
        {NEXT: TIES},
    ),
}


def plan(depth: Depth) -> Plan:
    """All cases, over seeds of the table."""
    return plan_cases(PART, "OLSR by RFC 3626, against ns-3", TABLE, CASES, _rows, depth)


def _rows(case: Case, ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    judge = Judge(PART, SOURCE, case, ours, theirs, NAMES)
    nodes = len(ours.scenario.resolve().data["topology"]["positions"])
    with traced(ours.scenario, ours.seeds) as trace:
        seen = [_Seen(trace, seed, nodes) for seed in ours.seeds]
    judge.goodput()
    judge.delay(DELAY_SHARE)
    if ours.scenario.name.startswith("relay"):
        judge.compare(GAP, "s", "gap_s", (each.gap_s for each in seen), 0.0, GAP_FLOOR_S)
    measured_s = END_S - WARMUP_S
    for kind in COUNTS:
        us = mean_interval(each.counts[kind] / measured_s for each in seen)
        judge.compare_means(kind, UNITS[kind], judge.of(kind, measured_s), us, CONTROL_SHARE, CONTROL_FLOOR_PER_S)
    stored = [row["routes"].split("/") for row in theirs]
    for what, share in ((HOPS, same_lengths), (NEXT, same_hops)):
        means = (
            sum(share(a, b) for a, b in zip(tables_of, each.routes, strict=True)) / len(SAMPLES_S)
            for tables_of, each in zip(stored, seen, strict=True)
        )
        judge.same(what, means, SAME_POINTS)
    return judge.found


class _Seen:
    """What the trace of one run has.

    Attributes
    ----------
    counts : Counter
        Packets, their bytes, and messages by kind, in the measured window.
    gap_s : float
        Longest time between two deliveries in the window.
    routes : list of str
        Tables at the sample times, as in the column.
    """

    def __init__(self, trace: Trace, seed: int, nodes: int) -> None:
        self.counts: Counter[str] = Counter()
        for size, text in trace.rows(
            "SELECT bytes, message FROM events "
            "WHERE seed = ? AND event = 'forwarded' AND packet = 'olsr' AND t_ns >= ?",
            [seed, round(1e9 * WARMUP_S)],
        ):
            self.counts["packets"] += 1
            self.counts["grouped"] += size
            self.counts.update(message["type"] for message in json.loads(text)["messages"])
        self.gap_s = longest_gap_s(trace, seed, WARMUP_S)
        self.routes = list(tables_at(SAMPLES_S, trace, seed, nodes))


def same_lengths(a: str, b: str) -> float:
    """Share of pairs of nodes whose paths are equally long in two tables, or are missing in both."""
    nodes = math.isqrt(len(a))
    pairs = [(src, dst) for src in range(nodes) for dst in range(nodes) if src != dst]
    return sum(length(a, *pair) == length(b, *pair) for pair in pairs) / len(pairs)


def same_hops(a: str, b: str) -> float:
    """Share of pairs of nodes with the same next hop in two tables, or without one in both."""
    nodes = math.isqrt(len(a))
    same = sum(x == y for x, y in zip(a, b, strict=True)) - nodes
    return same / (nodes * (nodes - 1))
