"""Writes a resolved scenario as a description for `data/ns3_peer.cc`, our program on top of ns-3.37.

Features that ns-3 does not support are refused by name (`UnsupportedError`), never approximated silently. `counterpart`
sets the keys for which ns-3 has one value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import Trajectory, stationary
from hoplab_validation.peers import paths
from hoplab_validation.peers.ns3.controls import CONTROLS
from hoplab_validation.peers.resolved import Flow, Resolved, word
from hoplab_validation.peers.routing import PROTOCOLS, name_of, protocol_of, table_of
from hoplab_validation.peers.unsupported import UnsupportedError, need, need_one

PEER = "ns-3.37"
_need, _need_one = partial(need, peer=PEER), partial(need_one, peer=PEER, says="our program has only")

DSSS_WIDTH_HZ = 22e6
"""Width of a channel of 802.11b, compiled in."""

MAC_BYTES = 36
"""MAC header, check sum and LLC around an IP packet, compiled in."""

UDP_BYTES = 28
"""IP and UDP headers, compiled in."""

LEAST_NOISE_SHARE = 0.1
"""Part of the thermal noise from which on a frame counts, as in the engine's receiver (`phy/reception/sinr.rs`)."""

THERMAL_W_PER_HZ = 1.380649e-23 * 290.0

TRANSPORTS = {
    "udp": "udp",
    "new_reno": "tcp",
    "sack": "sack",
    "cubic": "sack",
    "bic": "sack",
    "veno": "sack",
}
"""Our names, and the words of the description."""

TCP_NUMBERS = {
    "delayed_ack": "delayed_ack",
    "delayed_ack_timeout_s": "delayed_ack_timeout",
    "min_rto_s": "min_rto",
    "initial_rto_s": "initial_rto",
    "tick_s": "tick",
    "limited_transmit": "limited_transmit",
}
"""Keys of `[tcp]` that ns-3 supports."""

TCP_FIXED: Mapping[str, Any] = {"profile": "rfc", "timestamps": False, "header": 40, "dup_ack_threshold": 3}
"""Keys of `[tcp]` with one value only."""

OFF = "radio_off_s"
"""Key of a node whose radio is switched off and on."""

RADIOS = "radios"
"""Key of a node with the channels of its radios."""

RFC_5681_SIZES = ((2190, 2), (1095, 3), (0, 4))
"""Initial window in segments of more than so many bytes, RFC 5681 section 3.1."""


def counterpart(scenario: Scenario) -> Scenario:
    """A scenario with the keys set that ns-3 has one value for.

    Profile `std`, one rate for all frames, a receiver that aborts undecodable frames, no delay between network and
    MAC, and no local repair.
    """
    routing = scenario.resolve().data["routing"]["protocol"]
    plain = scenario.with_({"profile": "std"})
    rate = plain.resolve().data["mac"]["data_rate_bps"]
    changes: dict[str, object] = {
        "mac.basic_rate": f"{rate / 1e6:g} Mb/s",
        "radio.sinr.abort_on_header_error": True,
        "link.delay": "0 s",
    }
    if routing in PROTOCOLS:
        for key, (only, _) in PROTOCOLS[routing].ns3.fixed.items():
            if only is not None:
                name, is_time = key.removesuffix("_s"), key.endswith("_s")
                changes[f"routing.{routing}.{name}"] = f"{only:g} s" if is_time else only
    return plain.with_(changes)


def description(
    scenario: Resolved,
    *,
    trajectories: Sequence[Trajectory] | None = None,
    mark_s: float | None = None,
    stock: bool = False,
    samples_s: Sequence[float] = (),
) -> str:
    """The statements of a scenario.

    Parameters
    ----------
    trajectories : sequence of Trajectory, optional
        Trajectories of this run; by default the positions of the scenario.
    mark_s : float, optional
        When frames and CPU time are printed for the first time; by default after the warm-up.
    stock : bool
        Leave ns-3's rules of retries and backoff as they are.
    samples_s : sequence of float
        Times at which tables of OLSR are printed.

    Raises
    ------
    UnsupportedError
        Naming the first key that ns-3 has no counterpart for.
    """
    refuse(scenario)
    chosen = stationary(scenario.positions) if trajectories is None else tuple(trajectories)
    lines = [
        f"# {' '.join(scenario.name.split())}: written by `hoplab crosscheck ns3` for ns-3.37",
        *_settings(scenario, scenario.warmup_s if mark_s is None else mark_s, stock=stock),
        *_routing(scenario),
        *_nodes(chosen, scenario.duration_s),
        *_radios(scenario),
        *_links(scenario),
        *_switched(scenario),
        *(f"sample {time_s!r}" for time_s in samples_s),
        *(_flow(scenario, flow) for flow in scenario.flows),
    ]
    return "\n".join(lines) + "\n"


def refuse(scenario: Resolved) -> None:
    """Raise `UnsupportedError` for the first key that ns-3 has no counterpart for."""
    mac, radio = scenario.mac, scenario.radio
    for key, value in scenario.others.items():
        if key.startswith("queue."):
            raise UnsupportedError(key, value, "only drop-tail queues are exported", peer=PEER)
    if scenario.others.get("wires"):
        raise UnsupportedError("wire", "[[wire]]", "wires are not exported", peer=PEER)
    _need("mac.profile", mac.profile, "std", "its MAC is that of the standard")
    _need("radio.rx_model", radio.rx_model, "sinr", "its receiver adds interference up")
    _need("mac.coverage_class", mac.coverage_class, 0, "our program leaves its slots as they are")
    _need("mac.data_overhead", mac.data_overhead, MAC_BYTES, "the 36 bytes are compiled in")
    _need("mac.preamble", mac.preamble, "long", "ns-3 stations agree on the long one")
    _need("mac.basic_rate", mac.basic_rate_bps, mac.data_rate_bps, "it sends ACKs at the rate of their data")
    _need("link.delay", scenario.link_delay_s, 0.0, "it has no such delay")
    _need("radio.bandwidth", radio.bandwidth_hz, DSSS_WIDTH_HZ, "the width of a channel is compiled in")
    _need("radio.sinr.reception", radio.sinr.get("reception"), "ber_curves", "frame errors are random")
    _need(
        "radio.sinr.frame_capture",
        radio.sinr.get("frame_capture"),
        only=False,
        reason="its capture has rules of its own",
    )
    abort = radio.sinr.get("abort_on_header_error")
    _need("radio.sinr.abort_on_header_error", abort, only=True, reason="it aborts a frame without a header")
    _need_one("radio.propagation", radio.propagation, ("two_ray", "free_space"))
    _need_one("radio.errors.model", radio.errors["model"], ("none", "uniform_packet"))
    if radio.errors["model"] != "none":
        _need("radio.errors.scope", radio.errors["scope"], "all", "its error model does not know kinds of frames")
    _refuse_routing(scenario)
    for node, parts in scenario.nodes.items():
        for part, value in parts.items():
            if part == OFF or (part == RADIOS and name_of(scenario) == "olsr"):
                continue
            raise UnsupportedError(f"node.{node}.{part}", value, "per-node values are not supported", peer=PEER)
    _refuse_radios(scenario)
    _refuse_flows(scenario)


def _refuse_radios(scenario: Resolved) -> None:
    """Keys that our program does not combine with several channels."""
    if not any(RADIOS in parts for parts in scenario.nodes.values()):
        return
    _need("link.arp", scenario.arp, only=True, reason="with several channels it fills no ARP caches")
    for node in range(len(scenario.positions)):
        parts = scenario.nodes.get(node, {})
        _need(f"node.{node}.radio_off", parts.get(OFF), only=None, reason="it switches no node with several radios")
        if RADIOS not in parts:
            raise UnsupportedError(f"node.{node}.radios", "", "either all nodes have lists or none", peer=PEER)


def _refuse_routing(scenario: Resolved) -> None:
    name = name_of(scenario)
    _need_one("routing.protocol", name, tuple(name for name, peer in PROTOCOLS.items() if peer.ns3.is_there))
    protocol = protocol_of(scenario)
    if scenario.moves and protocol.is_fixed:
        raise UnsupportedError("routing.protocol", name, "its routes do not support mobile nodes", peer=PEER)
    _need("routing.extra_bytes", scenario.extra_bytes, 0, "nothing adds bytes to packets")
    _need("routing.udp_header", scenario.udp_header, UDP_BYTES, "the headers are compiled in")
    if protocol.ns3.reason:
        _need("routing.profile", scenario.routing.get("profile"), "rfc", protocol.ns3.reason)
    for key, (only, reason) in protocol.ns3.fixed.items():
        _need(f"routing.{name}.{key}", table_of(scenario).get(key), only=only, reason=reason)


def _refuse_flows(scenario: Resolved) -> None:
    tcp = [flow for flow in scenario.flows if flow.transport != "udp"]
    for flow in scenario.flows:
        name = f"flow.{flow.id}"
        _need_one(f"{name}.transport", flow.transport, tuple(TRANSPORTS))
        _need(f"{name}.app", flow.app, "cbr" if flow.transport == "udp" else "ftp", "no other in our program")
        _need(f"{name}.random", flow.is_random, only=False, reason="its datagrams are evenly spaced")
        _need(f"{name}.max_packets", flow.max_packets, None, "no other in our program")
        _need(f"{name}.max_datagram", flow.max_datagram, None, "its datagrams are not split")
        _need(f"{name}.start_spread", flow.start_spread_s, 0.0, "a description has one start for all seeds")
    for flow in tcp[:1]:
        if flow.transport in CONTROLS:
            _refuse_control(scenario, flow)
    for flow in tcp[1:]:
        for key in ("transport", "segment", "window"):
            only = getattr(tcp[0], key)
            _need(f"flow.{flow.id}.{key}", getattr(flow, key), only, "all TCP flows are alike in our program")
    if tcp:
        for key, only in TCP_FIXED.items():
            _need(f"tcp.{key}", scenario.tcp.get(key), only, "compiled in")


def _refuse_control(scenario: Resolved, flow: Flow) -> None:
    """Keys that a congestion control of ns-3 does not support."""
    table = scenario.tcp["congestion"][flow.transport]
    for key, (only, reason) in CONTROLS[flow.transport].fixed.items():
        _need(f"tcp.congestion.{flow.transport}.{key}", table.get(key), only, reason)


def _settings(scenario: Resolved, mark_s: float, *, stock: bool) -> Iterator[str]:
    radio, mac, tcp = scenario.radio, scenario.mac, scenario.tcp
    noise_w = THERMAL_W_PER_HZ * radio.bandwidth_hz * 10.0 ** (radio.noise_figure_db / 10.0)
    rate = radio.errors["frame_error_rate"] if radio.errors["model"] == "uniform_packet" else 0.0
    numbers: dict[str, float] = {
        "duration": scenario.duration_s,
        "mark": mark_s,
        "frequency": radio.frequency_hz,
        "height": radio.antenna_height_m,
        "tx_power": radio.tx_power_w,
        "tx_gain_db": 10.0 * math.log10(radio.tx_gain),
        "rx_gain_db": 10.0 * math.log10(radio.rx_gain),
        "system_loss": radio.system_loss,
        "rx_threshold": radio.rx_threshold_w * paths.GRACE,
        "cs_threshold": radio.cs_threshold_w * paths.GRACE,
        "least_power": min(LEAST_NOISE_SHARE * noise_w, radio.cs_threshold_w),
        "noise_figure_db": radio.noise_figure_db,
        "preamble_db": float(radio.sinr["preamble_db"]),
        "rate": mac.data_rate_bps,
        "rts_threshold": mac.rts_threshold,
        "ssrl": mac.ssrl,
        "slrl": mac.slrl,
        "cw_min": mac.cw_min,
        "cw_max": mac.cw_max,
        "queue_limit": scenario.queue_limit,
        "arp": int(scenario.arp and not protocol_of(scenario).ns3.knows_addresses),
        "stock": int(stock),
        "frame_error_rate": float(rate),
    }
    yield f"propagation {radio.propagation}"
    yield from (f"{name} {value!r}" for name, value in numbers.items())
    if any(flow.transport != "udp" for flow in scenario.flows):
        segment = next(flow.segment for flow in scenario.flows if flow.transport != "udp")
        usual = next(count for least, count in RFC_5681_SIZES if segment > least)
        yield f"initial_window {tcp.get('initial_window') or usual}"
        yield from (f"{name} {word(tcp[key])}" for key, name in TCP_NUMBERS.items())
        yield from _control(scenario)


def _control(scenario: Resolved) -> Iterator[str]:
    """The congestion control, where it is another than that of RFC 5681 and 6582, and its attributes."""
    transport = next(flow.transport for flow in scenario.flows if flow.transport != "udp")
    control = CONTROLS.get(transport)
    if control is None:
        return
    table = scenario.tcp["congestion"][transport]
    yield f"congestion {control.name}"
    for attribute, value in {**control.always, **{a: table[key] for key, a in control.attributes.items()}}.items():
        number = round(value) if attribute in control.whole else value
        yield f"set ns3::{control.name}::{attribute} {word(number)}"


def _routing(scenario: Resolved) -> Iterator[str]:
    name, peer, table = name_of(scenario), protocol_of(scenario).ns3, table_of(scenario)
    yield f"routing {name}"
    attribute = f"set {peer.family or f'ns3::{name}::RoutingProtocol'}::"
    for key, of_peer in peer.attributes.items():
        if key in table:
            unit = "s" if key.endswith("_s") else ""
            yield f"{attribute}{of_peer} {word(table[key])}{unit}"
    for of_peer, time_s in peer.derived(table).items():
        yield f"{attribute}{of_peer} {time_s!r}s"
    for of_peer, value in peer.always.items():
        yield f"{attribute}{of_peer} {word(value)}"
    for full_name, value in peer.others.items():
        yield f"set {full_name} {word(value)}"
    if name == "aodv":
        yield f"feedback {word(scenario.routing.get('link_failure_feedback', True))}"


def _nodes(trajectories: Sequence[Trajectory], end_s: float) -> Iterator[str]:
    for trajectory in trajectories:
        yield f"node {trajectory.start[0]!r} {trajectory.start[1]!r}"
    legs = [
        (leg.begin_s, node, leg)
        for node, trajectory in enumerate(trajectories)
        for leg in trajectory.legs
        if leg.begin_s <= end_s
    ]
    for begin_s, node, leg in sorted(legs, key=lambda item: item[:2]):
        yield f"move {node} {begin_s!r} {leg.end_s!r} {leg.end[0]!r} {leg.end[1]!r}"


def _radios(scenario: Resolved) -> Iterator[str]:
    """Channels of nodes that have a list of them."""
    for node, parts in sorted(scenario.nodes.items()):
        yield from (f"radio {node} {radio['channel']}" for radio in parts.get(RADIOS, ()))


def _links(scenario: Resolved) -> Iterator[str]:
    """Static routes, and who knows whose address without ARP."""
    hops: set[tuple[int, int, int]] = set()
    if protocol_of(scenario).is_fixed:
        hops, _ = paths.static_hops(scenario)
        yield from (f"hop {node} {dst} {following}" for node, dst, following in sorted(hops))
    if protocol_of(scenario).ns3.knows_addresses:
        nodes = range(len(scenario.positions))
        yield from (f"known {i} {j}" for i in nodes for j in nodes if i != j)
    elif not scenario.arp:
        known = {(i, j) for i, _, j in hops}
        if not hops:
            known = {(i, j) for i, ends in enumerate(paths.neighbors(scenario)) for j in ends}
        yield from (f"known {i} {j}" for i, j in sorted(known | {(j, i) for i, j in known}))


def _switched(scenario: Resolved) -> Iterator[str]:
    """Times at which radios are off."""
    for node, parts in sorted(scenario.nodes.items()):
        yield from (f"off {node} {begin!r} {end!r}" for begin, end in parts.get(OFF, ()))


def _flow(scenario: Resolved, flow: Flow) -> str:
    stop_s = scenario.duration_s if flow.stop_s is None else flow.stop_s
    numbers = (flow.start_s, stop_s, flow.rate_bps or 0.0, scenario.measured_from(flow))
    words = [flow.id, flow.src, flow.dst, TRANSPORTS[flow.transport], flow.segment, flow.window, *map(repr, numbers)]
    return f"flow {' '.join(map(str, words))}"
