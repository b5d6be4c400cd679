"""The animation of wires, hosts and channels: places, packets, queues of ports, and what the page shows of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hoplab.report.animation.panel import viewer_panel
from hoplab.report.animation.wires import FATES, STEP, Wire, host_places, wires_of
from hoplab.report.results import runs_report
from hoplab.running.execution import run
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.store.trace import Trace, open_trace
from report.browser import check_page, opened
from report.test_animation import unpacked
from report.test_viewer import picture, ready, seek

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MESH = """
duration = "4 s"
[topology]
kind = "chain"
hops = 2
[[node]]
kind = "host"
name = "server"
[[node]]
kind = "host"
name = "user"
[[wire]]
between = ["server", 0]
rate = "1 Mb/s"
delay = "20 ms"
loss = 0.05
back = { rate = "2 Mb/s", delay = "5 ms" }
queue = { limit = 8 }
[[wire]]
between = ["user", 0]
rate = "10 Mb/s"
delay = "1 ms"
[[flow]]
from = "server"
to = 2
transport = "tcp_cubic"
[[flow]]
from = "server"
to = "user"
transport = "udp"
app = "cbr"
rate = "1.5 Mb/s"
"""
RADIOS = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)]


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Runs, Trace]:
    folder = tmp_path_factory.mktemp("wires")
    return run(Scenario.from_text(MESH), trace=folder, progress=False), open_trace(folder)


@pytest.fixture(scope="module")
def data(traced: tuple[Runs, Trace]) -> dict[str, Any]:
    panel = viewer_panel(*traced)
    assert panel is not None
    return dict(panel.data)


def wire(a: int, b: int) -> Wire:
    return Wire((a, b), (1e6, 1e6), (0.0, 0.0))


def test_a_wire_has_both_directions() -> None:
    first, second = wires_of(Scenario.from_text(MESH).resolve().data)
    assert first == Wire((3, 0), (1e6, 2e6), (0.02, 0.005))
    assert second == Wire((4, 0), (1e7, 1e7), (0.001, 0.001))


def test_hosts_stand_outside_beside_their_gateways() -> None:
    step = STEP * 400.0
    assert host_places([wire(3, 0)], RADIOS) == [(-step, 0.0)]
    assert host_places([wire(3, 2)], RADIOS) == [(400.0 + step, 0.0)]
    assert host_places([wire(1, 3)], RADIOS) == [(200.0, -step)]
    # Behind another host, twice as far out; behind two gateways, between them.
    assert host_places([wire(3, 0), wire(3, 4)], RADIOS) == [(-step, 0.0), (-2 * step, 0.0)]
    assert host_places([wire(3, 0), wire(3, 1)], RADIOS) == [(100.0, -step)]
    assert host_places([], RADIOS) == []
    # No wire joins the last two to the radios.
    assert {x for x, _ in host_places([wire(3, 0), wire(4, 5)], RADIOS)[1:]} == {400.0 + 2 * step}


def test_hosts_of_one_gateway_are_apart_around_it() -> None:
    places = host_places([wire(3, 0), wire(4, 0), wire(5, 0)], RADIOS)
    ys = sorted(y for _, y in places)
    assert {x for x, _ in places} == {-STEP * 400.0}
    assert ys[1] == pytest.approx(0.0)
    assert min(np.diff(ys)) > 50.0


def test_hosts_alone_have_places_of_their_own() -> None:
    places = host_places([wire(0, 1), wire(1, 2)], [])
    assert len(set(places)) == 3


def test_packets_on_wires_are_those_of_the_run(traced: tuple[Runs, Trace], data: dict[str, Any]) -> None:
    runs, _ = traced
    wired = unpacked(data)["wired"]
    ports = {(wire["from"], wire["to"]): wire for wire in runs[0].wires}
    assert len(wired["t"]) == sum(port["packets"] for port in ports.values())
    for (a, b), port in ports.items():
        mine = (wired["from"] == a) & (wired["to"] == b)
        assert int(mine.sum()) == port["packets"]
        assert int(wired["bytes"][mine].sum()) == port["bytes"]
        assert int((wired["fate"][mine] == FATES.index("lost")).sum()) == port["lost"]
        arrived = mine & (wired["took"] >= 0)
        assert (wired["fate"][arrived] == FATES.index("arrived")).all()
        rate, delay = next(
            (one["rate_bps"][way], one["delay_s"][way])
            for one in data["wires"]
            for way in (0, 1)
            if tuple(one["ends"])[:: 1 - 2 * way] == (a, b)
        )
        expected = wired["bytes"][arrived] * 8e6 / rate + delay * 1e6
        assert np.abs(wired["took"][arrived] - expected).max(initial=0.0) <= 1.0


def test_queues_of_ports_are_never_above_their_limit(traced: tuple[Runs, Trace], data: dict[str, Any]) -> None:
    runs, _ = traced
    ports = unpacked(data)["ports"]
    server = (ports["node"] == 3) & (ports["peer"] == 0)
    assert ports["value"].min() == 0
    assert ports["value"][server].max() == 8  # drops of a full queue do not count as waiting
    assert runs[0].drops["queue_full"] > 100
    (port,) = (one for one in runs[0].wires if (one["from"], one["to"]) == (3, 0))
    times = np.append(ports["t"][server], 4_000_000)
    mean = float((np.diff(times) * ports["value"][server]).sum()) / 4e6
    assert mean == pytest.approx(port["queue_mean_packets"], rel=0.02)


def test_nodes_of_the_page_are_radios_and_hosts(data: dict[str, Any]) -> None:
    tables = unpacked(data)
    assert len(tables["starts"]["x"]) == 5
    assert data["hosts"] == [3, 4]
    assert data["node_names"] == {3: "server", 4: "user"}
    assert "channels" not in data["names"]
    # A route over a wire is one of hops, as others are.
    hops = tables["hops"]
    first = (hops["flow"] == 0) & (hops["back"] == 0) & (hops["node"] == 3)
    assert set(hops["next"][first].tolist()) == {0}


def test_frames_have_the_channels_of_their_links(tmp_path: Path) -> None:
    text = (
        'duration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n[radio]\nchannel = 36\n[[node]]\nid = 1\n'
        "radios = [{ channel = 36 }, { channel = 44 }]\n[[node]]\nid = 2\nradios = [{ channel = 44 }]\n[[flow]]\n"
    )
    runs = run(Scenario.from_text(text), trace=tmp_path, progress=False)
    panel = viewer_panel(runs, open_trace(tmp_path))
    assert panel is not None
    assert panel.data["names"]["channels"] == (36, 44)
    frames = unpacked(dict(panel.data))["frames"]
    ends = np.sort(np.stack([frames["from"], frames["to"]]), axis=0)
    for pair, index in (((0, 1), 0), ((1, 2), 1)):
        mine = (ends[0] == pair[0]) & (ends[1] == pair[1])
        assert mine.sum() > 100
        assert set(frames["channel"][mine].tolist()) == {index}
    assert set(frames["channel"][frames["to"] < 0].tolist()) == {-1}


def test_wires_alone_are_animated(tmp_path: Path) -> None:
    nodes, wires = MESH.index("[[node]]"), MESH.index('[[wire]]\nbetween = ["user"')
    hosts = 'duration = "4 s"\n' + MESH[nodes:wires].replace('"server", 0', '"server", "user"')
    hosts += "[[flow]]\nfrom = 'server'\nto = 'user'\n"
    runs = run(Scenario.from_text(hosts), trace=tmp_path, progress=False)
    report = runs_report(runs, command="", trace=open_trace(tmp_path))
    assert report.viewer is not None
    assert len(unpacked(dict(report.viewer.data))["starts"]["x"]) == 2


@pytest.fixture(scope="module")
def made(traced: tuple[Runs, Trace], tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs, trace = traced
    path = tmp_path_factory.mktemp("page") / "report.html"
    runs_report(runs, command="", trace=trace).write(path)
    return path


def test_page_draws_wires_and_their_packets(made: Path, browser: Browser) -> None:
    with opened(browser, made, 1280) as visit:
        page = ready(visit)
        seek(page, 2.0)
        label = page.locator(".v-canvas").get_attribute("aria-label")
        assert label is not None
        assert label.startswith("Network of 5 nodes")
        before = picture(page)
        page.locator('[data-layer="wires"]').click()
        seek(page, 2.0)
        assert picture(page) != before
        page.evaluate("hoplabViewer.choose({ of: 'node', id: 3 })")
        seek(page, 2.0)
        text = page.locator(".v-inspector").inner_text()
        assert "server" in text
        assert "1 Mb/s, 20 ms" in text
        check_page(visit, made)
