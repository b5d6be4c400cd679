"""Readers of mesh files: the links that follow from small documents, which are made up, and what is refused."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hoplab
from hoplab.base.errors import HoplabError, InputError
from hoplab.scenario.importing import FORMATS, read, to_files
from hoplab.scenario.importing.formats import detect

NETJSON = {
    "type": "NetworkGraph",
    "protocol": "OLSR",
    "version": "0.8",
    "metric": "ETX",
    "nodes": [{"id": "10.0.0.1", "label": "mill"}, {"id": "10.0.0.2"}, {"id": "10.0.0.3"}],
    "links": [
        {"source": "10.0.0.1", "target": "10.0.0.2", "cost": 1.0},
        {"source": "10.0.0.2", "target": "10.0.0.3", "cost": 4.0},
        {"source": "10.0.0.1", "target": "10.9.9.9", "cost": 1.5},
        {"source": "10.0.0.1", "target": "10.0.0.3", "cost": 0},
    ],
}
MESHVIEWER = {
    "timestamp": "2026-01-01T00:00:00Z",
    "nodes": [
        {"node_id": "n1", "hostname": "roof", "is_online": True, "location": {"latitude": 48.4, "longitude": 9.98}},
        {"node_id": "n2", "hostname": "yard", "is_online": True, "is_gateway": True, "location": {}},
        {"node_id": "n3", "is_online": False},
    ],
    "links": [
        {"type": "wifi24", "source": "n1", "target": "n2", "source_tq": 0.9, "target_tq": 0.6},
        {"type": "vpn", "source": "n1", "target": "n3", "source_tq": 1, "target_tq": 1},
        {"type": "wifi24", "source": "n2", "target": "gone", "source_tq": 0.4, "target_tq": 0.4},
        {"type": "wifi5", "source": "n1", "target": "n2", "source_tq": 0.7, "target_tq": 0.8},
    ],
}
VIS = {
    "source_version": "2026.1",
    "algorithm": 4,
    "vis": [
        {
            "primary": "02:00:00:00:00:01",
            "secondary": ["02:00:00:00:01:01"],
            "neighbors": [{"router": "02:00:00:00:01:01", "neighbor": "02:00:00:00:00:02", "metric": "1.250"}],
            "clients": ["02:00:00:00:0c:01"],
        },
        {
            "primary": "02:00:00:00:00:02",
            "secondary": [],
            "neighbors": [{"router": "02:00:00:00:00:02", "neighbor": "02:00:00:00:01:01", "metric": "2.000"}],
        },
    ],
}
VIS_LINES = """{ "primary" : "02:00:00:00:00:01" }
{ "secondary" : "02:00:00:00:01:01", "of" : "02:00:00:00:00:01" }
{ "router" : "02:00:00:00:01:01", "neighbor" : "02:00:00:00:00:02", "label" : "1.250" }
{ "router" : "02:00:00:00:00:01", "gateway" : "02:00:00:00:0c:01", "label" : "TT" }
{ "primary" : "02:00:00:00:00:02" }
{ "router" : "02:00:00:00:00:02", "neighbor" : "02:00:00:00:01:01", "label" : "2.000" }
"""
OLSR = {
    "topology": [
        {
            "lastHopIP": "10.0.0.1",
            "destinationIP": "10.0.0.2",
            "linkQuality": 0.75,
            "neighborLinkQuality": 0.5,
            "tcEdgeCost": 2731,
        },
        {
            "lastHopIP": "10.0.0.9",
            "destinationIP": "10.0.0.3",
            "linkQuality": 1.0,
            "neighborLinkQuality": 0.8,
            "tcEdgeCost": 1280,
        },
    ],
    "mid": [{"ipAddress": "10.0.0.2", "aliases": [{"ipAddress": "10.0.0.9", "validityTime": 1000}]}],
}
BATCTL = [
    {
        "hard_ifindex": 3,
        "hard_ifname": "mesh0",
        "orig_address": f"02:00:00:00:00:0{i}",
        "best": True,
        "last_seen_msecs": 20 * i,
        "neigh_address": f"02:00:00:00:00:0{i}",
        "tq": 255 // i,
    }
    for i in (1, 2)
]
TXTINFO = (
    "HTTP/1.0 200 OK\n\nTable: Topology\nDest. IP\tLast hop IP\tLQ\tNLQ\tCost\n"
    "10.0.0.2\t10.0.0.1\t0.750\t0.500\t2.667\n10.0.0.3\t10.0.0.2\t1.000\t0.800\tINFINITE\n\n"
    "Table: HNA\nDestination\tGateway\n"
)
OWM = {
    "rows": [
        {
            "value": {
                "id": "a.olsr",
                "hostname": "a",
                "latlng": [52.5, 13.4],
                "links": [{"id": "b.olsr", "quality": 0.9}],
            }
        },
        {
            "value": {
                "id": "b.olsr",
                "hostname": "b",
                "latlng": [52.501, 13.401],
                "links": [{"id": "a.olsr", "signal": -71, "noise": -95, "quality": 1.4}],
            }
        },
    ]
}
GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="lat" attr.type="double"/><key id="d1" for="node" attr.name="lon" attr.type="double"/>
<key id="d2" for="edge" attr.name="rssi_dbm" attr.type="double"/>
<graph edgedefault="undirected">
<node id="a"><data key="d0">48.4</data><data key="d1">9.98</data></node>
<node id="b"><data key="d0">48.401</data><data key="d1">9.981</data></node>
<edge source="a" target="b"><data key="d2">-72.5</data></edge>
<edge source="b" target="c"><data key="d2">-60</data></edge>
</graph></graphml>
"""
GEOJSON = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"name": "a"},
            "geometry": {"type": "Point", "coordinates": [9.98, 48.4, 5]},
        },
        {"type": "Feature", "properties": {"name": "b"}, "geometry": {"type": "Point", "coordinates": [9.9815, 48.4]}},
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": []}},
    ],
}
CSV = "src;dst;rssi;type\na;b;-70;wifi\nb;a;-72;wifi\n"
MATRIX = ",a,b,c\na,0,-60,-91\nb,-61,0,\nc,-90,,0\n"


def mesh_of(folder: Path, data: Any, name: str = "mesh.json", **more: Any) -> Any:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return read(path, **more)


def deliveries(mesh: Any) -> list[tuple[str, str, Any]]:
    return [(a, b, pytest.approx(link.delivery)) for (a, b), link in mesh.links.items()]


def test_netjson_cost_is_etx_of_both_ways(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, NETJSON)
    assert deliveries(mesh) == [
        ("10.0.0.1", "10.0.0.2", 1.0),
        ("10.0.0.2", "10.0.0.1", 1.0),
        ("10.0.0.2", "10.0.0.3", 0.5),
        ("10.0.0.3", "10.0.0.2", 0.5),
    ]
    assert dict(mesh.dropped) == {"links to unknown nodes": 2, "links without a cost of at least 1": 1}


def test_netjson_integer_costs_are_divided_and_said(tmp_path: Path) -> None:
    links = [{"source": "a", "target": "b", "cost": 4096}, {"source": "b", "target": "c", "cost": 1024}]
    mesh = mesh_of(tmp_path, {**NETJSON, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": links})
    assert deliveries(mesh) == [("a", "b", 0.5), ("b", "a", 0.5), ("b", "c", 1.0), ("c", "b", 1.0)]
    assert "divided by 1024" in mesh.notes[0]


def test_netjson_qualities_win_over_cost_and_other_metrics_fail(tmp_path: Path) -> None:
    link = {"source": "10.0.0.1", "target": "10.0.0.2", "cost": 4.0, "properties": {"lq": 0.25, "nlq": 0.75}}
    mesh = mesh_of(tmp_path, {**NETJSON, "links": [link]})
    assert deliveries(mesh) == [("10.0.0.2", "10.0.0.1", 0.25), ("10.0.0.1", "10.0.0.2", 0.75)]
    with pytest.raises(InputError, match="metric 'hops' is not supported"):
        mesh_of(tmp_path, {**NETJSON, "metric": "hops"})
    with pytest.raises(InputError, match="type NetworkRoutes, expected NetworkGraph"):
        mesh_of(tmp_path, {"type": "NetworkRoutes", "routes": []}, format="netjson")


def test_meshviewer_keeps_the_better_of_two_radios(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, MESHVIEWER, types=["wifi24", "wifi5"])
    assert deliveries(mesh) == [("n1", "n2", 0.9), ("n2", "n1", 0.8)]
    assert mesh.dropped["links to unknown nodes"] == 2
    assert mesh.dropped["directions of links of type vpn"] == 2


def test_several_types_are_refused_with_counts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"1 vpn, 2 wifi24, 1 wifi5") as error:
        mesh_of(tmp_path, MESHVIEWER)
    assert error.value.hint == "add --types wifi24,wifi5"
    with pytest.raises(InputError, match="no link of type wifi6"):
        mesh_of(tmp_path, MESHVIEWER, types=["wifi6"])


@pytest.mark.parametrize("data", [VIS, VIS_LINES], ids=["jsondoc", "json"])
def test_batadv_vis_metric_is_the_inverse_of_delivery(tmp_path: Path, data: Any) -> None:
    mesh = mesh_of(tmp_path, data)
    one, two = "02:00:00:00:00:01", "02:00:00:00:00:02"
    assert mesh.format == "batadv-vis"
    assert deliveries(mesh) == [(one, two, 0.8), (two, one, 0.5)]


def test_olsr_quality_is_what_the_last_hop_receives(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, OLSR)
    found = {(a, b): link.delivery for (a, b), link in mesh.links.items()}
    assert found == {
        ("10.0.0.1", "10.0.0.2"): 0.5,
        ("10.0.0.2", "10.0.0.1"): 0.75,
        ("10.0.0.2", "10.0.0.3"): 0.8,
        ("10.0.0.3", "10.0.0.2"): 1.0,
    }
    text = {(a, b): link.delivery for (a, b), link in mesh_of(tmp_path, TXTINFO, "olsr.txt").links.items()}
    assert text == found


def test_openwifimap_signal_is_of_the_neighbor(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, OWM)
    assert (mesh.links["a.olsr", "b.olsr"].snr_db, mesh.links["a.olsr", "b.olsr"].delivery) == (24.0, None)
    assert mesh.links["b.olsr", "a.olsr"].delivery == 0.9
    assert mesh.nodes["a.olsr"].place == (52.5, 13.4, 0.0)


def test_graphml_edges_of_undirected_graphs_hold_both_ways(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, GRAPHML, "mesh.graphml")
    assert {ends: link.power_dbm for ends, link in mesh.links.items()} == {("a", "b"): -72.5, ("b", "a"): -72.5}
    assert mesh.dropped["links to unknown nodes"] == 2
    with pytest.raises(InputError, match="entities are not supported"):
        mesh_of(tmp_path, "<!DOCTYPE graphml [<!ENTITY a 'b'>]>" + GRAPHML.partition("?>")[2], format="graphml")


def test_geojson_points_are_places_only(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, GEOJSON, "mesh.geojson")
    found = to_files(mesh, source="mesh.geojson")
    assert set(found.texts) == {"scenario.toml", "nodes.csv", "import.md"}
    assert found.dropped == ("1 features of type Polygon",)
    scenario = hoplab.Scenario.from_text(found.texts["scenario.toml"])
    topology = scenario.resolve().data["topology"]
    assert topology["kind"] == "places"
    assert topology["names"] == ["a", "b"]
    assert topology["heights_m"] == [5.0, 0.0]


def test_csv_columns_are_found_or_mapped(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, CSV, "mesh.csv")
    assert {ends: link.power_dbm for ends, link in mesh.links.items()} == {("a", "b"): -70.0, ("b", "a"): -72.0}
    odd = CSV.replace("src;dst;rssi", "von;nach;pegel")
    with pytest.raises(InputError, match="neither from and to"):
        mesh_of(tmp_path, odd, "odd.csv")
    mapped = mesh_of(tmp_path, odd, "odd.csv", columns={"from": "von", "to": "nach", "power_dbm": "pegel"})
    assert mapped.links == mesh.links
    with pytest.raises(InputError, match="no column 'level'"):
        mesh_of(tmp_path, odd, "odd.csv", columns={"power_dbm": "level"})
    with pytest.raises(InputError, match=r"odd.csv:2: power_dbm: 'loud' is no number"):
        mesh_of(tmp_path, "from,to,power_dbm\na,b,loud\n", "odd.csv")


def test_matrix_needs_the_name_of_its_values(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not say what its values are"):
        mesh_of(tmp_path, MATRIX, "matrix.csv")
    mesh = mesh_of(tmp_path, MATRIX, "matrix.csv", columns={"value": "power_dbm"})
    assert {ends: link.power_dbm for ends, link in mesh.links.items()} == {
        ("a", "b"): -60.0,
        ("a", "c"): -91.0,
        ("b", "a"): -61.0,
        ("c", "a"): -90.0,
    }


SMALL: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "netjson": (NETJSON, "mesh.json", {}),
    "meshviewer": (MESHVIEWER, "mesh.json", {"types": ["wifi24", "wifi5"]}),
    "batadv-vis": (VIS, "mesh.json", {}),
    "batctl": (BATCTL, "mesh.json", {}),
    "olsr": (OLSR, "mesh.json", {}),
    "txtinfo": (TXTINFO, "mesh.txt", {}),
    "openwifimap": (OWM, "mesh.json", {}),
    "graphml": (GRAPHML, "mesh.graphml", {}),
    "geojson": (GEOJSON, "mesh.geojson", {}),
    "csv": (MATRIX, "mesh.csv", {"columns": {"value": "power_dbm"}}),
}


def test_every_format_has_a_small_file() -> None:
    assert set(SMALL) == set(FORMATS)


@pytest.mark.parametrize("name", SMALL)
def test_imported_mesh_runs_and_says_what_it_assumes(tmp_path: Path, name: str) -> None:
    data, file, more = SMALL[name]
    mesh = mesh_of(tmp_path, data, file, **more)
    assert mesh.format == name
    found = to_files(mesh, source=file)
    folder = tmp_path / "out"
    folder.mkdir()
    for part, text in found.texts.items():
        (folder / part).write_text(text, encoding="utf-8")
    runs = hoplab.run(hoplab.Scenario.from_toml(folder / "scenario.toml", {"duration": "300 s"}))
    assert runs[0].flows[0].goodput_bps > 0
    report = found.texts["import.md"]
    assert all(f"- {line}\n" in report for line in (*found.dropped, *found.assumed, *found.missing))
    assert any("replace it by your traffic" in line or "links follow from distances" in line for line in found.assumed)


def test_anonymous_import_has_no_name_and_no_place(tmp_path: Path) -> None:
    mesh = mesh_of(
        tmp_path, GRAPHML.replace('id="a"', 'id="anna"').replace('"a" target', '"anna" target'), "mesh.graphml"
    )
    found = to_files(mesh, source="mesh.graphml", anonymous=True)
    everything = "\n".join(found.texts.values())
    assert not any(word in everything for word in ("anna", "48.4", "9.98", "mesh.graphml"))
    row = found.texts["mesh.links.csv"].splitlines()[1].split(",")
    # Places 111.2 m and 73.9 m apart.
    assert float(row[3]) == pytest.approx(133.5, abs=0.5)


def test_part_without_a_way_is_dropped_or_kept(tmp_path: Path) -> None:
    text = "from,to,power_dbm,way\na,b,-60,both\nb,c,-61,both\nd,e,-60,both\nc,f,-70,\n"
    mesh = mesh_of(tmp_path, text, "mesh.csv")
    largest = to_files(mesh, source="mesh.csv")
    assert (largest.nodes, largest.dropped) == (3, ("3 nodes without a path of two-way links to the largest part",))
    everything = to_files(mesh, source="mesh.csv", keep="all")
    assert everything.nodes == 6
    assert "1 of 7 directions have no reverse: they interfere and carry no data" in everything.missing


def test_missing_power_is_refused_if_asked(tmp_path: Path) -> None:
    found = to_files(mesh_of(tmp_path, NETJSON), source="mesh.json", fill="refuse")
    for part, text in found.texts.items():
        (tmp_path / part).write_text(text, encoding="utf-8")
    with pytest.raises(hoplab.ScenarioError, match="power of 4 links is missing"):
        hoplab.Scenario.from_toml(tmp_path / "scenario.toml")


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None)
@given(data=st.data())
def test_readers_refuse_or_read_any_text(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    whole, _, more = SMALL[name]
    text = whole if isinstance(whole, str) else json.dumps(whole)
    at = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(at, min(len(text), at + 20)))
    broken = (
        text[:at]
        + data.draw(st.sampled_from(["", "null", "-1", '"x"', "[]", "1e999", "NaN", "\t", "<", "é"]))
        + text[end:]
    )
    path = tmp_path_factory.mktemp("fuzz") / "mesh"
    path.write_text(broken, encoding="utf-8")
    # Anything but an error of hoplab is a fault of the reader.
    with contextlib.suppress(HoplabError):
        to_files(read(path, format=name, **more), source="mesh")


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**30), 1 << 22, 102, 65535, 255]),
    st.floats(),
    st.sampled_from([1e308, -1e308, 1e-300]),
    st.text(st.characters(), max_size=6),
    st.sampled_from(["\ud800", "=1+1", "\x1b[2J", "a\nb", "\u202ea", "first", "1e999", "nan"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
KEYS = [
    "type",
    "links",
    "nodes",
    "secondary",
    "aliases",
    "local_addresses",
    "properties",
    "cost",
    "metric",
    "protocol",
    "label",
    "latlng",
]


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to all parts of a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places_in(one, (*path, key)))]


@st.composite
def damaged(draw: st.DrawFn, whole: Any) -> Any:
    """A document with other values, without some, and with more."""
    whole = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(places_in([whole])[1:]))
        holder: Any = [whole]
        for key in path:
            holder = holder[key]
        change = draw(st.sampled_from(["set", "set", "set", "delete", "add"]))
        if change == "delete" and path:
            del holder[last]
        elif change == "add" and isinstance(holder, dict):
            holder[draw(st.sampled_from(KEYS))] = draw(VALUES)
        elif path:
            holder[last] = draw(VALUES)
        else:
            whole = draw(VALUES)
    return whole


@pytest.mark.parametrize("name", [name for name, (whole, *_) in SMALL.items() if not isinstance(whole, str)])
@settings(deadline=None)
@given(data=st.data())
def test_any_structure_is_an_input_error_or_a_scenario(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    whole, _, more = SMALL[name]
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "mesh.json").write_text(json.dumps(data.draw(damaged(whole))), encoding="utf-8")
    choices = [{"format": name, **more}, {}]
    try:
        mesh = read(folder / "mesh.json", **data.draw(st.sampled_from(choices)))
        found = to_files(
            mesh, source="mesh", keep=data.draw(st.sampled_from(["largest", "all"])), anonymous=data.draw(st.booleans())
        )
    except InputError:
        return
    for file, text in found.texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    hoplab.Scenario.from_toml(folder / "scenario.toml")


def test_formats_are_detected_by_content() -> None:
    for name, (data, file, _) in SMALL.items():
        assert detect(data if isinstance(data, str) else json.dumps(data), Path(file)) == name
    assert detect("%PDF-1.7", Path("a.pdf")) is None
    assert detect('{"a": 1}', Path("a.json")) is None
