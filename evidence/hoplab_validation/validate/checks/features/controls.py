"""CUBIC, BIC and Veno by RFC or paper over chains, against stored runs of ns-3.37's."""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.ns3 import text as ns3_text
from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import plan_stored

PART = "ns3-controls"
SOURCE = "ns-3 table"
TABLE = "ns3_controls"
COLUMNS = ("transport", "hops", "seed", "goodput_kbps", "retransmissions", "timeouts")
POINTS = (("cubic", 2), ("cubic", 4), ("cubic", 8), ("bic", 4), ("bic", 8), ("veno", 2), ("veno", 4), ("veno", 8))
"""Controls and hops. Over two hops nothing is lost, and all controls carry the same."""

NOTES = dict.fromkeys(
    (("cubic", 4), ("cubic", 8)), "ns-3 grows its window beyond what is in flight, and reduces that window at a loss"
)
"""Goodputs that do not decide, and why (docs/judge/known-differences.md)."""

LEAST_SEEDS = 10

GOODPUT_SHARE, REPEATED_SHARE, REPEATED_FLOOR, TIMEOUTS_FLOOR = 0.05, 0.15, 3.0, 1.5
"""Means may differ by a share, by the sum of the half-widths, or by so many a run."""


def chain(transport: str, hops: int) -> Scenario:
    """One flow from end to end, static routes, ns-3's rules of the MAC."""
    scenario = Scenario.from_dict(
        name=f"{hops} hops, {transport}",
        profile="std",
        duration="40 s",
        warmup="10 s",
        topology={"kind": "chain", "hops": hops},
        flow=[{"from": "first", "to": "last", "transport": transport, "window": 32}],
    )
    if transport == "cubic":
        scenario = scenario.with_({"tcp.congestion.cubic.friendly": False})
    return ns3_text.counterpart(scenario)


def plan(depth: Depth) -> Plan:
    """Goodput, then retransmissions and timeouts, which do not decide."""

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        name = ours.scenario.name
        reference = mean_interval(float(row["goodput_kbps"]) for row in theirs)
        value = mean_interval(run.flows[0].goodput_bps / 1e3 for run in ours)
        limit = tolerance(value, reference, GOODPUT_SHARE)
        flow = ours[0].flows[0]
        note = NOTES.get((flow.transport, flow.dst), "")
        row = Row(PART, f"{name}: goodput", "kb/s", SOURCE, reference, value, limit, decisive=not note, note=note)
        rows = [row]
        for column, floor in (("retransmissions", REPEATED_FLOOR), ("timeouts", TIMEOUTS_FLOOR)):
            reference = mean_interval(float(row[column]) for row in theirs)
            value = mean_interval(float(getattr(run.flows[0], column)) for run in ours)
            limit = tolerance(value, reference, REPEATED_SHARE, floor=floor)
            rows.append(Row(PART, f"{name}: {column}", "", SOURCE, reference, value, limit, decisive=False))
        return rows

    return plan_stored(
        PART,
        "CUBIC, BIC and Veno over chains, against ns-3",
        table=TABLE,
        key_of=lambda row: (row["transport"], int(row["hops"])),
        scenarios={point: chain(*point) for point in POINTS},
        seeds_of=lambda _: depth.seed_list(LEAST_SEEDS),
        judge_one=judge,
    )
