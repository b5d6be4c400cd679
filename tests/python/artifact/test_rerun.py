"""What commands leave in a directory can be repeated from it alone, wherever it lies."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab as package
from hoplab.artifact.rerun import engine_note
from hoplab.scenario.model import Scenario
from hoplab.scenario.overriding import with_overrides
from hoplab.store.checksums import write_checksums

CHAIN = """\
# two flows over a chain
duration = "3 s"

[topology]
kind = "chain"
hops = 2

[[flow]]
transport = "new_reno"

[[flow]]
from = "last"
to = 0
start = "1 s"
"""
MINE = """\
import os
from pathlib import Path

import hoplab

if os.environ.get("MARK"):
    Path("proof").touch()


class Mine(hoplab.Controller):
    def on_ack(self, ack):
        self.cwnd = min(self.cwnd + 1.0 / self.cwnd, 6.0)
"""
COMMANDS = {
    "run": ["run", "here/chain.toml", "--seeds", "2", "--set", "topology.hops=3", "--set", "flow.1.window=4"],
    "own controller": ["run", "here/chain.toml", "--set", "flow.controller=mine.py:Mine"],
    "compare": [
        "compare", "here/chain.toml", "-t", "new_reno,mine.py:Mine", "--over", "topology.hops=1,2", "--seeds", "2",
        "--set", "flow.0.window=9",
    ],
    "sweep": ["sweep", "here/chain.toml", "--over", "flow.transport=vegas,sack", "--seeds", "2"],
}  # fmt: skip
RUNS = {"run": 2, "own controller": 1, "compare": 8, "sweep": 4}


@pytest.fixture
def moved(hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A directory of results in another place, with nothing left of what it was made from."""

    def made(name: str) -> Path:
        here = tmp_path / "here"
        here.mkdir()
        (here / "chain.toml").write_text(CHAIN, encoding="utf-8")
        (here / "mine.py").write_text(MINE, encoding="utf-8")
        answer = hoplab(*COMMANDS[name], "--out", "out", "-q")
        assert answer.code == 0, answer.err
        away = tmp_path / "elsewhere" / "results"
        away.parent.mkdir()
        shutil.move("out", away)
        shutil.rmtree(here)
        monkeypatch.chdir("/")
        return away

    return made


@pytest.mark.parametrize("name", COMMANDS)
def test_a_moved_directory_is_repeated(name: str, moved: Callable[[str], Path], hoplab: CommandLine) -> None:
    away = moved(name)
    answer = hoplab("rerun", away, "--run-controllers", "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert (found["runs"], found["equal"], found["differing"], found["note"]) == (RUNS[name], RUNS[name], [], None)
    assert hoplab("report", away).code == 0


def test_a_stored_comparison_is_a_scenario_with_all_its_freedom(
    moved: Callable[[str], Path], hoplab: CommandLine
) -> None:
    away = moved("compare")
    over = hoplab(
        "compare", away / "scenario.toml", "-t", "vegas", "--over", "topology.hops=1..5", "--seeds", "1", "--json"
    )
    assert over.code == 0, over.err
    runs = [json.loads(line) for line in over.out.splitlines()]
    assert [run["flows"][0]["dst"] for run in runs] == [1, 2, 3, 4, 5]
    assert [run["flows"][1]["src"] for run in runs] == [1, 2, 3, 4, 5]


def test_a_stored_comparison_opens_as_it_was(moved: Callable[[str], Path]) -> None:
    comparison = package.open_comparison(moved("compare"))
    assert list(comparison.names.values()) == ["new_reno", "Mine"]
    assert (comparison.seeds, comparison.axes) == ((1, 2), {"topology.hops": (1, 2)})
    again = package.compare(
        comparison.scenario, comparison.transports, over={"topology.hops": [1, 2]}, seeds=comparison.seeds
    )
    assert [run.fingerprint for point in again.points for run in point.runs] == [
        run.fingerprint for point in comparison.points for run in point.runs
    ]


@pytest.mark.parametrize("name", ["own controller", "compare"])
def test_code_of_others_is_executed_with_consent_only(
    name: str, moved: Callable[[str], Path], hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from hoplab.scenario import controllers

    away = moved(name)
    controllers._files.clear()
    monkeypatch.setenv("MARK", "1")
    monkeypatch.chdir(tmp_path)
    refused = hoplab("rerun", away)
    assert refused.code == 3
    assert "names a controller file (mine.py), which rerun would execute" in refused.err
    assert "--run-controllers" in refused.err
    assert hoplab("report", away).code == 0
    assert not Path("proof").exists()
    assert hoplab("rerun", away, "--run-controllers").code == 0
    assert Path("proof").exists()


def test_explain_asks_for_rate_controllers_too(hoplab: CommandLine, tmp_path: Path) -> None:
    rates = "import hoplab\n\n\nclass Slow(hoplab.RateController):\n    pass\n"
    Path("rates.py").write_text(rates, encoding="utf-8")
    Path("chain.toml").write_text(CHAIN, encoding="utf-8")
    keys = ("profile=std", "radio.standard=11a", "radio.rx_model=sinr", "mac.rate_controller=rates.py:Slow")
    answer = hoplab("run", "chain.toml", *(word for key in keys for word in ("--set", key)), "--out", "out")
    assert answer.code == 0, answer.err
    Path("rates.py").unlink()  # a copy is stored
    refused = hoplab("explain", "out")
    assert (refused.code, "(rates.py:Slow), which explain would execute" in refused.err) == (3, True)
    refused = hoplab("rerun", "out")
    assert (refused.code, "(rates.py), which rerun would execute" in refused.err) == (3, True)
    assert hoplab("rerun", "out", "--run-controllers").code == 0


def test_runs_that_differ_are_named(moved: Callable[[str], Path], hoplab: CommandLine) -> None:
    away = moved("compare")
    lines = (away / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    run = json.loads(lines[5])
    run["fingerprint"], run["fingerprints"]["transport"] = "0" * 16, "1" * 16
    lines[5] = json.dumps(run)
    (away / "runs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    damaged = hoplab("rerun", away, "--run-controllers")
    assert (damaged.code, "runs.jsonl: checksum mismatch" in damaged.err) == (3, True)
    write_checksums(away)
    answer = hoplab("rerun", away, "--run-controllers")
    assert answer.code == 5
    first, second = answer.out.splitlines()
    assert "7 of 8 runs of hoplab compare have the stored fingerprint" in first
    assert second.startswith("  new_reno, topology.hops = 2, seed 2: ")
    assert second.endswith("stored 0000000000000000; other events of transport")


def test_a_missing_copy_is_named(moved: Callable[[str], Path], hoplab: CommandLine) -> None:
    away = moved("compare")
    (copy,) = away.glob("files/*/mine.py")
    copy.unlink()
    for command in (["rerun", away, "--run-controllers"], ["report", away]):
        answer = hoplab(*command)
        assert answer.code == 3
        assert f"{away}: controller files/{copy.parent.name}/mine.py not found: its copy is missing" in answer.err


def test_a_comparison_of_an_older_version_says_what_is_missing(
    moved: Callable[[str], Path], hoplab: CommandLine
) -> None:
    """Up to 0.2 a comparison named its controllers where they were."""
    away = moved("compare")
    (copy,) = away.glob("files/*/mine.py")
    for name in ("provenance.json", "runs.jsonl"):
        text = (away / name).read_text(encoding="utf-8")
        (away / name).write_text(text.replace(f"files/{copy.parent.name}/mine.py", "mine.py"), encoding="utf-8")
    write_checksums(away)
    answer = hoplab("rerun", away)
    assert (answer.code, "controller mine.py not found: the directory has no copy of it" in answer.err) == (3, True)


def move_away(folder: str, tmp_path: Path, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory in another place, and these files of the current one removed."""
    away = tmp_path / "elsewhere"
    shutil.move(folder, away)
    for name in names:
        Path(name).unlink()
    monkeypatch.chdir("/")
    return away


def test_sizes_of_workloads_and_kept_transports_are_stored(
    hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = """
[[workload]]
kind = "poisson"
from = 0
to = 2
transport = "tcp_cubic"
size = { file = "sizes.txt" }
rate = "2 /s"
"""
    Path("sizes.txt").write_text("1000 0.5\n8000 1.0\n", encoding="utf-8")
    Path("mine.py").write_text(MINE, encoding="utf-8")
    Path("users.toml").write_text(CHAIN + users, encoding="utf-8")
    words = ["-t", "vegas,mine.py:Mine", "--keep-workloads", "--seeds", "2", "--out", "out"]
    answer = hoplab("compare", "users.toml", *words)
    assert answer.code == 0, answer.err
    away = move_away("out", tmp_path, ("sizes.txt", "mine.py", "users.toml"), monkeypatch)
    assert hoplab("rerun", away, "--run-controllers").code == 0
    assert hoplab("report", away).code == 0
    again = hoplab("compare", away / "scenario.toml", "-t", "vegas", "--seeds", "1", "--json")
    assert again.code == 0, again.err


def test_files_of_an_axis_are_stored(hoplab: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, x in (("near.tcl", 110.0), ("far.tcl", 210.0)):
        moves = f"$node_(0) set X_ 10.0\n$node_(0) set Y_ 10.0\n$node_(1) set X_ {x}\n$node_(1) set Y_ 10.0\n"
        Path(name).write_text(moves, encoding="utf-8")
    moving = '[mobility]\nkind = "setdest"\nfile = "near.tcl"\n[[flow]]\nfrom = 0\nto = 1\n'
    Path("m.toml").write_text(f'duration = "2 s"\n{moving}', encoding="utf-8")
    words = ["-t", "new_reno,vegas", "--over", "mobility.file=near.tcl,far.tcl", "--seeds", "1", "--out", "out"]
    assert hoplab("compare", "m.toml", *words).code == 0
    away = move_away("out", tmp_path, ("near.tcl", "far.tcl", "m.toml"), monkeypatch)
    answer = hoplab("rerun", away)
    assert (answer.code, "4 of 4 runs" in answer.out) == (0, True), answer.err
    assert hoplab("report", away).code == 0


def test_a_missing_movement_file_is_named(hoplab: CommandLine) -> None:
    moves = "$node_(0) set X_ 10.0\n$node_(0) set Y_ 10.0\n$node_(1) set X_ 110.0\n$node_(1) set Y_ 10.0\n"
    Path("moves.tcl").write_text(moves, encoding="utf-8")
    Path("m.toml").write_text(
        'duration = "2 s"\n[mobility]\nkind = "setdest"\nfile = "moves.tcl"\n[[flow]]\nfrom = 0\nto = 1\n',
        encoding="utf-8",
    )
    assert hoplab("compare", "m.toml", "-t", "new_reno,vegas", "--seeds", "1", "--out", "c").code == 0
    assert hoplab("sweep", "m.toml", "--seeds", "1", "--out", "s").code == 0
    assert hoplab("rerun", "c").code == 0
    assert hoplab("rerun", "s").code == 0
    for folder in ("c", "s"):
        (copy,) = Path(folder).glob("files/*/moves.tcl")
        copy.unlink()
        answer = hoplab("rerun", folder)
        assert (answer.code, "moves.tcl" in answer.err, "not found" in answer.err) == (3, True, True)


def test_a_partial_sweep_is_repeated_as_far_as_it_goes(moved: Callable[[str], Path], hoplab: CommandLine) -> None:
    away = moved("sweep")
    runs = sorted((away / "runs").iterdir())
    shutil.rmtree(runs[0])
    answer = hoplab("rerun", away)
    assert (answer.code, "3 of 3 runs" in answer.out, "1 planned runs" in answer.err) == (4, True, True)
    (runs[1] / "result.json").write_text("{}", encoding="utf-8")
    answer = hoplab("rerun", away)
    assert (answer.code, "checksum mismatch in 1 of 3 stored runs" in answer.err) == (3, True)


@pytest.mark.parametrize(
    ("stored", "present", "says"),
    [
        ("0.2.0+t6", "0.2.0+t6", None),
        ("0.2.0+t6", "0.3.0+t6", "no run should differ"),
        ("0.2.0+t5", "0.3.0+t6", "hoplab 0.2.0 repeats them"),
        ("", "0.3.0+t6", "does not say which engine"),
    ],
)
def test_another_engine_is_mentioned(stored: str, present: str, says: str | None) -> None:
    note = engine_note(stored, present)
    assert note is None if says is None else says in str(note)


def test_an_older_engine_is_read_from_the_record(moved: Callable[[str], Path], hoplab: CommandLine) -> None:
    away = moved("run")
    record = json.loads((away / "provenance.json").read_text(encoding="utf-8"))
    for key in ("seeds", "keep_workloads", "engine"):  # keys of 0.3
        del record[key]
    record["environment"][0][1] = "0.1.0 (engine 0.1.0+t1)"
    (away / "provenance.json").write_text(json.dumps(record), encoding="utf-8")
    answer = hoplab("rerun", away)
    assert answer.code == 0
    assert "warning: stored by engine 0.1.0+t1" in answer.err


def test_other_directories_are_refused(hoplab: CommandLine, tmp_path: Path) -> None:
    for folder, says in (("absent", "directory not found"), (".", "provenance.json is missing")):
        answer = hoplab("rerun", folder)
        assert (answer.code, says in answer.err) == (3, True)


@pytest.mark.parametrize(
    "overrides",
    [
        (),
        (("topology.hops", "5"), ("flow.transport", "vegas")),
        (("flow.1.window", "4"), ("node.1.mac.ssrl", "5"), ("duration", "2 s")),
        (("mac.data_rate", "11 Mb/s"), ("name", '"a # b"')),
    ],
)
def test_overrides_are_written_into_the_text(overrides: tuple[tuple[str, str], ...]) -> None:
    scenario = Scenario(CHAIN, "chain.toml", overrides)
    text = with_overrides(scenario)
    assert Scenario(text, "chain.toml").resolve().data == scenario.resolve().data
    assert "to = 0" in text
    assert '"last"' in text, "defaults and names of ends are as given"
    assert overrides or text == CHAIN


@pytest.mark.parametrize("tables", [{"topology": {"kind": "square"}}, {"topology": {"kind": "chain"}, "flow": [{}]}])
def test_a_text_of_another_meaning_is_not_stored(tables: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    from hoplab.scenario import overriding

    scenario = Scenario(CHAIN, "chain.toml", (("topology.hops", "5"),))
    monkeypatch.setattr(overriding, "overridden", lambda *_: tables)
    assert with_overrides(scenario) == scenario.resolve().toml


def test_controllers_of_workloads_are_kept_and_asked_for(hoplab: CommandLine, tmp_path: Path) -> None:
    Path("mine.py").write_text("import hoplab\n\n\nclass Mine(hoplab.Controller):\n    pass\n", encoding="utf-8")
    workload = 'kind = "web"\nfrom = 0\nto = 1\ncount = 1\ntransport = "tcp_reno"\ncontroller = "mine.py:Mine"\n'
    text = f'duration = "10 s"\n[topology]\nkind = "chain"\nhops = 1\n[[workload]]\n{workload}'
    Path("web.toml").write_text(text, encoding="utf-8")
    answer = hoplab("run", "web.toml", "--out", "out")
    assert answer.code == 0, answer.err
    Path("mine.py").unlink()  # a copy is stored
    for command in ("explain", "rerun"):
        refused = hoplab(command, "out")
        assert refused.code == 3
        assert f"which {command} would execute" in refused.err
        assert "mine.py" in refused.err
    assert hoplab("rerun", "out", "--run-controllers").code == 0
