"""Costs of routing daemons: their unit follows from the protocol, and cables and broken links are none of the radio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoplab.base.errors import InputError
from hoplab.scenario.importing import Mesh, read, to_files
from hoplab.scenario.importing.netjson import etx_unit


def graph(tmp_path: Path, costs: list[Any], **more: Any) -> Mesh:
    """The mesh of a chain of nodes n0, n1, ... with these costs."""
    whole = {
        "type": "NetworkGraph",
        "protocol": "OLSR",
        "version": "0.6.6",
        "metric": "ETX",
        "nodes": [{"id": f"n{i}"} for i in range(len(costs) + 1)],
        "links": [
            {"source": f"n{i}", "target": f"n{i + 1}", **(cost if isinstance(cost, dict) else {"cost": cost})}
            for i, cost in enumerate(costs)
        ],
        **more,
    }
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return read(path)


def products(mesh: Mesh) -> dict[int, float]:
    """By number of the link: the product of the delivery of both directions, the inverse of ETX."""
    found = {}
    for (a, b), link in mesh.links.items():
        if int(a[1:]) < int(b[1:]):
            found[int(a[1:])] = (link.delivery or 0.0) * (mesh.links[b, a].delivery or 0.0)
    return found


@pytest.mark.parametrize("metric", ["ETX", "etx_ff", "etx_ffeth", "etx_float", "etx_fpm", "etx_ffeth_nl80211"])
@pytest.mark.parametrize("protocol", ["OLSR", "olsrv1", ""])
def test_one_cheap_link_changes_no_other(tmp_path: Path, metric: str, protocol: str) -> None:
    unit = 65535 if metric == "etx_fpm" else 1024
    costs = [unit * 3 // 2, unit, unit // 10, 1 << 22, 4 * unit]
    mesh = graph(tmp_path, costs, metric=metric, protocol=protocol)
    assert products(mesh) == {0: pytest.approx(1 / 1.5, rel=1e-4), 1: pytest.approx(1.0), 4: pytest.approx(0.25)}
    assert {what[:6]: count for what, count in mesh.dropped.items()} == {"cables": 1, "broken": 1}
    report = to_files(mesh, source="graph.json").texts["import.md"]
    assert "- 1 cables" in report
    assert "- 1 broken links" in report


@pytest.mark.parametrize(
    "costs", [[1.5, 1.0, 0.1, 4194304.0, 4.0], [1.5, 1.0, 0.0996, 4096.0, 4.0], [1.5, 1, 0.1, "INFINITE", 4]]
)
def test_costs_with_decimals_are_etx(tmp_path: Path, costs: list[Any]) -> None:
    mesh = graph(tmp_path, costs)
    assert products(mesh) == {0: pytest.approx(1 / 1.5), 1: pytest.approx(1.0), 4: pytest.approx(0.25)}
    assert sum(mesh.dropped.values()) == 2


def test_text_of_a_cost_decides_its_unit(tmp_path: Path) -> None:
    links = [{"cost": 51, "cost_text": "51.000"}, {"cost": 150, "cost_text": "150.000"}]
    assert products(graph(tmp_path, links)) == {0: pytest.approx(1 / 51), 1: pytest.approx(1 / 150)}
    links = [{"cost": 2048, "cost_text": "2.000"}, {"cost": 1 << 22, "cost_text": "INFINITE"}]
    assert products(graph(tmp_path, links)) == {0: pytest.approx(0.5)}


def test_integers_are_told_from_etx_by_what_olsrd_can_write() -> None:
    assert etx_unit([102.0]) == etx_unit([1536.0, 102.0]) == etx_unit([102400.0]) == 1024.0
    assert etx_unit([1.0, 2.0]) == etx_unit([100.0]) == etx_unit([1024.5]) == etx_unit([]) == 1.0
    assert etx_unit([1.0, float(1 << 22)]) == 1.0
    assert etx_unit([1536.0, 1024.0, 1.0]) == 1024.0
    assert etx_unit([1.0, 2.0, 120.0]) == 1.0


@pytest.mark.parametrize(
    ("protocol", "metric", "costs", "expected"),
    [
        ("batman-adv", "TQ", [1.0, 2.0, 1.25], ({0: 1.0, 1: 0.5, 2: 0.8}, 0)),
        ("batman-adv", "", [1.0, 2.0, 1.25], ({0: 1.0, 1: 0.5, 2: 0.8}, 0)),
        ("batman-adv", "TQ", [255, 51, 0], ({0: 1.0, 1: 0.2}, 1)),
        ("batman-adv", "TQ", [1.0, 0.5], ({0: 1.0, 1: 0.5}, 0)),
        ("babel", None, [256, 96, 65535, 1024], ({0: 1.0, 3: 0.5}, 2)),
        ("babeld", "ETX", [256, 96, 65535, 1024], ({0: 1.0, 3: 0.5}, 2)),
        ("BMX6_b6m", "none", [100, 40, 120], ({0: 1.0, 1: 0.4}, 1)),
        ("olsrv2", "ff_dat_metric", [105600, 0xFFFFFF], ({0: None}, 1)),
    ],
)
def test_unit_follows_from_the_protocol(
    tmp_path: Path, protocol: str, metric: str | None, costs: list[Any], expected: tuple[dict[int, Any], int]
) -> None:
    mesh = graph(tmp_path, costs, protocol=protocol, metric=metric)
    deliveries = {i: value if value is None else pytest.approx(value) for i, value in expected[0].items()}
    dropped = expected[1]
    assert {int(a[1:]): link.delivery for (a, b), link in mesh.links.items() if a < b} == deliveries
    assert {int(b[1:]): link.delivery for (a, b), link in mesh.links.items() if a > b} == deliveries
    assert sum(mesh.dropped.values()) == dropped
    assert ("the file names no metric" in " ".join(mesh.notes)) == (metric in {"", None, "none"})


def test_rates_of_bmx_hold_per_direction(tmp_path: Path) -> None:
    mesh = graph(
        tmp_path, [{"cost": 70, "properties": {"tx_rate": 40, "rx_rate": 100}}], protocol="BMX6", metric="none"
    )
    assert (mesh.links["n0", "n1"].delivery, mesh.links["n1", "n0"].delivery) == (0.4, 1.0)


@pytest.mark.parametrize("metric", [None, "", "none"])
def test_missing_metric_is_said(tmp_path: Path, metric: str | None) -> None:
    mesh = graph(tmp_path, [1.5], metric=metric)
    assert "the file names no metric: costs of OLSR are read as ETX" in mesh.notes
    found = to_files(graph(tmp_path, [1.5], metric=metric, protocol=None), source="graph.json")
    assert "the file names no metric: costs are read as ETX" in found.assumed


@pytest.mark.parametrize(("protocol", "metric"), [("static", ""), ("OpenVPN Status Log", "static"), ("OLSR", "hops")])
def test_costs_that_say_nothing_of_delivery_are_refused(tmp_path: Path, protocol: str, metric: str) -> None:
    with pytest.raises(InputError, match="is not supported, expected ETX"):
        graph(tmp_path, [1.5], protocol=protocol, metric=metric)


def test_directions_hold_as_they_are_listed(tmp_path: Path) -> None:
    there, back = ({"source": "n0", "target": "n1", "cost": 1.25}, {"source": "n1", "target": "n0", "cost": 2.0})
    for rows in ([there, back], [back, there]):
        mesh = graph(tmp_path, [1.0], protocol="batman-adv", metric="TQ", links=rows)
        assert {ends: link.delivery for ends, link in mesh.links.items()} == {("n0", "n1"): 0.8, ("n1", "n0"): 0.5}
    rows = [{**there, "cost": 4.0}, {**back, "cost": 1.0}]
    assert {ends: link.delivery for ends, link in graph(tmp_path, [1.0], links=rows).links.items()} == {
        ("n0", "n1"): 0.5,
        ("n1", "n0"): 1.0,
    }
    # The receiver's own measure of a direction beats what its neighbor reports of it.
    rows = [
        {**there, "properties": {"lq": 0.5, "nlq": 0.9}},
        {**back, "properties": {"lq": 0.8, "nlq": 0.6}},
    ]
    assert {ends: link.delivery for ends, link in graph(tmp_path, [1.0], links=rows).links.items()} == {
        ("n0", "n1"): 0.8,
        ("n1", "n0"): 0.5,
    }


def test_aliases_of_netjson_are_their_nodes(tmp_path: Path) -> None:
    nodes = [
        {"id": "a", "local_addresses": ["a1", "shared"]},
        {"id": "b", "local_addresses": ["b1", "a", "shared"]},
        {"id": "c"},
    ]
    links = [
        {"source": "a1", "target": "b1", "cost": 1.0},
        {"source": "b", "target": "c", "cost": 4.0},
        {"source": "shared", "target": "c", "cost": 1.0},
        {"source": "a", "target": "a1", "cost": 1.0},
    ]
    mesh = graph(tmp_path, [1.0], nodes=nodes, links=links)
    assert set(mesh.links) == {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")}
    assert dict(mesh.dropped) == {"links to unknown nodes": 2, "links from a node to itself": 2}


TOPOLOGY = "Table: Topology\nDest. IP\tLast hop IP\tLQ\tNLQ\tCost\n10.0.0.9\t10.0.0.1\t0.900\t0.800\t1.389\n"


@pytest.mark.parametrize(
    "mid",
    [
        "Table: MID\nIP address\tAliases\n10.0.0.2\t10.0.0.8;10.0.0.9\n\n",
        "Table: MID\nIP address\t(Alias)+\n10.0.0.2\t\t10.0.0.8\t10.0.0.9\n\n",
        "Table: MID\nIP address\t(Alias:VTime)+\n10.0.0.2\t\t10.0.0.8:284.572\t10.0.0.9:284.572\n\n",
    ],
)
def test_aliases_of_txtinfo_are_their_nodes(tmp_path: Path, mid: str) -> None:
    path = tmp_path / "olsr.txt"
    for text in (f"{TOPOLOGY}\n{mid}", f"{mid}{TOPOLOGY}"):
        path.write_text(text, encoding="utf-8")
        assert set(read(path).links) == {("10.0.0.1", "10.0.0.2"), ("10.0.0.2", "10.0.0.1")}


@pytest.mark.parametrize("cost", [102, 0.1])
def test_cables_of_jsoninfo_and_txtinfo_are_dropped(tmp_path: Path, cost: float) -> None:
    edge = {"lastHopIP": "a", "destinationIP": "b", "linkQuality": 1.0, "neighborLinkQuality": 1.0, "tcEdgeCost": cost}
    radio = {**edge, "destinationIP": "c", "tcEdgeCost": 10 * cost, "neighborLinkQuality": 0.8}
    broken = {**edge, "destinationIP": "d", "tcEdgeCost": 1 << 22, "linkQuality": 0.05}
    path = tmp_path / "olsr.json"
    path.write_text(json.dumps({"topology": [edge, radio, broken], "mid": []}), encoding="utf-8")
    mesh = read(path)
    assert set(mesh.links) == {("a", "c"), ("c", "a")}
    assert sorted(what[:6] for what in mesh.dropped) == ["broken", "cables"]
    rows = "b\ta\t1.000\t1.000\t0.100\nc\ta\t1.000\t0.800\t1.250\nd\ta\t0.050\t1.000\tINFINITE\n"
    path = tmp_path / "olsr.txt"
    path.write_text(f"Table: Topology\nDest. IP\tLast hop IP\tLQ\tNLQ\tCost\n{rows}\n", encoding="utf-8")
    assert (read(path).links, read(path).dropped) == (mesh.links, mesh.dropped)


def originator(last: int, neighbor: int, **more: Any) -> dict[str, Any]:
    return {
        "hard_ifindex": 3,
        "hard_ifname": "mesh0",
        "orig_address": f"02:00:00:00:00:{last:02}",
        "best": True,
        "last_seen_msecs": 500,
        "neigh_address": f"02:00:00:00:00:{neighbor:02}",
        **more,
    }


def table(tmp_path: Path, rows: list[Any], **more: Any) -> Mesh:
    path = tmp_path / "oj.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return read(path, **more)


def test_originators_of_batctl_are_the_links_of_their_router(tmp_path: Path) -> None:
    rows = [originator(1, 1, tq=255), originator(2, 2, tq=102), originator(3, 1, tq=90), originator(2, 1, tq=80)]
    mesh = table(tmp_path, [*rows, originator(5, 4, tq=51, hard_ifname="wlan0")])
    assert mesh.format == "batctl"
    near = {name[-2:]: link.delivery for (own, name), link in mesh.links.items() if own == "local"}
    assert near == {"01": 1.0, "02": 0.4, "04": 0.2}
    assert all(mesh.links[b, a] == link for (a, b), link in mesh.links.items())
    assert sum(mesh.dropped.values()) == 3
    assert any("reverse directions are equal" in note for note in mesh.notes)


def test_throughput_of_batman_v_is_no_delivery(tmp_path: Path) -> None:
    rows = [originator(1, 9, throughput=120_000), originator(2, 2, throughput=54_000)]
    mesh = table(tmp_path, rows)
    assert {(link.delivery, name[-2:]) for (own, name), link in mesh.links.items() if own == "local"} == {
        (None, "09"),
        (None, "02"),
    }
    assert any(note.startswith("throughput of B.A.T.M.A.N. V") for note in mesh.notes)


@pytest.mark.parametrize("wire", ["eth0.3", "mesh-vpn", "br-lan", "l2tp0", "enp3s0", "vx_mesh_wan", "wg0"])
def test_wires_of_batctl_are_refused_until_types_choose(tmp_path: Path, wire: str) -> None:
    rows = [originator(1, 1, tq=255), originator(2, 2, tq=255, hard_ifname=wire)]
    with pytest.raises(InputError, match="wires and tunnels are no radio") as error:
        table(tmp_path, rows)
    assert error.value.hint == "add --types wifi"
    assert len(table(tmp_path, rows, types=["wifi"]).links) == 2


def test_answers_saved_with_their_headers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "saved"
    path.write_text('HTTP/1.0 200 OK\nContent-type: application/json\n\n{"topology": []}', encoding="utf-8")
    with pytest.raises(InputError, match="no nodes"):
        read(path)
