"""What comparisons of routing protocols share: networks with datagrams, rows by quantity, and tables of next hops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab.store.trace import Trace
from hoplab_validation.peers import tables
from hoplab_validation.peers.ns3 import text as ns3_text
from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import goodput_kbps, plan_stored

GOODPUT, DELAY, GAP = "goodput", "delay", "longest time without a delivery"

GOODPUT_SHARE, DELAY_FLOOR_MS, GAP_FLOOR_S = 0.05, 1.0, 0.5
"""Goodputs may differ by this share; delays and gaps by so much, where little is measured."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""Numbers of nodes or hops, one character each; `-` for none."""

RING = "[[0, 0], [200, 0], [400, 0], [60, 200], [290, 210]]"
"""From node 0 to node 2 over node 1, or over nodes 3 and 4."""


@dataclass(frozen=True)
class Case:
    """A scenario of a table, and quantities that do not decide, with the reason."""

    text: str
    noted: Mapping[str, str] = field(default_factory=dict)

    @property
    def scenario(self) -> Scenario:
        """As a scenario."""
        return Scenario.from_text(self.text)


class Ns3Case(Case):
    """A case whose scenario has the values that ns-3 has one of."""

    @property
    def scenario(self) -> Scenario:
        """With those values."""
        return ns3_text.counterpart(super().scenario)


def datagrams(flows: Sequence[tuple[int, int]], first_s: float) -> str:
    """Tables of flows of 20 kb/s between these ends, which start one second apart."""
    return "".join(
        f'[[flow]]\nfrom = {src}\nto = {dst}\ntransport = "udp"\napp = "cbr"\nrate = "20 kb/s"\nsegment = 250\n'
        f'start = "{first_s + k:g} s"\n'
        for k, (src, dst) in enumerate(flows)
    )


@dataclass
class Judge:
    """Rows of one scenario: means of a peer's stored runs beside ours.

    Attributes
    ----------
    part, source : str
        As in the rows.
    case : Case
        The scenario with what does not decide.
    ours : Runs
        Our runs of it.
    theirs : sequence of rows
        The peer's, of the same seeds.
    names : mapping
        Names of quantities, where they are not the quantities themselves.
    """

    part: str
    source: str
    case: Case
    ours: Runs
    theirs: Sequence[tables.Row]
    names: Mapping[str, str] = field(default_factory=dict)
    found: list[Row] = field(default_factory=list)

    def of(self, column: str, per_s: float = 1.0) -> Interval:
        """The peer's mean of a column, over a time if given."""
        return mean_interval(float(each[column]) / per_s for each in self.theirs)

    def compare(self, what: str, unit: str, column: str, us: Iterable[float], share: float, floor: float = 0.0) -> None:  # noqa: PLR0913, PLR0917
        """Add the row of a column: means may differ by the share or the floor, or by the half-widths."""
        self.compare_means(what, unit, self.of(column), mean_interval(us), share, floor)

    def compare_means(  # noqa: PLR0913, PLR0917
        self, what: str, unit: str, them: Interval, us: Interval, share: float, floor: float = 0.0
    ) -> None:
        """Add a row: means may differ by the share or the floor, or by the half-widths."""
        self.add(what, unit, them, us, tolerance(us, them, share, floor=floor))

    def goodput(self) -> None:
        """Add the row of the goodput."""
        self.compare(GOODPUT, "kb/s", "goodput_kbps", map(goodput_kbps, self.ours), GOODPUT_SHARE)

    def delay(self, share: float) -> None:
        """Add the row of the delay."""
        self.compare(DELAY, "ms", "delay_ms", map(delay_ms, self.ours), share, DELAY_FLOOR_MS)

    def same(self, what: str, shares: Iterable[float], points: float) -> None:
        """Add a row of shares that agree, which may miss 100 % by some points."""
        us = mean_interval(100.0 * share for share in shares)
        self.add(what, "%", Interval(100.0, None, None, None, len(self.theirs), "none"), us, points)

    def add(self, what: str, unit: str, them: Interval, us: Interval, limit: float) -> None:
        """Add a row with this limit."""
        note = self.case.noted.get(what, "")
        name = f"{self.ours.scenario.name}: {self.names.get(what, what)}"
        self.found.append(Row(self.part, name, unit, self.source, them, us, limit, decisive=not note, note=note))


Rows = Callable[[Case, Runs, Sequence[tables.Row]], list[Row]]
"""Rows of one case, from our runs and the peer's of the same seeds."""


def plan_cases(  # noqa: PLR0913, PLR0917
    part: str, title: str, table: str, cases: Mapping[str, Case], rows_of: Rows, depth: Depth
) -> Plan:
    """All cases, over seeds of the table, whose column `scenario` has their keys."""
    named = {case.scenario.name: case for case in cases.values()}

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        kept = [row for row in theirs if int(row["seed"]) in ours.seeds]
        return rows_of(named[ours.scenario.name], ours, kept)

    most = None if depth.thorough else depth.seeds
    return plan_stored(
        part,
        title,
        table=table,
        key_of=lambda row: row["scenario"],
        scenarios={key: case.scenario for key, case in cases.items()},
        seeds_of=lambda rows: tuple(int(row["seed"]) for row in rows)[:most],
        judge_one=judge,
    )


def delay_ms(run: Run) -> float:
    """Mean over flows that delivered any, as in the tables."""
    delays = [flow.delay_mean_s for flow in run.flows if flow.delay_mean_s is not None]
    return 1e3 * sum(delays) / len(delays) if delays else math.nan


def longest_gap_s(trace: Trace, seed: int, since_s: float) -> float:
    """Longest time between two deliveries of datagrams from a time on."""
    arrivals = trace.rows(
        "SELECT t_ns FROM events WHERE seed = ? AND event = 'delivered' AND packet = 'datagram' AND t_ns >= ? "
        "ORDER BY t_ns",
        [seed, round(1e9 * since_s)],
    )
    return max((1e-9 * (b - a) for (a,), (b,) in pairwise(arrivals)), default=math.nan)


def tables_at(samples_s: Sequence[float], trace: Trace, seed: int, nodes: int) -> Iterator[str]:
    """Tables of one run at these times, next hops by node and destination."""
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
