"""Virtual time: kernels and their words, repeats, exchange times, goodput beside simulation, and errors."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine
from fakes.kernels import BROKEN, fake_kernel, needs_kernel

from hoplab.base.errors import HoplabError
from hoplab.base.scratch import started
from hoplab.running.execution import run as run_scenario
from hoplab.running.live.session import Command, LiveRun, scenario_of
from hoplab.running.real import ends, guest, kernel
from hoplab.running.real.session import CONSOLE_BYTES, Kernels, Where, kernel_words, run_real
from hoplab.scenario.model import Scenario

CHAIN = """
name = "chain"
duration = "{seconds} s"
[topology]
kind = "chain"
hops = {hops}
spacing = "200 m"
[link]
arp = false
"""
ENDS = f"{sys.executable} {ends.__file__}"


def chain(folder: Path, hops: int, seconds: float) -> Path:
    file = folder / "chain.toml"
    file.write_text(CHAIN.format(hops=hops, seconds=seconds), encoding="utf-8")
    return file


def real(folder: Path, file: Path, seeds: list[int], *commands: tuple[str, str]) -> list[LiveRun]:
    programs = [Command(node, f"exec {ENDS} {words}") for node, words in commands]
    return run_real(scenario_of(file, ()), programs, seeds, Where(needs_kernel(), folder), show=False)


def repeated(done: LiveRun) -> Any:
    (run,) = run_scenario(done.replay, progress=False)
    assert run.fingerprint == done.pace["fingerprint"]
    return run


def test_repeats_of_a_seed_are_equal_to_the_byte(tmp_path: Path) -> None:
    file = chain(tmp_path, 2, 12)
    commands = (("last", "take 10 2"), ("first", "send {last} cubic 10 2"))
    both = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        both.append(real(tmp_path / name, file, [7], *commands)[0])
    first, second = both
    assert first.outputs == second.outputs
    assert (first.pace, first.programs, first.devices) == (second.pace, second.programs, second.devices)
    assert (tmp_path / "a" / "7.txt").read_bytes() == (tmp_path / "b" / "7.txt").read_bytes()
    assert repeated(first).fingerprint == repeated(second).fingerprint
    (other,) = real(tmp_path, file, [8], *commands)
    assert (other.pace["fingerprint"], other.outputs) != (first.pace["fingerprint"], first.outputs)


@pytest.mark.parametrize("hops", [1, 4])
def test_echo_takes_the_time_of_its_exchanges(tmp_path: Path, hops: int) -> None:
    (done,) = real(tmp_path, chain(tmp_path, hops, 60), [1], ("last", "echo"), ("first", "ask {last} 300 0.06"))
    times = json.loads(done.outputs[1])["times_s"]
    exchange_s = 1390e-6 + 300e-6  # DIFS to data of 84 bytes, and the mean backoff: see test_live.py
    expected_s = 2 * 25e-6 + 2 * hops * exchange_s + (2 * hops - 1) * 314e-6
    assert statistics.fmean(times) == pytest.approx(expected_s, rel=0.02)
    assert done.grade == "precise"


def test_datagrams_have_the_goodput_of_simulation(tmp_path: Path) -> None:
    seeds, seconds = [1, 2, 3], 40
    flood = ("first", f"flood {{last}} 600e3 1000 {seconds}")
    runs = [repeated(done) for done in real(tmp_path, chain(tmp_path, 4, seconds), seeds, ("last", "sink"), flood)]
    carried = [run.live["conversations"][0]["delivered"] * 8000 / seconds for run in runs]
    flow = '[[flow]]\ntransport = "udp"\napp = "cbr"\nrate = "600 kb/s"\nsegment = 1000\n'
    simulated = run_scenario(Scenario.from_text(CHAIN.format(hops=4, seconds=seconds) + flow), seeds=3, progress=False)
    assert statistics.fmean(carried) == pytest.approx(
        statistics.fmean(run.flows[0].goodput_bps for run in simulated), rel=0.03
    )


def test_seeds_run_in_kernels_of_their_own(
    tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(fake_kernel(tmp_path)))
    out = tmp_path / "out"
    file = chain(tmp_path, 1, 0.2)
    answer = hoplab("real", file, "--exec", "0", "true", "--seeds", "3", "--out", out)
    assert answer.code == 0, answer.err
    assert "3 seeds (1..3)" in answer.out
    assert "node 0: true: status 0 in 1 of 3 runs" in answer.out
    starts = [json.loads(line) for line in (tmp_path / "starts.txt").read_text(encoding="utf-8").splitlines()]
    assert sorted(seed for _, _, seed in starts) == [1, 2, 3]
    assert not any(Path(folder).exists() for folder, _, _ in starts)
    programs = (out / "programs.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in programs] == ["seed", "1", "2", "3"]
    fingerprints = [json.loads(line)["fingerprint"] for line in (out / "runs.jsonl").read_text().splitlines()]
    for seed, fingerprint in enumerate(fingerprints, 1):
        stored = hoplab("run", out / f"seed-{seed}" / "scenario.toml", "--json")
        assert json.loads(stored.out)["fingerprint"] == fingerprint
        assert (out / f"seed-{seed}" / "program-0.txt").read_text(encoding="utf-8") == f"seed {seed}\n"
    assert hoplab("-q", "real", file, "--exec", "0", "true", "--strict").code == 5
    assert "0| seed 1" in hoplab("live", file, "--virtual", "--exec", "0", "true").out


def test_command_lines_of_kernels_name_the_seed_alone() -> None:
    words = [kernel_words(Path("linux"), seed) for seed in (1, 2)]
    assert [pair for pair in zip(*words, strict=True) if pair[0] != pair[1]] == [("hoplab.seed=1", "hoplab.seed=2")]
    assert guest.random_bytes(1) != guest.random_bytes(2)
    assert guest.random_bytes(1) == guest.random_bytes(1)


def test_broken_kernel_is_reported(tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(fake_kernel(tmp_path, BROKEN)))
    answer = hoplab("real", chain(tmp_path, 1, 1), "--exec", "0", "true")
    assert answer.code == 70
    assert "seed 1: the kernel ended without a result (status 3): Kernel panic" in answer.err


def test_missing_kernel_names_the_remedy(tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(kernel.KERNEL_VARIABLE, raising=False)
    assert kernel.cache() == tmp_path / "hoplab"
    answer = hoplab("real", chain(tmp_path, 1, 1), "--exec", "0", "true")
    assert answer.code == 69
    assert "hint: hoplab real --build builds it once" in answer.err
    monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(tmp_path / "none"))
    answer = hoplab("real", chain(tmp_path, 1, 1), "--exec", "0", "true")
    assert (answer.code, f"HOPLAB_KERNEL: {tmp_path / 'none'}: not a program" in answer.err) == (2, True)


def test_build_names_what_is_missing(tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda tool: None if tool in {"flex", "bison"} else f"/usr/bin/{tool}")
    answer = hoplab("real", "--build")
    assert (answer.code, "the build of the kernel requires flex, bison" in answer.err) == (69, True)
    assert "hint: apt-get install flex bison" in answer.err
    monkeypatch.setattr("shutil.which", lambda tool: f"/usr/bin/{tool}")
    monkeypatch.setenv(kernel.SOURCE_VARIABLE, str(tmp_path / "none.tar.xz"))
    answer = hoplab("real", "--build")
    assert (answer.code, "HOPLAB_KERNEL_SOURCE" in answer.err) == (69, True)


def test_sources_of_another_version_are_refused(tmp_path: Path) -> None:
    for name, old, _ in kernel.CHANGES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"before\n{old}\nafter\n", encoding="utf-8")
    kernel.change(tmp_path)
    for name, old, new in kernel.CHANGES:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert (new in text, old in text) == (True, False)
    with pytest.raises(HoplabError, match="of these sources has no text"):
        kernel.change(tmp_path)
    kernel.check(kernel.config())
    with pytest.raises(HoplabError, match="CONFIG_TUN=y"):
        kernel.check(kernel.config().replace("CONFIG_TUN=y", "# CONFIG_TUN is not set"))


def test_fixed_state_of_older_sources_is_made_whole(tmp_path: Path) -> None:
    fixed, text = kernel.FIXED_STATE
    for name, old, *_ in (*kernel.CHANGES, (fixed, text), kernel.WHOLE_STATE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"before\n{old}after\n", encoding="utf-8")
    kernel.change(tmp_path)
    registers, _, new = kernel.WHOLE_STATE
    assert new in (tmp_path / registers).read_text(encoding="utf-8")


def test_console_of_a_kernel_is_bounded(tmp_path: Path) -> None:
    loud = tmp_path / "loud"
    loud.write_text("#!/bin/sh\nexec yes 'much to say'\n", encoding="utf-8")
    loud.chmod(0o755)
    ended, console = Kernels().run([str(loud)], tmp_path, 1.0)
    assert "a program that never waits stops virtual time" in ended
    assert 60_000 < len(console) <= CONSOLE_BYTES
    assert {path.name for path in tmp_path.iterdir()} == {"loud"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_ended_command_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    asleep, temporary = tmp_path / "asleep", tmp_path / "temporary"
    asleep.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 100\n", encoding="utf-8")
    asleep.chmod(0o755)
    temporary.mkdir()
    environment = {**os.environ, kernel.KERNEL_VARIABLE: str(asleep), "TMPDIR": str(temporary)}
    words = [sys.executable, "-m", "hoplab", "real", str(chain(tmp_path, 1, 1)), "--exec", "0", "true"]
    with subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) as command:
        waited_for(lambda: (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text(encoding="utf-8"))
        command.send_signal(number)
        assert command.wait(20) == (130 if number == signal.SIGTERM else -number)
    waited_for(lambda: not running(int((tmp_path / "pid").read_text(encoding="utf-8"))))
    left = {path.name.split("-")[1] for path in temporary.iterdir()}
    assert left == (set() if number == signal.SIGTERM else {"packets", "real"})
    subprocess.run(
        [
            sys.executable,
            "-c",
            "from hoplab.base.scratch import remove_stale as remove; assert len(remove()) in {0, 2}",
        ],
        env=environment,
        check=True,
    )
    assert not list(temporary.iterdir())


def waited_for(holds: Callable[[], object]) -> None:
    limit = time.monotonic() + 20.0
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.05)


def running(pid: int) -> bool:
    return started(pid) is not None


def test_doctor_starts_the_kernel(tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(fake_kernel(tmp_path, BROKEN)))
    (check,) = [
        one for one in map(json.loads, hoplab("doctor", "--json").out.splitlines()) if one["name"] == "virtual time"
    ]
    assert check["state"] == "optional"
    assert "does not start (status" in check["found"]
    monkeypatch.delenv(kernel.KERNEL_VARIABLE)
    needs_kernel()
    (check,) = [
        one for one in map(json.loads, hoplab("doctor", "--json").out.splitlines()) if one["name"] == "virtual time"
    ]
    assert check["state"] == "ok"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--shell", "0"], "--shell: not supported with --virtual"),
        (["--precise"], "--precise: not supported with --virtual"),
        (["--trace"], "--trace requires an output directory"),
        (["--exec", "5", "true"], "node '5' has no device"),
    ],
)
def test_bad_words_have_a_clear_error(
    tmp_path: Path, hoplab: CommandLine, monkeypatch: pytest.MonkeyPatch, args: list[str], message: str
) -> None:
    monkeypatch.setenv(kernel.KERNEL_VARIABLE, str(fake_kernel(tmp_path)))
    answer = hoplab("live", chain(tmp_path, 1, 1), "--virtual", *args)
    assert (answer.code, message in answer.err) == (2, True)
