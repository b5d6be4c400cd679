"""Controllers that loop, sleep, fork or keep Python from running: limits and Ctrl-C end them, with their name."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hoplab
from hoplab.base.errors import EXIT_INTERRUPTED, EXIT_PARTIAL

CHAIN = 'duration = "20 s"\n[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\ncontroller = "mine.py:Mine"\n'
CLASS = """\
import os, sys, time
from hoplab import Controller

{top}
class Mine(Controller):
    def __init__(self):
        {made}
    def on_start(self, setup):
        super().on_start(setup)
        {start}
    def on_ack(self, ack):
        if ack.now_s > 1.0:
            {ack}
"""
LOOP = "while True: pass"
SWALLOWING = """while True:
                try:
                    while True: pass
                except BaseException: pass"""
SLEEP = "time.sleep(1000)"
BEHIND = "sum(range(10**12))"
"""A call of C code that keeps Python from running."""
BEFORE, DURING = r"called before the run", r"called at t = 1\.\d+ s"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    place = tmp_path / "s.toml"
    place.write_text(CHAIN)
    return place


def write(folder: Path, *, top: str = "", made: str = "pass", start: str = "pass", ack: str = "pass") -> None:
    """Write a controller; what is unusual in it leaves a file `begun` beside it first."""
    begun = f"open({str(folder / 'begun')!r}, 'w').close()"
    given = {"top": top, "made": made, "start": start, "ack": ack}
    indent = {"top": "", "made": " " * 8, "start": " " * 8, "ack": " " * 12}
    parts = {name: part if part in {"", "pass"} else f"{begun}\n{indent[name]}{part}" for name, part in given.items()}
    (folder / "mine.py").write_text(CLASS.format(**parts))


def wait_for(place: Path, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60.0
    while not place.exists():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.2)


CASES = [
    pytest.param({"ack": LOOP}, DURING, id="loop"),
    pytest.param({"ack": SWALLOWING}, DURING, id="swallowing loop"),
    pytest.param({"ack": SLEEP}, DURING, id="sleep"),
    pytest.param({"ack": "import threading; threading.Event().wait()"}, DURING, id="event"),
    pytest.param(
        {"ack": "import subprocess; subprocess.run(['sleep', '30'], stdout=-3, stderr=-3)"}, DURING, id="process"
    ),
    pytest.param({"start": LOOP}, BEFORE, id="loop in on_start"),
    pytest.param({"made": SLEEP}, BEFORE, id="sleep when it is made"),
    pytest.param({"top": LOOP}, BEFORE, id="loop in its file"),
]


def command(*words: object, folder: Path, **more: object) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "hoplab", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(line, cwd=folder, text=True, **pipes, **more)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(("parts", "when"), CASES)
def test_a_limit_of_real_time_ends_a_controller(parts: dict[str, str], when: str, scenario: Path) -> None:
    write(scenario.parent, **parts)
    with command("run", "s.toml", "--max-wall", "500 ms", folder=scenario.parent) as process:
        _, err = process.communicate(timeout=30)
    assert process.returncode == EXIT_PARTIAL, err
    assert re.search(rf"0\.5 s of real time \(max_wall\); controller mine\.py:Mine of flow 0, {when}", err)
    assert "internal error" not in err


@pytest.mark.parametrize(("parts", "when"), CASES)
def test_ctrl_c_ends_a_controller(parts: dict[str, str], when: str, scenario: Path) -> None:
    write(scenario.parent, **parts)
    with command("run", "s.toml", "--seeds", "3", folder=scenario.parent) as process:
        wait_for(scenario.parent / "begun", process)
        began = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 10.0
    assert process.returncode in {EXIT_INTERRUPTED, -signal.SIGINT}
    assert "interrupted" in err
    assert "Traceback" not in err


def test_ctrl_c_names_the_controller_that_does_not_return(scenario: Path) -> None:
    write(scenario.parent, ack=SLEEP)
    with command("run", "s.toml", folder=scenario.parent) as process:
        wait_for(scenario.parent / "begun", process)
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert re.search(rf"controller mine\.py:Mine of flow 0, {DURING}", err)


def test_a_call_that_stops_python_ends_the_process(scenario: Path) -> None:
    write(scenario.parent, ack=BEHIND)
    with command("run", "s.toml", "--max-wall", "500 ms", folder=scenario.parent) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == EXIT_PARTIAL, err
    assert re.search(rf"controller mine\.py:Mine of flow 0, {DURING}", err)


@pytest.mark.parametrize("loop", [LOOP, SLEEP])
def test_other_runs_of_a_sweep_go_on(loop: str, scenario: Path) -> None:
    slow = f"if self.setup.window == 7:\n                {loop.replace(chr(10), chr(10) + '    ')}"
    write(scenario.parent, ack=slow)
    axes = ["--over", "flow.window=5,6,7,8", "--seeds", "2", "--max-wall", "4 s", "--threads", "2", "--out", "o"]
    with command("sweep", "s.toml", *axes, folder=scenario.parent) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == EXIT_PARTIAL, err
    results = hoplab.open(scenario.parent / "o")
    assert (len(results.done), len(results.failures)) == (6, 2), err
    assert all("mine.py:Mine" in failure.error for failure in results.failures)


def test_the_limit_is_an_exception_in_python(scenario: Path) -> None:
    write(scenario.parent, ack=LOOP)
    with pytest.raises(hoplab.LimitError, match=r"controller mine\.py:Mine of flow 0") as caught:
        hoplab.run(scenario, max_wall_s=0.3)
    assert (caught.value.limit, caught.value.seed) == ("wall", 1)
    assert caught.value.time_s >= 1.0
    write(scenario.parent)
    assert len(hoplab.run(scenario, seeds=2)) == 2


FORKS = {
    "exit": "if os.fork() == 0: sys.exit(0)\n            else: os.wait()",
    "_exit": "if os.fork() == 0: os._exit(0)\n            else: os.wait()",
    "error": "if os.fork() == 0: raise ValueError\n            else: os.wait()",
    "return": "if os.fork() == 0: return\n            else: os.wait()",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("how", FORKS)
def test_a_forked_controller_leaves_no_process(how: str, scenario: Path) -> None:
    once = f"if not os.path.exists('done'):\n            open('done', 'w').close()\n            {FORKS[how]}"
    write(scenario.parent, start=once)
    with command("run", "s.toml", folder=scenario.parent) as process:
        out, err = process.communicate(timeout=60)  # waits until nobody holds the pipes
    assert process.returncode == 0, err
    assert out.count("fingerprint") == 1
    if how != "_exit":
        assert "controller mine.py:Mine has forked before the run" in err


@pytest.mark.parametrize("ending", ["sys.exit(3)", "raise KeyboardInterrupt", "raise GeneratorExit"])
def test_a_controller_that_exits_is_named(ending: str, scenario: Path) -> None:
    write(scenario.parent, ack=ending)
    with command("run", "s.toml", folder=scenario.parent) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode in {3, EXIT_INTERRUPTED}, err
    assert process.returncode == EXIT_INTERRUPTED or "mine.py:Mine" in err
