"""Movement files beside scenarios, and what Python says of movements."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab import ScenarioError
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import draw_map, movements, setdest
from hoplab.store.run_store import run_id

SETDEST = """\
$node_(0) set X_ 10
$node_(0) set Y_ 10
$node_(1) set X_ 110
$node_(1) set Y_ 10
$ns_ at 2 "$node_(0) setdest 60 10 5"
"""
REPLAY = """\
duration = "8 s"
[mobility]
kind = "setdest"
file = "{file}"
[routing]
protocol = "aodv"
[[flow]]
"""
LISTED = """
names = ["mill", "tower"]
links = [{ from = "mill", to = "tower", snr_db = 40, delivery = 0.9, way = "both" }]
"""
WALK = """\
duration = "8 s"
[topology]
kind = "random"
nodes = 12
area = ["500 m", "400 m"]
[mobility]
kind = "waypoint"
max_speed = "20 m/s"
[routing]
protocol = "aodv"
[[flow]]
"""


def replay(folder: Path, name: str = "walk.scn", content: str | bytes = SETDEST) -> Path:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    path = folder / "replay.toml"
    path.write_text(REPLAY.format(file=name))
    return path


def id_of(scenario: Scenario, seed: int = 1) -> str:
    return run_id("v", scenario.resolve().data, seed, None)


def test_a_file_is_seen_from_the_scenarios_folder(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    scenario = Scenario.from_toml(replay(tmp_path, "deep/walk.scn"))
    assert scenario.resolve().facts.nodes == 2
    way, _ = movements(scenario)
    assert way.position(1.0) == (10.0, 10.0)
    assert way.position(4.0) == (20.0, 10.0)
    assert way.position(99.0) == (60.0, 10.0)
    assert run(scenario)[0].flows[0].goodput_bps > 0


def test_a_packed_file_is_the_same(tmp_path: Path) -> None:
    plain = Scenario.from_toml(replay(tmp_path))
    packed = Scenario.from_toml(replay(tmp_path, "walk.scn.gz", gzip.compress(SETDEST.encode())))
    assert movements(packed) == movements(plain)


def test_the_parameters_of_bonnmotion_lie_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.movements.gz").write_bytes(gzip.compress(b"0 1 2 3 10 4 5 6\n0 1 2 3 10 7 8 9\n"))
    text = REPLAY.format(file="a.movements.gz").replace("setdest", "bonnmotion")
    path = tmp_path / "replay.toml"
    path.write_text(text)
    assert movements(Scenario.from_toml(path))[1].position(10.0) == (7.0, 8.0)
    (tmp_path / "a.params").write_text("J=2D\n")
    with pytest.raises(ScenarioError, match=r"a\.movements\.gz:1"):
        Scenario.from_toml(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\x00garbage", "not UTF-8 text: byte 0"),
        (b"\x1f\x8b" + b"garbage", "cannot be decompressed"),
        (SETDEST.replace("60 10 5", "nan 10 5"), 'walk.scn:5: "nan" is not finite'),
        (SETDEST.replace("$node_(1)", "$node_(2)"), "walk.scn:5: missing movement of node 1"),
        ("x" * 10_000_000, "walk.scn:1: "),
        (b"\x00" * 1_000_000, "walk.scn:1: "),
        ("", "walk.scn"),
    ],
    ids=["bytes", "packed", "nan", "missing", "long", "zeros", "empty"],
)
def test_file_error_has_its_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_toml(replay(tmp_path, content=content))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 2000


def test_a_missing_file_blames_the_key(tmp_path: Path) -> None:
    path = tmp_path / "replay.toml"
    path.write_text(REPLAY.format(file="nowhere.scn"))
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_toml(path)
    assert (caught.value.key, caught.value.line) == ("mobility.file", 4)
    assert "file not found" in str(caught.value)
    with pytest.raises(ScenarioError, match="is a directory"):
        Scenario.from_toml(path, {"mobility.file": "."})


def test_ends_of_lines_may_be_those_of_windows(tmp_path: Path) -> None:
    windows = Scenario.from_toml(replay(tmp_path, content=SETDEST.replace("\n", "\r\n")))
    assert len(movements(windows)) == 2


def test_places_of_the_file_win_with_a_warning(tmp_path: Path) -> None:
    scenario = Scenario.from_toml(
        replay(tmp_path), {"topology.kind": "positions", "topology.positions": [[0, 0], [110, 10]]}
    )
    assert scenario.resolve().data["topology"]["positions"] == [[10.0, 10.0], [110.0, 10.0]]
    (warning,) = scenario.resolve().warnings
    assert "node 0 starts at (10, 10) instead of (0, 0)" in warning


def test_run_ids_depend_on_file_content(tmp_path: Path) -> None:
    first = id_of(Scenario.from_toml(replay(tmp_path)))
    assert id_of(Scenario.from_toml(replay(tmp_path))) == first
    assert id_of(Scenario.from_toml(replay(tmp_path, content=SETDEST.replace("60", "61")))) != first


def test_runs_with_drawn_places_are_named_by_their_seed_alone() -> None:
    walk = Scenario.from_text(WALK)
    assert id_of(walk.with_(seed=5), 2) == id_of(walk, 2) != id_of(walk, 3)
    assert movements(walk, seed=2) == movements(walk.with_(seed=2)) != movements(walk, seed=3)
    assert walk.with_({"topology.placement_seed": 4}).resolve().data["topology"].get("drawn")
    still = walk.with_({"mobility.kind": "still", "topology.placement_seed": 4})
    assert "drawn" not in still.resolve().data["topology"]
    assert movements(still, seed=2) == movements(still, seed=3)


def test_what_a_run_used_is_exported_and_read_again(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "walk.toml").write_text(WALK)
    answer = hoplab("export", "walk.toml", "--setdest", "out.scn", "--seed", "3", "--set", "topology.nodes=9")
    assert (answer.code, answer.out) == (0, "out.scn\n")
    again = Scenario.from_toml(replay(tmp_path, content=(tmp_path / "out.scn").read_text()))
    original = Scenario.from_toml(tmp_path / "walk.toml", {"topology.nodes": 9})
    for ours, theirs in zip(movements(again), movements(original, seed=3), strict=True):
        for t_s in (0.0, 1.7, 5.0, 8.0):
            assert ours.position(t_s) == pytest.approx(theirs.position(t_s), abs=1e-6)
    assert setdest(original, seed=3) == (tmp_path / "out.scn").read_text()
    assert hoplab("export", "walk.toml", "--setdest", "out.scn").code == 74
    assert hoplab("export", "--setdest", "new.scn").code == 2
    assert hoplab("export", "walk.toml", "--seed", "3").code == 2


def test_a_preview_is_a_picture(hoplab: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "walk.toml").write_text(WALK)
    answer = hoplab("show", "walk.toml", "--preview", "walk.svg")
    assert (answer.code, answer.out) == (0, "walk.svg\n")
    picture = (tmp_path / "walk.svg").read_text()
    assert picture.lstrip().startswith("<?xml")
    assert "carrier sense" in picture or "<path" in picture
    assert hoplab("show", "walk.toml", "--preview", "walk.svg").code == 74
    assert hoplab("show", "walk.toml", "--preview", "walk.doc").code == 3


def test_a_map_of_listed_links_draws_no_ranges() -> None:
    from matplotlib.figure import Figure

    drawn = {}
    for kind, rest in (("positions", "positions = [[0, 0], [200, 0]]"), ("links", LISTED)):
        ax = Figure().add_subplot()
        draw_map(Scenario.from_text(f'[topology]\nkind = "{kind}"\n{rest}\n[[flow]]\n'), ax)
        circles = [patch for patch in ax.patches if type(patch).__name__ == "Circle"]
        drawn[kind] = (len(circles), [text.get_text() for text in ax.texts if text.get_text()])
    assert drawn == {"positions": (2, ["0", "1"]), "links": (0, ["mill", "tower"])}


def test_a_placement_that_does_not_exist_is_refused() -> None:
    walk = Scenario.from_text(WALK).with_({"topology.nodes": 3, "topology.connected": True, "mobility.kind": "still"})
    assert walk.resolve().facts.partitions == 1
    with pytest.raises(ScenarioError, match=r"topology\.connected: no connected placement of 3 nodes with seed 1"):
        walk.with_({"topology.area": ["100 km", "100 km"]})


def test_lists_of_plain_numbers_are_si() -> None:
    scenario = Scenario.from_dict(
        topology={"kind": "random", "nodes": 3, "area": [300, 200.5]},
        node=[{"id": 1, "radio_off": [[3, 4], [5, 6.5]]}],
        flow=[{}],
    )
    data = scenario.resolve().data
    assert data["topology"]["area_m"] == [300.0, 200.5]
    assert json.dumps(data["nodes"]) == '[{"id": 1, "radio_off_s": [[3.0, 4.0], [5.0, 6.5]]}]'


def test_comments_may_be_latin_1(tmp_path: Path) -> None:
    content = b"# M\xfcnchen\n" + SETDEST.encode()
    assert movements(Scenario.from_toml(replay(tmp_path, content=content)))[0].position(4.0) == (20.0, 10.0)


def test_statements_are_words_of_tcl(tmp_path: Path) -> None:
    content = SETDEST.replace('"$node_(0)', '"\\$node_(0)').replace("60 10 5", "60 \\\n  10 {5}")
    assert movements(Scenario.from_toml(replay(tmp_path, content=content)))[0].position(4.0) == (20.0, 10.0)
    loop = SETDEST + "for {set i 0} {$i < 2} {incr i} {\n  $node_($i) set X_ 5\n}\n"
    with pytest.raises(ScenarioError, match=r"walk\.scn:6: .* moves a node") as caught:
        Scenario.from_toml(replay(tmp_path, content=loop))
    assert "scripts are not executed" in str(caught.value)


def test_absent_nodes_are_off(tmp_path: Path) -> None:
    (tmp_path / "cars.csv").write_text('"node","x","y","t"\n0,0,0,0\n0,90,0,9\n1,50,0,2\n1,50,9,6\n')
    path = tmp_path / "cars.toml"
    path.write_text(REPLAY.format(file="cars.csv").replace("setdest", "csv"))
    scenario = Scenario.from_toml(path)
    assert "set mobility.off_when_absent = true to disable its radio" in scenario.resolve().warnings[0]
    absent = Scenario.from_toml(path, {"mobility.off_when_absent": True})
    assert absent.resolve().warnings == ()
    (node,) = [node for node in absent.resolve().data["nodes"] if node["id"] == 1]
    assert [off[0] for off in node["radio_off_s"]] == [0.0, 6.0]
    assert node["radio_off_s"][0][1] == 2.0


def test_places_that_ns_2_refuses_are_shifted(tmp_path: Path, hoplab: CommandLine) -> None:
    low = SETDEST.replace("set X_ 10", "set X_ -30").replace("60 10 5", "20 10 5")
    before = movements(Scenario.from_toml(replay(tmp_path, content=low)))
    answer = hoplab("export", "replay.toml", "--setdest", "out.scn")
    assert "shifted by (40, 0) m" in answer.err
    text = (tmp_path / "out.scn").read_text()
    assert "# shifted by (40, 0) m" in text.splitlines()[1]
    again = movements(Scenario.from_toml(replay(tmp_path, content=text)))
    for t in (0.0, 4.0, 50.0):
        assert again[0].position(t) == pytest.approx((before[0].position(t)[0] + 40.0, 10.0))
