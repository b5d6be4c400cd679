"""Settings that decide memory are refused by name before a run begins; nothing aborts below a limit of memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

import hoplab
from hoplab.base.errors import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_PARTIAL, UsageError
from hoplab.running.estimating import estimate
from hoplab.running.execution import Order, _refuse_too_much
from hoplab.scenario.model import Scenario

CHAIN = '[topology]\nkind = "chain"\nhops = 3\n'
DENSE = '[topology]\nkind = "random"\nnodes = 40000\narea = ["100 m", "100 m"]\n'
GIB = 2**30


def run_below(limit: int, file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`hoplab run` with so many bytes of address space."""
    command = 'ulimit -v "$1"; shift; exec "$@"'
    return subprocess.run(
        ["sh", "-c", command, "sh", str(limit // 1024), sys.executable, "-m", "hoplab", "run", str(file), *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f'duration = "10000000 s"\ngoodput_interval = "1 ms"\n{CHAIN}[[flow]]\n', "goodput_interval"),
        (f"{DENSE}[[flow]]\n", "topology.nodes"),
        (f'{CHAIN}[[flow]]\n[sweep]\nseries = "0.000001 ms"\n[sweep.axes]\n"mac.ssrl" = [7]\n', "sweep.series"),
    ],
    ids=["goodput interval", "density", "series of a sweep"],
)
def test_a_setting_that_needs_too_much_memory_is_named(
    text: str, key: str, hoplab: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "much.toml"
    file.write_text(text)
    command = ["sweep", str(file), "--out", str(tmp_path / "out")] if "[sweep]" in text else ["run", str(file)]
    answer = hoplab(*command)
    assert answer.code == EXIT_INPUT
    assert key in answer.err
    assert "GiB" in answer.err
    assert "hint: " in answer.err


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="reads Linux's limits of a process")
def test_a_limit_of_address_space_counts(tmp_path: Path) -> None:
    """A run that would fit into any machine is refused where the process may not take so much."""
    file = tmp_path / "many.toml"
    file.write_text('[topology]\nkind = "grid"\ncolumns = 900\n[[flow]]\n')
    done = run_below(2 * GIB, file)
    assert done.returncode == EXIT_INPUT, done.stderr
    assert "topology.columns: needs about" in done.stderr
    assert "that this process may take" in done.stderr


def test_samples_of_a_run_are_refused_with_an_interval_that_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "chain.toml"
    file.write_text(f'duration = "2 s"\n{CHAIN}[[flow]]\n')
    with pytest.raises(UsageError, match=r"series_interval_s = 1e-12 s: needs about \d+ GiB of memory") as refused:
        hoplab.run(file, series_interval_s=1e-12, trace=tmp_path / "trace")
    least = float(str(refused.value.hint).split()[1])
    scenario = Scenario.of(file)
    _refuse_too_much([Order(scenario, (1,))], least, is_traced=True)
    with pytest.raises(UsageError, match="interval = 1e-09 s: needs about"):
        estimate(scenario, interval_s=1e-9)


def test_results_that_memory_cannot_hold_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "flows.toml"
    file.write_text(CHAIN + "[[flow]]\nfrom = 0\nto = 1\n" * 300)
    with pytest.raises(UsageError, match="keeping 100000 runs: needs about"):
        hoplab.run(file, seeds=100_000)


SLOW = """duration = "1 s"
[topology]
kind = "random"
nodes = 60000
area = ["30000 m", "30000 m"]
[traffic]
kind = "tcp"
pairs = "random"
connections = 100000
max_flows_per_node = 8
start_window = "1 s"
"""


@pytest.mark.slow
def test_a_limit_of_real_time_ends_the_preparation_of_a_run(hoplab: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(SLOW)
    began = time.monotonic()
    answer = hoplab("run", str(file), "--max-wall", "1 s")
    assert answer.code == EXIT_PARTIAL
    assert "the run was still being prepared" in answer.err
    assert time.monotonic() < began + 60.0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "show"])
def test_ctrl_c_ends_the_preparation_of_a_run(command: str, tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(SLOW.replace("60000", "300000"))
    with subprocess.Popen(
        [sys.executable, "-m", "hoplab", command, str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        time.sleep(4.0)
        os.kill(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=30.0)
    assert process.returncode == EXIT_INTERRUPTED, error
