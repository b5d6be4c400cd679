"""Color on terminals only: errors red, warnings yellow, verdicts by word; NO_COLOR, FORCE_COLOR and TERM override."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from hoplab.base.terminal import has_color, write_colored

RED, YELLOW, RESET = "\x1b[31m", "\x1b[33m", "\x1b[0m"
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "TERM")


def on_terminal(args: list[str], folder: Path, **variables: str) -> str:
    """What `hoplab` writes to a pseudo-terminal, on both streams."""
    environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "hoplab", *args],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=child,
        stderr=child,
        env={**environment, "TERM": "xterm", **variables},
    )
    os.close(child)
    received = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # Linux reports EIO when the last writer closes
            break
        if not part:
            break
        received += part
    os.close(parent)
    process.wait()
    return received.decode().replace("\r\n", "\n")


def test_error_is_red_on_a_terminal(tmp_path: Path) -> None:
    text = on_terminal(["run", "none.toml"], tmp_path)
    assert text.startswith(f"{RED}hoplab: none.toml: file not found{RESET}")


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "0", "FORCE_COLOR": "1"}])
def test_variables_disable_color(tmp_path: Path, variables: dict[str, str]) -> None:
    text = on_terminal(["run", "none.toml"], tmp_path, **variables)
    assert text.startswith("hoplab: none.toml: file not found")
    assert "\x1b" not in text


def test_empty_no_color_keeps_color(tmp_path: Path) -> None:
    assert RED in on_terminal(["run", "none.toml"], tmp_path, NO_COLOR="")


def test_control_characters_of_names_stay_harmless(tmp_path: Path) -> None:
    text = on_terminal(["run", "a\x1b[2Jb.toml"], tmp_path)
    assert "\x1b[2J" not in text
    assert text.startswith(f"{RED}hoplab: a\ufffd[2Jb.toml: file not found{RESET}")


def test_warning_is_yellow_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(
        'duration = "2 s"\n[topology]\nkind = "positions"\npositions = [[0.0, 0.0], [5000.0, 0.0]]\n'
        '[[flow]]\ntransport = "new_reno"\n'
    )
    assert f"{YELLOW}warning:{RESET} " in on_terminal(["run", "short.toml"], tmp_path)


def test_pipes_have_no_color(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    command = [sys.executable, "-m", "hoplab", "run", "none.toml"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("hoplab: none.toml: file not found\n")
    forced = {**environment, "FORCE_COLOR": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=forced, capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"{RED}hoplab: none.toml: file not found{RESET}\n")


def test_longest_phrase_is_colored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    write_colored("row  differs (noted)\nnot reproduced (x)\n", {"differs": "red", "differs (noted)": "yellow"}, stream)
    assert stream.getvalue() == f"row  {YELLOW}differs (noted){RESET}\nnot reproduced (x)\n"


def test_verdicts_have_distinct_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    from hoplab_studies.shared.verdict import COLORS, WORDS

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    colored = {}
    for word in WORDS:
        stream = io.StringIO()
        write_colored(f"M1  {word}, inconclusive  text\n", COLORS, stream)
        colored[word] = stream.getvalue()
    assert colored["reproduced"] == f"M1  \x1b[32mreproduced{RESET}, inconclusive  text\n"
    assert f"{RED}not reproduced (unexplained){RESET}" in colored["not reproduced (unexplained)"]
    assert f"{YELLOW}trend only{RESET}" in colored["trend only"]
    assert "\x1b" not in colored["not supported"]


def test_string_streams_have_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    assert not has_color(io.StringIO())
