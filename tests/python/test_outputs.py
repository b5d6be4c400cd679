"""What commands write: only regular files are replaced, errors keep old results, stored results run no code."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base.errors import OutputError
from hoplab.cli import output
from hoplab.report.record import RECORD
from hoplab.store import files

CHAIN = """
duration = "2 s"
[topology]
kind = "chain"
hops = 2
[[flow]]
transport = "new_reno"
from = "first"
to = "last"
"""


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("chain.toml").write_text(CHAIN.replace('"first"', "0").replace('"last"', "2"), encoding="utf-8")
    return "chain.toml"


def irregular(kind: str, place: Path) -> None:
    if kind == "a FIFO":
        os.mkfifo(place)
    elif kind == "a symbolic link":
        place.symlink_to("elsewhere.html")
    elif kind == "a directory":
        place.mkdir()
    else:
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(place))
        server.close()


@pytest.mark.parametrize("kind", ["a FIFO", "a symbolic link", "a directory", "a socket"])
@pytest.mark.parametrize(
    "command",
    [
        ["run", "chain.toml", "--pcapng", "target"],
        ["explain", "chain.toml", "--out", "target"],
        ["export", "chain.toml", "--setdest", "target"],
        ["show", "chain.toml", "--preview", "target"],
    ],
    ids=lambda words: words[0],
)
def test_force_replaces_regular_files_only(hoplab: CommandLine, chain: str, kind: str, command: list[str]) -> None:
    irregular(kind, Path("target"))
    before = Path("target").lstat()
    answer = hoplab(*command, "--force")
    assert answer.code == 74
    assert f"target: is {kind}, expected a regular file or a new name" in answer.err
    assert Path("target").lstat().st_ino == before.st_ino
    assert not Path("elsewhere.html").exists()


def test_report_does_not_replace_a_device_or_link(hoplab: CommandLine, chain: str) -> None:
    assert hoplab("run", chain, "--out", "run").code == 0
    Path("page").symlink_to("/dev/null")
    answer = hoplab("report", "run", "--out", "page", "--force")
    assert (answer.code, Path("page").is_symlink()) == (74, True)
    Path("run/report.html").unlink()
    os.mkfifo("run/report.html")
    answer = hoplab("run", chain, "--out", "run", "--force")
    assert "is a FIFO, expected a regular file" in answer.err + answer.out or answer.code == 74


def test_old_results_survive_a_full_disk(hoplab: CommandLine, chain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hoplab("run", chain, "--out", "run", "--trace").code == 0
    before = {path.name: path.read_bytes() for path in Path("run").iterdir()}
    real, count = files.sync, 0

    def full(path: Path) -> None:
        nonlocal count
        count += 1
        if count > 4 and ".hoplab-" in str(path):
            raise OSError(28, "No space left on device", str(path))
        real(path)

    monkeypatch.setattr(files, "sync", full)
    answer = hoplab("run", chain, "--set", 'duration="3 s"', "--out", "run", "--trace", "--force")
    assert (answer.code, "No space left on device" in answer.err) == (74, True)
    assert {path.name: path.read_bytes() for path in Path("run").iterdir()} == before


def test_results_of_one_run_only_remain(hoplab: CommandLine, chain: str) -> None:
    assert hoplab("run", chain, "--out", "run", "--trace").code == 0
    assert Path("run/events.parquet").exists()
    assert hoplab("run", chain, "--out", "run", "--force").code == 0
    assert not Path("run/events.parquet").exists()
    assert not [path for path in Path("run").iterdir() if path.name.startswith(".")]
    assert hoplab("report", "run").code == 0


def test_an_error_inside_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match="cannot be written"), output.staged(tmp_path) as work:
        output.fill(work, texts={"kept": "new", "no/such/folder": ""}, tables={})
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("kept", "old")]


def test_temporary_names_cannot_be_foreseen(tmp_path: Path) -> None:
    trap = tmp_path / f".page.{os.getpid()}"
    trap.symlink_to(tmp_path / "victim")
    files.replace(tmp_path / "page", b"text")
    assert not (tmp_path / "victim").exists()
    assert (tmp_path / "page").read_bytes() == b"text"
    assert (tmp_path / "page").stat().st_mode & 0o777 == 0o666 & ~files._umask()


def test_explain_runs_no_code_of_stored_results(
    hoplab: CommandLine, chain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hoplab.scenario import controllers

    marks = "import hoplab, os\nif os.environ.get('MARK'): open('proof', 'w').close()\n"
    Path("mine.py").write_text(f"{marks}class Mine(hoplab.Controller):\n    pass\n", encoding="utf-8")
    text = Path(chain).read_text(encoding="utf-8") + 'controller = "mine.py:Mine"\n'
    Path(chain).write_text(text, encoding="utf-8")
    assert hoplab("run", chain, "--out", "run").code == 0
    Path("mine.py").unlink()  # a copy is stored
    controllers._files.clear()
    monkeypatch.setenv("MARK", "1")
    for command in (["explain", "run"], ["report", "run"]):
        answer = hoplab(*command)
        assert not Path("proof").exists(), command
    refused = hoplab("explain", "run")
    assert (
        refused.code,
        "names a controller file (mine.py:Mine)" in refused.err,
        "--run-controllers" in refused.err,
    ) == (
        3,
        True,
        True,
    )
    assert hoplab("explain", "run", "--run-controllers").code == 0
    assert Path("proof").exists()
    assert answer.code == 0


@pytest.mark.parametrize(
    ("command", "is_shown"),
    [
        ("hoplab run chain.toml --set 'duration=\"2 s\"' --out run", True),
        ("hoplab run chain.toml; touch proof", False),
        ("hoplab run $(touch proof)", False),
        ("curl somewhere", False),
        ("hoplab run chain.toml \x1b[2J", False),
    ],
)
def test_a_stored_command_is_shown_only_if_plain(
    hoplab: CommandLine, chain: str, command: str, *, is_shown: bool
) -> None:
    assert hoplab("run", chain, "--out", "run").code == 0
    record = json.loads(Path("run", RECORD).read_text(encoding="utf-8"))
    Path("run", RECORD).write_text(json.dumps({**record, "command": command}), encoding="utf-8")
    assert hoplab("report", "run").code == 0
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert ("is not a plain hoplab command" not in page) == is_shown


@pytest.mark.slow
def test_too_dense_network_is_reported(hoplab: CommandLine, chain: str) -> None:
    dense = ['topology.kind="random"', "topology.nodes=6000", 'topology.area=["50 m", "50 m"]', 'duration="1 ms"']
    text = Path(chain).read_text(encoding="utf-8").replace('kind = "chain"\nhops = 2\n', "")
    Path(chain).write_text(text, encoding="utf-8")
    settings = [word for key in dense for word in ("--set", key)]
    shown = hoplab("show", chain, *settings)
    assert (shown.code, "mean degree not counted" in shown.out, "no path" in shown.out) == (0, True, False)
    assert hoplab("run", chain, *settings, "--out", "run").code == 0
    assert "not counted" in Path("run/report.html").read_text(encoding="utf-8")
