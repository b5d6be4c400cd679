"""`hoplab import`: what it writes loads, and a refusal says what was dropped before it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from hoplab.base.errors import InputError
from hoplab.scenario.importing import read, to_files
from hoplab.scenario.importing.formats import KEYS

SWAPPED = "name,lat,lon\na,48.40,9.98\nb,48.401,9.981\nc,9.982,48.402\nd,48.402,9.982\n"


def graph(places: list[tuple[float, float] | None]) -> dict[str, Any]:
    nodes = [
        {"id": f"n{i}", **({} if place is None else {"properties": {"lat": place[0], "lon": place[1]}})}
        for i, place in enumerate(places)
    ]
    links = [{"source": f"n{i}", "target": f"n{i + 1}", "cost": 1.5} for i in range(len(places) - 1)]
    return {"type": "NetworkGraph", "protocol": "OLSR", "metric": "ETX", "nodes": nodes, "links": links}


def test_misplaced_node_is_dropped_and_the_rest_loads(hoplab: Any, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(SWAPPED)
    answer = hoplab("import", "m.csv", "--out", "mesh")
    assert answer.code == 0
    assert "dropped: 1 misplaced nodes, far from all others (are latitude and longitude swapped?)" in answer.err
    assert hoplab("show", "mesh/scenario.toml").out.startswith("m: 3 nodes (places), connected")


def test_misplaced_node_with_links_stays_without_its_place(hoplab: Any, tmp_path: Path) -> None:
    near: list[tuple[float, float] | None] = [(48.40, 9.98), (48.401, 9.981), (48.402, 9.98)]
    (tmp_path / "m.json").write_text(json.dumps(graph([*near, (9.98, 48.403)])))
    answer = hoplab("import", "m.json", "--out", "mesh")
    assert (answer.code, "dropped: 1 misplaced nodes" in answer.err) == (0, True)
    # Links between places that are known keep their distances.
    rows = (tmp_path / "mesh" / "mesh.links.csv").read_text().splitlines()
    assert rows[0] == "from,to,delivery,distance_m"
    assert [row.split(",")[3] for row in rows[1:]] == ["133.5", "133.5", "133.5", "133.5", "", ""]


def test_places_on_both_sides_of_the_date_line_are_near(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(graph([(-17.0, 179.999), (-17.0, -179.999), None])))
    found = to_files(read(tmp_path / "m.json"), source="m.json")
    assert not found.dropped
    assert found.texts["mesh.links.csv"].splitlines()[1].endswith(",212.7")


def test_network_wider_than_a_plane_loads_without_places(hoplab: Any, tmp_path: Path) -> None:
    wide: list[tuple[float, float] | None] = [(48.0, 9.0), (48.0, 9.1), (50.0, 9.0), (50.0, 9.1)]
    (tmp_path / "m.json").write_text(json.dumps(graph(wide)))
    answer = hoplab("import", "m.json", "--out", "mesh")
    assert (answer.code, "dropped: 4 places: the network extends over more than 100 km" in answer.err) == (0, True)
    (tmp_path / "m.csv").write_text("name,lat,lon\na,48,9\nb,48,9.1\nc,50,9\nd,50,9.1\n")
    answer = hoplab("import", "m.csv", "--out", "wide")
    assert (answer.code, "places extend over" in answer.err, (tmp_path / "wide").exists()) == (3, True, False)


def test_refusal_says_what_was_dropped_and_writes_nothing(hoplab: Any, tmp_path: Path) -> None:
    whole = graph([None, None])
    whole["links"][0]["cost"] = 1 << 22
    (tmp_path / "m.json").write_text(json.dumps(whole))
    answer = hoplab("import", "m.json", "--out", "mesh")
    assert answer.code == 3
    assert "dropped: 1 broken links of infinite cost\n" in answer.err
    assert not (tmp_path / "mesh").exists()
    edge = {"lastHopIP": "a", "destinationIP": "b", "linkQuality": 7, "neighborLinkQuality": 1}
    (tmp_path / "m.json").write_text(json.dumps({"topology": [edge]}))
    assert "dropped: 1 links without qualities from 0 to 1\n" in hoplab("import", "m.json", "--out", "mesh").err


def test_scenario_that_does_not_load_is_not_written(hoplab: Any, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(graph([None, None])))
    answer = hoplab("import", "m.json", "--out", "mesh", "--fill", "refuse")
    assert answer.code == 3
    assert (
        "m.json: the mesh makes no valid scenario; nothing is written\nmesh.links.csv:2: power: power of 2 links"
        in answer.err
    )
    assert not (tmp_path / "mesh").exists()


@pytest.mark.parametrize(
    "whole",
    [
        {"type": [], "nodes": [], "links": []},
        {"type": {}, "nodes": [], "links": []},
        {"rows": [{"value": {"id": "a", "links": 5}}]},
        {"vis": [{"primary": "a", "secondary": 5, "neighbors": []}]},
        {"vis": [{"primary": "a", "secondary": [{"a": 1}], "neighbors": []}]},
        {"vis": 5},
        {"topology": [], "mid": [{"ipAddress": "a", "aliases": 5}]},
        {"topology": [], "mid": 5},
        {"topology": 5},
        {"type": "NetworkGraph", "metric": "ETX", "nodes": [{"id": "a", "local_addresses": 5}], "links": []},
        {"type": "NetworkGraph", "metric": "ETX", "nodes": [], "links": 5},
        {"type": "NetworkGraph", "metric": ["ETX"], "nodes": 5, "links": []},
        {"type": "NetworkCollection", "collection": 5},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "\ud800"}}]},
        {"type": "FeatureCollection", "features": [{"geometry": {"type": ["Point"], "coordinates": 5}}]},
        {"type": "FeatureCollection", "features": 5},
        [{"neigh_address": [], "orig_address": []}],
        [{"neigh_address": "a"}, 5],
        [{"latitude": []}],
        [],
        {},
    ],
)
def test_other_structures_are_input_errors(hoplab: Any, tmp_path: Path, whole: Any) -> None:
    (tmp_path / "m.json").write_text(json.dumps(whole))
    answer = hoplab("import", "m.json", "--out", "mesh")
    assert (answer.code, "internal error" in answer.err) == (3, False)


def test_time_is_linear_in_links(tmp_path: Path) -> None:
    def seconds(pairs: int) -> float:
        path = tmp_path / "m.csv"
        path.write_text("from,to,power_dbm,way\n" + "".join(f"\x01a{i},\x01b{i},-70,both\n" for i in range(pairs)))
        begin = time.process_time()
        to_files(read(path), source="m.csv", keep="all")
        return time.process_time() - begin

    # Ten times the pairs took a hundred times as long.
    assert seconds(20_000) < 40.0 * max(seconds(2_000), 0.02)


def test_anonymous_refusal_has_no_name(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps(graph([(48.4, 9.98), (48.401, 9.98), (9.98, 48.4)])))
    found = to_files(read(tmp_path / "m.json"), source="m.json", anonymous=True)
    assert not any(word in text for text in found.texts.values() for word in ("48.4", "9.98", "m.json"))
    (tmp_path / "m.csv").write_text("from,to\n")
    with pytest.raises(InputError, match="no nodes"):
        read(tmp_path / "m.csv")


def test_unknown_json_is_shown_the_keys_of_each_format(hoplab: Any, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"foo": [1]}')
    answer = hoplab("import", "m.json", "--out", "mesh")
    assert answer.code == 3
    assert "m.json: format not recognized" in answer.err
    assert {*KEYS} <= {line.split(":")[0].strip() for line in answer.err.splitlines()}
    (tmp_path / "m.json").write_text('{"vis": [{"prim": "a", "near": []}]}')
    answer = hoplab("import", "m.json", "--out", "mesh")
    assert answer.err.endswith(f"hint: expected {KEYS['batadv-vis']}\n")
    (tmp_path / "m.json").write_text("neither")
    assert hoplab("import", "m.json", "--out", "mesh").err.endswith("hint: name it with --format\n")
