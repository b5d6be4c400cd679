"""Routing protocols in the peers: one row each, with names in ns-2.35 and ns-3 and unsupported features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hoplab_validation.peers.resolved import Resolved


@dataclass(frozen=True, slots=True)
class Ns2:
    """A routing protocol in ns-2.35.

    Attributes
    ----------
    agent : str
        Its name in `-adhocRouting`; empty if ns-2 has no such protocol.
    reason : str
        Why only profile `ns2` can be compared; empty if any can.
    extra_bytes : tuple of int and str, optional
        The only value of `routing.extra_bytes`, and why; None if any.
    feedback : str
        Why `routing.link_failure_feedback` must be on; empty if it need not.
    variables : mapping
        Keys of `[routing.NAME]` that are variables of the agent.
    queue : str
        Type of its interface queue.
    """

    agent: str
    reason: str = ""
    extra_bytes: tuple[int, str] | None = None
    feedback: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    queue: str = "Queue/DropTail/PriQueue"


@dataclass(frozen=True, slots=True)
class Ns3:
    """A routing protocol in ns-3.

    Attributes
    ----------
    reason : str
        Why only profile `rfc` can be compared; empty if any can.
    attributes : mapping
        Keys of `[routing.NAME]` that are attributes of the protocol.
    fixed : mapping
        Keys of `[routing.NAME]` with one value only, and why.
    derived : callable
        Attributes that follow from the table, in seconds.
    always : mapping
        Attributes whose defaults differ from what we have.
    is_there : bool
        Whether our program has the protocol.
    others : mapping
        Attributes of other classes, by their full names.
    family : str
        Class of the attributes; empty for `ns3::NAME::RoutingProtocol`.
    knows_addresses : bool
        Whether no node asks for the MAC address of another.
    """

    reason: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, tuple[Any, str]] = field(default_factory=dict)
    derived: Callable[[Mapping[str, Any]], Mapping[str, float]] = lambda _: {}
    always: Mapping[str, Any] = field(default_factory=dict)
    is_there: bool = True
    others: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""
    knows_addresses: bool = False


@dataclass(frozen=True, slots=True)
class Protocol:
    """A routing protocol as the peers have it.

    Attributes
    ----------
    ns2, ns3 : Ns2, Ns3
        Its counterparts.
    is_fixed : bool
        Whether its routes are those of the start.
    """

    ns2: Ns2
    ns3: Ns3
    is_fixed: bool = False


def _aodv_times(table: Mapping[str, Any]) -> Mapping[str, float]:
    """Times that RFC 3561 section 10 derives from others, and ns-3 takes as attributes."""
    across = 2.0 * table["node_traversal_time_s"] * table["network_diameter"]
    return {"NetTraversalTime": across, "PathDiscoveryTime": 2.0 * across}


PROTOCOLS: Mapping[str, Protocol] = {
    "static": Protocol(Ns2("DumbAgent"), Ns3(), is_fixed=True),
    "aodv": Protocol(
        Ns2(
            "AODV",
            reason="its AODV constants are compiled in",
            extra_bytes=(0, "only static routes carry extra bytes"),
            feedback="compiled in for AODV",
        ),
        Ns3(
            reason="its routing has its own rules",
            attributes={
                "hello": "EnableHello",
                "hello_interval_s": "HelloInterval",
                "allowed_hello_loss": "AllowedHelloLoss",
                "active_route_timeout_s": "ActiveRouteTimeout",
                "my_route_timeout_s": "MyRouteTimeout",
                "network_diameter": "NetDiameter",
                "node_traversal_time_s": "NodeTraversalTime",
                "rreq_retries": "RreqRetries",
                "ttl_start": "TtlStart",
                "ttl_increment": "TtlIncrement",
                "ttl_threshold": "TtlThreshold",
                "buffer_limit": "MaxQueueLen",
                "buffer_timeout_s": "MaxQueueTime",
            },
            fixed={"local_repair": (False, "its AODV has none")},
            derived=_aodv_times,
            always={"GratuitousReply": False},
        ),
    ),
    "dsdv": Protocol(
        Ns2(
            "DSDV",
            reason="its DSDV has its own rules",
            extra_bytes=(20, "its DSDV adds them to every packet"),
            variables={
                "settling_time_s": "wst0_",
                "settling_weight": "alpha_",
                "update_period_s": "perup_",
                "use_mac": "use_mac_",
            },
        ),
        Ns3(
            reason="its routing has its own rules",
            attributes={
                "update_period_s": "PeriodicUpdateInterval",
                "settling_time_s": "SettlingTime",
                "buffer_per_destination": "MaxQueuedPacketsPerDst",
            },
        ),
    ),
    "dsr": Protocol(
        Ns2(
            "DSR",
            extra_bytes=(0, "only static routes carry extra bytes"),
            feedback="compiled in for DSR",
            queue="CMUPriQueue",
        ),
        Ns3(is_there=False),
    ),
    "olsr": Protocol(
        Ns2(""),
        Ns3(
            attributes={"hello_interval_s": "HelloInterval", "tc_interval_s": "TcInterval"},
            fixed={
                "jitter_in_interval": (False, "its OLSR delays messages at fixed intervals"),
                "metric": ("hops", "its OLSR has no other"),
                "tc_redundancy": (0, "its OLSR has only links to MPR selectors in TC messages"),
                "use_link_layer_feedback": (False, "its OLSR ignores the MAC"),
                "willingness": (3, "our program leaves it as it is"),
            },
        ),
    ),
    "hwmp": Protocol(
        Ns2(""),
        Ns3(
            attributes={
                "active_path_timeout_s": "Dot11MeshHWMPactivePathTimeout",
                "preq_min_interval_s": "Dot11MeshHWMPpreqMinInterval",
                "perr_min_interval_s": "Dot11MeshHWMPperrMinInterval",
                "net_diameter_traversal_time_s": "Dot11MeshHWMPnetDiameterTraversalTime",
                "max_preq_retries": "Dot11MeshHWMPmaxPREQretries",
                "target_only": "DoFlag",
                "buffer_limit": "MaxQueueSize",
                "ttl": "MaxTtl",
            },
            fixed={
                "metric": ("airtime", "its HWMP has no other"),
                "renew_on_use": (False, "its paths end at their time"),
                "maintenance_interval_s": (0.0, "it requests a path anew once that has ended"),
                "max_jitter_s": (0.0, "it forwards requests at once"),
                "root": (None, "our program has no root"),
                "mesh_bytes": (14, "the headers are compiled in"),
            },
            others={"ns3::dot11s::PeerLink::MaxBeaconLoss": 60_000},
            family="ns3::dot11s::HwmpProtocol",
            knows_addresses=True,
        ),
    ),
}
"""The protocols that peers have, by their names in scenarios."""


def protocol_of(scenario: Resolved) -> Protocol:
    """The routing protocol of a scenario."""
    return PROTOCOLS[name_of(scenario)]


def name_of(scenario: Resolved) -> str:
    """The name of a scenario's routing protocol."""
    return str(scenario.routing["protocol"])


def table_of(scenario: Resolved) -> Mapping[str, Any]:
    """The constants of a scenario's routing protocol, from `[routing.NAME]`."""
    table: Mapping[str, Any] = scenario.routing.get(name_of(scenario), {})
    return table
