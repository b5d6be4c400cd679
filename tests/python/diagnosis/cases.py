"""Small scenarios whose flows carry nothing, each with the reason that the diagnosis names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hoplab.scenario.model import Scenario

CALM: Mapping[str, object] = {"transport": "udp", "app": "cbr", "rate": "100 kb/s"}
"""A source that a chain can carry."""
FILE: Mapping[str, object] = {"transport": "new_reno"}
HEAVY: Mapping[str, object] = {"transport": "udp", "app": "cbr", "rate": "2 Mb/s"}
SHORT_SENSE = {"rx_range": "250 m", "cs_range": "251 m"}
"""Nodes two hops apart do not sense each other."""
INDOORS = {
    "propagation": "shadowing",
    "path_loss_exponent": 3,
    "shadowing_deviation_db": 0,
    "tx_power": "16 dBm",
}
"""Loss by the cube of the distance: 25 m per hop."""


@dataclass(frozen=True)
class Sick:
    """A scenario with a flow that carries nothing.

    Attributes
    ----------
    reason : str
        Its row of the table.
    before : bool
        Whether `show` names it.
    words : str
        What its sentence says, besides.
    flow : int
        Which flow it is about.
    least_bps : float
        What the flow carries at least with the remedy.
    """

    name: str
    scenario: Scenario
    reason: str
    before: bool = True
    words: str = ""
    flow: int = 0
    least_bps: float = 20e3


def chain(hops: int = 3, *flows: Mapping[str, object], duration: str = "20 s", **tables: Any) -> Scenario:
    """A chain with flows from end to end, unless they say otherwise."""
    topology = {"kind": "chain", "hops": hops, **tables.pop("topology", {})}
    return Scenario.from_dict(duration=duration, topology=topology, flow=list(flows or (FILE,)), **tables)


def indoors(hops: int, standard: str, *flows: Mapping[str, object], spacing: str = "25 m", **tables: Any) -> Scenario:
    """A chain of OFDM radios of profile `std`."""
    radio = {"standard": standard, **INDOORS, **tables.pop("radio", {})}
    topology = {"spacing": spacing}
    return chain(hops, *flows, profile="std", topology=topology, radio=radio, **tables)


def gray(protocol: str, *flows: Mapping[str, object], duration: str = "30 s") -> Scenario:
    """Six nodes of 802.11a at 24 Mb/s, 25 m per hop: 50 m are heard by broadcasts and not by data."""
    mac = {"data_rate": "24 Mb/s"}
    return indoors(5, "11a", *flows, duration=duration, mac=mac, routing={"protocol": protocol})


def behind_wire(**wire: object) -> Scenario:
    """A host behind a wire at the first node of a chain."""
    host = {"kind": "host", "name": "server"}
    return chain(
        2, {"from": "server", "to": 2, **FILE}, node=[host], wire=[{"between": [0, "server"], "rate": "1 Mb/s", **wire}]
    )


def off(node: int, seconds: int = 20) -> dict[str, object]:
    """A node whose radio is off."""
    return {"id": node, "radio_off": [["0 s", f"{seconds} s"]]}


def routed(protocol: str, **constants: object) -> dict[str, object]:
    """Table `[routing]`."""
    return {"protocol": protocol, **({protocol: constants} if constants else {})}


LATE_FLOW = {**CALM, "start": "60 s"}
TOO_FAR = {"spacing": "260 m"}

SOURCES = [
    Sick("ends before warmup", chain(3, {**FILE, "stop": "4 s"}, warmup="5 s"), "unmeasured"),
    Sick("a packet every hour", chain(3, {**CALM, "rate": "1 b/s"}, warmup="5 s"), "slow_source", words="every"),
]

PATHS = [
    *(
        Sick(f"too far, {protocol}", chain(3, CALM, topology=TOO_FAR, routing=routed(protocol)), "no_path")
        for protocol in ("static", "aodv", "dsdv", "dsr", "hwmp", "olsr")
    ),
    *(
        Sick(f"too far, {standard}", indoors(2, standard, CALM, spacing="80 m", mac=mac), "no_path", words="at 54 Mb/s")
        for standard, mac in (("11a", {"data_rate": "54 Mb/s"}), ("11g", {"data_rate": "54 Mb/s"}))
    ),
    Sick("too far, 11n", indoors(2, "11n", CALM, spacing="80 m", mac={"mcs": 7}), "no_path", words="at 65 Mb/s"),
    Sick("one power below the others", chain(node=[{"id": 1, "radio": {"tx_power": "1 mW"}}]), "no_path"),
    Sick("heard in one direction", chain(node=[{"id": 1, "radio": {"tx_power": "50 mW"}}]), "one_way", words="3.6 dB"),
    *(
        Sick(
            f"no channel in common, {protocol}",
            chain(3, CALM, node=[{"id": 2, "radios": [{"channel": 6}]}], routing=routed(protocol)),
            "channels",
            words="(1 and 6)",
        )
        for protocol in ("static", "aodv")
    ),
    Sick("relay off", chain(node=[off(1)]), "radio_off", words="node 1, a relay"),
    Sick("source off", chain(node=[off(0)]), "radio_off", words="its source"),
    Sick(
        "destination off, AODV",
        chain(3, CALM, node=[off(3)], routing=routed("aodv")),
        "radio_off",
        words="its destination",
    ),
    Sick("relay off, a real connection", chain(3, {"transport": "tcp_reno"}, node=[off(1)]), "radio_off"),
    Sick("relay off, Semi-TCP", chain(3, {"transport": "semi_tcp"}, node=[off(1)]), "radio_off"),
    *(
        Sick(
            f"responses too late, {protocol}",
            chain(
                3,
                CALM,
                topology={"spacing": "700 m"},
                radio={"rx_range": "800 m", "cs_range": "1000 m"},
                routing=routed(protocol),
            ),
            "late_response",
            words="after the MAC's timeout",
        )
        for protocol in ("static", "aodv")
    ),
    Sick(
        "all frames corrupted",
        chain(radio={"errors": {"model": "uniform_packet", "frame_error_rate": 1.0}}),
        "errors",
        words="100 % of the RTS frames",
    ),
    Sick(
        "long frames corrupted",
        chain(radio={"errors": {"model": "uniform_bit", "bit_error_rate": 1e-3}}),
        "errors",
        words="of the DATA frames",
    ),
    Sick(
        "bad states only",
        chain(radio={"errors": {"model": "gilbert", "good_loss": 1.0, "bad_loss": 1.0}}),
        "errors",
        words="gilbert",
    ),
    Sick(
        "data corrupted, AODV",
        chain(
            radio={"errors": {"model": "uniform_packet", "frame_error_rate": 0.95, "scope": "data_only"}},
            routing=routed("aodv"),
        ),
        "errors",
    ),
    Sick(
        "links too weak for the rate",
        indoors(2, "11a", spacing="50 m", radio={"link_threshold": "-90 dBm"}, mac={"data_rate": "54 Mb/s"}),
        "weak_link",
        words="too far for data at 54 Mb/s",
    ),
]

GRAY = [
    Sick(f"gray zone, {protocol}", gray(protocol), "gray_zone", words="nodes 1 and 3, 50 m apart", least_bps=200e3)
    for protocol in ("aodv", "olsr", "hwmp")
] + [
    Sick(
        "gray zone, dsdv",
        gray("dsdv", {**CALM, "start": "150 s"}, duration="200 s"),
        "gray_zone",
        words="50 m apart",
        least_bps=80e3,
    ),
    Sick(
        "gray zone, 11n",
        indoors(4, "11n", spacing="25 m", mac={"mcs": 3, "ampdu": "0 B"}, routing=routed("aodv")),
        "gray_zone",
        least_bps=200e3,
    ),
]

ROUTING = [
    Sick("path longer than the TTL, aodv", chain(5, CALM, routing=routed("aodv", network_diameter=3)), "ttl"),
    Sick(
        "path longer than the TTL, dsdv",
        chain(3, {**CALM, "start": "100 s"}, duration="120 s", routing=routed("dsdv", ttl=2)),
        "ttl",
    ),
    Sick("path longer than the TTL, dsr", chain(5, CALM, routing=routed("dsr", ttl=3)), "ttl"),
    Sick(
        "path longer than the TTL, olsr",
        chain(5, {**CALM, "start": "20 s"}, duration="40 s", routing=routed("olsr", ttl=3)),
        "ttl",
    ),
    Sick(
        "no node forwards",
        chain(3, {**CALM, "start": "20 s"}, duration="40 s", routing=routed("olsr", willingness=0)),
        "willingness",
    ),
    Sick("starts before DSDV has routes", chain(5, CALM, routing=routed("dsdv")), "converging", before=False),
    Sick(
        "starts and ends before OLSR has routes",
        chain(5, {**CALM, "stop": "4 s"}, routing=routed("olsr")),
        "converging",
        before=False,
        words="routes of olsr over 5 hops",
    ),
]

QUEUES = [
    *(
        Sick(
            f"queue shorter than a packet, {kind}",
            chain(queue={"kind": kind, "limit_bytes": "1000 B"}),
            "queue_bytes",
            words="limit_bytes = 1000 holds none",
        )
        for kind in ("drop_tail", "red", "codel", "pie", "fq_codel", "airtime_fq", "lred")
    ),
    Sick(
        "thresholds that leave nothing",
        chain(queue={"kind": "lred", "min": 0.0, "max": 1e-4, "max_p": 1.0, "weight": 1.0}),
        "queue_discipline",
        before=False,
        words='queue.kind = "lred"',
    ),
]

WIRES = [
    Sick("wire loses all", behind_wire(loss=1.0), "wire_loss"),
    Sick(
        "wire loses all in bursts",
        behind_wire(loss={"good_mean": "1 ms", "bad_mean": "10 s", "good_loss": 1.0, "bad_loss": 1.0}),
        "wire_loss",
    ),
    Sick("wire loses all acknowledgments", behind_wire(back={"loss": 1.0}), "wire_loss"),
    Sick("wire too slow", behind_wire(rate="1 b/s"), "wire_slow", words="one packet takes"),
    Sick("wire too long", behind_wire(delay="30 s"), "wire_delay", words="delays packets by 30 s"),
    Sick("wire's queue shorter than a packet", behind_wire(queue={"limit_bytes": "1000 B"}), "queue_bytes"),
]

MEDIUM = [
    Sick(
        "ARP requests of two sources collide each time",
        chain(
            2,
            {"from": 0, "to": 1, **CALM},
            {"from": 2, "to": 1, **CALM},
            mac={"rts_threshold": 3000},
            radio=SHORT_SENSE,
        ),
        "locked",
        before=False,
        words="flow 1 send at the same instants",
    ),
    Sick(
        "data of two sources collide each time",
        chain(
            2,
            {"from": 0, "to": 1, **CALM},
            {"from": 2, "to": 1, **CALM},
            mac={"rts_threshold": 3000, "ssrl": 1, "slrl": 1, "cw_min": 1},
            link={"arp": False},
            radio=SHORT_SENSE,
        ),
        "locked",
        before=False,
    ),
    Sick(
        "NAV of unanswered RTSs",
        chain(
            3,
            {"from": 2, "to": 3, **HEAVY, "segment": 2000},
            {"from": 0, "to": 1, **CALM, "rate": "50 kb/s", "segment": 500, "start": "2 s"},
            duration="10 s",
            link={"arp": False},
            mac={"data_rate": "1 Mb/s", "cw_max": 31},
            node=[off(3, 10)],
        ),
        "nav",
        before=False,
        flow=1,
        words="node 2 sends",
    ),
    Sick(
        "hidden terminal without RTS",
        chain(
            3,
            {"from": 0, "to": 1, **CALM},
            {"from": 2, "to": 3, **HEAVY, "segment": 2000},
            mac={"rts_threshold": 3000},
            radio=SHORT_SENSE,
        ),
        "hidden",
        before=False,
        words="node 2 cannot sense node 0",
    ),
    Sick(
        "medium filled by datagrams",
        chain(5, {"from": 0, "to": 5, **FILE}, {"from": 3, "to": 4, **HEAVY}),
        "starved",
        before=False,
        words="frames of flow 1 fill the medium",
    ),
    Sick(
        "medium filled by a file",
        chain(5, {"from": 0, "to": 5, **FILE}, {"from": 3, "to": 4, **FILE}),
        "starved",
        before=False,
    ),
    Sick(
        "almost nothing beside a file",
        chain(3, {"from": 0, "to": 1, **FILE}, {"from": 2, "to": 3, **FILE}, duration="30 s"),
        "starved",
        before=False,
        flow=1,
        words="almost nothing",
    ),
]

SICK = [*SOURCES, *PATHS, *GRAY, *ROUTING, *QUEUES, *WIRES, *MEDIUM]
