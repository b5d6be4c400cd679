"""Scenarios of the reference set-ups, as tables of a scenario file."""

from __future__ import annotations

import math
from typing import Any

from hoplab.scenario.model import Scenario

CELL_RADIUS_M = 50.0
CELL_WARMUP_S = 3.0
STAGGER_S = 0.002
"""Spacing of the starts in a cell, so that the first frames do not all collide."""

FROZEN_DSDV_BYTES = 20
"""What the stored `static` rows carry on every packet: ns-2's DSDV, frozen after it has converged."""


def chain(  # noqa: PLR0913 (by keyword)
    hops: int,
    transport: str,
    *,
    routing: str = "static",
    spacing_m: float = 200.0,
    data_mbps: float = 2.0,
    rts_threshold: int = 0,
    ssrl: int = 7,
    queue_limit: int = 50,
    window: int = 32,
    segment: int = 1460,
    tcp_profile: str | None = None,
    offered_kbps: float = 2000.0,
    warmup_s: float = 20.0,
    measured_s: float = 100.0,
) -> Scenario:
    """One flow from end to end of a chain, as in the reference tables.

    Parameters
    ----------
    rts_threshold, segment : int
        In bytes.
    tcp_profile : str, optional
        The senders', if not the usual.
    offered_kbps : float
        Of a datagram flow.
    """
    flow: dict[str, Any] = {"from": "first", "to": "last", "transport": transport, "segment": segment}
    if transport == "udp":
        flow |= {"app": "cbr", "rate": f"{offered_kbps:g} kb/s"}
    else:
        flow |= {"app": "ftp", "window": window}
    routes: dict[str, Any] = {"protocol": routing}
    if routing == "static":
        routes["extra_bytes"] = FROZEN_DSDV_BYTES
    return Scenario.from_dict(
        name=f"chain of {hops}, {routing}, {transport}",
        duration=f"{warmup_s + measured_s:g} s",
        warmup=f"{warmup_s:g} s",
        topology={"kind": "chain", "hops": hops, "spacing": f"{spacing_m:g} m"},
        mac={"data_rate": f"{data_mbps:g} Mb/s", "rts_threshold": rts_threshold, "ssrl": ssrl},
        queue={"limit": queue_limit},
        routing=routes,
        flow=[flow],
        **({} if tcp_profile is None else {"tcp": {"profile": tcp_profile}}),
    )


def cell(  # noqa: PLR0913 (by keyword)
    stations: int,
    *,
    data_mbps: float,
    rts: bool,
    ip_bytes: int,
    measured_s: float,
    profile: str = "ns2",
) -> Scenario:
    """Saturated stations on a circle round one receiver; addresses need no resolution.

    Parameters
    ----------
    rts : bool
        RTS/CTS for every frame, or none.
    ip_bytes : int
        Size of the IP packets, all of it payload.
    profile : str
        The MAC's.
    """
    ring = saturated(stations, rts=rts, segment=ip_bytes, rate=f"{data_mbps:g} Mb/s")
    return Scenario.from_dict(
        name=f"cell of {stations}",
        duration=f"{CELL_WARMUP_S + measured_s:g} s",
        warmup=f"{CELL_WARMUP_S:g} s",
        topology=ring["topology"],
        mac={"profile": profile, "data_rate": f"{data_mbps:g} Mb/s", **ring["mac"]},
        link=ring["link"],
        routing={"udp_header": 0},
        flow=ring["flow"],
    )


def saturated(stations: int, *, rts: bool, segment: int, rate: str) -> dict[str, Any]:
    """Tables of stations on a circle round one receiver, each of which offers it more datagrams than it can take.

    Parameters
    ----------
    segment : int
        Payload of a datagram in bytes.
    rate : str
        What each station offers.
    """
    angles = (2.0 * math.pi * k / stations for k in range(1, stations + 1))
    circle = [[CELL_RADIUS_M * math.cos(a), CELL_RADIUS_M * math.sin(a)] for a in angles]
    flows = [
        {
            "from": k,
            "to": 0,
            "app": "cbr",
            "transport": "udp",
            "segment": segment,
            "rate": rate,
            "start": f"{1000.0 * STAGGER_S * k:g} ms",
        }
        for k in range(1, stations + 1)
    ]
    return {
        "topology": {"kind": "positions", "positions": [[0.0, 0.0], *circle]},
        "mac": {"rts_threshold": 0 if rts else 3000},
        "link": {"arp": False},
        "flow": flows,
    }


def pair(  # noqa: PLR0913 (by keyword)
    distance_m: float,
    *,
    ip_bytes: int,
    data_mbps: float,
    basic_mbps: float = 1.0,
    rts: bool,
    preamble: str = "long",
    rate: str,
    duration_s: float,
    stop_s: float | None = None,
) -> Scenario:
    """Datagrams from one node to another; addresses need no resolution."""
    flow: dict[str, Any] = {"from": 0, "to": 1, "app": "cbr", "transport": "udp", "segment": ip_bytes, "rate": rate}
    if stop_s is not None:
        flow["stop"] = f"{1e3 * stop_s:g} ms"
    return Scenario.from_dict(
        name=f"pair, IP {ip_bytes} at {data_mbps:g} Mb/s",
        duration=f"{duration_s:g} s",
        topology={"kind": "positions", "positions": [[0.0, 0.0], [distance_m, 0.0]]},
        mac={
            "data_rate": f"{data_mbps:g} Mb/s",
            "basic_rate": f"{basic_mbps:g} Mb/s",
            "preamble": preamble,
            "rts_threshold": 0 if rts else 3000,
        },
        link={"arp": False},
        routing={"udp_header": 0},
        flow=[flow],
    )
