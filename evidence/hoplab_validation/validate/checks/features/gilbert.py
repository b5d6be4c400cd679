"""Bursts of errors: the Gilbert model against its closed forms, and against ns-2's `ErrorModel/TwoState`.

ns-2 has one state per receiver, in which every frame is spoiled or none; the closed forms cover the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import stored, tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks.features.traced import traced
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import goodput_kbps, plan_by_seed

PART = "gilbert"
SOURCE = "ns-2 table"
TABLE = "ns2_gilbert"
GOODPUT_SHARE = 0.03
"""Goodput may differ by so much, or by the sum of the half-widths where that is more."""

RETRANSMITTED_SHARE, TIMEOUTS_SHARE = 0.15, 0.25
"""Likewise retransmissions and timeouts of TCP, which do not decide."""

LEAST_SEEDS = 10
"""Of rows against closed forms."""

PACKET_BYTES, RATE_KBPS = 512, 100.0
SPACING_S = 8.0 * PACKET_BYTES / (1e3 * RATE_KBPS)
DATAGRAMS = f'[[flow]]\ntransport = "udp"\napp = "cbr"\nrate = "{RATE_KBPS:g} kb/s"\nsegment = {PACKET_BYTES}\n'
ONCE = "mac = { rts_threshold = 3000, ssrl = 1, slrl = 1 }\n"
"""Each frame is sent once, without RTS: what is lost is what the error model spoils."""


def _text(  # noqa: PLR0913 (by keyword)
    name: str, *, hops: int, good_ms: int, bad_ms: int, rest: str, losses: str = "bad_loss = 1.0", per: str = "receiver"
) -> str:
    return (
        f'name = "{name}"\nduration = "130 s"\nwarmup = "10 s"\ntopology = {{ kind = "chain", hops = {hops} }}\n'
        f'radio = {{ errors = {{ model = "gilbert", good_mean = "{good_ms} ms", bad_mean = "{bad_ms} ms", '
        f'{losses}, per = "{per}" }} }}\n{rest}'
    )


SCENARIOS: Mapping[str, str] = {
    "once": _text("1 hop, CBR, frames sent once, 200/50 ms", hops=1, good_ms=200, bad_ms=50, rest=ONCE + DATAGRAMS),
    "seven": _text(
        "1 hop, CBR, seven tries, 200/50 ms",
        hops=1,
        good_ms=200,
        bad_ms=50,
        rest="mac = { rts_threshold = 3000 }\n" + DATAGRAMS,
    ),
    "udp": _text("3 hops, CBR, RTS/CTS, 500/20 ms", hops=3, good_ms=500, bad_ms=20, rest=DATAGRAMS),
    "new_reno": _text(
        "3 hops, NewReno, 2000/30 ms", hops=3, good_ms=2000, bad_ms=30, rest='[[flow]]\ntransport = "new_reno"\n'
    ),
    "sack": _text("2 hops, SACK, 1000/50 ms", hops=2, good_ms=1000, bad_ms=50, rest='[[flow]]\ntransport = "sack"\n'),
}
"""Scenarios by their names in the table; times are mean lengths of the good and the bad state."""

GOOD_MS, BAD_MS, GOOD_LOSS, BAD_LOSS = 300, 100, 0.1, 0.6
MIXED = _text(
    f"1 hop, frames sent once, {GOOD_MS}/{BAD_MS} ms with losses of {GOOD_LOSS:g} and {BAD_LOSS:g}, a state per link",
    hops=1,
    good_ms=GOOD_MS,
    bad_ms=BAD_MS,
    rest=ONCE + DATAGRAMS,
    losses=f"good_loss = {GOOD_LOSS}, bad_loss = {BAD_LOSS}",
    per="link",
)
BURSTS = _text(
    "1 hop, frames sent once, 300/100 ms, a state per link",
    hops=1,
    good_ms=GOOD_MS,
    bad_ms=BAD_MS,
    rest=ONCE + DATAGRAMS,
    per="link",
)
BAD_SHARE = BAD_MS / (GOOD_MS + BAD_MS)


def mean_burst() -> float:
    """Mean number of datagrams lost in a row under `BURSTS`: the state at the next one is bad with this probability."""
    memory = math.exp(-SPACING_S * (1e3 / GOOD_MS + 1e3 / BAD_MS))
    return 1.0 / (1.0 - (BAD_SHARE + (1.0 - BAD_SHARE) * memory))


def mean_loss() -> float:
    """Share of datagrams lost under `MIXED`: the losses of both states by their shares of time."""
    return (1.0 - BAD_SHARE) * GOOD_LOSS + BAD_SHARE * BAD_LOSS


def plan(depth: Depth) -> Plan:
    """Goodput of every scenario of the table, then stationary loss and mean burst."""
    title = "bursts of errors, against ns-2 and closed forms"
    against = plan_by_seed(PART, title, depth, table=TABLE, texts=SCENARIOS, judge_one=_rows)
    seeds = depth.seed_list(LEAST_SEEDS)
    mixed = Order(Scenario.from_text(MIXED), seeds)

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [*against.judge(runs[:-1]), _loss_row(runs[-1]), _burst_row(seeds)]

    return Plan(PART, title, (*against.orders, mixed), judge)


def _rows(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    name = ours.scenario.name
    reference = mean_interval(float(row["goodput_kbps"]) for row in theirs)
    value = mean_interval(goodput_kbps(run) for run in ours)
    rows = [Row(PART, f"{name}: goodput", "kb/s", SOURCE, reference, value, tolerance(value, reference, GOODPUT_SHARE))]
    if ours[0].flows[0].transport == "udp":
        return rows
    for column, share in (("retransmissions", RETRANSMITTED_SHARE), ("timeouts", TIMEOUTS_SHARE)):
        reference = mean_interval(float(row[column]) for row in theirs)
        value = mean_interval(float(getattr(run.flows[0], column)) for run in ours)
        limit = tolerance(value, reference, share)
        rows.append(Row(PART, f"{name}: {column}", "", SOURCE, reference, value, limit, decisive=False))
    return rows


def _loss_row(runs: Runs) -> Row:
    theirs = stored(100.0 * mean_loss(), None, 1)
    ours = mean_interval(100.0 * (1.0 - run.flows[0].goodput_bps / (1e3 * RATE_KBPS)) for run in runs)
    limit = 2.0 * (ours.half_width or 0.0)
    return Row(PART, f"{runs.scenario.name}: datagrams lost", "%", "arithmetic", theirs, ours, limit)


def _burst_row(seeds: Sequence[int]) -> Row:
    """Gaps in the numbers of the datagrams that arrive."""
    scenario = Scenario.from_text(BURSTS)
    with traced(scenario, seeds) as trace:
        found = trace.rows(
            "SELECT seed, avg(gap) FROM (SELECT seed, seq - lag(seq) OVER (PARTITION BY seed ORDER BY seq) - 1 AS gap"
            " FROM events WHERE event = 'delivered' AND packet = 'datagram') WHERE gap > 0 GROUP BY seed ORDER BY seed"
        )
    ours = mean_interval(float(gap) for _, gap in found)
    theirs = stored(mean_burst(), None, 1)
    limit = 2.0 * (ours.half_width or 0.0)
    return Row(PART, f"{scenario.name}: datagrams lost in a row", "", "arithmetic", theirs, ours, limit)
