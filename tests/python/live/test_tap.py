"""Live networks of TAP devices: hosts resolve addresses, route and forward; frames go to neighbors."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from fakes.live_system import ECHO, PING, needs_live_networks, program

from hoplab.running.execution import run as run_scenario
from hoplab.running.live.session import Command, LiveRun, Pace, run_live, scenario_of

CHAIN = """
duration = "{seconds} s"
[topology]
kind = "chain"
hops = {hops}
spacing = "200 m"
[live]
device = "tap"
{keys}
"""

DIAMOND = """
duration = "60 s"
[topology]
kind = "positions"
positions = [[0, 0], [200, 100], [200, -100], [400, 0]]
[live]
device = "tap"
ipv6 = true
forward = true
[[node]]
id = 1
radio_off = [["25 s", "60 s"]]
[[node]]
id = 2
radio_off = [["0 s", "10 s"]]
"""
"""Relay 1 carries everything until it is switched off; relay 2 is there then."""

BABELD = (
    "exec babeld -I {folder}/$HOPLAB_NODE.pid -S {folder}/$HOPLAB_NODE.state -L {folder}/$HOPLAB_NODE.log "
    "-C 'default type wireless hello-interval 1 update-interval 4' hop0"
)

REACH = """
import json, socket, sys, time
to, lasting = sys.argv[1], float(sys.argv[2])
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(0.3)
began, answered = time.monotonic(), []
while (now := time.monotonic() - began) < lasting:
    try:
        client.sendto(bytes(56), (to, 7))
        client.recv(2048)
        answered.append(now)
    except OSError:
        pass
    time.sleep(0.1)
print(json.dumps(answered))
"""
"""Prints when datagrams were answered, in s."""


def live(tmp_path: Path, hops: int, seconds: float, keys: str, *commands: tuple[str, str]) -> LiveRun:
    file = tmp_path / "tap.toml"
    file.write_text(CHAIN.format(hops=hops, seconds=seconds, keys=keys), encoding="utf-8")
    chosen = [Command(node, text) for node, text in commands]
    return run_live(scenario_of(file, ()), chosen, Pace(), tmp_path / "packets.txt")


def test_neighbors_resolve_addresses_by_arp_of_hosts(tmp_path: Path) -> None:
    needs_live_networks()
    ready = tmp_path / "ready"
    done = live(tmp_path, 2, 20, "", ("1", program(ECHO, ready)), ("first", program(PING, "{1}", 20, ready)))
    assert len(json.loads(done.outputs[1])) == 20
    (run,) = run_scenario(done.replay, progress=False)
    assert run.fingerprint == done.pace["fingerprint"]
    assert run.live is not None
    arp = [one for one in run.live["conversations"] if one["protocol"] == 0]
    requests = [one for one in arp if one["to"] is None]
    assert [(one["from"], one["bytes"] // one["packets"]) for one in requests] == [(0, 28)]
    assert sum(one["packets"] for one in arp) <= 4
    echoes = [one for one in run.live["conversations"] if one["protocol"] == 17]
    assert sorted((one["from"], one["to"], one["packets"]) for one in echoes) == [(0, 1, 20), (1, 0, 20)]


def test_a_node_beyond_the_neighbors_needs_a_route(tmp_path: Path) -> None:
    needs_live_networks()
    done = live(tmp_path, 2, 20, "", ("last", program(ECHO, tmp_path / "r")), ("first", program(REACH, "{last}", 4)))
    assert json.loads(done.outputs[1]) == []


def test_babel_finds_routes_and_repairs_them(tmp_path: Path) -> None:
    needs_live_networks()
    if shutil.which("babeld") is None:
        if os.environ.get("HOPLAB_CI"):
            pytest.fail("babeld is not installed")
        pytest.skip("babeld is not installed")
    file = tmp_path / "tap.toml"
    file.write_text(DIAMOND, encoding="utf-8")
    commands = [
        Command("all", BABELD.format(folder=tmp_path)),
        Command("last", program(ECHO, tmp_path / "ready")),
        Command("first", program(REACH, "{last}", 55)),
    ]
    done = run_live(scenario_of(file, ()), commands, Pace(), tmp_path / "packets.txt")
    answered = json.loads(done.outputs[-1])
    assert sum(time < 25 for time in answered) > 20
    assert sum(time > 45 for time in answered) > 20
