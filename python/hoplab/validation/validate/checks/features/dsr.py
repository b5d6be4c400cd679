"""DSR by RFC 4728 against stored runs of ns-2.35: still and moving networks, and a relay whose radio is switched off.

Both have the same positions and movements. Compared are delivery, hops, messages and their bytes, and the longest time
without a delivery.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab.store.trace import Trace
from hoplab.validation.peers import tables
from hoplab.validation.peers.stats import tolerance
from hoplab.validation.peers.verdict import Row
from hoplab.validation.validate.checks.features.traced import traced
from hoplab.validation.validate.plan import Depth, Plan
from hoplab.validation.validate.stored import goodput_kbps, plan_stored

PART = "dsr"
SOURCE = "ns-2 table"
TABLE = "ns2_dsr"
KINDS = ("rreq", "rrep", "rerr")
COLUMNS = ("scenario", "seed", "goodput_kbps", "hops", "gap_s", *KINDS, "bytes", "lengths")

WARMUP_S, END_S, OFF_S = 10.0, 71.0, 45.0
"""Measured from and to, and when the relay is switched off."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Hops in the column `lengths`: of the first datagram of each second, flow by flow; `-` without one."""

GOODPUT_SHARE, HOPS_SHARE, CONTROL_SHARE, SAME_POINTS = 0.05, 0.03, 0.15, 5.0
"""Means may differ by so much, or by the sum of the half-widths where that is more; lengths by 5 percentage points."""

CONTROL_FLOOR, BYTES_FLOOR, GAP_FLOOR_S = 3.0, 150.0, 0.5
"""Or by so much, where little is measured."""

GOODPUT, HOPS, GAP, BYTES = "goodput", "hops of a datagram", "longest time without a delivery", "bytes of messages"
SAME = "seconds with routes of the same length"
NAMES = {"rreq": "RREQs sent", "rrep": "RREPs sent", "rerr": "RERRs sent"}

MOVES = "which of several routes a moving node uses depends on the packets that it overhears, and both draw that"


@dataclass(frozen=True)
class Case:
    """A scenario of the table, and quantities that do not decide, with the reason."""

    text: str
    noted: Mapping[str, str] = field(default_factory=dict)

    @property
    def scenario(self) -> Scenario:
        """As a scenario."""
        return Scenario.from_text(self.text)


def _text(name: str, topology: str, flows: Sequence[tuple[int, int]], more: str = "") -> str:
    """Datagrams of 20 kb/s between these ends."""
    blocks = "".join(
        f'[[flow]]\nfrom = {src}\nto = {dst}\ntransport = "udp"\napp = "cbr"\nrate = "20 kb/s"\nsegment = 250\n'
        f'start = "{2 + k} s"\n'
        for k, (src, dst) in enumerate(flows)
    )
    return (
        f'name = "{name}"\nduration = "{END_S:g} s"\nwarmup = "{WARMUP_S:g} s"\n'
        f'topology = {{ {topology} }}\nrouting = {{ protocol = "dsr" }}\n{more}{blocks}'
    )


RING = "[[0, 0], [200, 0], [400, 0], [60, 200], [290, 210]]"
"""From node 0 to node 2 over node 1, or over nodes 3 and 4."""

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
    cases = {case.scenario.name: case for case in CASES.values()}
    names = {case.scenario.name: name for name, case in CASES.items()}

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        kept = [row for row in theirs if int(row["seed"]) in ours.seeds]
        return _rows(cases[ours.scenario.name], ours, kept)

    most = None if depth.thorough else depth.seeds
    return plan_stored(
        PART,
        "DSR by RFC 4728, against ns-2",
        table=TABLE,
        key_of=lambda row: row["scenario"],
        scenarios={names[case.scenario.name]: case.scenario for case in CASES.values()},
        seeds_of=lambda rows: tuple(int(row["seed"]) for row in rows)[:most],
        judge_one=judge,
    )


def _rows(case: Case, ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    def row(what: str, unit: str, pair: tuple[Interval, Interval], limit: float) -> Row:
        note = case.noted.get(what, "")
        return Row(PART, f"{ours.scenario.name}: {what}", unit, SOURCE, *pair, limit, decisive=not note, note=note)

    def of(column: str) -> Interval:
        return mean_interval(float(each[column]) for each in theirs)

    sources = [flow["from"] for flow in ours.scenario.resolve().data["flows"]]
    with traced(ours.scenario, ours.seeds) as trace:
        seen = [seen_in(trace, seed, sources) for seed in ours.seeds]
    found = []
    them, us = of("goodput_kbps"), mean_interval(goodput_kbps(run) for run in ours)
    found.append(row(GOODPUT, "kb/s", (them, us), tolerance(us, them, GOODPUT_SHARE)))
    them, us = of("hops"), mean_interval(each.hops for each in seen)
    found.append(row(HOPS, "", (them, us), tolerance(us, them, HOPS_SHARE)))
    them, us = of("gap_s"), mean_interval(each.gap_s for each in seen)
    found.append(row(GAP, "s", (them, us), tolerance(us, them, 0.0, floor=GAP_FLOOR_S)))
    for kind, name in NAMES.items():
        them, us = of(kind), mean_interval(each.messages[kind] for each in seen)
        found.append(row(name, "", (them, us), tolerance(us, them, CONTROL_SHARE, floor=CONTROL_FLOOR)))
    them, us = of("bytes"), mean_interval(each.messages["bytes"] for each in seen)
    found.append(row(BYTES, "B", (them, us), tolerance(us, them, CONTROL_SHARE, floor=BYTES_FLOOR)))
    us = mean_interval(
        100.0 * same_lengths(stored["lengths"], each.lengths) for stored, each in zip(theirs, seen, strict=True)
    )
    found.append(row(SAME, "%", (Interval(100.0, None, None, None, len(seen), "none"), us), SAME_POINTS))
    return found


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
