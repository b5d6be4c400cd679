"""DSR by RFC 4728 against stored runs of ns-2.35: still and moving networks, and a relay whose radio is switched off.

Both have the same positions and movements. Compared are delivery, hops, messages and their bytes, and the longest time
without a delivery.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hoplab.running.runs import Runs
from hoplab.store.trace import Trace
from hoplab_validation.peers import tables
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks.features.routed import (
    DIGITS,
    GAP,
    GAP_FLOOR_S,
    RING,
    Case,
    Judge,
    datagrams,
    plan_cases,
)
from hoplab_validation.validate.checks.features.traced import traced
from hoplab_validation.validate.plan import Depth, Plan

PART = "dsr"
SOURCE = "ns-2 table"
TABLE = "ns2_dsr"
KINDS = ("rreq", "rrep", "rerr")
COLUMNS = ("scenario", "seed", "goodput_kbps", "hops", "gap_s", *KINDS, "bytes", "lengths")

WARMUP_S, END_S, OFF_S = 10.0, 71.0, 45.0
"""Measured from and to, and when the relay is switched off."""

HOPS_SHARE, CONTROL_SHARE, SAME_POINTS = 0.03, 0.15, 5.0
"""Means may differ by so much, or by the sum of the half-widths where that is more; lengths by 5 percentage points."""

CONTROL_FLOOR, BYTES_FLOOR = 3.0, 150.0
"""Or by so much, where little is measured."""

HOPS, BYTES = "hops of a datagram", "bytes of messages"
SAME = "seconds with routes of the same length"
NAMES = {"rreq": "RREQs sent", "rrep": "RREPs sent", "rerr": "RERRs sent"}

MOVES = "which of several routes a moving node uses depends on the packets that it overhears, and both draw that"


def _text(name: str, topology: str, flows: Sequence[tuple[int, int]], more: str = "") -> str:
    """Datagrams of 20 kb/s between these ends."""
    return (
        f'name = "{name}"\nduration = "{END_S:g} s"\nwarmup = "{WARMUP_S:g} s"\n'
        f'topology = {{ {topology} }}\nrouting = {{ protocol = "dsr" }}\n{more}{datagrams(flows, 2)}'
    )


CASES: Mapping[str, Case] = {
    "chain 8": Case(_text("8 hops, DSR", 'kind = "chain", hops = 8', [(0, 8), (8, 0)])),
    "grid 5x5": Case(_text("grid of 5 by 5, DSR", 'kind = "grid", columns = 5, rows = 5', [(0, 24), (20, 4)])),
    "moving 30": Case(
        _text(
            "30 nodes, 1 to 5 m/s, DSR",
            'kind = "random", nodes = 30, area = ["900 m", "700 m"]',
            [(0, 1), (2, 3), (4, 5)],
            'mobility = { kind = "waypoint", min_speed = "1 m/s", max_speed = "5 m/s" }\n',
        ),
        {SAME: MOVES},
    ),
    "relay off": Case(
        _text(
            "relay switched off at 45 s, DSR",
            f'kind = "positions", positions = {RING}',
            [(0, 2)],
            f'node = [{{ id = 1, radio_off = [["{OFF_S:g} s", "1000 s"]] }}]\n',
        )
    ),
}


def plan(depth: Depth) -> Plan:
    """All cases, over seeds of the table."""
    return plan_cases(PART, "DSR by RFC 4728, against ns-2", TABLE, CASES, _rows, depth)


def _rows(case: Case, ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    judge = Judge(PART, SOURCE, case, ours, theirs, NAMES)
    sources = [flow["from"] for flow in ours.scenario.resolve().data["flows"]]
    with traced(ours.scenario, ours.seeds) as trace:
        seen = [seen_in(trace, seed, sources) for seed in ours.seeds]
    judge.goodput()
    judge.compare(HOPS, "", "hops", (each.hops for each in seen), HOPS_SHARE)
    judge.compare(GAP, "s", "gap_s", (each.gap_s for each in seen), 0.0, GAP_FLOOR_S)
    for kind in KINDS:
        judge.compare(kind, "", kind, [each.messages[kind] for each in seen], CONTROL_SHARE, CONTROL_FLOOR)
    judge.compare(BYTES, "B", "bytes", [each.messages["bytes"] for each in seen], CONTROL_SHARE, BYTES_FLOOR)
    shares = (same_lengths(stored["lengths"], each.lengths) for stored, each in zip(theirs, seen, strict=True))
    judge.same(SAME, shares, SAME_POINTS)
    return judge.found


@dataclass(frozen=True)
class Seen:
    """What one run shows.

    Attributes
    ----------
    messages : Counter
        Messages by kind, counted at each node that sends them, and their `bytes`.
    hops, gap_s : float
        Mean hops of a delivered datagram; longest time between two deliveries of a flow.
    lengths : str
        As in the column.
    """

    messages: Counter[str]
    hops: float
    gap_s: float
    lengths: str


def seen_of(messages: Counter[str], deliveries: Iterable[tuple[float, int, int]], sources: Sequence[int]) -> Seen:
    """From messages, and from deliveries after the warm-up: time, source and hops, in order."""
    flows = [[(time_s, hops) for time_s, by, hops in deliveries if by == src] for src in sources]
    hops = [hops for flow in flows for _, hops in flow]
    gaps = [b - a for flow in flows for (a, _), (b, _) in pairwise(flow)]
    lengths = []
    for flow in flows:
        first: dict[int, int] = {}
        for time_s, count in flow:
            first.setdefault(int(time_s), count)
        seconds = range(round(WARMUP_S), round(END_S))
        lengths.append("".join(DIGITS[first[second]] if second in first else "-" for second in seconds))
    mean = sum(hops) / len(hops) if hops else math.nan
    return Seen(messages, mean, max(gaps, default=math.nan), "/".join(lengths))


def seen_in(trace: Trace, seed: int, sources: Sequence[int]) -> Seen:
    """What the trace of a run shows."""
    since_ns = round(1e9 * WARMUP_S)
    messages: Counter[str] = Counter()
    for kind, count, size in trace.rows(
        "SELECT packet, count(*), sum(bytes) FROM events WHERE seed = ? AND event = 'forwarded' "
        "AND packet IN ('rreq', 'rrep', 'rerr') GROUP BY packet",
        [seed],
    ):
        messages[kind] += count
        messages["bytes"] += size
    deliveries = [
        (1e-9 * t_ns, sources[flow], hops)
        for t_ns, flow, hops in trace.rows(
            "SELECT d.t_ns, d.flow, f.hops FROM events d JOIN (SELECT uid, count(*) AS hops FROM events "
            "WHERE seed = ? AND event = 'forwarded' AND packet = 'datagram' GROUP BY uid) f ON d.uid = f.uid "
            "WHERE d.seed = ? AND d.event = 'delivered' AND d.packet = 'datagram' AND d.t_ns >= ? ORDER BY d.t_ns",
            [seed, seed, since_ns],
        )
    ]
    return seen_of(messages, deliveries, sources)


def same_lengths(a: str, b: str) -> float:
    """Share of seconds in which datagrams have as many hops on both sides, of those with datagrams on both."""
    both = [(x, y) for x, y in zip(a, b, strict=True) if x not in "-/" and y not in "-/"]
    return sum(x == y for x, y in both) / len(both) if both else math.nan
