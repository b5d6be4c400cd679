"""TCP over chains of 1 to 8 hops against ns-2: variants, routes, and the congestion controls of its Linux sender."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.checks.chain_tables import (
    AODV_SEEDS,
    SOURCE,
    Chains,
    ChainTable,
    Key,
    Pair,
    plan_chains,
)
from hoplab_validation.validate.plan import Depth, Plan

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
    chosen = {
        key: chain
        for key, chain in TCP.chains.items()
        if key[0] == routing and (depth.thorough or key[1] in QUICK_HOPS)
    }
    seeds = depth.seed_list(AODV_SEEDS if routing == "aodv" else 1)
    title = f"TCP over chains, {routing} routes, against ns-2"
    return _plan(f"chain-{routing}", title, seeds, table=TCP, chosen=chosen, place=lambda key: (key[1], key[2]))


def plan_linux(depth: Depth) -> Plan:
    """The seven congestion controls of the variants paper on ns-2's Linux sender, static routes, 1, 4 and 8 hops."""
    seeds, title = depth.seed_list(LINUX_SEEDS), "Linux's congestion controls over chains against ns-2"
    return _plan("linux", title, seeds, table=LINUX, chosen=LINUX.chains, place=lambda key: (key[1], key[0]))


def _plan(  # noqa: PLR0913 (all but three by keyword)
    part: str,
    title: str,
    seeds: Sequence[int],
    *,
    table: ChainTable,
    chosen: Chains,
    place: Callable[[Key], tuple[str, str]],
) -> Plan:
    """`place` has hops and variant of a chain."""

    def rows(pairs: dict[Key, Pair]) -> Iterator[Row]:
        for pair in pairs.values():
            yield from (pair.goodput(), pair.retransmitted(), pair.timeouts(), pair.cwnd())
        yield from _order_rows(part, {place(key): pair for key, pair in pairs.items()})

    return plan_chains(
        part, title, seeds, table=table, chosen=chosen, name=lambda key: "{} hops, {}".format(*place(key)), rows=rows
    )


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
