"""802.11a, 802.11g and 802.11n against stored runs of ns-3.37: links, cells, single frames, hidden pairs and chains.

A row of the table is one scenario: its layout, traffic and settings, and what ns-3.37 gave. Where ns-3.37 departs from
IEEE 802.11, `expected` has the standard's value, which then is the reference.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from hoplab.running.execution import Order
from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import joint_half_width, stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import goodput_kbps

TABLE = "ns3_wifi"
SOURCE = "ns-3 table"
RATE = "rate"
STANDARD = "IEEE 802.11"

TITLES = {
    "link": "lone saturated sender at the rates of 802.11a and 802.11g",
    "cell": "saturated cells of 802.11a, 5 to 20 senders",
    "success": "single frames over the ratio of signal to noise, with and without fading",
    "hidden": "two senders that do not sense each other, 802.11a",
    "chain": "chains of 1 to 4 hops of 802.11a",
    "radios": "chains of 2 and 4 hops with two radios per relay, hop by hop on two channels",
    "11n": "802.11n: lone saturated sender by mode, A-MPDU, A-MSDU; cells of 5 and 10 senders",
    RATE: "rate controls over a link of 15 to 48 m, with and without fading",
}
"""What each part of the table shows."""

RADIO = {
    "standard": "11a",
    "propagation": "shadowing",
    "shadowing_deviation_db": 0.0,
    "path_loss_exponent": 3.0,
    "reference_distance": "1 m",
    "frequency": "5.15 GHz",
    "tx_power": "40 mW",
}
"""Log-distance loss as in the runs of ns-3: 46.68 dB at 1 m, exponent 3."""

MAC = {"data_rate": "6 Mb/s", "basic_rate": "6 Mb/s", "rts_threshold": 4_692_480}

CHANNELS = (36, 40)
"""Channels of chains with two radios per relay: hop by hop in turn."""

WEAK = {"radio.link_threshold": "-82 dBm"}
"""Rows that count frames over a link at which most are lost: static routes use it nevertheless."""

IN_TURN = "channels"
"""Layout of a chain whose hops take the channels in turn."""

CHAINS = ("chain", IN_TURN)
"""Layouts with one flow from end to end."""

LIGHT_SEEDS = {"success": 5, RATE: 2}
"""Parts that need more seeds than `quick` has."""


def name_of(part: str) -> str:
    """Name of a part on the command line."""
    return f"wifi-{part}"


def _positions(row: tables.Row) -> dict[str, Any]:
    size, distance = int(row["size"]), float(row["distance_m"])
    if row["layout"] in CHAINS:
        return {"kind": "chain", "hops": size, "spacing": f"{distance:g} m"}
    if row["layout"] == "hidden":
        places = [[0.0, 0.0], [-distance, 0.0], [distance, 0.0]]
    else:
        angles = (2.0 * math.pi * k / size for k in range(size))
        places = [[0.0, 0.0], *([distance * math.cos(a), distance * math.sin(a)] for a in angles)]
    return {"kind": "positions", "positions": places}


def _flows(row: tables.Row) -> list[dict[str, Any]]:
    common: dict[str, Any] = {"transport": row["transport"], "segment": int(row["segment"])}
    if row["transport"] == "udp":
        common |= {"app": "cbr", "rate": f"{row['rate_mbps']} Mb/s"}
    else:
        common |= {"app": "ftp", "window": 32}
    if row["layout"] in CHAINS:
        return [{"from": "first", "to": "last", **common}]
    return [{"from": k, "to": 0, **common} for k in range(1, int(row["size"]) + 1)]


def _nodes(row: tables.Row) -> dict[str, Any]:
    """Tables `[[node]]`, if nodes have several radios."""
    if row["layout"] != IN_TURN:
        return {}
    hops = [CHANNELS[hop % len(CHANNELS)] for hop in range(int(row["size"]))]
    # A node has a radio for the hop from it, and one for the hop to it: the first one counts where both are common.
    radios = [[*hops[node : node + 1], *hops[max(node - 1, 0) : node]] for node in range(len(hops) + 1)]
    return {
        "node": [
            {"id": node, "radios": [{"channel": channel} for channel in channels]}
            for node, channels in enumerate(radios)
        ]
    }


def scenario(row: tables.Row) -> Scenario:
    """The scenario of a row of the table."""
    settings = json.loads(row["settings"])
    # With 802.11n the MCS names the mode, and a rate control chooses it.
    has_rate = row["part"] != RATE and settings.get("radio.standard") != "11n"
    mac = MAC if has_rate else {key: value for key, value in MAC.items() if key != "data_rate"}
    made = Scenario.from_dict(
        name=row["name"],
        profile="std",
        duration=f"{row['duration_s']} s",
        warmup=f"{row['warmup_s']} s",
        topology=_positions(row),
        radio=RADIO,
        mac=mac,
        link={"arp": False, "delay": "0 s"},
        routing={"protocol": "static", "link_failure_feedback": False},
        flow=_flows(row),
        **_nodes(row),
    )
    more = WEAK if row["unit"] == "%" else {}
    return made.with_(more | settings)


def _measured(row: tables.Row, run: Run) -> float:
    """The share of offered datagrams that arrive, or the goodput of all flows."""
    goodput = goodput_kbps(run)
    return goodput / (10.0 * float(row["rate_mbps"])) if row["unit"] == "%" else goodput


def _judge(row: tables.Row, runs: Runs) -> Row:
    unit, share = row["unit"], float(row["tolerance_pct"]) / 100.0
    ours = mean_interval(_measured(row, run) for run in runs)
    theirs = stored(float(row["mean"]), float(row["half_width"]), int(row["seeds"]))
    source, note = SOURCE, ""
    if row["expected"]:
        note = f"ns-3.37 departs from the standard here: {theirs.mean:.1f} {unit}"
        source, theirs = STANDARD, stored(float(row["expected"]), None, 1)
    if unit == "%":
        limit = max(100.0 * share, joint_half_width(ours, theirs))
    else:
        limit = max(share * theirs.mean, joint_half_width(ours, theirs))
    return Row(name_of(row["part"]), row["name"], unit, source, theirs, ours, limit, note=note)


def _plan(part: str, depth: Depth) -> Plan:
    rows = [row for row in tables.read(TABLE) if row["part"] == part]
    if not depth.thorough and part in {"cell", "chain"}:
        rows = rows[::2]
    seeds = depth.seed_list(LIGHT_SEEDS.get(part, 1))
    orders = tuple(Order(scenario(row), seeds) for row in rows)

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [_judge(row, ours) for row, ours in zip(rows, runs, strict=True)]

    return Plan(name_of(part), TITLES[part], orders, judge)


def plan_of(part: str) -> Callable[[Depth], Plan]:
    """The function that prepares a part of the table."""
    return lambda depth: _plan(part, depth)
