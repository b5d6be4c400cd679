"""Columns, attributes and samples of general formats: none is lost in silence, and none is better than measured."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import hoplab
from hoplab.base.errors import InputError
from hoplab.scenario.importing import Mesh, read, to_files


def mesh_of(folder: Path, text: str, name: str = "mesh.csv", **more: Any) -> Mesh:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path, **more)


def written(folder: Path, mesh: Mesh, **more: Any) -> hoplab.Scenario:
    """The scenario of a mesh, as the command writes it."""
    for name, text in to_files(mesh, source="mesh", **more).texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return hoplab.Scenario.from_toml(folder / "scenario.toml")


def links_of(mesh: Mesh) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_files(mesh, source="mesh").texts["mesh.links.csv"])))


def test_samples_of_a_direction_are_averaged_in_db(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "from,to,rssi\na,b,-80\nb,a,-70\na,b,-60\na,b,-82\n")
    assert {ends: link.power_dbm for ends, link in mesh.links.items()} == {
        ("a", "b"): pytest.approx(-74.0),
        ("b", "a"): -70.0,
    }
    assert any("2 rows repeat a direction" in note and "t_s" in note for note in mesh.notes)


@pytest.mark.parametrize(
    ("column", "values", "field", "expected"),
    [
        ("delivery", (0.2, 0.9, 1.0), "delivery", 0.7),
        ("etx", (1, 4, 100), "delivery", (1.0 + 0.5 + 0.1) / 3),
        ("snr_db", (10, 30, 14), "snr_db", 18.0),
        ("path_loss_db", (90, 70, 92), "path_loss_db", 84.0),
        ("power_w", (1e-11, 1e-9, 1e-13), "power_dbm", -80.0),
    ],
)
def test_mean_of_samples_is_not_the_best(
    tmp_path: Path, column: str, values: tuple[float, ...], field: str, expected: float
) -> None:
    rows = "".join(f"a,b,{value}\n" for value in values)
    mesh = mesh_of(tmp_path, f"from,to,{column}\n{rows}b,a,{values[0]}\n")
    assert getattr(mesh.links["a", "b"], field) == pytest.approx(expected)


def test_samples_of_a_matrix_and_of_both_ways_are_averaged(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, ",a,b\na,,-60\na,,-80\nb,-50,\n", columns={"value": "power_dbm"})
    assert mesh.links["a", "b"].power_dbm == pytest.approx(-70.0)
    mesh = mesh_of(tmp_path, "from,to,power_dbm,way\na,b,-60,both\na,b,-80,both\nb,a,-90,\n")
    assert {ends: link.power_dbm for ends, link in mesh.links.items()} == {("a", "b"): -70.0, ("b", "a"): -90.0}


def test_two_types_of_a_direction_are_radios_and_not_samples(tmp_path: Path) -> None:
    text = "from,to,power_dbm,type\na,b,-60,wifi24\na,b,-80,wifi5\nb,a,-60,wifi24\n"
    mesh = mesh_of(tmp_path, text, types=["wifi24", "wifi5"])
    assert mesh.links["a", "b"].power_dbm == -60.0


def test_changes_in_time_are_kept(tmp_path: Path) -> None:
    rows = ["10,a,b,", "0,a,b,-60", "0,b,c,-60", "20.5,a,b,-70", "20.5,a,b,-72"]
    mesh = mesh_of(tmp_path, "t_s,from,to,power_dbm,way\n" + "".join(f"{row},both\n" for row in rows))
    found = [(row["from"], row["to"], row["power_dbm"], row["t_s"]) for row in links_of(mesh)]
    assert sorted(found[:4])[:2] == [("a", "b", "-60.0", ""), ("b", "a", "-60.0", "")]
    assert found[4:] == [
        ("a", "b", "", "10.0"),
        ("b", "a", "", "10.0"),
        ("a", "b", "-71.0", "20.5"),
        ("b", "a", "-71.0", "20.5"),
    ]
    scenario = written(tmp_path, mesh)
    assert scenario.resolve().data["duration_s"] == 31.0
    runs = hoplab.run(scenario.with_({"flow.0.from": "a", "flow.0.to": "c", "goodput_interval": "1 s"}))
    series = {row["begin_s"]: row["goodput_bps"] for row in runs.goodput_intervals.rows()}
    assert series[5.0] > 0.0
    assert sum(series[float(second)] for second in range(12, 20)) == 0.0
    assert sum(series[float(second)] for second in range(25, 31)) > 0.0


def test_times_begin_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"t_s: the first time is 5 s") as error:
        mesh_of(tmp_path, "from,to,power_dbm,t_s\na,b,-60,5\nb,a,-60,7\n")
    assert error.value.hint == "subtract the first time from all"


def test_delays_are_kept(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "from,to,power_dbm,delay_ns,distance_m\na,b,-60,1234,5\nb,a,-60,,300\n")
    assert [(row["delay_ns"], row["distance_m"]) for row in links_of(mesh)] == [("1234", ""), ("", "300.0")]
    written(tmp_path, mesh)


def test_columns_without_a_meaning_are_named(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "from,to,power_dbm,timestamp,noise\na,b,-60,1,2\nb,a,-60,1,2\n")
    assert (
        "2 columns without a meaning here (timestamp, noise); --map gives them one"
        in to_files(mesh, source="m").dropped
    )
    mesh = mesh_of(tmp_path, "name,lat,lon,color\na,48.4,9.98,red\nb,48.401,9.98,red\n")
    assert any("(color)" in line for line in to_files(mesh, source="m").dropped)


def test_capitals_of_columns_and_attributes_do_not_matter(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "From,TO,RSSI\na,b,-60\nb,a,-61\n")
    assert mesh.links["b", "a"].power_dbm == -61.0
    mesh = mesh_of(tmp_path, "Name,Latitude,LONG,Height\na,48.4,9.98,12\nb,48.401,9.98,\n")
    assert mesh.nodes["a"].place == (48.4, 9.98, 12.0)


GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="Latitude" attr.type="double"/>
<key id="d1" for="node" attr.name="Longitude" attr.type="double"><default>9.98</default></key>
<key id="d2" for="edge" attr.name="RSSI" attr.type="double"><default>-72.5</default></key>
<key id="d3" for="all" attr.name="delivery" attr.type="double"><default>0.5</default></key>
<graph edgedefault="undirected">
<node id="a"><data key="d0">48.4</data></node>
<node id="b"><data key="d0">48.401</data><data key="d1">9.981</data></node>
<node id="c"><data key="d0">48.402</data></node>
<edge source="a" target="b"/>
<edge source="b" target="c"><data key="d2">-60</data><data key="d3">0.9</data></edge>
</graph></graphml>
"""


def test_defaults_of_graphml_are_values(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, GRAPHML, "mesh.graphml")
    assert [node.place for node in mesh.nodes.values()] == [
        (48.4, 9.98, 0.0),
        (48.401, 9.981, 0.0),
        (48.402, 9.98, 0.0),
    ]
    assert (mesh.links["a", "b"].power_dbm, mesh.links["b", "a"].delivery) == (-72.5, 0.5)
    assert (mesh.links["b", "c"].power_dbm, mesh.links["c", "b"].delivery) == (-60.0, 0.9)


def test_both_directions_of_undirected_graphs_hold_as_listed(tmp_path: Path) -> None:
    text = GRAPHML.replace("</graph>", '<edge source="b" target="a"><data key="d2">-50</data></edge></graph>')
    mesh = mesh_of(tmp_path, text, "mesh.graphml")
    assert (mesh.links["a", "b"].power_dbm, mesh.links["b", "a"].power_dbm) == (-72.5, -50.0)


def test_lines_of_geojson_join_names_of_points(tmp_path: Path) -> None:
    def point(name: str, at: list[float], **more: Any) -> dict[str, Any]:
        geometry = {"type": "Point", "coordinates": at}
        return {"type": "Feature", "properties": {"name": name}, "geometry": geometry, **more}

    def line(a: str, b: str, snr: float) -> dict[str, Any]:
        properties = {"Source": a, "Target": b, "SNR": snr}
        return {"type": "Feature", "properties": properties, "geometry": {"type": "LineString", "coordinates": []}}

    features = [
        point("mill", [9.98, 48.4], id=7),
        point("tower", [9.981, 48.4]),
        line("mill", "tower", 20),
        line("tower", "7", 12),
    ]
    mesh = mesh_of(tmp_path, json.dumps({"type": "FeatureCollection", "features": features}), "mesh.geojson")
    assert {ends: link.snr_db for ends, link in mesh.links.items()} == {("7", "tower"): 20.0, ("tower", "7"): 12.0}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("snr_db,1e308", "snr_db 1e[+]308 is out of range, expected -200 to 200"),
        ("snr_db,150", "received power of .* dBm is out of range"),
        ("power_dbm,70", "received power of 70 dBm is out of range, expected -250 dBm to 24.5 dBm"),
        ("power_dbm,-1e308", "is out of range"),
        ("power_w,1e300", "is out of range"),
        ("path_loss_db,-5", "path_loss_db -5 is out of range"),
        ("delivery,70", "delivery 70 is out of range, expected 0 to 1"),
        ("delivery_bytes,1e7", "delivery_bytes 1e[+]07 is out of range"),
        ("distance_m,-1", "distance_m -1 is out of range"),
        ("delay_ns,1e12", "delay_ns 1e[+]12 is out of range"),
        ("t_s,-1", "t_s -1 is out of range"),
        ("way,back", "way 'back' is unknown"),
    ],
)
def test_values_that_no_scenario_takes_cite_their_line(tmp_path: Path, row: str, message: str) -> None:
    key, value = row.split(",")
    with pytest.raises(InputError, match=rf"mesh.csv:2: .*{message}"):
        mesh_of(tmp_path, f"from,to,{key}\na,b,{value}\n")


def test_short_rows_of_nodes_have_no_place(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "name,lat,lon\na,48.4,9.98\nb\nc,48.4,9.981\n")
    assert mesh.nodes["b"].place is None


def test_anonymous_places_become_meters(tmp_path: Path) -> None:
    mesh = mesh_of(tmp_path, "name,lat,lon\nanna,48.4,9.98\nbert,48.401,9.98\n")
    found = to_files(mesh, source="mesh.csv", anonymous=True)
    assert not any(word in text for text in found.texts.values() for word in ("anna", "48.4", "9.98"))
    (_, y), (_, y2) = hoplab.Scenario.from_text(found.texts["scenario.toml"]).resolve().data["topology"]["positions"]
    assert abs(y - y2) == pytest.approx(111.3, abs=0.5)


def test_links_keep_their_channels_and_make_radios(tmp_path: Path) -> None:
    rows = "from,to,channel,snr_db,delivery,way\na,b,36,30,0.9,both\na,b,44,25,0.7,both\nb,c,44,30,0.95,both\n"
    mesh = mesh_of(tmp_path, rows)
    assert not mesh.dropped
    scenario = written(tmp_path, mesh)
    listed = (tmp_path / "mesh.links.csv").read_text(encoding="utf-8").splitlines()
    assert listed[0] == "from,to,channel,snr_db,delivery"
    assert {"a,b,36,30.0,0.9", "a,b,44,25.0,0.7", "b,a,44,25.0,0.7", "c,b,44,30.0,0.95"} < {*listed}
    nodes = scenario.resolve().data["nodes"]
    channels = [[radio["channel"] for radio in node["radios"]] for node in nodes]
    assert channels == [[36, 44], [36, 44], [44]]
    assert scenario.resolve().facts.partitions == 1


def test_samples_of_one_channel_are_its_mean(tmp_path: Path) -> None:
    rows = "from,to,channel,delivery,way\na,b,36,0.5,both\na,b,36,0.7,both\na,b,44,1,both\n"
    mesh = mesh_of(tmp_path, rows)
    found = {on: links[0].delivery for on, links in mesh.by_channel.items()}
    assert found == {("a", "b", 36): 0.6, ("a", "b", 44): 1.0, ("b", "a", 36): 0.6, ("b", "a", 44): 1.0}
