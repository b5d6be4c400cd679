"""Radio, MAC, routing agents and nodes in scripts for ns-2.35, and the switching of radios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hoplab.scenario.trajectories import Trajectory
from hoplab_validation.peers import paths
from hoplab_validation.peers.ns2.moves import Ground
from hoplab_validation.peers.ns2.names import MAC_VARIABLES, is_xcp
from hoplab_validation.peers.resolved import Resolved, word
from hoplab_validation.peers.routing import protocol_of, table_of

LONG_PREAMBLE_BITS = 144
HEADER_BITS = 48
SHORT_PREAMBLE_BITS = 48
"""With a 48-bit header at 1 Mb/s: 96 us, the air time of the short preamble and its 2 Mb/s header."""

FREE_SPACE_HEIGHT_M = 1000.0
"""Antennas so high that two-ray ground is Friis up to thousands of kilometres; ns-2's own FreeSpace prints a
line for every frame and receiver."""

XCP_QUEUE = "Queue/XCP"
"""What XCP has at nodes; its queue takes the capacity from the link layer, whose default is none."""

ENDLESS_ENERGY = " -energyModel EnergyModel -initialEnergy 1e9 -rxPower 1e-9 -txPower 1e-9 -idlePower 0.0"
"""An account of energy that never runs out: without one, NodeOff of a radio changes nothing."""

DROPS_PIPE = '"|grep ^D > drops.$seed.txt"'
"""Where lines about dropped packets go, among all that ns-2 traces."""

SPOILERS = {"uniform_packet": "uniform_error", "gilbert": "two_state_error"}
"""Procedures that make the error model between radio and MAC of a node, by ours."""

TRACE_FILE = "trace.$seed.tr"
ROUTED_PIPE = r'"|grep -E {^(\[sf\] .* RTR|r .* AGT) } > routed.$seed.txt"'
TRACE_TARGETS = {None: "/dev/null", "old": TRACE_FILE, "new": TRACE_FILE, "routes": ROUTED_PIPE}
"""Where a whole trace goes."""


def settings(scenario: Resolved) -> Iterator[str]:
    """Variables of radio, MAC and link layer, which all nodes have before one of them is made."""
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
    if is_xcp(scenario):
        yield f"LL set bandwidth_ {mac.data_rate_bps!r}"
    yield f"set extra {scenario.extra_bytes}"


def _mac_value(scenario: Resolved, key: str, value: Any) -> str:
    if key != "rts_threshold":
        return repr(value)
    # ns-2 compares the packet with its MAC header and its PLCP counted as bytes: 34 + 24, or
    # 34 + 12 in our rendering of the short preamble; the scenario's threshold always means + 58.
    missing = 0 if scenario.mac.preamble == "long" else (LONG_PREAMBLE_BITS - SHORT_PREAMBLE_BITS) // 8
    return str(max(0, int(value) - missing))


def nodes(
    scenario: Resolved,
    trajectories: Sequence[Trajectory],
    ground: Ground,
    *,
    count_drops: bool,
    trace: str | None = None,
) -> Iterator[str]:
    """The simulator, its nodes at their starts, and what single nodes have of their own.

    Parameters
    ----------
    count_drops : bool
        Trace dropped packets into `drops.SEED.txt`.
    trace : {'old', 'new', 'routes'}, optional
        Trace everything into `trace.SEED.tr` in this form, or what routers send and sinks receive into
        `routed.SEED.txt`.
    """
    routing = protocol_of(scenario).ns2
    propagation = (
        "-propInstance $prop" if scenario.radio.propagation == "shadowing" else "-propType Propagation/TwoRayGround"
    )
    all_layers, routers = "OFF" if trace is None else "ON", "ON" if count_drops or trace is not None else "OFF"
    target = DROPS_PIPE if count_drops else TRACE_TARGETS[trace]
    if routing.variables:
        yield f"# {routing.agent}"
        constants = table_of(scenario)
        for key, variable in routing.variables.items():
            if key in constants:
                yield f"Agent/{routing.agent} set {variable} {word(constants[key])}"
    yield "# nodes"
    yield "set ns [new Simulator]"
    if trace == "new":
        yield "$ns use-newtrace"
    yield f"$ns trace-all [open {target} w]"
    errors = scenario.radio.errors
    spoiler = SPOILERS.get(errors["model"])
    if errors["model"] == "uniform_packet":
        yield f"set error_rate {errors['frame_error_rate']!r}"
    elif errors["model"] == "gilbert":
        yield f"set good_mean {errors['good_mean_s']!r}; set bad_mean {errors['bad_mean_s']!r}"
    yield "set topo [new Topography]"
    yield f"$topo load_flatgrid {ground.width_m} {ground.height_m}"
    yield f"create-god {len(trajectories)}"
    yield (
        f"$ns node-config -adhocRouting {routing.agent} -llType LL -macType Mac/802_11"
        f" -ifqType {XCP_QUEUE if is_xcp(scenario) else routing.queue}"
        f" -ifqLen {scenario.queue_limit} -antType Antenna/OmniAntenna"
        f" {propagation} -phyType Phy/WirelessPhy"
        " -channel [new Channel/WirelessChannel] -topoInstance $topo"
        f" -agentTrace {all_layers} -routerTrace {routers} -macTrace {all_layers} -movementTrace OFF"
        + ("" if spoiler is None else f" -IncomingErrProc {spoiler}")
        + (ENDLESS_ENERGY if _switches(scenario) else "")
    )
    yield "set i 0"
    yield "foreach {x y} {"
    for trajectory in trajectories:
        x, y = ground.place(trajectory.start)
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
    return any(parts.get("radio_off_s") for parts in scenario.nodes.values())


def switching(scenario: Resolved, shift_s: float) -> Iterator[str]:
    """Radios that are switched off, and on again."""
    if _switches(scenario):
        yield "# switching"
    for node, parts in scenario.nodes.items():
        for off_s, on_s in parts.get("radio_off_s", ()):
            for at_s, command in ((off_s, "NodeOff"), (on_s, "NodeOn")):
                if at_s <= scenario.duration_s:
                    yield f'$ns at {shift_s + at_s!r} "[$nd({node}) set netif_(0)] {command}"'
