"""The short preamble against stored runs of ns-2, and nodes with MACs of both profiles in one network.

ns-2 sends preamble and PLCP header at one rate: 48 + 48 bits at 1 Mb/s take as long as 72 at 1 Mb/s and 48 at 2 Mb/s.
No simulator has nodes of both profiles; a pair is validated against its closed form and a network of its profile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers import dcf, tables
from hoplab_validation.peers.stats import joint_half_width, stored, tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import goodput_kbps, plan_stored

PREAMBLE, PROFILES = "preamble", "profiles"
SOURCE = "ns-2 table"
TABLE = "ns2_preamble"
GOODPUT_SHARE = 0.03
"""Goodput may differ by so much, or by the sum of the half-widths where that is more."""

SHORT = {"mac.basic_rate": "2 Mb/s", "mac.preamble": "short"}
"""No frame at 1 Mb/s has it."""


def _cell(stations: int, *, rts: bool) -> Scenario:
    made = scenarios.cell(stations, data_mbps=11.0, rts=rts, ip_bytes=512, measured_s=8.0)
    return made.with_({**SHORT, "name": f"cell of {stations}, 11 Mb/s, {'RTS/CTS' if rts else 'basic'}"})


def _chain(hops: int, data_mbps: float, transport: str = "new_reno") -> Scenario:
    made = scenarios.chain(hops, transport, data_mbps=data_mbps, measured_s=40.0)
    return made.with_({**SHORT, "name": f"{hops} hops, {data_mbps:g} Mb/s, {transport}"})


SCENARIOS: Mapping[str, Scenario] = {
    "cell basic": _cell(5, rts=False),
    "cell rts": _cell(5, rts=True),
    "chain 1": _chain(1, 11.0),
    "chain 4": _chain(4, 11.0),
    "chain 8": _chain(8, 11.0),
    "udp 4": _chain(4, 11.0, "udp"),
}
"""Scenarios by their names in the table, all with the short preamble."""


def plan_preamble(depth: Depth) -> Plan:
    """Goodput of every scenario."""
    most = None if depth.thorough else depth.seeds

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        reference = mean_interval(float(row["goodput_kbps"]) for row in theirs if int(row["seed"]) in ours.seeds)
        value = mean_interval(goodput_kbps(run) for run in ours)
        limit = tolerance(value, reference, GOODPUT_SHARE)
        name = f"{ours.scenario.name}: goodput of all flows"
        return [Row(PREAMBLE, name, "kb/s", SOURCE, reference, value, limit)]

    return plan_stored(
        PREAMBLE,
        "the short preamble, against ns-2",
        table=TABLE,
        key_of=lambda row: row["scenario"],
        scenarios=SCENARIOS,
        seeds_of=lambda rows: tuple(int(row["seed"]) for row in rows)[:most],
        judge_one=judge,
    )


PACKET_BYTES, RATE_MBPS = 1500, 11.0
LINK = dcf.Link(RATE_MBPS)
NS2_SLOTS, STD_SLOTS = 15.0, 15.5
"""Mean first backoff: 0 to 30 slots in profile `ns2`, 0 to 31 in `std`."""

STD_OVERHEAD = 36
"""MAC header, check sum and LLC around an IP packet in profile `std`."""

CELL_STATIONS = 6


def pairs(first: str, second: str) -> Scenario:
    """Two saturated pairs that do not hear each other, with a profile of the MAC each."""
    flow = {"app": "cbr", "transport": "udp", "segment": PACKET_BYTES, "rate": f"{RATE_MBPS:g} Mb/s"}
    return Scenario.from_dict(
        name=f"pairs of {first} and {second}",
        duration="21 s",
        warmup="1 s",
        topology={"kind": "positions", "positions": [[0.0, 0.0], [1.0, 0.0], [0.0, 5000.0], [1.0, 5000.0]]},
        mac={"data_rate": f"{RATE_MBPS:g} Mb/s", "rts_threshold": 3000},
        link={"arp": False},
        routing={"udp_header": 0},
        node=[{"id": k, "mac": {"profile": first if k < 2 else second}} for k in range(4)],
        flow=[{"from": 0, "to": 1, **flow}, {"from": 2, "to": 3, **flow}],
    )


def shared(profiles: Sequence[str]) -> Scenario:
    """A saturated cell whose stations have these profiles in turn."""
    ring = scenarios.saturated(CELL_STATIONS, rts=False, segment=PACKET_BYTES, rate="11 Mb/s")
    return Scenario.from_dict(
        name=f"cell of {CELL_STATIONS}, {' and '.join(profiles)}",
        duration="13 s",
        warmup="3 s",
        topology=ring["topology"],
        mac={"data_rate": "11 Mb/s", **ring["mac"]},
        link=ring["link"],
        routing={"udp_header": 0},
        node=[{"id": k, "mac": {"profile": profiles[k % len(profiles)]}} for k in range(CELL_STATIONS + 1)],
        flow=ring["flow"],
    )


def lone_kbps(profile: str) -> float:
    """Throughput of a lone saturated station by the closed form of one cycle."""
    overhead, slots = (STD_OVERHEAD, STD_SLOTS) if profile == "std" else (34, NS2_SLOTS)
    exchange = dcf.exchange_us(LINK, PACKET_BYTES, rts=False, overhead=overhead)
    return 8e3 * PACKET_BYTES / (dcf.DIFS_US + slots * dcf.SLOT_US + exchange)


def plan_profiles(depth: Depth) -> Plan:
    """Pairs of both profiles in one network, then cells of one and of both."""
    seeds = depth.seed_list()
    networks = [pairs("ns2", "std"), pairs("ns2", "ns2"), pairs("std", "std")]
    cells = [shared(("ns2", "std")), shared(("ns2",)), shared(("std",))]
    orders = tuple(Order(scenario, seeds) for scenario in (*networks, *cells))
    return Plan(PROFILES, "MACs of both profiles in one network", orders, _judge_profiles)


def _judge_profiles(runs: Sequence[Runs]) -> list[Row]:
    mixed, all_ns2, all_std, both, ns2_cell, std_cell = runs
    rows = []
    for index, (profile, alone) in enumerate((("ns2", all_ns2), ("std", all_std))):
        ours = _flow_kbps(mixed, index)
        name = f"saturated pair of profile {profile} next to one of the other"
        theirs = stored(lone_kbps(profile), None, 1)
        limit = max(5e-4 * theirs.mean, 2.0 * (ours.half_width or 0.0))
        rows.append(Row(PROFILES, name, "kb/s", "arithmetic", theirs, ours, limit))
        rows.append(Row(PROFILES, name, "kb/s", "network of one profile", _flow_kbps(alone, index), ours, 1e-6))
    lower, upper = sorted(
        (mean_interval(goodput_kbps(run) for run in cell) for cell in (ns2_cell, std_cell)), key=lambda cell: cell.mean
    )
    ours = mean_interval(goodput_kbps(run) for run in both)
    between = stored((lower.mean + upper.mean) / 2.0, (upper.mean - lower.mean) / 2.0, lower.n)
    limit = (upper.mean - lower.mean) / 2.0 + joint_half_width(lower, upper) + (ours.half_width or 0.0)
    name = f"cell of {CELL_STATIONS} stations, half of each profile: between cells of one"
    note = "shown only: no closed form says that it lies between"
    rows.append(Row(PROFILES, name, "kb/s", "cells of one profile", between, ours, limit, decisive=False, note=note))
    return rows


def _flow_kbps(runs: Runs, index: int) -> Interval:
    return mean_interval(run.flows[index].goodput_bps / 1e3 for run in runs)
