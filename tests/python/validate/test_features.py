"""Stored rows of AODV by its RFC, hello messages, preambles, profiles per node, and controls by RFC or paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from hoplab.running.execution import run_orders
from hoplab.scenario.model import Scenario
from hoplab_validation.peers import tables
from hoplab_validation.peers.compare import tcl_of, text_of
from hoplab_validation.peers.ns2.routed import routed_of
from hoplab_validation.peers.ns3 import run as ns3_run
from hoplab_validation.peers.ns3.text import counterpart as ns3_counterpart
from hoplab_validation.peers.unsupported import UnsupportedError
from hoplab_validation.validate.checks.features import aodv, controls, dsr, forms, hwmp, olsr, routed, stations
from hoplab_validation.validate.plan import FULL, QUICK, Depth

FEW = Depth("few", seeds=2, thorough=False, live_seeds=1)
SEEDS = [str(seed) for seed in range(1, 11)]


@pytest.mark.parametrize(
    ("names", "table"),
    [
        (aodv.CASES, aodv.TABLE),
        (dsr.CASES, dsr.TABLE),
        (olsr.CASES, olsr.TABLE),
        (hwmp.CASES, hwmp.TABLE),
        (stations.SCENARIOS, stations.TABLE),
    ],
    ids=["aodv", "dsr", "olsr", "hwmp", "preamble"],
)
def test_tables_of_features_have_every_scenario_and_seed(names: Mapping[str, object], table: str) -> None:
    rows = tables.read(table)
    assert [(row["scenario"], row["seed"]) for row in rows] == [(name, seed) for name in names for seed in SEEDS]
    assert all(float(row["goodput_kbps"]) > 0.0 for row in rows)


def test_the_table_of_controls_has_every_chain_and_seed() -> None:
    found = [(row["transport"], int(row["hops"]), row["seed"]) for row in tables.read(controls.TABLE)]
    assert found == [(*point, seed) for point in controls.POINTS for seed in SEEDS]


def test_scenarios_of_features_are_supported_by_their_peers() -> None:
    for case in aodv.CASES.values():
        assert case.scenario.resolve().warnings == ()
        data = case.scenario.resolve().data
        script = text_of(case.scenario, 1 if data["topology"].get("drawn") else None)
        assert f"feedback {int(data['routing']['link_failure_feedback'])}\n" in script
        assert f"EnableHello {int(data['routing']['aodv']['hello'])}\n" in script
        assert "GratuitousReply 0\n" in script
    script = text_of(olsr.CASES["relay off"].scenario, samples_s=olsr.SAMPLES_S)
    assert "routing olsr\nset ns3::olsr::RoutingProtocol::HelloInterval 2.0s\n" in script
    assert "off 1 45.0 1000.0\nsample 40.0\n" in script
    script = text_of(hwmp.CASES["relay off"].scenario, samples_s=hwmp.SAMPLES_S)
    assert "routing hwmp\nset ns3::dot11s::HwmpProtocol::Dot11MeshHWMPactivePathTimeout 5.12s\n" in script
    assert "set ns3::dot11s::PeerLink::MaxBeaconLoss 60000\n" in script
    assert "arp 0\n" in script
    assert "known 4 0\n" in script
    for scenario in stations.SCENARIOS.values():
        assert "Mac/802_11 set PreambleLength_ 48\n" in tcl_of(scenario)
    script = tcl_of(dsr.CASES["relay off"].scenario, trace="routes")
    assert "-adhocRouting DSR -llType LL -macType Mac/802_11 -ifqType CMUPriQueue" in script
    assert "routed.$seed.txt" in script
    assert "congestion TcpCubic\nset ns3::TcpCubic::HyStart 0\n" in text_of(controls.chain("cubic", 2))
    assert "set ns3::TcpBic::SmoothPart 20\n" in text_of(controls.chain("bic", 2))
    assert "set ns3::TcpVeno::Beta 3\n" in text_of(controls.chain("veno", 2))


@pytest.mark.parametrize(
    ("transport", "key", "value"),
    [("cubic", "friendly", True), ("cubic", "form", "paper"), ("veno", "random_retained", 0.7)],
)
def test_ns3_refuses_other_forms_of_controls(transport: str, key: str, value: object) -> None:
    changed = controls.chain(transport, 2).with_({f"tcp.congestion.{transport}.{key}": value})
    with pytest.raises(UnsupportedError, match=f"tcp.congestion.{transport}.{key}"):
        text_of(changed)


@pytest.mark.parametrize(
    ("key", "value"),
    [("metric", "etx"), ("use_link_layer_feedback", True), ("tc_redundancy", 2), ("jitter_in_interval", True)],
)
def test_ns3_refuses_options_that_its_olsr_lacks(key: str, value: object) -> None:
    changed = olsr.CASES["chain 8"].scenario.with_({f"routing.olsr.{key}": value})
    with pytest.raises(UnsupportedError, match=f"routing.olsr.{key}"):
        text_of(changed)


@pytest.mark.parametrize(
    ("key", "value"),
    [("metric", "hops"), ("renew_on_use", True), ("maintenance_interval", "1 s"), ("root", 0), ("mesh_bytes", "6 B")],
)
def test_ns3_refuses_options_that_its_hwmp_lacks(key: str, value: object) -> None:
    changed = hwmp.CASES["chain 2"].scenario.with_({f"routing.hwmp.{key}": value})
    with pytest.raises(UnsupportedError, match=f"routing.hwmp.{key}"):
        text_of(changed)


def test_next_hops_are_compared_where_both_have_a_path() -> None:
    assert hwmp.same_next(["-11-", "----"], ["-1--", "-0--"]) == 1.0
    assert hwmp.same_next(["-11-", "-0--"], ["-10-", "-0--"]) == 2 / 3
    assert hwmp.same_next(["----"], ["-11-"]) == 1.0
    assert hwmp.same_length(["-1110-2211-3022-"], ["-1330-2211-3022-"]) == 11 / 12
    assert hwmp.same_length(["-1-0-2-1-"], ["-12----0-"]) == 1 / 2


def test_tables_are_compared_by_next_hop_and_by_length() -> None:
    ring = "-1130-2211-3022-"
    other = "-133" + ring[4:]
    assert (routed.length(ring, 0, 2), routed.length(other, 0, 2)) == (2, 2)
    assert (olsr.same_hops(ring, other), olsr.same_lengths(ring, other)) == (11 / 12, 1.0)
    lost = "-1-3" + ring[4:]
    assert (olsr.same_hops(ring, lost), olsr.same_lengths(ring, lost)) == (11 / 12, 11 / 12)
    circle = "-1110-0001-0010-"
    assert routed.length(circle, 0, 2) is None


def test_ns2_refuses_options_of_dsr_and_ns3_the_protocol() -> None:
    chain = dsr.CASES["chain 8"].scenario
    with pytest.raises(UnsupportedError, match=r"routing\.dsr\.promiscuous"):
        tcl_of(chain.with_({"routing.dsr.promiscuous": False}))
    with pytest.raises(UnsupportedError, match=r"routing\.protocol"):
        text_of(ns3_counterpart(chain))


def test_datagrams_of_ns2_are_followed_over_their_hops(tmp_path: Path) -> None:
    lines = [
        "s 1.000000000 _0_ RTR  --- 1 DSR 32 [0 0 0 0] ------- [0:255 2:255 32 0] 1 [1 1] [0 1 0 0->0] [0 0 0 0->0]",
        "s 1.100000000 _2_ RTR  --- 4 DSR 68 [0 0 0 0] ------- [2:255 0:255 254 1] 3 [0 2] [1 2 3 0->2] [0 0 0 0->0]",
        "s 2.000000000 _0_ RTR  --- 7 cbr 270 [0 0 0 0] ------- [0:0 2:0 32 1] [3] 0 0",
        "f 2.010000000 _1_ RTR  --- 7 cbr 270 [13a 1 0 800] ------- [0:0 2:0 31 2] [3] 1 0",
        "r 2.020000000 _2_ AGT  --- 7 cbr 270 [13a 2 1 800] ------- [0:0 2:0 31 2] [3] 2 0",
        "s 3.000000000 _1_ RTR  --- 9 DSR 44 [0 0 0 0] ------- [1:255 0:255 255 0] 2 [0 2] [0 2 3 0->2] [1 0 0 1->2]",
    ]
    (tmp_path / "routed.txt").write_text("\n".join(lines) + "\n")
    found = routed_of(tmp_path / "routed.txt", 0.0, (0,))
    assert found.messages == {"rreq": 1, "rrep": 1, "rerr": 1, "bytes": 32 + 44 + 40}
    assert found.hops == [(2.02, 0, 2)]
    assert routed_of(tmp_path / "routed.txt", 2.5, (0,)).hops == []


def test_lengths_are_compared_where_both_sides_deliver() -> None:
    seen = dsr.seen_of(Counter(), [(10.2, 0, 2), (10.3, 0, 3), (12.1, 0, 3), (12.6, 5, 4)], (0, 5))
    assert (seen.hops, seen.lengths[:4], seen.lengths[62:66]) == (3.0, "2-3-", "--4-")
    assert seen.gap_s == pytest.approx(1.8)
    assert dsr.same_lengths("12-3/2", "13-3/-") == 2 / 3


def test_control_messages_of_ns3_are_read_by_kind() -> None:
    output = "HOPLAB control rreq=8 rrep=4 rerr=0 hello=12\nHOPLAB end\n"
    assert ns3_run.control_of(output) == {"rreq": 8, "rrep": 4, "rerr": 0, "hello": 12}
    assert ns3_run.control_of("HOPLAB end\n") == {}


def test_discovery_sends_the_messages_that_rings_need() -> None:
    """Rings of 1, 3 and 5 over four hops, of 1, 3, 5, 7 and 35 over eight; then a reply a hop."""
    plan = aodv.plan_rfc(FEW)
    chosen = [k for k, order in enumerate(plan.orders) if "first datagram" in order.scenario.name]
    rows = plan.judge(run_orders(plan.orders, progress=False))
    assert [row.name for row in rows if row.decisive and not row.agrees] == []
    sent = [row.ours.mean * 8.0 for row in rows if "first datagram" in row.name and "rreq" in row.name]
    assert (len(chosen), sent) == (2, [1 + 3 + 4, 1 + 3 + 5 + 7 + 8])
    assert all(row.difference == 0.0 for row in rows if "first datagram: r" in row.name)


def test_a_network_without_hello_messages_would_differ() -> None:
    plan = aodv.plan_hello(FEW)
    index = next(k for k, order in enumerate(plan.orders) if order.scenario.name.startswith("4 hops, CBR of 40"))
    orders = list(plan.orders)
    orders[index] = type(orders[index])(
        orders[index].scenario.with_({"routing.aodv.hello": False}), orders[index].seeds
    )
    rows = plan.judge(run_orders(orders, progress=False))
    hello = next(row for row in rows if row.name == "4 hops, CBR of 40 kb/s, no feedback, hello: hello sent")
    assert hello.ours.mean == 0.0
    assert not hello.agrees


def test_pairs_of_both_profiles_follow_their_closed_forms() -> None:
    plan = stations.plan_profiles(FEW)
    rows = plan.judge(run_orders(plan.orders, progress=False))
    assert [row.name for row in rows if row.decisive and not row.agrees] == []
    assert stations.lone_kbps("ns2") == pytest.approx(8e3 * 1500 / 1971.6, rel=1e-4)
    assert stations.lone_kbps("std") == pytest.approx(stations.lone_kbps("ns2") * 1971.6 / 1983.1, rel=1e-3)
    swapped = stations.plan_profiles(FEW)
    wrong = [*swapped.orders]
    wrong[0] = type(wrong[0])(stations.pairs("std", "ns2"), wrong[0].seeds)
    assert any(not row.agrees for row in swapped.judge(run_orders(wrong, progress=False)) if row.decisive)


def test_depths_of_features_take_seeds_of_their_tables() -> None:
    assert {order.seeds for order in stations.plan_preamble(QUICK).orders} == {(1, 2, 3, 4, 5)}
    assert {order.seeds for order in aodv.plan_rfc(FULL).orders} == {tuple(range(1, 11))}
    assert {len(order.seeds) for order in controls.plan(QUICK).orders} == {controls.LEAST_SEEDS}


def test_the_short_preamble_carries_more_than_the_long_one() -> None:
    long = stations.SCENARIOS["cell basic"].with_({"mac.preamble": "long", "duration": "8 s"})
    short = Scenario.of(stations.SCENARIOS["cell basic"]).with_({"duration": "8 s"})
    plan = stations.plan_preamble(FEW)
    orders = [type(plan.orders[0])(scenario, (1, 2)) for scenario in (short, long)]
    shorter, longer = run_orders(orders, progress=False)
    theirs = [row for row in tables.read(stations.TABLE) if row["scenario"] == "cell basic"]
    mean = sum(float(row["goodput_kbps"]) for row in theirs) / len(theirs)
    ours = [sum(sum(flow.goodput_bps for flow in run.flows) for run in runs) / 2e3 for runs in (shorter, longer)]
    assert ours[0] == pytest.approx(mean, rel=0.03)
    assert ours[1] < 0.95 * mean


def test_forms_by_rfc_are_held_against_runs_of_linux() -> None:
    plan = forms.plan(QUICK)
    assert {order.scenario.resolve().data["tcp"]["profile"] for order in plan.orders} == {"rfc"}
    shorter = [type(order)(order.scenario, (1, 2)) for order in plan.orders]
    rows = plan.judge(run_orders(shorter, progress=False))
    assert len(rows) == 3 * len(forms.CHAINS)
    assert [row.name for row in rows if row.decisive and not row.agrees] == []
    doubled = [type(order)(order.scenario.with_({"mac.data_rate": "11 Mb/s"}), (1,)) for order in plan.orders]
    assert all(not row.agrees for row in plan.judge(run_orders(doubled, progress=False)) if row.decisive)
