"""Flows over chains against ns-2: tables of single runs, and what is compared of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.compare import (
    AODV_SHORT_HOPS,
    CWND_FLOOR,
    CWND_SHARE,
    RETRANSMITTED_FLOOR_PCT,
    RETRANSMITTED_SHARE,
    TIMEOUTS_FLOOR,
    TIMEOUTS_SHARE,
    goodput_tolerance,
    percent,
)
from hoplab_validation.peers.runs import PeerRun
from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Plan

SOURCE = "ns-2 table"
AODV_SEEDS = 10
"""At least so many under AODV: five runs over many hops may all be lucky ones."""

Key = tuple[str, ...]
Chains = Mapping[Key, Callable[[], Scenario]]

MEASURED = ("goodput_kbps", "retransmitted_pct", "timeouts", "cwnd")
"""Columns of a run of ns-2: its first flow over the measured window; empty for what a datagram flow does not have."""


def values_of(run: PeerRun) -> tuple[str, ...]:
    """The columns `MEASURED` of a run of ns-2."""
    flow = run.flows[0]
    goodput = f"{flow.goodput_bps / 1e3:.3f}"
    if flow.sent is None or flow.retransmissions is None:
        return goodput, "", "", ""
    again = percent(flow.retransmissions, flow.sent)
    return goodput, f"{again:.3f}", f"{flow.timeouts or 0}", f"{flow.cwnd or 0.0:.3f}"


@dataclass(frozen=True)
class Measured:
    """What is compared of one flow, over replications."""

    goodput_kbps: Interval
    retransmitted_pct: Interval
    timeouts: Interval
    cwnd: Interval

    @classmethod
    def here(cls, runs: Runs) -> Measured:
        """The first flow of each run here."""
        flows = [run.flows[0] for run in runs]
        return cls(
            mean_interval(flow.goodput_bps / 1e3 for flow in flows),
            mean_interval(percent(flow.retransmissions, flow.segments_sent) for flow in flows),
            mean_interval(float(flow.timeouts) for flow in flows),
            mean_interval(flow.cwnd_mean or 0.0 for flow in flows),
        )

    @classmethod
    def there(cls, rows: Iterable[tables.Row]) -> Measured:
        """Runs of ns-2, from a table."""
        kept = list(rows)
        return cls(*(mean_interval(float(row[column]) for row in kept) for column in MEASURED))


@dataclass(frozen=True)
class ChainTable:
    """Chains with one flow, run in ns-2 with the seeds 1 to `seeds` (`scripts/tables/chain_ns2.py`).

    Attributes
    ----------
    name : str
        Of the table.
    columns : tuple of str
        What names a chain, first in each row; then come `seed` and `MEASURED`.
    chains : mapping
        Makes the scenario of each, by those names.
    """

    name: str
    columns: tuple[str, ...]
    chains: Chains
    seeds: int = 20

    def measured(self, chosen: Iterable[Key]) -> dict[Key, Measured]:
        """What ns-2 measured over these chains."""
        return {key: Measured.there(self.rows(key)) for key in chosen}

    def goodputs(self, chosen: Iterable[Key]) -> dict[Key, Interval]:
        """Goodput in kb/s alone, which is all that there is of datagrams."""
        return {key: mean_interval(float(row["goodput_kbps"]) for row in self.rows(key)) for key in chosen}

    def rows(self, key: Key) -> list[tables.Row]:
        """Its runs over one chain."""
        return [row for row in tables.read(self.name) if tuple(row[column] for column in self.columns) == key]


@dataclass(frozen=True)
class Pair:
    """One chain on both sides, and what it is called in part `part` of the report."""

    part: str
    name: str
    routing: str
    hops: int
    theirs: Measured
    ours: Measured

    def goodput(self) -> Row:
        """Decisive, as all but timeouts."""
        ours, theirs = self.ours.goodput_kbps, self.theirs.goodput_kbps
        limit = goodput_tolerance(ours, theirs, self.routing, far=self.hops > AODV_SHORT_HOPS)
        return Row(self.part, f"{self.name}: goodput", "kb/s", SOURCE, theirs, ours, limit)

    def retransmitted(self) -> Row:
        """Share of retransmitted segments."""
        ours, theirs = self.ours.retransmitted_pct, self.theirs.retransmitted_pct
        limit = tolerance(ours, theirs, RETRANSMITTED_SHARE, floor=RETRANSMITTED_FLOOR_PCT)
        return Row(self.part, f"{self.name}: retransmitted", "%", SOURCE, theirs, ours, limit)

    def timeouts(self) -> Row:
        """Shown, not decisive: they are few and scatter."""
        ours, theirs = self.ours.timeouts, self.theirs.timeouts
        limit = tolerance(ours, theirs, TIMEOUTS_SHARE, floor=TIMEOUTS_FLOOR)
        return Row(self.part, f"{self.name}: timeouts", "", SOURCE, theirs, ours, limit, decisive=False)

    def cwnd(self) -> Row:
        """Mean congestion window."""
        ours, theirs = self.ours.cwnd, self.theirs.cwnd
        limit = tolerance(ours, theirs, CWND_SHARE, floor=CWND_FLOOR)
        return Row(self.part, f"{self.name}: mean cwnd", "segments", SOURCE, theirs, ours, limit)


def orders(chains: Chains, seeds: Sequence[int]) -> tuple[Order, ...]:
    """Each of these chains with these seeds."""
    return tuple(Order(make(), tuple(seeds)) for make in chains.values())


def plan_chains(  # noqa: PLR0913 (all but three by keyword)
    part: str,
    title: str,
    seeds: Sequence[int],
    *,
    table: ChainTable,
    chosen: Chains,
    name: Callable[[Key], str],
    rows: Callable[[dict[Key, Pair]], Iterable[Row]],
) -> Plan:
    """Chains of a table here and there.

    Parameters
    ----------
    name : callable
        What a chain is called in the report.
    rows : callable
        What is compared of all of them.
    """

    def judge(runs: Sequence[Runs]) -> list[Row]:
        pairs = {}
        for ours, (key, theirs) in zip(runs, table.measured(chosen).items(), strict=True):
            where = dict(zip(table.columns, key, strict=True))
            routing, hops = where.get("routing", "static"), int(where["hops"])
            pairs[key] = Pair(part, name(key), routing, hops, theirs, Measured.here(ours))
        return list(rows(pairs))

    return Plan(part, title, orders(chosen, seeds), judge)
