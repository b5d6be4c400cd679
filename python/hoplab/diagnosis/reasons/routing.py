"""Routing: routes that come too late, do not reach far enough, or are never found."""

from __future__ import annotations

import math

from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found
from hoplab.diagnosis.reasons.frames import FAILED

NO_ROUTE = ("no_route", "route_timeout", "route_buffer")
"""Drop reasons of packets that wait for a route or have none."""
MOST = 0.5
"""Share of a reason in a flow's drops from which on it is the cause."""
HELLOS = 3.0
"""HELLO intervals after which links are known in both directions, and MPRs are chosen (RFC 3626 section 6)."""
LIMITS = {
    "aodv": ("routing.aodv.network_diameter", "network_diameter"),
    "dsdv": ("routing.dsdv.ttl", "ttl"),
    "dsr": ("routing.dsr.ttl", "ttl"),
    "hwmp": ("routing.hwmp.ttl", "ttl"),
    "olsr": ("routing.olsr.ttl", "ttl"),
}
"""By protocol: the key of the longest path, and its name in the protocol's table."""


def ttl(case: Case) -> Found | None:
    """The path is longer than a packet's TTL, or than the reach of route requests."""
    if case.protocol not in LIMITS or case.is_moving:
        return None
    key, name = LIMITS[case.protocol]
    most = case.data["routing"].get(case.protocol, {}).get(name)
    hops = _hops(case)
    if most is None or hops is None or hops <= int(most):
        return None
    return Found(
        f"its path has {hops} hops, and {key} = {most} lets packets take {most}", {key: hops + 5, **also_late(case)}
    )


def willingness(case: Case) -> Found | None:
    """No node of OLSR is willing to forward."""
    if case.protocol != "olsr" or case.data["routing"].get("olsr", {}).get("willingness", 3) != 0:
        return None
    hops = _hops(case)
    if hops is None or hops < 2:
        return None
    return Found(
        f"routing.olsr.willingness = 0 lets no node forward, and its path has {hops} hops",
        {"routing.olsr.willingness": 3},
    )


def converging(case: Case) -> Found | None:
    """A proactive protocol has no route yet while the flow sends, or a sender that found none backs off."""
    settled = settled_s(case)
    start, _ = case.life
    if settled is None or start >= settled or case.report is None or _hops(case) is None:
        return None
    is_waiting = case.share(*NO_ROUTE) >= MOST or case.report.hops_mean is None or case.report.segments_sent < FEW
    if not is_waiting:
        return None
    return Found(
        f"it starts at {start:g} s, and routes of {case.protocol} over {_hops(case)} hops take about {settled:.0f} s",
        _later(case, settled),
    )


def also_late(case: Case) -> dict[str, object]:
    """Keys that a flow needs besides another remedy, where its protocol has no route for half of its life."""
    settled = settled_s(case)
    start, stop = case.life
    return {} if settled is None or settled - start < LATE * (stop - start) else _later(case, settled)


def _later(case: Case, settled: float) -> dict[str, object]:
    """The flow begins when there are routes, and lasts as long as before, at least `LEAST_S`."""
    (start, stop), begin = case.life, math.ceil(settled / 10.0) * 10.0
    end = f"{begin + max(LEAST_S, stop - start):g} s"
    keys = {f"flow.{case.number}.start": f"{begin:g} s", "duration": end}
    return {**keys, f"flow.{case.number}.stop": end} if case.flow.get("stop_s") is not None else dict(keys)


LEAST_S = 20.0
"""Time for which a flow lasts, at least, that begins later."""
LATE = 0.5
"""Share of a flow's life without a route from which on another remedy alone does not help."""
FEW = 20
"""Segments that a sender has sent that backs off since the start."""


def settled_s(case: Case) -> float | None:
    """Time after which a proactive protocol has routes over the flow's path, s; None for protocols on demand.

    DSDV: a new route waits for twice the settling time at each hop before neighbors learn of it, and updates that are
    lost are repeated after an update period. OLSR: links after three HELLOs, then a TC per hop at most.
    """
    hops, constants = _hops(case), case.data["routing"].get(case.protocol, {})
    if hops is None or case.is_moving:
        return None
    if case.protocol == "dsdv":
        period, settling = float(constants["update_period_s"]), float(constants["settling_time_s"])
        return period + (2.0 * settling + (period if hops > 1 else 0.0)) * (hops - 1)
    if case.protocol == "olsr":
        return HELLOS * float(constants["hello_interval_s"]) + float(constants["tc_interval_s"]) * min(hops - 1, 2)
    return None


def outdated(case: Case) -> Found | None:
    """Nodes move, and a proactive protocol keeps routes over links that are gone."""
    if not case.is_moving or case.protocol not in {"dsdv", "olsr"} or case.share(*FAILED) < MOST:
        return None
    failed = sum(case.drops[reason] for reason in FAILED)
    return Found(
        f"nodes move, and {case.protocol} keeps routes over links that are gone: {failed} of its packets went to "
        f"neighbors that did not answer",
        {"routing.protocol": "aodv"},
    )


def breaking(case: Case) -> Found | None:
    """Nodes move, and routes break faster than a protocol on demand finds new ones."""
    if not case.is_moving or case.is_static or case.share(*FAILED, *NO_ROUTE) < MOST:
        return None
    breaks = 0 if case.run is None else case.run.routing.get("breaks", 0)
    return Found(
        f"nodes move, and routes break ({breaks} in the network) faster than it can send between",
        advice="use a lower mobility.max_speed, more nodes, or a transport that waits for routes, such as elfn or atcp",
    )


def undiscovered(case: Case) -> Found | None:
    """Routing has found no route although there is a path."""
    if case.is_static or case.share(*NO_ROUTE) < MOST:
        return None
    hops = _hops(case)
    there = "" if hops is None else f" although a path of {hops} hops exists"
    dropped = sum(case.drops[reason] for reason in NO_ROUTE)
    return Found(
        f"{case.protocol} found no route{there}: {dropped} packets were dropped without one",
        advice='start it later, or compare with routing.protocol = "static"; hoplab explain has the losses by node',
    )


def _hops(case: Case) -> int | None:
    facts = next((flow for flow in case.scenario.resolve().facts.flows if flow.id == case.number), None)
    return None if facts is None else facts.hops
