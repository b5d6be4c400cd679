"""More threads than the machine gives: fewer are used, or it is said why there are none; nothing hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCENARIO = 'duration = "1 s"\n[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\n'
LIMITED = """\
import resource, sys
what, most = sys.argv[1], int(sys.argv[2])
resource.setrlimit(getattr(resource, what), (most, most))
sys.argv = ["hoplab", *sys.argv[3:]]
from hoplab.__main__ import main
main()
"""


def limited(what: str, most: int, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", LIMITED, what, str(most), *words]
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        line, cwd=folder, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **one}
    )
    assert done.returncode >= 0, f"ended by {signal.Signals(-done.returncode).name}: {done.stderr}"
    return done


@pytest.mark.parametrize(
    ("command", "megabytes"),
    [
        (["run"], 700),
        (["run"], 1500),
        (["compare", "-t", "vegas,reno"], 1000),
        (["sweep", "--out", "o"], 1500),  # DuckDB and SciPy alone take most of it
        (["sweep", "--out", "o"], 2500),
    ],
)
def test_little_address_space_for_300_threads(megabytes: int, command: list[str], tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    words = [command[0], "s.toml", *command[1:], "--seeds", "400", "--threads", "300"]
    done = limited("RLIMIT_AS", megabytes << 20, *words, folder=tmp_path)
    assert done.returncode in {0, 74} or "no thread can be started" in done.stderr, done.stderr
    assert "panicked" not in done.stderr
    if done.returncode != 0:
        assert "memory" in done.stderr or "thread" in done.stderr


def is_readable_by_all(place: str) -> bool:
    return all(part.stat().st_mode & 0o005 == 0o005 for part in (Path(place).resolve(), *Path(place).resolve().parents))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
@pytest.mark.skipif(
    not all(map(is_readable_by_all, (sys.base_prefix, sys.prefix))), reason="this Python is readable by root alone"
)
@pytest.mark.parametrize("processes", [1, 2, 6, 20])
def test_few_processes_for_300_threads(processes: int, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    # The limit counts the processes of a user, and does not hold for root.
    become = LIMITED.replace("sys.argv = [", "import os; os.setgid(54321); os.setuid(54321)\nsys.argv = [")
    for command in (["run"], ["sweep", "--out", "o"]):
        words = [command[0], "s.toml", *command[1:], "--seeds", "40", "--threads", "300"]
        line = [sys.executable, "-c", become, "RLIMIT_NPROC", str(processes), *words]
        one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HOME": str(tmp_path)}
        done = subprocess.run(
            line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **one}
        )
        assert done.returncode in {0, 70}, done.stderr
        assert "Traceback" not in done.stderr
        if done.returncode:
            assert "thread" in done.stderr


@pytest.mark.parametrize("most", [0, 1, 3])
def test_runs_are_stored_with_any_number_of_threads(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from hoplab.sweeping.run_writer import RunWriter

    started: list[int] = []
    start = threading.Thread.start

    def limited_start(self: threading.Thread) -> None:
        if len(started) >= most:
            raise RuntimeError("can't start new thread")
        started.append(1)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", limited_start)
    stored: list[object] = []
    told: list[object] = []
    with RunWriter(lambda task, *_: stored.append(task), told.append) as keeper:
        for number in range(100):
            keeper.keep(number, "{}", {})  # type: ignore[arg-type]
    assert sorted(stored) == sorted(told) == list(range(100))  # type: ignore[type-var]


def test_a_run_that_cannot_be_stored_is_raised_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from hoplab.sweeping.run_writer import RunWriter

    def full(*_: object) -> None:
        raise OSError("no space")

    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(OSError, match="no space"), RunWriter(full, lambda _: None) as keeper:
        keeper.keep(1, "{}", {})  # type: ignore[arg-type]
