"""HWMP against stored runs of ns-3.37: chains, a grid, moving nodes, and a relay whose radio is switched off.

Both have the same positions and movements, and the constants of ns-3. Compared are delivery, messages and their bytes,
and next hops where both have a path. Here the trace has the messages where they are sent, and each change of a path.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab.store.trace import Trace
from hoplab.validation.peers import tables
from hoplab.validation.peers.ns3 import text as ns3_text
from hoplab.validation.peers.stats import tolerance
from hoplab.validation.peers.verdict import Row
from hoplab.validation.validate.checks.features.olsr import DELAY_FLOOR_MS, delay_ms, length, tables_at
from hoplab.validation.validate.checks.features.traced import traced
from hoplab.validation.validate.plan import Depth, Plan
from hoplab.validation.validate.stored import goodput_kbps, plan_stored

PART = "hwmp"
SOURCE = "ns-3 table"
TABLE = "ns3_hwmp"
KINDS = ("preq", "prep", "perr")
COLUMNS = ("scenario", "seed", "goodput_kbps", "delay_ms", "gap_s", *KINDS, "bytes", "routes")

SAMPLES_S = tuple(32.0 + 2.0 * k for k in range(20))
"""When next hops are compared."""

WARMUP_S, END_S, OFF_S = 30.0, 71.0, 45.0
"""Measured from and to, and when the relay is switched off."""

GOODPUT_SHARE, DELAY_SHARE, CONTROL_SHARE, SAME_POINTS = 0.05, 0.15, 0.1, 5.0
"""Means may differ by so much, or by the sum of the half-widths where that is more; next hops by 5 points."""

CONTROL_FLOOR_PER_S, GAP_FLOOR_S = 0.1, 0.5
"""Or by so much, where little is measured."""

LLC_BYTES = 8
"""LLC and SNAP, which frames here have and action frames do not: messages are shorter by so much."""

NS3 = """[routing.hwmp]
net_diameter_traversal_time = "102.4 ms"
target_only = false
ttl = 32
"""
"""Constants whose defaults in ns-3 differ from those of the standard."""

GOODPUT, DELAY, GAP = "goodput", "delay", "longest time without a delivery"
BYTES, NEXT = "bytes of messages sent", "pairs with the same next hop, of those with a path in both"
LENGTH = "pairs with a path of the same length, of those with one in both"
NAMES = {kind: f"{kind.upper()}s sent" for kind in KINDS}


TIES = "of paths of the same metric each simulator keeps the first, which depends on backoffs"
LOST = "which copies of a request collide depends on backoffs: a longer path remains until the next request"
PEERING = (
    "nodes of ns-3 that meet open a link first, and ignore messages of others; here a neighbor that is heard counts"
)
REPLIES = "ns-3 forwards each PREP that is not older; the standard, and the engine, only one that improves the path"


@dataclass(frozen=True)
class Case:
    """A scenario of the table, and quantities that do not decide, with the reason."""

    text: str
    noted: Mapping[str, str] = field(default_factory=dict)

    @property
    def scenario(self) -> Scenario:
        """With the values that ns-3 has."""
        return ns3_text.counterpart(Scenario.from_text(self.text))


def _text(name: str, topology: str, flows: Sequence[tuple[int, int]], more: str = "") -> str:
    """Datagrams of 20 kb/s between these ends."""
    blocks = "".join(
        f'[[flow]]\nfrom = {src}\nto = {dst}\ntransport = "udp"\napp = "cbr"\nrate = "20 kb/s"\nsegment = 250\n'
        f'start = "{20 + k} s"\n'
        for k, (src, dst) in enumerate(flows)
    )
    return (
        f'name = "{name}"\nprofile = "std"\nduration = "{END_S:g} s"\nwarmup = "{WARMUP_S:g} s"\n'
        f'topology = {{ {topology} }}\n[routing]\nprotocol = "hwmp"\n{NS3}{more}{blocks}'
    )


RING = "[[0, 0], [200, 0], [400, 0], [60, 200], [290, 210]]"
"""From node 0 to node 2 over node 1, or over nodes 3 and 4."""

CASES: Mapping[str, Case] = {
    "chain 2": Case(_text("2 hops, HWMP", 'kind = "chain", hops = 2', [(0, 2)])),
    "chain 6": Case(_text("6 hops, HWMP", 'kind = "chain", hops = 6', [(0, 6)])),
    "grid 4x4": Case(
        _text("grid of 4 by 4, HWMP", 'kind = "grid", columns = 4, rows = 4', [(0, 15), (12, 3)]),
        {NEXT: TIES, LENGTH: LOST, "preq": LOST, "prep": REPLIES, BYTES: REPLIES},
    ),
    "relay off": Case(
        _text(
            "relay switched off at 45 s, HWMP",
            f'kind = "positions", positions = {RING}',
            [(0, 2)],
            f'[[node]]\nid = 1\nradio_off = [["{OFF_S:g} s", "1000 s"]]\n',
        )
    ),
    "moving 10": Case(
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
    names = {case.scenario.name: case for case in CASES.values()}

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        kept = [row for row in theirs if int(row["seed"]) in ours.seeds]
        return _rows(names[ours.scenario.name], ours, kept)

    most = None if depth.thorough else depth.seeds
    return plan_stored(
        PART,
        "HWMP of IEEE 802.11-2016, against ns-3",
        table=TABLE,
        key_of=lambda row: row["scenario"],
        scenarios={name: case.scenario for name, case in CASES.items()},
        seeds_of=lambda rows: tuple(int(row["seed"]) for row in rows)[:most],
        judge_one=judge,
    )


def _rows(case: Case, ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    def row(what: str, unit: str, pair: tuple[Interval, Interval], limit: float) -> Row:
        note = case.noted.get(what, "")
        name = f"{ours.scenario.name}: {NAMES.get(what, what)}"
        return Row(PART, name, unit, SOURCE, *pair, limit, decisive=not note, note=note)

    def of(column: str, per_s: float = 1.0) -> Interval:
        return mean_interval(float(each[column]) / per_s for each in theirs)

    nodes = len(ours.scenario.resolve().data["topology"]["positions"])
    with traced(ours.scenario, ours.seeds) as trace:
        seen = [_Seen(trace, seed, nodes) for seed in ours.seeds]
    found = []
    them, us = of("goodput_kbps"), mean_interval(goodput_kbps(run) for run in ours)
    found.append(row(GOODPUT, "kb/s", (them, us), tolerance(us, them, GOODPUT_SHARE)))
    them, us = of("delay_ms"), mean_interval(map(delay_ms, ours))
    found.append(row(DELAY, "ms", (them, us), tolerance(us, them, DELAY_SHARE, floor=DELAY_FLOOR_MS)))
    if ours.scenario.name.startswith("relay"):
        them, us = of("gap_s"), mean_interval(each.gap_s for each in seen)
        found.append(row(GAP, "s", (them, us), tolerance(us, them, 0.0, floor=GAP_FLOOR_S)))
    measured_s = END_S - WARMUP_S
    for kind in (*KINDS, BYTES):
        unit = "B/s" if kind == BYTES else "1/s"
        them = of("bytes" if kind == BYTES else kind, measured_s)
        us = mean_interval(each.counts[kind] / measured_s for each in seen)
        limit = tolerance(us, them, CONTROL_SHARE, floor=CONTROL_FLOOR_PER_S)
        found.append(row(kind, unit, (them, us), limit))
    stored = [row["routes"].split("/") for row in theirs]
    everything = Interval(100.0, None, None, None, len(stored), "none")
    for what, share in ((LENGTH, same_length), (NEXT, same_next)):
        us = mean_interval(100.0 * share(a, each.routes) for a, each in zip(stored, seen, strict=True))
        found.append(row(what, "%", (everything, us), SAME_POINTS))
    return found


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
        since_ns = round(1e9 * WARMUP_S)
        for kind, size in trace.rows(
            "SELECT packet, bytes FROM events "
            "WHERE seed = ? AND event = 'forwarded' AND packet IN ('preq', 'prep', 'perr') AND t_ns >= ?",
            [seed, since_ns],
        ):
            self.counts[kind] += 1
            self.counts[BYTES] += size + LLC_BYTES
        arrivals = trace.rows(
            "SELECT t_ns FROM events WHERE seed = ? AND event = 'delivered' AND packet = 'datagram' AND t_ns >= ? "
            "ORDER BY t_ns",
            [seed, since_ns],
        )
        self.gap_s = max((1e-9 * (b - a) for (a,), (b,) in pairwise(arrivals)), default=0.0)
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
