"""Datagrams over chains against the stored tables of ns-2: saturation, offered rates, collapses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers.compare import STATIC_SHARE
from hoplab_validation.peers.stats import stored, tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.checks.chain_tables import SOURCE, Chains, ChainTable, orders
from hoplab_validation.validate.plan import Depth, Plan

PART = "udp"
MEASURED_S = 60.0
LONG_HOPS = 8
COLLAPSED = 0.97
"""A run below this share of the offered rate has collapsed; no run is between."""

RARE = 0.01
"""Collapse counts differ when Fisher's exact test gives them less than this probability."""

BISTABLE_KBPS = (310.0, 370.0)
"""From here to there a run delivers all or far less: the number of collapses is compared, not the mean."""


def _chain(hops: int, offered_kbps: float) -> Scenario:
    return scenarios.chain(hops, "udp", offered_kbps=offered_kbps, measured_s=MEASURED_S)


SATURATED = ChainTable(
    "ns2_chain_udp",
    ("hops",),
    {(str(hops),): partial(_chain, hops, 2000.0) for hops in (*range(1, 9), 10, 12)},
    seeds=60,
)
OFFERED = ChainTable(
    "ns2_chain_udp_offered",
    ("offered_kbps",),
    {
        (str(rate),): partial(_chain, LONG_HOPS, float(rate))
        for rate in (150, 200, 220, 240, 260, 280, 300, 310, 320, 330, 340, 350, 360, 380, 400)
    },
    seeds=40,
)


def plan(depth: Depth) -> Plan:
    """Saturation at 1 to 12 hops, offered rates at 8 hops, and how many runs collapse."""
    step = 1 if depth.thorough else 3
    saturated = _every(step, SATURATED.chains)
    steady = _every(step, _between(0.0, BISTABLE_KBPS[0]))
    bistable = _every(min(step, 2), _between(*BISTABLE_KBPS))

    def judge(runs: Sequence[Runs]) -> list[Row]:
        queue = iter(runs)
        rows = [
            _mean_row(f"{key[0]} hops, saturated", theirs, next(queue))
            for key, theirs in SATURATED.goodputs(saturated).items()
        ]
        rows += [
            _mean_row(f"{LONG_HOPS} hops, offered {key[0]} kb/s", theirs, next(queue))
            for key, theirs in OFFERED.goodputs(steady).items()
        ]
        return rows + [_collapse_row(key[0], next(queue)) for key in bistable]

    together = (
        *orders(saturated, depth.seed_list()),
        *orders(steady, depth.seed_list()),
        *orders(bistable, range(1, OFFERED.seeds + 1)),
    )
    return Plan(PART, "datagrams over chains, static routes, against ns-2", together, judge)


def _every(step: int, chains: Chains) -> Chains:
    return dict(list(chains.items())[::step])


def _between(low_kbps: float, high_kbps: float) -> Chains:
    return {key: chain for key, chain in OFFERED.chains.items() if low_kbps <= float(key[0]) < high_kbps}


def _mean_row(name: str, theirs: Interval, runs: Runs) -> Row:
    ours = delivered(runs)
    return Row(PART, name, "kb/s", SOURCE, theirs, ours, tolerance(ours, theirs, STATIC_SHARE))


def delivered(runs: Runs) -> Interval:
    """Of the first flow, in kb/s."""
    return mean_interval(run.flows[0].goodput_bps / 1e3 for run in runs)


def _collapse_row(offered_kbps: str, runs: Runs) -> Row:
    limit_kbps = COLLAPSED * float(offered_kbps)
    ours = sum(run.flows[0].goodput_bps < limit_kbps * 1e3 for run in runs)
    delivered_there = [float(row["goodput_kbps"]) for row in OFFERED.rows((offered_kbps,))]
    theirs, their_runs = sum(value < limit_kbps for value in delivered_there), len(delivered_there)
    return Row(
        PART,
        f"{LONG_HOPS} hops, offered {offered_kbps} kb/s: collapsed of {their_runs} runs",
        "",
        SOURCE,
        stored(float(theirs), None, their_runs),
        stored(float(ours), None, len(runs)),
        float(widest_plausible(theirs, ours, their_runs, len(runs))),
        note=f"tolerance by Fisher's exact test at {RARE:g}",
    )


def widest_plausible(theirs: int, ours: int, their_runs: int, our_runs: int) -> int:
    """Largest difference from `theirs`, towards `ours`, that Fisher's exact test does not find rare."""
    step = 1 if ours >= theirs else -1
    widest = 0
    for count in range(theirs, our_runs + 1 if step > 0 else -1, step):
        if fisher(theirs, their_runs, count, our_runs) < RARE:
            break
        widest = abs(count - theirs)
    return widest


def fisher(a: int, n_a: int, b: int, n_b: int) -> float:
    """Two-sided probability of a split at least as uneven as `a` of `n_a` against `b` of `n_b`."""
    total, both = a + b, math.comb(n_a + n_b, a + b)
    ways = [math.comb(n_a, k) * math.comb(n_b, total - k) for k in range(max(0, total - n_b), min(n_a, total) + 1)]
    seen = math.comb(n_a, a) * math.comb(n_b, b)
    return sum(one for one in ways if one <= seen) / both
