"""`kill -9` at random moments, and a disk that is really full: the resumed table is the undisturbed one."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoplab.base.errors import OutputError
from hoplab.store import RunStore
from sweep.kit import SCENARIO, merged, opened, sweep_in

SLOW = SCENARIO.replace("[[flow]]", "[fake]\nsleep_s = 0.02\n\n[[flow]]", 1)
HERE = Path(__file__).parent.parent


def start(root: Path, file: Path) -> subprocess.Popen[str]:
    """A sweep in another process."""
    path = os.pathsep.join([str(HERE), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-m", "sweep.process", str(root), str(file)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("seeds", "kills"), [(8, 5), pytest.param(34, 20, marks=pytest.mark.slow)], ids=["48 runs", "204 runs"]
)
def test_killed_at_random_moments_and_resumed(seeds: int, kills: int, tmp_path: Path) -> None:
    text = SCENARIO.replace("seeds = 4", f"seeds = {seeds}").replace(
        "[[flow]]", "[fake]\nsleep_s = 0.02\n\n[[flow]]", 1
    )
    file = tmp_path / "chain.toml"
    file.write_text(text)
    sweep_in(tmp_path / "undisturbed", text)
    root = tmp_path / "killed"
    draw = random.Random(seeds)
    # The kills are spread over the runs: each comes some runs after the last, at a random moment within a run.
    target, killed_midway = 0, 0
    for _ in range(kills):
        process = start(root, file)
        target += max(1, draw.randrange(2 * 6 * seeds // kills) // 2)
        deadline = time.monotonic() + 60.0
        while process.poll() is None and _stored(root) < target and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.05)
        killed_midway += process.poll() is None
        process.kill()
        process.communicate()
        store = RunStore(root)
        assert all(store.state(place.name) == "done" for place in (root / "runs").iterdir())
    assert killed_midway > kills // 2
    last = start(root, file)
    answer, words = last.communicate()
    assert last.returncode == 0, words
    counts = json.loads(answer)
    assert counts["made"] + counts["kept"] == 6 * seeds
    assert counts["damaged"] == 0
    assert merged(root) == merged(tmp_path / "undisturbed")
    assert opened(root).complete
    assert not any((root / "tmp").iterdir())


def test_two_processes_on_one_directory_make_the_same_table(tmp_path: Path) -> None:
    text = SLOW
    file = tmp_path / "chain.toml"
    file.write_text(text)
    sweep_in(tmp_path / "undisturbed", text)
    both = [start(tmp_path / "shared", file) for _ in range(2)]
    for process in both:
        _, words = process.communicate()
        assert process.returncode == 0, words
    assert merged(tmp_path / "shared") == merged(tmp_path / "undisturbed")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB; skipped where this user may not mount one (`test_sweep_drive` injects the error)."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("mounting a tmpfs needs privileges that this user does not have")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path, tmp_path: Path) -> None:
    root = small_disk / "out"
    with pytest.raises(OutputError, match="no space left"):
        sweep_in(root)
    stored = list((root / "runs").iterdir())
    assert stored
    store = RunStore(root)
    assert all(store.state(place.name) == "done" for place in stored)
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    outcome = sweep_in(root)
    assert outcome.reused == len(stored)
    assert not outcome.damaged
    sweep_in(tmp_path / "undisturbed")
    assert merged(root) == merged(tmp_path / "undisturbed")


def _stored(root: Path) -> int:
    try:
        return sum(1 for _ in (root / "runs").iterdir())
    except FileNotFoundError:
        return 0
