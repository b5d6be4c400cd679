"""CUBIC, BIC and Veno by RFC or paper against stored runs of ns-2's Linux sender, which is another machine.

Growth and reduction of the window are compared over several hops; repairs and timers differ by design.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.checks.chain_tables import SOURCE, Chains, Key, Pair, plan_chains
from hoplab_validation.validate.checks.chains import LINUX, LINUX_SEEDS
from hoplab_validation.validate.plan import Depth, Plan

PART = "linux-forms"
GOODPUT_SHARE = 0.05
"""Goodput may differ by so much, or by the sum of the half-widths."""

NOTE = "the repairs and timers of RFC 6675 and 6298 here, those of Linux there"
CHAINS: Chains = {
    (name, str(hops)): partial(scenarios.chain, hops, name, tcp_profile="rfc")
    for name in ("cubic", "bic", "veno")
    for hops in (4, 8)
}
"""By the names of the table; there they are chains of `tcp.profile = "ns2_linux"`."""


def plan(depth: Depth) -> Plan:
    """Goodput decides; retransmitted share and timeouts are shown."""
    return plan_chains(
        PART,
        "CUBIC, BIC and Veno by RFC or paper, against ns-2's Linux sender",
        depth.seed_list(LINUX_SEEDS),
        table=LINUX,
        chosen=CHAINS,
        name=lambda key: f"{key[1]} hops, {key[0]}",
        rows=_rows,
    )


def _rows(pairs: dict[Key, Pair]) -> Iterator[Row]:
    for pair in pairs.values():
        ours, theirs = pair.ours.goodput_kbps, pair.theirs.goodput_kbps
        limit = tolerance(ours, theirs, GOODPUT_SHARE)
        yield Row(PART, f"{pair.name}: goodput", "kb/s", SOURCE, theirs, ours, limit)
        for row in (pair.retransmitted(), pair.timeouts()):
            yield replace(row, decisive=False, note=NOTE)
