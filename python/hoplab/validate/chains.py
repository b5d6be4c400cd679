"""TCP over chains against the stored tables of ns-2: hops, windows and other settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from hoplab.peers import tables
from hoplab.peers.compare import (
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
from hoplab.peers.stats import stored, tolerance
from hoplab.peers.verdict import Row
from hoplab.running import Order
from hoplab.runs import Runs
from hoplab.scenario import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab.validate import scenarios
from hoplab.validate.plan import Depth, Plan

SOURCE = "ns-2 table"
QUICK_HOPS = ("1", "2", "4", "8")
AODV_SEEDS = 10
"""At least so many under AODV: five runs over many hops may all be lucky ones."""


def _seeds(depth: Depth, routing: str) -> tuple[int, ...]:
    return depth.seed_list(AODV_SEEDS if routing == "aodv" else 1)


@dataclass(frozen=True)
class Measured:
    """What is compared of one flow, over replications."""

    goodput_kbps: Interval
    retransmitted_pct: Interval
    timeouts: Interval
    cwnd: Interval


def measure(runs: Runs) -> Measured:
    """The first flow of each run."""
    flows = [run.flows[0] for run in runs]
    return Measured(
        mean_interval(flow.goodput_bps / 1e3 for flow in flows),
        mean_interval(percent(flow.retransmissions, flow.segments_sent) for flow in flows),
        mean_interval(float(flow.timeouts) for flow in flows),
        mean_interval(flow.cwnd_mean or 0.0 for flow in flows),
    )


def plan_static(depth: Depth) -> Plan:
    """NewReno, SACK and Vegas over frozen routes, 1 to 8 hops."""
    return _hops_plan("static", depth)


def plan_aodv(depth: Depth) -> Plan:
    """The same under AODV."""
    return _hops_plan("aodv", depth)


def _hops_plan(routing: str, depth: Depth) -> Plan:
    table = [row for row in tables.read("ns2_chain_tcp") if row["routing"] == routing]
    chosen = [row for row in table if depth.thorough or row["hops"] in QUICK_HOPS]
    part = f"chain-{routing}"

    def judge(runs: Sequence[Runs]) -> list[Row]:
        ours = [measure(each) for each in runs]
        rows = [row for stored_row, us in zip(chosen, ours, strict=True) for row in _hop_rows(part, stored_row, us)]
        return rows + list(_order_rows(part, chosen, ours))

    orders = tuple(
        Order(scenarios.chain(int(row["hops"]), row["transport"], routing=routing), _seeds(depth, routing))
        for row in chosen
    )
    return Plan(part, f"TCP over chains, {routing} routes, against ns-2", orders, judge)


def _hop_rows(part: str, row: tables.Row, ours: Measured) -> Iterator[Row]:
    hops, runs = int(row["hops"]), int(row["runs"])
    name = f"{hops} hops, {row['transport']}"
    theirs = tables.interval(row, "goodput_kbps", "half_width_kbps")
    limit = goodput_tolerance(ours.goodput_kbps, theirs, row["routing"], far=hops > AODV_SHORT_HOPS)
    yield Row(part, f"{name}: goodput", "kb/s", SOURCE, theirs, ours.goodput_kbps, limit)
    yield retransmitted_row(part, name, stored(float(row["retransmitted_pct"]), None, runs), ours)
    yield timeouts_row(part, name, tables.interval(row, "timeouts", "timeouts_half_width"), ours)
    theirs = tables.interval(row, "cwnd", "cwnd_half_width")
    limit = tolerance(ours.cwnd, theirs, CWND_SHARE, floor=CWND_FLOOR)
    yield Row(part, f"{name}: mean cwnd", "segments", SOURCE, theirs, ours.cwnd, limit)


def retransmitted_row(part: str, name: str, theirs: Interval, ours: Measured) -> Row:
    """Share of segments that were sent again."""
    us = ours.retransmitted_pct
    limit = tolerance(us, theirs, RETRANSMITTED_SHARE, floor=RETRANSMITTED_FLOOR_PCT)
    return Row(part, f"{name}: retransmitted", "%", SOURCE, theirs, us, limit)


def timeouts_row(part: str, name: str, theirs: Interval, ours: Measured) -> Row:
    """Timeouts in the measured window; shown, not decisive: they are few and scatter."""
    limit = tolerance(ours.timeouts, theirs, TIMEOUTS_SHARE, floor=TIMEOUTS_FLOOR)
    return Row(part, f"{name}: timeouts", "", SOURCE, theirs, ours.timeouts, limit, decisive=False)


def _order_rows(part: str, table: Sequence[tables.Row], ours: Sequence[Measured]) -> Iterator[Row]:
    """Variants must come in ns-2's order wherever its intervals are disjoint."""
    values = {(row["hops"], row["transport"]): (row, us) for row, us in zip(table, ours, strict=True)}
    for hops in dict.fromkeys(row["hops"] for row in table):
        names = [transport for h, transport in values if h == hops]
        for first, second in combinations(names, 2):
            (a, our_a), (b, our_b) = values[hops, first], values[hops, second]
            them = [tables.interval(row, "goodput_kbps", "half_width_kbps") for row in (a, b)]
            if them[0].overlaps(them[1]):
                continue
            sign = 1.0 if them[0].mean > them[1].mean else -1.0
            gap = sign * (our_a.goodput_kbps.mean - our_b.goodput_kbps.mean)
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
    table = tables.read("ns2_chain_linux")
    part = "linux"

    def judge(runs: Sequence[Runs]) -> list[Row]:
        ours = [measure(each) for each in runs]
        rows = [row for stored_row, us in zip(table, ours, strict=True) for row in _linux_rows(part, stored_row, us)]
        named = [{**row, "transport": row["algorithm"]} for row in table]
        return rows + list(_order_rows(part, named, ours))

    orders = tuple(
        Order(
            scenarios.chain(int(row["hops"]), LINUX_TRANSPORTS[row["algorithm"]], tcp_profile="ns2_linux"),
            depth.seed_list(LINUX_SEEDS),
        )
        for row in table
    )
    return Plan(part, "Linux's congestion controls over chains against ns-2", orders, judge)


def _linux_rows(part: str, row: tables.Row, ours: Measured) -> Iterator[Row]:
    name = f"{row['hops']} hops, {row['algorithm']}"
    theirs = tables.interval(row, "goodput_kbps", "half_width_kbps")
    limit = goodput_tolerance(ours.goodput_kbps, theirs, "static", far=False)
    yield Row(part, f"{name}: goodput", "kb/s", SOURCE, theirs, ours.goodput_kbps, limit)
    if not row["cwnd"]:
        return
    yield retransmitted_row(part, name, stored(float(row["retransmitted_pct"]), None, int(row["runs"])), ours)
    theirs = tables.interval(row, "cwnd", "cwnd_half_width")
    limit = tolerance(ours.cwnd, theirs, CWND_SHARE, floor=CWND_FLOOR)
    yield Row(part, f"{name}: mean cwnd", "segments", SOURCE, theirs, ours.cwnd, limit)


LINUX_TRANSPORTS = {
    name: "westwood_plus" if name == "westwood" else name
    for name in ("reno", "bic", "cubic", "compound", "vegas", "veno", "westwood")
}
"""Our names of ns-2's modules."""

LINUX_SEEDS = 10


def xcp_chain(hops: int, window: int) -> Scenario:
    """XCP over links of 11 Mb/s, which it takes for their capacity; 20 s, when DSDV has found its routes."""
    return Scenario.from_dict(
        name=f"chain of {hops}, XCP, window {window}",
        duration="80 s",
        topology={"kind": "chain", "hops": hops},
        mac={"data_rate": "11 Mb/s", "basic_rate": "1 Mb/s"},
        routing={"protocol": "dsdv"},
        xcp={"tick": "10 ms"},
        flow=[{"transport": "xcp", "segment": 1460, "window": window, "start": "60 s"}],
    )


def plan_xcp(depth: Depth) -> Plan:
    """XCP against ns-2's own, 1 and 4 hops, windows below and above the queue's length."""
    table = tables.read("ns2_chain_xcp")
    part = "xcp"

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [row for stored_row, us in zip(table, runs, strict=True) for row in _xcp_rows(part, stored_row, us)]

    orders = tuple(Order(xcp_chain(int(row["hops"]), int(row["window"])), depth.seed_list(XCP_SEEDS)) for row in table)
    return Plan(part, "XCP over chains against ns-2", orders, judge)


def _xcp_rows(part: str, row: tables.Row, runs: Runs) -> Iterator[Row]:
    name, ours = f"{row['hops']} hops, window {row['window']}", measure(runs)
    theirs = tables.interval(row, "goodput_kbps", "half_width_kbps")
    limit = tolerance(ours.goodput_kbps, theirs, XCP_SHARE)
    yield Row(part, f"{name}: goodput", "kb/s", SOURCE, theirs, ours.goodput_kbps, limit)
    theirs = tables.interval(row, "retransmitted_pct", "retransmitted_half_width")
    yield retransmitted_row(part, name, theirs, ours)


XCP_SEEDS = 20
"""As many as ns-2's: over four hops runs differ by a factor."""

XCP_SHARE = 0.05
"""How far goodput may lie from ns-2's; the sum of the half-widths where that is more."""


def plan_window(depth: Depth) -> Plan:
    """NewReno with a limited window, 4 and 8 hops."""
    table = tables.read("ns2_chain_window")
    chosen = table if depth.thorough else [row for row in table if row["window"] in {"1", "3", "8", "32"}]
    return _rows_plan(
        "window",
        "NewReno with a limited window against ns-2",
        depth,
        table=chosen,
        scenario=lambda row: scenarios.chain(int(row["hops"]), "new_reno", window=int(row["window"])),
        name=lambda row: f"{row['hops']} hops, window {row['window']}",
    )


def plan_other(depth: Depth) -> Plan:
    """Other spacings, rates, retry limits, queues and segments."""
    table = tables.read("ns2_chain_other")
    chosen = table if depth.thorough else table[::2]
    title = "TCP over chains with other settings against ns-2"
    return _rows_plan("settings", title, depth, table=chosen, scenario=_other_scenario, name=_other_name)


def _rows_plan(  # noqa: PLR0913 (by keyword)
    part: str,
    title: str,
    depth: Depth,
    *,
    table: Sequence[tables.Row],
    scenario: Callable[[tables.Row], Scenario],
    name: Callable[[tables.Row], str],
) -> Plan:
    def judge(runs: Sequence[Runs]) -> list[Row]:
        rows: list[Row] = []
        for row, each in zip(table, runs, strict=True):
            ours = measure(each)
            theirs = tables.interval(row, "goodput_kbps", "half_width_kbps")
            far = int(row["hops"]) > AODV_SHORT_HOPS
            limit = goodput_tolerance(ours.goodput_kbps, theirs, row.get("routing", "static"), far=far)
            rows.append(Row(part, f"{name(row)}: goodput", "kb/s", SOURCE, theirs, ours.goodput_kbps, limit))
            if row.get("retransmitted_pct"):
                count = int(row["runs"])
                rows.append(
                    retransmitted_row(part, name(row), stored(float(row["retransmitted_pct"]), None, count), ours)
                )
                rows.append(timeouts_row(part, name(row), stored(float(row["timeouts"]), None, count), ours))
        return rows

    orders = tuple(Order(scenario(row), _seeds(depth, row.get("routing", "static"))) for row in table)
    return Plan(part, title, orders, judge)


def _other_scenario(row: tables.Row) -> Scenario:
    return scenarios.chain(
        int(row["hops"]),
        row["transport"],
        routing=row["routing"],
        spacing_m=float(row["spacing_m"]),
        data_mbps=float(row["data_rate_mbps"]),
        rts_threshold=int(row["rts_threshold"]),
        ssrl=int(row["ssrl"]),
        queue_limit=int(row["queue_limit"]),
        window=int(row["window"]),
        segment=int(row["segment"]),
    )


USUAL = {
    "rts_threshold": "0",
    "spacing_m": "200",
    "data_rate_mbps": "2",
    "ssrl": "7",
    "window": "32",
    "segment": "1460",
    "queue_limit": "50",
}
"""What a name leaves out."""


def _other_name(row: tables.Row) -> str:
    unusual = [f"{key} {row[key]}" for key, value in USUAL.items() if row[key] != value]
    return ", ".join([f"{row['hops']} hops", row["routing"], row["transport"], *unusual])
