"""Standard streams that are closed or full, control characters, and settings of the environment that are wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from hoplab.base.errors import EXIT_IO, EXIT_USAGE
from hoplab.base.terminal import plain

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e"


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A shell line, in which `hoplab` is the program."""
    text = line.replace("hoplab", f"{sys.executable} -m hoplab")
    return subprocess.run(
        ["bash", "-c", text],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("options", ["", "--json", "--out o"])
def test_a_closed_standard_output_is_reported(options: str, chain: Path, tmp_path: Path) -> None:
    done = shell(f"hoplab run chain.toml --set duration='1 s' {options} >&-", tmp_path)
    assert done.returncode == EXIT_IO
    assert "standard output is closed" in done.stderr
    assert "internal error" not in done.stderr
    if "--out" in options:
        assert (tmp_path / "o" / "report.html").stat().st_size > 1000


def test_closed_streams_do_not_lend_their_numbers_to_files(chain: Path, tmp_path: Path) -> None:
    done = shell("hoplab run chain.toml --set duration='1 s' --out o <&- >&- 2>&-; echo $?", tmp_path)
    assert done.stdout == f"{EXIT_IO}\n"
    assert (tmp_path / "o" / "runs.jsonl").read_text().count("\n") == 1


def test_a_closed_standard_error_leaves_data_alone(chain: Path, tmp_path: Path) -> None:
    done = shell("hoplab run chain.toml --set duration='1 s' --seeds 2 --json 2>&-", tmp_path)
    assert done.returncode == 0
    assert [json.loads(line)["seed"] for line in done.stdout.splitlines()] == [1, 2]
    assert shell("hoplab run no.toml 2>&-", tmp_path).stdout == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_reported(unbuffered: str, chain: Path, tmp_path: Path) -> None:
    done = shell("hoplab run chain.toml --set duration='1 s' > /dev/full", tmp_path, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == EXIT_IO
    assert "No space left" in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["run", "show", "compare -t vegas,sack --seeds 2", "sweep", "explain"])
def test_control_characters_of_a_name_stay_out_of_the_terminal(command: str, hoplab: CommandLine, chain: Path) -> None:
    name = "".join(f"\\u{ord(character):04x}" for character in ESCAPES)
    chain.write_text(f'name = "{name}"\nduration = "1 s"\n{chain.read_text()}', encoding="utf-8")
    word, *options = command.split()
    answer = hoplab(word, "chain.toml", *options)
    assert answer.code == 0
    assert not set(ESCAPES) - set("]0;owned[2J31m") & set(answer.out + answer.err)


def test_control_characters_of_arguments_are_replaced(hoplab: CommandLine, chain: Path) -> None:
    for line in (
        ["run", f"{ESCAPES}.toml"],
        ["run", "chain.toml", "--set", f"{ESCAPES}=1"],
        ["run", "chain.toml", "--seeds", ESCAPES],
        ["compare", "chain.toml", "-t", ESCAPES],
        ["report", ESCAPES],
        [ESCAPES],
    ):
        answer = hoplab(*line)
        assert answer.code != 0
        assert "\x1b" not in answer.err
        assert "\u202e" not in answer.err


def test_plain_text_keeps_lines_and_letters() -> None:
    assert plain("a\tb\nc \N{PLUS-MINUS SIGN} \N{SNOWMAN}") == "a\tb\nc \N{PLUS-MINUS SIGN} \N{SNOWMAN}"
    assert plain("\x00\x1b\r\x85") == "\ufffd" * 4


@pytest.mark.parametrize("value", ["abc", "1.5", "9" * 20, "-" + "9" * 20, "0x1"])
@pytest.mark.parametrize("picture", ["p.svg", "p.pdf", "p.png"])
def test_a_bad_source_date_epoch_is_a_usage_error(
    picture: str, value: str, hoplab: CommandLine, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    answer = hoplab("show", "chain.toml", "--preview", picture)
    assert answer.code == EXIT_USAGE
    assert f"SOURCE_DATE_EPOCH = {value!r}" in answer.err


def test_a_bad_source_date_epoch_ends_every_command(chain: Path, tmp_path: Path) -> None:
    """NumPy reads it while it is imported: nothing is run and lost."""
    done = shell("hoplab run chain.toml --seeds 2 --out R", tmp_path, SOURCE_DATE_EPOCH="abc")
    assert done.returncode == EXIT_USAGE
    assert "SOURCE_DATE_EPOCH = 'abc'" in done.stderr
    assert not (tmp_path / "R").exists()


def test_a_wrong_backend_of_matplotlib_is_a_usage_error(chain: Path, tmp_path: Path) -> None:
    done = shell("hoplab show chain.toml --preview p.png", tmp_path, MPLBACKEND="nonsense")
    assert done.returncode == EXIT_USAGE
    assert "MPLBACKEND" in done.stderr
