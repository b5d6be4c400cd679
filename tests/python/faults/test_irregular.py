"""What is no regular file is not read: a FIFO would wait for ever, a device would never end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base import regular_files
from hoplab.base.errors import EXIT_INPUT

COMMANDS = (["run"], ["show"], ["sweep"], ["explain"], ["compare", "-t", "vegas"], ["estimate"])
KINDS = ("fifo", "zero", "null", "socket", "folder")
# A directory is what `explain` takes: of results.
CASES = [(kind, command) for kind in KINDS for command in COMMANDS if (kind, command[0]) != ("folder", "explain")]


@pytest.mark.parametrize(("kind", "command"), CASES, ids=[f"{kind}-{command[0]}" for kind, command in CASES])
def test_a_scenario_that_is_no_file_is_named(
    kind: str, command: list[str], hoplab: CommandLine, tmp_path: Path
) -> None:
    place = irregular(tmp_path, kind)
    answer = hoplab(command[0], place, *command[1:])
    assert answer.code == EXIT_INPUT
    assert kind_words(kind) in answer.err


@pytest.mark.parametrize("key", ["mobility.file", "traffic.file", "controller"])
@pytest.mark.parametrize("kind", ["fifo", "zero", "socket", "folder"])
def test_a_file_that_a_scenario_names_is_regular(kind: str, key: str, hoplab: CommandLine, tmp_path: Path) -> None:
    place = irregular(tmp_path, kind)
    chain = '[topology]\nkind = "chain"\nhops = 2\n'
    text = {
        "mobility.file": f'{chain}[mobility]\nkind = "setdest"\nfile = "{place}"\n[[flow]]\n',
        "traffic.file": f'{chain}[traffic]\nfile = "{place}"\n',
        "controller": f'{chain}[[flow]]\ncontroller = "{place}.py:Mine"\n',
    }[key]
    if key == "controller":
        (tmp_path / f"{Path(place).name}.py").symlink_to(place)
        text = text.replace(f"{place}.py", f"{tmp_path / Path(place).name}.py")
    (tmp_path / "s.toml").write_text(text)
    answer = hoplab("run", "s.toml")
    assert answer.code == EXIT_INPUT
    assert kind_words(kind) in answer.err
    assert key.rpartition(".")[2] in answer.err


def test_a_pipe_as_standard_input_is_refused(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "hoplab", "run", "/dev/stdin"]
    done = subprocess.run(line, input="x", capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == EXIT_INPUT
    assert "/dev/stdin: is a FIFO, expected a regular file" in done.stderr


def test_a_scenario_of_any_length_is_refused_early(hoplab: CommandLine, tmp_path: Path) -> None:
    with (tmp_path / "long.toml").open("wb") as file:
        file.truncate(1 << 40)  # a sparse file
    answer = hoplab("run", "long.toml")
    assert answer.code == EXIT_INPUT
    assert "is longer than" in answer.err


@pytest.mark.parametrize("name", ["sweep.json", "provenance.json", "runs.jsonl", "flows.parquet", "checksums.json"])
def test_a_fifo_among_stored_results_is_no_wait(name: str, hoplab: CommandLine, chain: Path, tmp_path: Path) -> None:
    assert hoplab("run", "chain.toml", "--set", "duration=1 s", "--out", "o").code == 0
    (tmp_path / "o" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "o" / name)
    for line in (["report", "o", "--force"], ["query", "SELECT 1 FROM flows", "o"]):
        answer = hoplab(*line)
        assert answer.code in {0, EXIT_INPUT}
        assert "internal error" not in answer.err


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000])
@pytest.mark.parametrize("name", ["sweep.json", "provenance.json", "runs.jsonl", "checksums.json"])
def test_deep_json_in_a_store_is_an_input_error(
    name: str, deep: str, hoplab: CommandLine, chain: Path, tmp_path: Path
) -> None:
    assert hoplab("run", "chain.toml", "--set", "duration=1 s", "--out", "o").code == 0
    (tmp_path / "o" / name).write_text(deep)
    for line in (["report", "o", "--force"], ["explain", "o"], ["query", "SELECT 1", "o"]):
        answer = hoplab(*line)
        assert "internal error" not in answer.err
        assert answer.code != 70


@pytest.mark.parametrize("command", ["run", "sweep", "show", "compare"])
def test_a_byte_order_mark_is_no_part_of_a_scenario(command: str, hoplab: CommandLine, chain: Path) -> None:
    chain.write_bytes(b"\xef\xbb\xbf" + chain.read_bytes().replace(b"\n", b"\r\n") + b"[sweep]\r\nseeds = 2\r\n")
    if command != "sweep":
        chain.write_bytes(chain.read_bytes().partition(b"[sweep]")[0])
    more = {"compare": ["-t", "vegas,sack", "--seeds", "2"], "sweep": ["--out", "s"]}.get(command, [])
    assert hoplab(command, "chain.toml", *more).code == 0


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    place = tmp_path / "a.json"
    place.write_text("\ufeff{}", encoding="utf-8")
    assert json.loads(regular_files.read_text(place)) == {}
    with pytest.raises(regular_files.TooLongError):
        regular_files.read_bytes(place, most=2)


def irregular(folder: Path, kind: str) -> str:
    place = folder / kind
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(os.path.relpath(place))
    else:
        return f"/dev/{kind}"
    return str(place)


def kind_words(kind: str) -> str:
    return {"fifo": "is a FIFO", "socket": "is a socket", "folder": "is a directory"}.get(kind, "is a device")
