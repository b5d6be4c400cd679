"""Gateways of hosts by name in each command, and lists of links of nodes with several radios."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hoplab as lab
from hoplab.running.whatif.changes import Network, changes_of
from hoplab.scenario.links import as_links

if TYPE_CHECKING:
    from fakes.command_line import CommandLine

MESH = """
duration = "6 s"
[topology]
kind = "links"
names = ["east", "client", "relay", "west"]
links = [
    { from = "east", to = "client", snr_db = 40, way = "both" },
    { from = "client", to = "relay", snr_db = 40, way = "both" },
    { from = "relay", to = "west", snr_db = 40, way = "both" },
    { from = "east", to = "relay", sense_only = true, way = "both" },
    { from = "client", to = "west", sense_only = true, way = "both" },
]
[routing]
protocol = "aodv"
[[node]]
kind = "host"
name = "server"
gateway = ["east", "west"]
[[wire]]
between = ["server", "east"]
rate = "100 Mb/s"
[[wire]]
between = ["server", "west"]
rate = "100 Mb/s"
[[flow]]
from = "server"
to = "client"
transport = "cubic"
"""


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    path = tmp_path / "mesh.toml"
    path.write_text(MESH, encoding="utf-8")
    return path


def test_run_takes_a_gateway_by_name(hoplab: CommandLine, mesh: Path) -> None:
    hops = {}
    for gateway in ("east", "west", '["west", "east"]'):
        answer = hoplab("run", mesh.name, "--set", f"node.server.gateway={gateway}", "--json")
        assert answer.code == 0, answer.err
        hops[gateway] = json.loads(answer.out)["flows"][0]["hops_mean"]
    assert (hops["east"], hops["west"], hops['["west", "east"]']) == (2.0, 3.0, 2.0)


def test_unknown_host_has_a_hint_that_works(hoplab: CommandLine, mesh: Path) -> None:
    answer = hoplab("run", mesh.name, "--set", "node.sever.gateway=west")
    assert (answer.code, "did you mean node.server?" in answer.err) == (3, True), answer.err
    assert hoplab("run", mesh.name, "--set", "node.server.gateway=west").code == 0


def test_compare_and_sweep_have_gateways_as_an_axis(hoplab: CommandLine, mesh: Path) -> None:
    axis = "node.server.gateway=east,west"
    answer = hoplab("compare", mesh.name, "-t", "cubic", "--between", axis, "--seeds", "2")
    assert answer.code == 0, answer.err
    assert "node.server.gateway = east leads" in answer.out.replace("\n", " ")
    answer = hoplab("sweep", mesh.name, "--over", axis, "--seeds", "1", "--out", "found", "--json")
    assert answer.code == 0, answer.err
    assert ['"east"' in line or '"west"' in line for line in answer.out.splitlines()] == [True, True]


def test_whatif_takes_each_of_several_gateways() -> None:
    scenario = lab.Scenario.from_text(MESH)
    found = {change.title: change for change in changes_of(Network(scenario, (1,)), ["gateways"])}
    alone = [title for title in found if "through" in title]
    assert alone == ["server through east", "server through west"]
    gateways = [found[title].applied(scenario).resolve().data["hosts"][0]["gateway"] for title in alone]
    assert (scenario.resolve().data["hosts"][0]["gateway"], gateways) == ([0, 3], [0, 3])


RADIOS = """
duration = "4 s"
topology = { kind = "positions", positions = [[0, 0], [150, 80], [300, 0]] }
routing.protocol = "olsr"
[[node]]
id = 0
radios = [{ channel = 36 }, { channel = 44 }]
[[node]]
id = 1
radios = [{ channel = 44 }, { channel = 36 }]
[[node]]
id = 2
radios = [{ channel = 36 }]
[[node]]
kind = "host"
name = "server"
[[wire]]
between = ["server", 0]
rate = "10 Mb/s"
[[flow]]
from = "server"
to = 2
"""


def test_links_of_several_radios_are_listed_with_their_channels(tmp_path: Path) -> None:
    scenario = lab.Scenario.from_text(RADIOS)
    text, rows = as_links(scenario, file="list.csv")
    (tmp_path / "list.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "list.toml").write_text(text, encoding="utf-8")
    listed = lab.Scenario.from_toml(tmp_path / "list.toml")
    assert rows.splitlines()[0] == "from,to,channel,power_w,delay_ns"
    assert {line.split(",")[2] for line in rows.splitlines()[1:]} == {"36", "44"}
    assert lab.run(listed)[0].fingerprint == lab.run(scenario)[0].fingerprint
