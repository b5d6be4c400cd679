"""What is stored can be run again wherever it lies, and tells nothing of the machine."""

from __future__ import annotations

import json
import os
import platform
import shutil
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab as package
from hoplab.base.shareable import shareable, shareable_command
from hoplab.report.record import read_record
from hoplab.store.kept_files import named_keys
from hoplab.store.run_store import RunStore

MOVES = """\
$node_(0) set X_ 10.0
$node_(0) set Y_ 10.0
$node_(1) set X_ 110.0
$node_(1) set Y_ 10.0
$ns_ at 1.0 "$node_(1) setdest 120.0 10.0 1.0"
"""
BONN = "0 10 10 10 20 10\n0 110 10 10 120 10\n"
CONTROLLER = "from hoplab import Controller\nclass Mine(Controller):\n    pass\n"
FAILING = CONTROLLER.replace("pass", "def on_ack(self, ack): raise ValueError('no')")
TRAFFIC = """\
set udp_(0) [new Agent/UDP]
$ns_ attach-agent $node_(0) $udp_(0)
set null_(0) [new Agent/Null]
$ns_ attach-agent $node_(1) $null_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set packetSize_ 512
$cbr_(0) set interval_ 0.25
$cbr_(0) set maxpkts_ 10000
$cbr_(0) attach-agent $udp_(0)
$ns_ connect $udp_(0) $null_(0)
$ns_ at 0.5 "$cbr_(0) start"
"""
CHAIN = '[topology]\nkind = "chain"\nhops = 1\n'
MOVING = '[mobility]\nkind = "{kind}"\nfile = "{file}"\n[[flow]]\nfrom = 0\nto = 1\n'
SCENARIOS = {
    "movements": (MOVING.format(kind="setdest", file="input/good.tcl"), {"good.tcl": MOVES}),
    "bonnmotion": (
        MOVING.format(kind="bonnmotion", file="input/a.movements"),
        {"a.movements": BONN, "a.params": "x=1000\ny=1000\nduration=5\n"},
    ),
    "controller": (f'{CHAIN}[[flow]]\ncontroller = "input/mine.py:Mine"\n', {"mine.py": CONTROLLER}),
    "two controllers": (
        (f'{CHAIN}[[flow]]\ncontroller = "input/mine.py:Mine"\nfrom = 0\nto = 1\n'
        '[[flow]]\ncontroller = "input/b.py:Mine"\nfrom = 1\nto = 0\n'),
        {"mine.py": CONTROLLER, "b.py": CONTROLLER + "# another\n"},
    ),
    "traffic": (f'{CHAIN}[traffic]\nfile = "input/cbr.tcl"\n', {"cbr.tcl": TRAFFIC}),
    "drawn controller": (
        (f'{CHAIN}[traffic]\nkind = "tcp"\nconnections = 1\nstart_window = "1 s"\n'
        'controller = "input/mine.py:Mine"\n'), {"mine.py": CONTROLLER}
    ),
}  # fmt: skip


@pytest.fixture(params=SCENARIOS)
def scenario(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    text, files = SCENARIOS[request.param]
    return place_scenario(tmp_path, text, files)


def place_scenario(folder: Path, text: str, files: dict[str, str]) -> Path:
    (folder / "input").mkdir()
    for name, content in files.items():
        (folder / "input" / name).write_text(content)
    (folder / "m.toml").write_text(f'duration = "3 s"\n{text}')
    return folder / "m.toml"


def move_away(folder: Path, results: Path) -> Path:
    """Results in another directory, with nothing left of what they were made from."""
    away = folder / "elsewhere"
    shutil.move(results, away)
    shutil.rmtree(folder / "input")
    (folder / "m.toml").unlink()
    return away


@pytest.mark.parametrize("absolute", [False, True])
def test_runs_of_a_sweep_can_be_run_again(absolute: bool, scenario: Path, hoplab: CommandLine, tmp_path: Path) -> None:
    given = scenario if absolute else "m.toml"
    answer = hoplab("sweep", given, "--out", "s", "--seeds", "2")
    assert answer.code == 0, answer.err
    fingerprints = {run["seed"]: run["fingerprint"] for run in stored_results(tmp_path / "s")}
    away = move_away(tmp_path, tmp_path / "s")
    for place in (away / "runs").iterdir():
        again = hoplab("run", place / "scenario.toml", "--json")
        assert again.code == 0, again.err
        run = json.loads(again.out)
        assert run["fingerprint"] == fingerprints[run["seed"]]
    assert hoplab("report", away, "--force").code == 0


@pytest.mark.parametrize("command", [["run"], ["compare", "-t", "new_reno,vegas"]])
def test_results_of_a_run_can_be_run_again(
    command: list[str], scenario: Path, hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command[0] == "compare" and 'transport = "udp"' in scenario.read_text():
        pytest.skip("datagrams have transports: no names")
    answer = hoplab(command[0], "m.toml", *command[1:], "--seeds", "2", "--out", "o")
    assert answer.code == 0, answer.err
    away = move_away(tmp_path, tmp_path / "o")
    monkeypatch.chdir(away.parent.parent)
    assert hoplab("report", away, "--force").code == 0
    again = hoplab("run", away / "scenario.toml", "--json")
    assert again.code == 0, again.err
    if command[0] == "run":
        first = json.loads((away / "runs.jsonl").read_text().splitlines()[0])
        assert json.loads(again.out)["fingerprint"] == first["fingerprint"]
        record = read_record(away)
        assert record is not None
        assert record.scenario is not None
        assert package.run(record.scenario)[0].fingerprint == first["fingerprint"]


def test_a_failed_run_can_be_repeated(hoplab: CommandLine, tmp_path: Path) -> None:
    place_scenario(tmp_path, f'{CHAIN}[[flow]]\ncontroller = "input/mine.py:Mine"\n', {"mine.py": FAILING})
    assert hoplab("sweep", tmp_path / "m.toml", "--out", "s").code == 4
    away = move_away(tmp_path, tmp_path / "s")
    (failure,) = package.open(away).failures
    answer = hoplab(*failure.replay.split()[1:])
    assert answer.code == 3
    assert "ValueError: no" in answer.err
    assert str(tmp_path) not in (away / "failed" / failure.id / "failure.json").read_text()


def test_equal_files_are_stored_once(hoplab: CommandLine, tmp_path: Path) -> None:
    place_scenario(tmp_path, *SCENARIOS["movements"])
    assert hoplab("sweep", "m.toml", "--out", "s", "--seeds", "4").code == 0
    assert [path.name for path in (tmp_path / "s" / "files").rglob("*.tcl")] == ["good.tcl"]


@pytest.mark.parametrize("command", ["run", "compare -t vegas,reno", "sweep"])
def test_shared_files_name_neither_machine_nor_folder(
    command: str, hoplab: CommandLine, chain: Path, tmp_path: Path
) -> None:
    word, *options = command.split()
    out = tmp_path / "out"
    assert hoplab(word, chain, *options, "--seeds", "2", "--set", "duration=1 s", "--out", out).code == 0
    if word == "sweep":
        assert hoplab("report", out, "--force").code == 0
    host = platform.node()
    for place in out.rglob("*"):
        if place.is_file() and place.suffix in {".json", ".toml", ".html", ".jsonl"}:
            text = place.read_text(encoding="utf-8")
            assert str(tmp_path) not in text, place
            assert len(host) < 4 or f'"{host}"' not in text, place


def test_paths_are_shortened_where_they_tell_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shareable(tmp_path / "a" / "b.toml") == os.path.join("a", "b.toml")  # noqa: PTH118
    assert shareable("../b.toml") == "../b.toml"
    assert shareable("/nowhere/of/mine/b.toml") == "b.toml"
    words = ["hoplab", "run", str(tmp_path / "a b.toml"), "--out=/x/y", "--set", "a=/b", "-q"]
    assert shareable_command(words) == "hoplab run 'a b.toml' --out=y --set a=/b -q"


def test_keys_that_name_files_follow_overrides() -> None:
    text = '[mobility]\nfile = "a.tcl"\n[traffic]\ncontroller = "t.py:T"\n[[flow]]\n[[flow]]\ncontroller = "f.py:F"\n'
    assert named_keys(text) == {
        "mobility.file": "a.tcl", "traffic.controller": "t.py:T", "flow.1.controller": "f.py:F",
    }  # fmt: skip
    over = (("flow.controller", "g.py:G"), ("mobility.file", '"b.tcl"'), ("traffic.controller", "none"))
    assert named_keys(text, over) == {
        "mobility.file": "b.tcl", "flow.0.controller": "g.py:G", "flow.1.controller": "g.py:G",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["sweep", "report", "query"])
def test_a_store_of_a_newer_format_is_refused(command: str, hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    assert hoplab("sweep", "chain.toml", "--set", "duration=1 s", "--out", "s").code == 0
    plan = tmp_path / "s" / "sweep.json"
    newer = plan.read_text().replace('"format": 1', '"format": 2')
    plan.write_text(newer)
    line = {"sweep": ["chain.toml", "--out", "s"], "report": ["s", "--force"], "query": ["SELECT 1", "s"]}[command]
    answer = hoplab(command, *line)
    assert answer.code != 0
    assert "format 2, expected 1" in answer.err
    assert "update hoplab" in answer.err
    assert plan.read_text() == newer


@pytest.mark.parametrize("command", ["sweep", "report"])
def test_a_manifest_of_another_format_is_refused(
    command: str, hoplab: CommandLine, chain: Path, tmp_path: Path
) -> None:
    from hoplab.store import files
    from hoplab.store.run_store import canonical

    assert hoplab("sweep", "chain.toml", "--set", "duration=1 s", "--out", "s").code == 0
    (place,) = (tmp_path / "s" / "runs").glob("*/manifest.json")
    manifest = json.loads(place.read_text())
    manifest["format"] = 2
    del manifest["checksum"]
    manifest["checksum"] = files.digest(canonical(manifest))
    place.write_bytes(canonical(manifest))
    line = {"sweep": ["chain.toml", "--set", "duration=1 s", "--out", "s"], "report": ["s", "--force"]}[command]
    answer = hoplab(command, *line)
    assert answer.code == 3
    assert "format 2, expected 1" in answer.err
    assert json.loads(place.read_text()) == manifest


def test_a_store_of_another_engine_is_refused_without_force(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    line = ["sweep", "chain.toml", "--set", "duration=1 s", "--out", "s"]
    assert hoplab(*line).code == 0
    plan = tmp_path / "s" / "sweep.json"
    engine = json.loads(plan.read_text())["engine"]
    assert "+t" in engine
    old = plan.read_text().replace(engine, "0.1.0")
    plan.write_text(old)
    answer = hoplab(*line)
    assert answer.code == 74
    assert "holds runs of engine 0.1.0" in answer.err
    assert plan.read_text() == old
    assert hoplab(*line, "--force").code == 0
    assert json.loads(plan.read_text())["engine"] == engine


def test_versions_show_the_trajectory_number(hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    assert "(engine " in hoplab("--version").out
    assert "+t" in hoplab("--version").out
    assert hoplab("sweep", "chain.toml", "--set", "duration=1 s", "--out", "s").code == 0
    (run,) = package.open(tmp_path / "s").done
    manifest = RunStore(tmp_path / "s").manifest(run)
    assert manifest is not None
    assert "+t" in manifest["engine"]


def stored_results(root: Path) -> list[dict[str, object]]:
    return [json.loads(place.read_text()) for place in (root / "runs").glob("*/result.json")]
