"""TCP over chains of 1 to 8 hops against ns-2: variants, routes, and the congestion controls of its Linux sender."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

from hoplab.peers.stats import stored
from hoplab.peers.verdict import Row
from hoplab.runs import Runs
from hoplab.validate import scenarios
from hoplab.validate.chain_tables import AODV_SEEDS, SOURCE, ChainTable, Measured, Pair, orders
from hoplab.validate.plan import Depth, Plan

QUICK_HOPS = {"1", "2", "4", "8"}

TCP = ChainTable(
    "ns2_chain_tcp",
    ("routing", "hops", "transport"),
    {
        (routing, str(hops), transport): partial(scenarios.chain, hops, transport, routing=routing)
        for routing in ("static", "aodv")
        for hops in range(1, 9)
        for transport in ("new_reno", "sack", "vegas")
    },
)

LINUX_TRANSPORTS = {
    name: "westwood_plus" if name == "westwood" else name
    for name in ("reno", "bic", "cubic", "compound", "vegas", "veno", "westwood")
}
"""Our names of ns-2's modules."""

LINUX = ChainTable(
    "ns2_chain_linux",
    ("algorithm", "hops"),
    {
        (algorithm, str(hops)): partial(scenarios.chain, hops, transport, tcp_profile="ns2_linux")
        for algorithm, transport in LINUX_TRANSPORTS.items()
        for hops in (1, 4, 8)
    },
)

LINUX_SEEDS = 10


def plan_static(depth: Depth) -> Plan:
    """NewReno, SACK and Vegas over frozen routes, 1 to 8 hops."""
    return _hops_plan("static", depth)


def plan_aodv(depth: Depth) -> Plan:
    """The same under AODV."""
    return _hops_plan("aodv", depth)


def _hops_plan(routing: str, depth: Depth) -> Plan:
    part = f"chain-{routing}"
    chosen = {
        key: chain
        for key, chain in TCP.chains.items()
        if key[0] == routing and (depth.thorough or key[1] in QUICK_HOPS)
    }

    def judge(runs: Sequence[Runs]) -> list[Row]:
        pairs = {}
        for ours, (key, theirs) in zip(runs, TCP.measured(chosen).items(), strict=True):
            _, hops, transport = key
            pair = Pair(part, f"{hops} hops, {transport}", routing, int(hops), theirs, Measured.here(ours))
            pairs[hops, transport] = pair
        rows = [row for pair in pairs.values() for row in _all_rows(pair)]
        return rows + list(_order_rows(part, pairs))

    seeds = depth.seed_list(AODV_SEEDS if routing == "aodv" else 1)
    return Plan(part, f"TCP over chains, {routing} routes, against ns-2", orders(chosen, seeds), judge)


def _all_rows(pair: Pair) -> Iterator[Row]:
    yield pair.goodput()
    yield pair.retransmitted()
    yield pair.timeouts()
    yield pair.cwnd()


def _order_rows(part: str, pairs: Mapping[tuple[str, str], Pair]) -> Iterator[Row]:
    """Variants must come in ns-2's order wherever its intervals are disjoint."""
    for hops in dict.fromkeys(hops for hops, _ in pairs):
        names = [name for h, name in pairs if h == hops]
        for first, second in combinations(names, 2):
            a, b = pairs[hops, first], pairs[hops, second]
            theirs = a.theirs.goodput_kbps, b.theirs.goodput_kbps
            if theirs[0].overlaps(theirs[1]):
                continue
            sign = 1.0 if theirs[0].mean > theirs[1].mean else -1.0
            gap = sign * (a.ours.goodput_kbps.mean - b.ours.goodput_kbps.mean)
            better, worse = (first, second) if sign > 0 else (second, first)
            yield Row(
                part,
                f"{hops} hops: {better} above {worse}",
                "",
                SOURCE,
                stored(1.0, None, 1),
                stored(float(gap > 0.0), None, 1),
                0.0,
            )


def plan_linux(depth: Depth) -> Plan:
    """The seven congestion controls of the variants paper on ns-2's Linux sender, static routes, 1, 4 and 8 hops."""
    part = "linux"

    def judge(runs: Sequence[Runs]) -> list[Row]:
        pairs = {}
        for ours, ((algorithm, hops), theirs) in zip(runs, LINUX.measured().items(), strict=True):
            name = f"{hops} hops, {algorithm}"
            pairs[hops, algorithm] = Pair(part, name, "static", int(hops), theirs, Measured.here(ours))
        rows = [row for pair in pairs.values() for row in _all_rows(pair)]
        return rows + list(_order_rows(part, pairs))

    title = "Linux's congestion controls over chains against ns-2"
    return Plan(part, title, orders(LINUX.chains, depth.seed_list(LINUX_SEEDS)), judge)
