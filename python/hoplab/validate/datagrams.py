"""Datagrams over chains against the stored tables of ns-2: saturation, offered rates, collapses."""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.peers import tables
from hoplab.peers.compare import STATIC_SHARE
from hoplab.peers.stats import stored, tolerance
from hoplab.peers.verdict import Row
from hoplab.running import Order
from hoplab.runs import Runs
from hoplab.scenario import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab.validate import scenarios
from hoplab.validate.plan import Depth, Plan

PART = "udp"
SOURCE = "ns-2 table"
MEASURED_S = 60.0
LONG_HOPS = 8
COLLAPSED = 0.97
"""A run that delivers less than this share of the offered rate has collapsed; there is nothing between."""

RARE = 0.01
"""Collapse counts differ when Fisher's exact test gives them less than this probability."""

BISTABLE_KBPS = 330.0
"""From here on the mean over few seeds says little; the number of collapses is compared instead."""


def plan(depth: Depth) -> Plan:
    """Saturation at 1 to 12 hops, offered rates at 8 hops, and how many runs collapse."""
    saturated = tables.read("ns2_chain_udp")
    offered = [row for row in tables.read("ns2_chain_udp_offered") if float(row["offered_kbps"]) < BISTABLE_KBPS]
    collapses = tables.read("ns2_chain_udp_collapse")
    if not depth.thorough:
        saturated, offered, collapses = saturated[::3], offered[::3], collapses[::2]
    orders = [Order(_chain(int(row["hops"]), 2000.0), depth.seed_list()) for row in saturated]
    orders += [Order(_chain(LONG_HOPS, float(row["offered_kbps"])), depth.seed_list()) for row in offered]
    orders += [
        Order(_chain(LONG_HOPS, float(row["offered_kbps"])), tuple(range(1, int(row["runs"]) + 1))) for row in collapses
    ]

    def judge(runs: Sequence[Runs]) -> list[Row]:
        queue = iter(runs)
        rows = [_mean_row(f"{row['hops']} hops, saturated", row, next(queue)) for row in saturated]
        rows += [
            _mean_row(f"{LONG_HOPS} hops, offered {row['offered_kbps']} kb/s", row, next(queue)) for row in offered
        ]
        return rows + [_collapse_row(row, next(queue)) for row in collapses]

    return Plan(PART, "datagrams over chains, static routes, against ns-2", tuple(orders), judge)


def _chain(hops: int, offered_kbps: float) -> Scenario:
    return scenarios.chain(hops, "udp", offered_kbps=offered_kbps, measured_s=MEASURED_S)


def _mean_row(name: str, row: tables.Row, runs: Runs) -> Row:
    theirs, ours = tables.interval(row, "delivered_kbps", "half_width_kbps"), delivered(runs)
    return Row(PART, name, "kb/s", SOURCE, theirs, ours, tolerance(ours, theirs, STATIC_SHARE))


def delivered(runs: Runs) -> Interval:
    """Of the first flow, in kb/s."""
    return mean_interval(run.flows[0].goodput_bps / 1e3 for run in runs)


def _collapse_row(row: tables.Row, runs: Runs) -> Row:
    limit = COLLAPSED * float(row["offered_kbps"]) * 1e3
    ours = sum(run.flows[0].goodput_bps < limit for run in runs)
    theirs, their_runs = int(row["collapsed"]), int(row["runs"])
    return Row(
        PART,
        f"{LONG_HOPS} hops, offered {row['offered_kbps']} kb/s: collapsed of {their_runs} runs",
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
    import numpy as np  # noqa: PLC0415 (slow to load; only asked for when needed)
    from scipy.stats import fisher_exact  # noqa: PLC0415

    return float(fisher_exact(np.array([[a, n_a - a], [b, n_b - b]])).pvalue)
