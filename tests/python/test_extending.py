"""The guides to parts: followed in a copy, built, and run."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hoplab

ROOT = Path(__file__).parents[2]
GUIDES = (
    "rust-controllers.md",
    "applications.md",
    "queues.md",
    "handshakes.md",
    "observers.md",
    "routing.md",
    "amendments.md",
)
PYTHON_GUIDES = ("commands.md", "metrics.md")
BLOCK = re.compile(r"^```(?:rust|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"(?://|#) ((?:crates|python)/\S+\.(?:rs|py))(?:, below `(.*)`)?\n")
CHAIN = 'duration = "20 s"\n[topology]\nkind = "chain"\nhops = 6\n[[flow]]\n'


def blocks(guides: Sequence[str] = GUIDES) -> list[tuple[str, str | None, str]]:
    """File, the line below which it goes (None: the file is new), and text of each block."""
    found = []
    for guide in guides:
        for text in BLOCK.findall((ROOT / "docs" / "extend" / guide).read_text(encoding="utf-8")):
            place = PLACE.match(text)
            assert place, f"{guide}: a block does not say where it goes: {text[:80]}"
            found.append((place[1], place[2], text[place.end() :]))
    return found


def insert(text: str, anchor: str, more: str) -> str:
    assert text.count(f"{anchor}\n") == 1, f"a guide names a line that is not there once: {anchor}"
    return text.replace(f"{anchor}\n", f"{anchor}\n{more}")


EXAMPLE = """
#[cfg(test)]
extern crate self as hoplab;

/// `cargo run --example run`, as a test: one program has this and the tests of the guides.
#[cfg(test)]
#[allow(dead_code, reason = "the main function of the example")]
#[path = "../examples/run.rs"]
mod run_example;

#[test]
#[ignore = "called by name"]
fn run_followed() {
    let words = std::env::var("FOLLOWED").expect("arguments, one a line");
    println!("\nJSON {}", run_example::run(words.lines().map(str::to_owned)).unwrap());
}
"""
"""What the copy's library has at its end."""


def follow(folder: Path) -> None:
    """Make a copy of the engine with what the guides add."""
    for file in ("Cargo.toml", "Cargo.lock", "rustfmt.toml"):
        shutil.copy(ROOT / file, folder)
    shutil.copytree(ROOT / "crates", folder / "crates", ignore=shutil.ignore_patterns("it", "soak"))
    add(folder, GUIDES)


def add(folder: Path, guides: Sequence[str]) -> None:
    for file, anchor, text in blocks(guides):
        path = folder / file
        assert path.exists() == (anchor is not None), f"{file} is new, or is not"
        path.write_text(text if anchor is None else insert(path.read_text(), anchor, text))


def test_every_block_of_the_guides_finds_its_place(tmp_path: Path) -> None:
    follow(tmp_path)
    texts = {file for file, anchor, _ in blocks() if anchor is None}
    assert {Path(file).stem for file in texts} == {
        "beacon",
        "byte_count",
        "drop_head",
        "gentle",
        "patient",
        "qam256",
        "sawtooth",
    }
    new = [str(tmp_path / file) for file in sorted(texts)]
    command = ["rustfmt", "--edition", "2024", "--check", *new]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests of the copy and its example `run`, one program, built once for all processes of the tests."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / "followed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = shared / "followed"
        if not (folder / "program").exists():
            folder.mkdir()
            build(folder)
    return folder / "program"


def build(folder: Path) -> None:
    follow(folder)
    library = folder / "crates/hoplab/src/lib.rs"
    library.write_text(library.read_text() + EXAMPLE)
    example = folder / "crates/hoplab/examples/run.rs"
    example.write_text(example.read_text().replace("\nfn run(", "\npub fn run("))
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    # With the features that `make check` compiles the engine with, so that its dependencies are there already.
    command = ["cargo", "test", "--profile", "ci", "--locked", "-p", "hoplab", "-p", "hoplab-py", "--tests"]
    # What the guides add runs for seconds: an engine without optimization is there in a third of the time.
    command += ["--config", "profile.ci.package.hoplab.opt-level=0"]
    done = subprocess.run(
        [*command, "--no-run", "--message-format=json-render-diagnostics", "--target-dir", target],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    programs = [message["executable"] for message in messages if message.get("executable")]
    (folder / "chain.toml").write_text(CHAIN)
    shutil.copy(programs[-1], folder / "program")


def run(program: Path, *pairs: str) -> dict[str, Any]:
    command = [str(program), "--exact", "run_followed", "--ignored", "--nocapture"]
    words = "\n".join([str(program.parent / "chain.toml"), *pairs])
    variables = {**os.environ, "FOLLOWED": words}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("JSON "))
    answer: dict[str, Any] = json.loads(line.removeprefix("JSON "))
    return answer


@pytest.mark.guides
def test_the_tests_of_the_guides_pass(program: Path) -> None:
    filters = ("congestion", "applications", "handshake", "observer", "queue", "routing::beacon", "standards")
    command = [str(program), *(f"{room}::" for room in filters)]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gentle::tests::window_grows_by_a_quarter_and_loss_keeps_three ... ok" in done.stdout
    assert "gentle::tests::queue_follows_from_round_trip_times ... ok" in done.stdout
    assert "beacon::tests::fewer_hops_or_the_next_hop_change_a_route ... ok" in done.stdout
    assert "sawtooth::tests::burst_restarts_after_the_largest ... ok" in done.stdout
    assert "byte_count::tests::bytes_within_the_window_are_not_available ... ok" in done.stdout
    assert "drop_head::tests::full_queue_drops_its_oldest_packet ... ok" in done.stdout
    assert "qam256::tests::fastest_mode_has_256_points ... ok" in done.stdout
    assert "patient::tests::rests_once_after_each_packet ... ok" in done.stdout


@pytest.mark.guides
def test_the_controller_of_the_guide_is_the_one_in_python(program: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "scenarios" / "my_reno.py", tmp_path)
    ours = hoplab.Scenario.from_text(CHAIN, path=str(tmp_path / "chain.toml"))
    for seed in (1, 2, 3):
        written = ours.with_({"flow.controller": "my_reno.py:Gentle"}, seed=seed)
        followed = run(program, "flow.transport=gentle", f"seed={seed}")
        assert followed["fingerprint"] == hoplab.run(written)[0].fingerprint
    assert followed["fingerprint"] != run(program, "seed=3")["fingerprint"]
    reno = run(program, "tcp.congestion.gentle.growth=1", "tcp.congestion.gentle.retained=0.5", "flow.transport=gentle")
    assert reno["fingerprint"] == run(program, "flow.transport=new_reno")["fingerprint"]


@pytest.mark.guides
def test_the_application_of_the_guide_sends_its_bursts(program: Path) -> None:
    # 3 packets of 512 bytes on average, five times a second.
    rate = 3 * 512 * 8 * 5
    for transport in ("new_reno", "udp"):
        found = run(program, "flow.app=sawtooth", "flow.segment=512", f"flow.transport={transport}")
        assert 0.9 * rate < found["flows"][0]["goodput_bps"] < 1.05 * rate


@pytest.mark.guides
def test_queue_discipline_of_the_guide_shortens_delays(program: Path) -> None:
    overload = ("topology.hops=2", "flow.transport=udp", "flow.app=cbr", "flow.rate=900 kb/s", "queue.limit=20")
    tail, head = (run(program, *overload, f"queue.kind={kind}")["flows"][0] for kind in ("drop_tail", "drop_head"))
    assert 0.95 < head["goodput_bps"] / tail["goodput_bps"] < 1.05
    assert head["delay_mean_s"] < tail["delay_mean_s"]


@pytest.mark.guides
def test_policy_of_the_guide_changes_the_documented_step(program: Path) -> None:
    plain, patient = run(program, "flow.transport=new_reno"), run(program, "flow.transport=patient")
    assert patient["fingerprint"] != plain["fingerprint"]
    assert patient["flows"][0]["goodput_bps"] > 0.5 * plain["flows"][0]["goodput_bps"]
    rests = run(program, "flow.transport=new_reno", "node.3.handshake=patient")
    assert rests["fingerprint"] not in {plain["fingerprint"], patient["fingerprint"]}


@pytest.mark.guides
def test_observer_of_the_guide_changes_no_event(program: Path) -> None:
    plain, observed = (run(program, "goodput_interval=1 s", *more) for more in ((), ("node.0.observer=byte_count",)))
    assert observed["fingerprint"] == plain["fingerprint"]
    estimate = observed["estimates"]["0"]["byte_count"]
    assert set(estimate["capacity_bps"]) == {2e6}
    # The node sends each segment and decodes its RTS, CTS, ACKs and the next hop's copy.
    mean = sum(estimate["available_bps"]) / len(estimate["available_bps"])
    assert 0 < mean < 2e6 - 2 * observed["flows"][0]["goodput_bps"]


LINK = (
    "profile=std",
    "topology.hops=1",
    "topology.spacing=5 m",
    "radio.propagation=free_space",
    "queue.limit=500",
    "flow.transport=udp",
    "flow.app=cbr",
    "flow.segment=1472",
    "flow.rate=200 Mb/s",
    "duration=2 s",
)


@pytest.mark.guides
def test_amendment_of_the_guide_has_a_faster_mode(program: Path) -> None:
    def mbps(standard: str, *more: str) -> float:
        answer = run(program, *LINK, f"radio.standard={standard}", *more)
        return float(answer["flows"][0]["goodput_bps"]) * 1e-6

    old, new = mbps("11n", "mac.mcs=7"), mbps("11n-256qam", "mac.mcs=8")
    assert 0.75 * 65 < old < 65
    assert 0.75 * 78 < new < 78
    assert mbps("11n-256qam", "mac.mcs=7") == old
    assert mbps("11n-256qam", "mac.rate_control=ideal") > 1.1 * old
    assert mbps("11n-256qam", "mac.mcs=8", "radio.streams=2") > 1.6 * new


@pytest.mark.guides
def test_messages_know_the_amendment_of_the_guide(program: Path) -> None:
    def message(*pairs: str) -> str:
        with pytest.raises(AssertionError) as caught:
            run(program, *LINK, *pairs)
        return str(caught.value).replace('\\"', '"')

    assert "0 to 8 with radio.streams = 1" in message("radio.standard=11n-256qam", "mac.mcs=9")
    assert "short_gi" in message("radio.standard=11n-256qam", "mac.short_gi=true")
    assert '"11n" or "11n-256qam"' in message("radio.standard=11a", "mac.mcs=3")


@pytest.mark.guides
def test_protocol_of_the_guide_finds_routes(program: Path) -> None:
    def flow(*more: str) -> tuple[float, dict[str, Any]]:
        found = run(program, "flow.start=5 s", *more)
        return found["flows"][0]["goodput_bps"], found["routing"]

    static, _ = flow("routing.protocol=static")
    for interval, beacons in (("1 s", 20), ("500 ms", 40)):
        goodput, routing = flow("routing.protocol=beacon", f"routing.beacon.interval={interval}")
        assert goodput > 0.4 * static
        # Seven nodes, in 20 s; messages of ARP count, too.
        assert 7 * (beacons - 1) <= routing["messages"] <= 7 * beacons + 40
        assert routing["changes"] >= 7 * 6
    with pytest.raises(AssertionError, match="10 ms to 1 min"):
        flow("routing.protocol=beacon", "routing.beacon.interval=5 ms")


@pytest.fixture(scope="module")
def followed_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with what the guides add, which shares the engine."""
    folder = tmp_path_factory.mktemp("package")
    copy = folder / "python"
    shutil.copytree(ROOT / "python", copy, ignore=shutil.ignore_patterns("_core*.so", "__pycache__"))
    for engine in (ROOT / "python" / "hoplab").glob("_core*.so"):
        (copy / "hoplab" / engine.name).symlink_to(engine)
    add(folder, PYTHON_GUIDES)
    return copy


def printed_by(package: Path, *args: str) -> str:
    command = [sys.executable, "-m", "hoplab", *args]
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "100"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_metric_of_the_guide_is_a_column(followed_package: Path) -> None:
    scenario = ("scenarios/chain.toml", "--transports", "new_reno,vegas", "--set", "duration=20s", "--seeds", "2")
    table = printed_by(followed_package, "compare", *scenario, "--metrics", "retransmitted_share")
    assert "Retransmitted share (%)" in table


def test_command_of_the_guide_prints_the_hops(followed_package: Path) -> None:
    def printed(*args: str) -> str:
        return printed_by(followed_package, *args)

    assert printed("hops", "scenarios/chain.toml", "--set", "topology.hops=6").split() == ["flow", "hops", "0", "6"]
    assert "Print the hops of each flow." in printed("--help")
    assert "Print the hops of each flow, as far as they are known before the run." in printed("hops", "--help")
