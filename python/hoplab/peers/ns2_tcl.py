"""Writes a resolved scenario as a script for ns-2.35.

What ns-2 cannot express is refused by name (`InexpressibleError`), never approximated in silence.
Static routes are tunnels from hop to hop (see `data/prologue.tcl`): exact in size, with ARP, and
without the 20 bytes and the settling time of the usual frozen DSDV. Nodes that move are told so by the very
legs that the engine uses (`ns2_moves.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from hoplab.movements import Way, standing
from hoplab.peers import ns2_moves, paths
from hoplab.peers.inexpressible import InexpressibleError, need, need_one
from hoplab.peers.ns2_moves import Ground
from hoplab.peers.resolved import Flow, Resolved, word

AGENTS = {
    "tahoe": "Agent/TCP",
    "reno": "Agent/TCP/Reno",
    "new_reno": "Agent/TCP/Newreno",
    "sack": "Agent/TCP/Sack1",
    "vegas": "Agent/TCP/Vegas",
    "xcp": "Agent/TCP/Reno/XCP",
}
"""One-way TCP agents of ns-2.35 by our transport names."""

XCP_SINK, XCP_QUEUE = "Agent/TCPSink/XCPSink", "Queue/XCP"
"""What XCP has at receivers and nodes; its queue takes the capacity from the link layer, whose default is none."""

XCP_TICK_S = 0.01
"""Clock by which its sender measures round trips: `tcpTick_`."""

LINUX_AGENT = "Agent/TCP/Linux"
LINUX_PROFILE = "ns2_linux"

LINUX_MODULES = {
    "reno": "reno",
    "new_reno": "reno",
    "sack": "reno",
    "vegas": "vegas",
    "veno": "veno",
    "westwood_plus": "westwood",
    "bic": "bic",
    "cubic": "cubic",
    "compound": "compound",
}
"""Modules of its Linux agent, under `tcp.profile = "ns2_linux"`."""

LINUX_TICK_S = 0.001
"""Tick that the Linux agent gives itself."""

LONG_PREAMBLE_BITS = 144
HEADER_BITS = 48
SHORT_PREAMBLE_BITS = 48
"""With a 48-bit header at 1 Mb/s: 96 us, the air time of the short preamble and its 2 Mb/s header."""

NS2_DATA_OVERHEAD = 34
"""MAC bytes around an IP packet in ns-2.35; compiled in."""

VOICE_PACKETS_PER_S = 50.0
"""Of `app = "voip"` while somebody talks."""

NS2_INITIAL_SSTHRESH = 20
"""The default of `window_`."""

FREE_SPACE_HEIGHT_M = 1000.0
"""Antennas so high that two-ray ground is Friis up to thousands of kilometres; ns-2's own FreeSpace prints a
line for every frame and receiver."""

NUDGE_EVERY_S = 0.02
"""Spacing of the packets that resolve addresses before a run without ARP."""

MAC_VARIABLES = {
    "data_rate_bps": "dataRate_",
    "basic_rate_bps": "basicRate_",
    "ssrl": "ShortRetryLimit_",
    "slrl": "LongRetryLimit_",
    "cw_min": "CWMin_",
    "cw_max": "CWMax_",
    "rts_threshold": "RTSThreshold_",
}
"""Keys of `[mac]` that ns-2 can set, also per node."""

TCP_VARIABLES = {
    "min_rto_s": "minrto_",
    "max_rto_s": "maxrto_",
    "initial_rto_s": "rtxcur_init_",
    "tick_s": "tcpTick_",
    "initial_window": "windowInit_",
    "limited_transmit": "singledup_",
    "dup_ack_threshold": "numdupacks_",
}
"""Keys of `[tcp]` that are variables of ns-2's agents."""

VEGAS_VARIABLES = {
    "congestion.vegas.alpha": "v_alpha_",
    "congestion.vegas.beta": "v_beta_",
    "congestion.vegas.gamma": "v_gamma_",
}
"""Keys of `[tcp]` that are variables of ns-2's Vegas."""

LINUX_PARAMETERS = {
    "congestion.linux_vegas.alpha": ("vegas", "alpha", 2.0),
    "congestion.linux_vegas.beta": ("vegas", "beta", 2.0),
    "congestion.linux_vegas.gamma": ("vegas", "gamma", 2.0),
    "congestion.bic.low_window": ("bic", "low_window", 1.0),
    "congestion.bic.max_increment": ("bic", "max_increment", 1.0),
    "congestion.bic.smooth_part": ("bic", "smooth_part", 1.0),
    "congestion.bic.fast_convergence": ("bic", "fast_convergence", 1.0),
    "congestion.cubic.fast_convergence": ("cubic", "fast_convergence", 1.0),
    "congestion.cubic.friendly": ("cubic", "tcp_friendliness", 1.0),
}
"""Keys of `[tcp]` that are parameters of Linux modules: module, name, and the factor between ours and theirs."""

LINUX_FIXED: dict[str, tuple[Any, str]] = {
    "timestamps": (True, "its modules need them"),
    "tick_s": (LINUX_TICK_S, "a jiffy of its modules"),
    "dup_ack_threshold": (3, "compiled in"),
    "congestion.cubic.form": ("linux_2_6_22", "its module is that of Linux 2.6.22"),
    "congestion.westwood_plus.recovery_event": (False, "its module is not told of the end of a repair"),
}
"""Keys of `[tcp]` that the Linux agent cannot be told: their only value, and why."""

TCP_HANDLED = {"profile", "delayed_ack", "delayed_ack_timeout_s", "sack_blocks", "initial_ssthresh", "new_reno_variant"}
ROUTING_HANDLED = {"protocol", "profile", "extra_bytes", "udp_header", "link_failure_feedback"}

DSDV_BYTES = 20
"""What ns-2's DSDV adds to every packet."""

DSDV_VARIABLES = {"settling_time_s": "wst0_", "settling_weight": "alpha_", "update_period_s": "perup_"}
"""Keys of `[routing]` that are variables of ns-2's DSDV."""

ENDLESS_ENERGY = " -energyModel EnergyModel -initialEnergy 1e9 -rxPower 1e-9 -txPower 1e-9 -idlePower 0.0"
"""An account of energy that never runs out: without one, NodeOff of a radio changes nothing."""

DROPS_PIPE = '"|grep ^D > drops.$seed.txt"'
"""Where lines about dropped packets go, among all that ns-2 traces."""

AODV_UDP_BYTES = 20
"""What ns-2's AODV adds to a datagram at its source."""


def script(
    scenario: Resolved,
    defaults: Resolved | None = None,
    *,
    ways: Sequence[Way] | None = None,
    count_drops: bool = False,
) -> str:
    """The Tcl script of a scenario; run it as `ns FILE SEED`.

    Parameters
    ----------
    defaults : Resolved, optional
        A scenario in which `[tcp]` and `[routing]` are untouched. Keys that ns-2 has no variable
        for are refused when they differ from it.
    ways : sequence of Way, optional
        How the nodes move in this run; by default they stand where the scenario says.
    count_drops : bool
        Have ns-2 write a line per dropped packet; `ns2_run` counts them.

    Raises
    ------
    InexpressibleError
        Naming the first key that ns-2 has no counterpart for.
    """
    refuse(scenario, defaults)
    chosen = standing(scenario.positions) if ways is None else tuple(ways)
    if ways is None and scenario.moves:
        raise InexpressibleError("mobility.kind", scenario.mobility.get("kind"), "the script needs the ways of one run")
    ground = ns2_moves.ground_of(chosen)
    lead = _lead_in(scenario)
    switched = "\n".join(_switching(scenario, lead.shift_s))
    parts = [
        _header(scenario),
        resources.files("hoplab.peers").joinpath("data/prologue.tcl").read_text(encoding="utf-8"),
        "\n".join(_settings(scenario)),
        "\n".join(_nodes(scenario, chosen, ground, count_drops=count_drops)),
        "\n".join(_routes(scenario)),
        "\n".join(lead.lines),
        "\n".join(ns2_moves.statements(chosen, ground, lead.shift_s, scenario.duration_s)),
        switched,
        "\n".join(line for flow in scenario.flows for line in _flow(scenario, flow, lead.shift_s)),
        "\n".join(_end(scenario, lead.shift_s)),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def refuse(scenario: Resolved, defaults: Resolved | None = None) -> None:
    """Raise `InexpressibleError` for the first key that ns-2 has no counterpart for."""
    mac, radio, tcp = scenario.mac, scenario.radio, scenario.tcp
    need("mac.profile", mac.profile, "ns2", "its MAC has its own rules only")
    need("radio.rx_model", radio.rx_model, "ns2", "its receiver compares frames in pairs")
    need_one("radio.propagation", radio.propagation, ("two_ray", "free_space", "shadowing"))
    if radio.propagation == "shadowing":
        need("radio.shadowing_coherence", radio.shadowing_coherence, "frame", "each frame draws anew")
    need("mac.data_overhead", mac.data_overhead, NS2_DATA_OVERHEAD, "the 34 bytes are compiled in")
    need_one("routing.protocol", scenario.routing["protocol"], ("static", "aodv", "dsdv"))
    if scenario.moves and scenario.routing["protocol"] == "static":
        raise InexpressibleError("routing.protocol", "static", "tunnels do not follow nodes that move")
    if any(flow.transport != "udp" for flow in scenario.flows):
        need_one("tcp.profile", tcp["profile"], ("ns2_oneway", LINUX_PROFILE))
        base = None if defaults is None else _flat(defaults.tcp)
        _same("tcp", _flat(tcp), base, TCP_HANDLED | set(TCP_VARIABLES) | _tcp_variables(scenario))
        _refuse_linux(scenario)
    _refuse_routing(scenario, defaults)
    _refuse_xcp(scenario, defaults)
    if defaults is not None:
        _same("", scenario.others, defaults.others, {"xcp"} if _is_xcp(scenario) else set())
    need_one("radio.errors.model", radio.errors["model"], ("none", "uniform_packet"))
    if radio.errors["model"] != "none":
        need("radio.errors.scope", radio.errors["scope"], "all", "its error model comes before the MAC")
    for flow in scenario.flows:
        agents = LINUX_MODULES if _is_linux(scenario) else AGENTS
        need_one(f"flow.{flow.id}.transport", flow.transport, ("udp", *agents))
        need_one(f"flow.{flow.id}.app", flow.app, ("ftp", "cbr", "on_off", "voip"))
        need(f"flow.{flow.id}.talk_spurts", flow.talk_spurts, only=False, reason="its bursts begin with silence")
        need(f"flow.{flow.id}.start_spread", flow.start_spread_s, 0.0, "a script has one start for all seeds")
        if flow.app != "cbr":
            need(f"flow.{flow.id}.max_packets", flow.max_packets, None, "only its CBR counts packets")
    for node, parts in scenario.nodes.items():
        for part, keys in parts.items():
            allowed = {"mac": set(MAC_VARIABLES), "queue": {"limit"}, "radio": {"tx_power_w"}}
            for key, value in keys.items() if isinstance(keys, Mapping) else ():
                if key not in allowed.get(part, set()) and value != _usual(scenario, part, key):
                    raise InexpressibleError(f"node.{node}.{part}.{key}", value, "no such variable per node")


def _is_xcp(scenario: Resolved) -> bool:
    return any(flow.transport == "xcp" for flow in scenario.flows)


def _refuse_xcp(scenario: Resolved, defaults: Resolved | None) -> None:
    """What its XCP cannot be told: nodes keep other traffic in queues of its own."""
    if not _is_xcp(scenario):
        return
    for flow in scenario.flows:
        need(f"flow.{flow.id}.transport", flow.transport, "xcp", "other traffic has queues of its own beside XCP")
    if scenario.routing["protocol"] == "static":
        raise InexpressibleError("routing.protocol", "static", "its XCP ends with an error on packets in tunnels")
    xcp = scenario.others.get("xcp", {})
    need("xcp.tick", xcp.get("tick_s"), XCP_TICK_S, "its sender's clock ticks")
    if defaults is not None:
        _same("xcp", xcp, defaults.others.get("xcp"), {"tick_s"})
    for node, parts in scenario.nodes.items():
        for key in ("assist", "queue"):
            need(f"node.{node}.{key}", parts.get(key), None, "all nodes have the same XCP")


def _refuse_routing(scenario: Resolved, defaults: Resolved | None) -> None:
    """What its routing agents cannot be told."""
    routing = scenario.routing
    if routing["protocol"] == "aodv":
        need("routing.profile", routing.get("profile", "ns2"), "ns2", "its AODV constants are compiled in")
        feedback = routing.get("link_failure_feedback", True)
        need("routing.link_failure_feedback", feedback, only=True, reason="compiled in for AODV")
        need("routing.extra_bytes", scenario.extra_bytes, 0, "only static routes carry extra bytes")
        _same("routing", routing, None if defaults is None else defaults.routing, ROUTING_HANDLED)
    if routing["protocol"] == "dsdv":
        need("routing.profile", routing.get("profile", "ns2"), "ns2", "its DSDV has its own rules")
        need("routing.extra_bytes", scenario.extra_bytes, DSDV_BYTES, "its DSDV adds them to every packet")
        handled = ROUTING_HANDLED | set(DSDV_VARIABLES) | {"dsdv_use_mac"}
        _same("routing", routing, None if defaults is None else defaults.routing, handled)


def _is_linux(scenario: Resolved) -> bool:
    return bool(scenario.tcp.get("profile") == LINUX_PROFILE)


def _tcp_variables(scenario: Resolved) -> set[str]:
    """Keys of `[tcp]` that only some agents have."""
    return {*LINUX_FIXED, *LINUX_PARAMETERS} if _is_linux(scenario) else set(VEGAS_VARIABLES)


def _refuse_linux(scenario: Resolved) -> None:
    """What the Linux agent cannot be told."""
    if not _is_linux(scenario):
        return
    flat = _flat(scenario.tcp)
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
            raise InexpressibleError(name, value, f"no variable for it; the default is {base.get(key)}")


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A table with the keys of its tables written with dots."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat


def _header(scenario: Resolved) -> str:
    name = " ".join(scenario.name.split())
    return f"# {name}: written by `hoplab oracle ns2` for ns-2.35 (Debian package ns2)"


def _settings(scenario: Resolved) -> Iterator[str]:
    radio, mac = scenario.radio, scenario.mac
    yield "# radio and MAC"
    for variable, value in (
        ("Pt_", radio.tx_power_w),
        ("freq_", radio.frequency_hz),
        ("L_", radio.system_loss),
        ("RXThresh_", radio.rx_threshold_w * paths.GRACE),
        ("CSThresh_", radio.cs_threshold_w * paths.GRACE),
        ("CPThresh_", radio.capture_ratio),
    ):
        yield f"Phy/WirelessPhy set {variable} {value!r}"
    if radio.propagation == "shadowing":
        # The stream of the losses is reseeded: otherwise all runs would have the same ones.
        yield "set prop [new Propagation/Shadowing]"
        yield f"$prop set pathlossExp_ {radio.path_loss_exponent!r}; $prop set std_db_ {radio.shadowing_deviation_db!r}"
        yield f"$prop set dist0_ {radio.reference_distance_m!r}"
        yield "$prop seed raw $seed"
    height_m = FREE_SPACE_HEIGHT_M if radio.propagation == "free_space" else radio.antenna_height_m
    yield f"Antenna/OmniAntenna set Z_ {height_m!r}"
    yield f"Antenna/OmniAntenna set Gt_ {radio.tx_gain!r}"
    yield f"Antenna/OmniAntenna set Gr_ {radio.rx_gain!r}"
    for key, variable in MAC_VARIABLES.items():
        yield f"Mac/802_11 set {variable} {_mac_value(scenario, key, getattr(mac, key))}"
    bits = LONG_PREAMBLE_BITS if mac.preamble == "long" else SHORT_PREAMBLE_BITS
    yield f"Mac/802_11 set PreambleLength_ {bits}"
    yield f"Mac/802_11 set PLCPHeaderLength_ {HEADER_BITS}"
    yield "Mac/802_11 set PLCPDataRate_ 1.0e6"
    yield f"LL set delay_ {scenario.link_delay_s!r}"
    if _is_xcp(scenario):
        yield f"LL set bandwidth_ {mac.data_rate_bps!r}"
    yield f"set extra {scenario.extra_bytes}"


def _mac_value(scenario: Resolved, key: str, value: Any) -> str:
    if key != "rts_threshold":
        return repr(value)
    # ns-2 compares the packet with its MAC header and its PLCP counted as bytes: 34 + 24, or
    # 34 + 12 in our rendering of the short preamble; the scenario's threshold always means + 58.
    missing = 0 if scenario.mac.preamble == "long" else (LONG_PREAMBLE_BITS - SHORT_PREAMBLE_BITS) // 8
    return str(max(0, int(value) - missing))


def _nodes(scenario: Resolved, ways: Sequence[Way], ground: Ground, *, count_drops: bool) -> Iterator[str]:
    routing = {"aodv": "AODV", "dsdv": "DSDV"}.get(scenario.routing["protocol"], "DumbAgent")
    propagation = (
        "-propInstance $prop" if scenario.radio.propagation == "shadowing" else "-propType Propagation/TwoRayGround"
    )
    drops = "ON" if count_drops else "OFF"
    if routing == "DSDV":
        yield "# DSDV"
        for key, variable in DSDV_VARIABLES.items():
            if scenario.routing.get(key) is not None:
                yield f"Agent/DSDV set {variable} {word(scenario.routing[key])}"
        yield f"Agent/DSDV set use_mac_ {int(bool(scenario.routing.get('dsdv_use_mac')))}"
    yield "# nodes"
    yield "set ns [new Simulator]"
    yield f"$ns trace-all [open {DROPS_PIPE if count_drops else '/dev/null'} w]"
    if scenario.radio.errors["model"] == "uniform_packet":
        yield f"set error_rate {scenario.radio.errors['frame_error_rate']!r}"
    yield "set topo [new Topography]"
    yield f"$topo load_flatgrid {ground.width_m} {ground.height_m}"
    yield f"create-god {len(ways)}"
    yield (
        f"$ns node-config -adhocRouting {routing} -llType LL -macType Mac/802_11"
        f" -ifqType {XCP_QUEUE if _is_xcp(scenario) else 'Queue/DropTail/PriQueue'}"
        f" -ifqLen {scenario.queue_limit} -antType Antenna/OmniAntenna"
        f" {propagation} -phyType Phy/WirelessPhy"
        " -channel [new Channel/WirelessChannel] -topoInstance $topo"
        f" -agentTrace OFF -routerTrace {drops} -macTrace OFF -movementTrace OFF"
        + (" -IncomingErrProc uniform_error" if scenario.radio.errors["model"] == "uniform_packet" else "")
        + (ENDLESS_ENERGY if _switches(scenario) else "")
    )
    yield "set i 0"
    yield "foreach {x y} {"
    for way in ways:
        x, y = ground.place(way.start)
        yield f"  {x!r} {y!r}"
    yield "} {"
    yield "  set nd($i) [$ns node]; $nd($i) random-motion 0"
    yield "  $nd($i) set X_ $x; $nd($i) set Y_ $y; $nd($i) set Z_ 0.0"
    yield "  incr i"
    yield "}"
    for node, parts in scenario.nodes.items():
        for key, value in parts.get("mac", {}).items():
            if key in MAC_VARIABLES:
                yield f"[$nd({node}) set mac_(0)] set {MAC_VARIABLES[key]} {_mac_value(scenario, key, value)}"
        if "limit" in parts.get("queue", {}):
            yield f"[$nd({node}) set ifq_(0)] set limit_ {parts['queue']['limit']}"
        if "tx_power_w" in parts.get("radio", {}):
            yield f"[$nd({node}) set netif_(0)] set Pt_ {parts['radio']['tx_power_w']!r}"


def _switches(scenario: Resolved) -> bool:
    return any(parts.get("off_s") for parts in scenario.nodes.values())


def _switching(scenario: Resolved, shift_s: float) -> Iterator[str]:
    """Radios that are switched off, and on again."""
    if _switches(scenario):
        yield "# switching"
    for node, parts in scenario.nodes.items():
        for off_s, on_s in parts.get("off_s", ()):
            for at_s, command in ((off_s, "NodeOff"), (on_s, "NodeOn")):
                if at_s <= scenario.duration_s:
                    yield f'$ns at {shift_s + at_s!r} "[$nd({node}) set netif_(0)] {command}"'


def _routes(scenario: Resolved) -> Iterator[str]:
    if scenario.routing["protocol"] != "static":
        return
    hops, voids = paths.static_hops(scenario)
    yield "# static routes: where tunnels end; then node, destination, next hop"
    yield f"foreach i {{{' '.join(map(str, sorted({j for _, _, j in hops})))}}} {{"
    yield "  set opener($i) [new Agent/Decapsulator]; $ns attach-agent $nd($i) $opener($i)"
    yield "}"
    yield from (f"static_hop {i} {dst} {j}" for i, dst, j in sorted(hops))
    yield from (f"static_void {src} {dst}" for src, dst in sorted(voids))


class _LeadIn:
    """Packets before the scenario's time zero, and by how much that zero is shifted."""

    def __init__(self, nudges: list[tuple[int, int]]) -> None:
        self.shift_s = 1.0 + NUDGE_EVERY_S * len(nudges) if nudges else 0.0
        self.lines = [f"nudge {NUDGE_EVERY_S * k:.3f} {i} {j}" for k, (i, j) in enumerate(nudges)]


def _lead_in(scenario: Resolved) -> _LeadIn:
    """Resolve every needed address before, where there is no ARP.

    With unequal powers the strongest node must send first as well: ns-2 takes the range of its
    neighbor list from the first sender.
    """
    nudges: list[tuple[int, int]] = []
    powers = paths.tx_powers(scenario)
    links = paths.neighbors(scenario)
    if len(set(powers)) > 1:
        strongest = powers.index(max(powers))
        nudges.append((strongest, (links[strongest] or [(strongest + 1) % len(powers)])[0]))
    if not scenario.arp:
        if scenario.routing["protocol"] == "static":
            nudges += sorted({(i, j) for i, _, j in paths.static_hops(scenario)[0]})
        else:
            nudges += [(i, j) for i, ends in enumerate(links) for j in ends]
    return _LeadIn(nudges)


def _flow(scenario: Resolved, flow: Flow, shift_s: float) -> Iterator[str]:
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
    added = scenario.extra_bytes if scenario.routing["protocol"] == "static" else AODV_UDP_BYTES
    size = flow.segment + scenario.udp_header - added
    if size < 1:
        raise InexpressibleError("routing.udp_header", scenario.udp_header, f"it adds {added} bytes to datagrams")
    yield f"set udp({f}) [new Agent/UDP]; $udp({f}) set packetSize_ {size}"
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
    is_linux = _is_linux(scenario)
    agent = LINUX_AGENT if is_linux else AGENTS[flow.transport]
    sink = "Agent/TCPSink/Sack1" if is_linux or flow.transport == "sack" else "Agent/TCPSink"
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
    if is_linux:
        yield from _linux(scenario, flow)
    elif flow.transport == "vegas":
        flat = _flat(tcp)
        for key, variable in VEGAS_VARIABLES.items():
            if key in flat:
                yield f"$tcp({f}) set {variable} {word(flat[key])}"
    if flow.transport == "new_reno" and not is_linux and "new_reno_variant" in tcp:
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
    flat = _flat(scenario.tcp)
    for key, (owner, name, factor) in LINUX_PARAMETERS.items():
        if owner == module and key in flat:
            yield f'$ns at 0.0 "$tcp({f}) set_ca_param {module} {name} {round(factor * flat[key])}"'


def _end(scenario: Resolved, shift_s: float) -> Iterator[str]:
    yield f"$ns at {shift_s + scenario.duration_s!r} {{"
    for flow in scenario.flows:
        yield f"  close_{'udp' if flow.transport == 'udp' else 'tcp'} {flow.id}"
    yield '  puts $results "HOPLAB end"'
    yield "  flush $results"
    yield "  exit 0"
    yield "}"
    yield "$ns run"
