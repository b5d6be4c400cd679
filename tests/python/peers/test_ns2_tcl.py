"""The Tcl that is written for ns-2, and what is refused instead."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hoplab.scenario.trajectories import Leg, Trajectory
from hoplab_validation.peers.ns2.moves import JumpError
from hoplab_validation.peers.ns2.tcl import script
from hoplab_validation.peers.unsupported import UnsupportedError


def body(scenario: Any) -> str:
    """The script without the procedures at its top."""
    return script(scenario).split("# radio and MAC")[1]


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("mac.profile", "std", "mac.profile"),
        ("radio.rx_model", "sinr", "radio.rx_model"),
        ("radio.propagation", "nakagami", "radio.propagation"),
        ("mac.data_overhead", 36, "mac.data_overhead"),
        ("tcp.profile", "rfc", "tcp.profile"),
        ("routing.protocol", "olsr", "routing.protocol"),
        ("flows.0.transport", "muzha", "flow.0.transport"),
        ("flows.0.talk_spurts", True, "flow.0.talk_spurts"),
        ("nodes", [{"id": 2, "mac": {"preamble": "short"}}], "node.2.mac.preamble"),
        ("nodes", [{"id": 1, "radio": {"frequency_hz": 2.4e9}}], "node.1.radio.frequency_hz"),
        ("nodes", [{"id": 1, "radios": [{"channel": 36}]}], "node.1.radios"),
    ],
)
def test_refusals_name_the_key(key: str, value: Any, named: str, make: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        script(make({key: value}))
    assert caught.value.key == named
    assert named in str(caught.value)
    assert caught.value.exit_code == 3


def test_aodv_must_keep_its_feedback_and_constants(make: Any) -> None:
    aodv = {"routing.protocol": "aodv", "routing.extra_bytes": 0}
    with pytest.raises(UnsupportedError, match=r"routing\.link_failure_feedback"):
        script(make({**aodv, "routing.link_failure_feedback": False}))
    changed = make({**aodv, "routing.aodv.network_diameter": 20})
    with pytest.raises(UnsupportedError, match=r"routing\.aodv\.network_diameter"):
        script(changed, make({**aodv, "routing.aodv.network_diameter": 30}))
    assert "-adhocRouting AODV" in script(make(aodv), make(aodv))


def test_tcp_keys_without_a_variable_must_keep_their_defaults(make: Any) -> None:
    defaults = make({"tcp.header": 40})
    with pytest.raises(UnsupportedError, match=r"tcp\.header"):
        script(make({"tcp.header": 52}), defaults)
    assert "minrto_ 0.3" in script(make({"tcp.min_rto_s": 0.3}), make())


def test_vegas_has_its_own_variables(make: Any) -> None:
    vegas = {"flows.0.transport": "vegas", "tcp.congestion": {"vegas": {"alpha": 2.0, "headers": False}}}
    assert "v_alpha_ 2.0" in script(make(vegas))
    headers = {**vegas, "tcp.congestion": {"vegas": {"alpha": 2.0, "headers": True}}}
    with pytest.raises(UnsupportedError, match=r"tcp\.congestion\.vegas\.headers = True"):
        script(make(headers), make(vegas))


def linux(transport: str, **tcp: Any) -> dict[str, Any]:
    return {
        "flows.0.transport": transport,
        "tcp.profile": "ns2_linux",
        "tcp.timestamps": True,
        "tcp.tick_s": 0.001,
        "tcp.congestion": {"linux_vegas": {"alpha": 2.5}, "cubic": {"form": "linux_2_6_22", "friendly": False}},
        **{f"tcp.{key}": value for key, value in tcp.items()},
    }


@pytest.mark.parametrize(
    ("transport", "module"),
    [("reno", "reno"), ("new_reno", "reno"), ("vegas", "vegas"), ("westwood_plus", "westwood"), ("cubic", "cubic")],
)
def test_linux_has_modules(transport: str, module: str, make: Any) -> None:
    text = script(make(linux(transport)), make({"tcp.congestion": {"linux_vegas": {"alpha": 2.0}}}))
    assert "[new Agent/TCP/Linux]" in text
    assert "[new Agent/TCPSink/Sack1]" in text
    assert f"select_ca {module}" in text
    assert "timestamps_ true" in text
    assert ("set_ca_param vegas alpha 5" in text) == (module == "vegas")
    assert ("set_ca_param cubic tcp_friendliness 0" in text) == (module == "cubic")


XCP = {
    "flows.0.transport": "xcp",
    "routing.protocol": "dsdv",
    "routing.extra_bytes": 20,
    "xcp": {"tick_s": 0.01, "timestamps": True},
}


def test_xcp_has_a_queue_that_knows_its_capacity(make: Any) -> None:
    text = script(make(XCP), make({"xcp": {"tick_s": 0.0}}))
    assert "[new Agent/TCP/Reno/XCP]" in text
    assert "[new Agent/TCPSink/XCPSink]" in text
    assert "-ifqType Queue/XCP" in text
    assert f"LL set bandwidth_ {make(XCP).mac.data_rate_bps!r}" in text
    assert "Queue/XCP" not in script(make())


@pytest.mark.parametrize("timestamps", [True, False])
def test_script_of_xcp_has_timestamps(timestamps: bool, make: Any) -> None:
    changes = {**XCP, "xcp": {"tick_s": 0.01, "timestamps": timestamps}}
    usual = {"xcp": {"tick_s": 0.0, "timestamps": True}}
    assert f"$tcp(0) set timestamps_ {int(timestamps)}" in script(make(changes), make(usual))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"routing.protocol": "static"}, "routing.protocol"),
        ({"xcp": {"tick_s": 0.0}}, "xcp.tick"),
        ({"xcp": {"tick_s": 0.01, "alpha": 0.5}}, "xcp.alpha"),
        ({"nodes": [{"id": 1, "feedback_router": "none"}]}, "node.1.feedback_router"),
        ({"flows.0.app": "adhoc_probe"}, "flow.0.app"),
    ],
)
def test_unsupported_keys_of_xcp_are_refused(changes: dict[str, Any], named: str, make: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        script(make({**XCP, **changes}), make({"xcp": {"tick_s": 0.0, "alpha": 0.4}}))
    assert caught.value.key == named


def test_linux_refuses_unsupported_settings(make: Any) -> None:
    for transport, key, value in (("tahoe", "", None), ("westwood", "", None), ("cubic", "timestamps", False)):
        scenario = make(linux(transport, **({key: value} if key else {})))
        with pytest.raises(UnsupportedError, match=key or "transport"):
            script(scenario)
    rfc = linux("cubic")
    rfc["tcp.congestion"] = {"cubic": {"form": "rfc9438"}}
    with pytest.raises(UnsupportedError, match=r"tcp\.congestion\.cubic\.form"):
        script(make(rfc))


def test_tables_that_ns2_knows_nothing_of_are_refused(make: Any) -> None:
    strange = make({"weather": {"kind": "rain"}})
    with pytest.raises(UnsupportedError, match="weather"):
        script(strange, make())
    assert script(strange, strange)


AODV = {"routing.protocol": "aodv", "routing.extra_bytes": 0}


def test_mobile_nodes_have_their_legs(make: Any) -> None:
    moving = make({**AODV, "mobility": {"kind": "waypoint"}})
    trajectories = [
        Trajectory(
            (0.0, 50.0), (Leg(2.0, (0.0, 50.0), 12.0, (-30.0, 10.0)), Leg(20.0, (-30.0, 10.0), 24.0, (10.0, 10.0)))
        ),
        Trajectory(
            (100.0, 0.0), (Leg(1.5, (100.0, 0.0), 3.5, (100.0, 20.0)), Leg(90.0, (100.0, 20.0), 91.0, (0.0, 0.0)))
        ),
        *(Trajectory((200.0, 5.0), ()) for _ in range(2)),
    ]
    text = script(moving, trajectories=trajectories)
    # Shifted by 40 m and 10 m: the leftmost and lowest corners are 10 m inside. The run ends at 60 s.
    assert re.findall(r'^\$ns at (\S+) "\$nd\((\d)\) setdest (.*)"$', text, re.MULTILINE) == [
        ("1.5", "1", "140.0 30.0 10.0"),
        ("2.0", "0", "10.0 20.0 5.0"),
        ("20.0", "0", "50.0 20.0 10.0"),
    ]
    assert "\n  40.0 60.0\n  140.0 10.0\n  240.0 15.0\n" in text
    assert "load_flatgrid 250 70" in text


def test_movement_that_ns2_cannot_follow_is_refused(make: Any) -> None:
    with pytest.raises(UnsupportedError, match="tunnels do not support mobile nodes"):
        script(make({"mobility": {"kind": "waypoint"}}))
    moving = make({**AODV, "mobility": {"kind": "csv"}})
    with pytest.raises(UnsupportedError, match="the trajectories of one run"):
        script(moving)
    jump = Trajectory((0.0, 0.0), (Leg(5.0, (9.0, 9.0), 5.0, (9.0, 9.0)),))
    with pytest.raises(JumpError, match=r"the jump of node 0 at 5\.0 s"):
        script(moving, trajectories=[jump] * 4)


def test_radios_are_switched_with_an_account_of_energy(make: Any) -> None:
    text = script(make({"nodes": [{"id": 2, "radio_off_s": [[10.0, 20.0], [50.0, 1000.0]]}]}))
    for at_s, command in (("10.0", "NodeOff"), ("20.0", "NodeOn"), ("50.0", "NodeOff")):
        assert f'$ns at {at_s} "[$nd(2) set netif_(0)] {command}"' in text
    assert text.count("NodeOn") == 1, "the second time is after the end"
    assert "-energyModel EnergyModel" in text
    assert "EnergyModel" not in script(make())


def test_shadowing_is_reseeded_for_each_run(make: Any) -> None:
    text = script(make({"radio.propagation": "shadowing"}))
    assert "$prop seed raw $seed" in text
    assert "-propInstance $prop" in text
    with pytest.raises(UnsupportedError, match="shadowing_coherence"):
        script(make({"radio.propagation": "shadowing", "radio.shadowing_coherence": "link"}))


def test_dsdv_has_its_own_constants(make: Any) -> None:
    dsdv = {"routing.protocol": "dsdv", "routing.dsdv.settling_time_s": 0.0, "routing.dsdv.use_mac": True}
    text = script(make(dsdv))
    assert "Agent/DSDV set wst0_ 0.0" in text
    assert "Agent/DSDV set use_mac_ 1" in text
    assert "-adhocRouting DSDV" in text
    with pytest.raises(UnsupportedError, match=r"routing\.extra_bytes"):
        script(make({**dsdv, "routing.extra_bytes": 0}))


def test_the_initial_threshold_is_the_window_at_creation(make: Any) -> None:
    lines = body(make({"tcp.initial_ssthresh": 64})).splitlines()
    default = lines.index("Agent/TCP set window_ 64")
    created = next(k for k, line in enumerate(lines) if "[new Agent/TCP/Newreno]" in line)
    clamped = next(k for k, line in enumerate(lines) if "$tcp(0) set window_ 32" in line)
    assert default < created < clamped


def test_static_routes_are_tunnels_in_both_directions_for_tcp(make: Any) -> None:
    hops = re.findall(r"^static_hop (\d+) (\d+) (\d+)$", script(make()), re.MULTILINE)
    assert [tuple(map(int, hop)) for hop in hops] == [(0, 3, 1), (1, 0, 0), (1, 3, 2), (2, 0, 1), (2, 3, 3), (3, 0, 2)]


def test_datagrams_need_routes_one_way_only(make: Any) -> None:
    udp = make({"flows.0.transport": "udp", "flows.0.app": "cbr", "flows.0.rate_bps": 64000.0})
    hops = re.findall(r"^static_hop (\d+) (\d+) (\d+)$", script(udp), re.MULTILINE)
    assert [tuple(map(int, hop)) for hop in hops] == [(0, 3, 1), (1, 3, 2), (2, 3, 3)]


@pytest.mark.parametrize(
    ("protocol", "header", "extra", "size"), [("static", 20, 20, 1460), ("static", 20, 0, 1480), ("aodv", 28, 0, 1468)]
)
def test_datagrams_have_the_right_size_on_air(protocol: str, header: int, extra: int, size: int, make: Any) -> None:
    changes = {"routing.protocol": protocol, "routing.udp_header": header, "routing.extra_bytes": extra}
    udp = {"flows.0.transport": "udp", "flows.0.app": "cbr", "flows.0.rate_bps": 146000.0}
    text = body(make({**changes, **udp}))
    assert f"$app(0) set packetSize_ {size}\n" in text
    rate = float(re.findall(r"\$app\(0\) set rate_ (\S+)$", text, re.MULTILINE)[0])
    assert size * 8 / rate == pytest.approx(1460 * 8 / 146000.0, rel=1e-12)


def test_a_flow_without_a_path_goes_nowhere(make: Any) -> None:
    split = make({"topology.positions": [[0.0, 0.0], [200.0, 0.0], [900.0, 0.0], [1100.0, 0.0]]})
    text = body(split)
    assert "static_void 0 3" in text
    assert "static_void 3 0" in text
    assert "static_hop" not in text


def test_positions_are_shifted_inside_the_topography(make: Any) -> None:
    text = body(make({"topology.positions": [[-500.0, -3.0], [-300.0, 100.0], [-100.0, 0.0], [100.0, 0.0]]}))
    width, height = map(int, re.findall(r"load_flatgrid (\d+) (\d+)", text)[0])
    pairs = [tuple(map(float, pair)) for pair in re.findall(r"^  ([-.\d]+) ([-.\d]+)$", text, re.MULTILINE)]
    assert len(pairs) == 4
    assert all(0.0 < x < width and 0.0 < y < height for x, y in pairs)
    assert pairs[3][0] - pairs[0][0] == 600.0


def test_what_a_node_repeats_of_the_scenario_is_no_override(make: Any) -> None:
    assert script(make({"nodes": [{"id": 1, "mac": {"preamble": "long", "data_overhead": 34}}]}))


@pytest.mark.parametrize(("preamble", "bits", "threshold"), [("long", 144, 500), ("short", 48, 488)])
def test_rts_threshold_counts_the_preamble_as_bytes(preamble: str, bits: int, threshold: int, make: Any) -> None:
    text = body(make({"mac.preamble": preamble, "mac.rts_threshold": 500}))
    assert f"PreambleLength_ {bits}" in text
    assert f"RTSThreshold_ {threshold}\n" in text


def test_a_short_preamble_takes_96_us(make: Any) -> None:
    text = body(make({"mac.preamble": "short"}))
    bits = sum(int(n) for n in re.findall(r"(?:PreambleLength_|PLCPHeaderLength_) (\d+)", text))
    assert bits == 96


def test_the_window_opens_at_the_later_of_warm_up_and_start(make: Any) -> None:
    assert '$ns at 20.0 "open_tcp 0"' in body(make())
    late = body(make({"flows.0.start_s": 33.0}))
    assert '$ns at 33.0 "$app(0) start"' in late
    assert '$ns at 33.0 "open_tcp 0"' in late


def test_without_arp_addresses_are_resolved_before_time_zero(make: Any) -> None:
    text = body(make({"link.arp": False}))
    nudges = re.findall(r"^nudge (\S+) (\d+) (\d+)$", text, re.MULTILINE)
    assert {(int(i), int(j)) for _, i, j in nudges} == {(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)}
    start = float(re.findall(r'\$ns at (\S+) "\$app\(0\) start"', text)[0])
    assert start >= max(float(t) for t, _, _ in nudges) + 1.0
    assert f'$ns at {start + 20.0!r} "open_tcp 0"' in text


def test_overrides_of_nodes_are_set_on_their_objects(make: Any) -> None:
    nodes = [
        {"id": 1, "mac": {"ssrl": 12, "rts_threshold": 900}, "queue": {"limit": 5}},
        {"id": 2, "radio": {"tx_power_w": 0.1}},
    ]
    text = body(make({"nodes": nodes}))
    assert "[$nd(1) set mac_(0)] set ShortRetryLimit_ 12" in text
    assert "[$nd(1) set mac_(0)] set RTSThreshold_ 900" in text
    assert "[$nd(1) set ifq_(0)] set limit_ 5" in text
    assert "[$nd(2) set netif_(0)] set Pt_ 0.1" in text
    first = re.findall(r"^nudge 0.000 (\d+) (\d+)$", text, re.MULTILINE)
    assert first
    assert first[0][0] != "2", "ns-2 takes its neighbor range from the first sender, which must not be the weak node"


@pytest.mark.parametrize(
    ("transport", "agent", "sink"),
    [
        ("tahoe", "Agent/TCP]", "Agent/TCPSink]"),
        ("reno", "Agent/TCP/Reno]", "Agent/TCPSink]"),
        ("new_reno", "Agent/TCP/Newreno]", "Agent/TCPSink]"),
        ("sack", "Agent/TCP/Sack1]", "Agent/TCPSink/Sack1]"),
        ("vegas", "Agent/TCP/Vegas]", "Agent/TCPSink]"),
    ],
)
def test_agents_and_their_sinks(transport: str, agent: str, sink: str, make: Any) -> None:
    text = body(make({"flows.0.transport": transport}))
    assert f"[new {agent}" in text
    assert f"[new {sink}" in text
    delayed = body(make({"flows.0.transport": transport, "tcp.delayed_ack": True}))
    assert f"[new {sink[:-1]}/DelAck]" in delayed
