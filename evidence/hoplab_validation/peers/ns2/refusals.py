"""Keys that ns-2.35 does not support, each refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoplab_validation.peers.ns2.names import (
    AGENTS,
    LINUX_MODULES,
    LINUX_PARAMETERS,
    LINUX_PROFILE,
    MAC_VARIABLES,
    TCP_VARIABLES,
    VEGAS_VARIABLES,
    dotted,
    is_linux,
    is_xcp,
)
from hoplab_validation.peers.ns2.nodes import SPOILERS
from hoplab_validation.peers.resolved import Resolved
from hoplab_validation.peers.routing import PROTOCOLS, name_of, protocol_of, table_of
from hoplab_validation.peers.unsupported import UnsupportedError, need, need_one

XCP_TICK_S = 0.01
"""Clock by which its sender measures round trips: `tcpTick_`."""

LINUX_TICK_S = 0.001
"""Tick that the Linux agent gives itself."""

NS2_DATA_OVERHEAD = 34
"""MAC bytes around an IP packet in ns-2.35; compiled in."""

LINUX_FIXED: dict[str, tuple[Any, str]] = {
    "timestamps": (True, "its modules need them"),
    "tick_s": (LINUX_TICK_S, "a jiffy of its modules"),
    "dup_ack_threshold": (3, "compiled in"),
    "congestion.cubic.form": ("linux_2_6_22", "its module is that of Linux 2.6.22"),
    "congestion.westwood_plus.recovery_event": (False, "its module has no event for the end of loss recovery"),
}
"""Keys of `[tcp]` that the Linux agent does not support: their only value, and the reason."""

TCP_HANDLED = {"profile", "delayed_ack", "delayed_ack_timeout_s", "sack_blocks", "initial_ssthresh", "new_reno_variant"}
ROUTING_HANDLED = {"protocol", "profile", "extra_bytes", "udp_header", "link_failure_feedback", *PROTOCOLS}


def refuse(scenario: Resolved, defaults: Resolved | None = None) -> None:
    """Raise `UnsupportedError` for the first key that ns-2 has no counterpart for."""
    mac, radio, tcp = scenario.mac, scenario.radio, scenario.tcp
    _refuse_network(scenario)
    need("mac.profile", mac.profile, "ns2", "its MAC has its own rules only")
    need("radio.rx_model", radio.rx_model, "ns2", "its receiver compares frames in pairs")
    need_one("radio.propagation", radio.propagation, ("two_ray", "free_space", "shadowing"))
    if radio.propagation == "shadowing":
        need("radio.shadowing_coherence", radio.shadowing_coherence, "frame", "each frame draws anew")
    need("mac.coverage_class", mac.coverage_class, 0, "its timeouts are compiled in")
    need("mac.data_overhead", mac.data_overhead, NS2_DATA_OVERHEAD, "the 34 bytes are compiled in")
    need_one("routing.protocol", name_of(scenario), tuple(name for name, peer in PROTOCOLS.items() if peer.ns2.agent))
    if scenario.moves and protocol_of(scenario).is_fixed:
        raise UnsupportedError("routing.protocol", name_of(scenario), "tunnels do not support mobile nodes")
    if any(flow.transport != "udp" for flow in scenario.flows):
        need_one("tcp.profile", tcp["profile"], ("ns2_oneway", LINUX_PROFILE))
        base = None if defaults is None else dotted(defaults.tcp)
        _same("tcp", dotted(tcp), base, TCP_HANDLED | set(TCP_VARIABLES) | _tcp_variables(scenario))
        _refuse_linux(scenario)
    _refuse_routing(scenario, defaults)
    _refuse_xcp(scenario, defaults)
    if defaults is not None:
        _same("", scenario.others, defaults.others, {"xcp"} if is_xcp(scenario) else set())
    _refuse_errors(radio.errors)
    for flow in scenario.flows:
        agents = LINUX_MODULES if is_linux(scenario) else AGENTS
        need_one(f"flow.{flow.id}.transport", flow.transport, ("udp", *agents))
        need_one(f"flow.{flow.id}.app", flow.app, ("ftp", "cbr", "on_off", "voip"))
        need(f"flow.{flow.id}.talk_spurts", flow.talk_spurts, only=False, reason="its bursts begin with silence")
        need(f"flow.{flow.id}.start_spread", flow.start_spread_s, 0.0, "a script has one start for all seeds")
        if flow.app != "cbr":
            need(f"flow.{flow.id}.max_packets", flow.max_packets, None, "only its CBR counts packets")
    for node, parts in scenario.nodes.items():
        if "radios" in parts:
            raise UnsupportedError(f"node.{node}.radios", parts["radios"], "its nodes share one channel")
        for part, keys in parts.items():
            allowed = {"mac": set(MAC_VARIABLES), "queue": {"limit"}, "radio": {"tx_power_w"}}
            for key, value in keys.items() if isinstance(keys, Mapping) else ():
                if key not in allowed.get(part, set()) and value != _usual(scenario, part, key):
                    raise UnsupportedError(f"node.{node}.{part}.{key}", value, "no such variable per node")


def _refuse_errors(errors: Mapping[str, Any]) -> None:
    """Keys that its error models do not support: they are placed between radio and MAC of a receiver."""
    need_one("radio.errors.model", errors["model"], ("none", *SPOILERS))
    if errors["model"] != "none":
        need("radio.errors.scope", errors["scope"], "all", "its error model comes before the MAC")
    if errors["model"] == "gilbert":
        need("radio.errors.per", errors["per"], "receiver", "its error model has one state per receiver")
        need("radio.errors.bad_loss", errors["bad_loss"], 1.0, "every frame of the bad state is spoiled")
        need("radio.errors.good_loss", errors["good_loss"], 0.0, "no frame of the good state is spoiled")


def _refuse_network(scenario: Resolved) -> None:
    """Raise for managed queues and wires."""
    for key, value in scenario.others.items():
        if key.startswith("queue."):
            raise UnsupportedError(key, value, "only drop-tail queues are exported")
    if scenario.others.get("wires"):
        raise UnsupportedError("wire", "[[wire]]", "wires are not exported")


def _refuse_xcp(scenario: Resolved, defaults: Resolved | None) -> None:
    """Keys that its XCP does not support: nodes hold other traffic in queues of its own."""
    if not is_xcp(scenario):
        return
    for flow in scenario.flows:
        need(f"flow.{flow.id}.transport", flow.transport, "xcp", "other traffic has queues of its own beside XCP")
    if protocol_of(scenario).is_fixed:
        name = name_of(scenario)
        raise UnsupportedError("routing.protocol", name, "its XCP ends with an error on packets in tunnels")
    xcp = scenario.others.get("xcp", {})
    need("xcp.tick", xcp.get("tick_s"), XCP_TICK_S, "its sender's clock ticks")
    if defaults is not None:
        _same("xcp", xcp, defaults.others.get("xcp"), {"tick_s", "timestamps"})
    for node, parts in scenario.nodes.items():
        for key in ("feedback_router", "queue"):
            need(f"node.{node}.{key}", parts.get(key), None, "all nodes have the same XCP")


def _refuse_routing(scenario: Resolved, defaults: Resolved | None) -> None:
    """Keys that its routing agents do not support."""
    routing, peer = scenario.routing, protocol_of(scenario).ns2
    if peer.reason:
        need("routing.profile", routing.get("profile", "ns2"), "ns2", peer.reason)
    if peer.feedback:
        feedback = routing.get("link_failure_feedback", True)
        need("routing.link_failure_feedback", feedback, only=True, reason=peer.feedback)
    if peer.extra_bytes is None:
        return
    only, reason = peer.extra_bytes
    need("routing.extra_bytes", scenario.extra_bytes, only, reason)
    if defaults is not None:
        _same("routing", routing, defaults.routing, ROUTING_HANDLED)
        _same(f"routing.{name_of(scenario)}", table_of(scenario), table_of(defaults), set(peer.variables))


def _tcp_variables(scenario: Resolved) -> set[str]:
    """Keys of `[tcp]` that only some agents have."""
    return {*LINUX_FIXED, *LINUX_PARAMETERS} if is_linux(scenario) else set(VEGAS_VARIABLES)


def _refuse_linux(scenario: Resolved) -> None:
    """Keys that the Linux agent does not support."""
    if not is_linux(scenario):
        return
    flat = dotted(scenario.tcp)
    for key, (only, reason) in LINUX_FIXED.items():
        if key in flat:
            need(f"tcp.{key}", flat[key], only, reason)


def _usual(scenario: Resolved, part: str, key: str) -> object:
    if part == "queue":
        return scenario.queue_limit if key == "limit" else None
    return getattr(scenario.mac if part == "mac" else scenario.radio, key, None)


def _same(table: str, ours: Mapping[str, Any], base: Mapping[str, Any] | None, handled: set[str]) -> None:
    if base is None:
        return
    for key, value in ours.items():
        if key not in handled and value != base.get(key):
            name = f"{table}.{key}" if table else key
            raise UnsupportedError(name, value, f"no such variable; the default is {base.get(key)}")
