"""The receiver that adds interference up against stored runs of ns-3.37: frames lost to an interferer, and chains.

The descriptions are those that `hoplab crosscheck ns3` writes; `scripts/tables/ns3_tables.py` ran them.
"""

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

LOSS, CHAIN = "ns3-loss", "ns3-chain"
SOURCE = "ns-3 table"
LOSS_TABLE, CHAIN_TABLE = "ns3_loss", "ns3_chain"

WANTED_M = 240.0
"""From the sender to its receiver."""

RATES_MBPS = (1.0, 2.0, 11.0)
DISTANCES_M = (252.0, 275.0, 300.0, 325.0, 350.0, 400.0)
"""From the interferer to the receiver: 0.8 to 8.9 dB below the wanted frame."""

WANTED_BYTES, WANTED_KBPS = 500, 120.0
LOSS_POINTS = 2.0
"""The share of lost frames may differ by so many percentage points, or by the sum of the half-widths."""

CHAIN_HOPS = (1, 2, 3, 4, 8)
CHAIN_SHARE = 0.05


def interfered(rate_mbps: float, distance_m: float) -> Scenario:
    """A sender of few frames and, on the far side of its receiver, a saturated one: neither senses the other.

    The receiver cannot follow the interferer either, so that frames are lost to its power alone. Each frame is sent
    once, without RTS.
    """
    places = [0.0, WANTED_M, WANTED_M + distance_m, WANTED_M + distance_m + 100.0]
    datagrams = {"app": "cbr", "transport": "udp"}
    return ns3_text.counterpart(
        Scenario.from_dict(
            name=f"{rate_mbps:g} Mb/s, interferer at {distance_m:g} m",
            profile="std",
            duration="41 s",
            warmup="1 s",
            topology={"kind": "positions", "positions": [[x, 0.0] for x in places]},
            radio={"cs_range": "251 m"},
            mac={"data_rate": f"{rate_mbps:g} Mb/s", "rts_threshold": 3000, "ssrl": 1, "slrl": 1},
            link={"arp": False},
            flow=[
                {**datagrams, "from": 0, "to": 1, "segment": WANTED_BYTES, "rate": f"{WANTED_KBPS:g} kb/s"},
                {**datagrams, "from": 2, "to": 3, "segment": 1460, "rate": f"{rate_mbps:g} Mb/s"},
            ],
        )
    )


def chain(hops: int, transport: str) -> Scenario:
    """One flow from end to end, static routes: NewReno, or datagrams at 2 Mb/s."""
    flow: dict[str, object] = {"from": "first", "to": "last", "transport": transport}
    flow |= {"app": "cbr", "rate": "2 Mb/s"} if transport == "udp" else {"window": 32}
    return ns3_text.counterpart(
        Scenario.from_dict(
            name=f"{hops} hops, {transport}",
            profile="std",
            duration="60 s",
            warmup="20 s",
            topology={"kind": "chain", "hops": hops},
            flow=[flow],
        )
    )


def lost_pct(goodput_bps: float) -> float:
    """Share of the wanted datagrams that did not arrive, in percent."""
    return 100.0 * (1.0 - goodput_bps / (1e3 * WANTED_KBPS))


def plan_loss(depth: Depth) -> Plan:
    """Lost frames over the distance of the interferer, at three rates."""
    points = [(rate, distance) for rate in RATES_MBPS for distance in DISTANCES_M]

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        reference = mean_interval(float(row["lost_pct"]) for row in theirs)
        value = mean_interval(lost_pct(run.flows[0].goodput_bps) for run in ours)
        limit = tolerance(value, reference, 0.0, floor=LOSS_POINTS)
        return [Row(LOSS, f"{ours.scenario.name}: frames lost", "%", SOURCE, reference, value, limit)]

    return plan_stored(
        LOSS,
        "frames lost to an interferer, against ns-3",
        table=LOSS_TABLE,
        key_of=lambda row: (float(row["rate_mbps"]), float(row["distance_m"])),
        scenarios={point: interfered(*point) for point in (points if depth.thorough else points[::3])},
        seeds_of=lambda _: depth.seed_list(),
        judge_one=judge,
    )


def plan_chain(depth: Depth) -> Plan:
    """Goodput over chains by ns-3's rules."""
    points = [(hops, transport) for transport in ("new_reno", "udp") for hops in CHAIN_HOPS]

    def judge(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
        reference = mean_interval(float(row["goodput_kbps"]) for row in theirs)
        value = mean_interval(run.flows[0].goodput_bps / 1e3 for run in ours)
        limit = tolerance(value, reference, CHAIN_SHARE)
        return [Row(CHAIN, f"{ours.scenario.name}: goodput", "kb/s", SOURCE, reference, value, limit)]

    return plan_stored(
        CHAIN,
        "chains by ns-3's rules, against ns-3",
        table=CHAIN_TABLE,
        key_of=lambda row: (int(row["hops"]), row["transport"]),
        scenarios={point: chain(*point) for point in points},
        seeds_of=lambda _: depth.seed_list(),
        judge_one=judge,
    )
