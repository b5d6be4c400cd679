"""Ctrl-C: an answer at once, exit code 130, and nothing lost that was stored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hoplab.cli import Interrupts, dispatch
from hoplab.store import open_results

LONG = '[topology]\nkind = "chain"\nhops = 8\n\n[[flow]]\n'
SWEEP = f'duration = "50 s"\n{LONG}\n[sweep]\nseeds = 5000\n'
COMMANDS = {
    "run": ["run", "long.toml", "--seeds", "5000", "--out", "out"],
    "compare": ["compare", "long.toml", "-t", "vegas,new_reno", "--seeds", "3000", "--out", "out"],
    "whatif": ["whatif", "long.toml", "--seeds", "3000", "--out", "out"],
    "sweep": ["sweep", "sweep.toml", "--out", "out"],
    "reproduce": ["reproduce", "muzha", "--full", "--out", "out"],
}
ANSWER_S = 2.0
"""On a loaded machine; an idle one answers in some 100 ms (docs/use/sweeps.md)."""


@pytest.mark.parametrize("wait_s", [1.0, 2.5])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_at_once_and_keeps_what_is_stored(command: str, wait_s: float, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(f'duration = "50 s"\n{LONG}')
    (tmp_path / "sweep.toml").write_text(SWEEP)
    line = [sys.executable, "-m", "hoplab", *COMMANDS[command]]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(wait_s)
        assert process.poll() is None
        began = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert time.monotonic() - began < ANSWER_S
    # Inside an `exec`, which makes dataclasses, Python ends itself by the signal; a shell sees 130 both ways.
    assert process.returncode in {130, -signal.SIGINT}, err
    assert out == ""
    assert "Traceback" not in err
    assert "internal error" not in err
    if command == "sweep" and (tmp_path / "out" / "sweep.json").exists():
        results = open_results(tmp_path / "out")
        assert all((tmp_path / "out" / "runs" / run / "manifest.json").exists() for run in results.done)


class Panic(BaseException):
    """As a panic of the engine reaches Python."""


@pytest.mark.parametrize("error", [RuntimeError("query interrupted"), Panic("no module")])
def test_ctrl_c_that_a_library_turned_into_its_own_error(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(args: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1.0)
        except KeyboardInterrupt:
            raise error from None
        return 0

    monkeypatch.setattr("hoplab.cli._run", interrupted)
    assert dispatch([]) == 130
    assert capsys.readouterr().err == "hoplab: interrupted\n"


def test_a_handler_of_the_caller_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert not interrupts.seen
    finally:
        signal.signal(signal.SIGINT, before)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
