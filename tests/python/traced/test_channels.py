"""Networks on several channels: explanations, captures, validation, and what does not support several radios."""

from __future__ import annotations

from pathlib import Path

import pytest

import hoplab
from hoplab.base.airtime import label
from hoplab.base.errors import InputError
from hoplab.bounding.inputs import networks
from hoplab.explain import explain
from hoplab.explain.narrative import waterfall
from hoplab.running.estimating import estimate
from hoplab.scenario.channels import Channels, may_meet
from hoplab.scenario.model import Scenario
from hoplab.store.trace import open_trace
from hoplab_validation.peers import tables
from hoplab_validation.validate.checks import wifi

EXAMPLES = Path(hoplab.__file__).parent / "scenario" / "examples"

STREET = """
duration = "5 s"
[topology]
kind = "chain"
hops = 4
spacing = "200 m"
[routing]
protocol = "static"
[[node]]
id = 1
radios = [{ channel = 1 }, { channel = 6 }]
[[node]]
id = 2
radios = [{ channel = 6 }, { channel = 11 }]
[[node]]
id = 3
radios = [{ channel = 11 }, { channel = 1 }]
[[flow]]
from = "first"
to = "last"
transport = "new_reno"
"""


@pytest.fixture(scope="module")
def street() -> Scenario:
    return Scenario.from_text(STREET, path="street.toml")


def test_link_takes_first_channel_of_the_sender(street: Scenario) -> None:
    channels = Channels.of(street.resolve().data)
    links = [channels.of_link(*link) for link in ((0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (0, 2), (1, -1))]
    assert links == [1, 6, 6, 11, 1, None, None]
    crossed = Channels(1, {0: (36, 44), 1: (44, 36)})
    assert (crossed.of_frame(0, 1, "data"), crossed.of_frame(1, 0, "ack"), crossed.of_frame(1, 0, "data")) == (
        36,
        36,
        44,
    )
    free = Channels(1, {0: (36, 44), 1: (44, 36), 2: (44,)}, is_fixed=False)
    assert [free.of_link(*link) for link in ((0, 1), (1, 2), (2, 0))] == [None, 44, 44]
    assert may_meet(1, None)
    assert not may_meet(1, 6)


def test_explanation_finds_no_interferer_on_another_channel(street: Scenario, tmp_path: Path) -> None:
    shared = street.with_({f"node.{node}.radios": [{"channel": 1}] for node in (1, 2, 3)})
    found = []
    for name, scenario in (("apart", street), ("shared", shared)):
        runs = hoplab.run(scenario, seeds=1, trace=tmp_path / name)
        found.append(explain(runs[0], open_trace(tmp_path / name), scenario))
    apart, together = found
    channel_of = Channels.of(street.resolve().data).of_link
    for one in apart.collisions:
        # Hops 0 and 3 share channel 1; all others have one each.
        assert channel_of(one.sender, one.addressee) == 1
    assert any(channel_of(one.sender, one.addressee) != 1 for one in together.collisions)
    assert [label(row) for row in apart.airtime][:4] == ["0", "1 (channel 1)", "1 (channel 6)", "2 (channel 6)"]
    assert len(waterfall(apart)[1]) == 8
    assert 0.0 < apart.share(1, "transmitting") < 1.0
    assert apart.run.flows[0].goodput_bps > 2.0 * together.run.flows[0].goodput_bps


@pytest.mark.parametrize("protocol", ["aodv", "dsdv", "olsr"])
def test_example_mesh_finds_routes_over_both_radios(protocol: str, tmp_path: Path) -> None:
    mesh = Scenario.from_toml(EXAMPLES / "mesh-two-radios.toml").with_({"duration": "40 s"})
    table = {"dsdv": {"settling_time": "0 s"}} if protocol == "dsdv" else {}
    starts = {f"flow.{k}.start": f"{20 + 0.5 * k} s" for k in range(4)}
    mesh = mesh.with_({"routing": {"protocol": protocol, **table}, **starts})
    runs = hoplab.run(mesh, seeds=3, trace=tmp_path)
    assert sum(runs.values("goodput_bps")) / 3 > 2e6
    links = open_trace(tmp_path).rows(
        "SELECT DISTINCT node, peer FROM events WHERE event = 'forwarded' AND packet = 'segment' AND peer >= 0", []
    )
    # Neighbors in a row or column of four share a channel, others none.
    assert {abs(node - peer) for node, peer in links} == {1, 4}
    assert all(node // 4 == peer // 4 or node % 4 == peer % 4 for node, peer in links)


def test_commands_that_need_one_radio_say_so(street: Scenario) -> None:
    with pytest.raises(InputError, match=r"node\.1\.radios: not supported by hoplab bound"):
        networks(street, 1)
    with pytest.raises(InputError, match=r"node\.1\.radios: not supported by hoplab estimate"):
        estimate(street)


def test_bound_knows_channels_of_nodes_with_one_radio() -> None:
    text = """
[topology]
kind = "chain"
hops = 2
[[flow]]
from = 0
to = 1
[[node]]
id = 2
radios = [{ channel = 6 }]
"""
    power_w = networks(Scenario.from_text(text, path="apart.toml"), 1)[0].power_w
    assert power_w[0, 1] > 0.0
    assert not power_w[2].any()
    assert not power_w[:, 2].any()


@pytest.mark.parametrize("name", ["radios-2-udp", "radios-4-udp"])
def test_rows_of_ns3_have_a_radio_per_hop(name: str) -> None:
    row = next(row for row in tables.read(wifi.TABLE) if row["name"] == name)
    channels = Channels.of(wifi.scenario(row).resolve().data)
    hops = range(int(row["size"]))
    assert [channels.of_link(hop, hop + 1) for hop in hops] == [36 if hop % 2 == 0 else 40 for hop in hops]
    assert all(len(channels.lists[node]) == 2 for node in hops[1:])
