"""Agents and applications of a scenario's flows in scripts for ns-2.35."""

from __future__ import annotations

from collections.abc import Iterator

from hoplab_validation.peers.ns2.names import (
    AGENTS,
    LINUX_MODULES,
    LINUX_PARAMETERS,
    TCP_VARIABLES,
    VEGAS_VARIABLES,
    dotted,
    is_linux,
)
from hoplab_validation.peers.resolved import Flow, Resolved, word
from hoplab_validation.peers.routing import protocol_of
from hoplab_validation.peers.unsupported import UnsupportedError

XCP_SINK = "Agent/TCPSink/XCPSink"
"""What XCP has at receivers."""

LINUX_AGENT = "Agent/TCP/Linux"
"""The sender that takes `LINUX_MODULES`."""

VOICE_PACKETS_PER_S = 50.0
"""Of `app = "voip"` while somebody talks."""

NS2_INITIAL_SSTHRESH = 20
"""The default of `window_`."""

AODV_UDP_BYTES = 20
"""What ns-2's AODV adds to a datagram at its source."""


def statements(scenario: Resolved, flow: Flow, shift_s: float) -> Iterator[str]:
    """A flow's agents, its start and stop, and where its window opens; `shift_s` is the scenario's time zero."""
    f = flow.id
    yield f"# flow {f}: {flow.transport} from {flow.src} to {flow.dst}"
    if flow.transport == "udp":
        yield from _udp(scenario, flow)
    else:
        yield from _tcp(scenario, flow)
    kind = "udp" if flow.transport == "udp" else "tcp"
    yield f'$ns at {shift_s + flow.start_s!r} "$app({f}) start"'
    if flow.stop_s is not None:
        yield f'$ns at {shift_s + flow.stop_s!r} "$app({f}) stop"'
    yield f'$ns at {shift_s + scenario.measured_from(flow)!r} "open_{kind} {f}"'


def _udp(scenario: Resolved, flow: Flow) -> Iterator[str]:
    f = flow.id
    # On the way ns-2 adds the bytes of a tunnel, or those of AODV; at the source it adds no header.
    added = scenario.extra_bytes if protocol_of(scenario).is_fixed else AODV_UDP_BYTES
    more = scenario.udp_header - added
    longest = flow.segment if flow.max_datagram is None else min(flow.segment, flow.max_datagram)
    datagrams = -(-flow.segment // longest)
    size = flow.segment + datagrams * more
    if flow.segment - (datagrams - 1) * longest + more < 1:
        raise UnsupportedError("routing.udp_header", scenario.udp_header, f"it adds {added} bytes to datagrams")
    yield f"set udp({f}) [new Agent/UDP]; $udp({f}) set packetSize_ {longest + more}"
    yield f"set sink({f}) [new Agent/LossMonitor]"
    yield f"$ns attach-agent $nd({flow.src}) $udp({f}); $ns attach-agent $nd({flow.dst}) $sink({f})"
    yield f"$ns connect $udp({f}) $sink({f})"
    yield from _app(flow, size, "udp")


def _app(flow: Flow, size: int, agent: str) -> Iterator[str]:
    """The application in packets of `size` bytes, at the rate of the flow's own packets."""
    f = flow.id
    if flow.app == "ftp":
        yield f"set app({f}) [new Application/FTP]; $app({f}) attach-agent ${agent}({f})"
        return
    rate_bps = VOICE_PACKETS_PER_S * 8.0 * flow.segment if flow.app == "voip" else flow.rate_bps or 0.0
    kind = "Exponential" if flow.app == "on_off" else "CBR"
    yield f"set app({f}) [new Application/Traffic/{kind}]; $app({f}) set packetSize_ {size}"
    yield f"$app({f}) set rate_ {rate_bps * size / flow.segment!r}"
    if flow.app == "on_off":
        yield f"$app({f}) set burst_time_ {flow.on_mean_s!r}; $app({f}) set idle_time_ {flow.off_mean_s!r}"
    if flow.is_random:
        yield f"$app({f}) set random_ 1"
    if flow.max_packets is not None:
        yield f"$app({f}) set maxpkts_ {flow.max_packets}"
    yield f"$app({f}) attach-agent ${agent}({f})"


def _tcp(scenario: Resolved, flow: Flow) -> Iterator[str]:
    f, tcp = flow.id, scenario.tcp
    linux = is_linux(scenario)
    agent = LINUX_AGENT if linux else AGENTS[flow.transport]
    sink = "Agent/TCPSink/Sack1" if linux or flow.transport == "sack" else "Agent/TCPSink"
    if flow.transport == "xcp":
        sink = XCP_SINK
    if tcp.get("delayed_ack", False):
        sink += "/DelAck"
    # An agent's initial slow-start threshold is the window it finds when it is created.
    yield f"Agent/TCP set window_ {tcp.get('initial_ssthresh', NS2_INITIAL_SSTHRESH)}"
    yield f"set tcp({f}) [new {agent}]; set sink({f}) [new {sink}]"
    yield f"$tcp({f}) set window_ {flow.window}; $tcp({f}) set packetSize_ {flow.segment}"
    for key, variable in TCP_VARIABLES.items():
        if key in tcp:
            yield f"$tcp({f}) set {variable} {word(tcp[key])}"
    if flow.transport == "xcp":
        yield f"$tcp({f}) set timestamps_ {word(scenario.others['xcp']['timestamps'])}"
    if linux:
        yield from _linux(scenario, flow)
    elif flow.transport == "vegas":
        flat = dotted(tcp)
        for key, variable in VEGAS_VARIABLES.items():
            if key in flat:
                yield f"$tcp({f}) set {variable} {word(flat[key])}"
    if flow.transport == "new_reno" and not linux and "new_reno_variant" in tcp:
        yield f"$tcp({f}) set newreno_changes1_ {int(tcp['new_reno_variant'] == 'impatient')}"
    if sink.startswith("Agent/TCPSink/Sack1") and "sack_blocks" in tcp:
        yield f"$sink({f}) set maxSackBlocks_ {tcp['sack_blocks']}"
    if tcp.get("delayed_ack", False) and "delayed_ack_timeout_s" in tcp:
        yield f"$sink({f}) set interval_ {tcp['delayed_ack_timeout_s']!r}"
    yield f"$ns attach-agent $nd({flow.src}) $tcp({f}); $ns attach-agent $nd({flow.dst}) $sink({f})"
    yield f"$ns connect $tcp({f}) $sink({f})"
    yield from _app(flow, flow.segment, "tcp")


def _linux(scenario: Resolved, flow: Flow) -> Iterator[str]:
    """Timestamps, the module, and its parameters.

    An unknown module is not refused: ns-2 prints "Error" and goes on with another, which `execute` looks for.
    """
    f, module = flow.id, LINUX_MODULES[flow.transport]
    yield f"$tcp({f}) set timestamps_ true; $sink({f}) set ts_echo_rfc1323_ true"
    yield f'$ns at 0.0 "$tcp({f}) select_ca {module}"'
    flat = dotted(scenario.tcp)
    for key, (owner, name, factor) in LINUX_PARAMETERS.items():
        if owner == module and key in flat:
            yield f'$ns at 0.0 "$tcp({f}) set_ca_param {module} {name} {round(factor * flat[key])}"'
