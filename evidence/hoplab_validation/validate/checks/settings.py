"""TCP over chains against ns-2 with other settings: windows, spacings, rates, queues, segments, and XCP."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.checks.chain_tables import AODV_SEEDS, SOURCE, ChainTable, Key, Pair, plan_chains
from hoplab_validation.validate.plan import Depth, Plan

WINDOW = ChainTable(
    "ns2_chain_window",
    ("hops", "window"),
    {
        (str(hops), str(window)): partial(scenarios.chain, hops, "new_reno", window=window)
        for hops in (4, 8)
        for window in (1, 2, 3, 4, 5, 6, 8, 12, 16, 32)
    },
)
QUICK_WINDOWS = {"1", "3", "8", "32"}

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


def _other(hops: int, routing: str, transport: str, **unusual: str) -> Key:
    return (str(hops), routing, transport, *(unusual.get(key, usual) for key, usual in USUAL.items()))


def _scenario(key: Key) -> Scenario:
    row = dict(zip(OTHER_COLUMNS, key, strict=True))
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


OTHER_COLUMNS = ("hops", "routing", "transport", *USUAL)
OTHERS = (
    _other(4, "static", "new_reno", rts_threshold="3000"),
    _other(8, "static", "new_reno", rts_threshold="3000"),
    _other(6, "static", "new_reno", spacing_m="150"),
    _other(6, "static", "new_reno", spacing_m="240"),
    _other(6, "static", "new_reno", data_rate_mbps="11"),
    _other(6, "static", "new_reno", data_rate_mbps="1", ssrl="4"),
    _other(16, "static", "new_reno"),
    _other(8, "static", "new_reno", window="3"),
    _other(8, "aodv", "new_reno", segment="512"),
    _other(5, "aodv", "new_reno", ssrl="14"),
    _other(2, "aodv", "new_reno", window="64", queue_limit="10"),
    _other(4, "static", "vegas"),
    _other(8, "static", "vegas"),
)
OTHER = ChainTable("ns2_chain_other", OTHER_COLUMNS, {key: partial(_scenario, key) for key in OTHERS})


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


XCP = ChainTable(
    "ns2_chain_xcp",
    ("hops", "window"),
    {(str(hops), str(window)): partial(xcp_chain, hops, window) for hops in (1, 4) for window in (20, 200)},
)

XCP_SHARE = 0.05
"""How far goodput may lie from ns-2's; the sum of the half-widths where that is more."""


def plan_xcp(depth: Depth) -> Plan:
    """XCP against ns-2's own, 1 and 4 hops, windows below and above the queue's length.

    Over four hops runs differ by a factor, so there are as many here as there.
    """

    def rows(pairs: dict[Key, Pair]) -> Iterator[Row]:
        for pair in pairs.values():
            ours, theirs = pair.ours.goodput_kbps, pair.theirs.goodput_kbps
            limit = tolerance(ours, theirs, XCP_SHARE)
            yield Row(pair.part, f"{pair.name}: goodput", "kb/s", SOURCE, theirs, ours, limit)
            yield pair.retransmitted()

    return plan_chains(
        "xcp",
        "XCP over chains against ns-2",
        depth.seed_list(XCP.seeds),
        table=XCP,
        chosen=XCP.chains,
        name=lambda key: f"{key[0]} hops, window {key[1]}",
        rows=rows,
    )


def plan_window(depth: Depth) -> Plan:
    """NewReno with a limited window, 4 and 8 hops."""
    chosen = {key: chain for key, chain in WINDOW.chains.items() if depth.thorough or key[1] in QUICK_WINDOWS}
    return plan_chains(
        "window",
        "NewReno with a limited window against ns-2",
        depth.seed_list(),
        table=WINDOW,
        chosen=chosen,
        name=lambda key: f"{key[0]} hops, window {key[1]}",
        rows=lambda pairs: [pair.goodput() for pair in pairs.values()],
    )


def plan_other(depth: Depth) -> Plan:
    """Other spacings, rates, retry limits, queues and segments."""
    keys = OTHERS if depth.thorough else OTHERS[::2]
    return plan_chains(
        "settings",
        "TCP over chains with other settings against ns-2",
        depth.seed_list(AODV_SEEDS),
        table=OTHER,
        chosen={key: OTHER.chains[key] for key in keys},
        name=_other_name,
        rows=lambda pairs: [
            row for pair in pairs.values() for row in (pair.goodput(), pair.retransmitted(), pair.timeouts())
        ],
    )


def _other_name(key: Key) -> str:
    row = dict(zip(OTHER_COLUMNS, key, strict=True))
    unusual = [f"{key} {row[key]}" for key, value in USUAL.items() if row[key] != value]
    return ", ".join([f"{row['hops']} hops", row["routing"], row["transport"], *unusual])
