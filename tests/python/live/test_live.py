"""Live networks: exchange times, goodput beside simulation, malformed frames, cleanup, and errors."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine
from fakes.live_system import ECHO, PING, SEND, SINK, needs_live_networks, program

from hoplab.base.errors import HoplabError, UsageError
from hoplab.base.scratch import started
from hoplab.cli.commands.programs.words import commands_of, one_word_each
from hoplab.running.execution import run as run_scenario
from hoplab.running.live import places
from hoplab.running.live.session import Command, LiveRun, Pace, order_of, run_live, scenario_of
from hoplab.scenario.model import Scenario

CHAIN = """
duration = "{seconds} s"
[topology]
kind = "chain"
hops = {hops}
spacing = "200 m"
[link]
arp = false
"""

EXCHANGE_S = 1390e-6
"""DIFS, RTS, SIFS, CTS, SIFS and data of a packet of 84 bytes at 2 Mb/s with long preambles: 50 + 352 + 10 + 304 + 10 +
664 us (IEEE 802.11-1999 section 9.2)."""

ACK_S = 314e-6
"""SIFS and ACK, before the next exchange of the same station."""

BACKOFF_S = 300e-6
"""Mean of 0 to 30 slots of 20 us."""

LINK_S = 25e-6
"""Delay of a packet to the queue, and from the MAC to the network layer."""


def round_trip_s(hops: int, backoff_s: float) -> float:
    """Time of an echo whose host answers at once: each exchange waits for the ACK of the one before."""
    exchanges = 2 * hops
    return 2 * LINK_S + exchanges * (EXCHANGE_S + backoff_s) + (exchanges - 1) * ACK_S


def chain(tmp_path: Path, hops: int, seconds: float) -> Path:
    file = tmp_path / f"chain-{hops}.toml"
    file.write_text(CHAIN.format(hops=hops, seconds=seconds), encoding="utf-8")
    return file


def live(tmp_path: Path, hops: int, seconds: float, *commands: tuple[str, str]) -> LiveRun:
    scenario = scenario_of(chain(tmp_path, hops, seconds), ())
    return run_live(scenario, [Command(node, text) for node, text in commands], Pace(), tmp_path / "packets.txt")


def results(done: LiveRun) -> Any:
    """The run as its repetition gives it, which must be that run."""
    (run,) = run_scenario(done.replay, progress=False)
    assert run.fingerprint == done.pace["fingerprint"]
    return run.live


def entered_first_s(folder: Path) -> float:
    """When the first packet entered the network: programs start later than the clock."""
    lines = (folder / "packets.txt").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[0]) for line in lines if line and not line.startswith("#")) / 1e9


@pytest.mark.parametrize("hops", [1, 2, 3, 4])
def test_echo_takes_the_time_of_its_exchanges(tmp_path: Path, hops: int) -> None:
    needs_live_networks()
    ready = tmp_path / "ready"
    done = live(tmp_path, hops, 60, ("last", program(ECHO, ready)), ("first", program(PING, "{last}", 60, ready)))
    times = json.loads(done.outputs[1])
    assert len(times) == 60
    assert min(times) >= round_trip_s(hops, 0.0)
    forth, back = results(done)["conversations"]
    one_way_s = 2 * LINK_S + hops * (EXCHANGE_S + BACKOFF_S) + (hops - 1) * ACK_S
    for one in (forth, back):
        assert (one["packets"], one["delivered"], one["dropped"]) == (60, 60, {})
        assert one["delay_min_s"] >= 2 * LINK_S + hops * EXCHANGE_S + (hops - 1) * ACK_S
    assert forth["delay_mean_s"] == pytest.approx(one_way_s, rel=0.06)
    inside_s = forth["delay_mean_s"] + back["delay_mean_s"]
    assert statistics.fmean(times) >= inside_s
    # The answer waits for the ACK of the packet that it answers, if the program gives it within the time of the ACK.
    longest_s = one_way_s + ACK_S - 2 * LINK_S
    assert back["delay_mean_s"] <= longest_s * 1.08
    if statistics.fmean(times) - inside_s < ACK_S:
        assert back["delay_mean_s"] >= longest_s * 0.92
    if done.grade == "precise":
        assert statistics.median(times) <= round_trip_s(hops, BACKOFF_S) * 1.02 + 0.4e-3


def test_udp_goodput_over_four_hops_is_that_of_simulation(tmp_path: Path) -> None:
    needs_live_networks()
    seconds, ready = 10, tmp_path / "ready"
    done = live(
        tmp_path,
        4,
        seconds,
        ("last", program(SINK, ready)),
        ("first", program(SEND, "{last}", 600e3, 1000, seconds + 5, ready)),
    )
    (one,) = results(done)["conversations"]
    carried_bps = one["delivered"] * 1000 * 8 / (seconds - entered_first_s(tmp_path))
    flow = '[[flow]]\ntransport = "udp"\napp = "cbr"\nrate = "600 kb/s"\nsegment = 1000\n'
    simulated = run_scenario(Scenario.from_text(CHAIN.format(hops=4, seconds=seconds) + flow), seeds=10, progress=False)
    goodputs = [run.flows[0].goodput_bps for run in simulated]
    assert one["dropped"]["queue_full"] > 0
    assert min(goodputs) * 0.97 <= carried_bps <= max(goodputs) * 1.03


OWN = """
import hoplab


class Own(hoplab.Controller):
    def on_ack(self, ack):
        self.cwnd += 1.0 / self.cwnd
        if ack.now_s > LAST:
            raise ValueError("late")
"""


@pytest.mark.parametrize("last_s", [99, 1])
def test_own_controllers_drive_flows_beside_programs(tmp_path: Path, last_s: int) -> None:
    needs_live_networks()
    (tmp_path / "own.py").write_text(OWN.replace("LAST", str(last_s)), encoding="utf-8")
    file = chain(tmp_path, 2, 3)
    flow = '[[flow]]\nfrom = 2\nto = 0\ntransport = "tcp_reno"\ncontroller = "own.py:Own"\n'
    file.write_text(file.read_text(encoding="utf-8") + flow, encoding="utf-8")
    ready = tmp_path / "ready"
    words = (Command("last", program(ECHO, ready)), Command("first", program(PING, "{last}", 10, ready)))

    def done() -> LiveRun:
        return run_live(scenario_of(file, ()), words, Pace(), tmp_path / "packets.txt")

    if last_s == 1:
        with pytest.raises(HoplabError, match=r"ControllerError: .*own.py:Own of flow 0 failed at t = 1"):
            done()
        return
    (run,) = run_scenario((found := done()).replay, progress=False)
    assert run.fingerprint == found.pace["fingerprint"]
    assert run.flows[0].transport == "own.py:Own"
    assert run.flows[0].goodput_bps > 1e5


def test_malformed_frames_are_counted() -> None:
    needs_live_networks()
    script = Path(__file__).parents[3] / "scripts" / "measure" / "malformed_frames.py"
    answer = subprocess.run([sys.executable, script, "--frames", "3000"], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["entered"] > 0
    assert found["sent"] > 1500


def test_killed_network_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_live_networks()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    others = [tmp_path / name for name in ("hoplab-live-notes", "hoplab-live-1", "hoplab-live-x9")]
    for other in others:
        other.mkdir()
    command = [sys.executable, "-m", "hoplab", "live", str(chain(tmp_path, 2, 60)), "--exec", "1:sleep 1000"]
    network = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    place = places.Place(tmp_path / f"hoplab-live-{network.pid}", network.pid)
    limit = time.monotonic() + 30
    while not place.packets.exists() and time.monotonic() < limit:
        time.sleep(0.05)
    state = json.loads(place.nodes.read_text(encoding="utf-8"))
    init = Path(f"/proc/{state['init']}")
    spaces = {(init / "fd" / str(number)).stat().st_ino for number in state["spaces"].values()}
    assert len(spaces) == 3
    assert places.running() == [place]
    network.send_signal(signal.SIGKILL)
    network.wait()
    while held := {inode for inode in spaces if inode in namespaces()}:
        assert time.monotonic() < limit, held
        time.sleep(0.02)
    assert place.path.is_dir()
    assert places.remove_stale() == [place.path]
    assert [other for other in others if not other.is_dir()] == []


def namespaces() -> set[int]:
    """Inode numbers of all network namespaces that a process is in, or has open."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        for link in [process / "ns" / "net", *(process / "fd").glob("*")]:
            try:
                if str(link.readlink()).startswith("net:"):
                    found.add(link.stat().st_ino)
            except OSError:
                continue
    return found


def test_stored_results_repeat_the_run(tmp_path: Path) -> None:
    needs_live_networks()
    file = chain(tmp_path, 2, 3)
    kept = ["--out", str(tmp_path / "r"), "--pcapng", str(tmp_path / "r.pcapng")]
    command = [sys.executable, "-m", "hoplab", "live", str(file), *kept]
    ready = tmp_path / "ready"
    execute = ["--exec", "last:" + program(ECHO, ready), "--exec", "first", program(PING, "{last}", 5, ready)]
    answer = subprocess.run([*command, *execute], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "lateness" in answer.stdout
    assert (tmp_path / "r.pcapng").stat().st_size > 1000
    shutil.move(tmp_path / "r", tmp_path / "moved")
    stored = json.loads((tmp_path / "moved" / "live.json").read_text(encoding="utf-8"))
    again = subprocess.run(
        [sys.executable, "-m", "hoplab", "run", tmp_path / "moved" / "scenario.toml", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(again.stdout)["fingerprint"] == stored["fingerprint"]
    assert [program["status"] for program in stored["programs"]][1] == 0


def test_failing_program_is_a_verdict_if_strict(tmp_path: Path, hoplab: CommandLine) -> None:
    needs_live_networks()
    file = chain(tmp_path, 1, 20)
    assert hoplab("-q", "live", file, "--exec", "0:exit 3").code == 0
    answer = hoplab("-q", "live", file, "--strict", "--exec", "0:exit 3")
    assert answer.code == 5
    assert "node 0: exit 3: status 3" in answer.out


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--exec", "sleep 1"], 2, "--exec: invalid value 'sleep 1'"),
        (["--exec", "0"], 2, "--exec: invalid value '0'\n  hint: expected NODE COMMAND"),
        (["--exec", "0", " "], 2, "--exec: invalid value '0: '"),
        (["--exec", "7", "true"], 2, "node '7' has no device"),
        (["--exec", "7:true"], 2, "node '7' has no device\n  hint: expected a number (0 to 2), first or last"),
        (["--exec", "0:ping {9}"], 2, "node '9' has no device"),
        (["--shell", "0"], 2, "--shell requires a terminal"),
        (["--for", "ten"], 2, "--for: invalid value 'ten'"),
        (["--trace"], 2, "--trace requires an output directory"),
        (["--set", "live.mtu=9000"], 3, "live.mtu: 9000 is out of range"),
        (["--set", "live.nodes=[0, 5]"], 3, "live.nodes: node 5 does not exist"),
        (["--set", "live.file=none.txt"], 3, "live.file: none.txt: file not found"),
    ],
)
def test_bad_input_has_a_clear_error(
    tmp_path: Path, hoplab: CommandLine, args: list[str], code: int, message: str
) -> None:
    answer = hoplab("live", chain(tmp_path, 2, 1), *args)
    assert answer.code == code
    assert message in answer.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["f", "--exec", "0", "iperf3 -s", "--exec", "4:a b"], ["f", "--exec", "0:iperf3 -s", "--exec", "4:a b"]),
        (["--exec", "-1", "true", "f"], ["--exec", "-1:true", "f"]),
        (["--exec", "last"], ["--exec", "last"]),
        (["--exec", "gw-a", "a b", "f"], ["--exec", "gw-a:a b", "f"]),
        (["--exec", "gw-a:true", "f"], ["--exec", "gw-a:true", "f"]),
        (["--exec", "roof 2", "true", "f"], ["--exec", "roof 2:true", "f"]),
        (["--exec", "02:ca:fe:00:00:01", "a", "f"], ["--exec", "02:ca:fe:00:00:01:a", "f"]),
        (["--", "--exec", "0", "true"], ["--", "--exec", "0", "true"]),
    ],
)
def test_exec_takes_a_node_and_a_command(args: list[str], words: list[str]) -> None:
    assert one_word_each(args) == words


NAMED = """
duration = "2 s"
[topology]
kind = "places"
geo = [[52.5, 13.4], [52.5, 13.401], [52.5, 13.402]]
names = ["gw-a", "roof 2", "barn"]
[live]
nodes = [0, 2]
"""


def test_nodes_of_commands_and_addresses_have_names() -> None:
    scenario = Scenario.from_text(NAMED)
    commands = [Command("barn", "ping {gw-a} {first} {roof}; awk '{print}'"), Command("all", "true")]
    order = order_of(scenario, commands, Pace(), 1)
    first = order["programs"][0]
    assert (first["node"], first["name"]) == (2, "barn")
    assert first["command"] == "ping 10.0.0.1 10.0.0.1 {roof}; awk '{print}'"
    assert [program["name"] for program in order["programs"][1:]] == ["gw-a", "barn"]
    listed = r"node 'bran' has no device\n.* expected a name \(barn, gw-a\), a number \(0, 2\), first or last"
    with pytest.raises(UsageError, match=listed):
        order_of(scenario, [Command("bran", "true")], Pace(), 1)
    with pytest.raises(UsageError, match="node 'roof 2' has no device"):
        order_of(scenario, [Command("roof 2", "true")], Pace(), 1)


def test_names_of_interfaces_keep_their_colons() -> None:
    commands = commands_of(["02:ca:fe:00:00:01:ping {0}", "gw-a: a:b"], None)
    assert [(one.node, one.command) for one in commands] == [("02:ca:fe:00:00:01", "ping {0}"), ("gw-a", "a:b")]


def test_missing_file_names_both_forms(hoplab: CommandLine) -> None:
    answer = hoplab("live")
    assert (answer.code, answer.err) == (
        2,
        "hoplab: missing FILE\n  hint: hoplab live FILE, or hoplab live --enter NODE\n",
    )


def test_directories_of_other_programs_remain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    kept = [f"hoplab-live-{os.getpid()}", "hoplab-live-", f"hoplab-live-{ended.pid}x", "hoplab-live-12"]
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / f"hoplab-live-{ended.pid}").mkdir()
    for pid in (os.getpid(), ended.pid):
        state = {"started": started(os.getpid())}
        (tmp_path / f"hoplab-live-{pid}" / places.STATE).write_text(json.dumps(state), encoding="utf-8")
    assert places.remove_stale() == [tmp_path / f"hoplab-live-{ended.pid}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
