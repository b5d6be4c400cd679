"""OLSR by RFC 3626 against stored runs of ns-3.37: still and moving networks, and a relay whose radio is switched off.

Both have the same positions and movements. Compared are delivery, messages and their bytes, and the tables: next hops,
and the lengths of the paths that follow from them. Here the trace has the messages where they are sent, and each
change of a route.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab.store.trace import Trace
from hoplab.validation.peers import tables
from hoplab.validation.peers.ns3 import text as ns3_text
from hoplab.validation.peers.stats import tolerance
from hoplab.validation.peers.verdict import Row
from hoplab.validation.validate.checks.features.traced import traced
from hoplab.validation.validate.plan import Depth, Plan
from hoplab.validation.validate.stored import goodput_kbps, plan_stored

PART = "olsr"
SOURCE = "ns-3 table"
TABLE = "ns3_olsr"
COUNTS = ("packets", "grouped", "hello", "tc")
COLUMNS = ("scenario", "seed", "goodput_kbps", "delay_ms", "gap_s", *COUNTS, "bytes", "routes")

SAMPLES_S = (40.0, 55.0, 70.0)
"""When tables are compared."""

WARMUP_S, END_S, OFF_S = 30.0, 71.0, 45.0
"""Measured from and to, and when the relay is switched off."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Next hops in the column `routes`, a table per sample time; `-` without a route."""

GOODPUT_SHARE, DELAY_SHARE, CONTROL_SHARE, SAME_POINTS = 0.05, 0.15, 0.05, 5.0
"""Means may differ by so much, or by the sum of the half-widths where that is more; tables by 5 percentage points."""

DELAY_FLOOR_MS, CONTROL_FLOOR_PER_S, GAP_FLOOR_S = 1.0, 0.05, 0.5
"""Or by so much, where little is measured."""

GOODPUT, DELAY, GAP = "goodput", "delay", "longest time without a delivery"
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


@dataclass(frozen=True)
class Case:
    """A scenario of the table, and quantities that do not decide, with the reason."""

    text: str
    noted: Mapping[str, str] = field(default_factory=lambda: {NEXT: TIES})

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
        f'topology = {{ {topology} }}\nrouting = {{ protocol = "olsr" }}\n{more}{blocks}'
    )


def _radios(lists: Sequence[Sequence[int]]) -> str:
    """Tables `[[node]]` with these channels."""
    return "".join(
        f"[[node]]\nid = {node}\nradios = [{', '.join(f'{{ channel = {channel} }}' for channel in channels)}]\n"
        for node, channels in enumerate(lists)
    )


HOPS_OF_RADIOS = (2, 6, 11, 2, 6, 11)
"""Channels of the hops of the chain with two radios per relay."""

RING = "[[0, 0], [200, 0], [400, 0], [60, 200], [290, 210]]"
"""From node 0 to node 2 over node 1, or over nodes 3 and 4."""

CASES: Mapping[str, Case] = {
    "chain 8": Case(_text("8 hops, OLSR", 'kind = "chain", hops = 8', [(0, 8), (8, 0)])),
    "grid 5x5": Case(
        _text("grid of 5 by 5, OLSR", 'kind = "grid", columns = 5, rows = 5', [(0, 24), (20, 4)]),
        {NEXT: TIES, DELAY: CROSS},
    ),
    "random 30": Case(
        _text(
            "30 nodes at random, OLSR",
            'kind = "random", nodes = 30, area = ["900 m", "700 m"]',
            [(0, 1), (2, 3), (4, 5)],
        )
    ),
    "moving 30": Case(
        _text(
            "30 nodes, 1 to 10 m/s, OLSR",
            'kind = "random", nodes = 30, area = ["900 m", "700 m"]',
            [(0, 1), (2, 3), (4, 5)],
            'mobility = { kind = "waypoint", min_speed = "1 m/s", max_speed = "10 m/s" }\n',
        ),
        {NEXT: TIES, HOPS: MOVES},
    ),
    "radios 6": Case(
        _text(
            "6 hops, a channel per hop, OLSR",
            'kind = "chain", hops = 6',
            [(0, 6), (6, 0)],
            _radios([sorted({*HOPS_OF_RADIOS[max(node - 1, 0) : node + 1]}) for node in range(7)]),
        ),
        {},
    ),
    "radios 3x3": Case(
        _text(
            "3 by 3, a channel per row and column, OLSR",
            'kind = "grid", columns = 3, rows = 3',
            [(0, 8), (6, 2)],
            _radios([(2 + node // 3, 6 + node % 3) for node in range(9)]),
        ),
        {NEXT: TIES, DELAY: CROSS_RADIOS, **dict.fromkeys(("packets", "grouped", "tc"), MPRS)},
    ),
    "relay off": Case(
        _text(
            "relay switched off at 45 s, OLSR",
            f'kind = "positions", positions = {RING}',
            [(0, 2)],
            f'node = [{{ id = 1, radio_off = [["{OFF_S:g} s", "1000 s"]] }}]\n',
        )
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
        "OLSR by RFC 3626, against ns-3",
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

    data = ours.scenario.resolve().data
    nodes = len(data["topology"]["positions"])
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
    for kind in COUNTS:
        them = of(kind, END_S - WARMUP_S)
        us = mean_interval(each.counts[kind] / (END_S - WARMUP_S) for each in seen)
        limit = tolerance(us, them, CONTROL_SHARE, floor=CONTROL_FLOOR_PER_S)
        found.append(row(kind, UNITS[kind], (them, us), limit))
    stored = [row["routes"].split("/") for row in theirs]
    for what, share in ((HOPS, same_lengths), (NEXT, same_hops)):
        us = mean_interval(
            100.0 * sum(share(a, b) for a, b in zip(tables_of, each.routes, strict=True)) / len(SAMPLES_S)
            for tables_of, each in zip(stored, seen, strict=True)
        )
        found.append(row(what, "%", (Interval(100.0, None, None, None, len(stored), "none"), us), SAME_POINTS))
    return found


def delay_ms(run: Run) -> float:
    """Mean over flows that delivered any, as in the table."""
    delays = [flow.delay_mean_s for flow in run.flows if flow.delay_mean_s is not None]
    return 1e3 * sum(delays) / len(delays) if delays else math.nan


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
        since_ns = round(1e9 * WARMUP_S)
        for size, text in trace.rows(
            "SELECT bytes, message FROM events "
            "WHERE seed = ? AND event = 'forwarded' AND packet = 'olsr' AND t_ns >= ?",
            [seed, since_ns],
        ):
            self.counts["packets"] += 1
            self.counts["grouped"] += size
            self.counts.update(message["type"] for message in json.loads(text)["messages"])
        arrivals = trace.rows(
            "SELECT t_ns FROM events WHERE seed = ? AND event = 'delivered' AND packet = 'datagram' AND t_ns >= ? "
            "ORDER BY t_ns",
            [seed, since_ns],
        )
        self.gap_s = max((1e-9 * (b - a) for (a,), (b,) in pairwise(arrivals)), default=math.nan)
        self.routes = list(tables_at(SAMPLES_S, trace, seed, nodes))


def tables_at(samples_s: Sequence[float], trace: Trace, seed: int, nodes: int) -> Iterator[str]:
    """Tables of one run at these times, as in the column `routes`."""
    table = ["-"] * (nodes * nodes)
    changes = iter(
        trace.rows(
            "SELECT t_ns, node, peer, event, value FROM events "
            "WHERE seed = ? AND event IN ('route_changed', 'route_lost') ORDER BY t_ns",
            [seed],
        )
    )
    change = next(changes, None)
    for sample_s in samples_s:
        while change is not None and change[0] <= 1e9 * sample_s:
            _, node, dst, event, value = change
            table[node * nodes + dst] = DIGITS[int(value)] if event == "route_changed" else "-"
            change = next(changes, None)
        yield "".join(table)


def length(table: str, src: int, dst: int) -> int | None:
    """Hops of the path from next hop to next hop; None if it does not arrive."""
    nodes = math.isqrt(len(table))
    node = src
    for hops in range(nodes):
        if node == dst:
            return hops
        digit = table[node * nodes + dst]
        if digit == "-":
            return None
        node = DIGITS.index(digit)
    return None


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
