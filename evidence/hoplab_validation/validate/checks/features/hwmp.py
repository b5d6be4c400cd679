"""HWMP against stored runs of ns-3.37: chains, a grid, moving nodes, and a relay whose radio is switched off.

Both have the same positions and movements, and the constants of ns-3. Compared are delivery, messages and their bytes,
and next hops where both have a path. Here the trace has the messages where they are sent, and each change of a path.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from hoplab.running.runs import Runs
from hoplab.stats import mean_interval
from hoplab.store.trace import Trace
from hoplab_validation.peers import tables
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks.features.routed import (
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

PART = "hwmp"
SOURCE = "ns-3 table"
TABLE = "ns3_hwmp"
KINDS = ("preq", "prep", "perr")
COLUMNS = ("scenario", "seed", "goodput_kbps", "delay_ms", "gap_s", *KINDS, "bytes", "routes")

SAMPLES_S = tuple(32.0 + 2.0 * k for k in range(20))
"""When next hops are compared."""

WARMUP_S, END_S, OFF_S = 30.0, 71.0, 45.0
"""Measured from and to, and when the relay is switched off."""

DELAY_SHARE, CONTROL_SHARE, SAME_POINTS = 0.15, 0.1, 5.0
"""Means may differ by so much, or by the sum of the half-widths where that is more; next hops by 5 points."""

CONTROL_FLOOR_PER_S = 0.1
"""Or by so much, where little is measured."""

LLC_BYTES = 8
"""LLC and SNAP, which frames here have and action frames do not: messages are shorter by so much."""

NS3 = """[routing.hwmp]
net_diameter_traversal_time = "102.4 ms"
max_jitter = "0 s"
target_only = false
ttl = 32
"""
"""Constants whose defaults in ns-3 differ from those of the standard."""

BYTES, NEXT = "bytes of messages sent", "pairs with the same next hop, of those with a path in both"
LENGTH = "pairs with a path of the same length, of those with one in both"
NAMES = {kind: f"{kind.upper()}s sent" for kind in KINDS}


TIES = "of paths of the same metric each simulator keeps the first, which depends on backoffs"
LOST = "which copies of a request collide depends on backoffs: a longer path remains until the next request"
PEERING = (
    "nodes of ns-3 that meet open a link first, and ignore messages of others; here a neighbor that is heard counts"
)
REPLIES = "ns-3 forwards each PREP that is not older; the standard, and the engine, only one that improves the path"


def _text(name: str, topology: str, flows: Sequence[tuple[int, int]], more: str = "") -> str:
    """Datagrams of 20 kb/s between these ends."""
    return (
        f'name = "{name}"\nprofile = "std"\nduration = "{END_S:g} s"\nwarmup = "{WARMUP_S:g} s"\n'
        f'topology = {{ {topology} }}\n[routing]\nprotocol = "hwmp"\n{NS3}{more}{datagrams(flows, 20)}'
    )


CASES: Mapping[str, Ns3Case] = {
    "chain 2": Ns3Case(_text("2 hops, HWMP", 'kind = "chain", hops = 2', [(0, 2)])),
    "chain 6": Ns3Case(_text("6 hops, HWMP", 'kind = "chain", hops = 6', [(0, 6)])),
    "grid 4x4": Ns3Case(
        _text("grid of 4 by 4, HWMP", 'kind = "grid", columns = 4, rows = 4', [(0, 15), (12, 3)]),
        {NEXT: TIES, LENGTH: LOST, "preq": LOST, "prep": REPLIES, BYTES: REPLIES},
    ),
    "relay off": Ns3Case(
        _text(
            "relay switched off at 45 s, HWMP",
            f'kind = "positions", positions = {RING}',
            [(0, 2)],
            f'[[node]]\nid = 1\nradio_off = [["{OFF_S:g} s", "1000 s"]]\n',
        )
    ),
    "moving 10": Ns3Case(
        _text(
            "10 nodes, 1 to 5 m/s, HWMP",
            'kind = "random", nodes = 10, area = ["500 m", "400 m"]',
            [(0, 1), (2, 3)],
            '[mobility]\nkind = "waypoint"\nmin_speed = "1 m/s"\nmax_speed = "5 m/s"\n',
        ),
        {LENGTH: PEERING, NEXT: PEERING},
    ),
}


def plan(depth: Depth) -> Plan:
    """All cases, over seeds of the table."""
    return plan_cases(PART, "HWMP of IEEE 802.11-2016, against ns-3", TABLE, CASES, _rows, depth)


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
    for kind in (*KINDS, BYTES):
        unit, column = ("B/s", "bytes") if kind == BYTES else ("1/s", kind)
        us = mean_interval(each.counts[kind] / measured_s for each in seen)
        judge.compare_means(kind, unit, judge.of(column, measured_s), us, CONTROL_SHARE, CONTROL_FLOOR_PER_S)
    stored = [row["routes"].split("/") for row in theirs]
    for what, share in ((LENGTH, same_length), (NEXT, same_next)):
        judge.same(what, (share(a, each.routes) for a, each in zip(stored, seen, strict=True)), SAME_POINTS)
    return judge.found


class _Seen:
    """What the trace of one run has.

    Attributes
    ----------
    counts : Counter
        Messages by kind, and the bytes of their action frames, in the measured window.
    gap_s : float
        Longest time between two deliveries in the window.
    routes : list of str
        Tables at the sample times, as in the column.
    """

    def __init__(self, trace: Trace, seed: int, nodes: int) -> None:
        self.counts: Counter[str] = Counter()
        for kind, size in trace.rows(
            "SELECT packet, bytes FROM events "
            "WHERE seed = ? AND event = 'forwarded' AND packet IN ('preq', 'prep', 'perr') AND t_ns >= ?",
            [seed, round(1e9 * WARMUP_S)],
        ):
            self.counts[kind] += 1
            self.counts[BYTES] += size + LLC_BYTES
        self.gap_s = longest_gap_s(trace, seed, WARMUP_S)
        self.routes = list(tables_at(SAMPLES_S, trace, seed, nodes))


def same_length(theirs: Sequence[str], ours: Sequence[str]) -> float:
    """Share of paths of the same length, over pairs and samples with a whole path in both; 1 without any."""
    same = []
    for a, b in zip(theirs, ours, strict=True):
        nodes = range(math.isqrt(len(a)))
        pairs = ((length(a, src, dst), length(b, src, dst)) for src in nodes for dst in nodes if src != dst)
        same += [hops == others for hops, others in pairs if hops is not None and others is not None]
    return sum(same) / len(same) if same else 1.0


def same_next(theirs: Sequence[str], ours: Sequence[str]) -> float:
    """Share of equal next hops, over pairs of nodes and samples at which both have a path; 1 without any."""
    pairs = [(a, b) for at in zip(theirs, ours, strict=True) for a, b in zip(*at, strict=True) if "-" not in (a, b)]
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else 1.0
