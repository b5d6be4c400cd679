"""Names and texts of foreign files: whatever they hold, they write no key, no control character and no formula."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hoplab
from hoplab.base.errors import InputError
from hoplab.scenario.importing import Imported, Mesh, Node, read, to_files
from hoplab.scenario.importing.mesh import Link

HOSTILE = [
    "=1+1",
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "\uff1d1",
    "\x1b[2Ja",
    "a\nmac.ssrl = 3\n#",
    "\u202eabc",
    "\ud800",
    "#a",
    " a ",
]


def chain(names: list[str]) -> Mesh:
    mesh = Mesh("csv")
    for name in names:
        mesh.add_node(Node(name))
    for a, b in pairwise(names):
        mesh.both(a, b, Link(power_dbm=-60.0))
    return mesh


def loaded(folder: Path, found: Imported) -> hoplab.Scenario:
    for name, text in found.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return hoplab.Scenario.from_toml(folder / "scenario.toml")


def is_clean(text: str) -> bool:
    return all(letter.isprintable() or letter == "\n" for letter in text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_load_and_are_no_formula(tmp_path: Path, name: str) -> None:
    found = to_files(chain([name, "b", f"{name}2", "c"]), source="m.csv")
    names = loaded(tmp_path, found).resolve().data["topology"]["names"]
    assert len(names) == 4
    for file in ("mesh.links.csv", "nodes.csv"):
        assert is_clean(found.texts[file])
        cells = {
            cell
            for row in csv.DictReader(io.StringIO(found.texts[file]))
            for key, cell in row.items()
            if key in {"from", "to", "name"}
        }
        assert cells == set(names)
        assert not any(cell[:1] in "=+-@\uff1d\uff0b\uff0d\uff20" for cell in cells)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), min_size=1, max_size=8), min_size=2, max_size=4, unique=True))
def test_any_names_load(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    found = to_files(chain(names), source="m.csv")
    loaded(tmp_path_factory.mktemp("names"), found)
    assert all(is_clean(text) for text in found.texts.values())


@pytest.mark.parametrize(
    "source", ["x\nmac.ssrl = 3\n#.csv", "x\rmac.ssrl = 3", "x\u2028y", "x\x85y", "\x1b]0;t\x07.csv", "\udcff.csv"]
)
def test_name_of_the_file_writes_no_key(source: str) -> None:
    found = to_files(chain(["a", "b"]), source=source)
    assert set(tomllib.loads(found.texts["scenario.toml"])) == {"name", "duration", "topology", "radio", "flow"}
    assert all(is_clean(text) for text in found.texts.values())
    assert found.texts["scenario.toml"].splitlines()[0].startswith("# mesh of ")


def test_file_with_a_newline_in_its_name_changes_no_setting(hoplab: Any, tmp_path: Path) -> None:
    path = tmp_path / "x\nmac.ssrl = 3\n#.csv"
    path.write_text("from,to,power_dbm,way\na,b,-60,both\n")
    assert hoplab("import", str(path), "--out", "mesh").code == 0
    assert "ssrl" not in tomllib.loads((tmp_path / "mesh" / "scenario.toml").read_text()).get("mac", {})


TEXT = "a\x1b[2J\u202e\ud800\nb"


@pytest.mark.parametrize(
    ("whole", "more"),
    [
        ({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": TEXT}}]}, {}),
        (
            {
                "nodes": [{"node_id": "a"}, {"node_id": "b"}],
                "links": [{"type": TEXT, "source": "a", "target": "b", "source_tq": 1}],
            },
            {},
        ),
        (
            {
                "nodes": [{"node_id": "a"}, {"node_id": "b"}],
                "links": [{"type": TEXT, "source": "a", "target": "b", "source_tq": 1}],
            },
            {"types": ["wifi"]},
        ),
        ({"type": "NetworkGraph", "metric": TEXT, "nodes": [], "links": []}, {}),
        ({"type": "NetworkGraph", "protocol": TEXT, "metric": "none", "nodes": [], "links": []}, {}),
        ({"type": TEXT, "nodes": [], "links": []}, {"format": "netjson"}),
    ],
)
def test_texts_of_files_are_escaped_in_messages(tmp_path: Path, whole: Any, more: dict[str, Any]) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError) as error:
        to_files(read(path, **more), source="m.json")
    message = str(error.value)
    assert is_clean(message)
    assert all(is_clean(line) for line in getattr(error.value, "dropped", ()))


def test_columns_of_tables_are_escaped_in_reports(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text('from,to,power_dbm,"\x1b[2J\nx"\na,b,-60,1\nb,a,-60,1\n')
    found = to_files(read(path), source="m.csv")
    assert is_clean(found.texts["import.md"])
    path.write_text('"\x1b[2J",y\n1,2\n')
    with pytest.raises(InputError) as error:
        read(path)
    assert is_clean(error.value.message)
