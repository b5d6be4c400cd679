"""ns-3: the description that is written for our program, what is refused instead, and what its output means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.peers import needs_ns3

from hoplab.base.errors import EXIT_PEER_MISSING
from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import against_ns3, text_of
from hoplab_validation.peers.ns3 import run as ns3_run
from hoplab_validation.peers.ns3.text import counterpart
from hoplab_validation.peers.resolved import parse
from hoplab_validation.peers.unsupported import UnsupportedError

OUTPUT = """\
HOPLAB mark t=20 cpu=0.5 frames=1000 events=20000
HOPLAB mark t=60 cpu=2.5 frames=41000 events=90000
HOPLAB flow=0 bytes=1460000 sent=1100 retransmissions=44 timeouts=3 cwnd=6.25
HOPLAB end
"""


def scenario(**tables: Any) -> Scenario:
    usual: dict[str, Any] = {
        "duration": "60 s",
        "warmup": "20 s",
        "topology": {"kind": "chain", "hops": 2},
        "flow": [{"from": "first", "to": "last", "transport": "new_reno", "window": 12}],
    }
    return Scenario.from_dict(**(usual | tables))


def words(text: str) -> dict[str, list[str]]:
    """Values of the last statement that begins with each word."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines()}


def test_the_description_of_a_chain() -> None:
    text = text_of(counterpart(scenario()), mark_s=5.0)
    assert text.splitlines()[0].startswith("# ")
    found = words(text)
    assert found["rate"] == ["2000000.0"]
    assert found["mark"] == ["5.0"]
    assert found["initial_window"] == ["3"], "RFC 5681 section 3.1 for 1460 bytes"
    assert found["flow"] == ["0", "0", "2", "tcp", "1460", "12", "0.0", "60.0", "0.0", "20.0"]
    hops = {line for line in text.splitlines() if line.startswith("hop ")}
    assert hops == {"hop 0 2 1", "hop 1 2 2", "hop 1 0 0", "hop 2 0 1"}
    assert float(found["rx_threshold"][0]) < 3.652e-10 < 1.000001 * float(found["rx_threshold"][0])


def test_routing_protocols_have_their_constants() -> None:
    text = text_of(counterpart(scenario(routing={"protocol": "aodv"})))
    assert "set ns3::aodv::RoutingProtocol::ActiveRouteTimeout 3.0s" in text
    assert "set ns3::aodv::RoutingProtocol::NetTraversalTime 2.8000000000000003s" in text
    assert "set ns3::aodv::RoutingProtocol::EnableHello 0" in text
    assert "hop " not in text


def test_trajectories_of_the_run_are_written() -> None:
    moving = scenario(
        topology={"kind": "random", "nodes": 4, "area": ["300 m", "300 m"]},
        mobility={"kind": "waypoint", "max_speed": "10 m/s"},
        routing={"protocol": "aodv"},
        flow=[{"from": 0, "to": 1}],
    )
    texts = [text_of(counterpart(moving), seed) for seed in (1, 2)]
    assert all(line.startswith(("node", "move")) for line in set(texts[0].split("\n")) - set(texts[1].split("\n")))
    assert "move 0 " in texts[0]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"mac.profile": "ns2"}, "mac.profile"),
        ({"radio.rx_model": "ns2"}, "radio.rx_model"),
        ({"mac.basic_rate": "1 Mb/s"}, "mac.basic_rate"),
        ({"mac.preamble": "short"}, "mac.preamble"),
        ({"link.delay": "25 us"}, "link.delay"),
        ({"radio.sinr.abort_on_header_error": False}, "radio.sinr.abort_on_header_error"),
        ({"tcp.timestamps": True}, "tcp.timestamps"),
    ],
)
def test_what_ns3_does_not_have_is_refused_by_key(changes: dict[str, object], key: str) -> None:
    with pytest.raises(UnsupportedError, match=r"ns-3\.37 does not support") as caught:
        text_of(counterpart(scenario()).with_(changes))
    assert caught.value.key == key


def test_flows_that_our_program_cannot_make_are_refused() -> None:
    vegas = scenario(flow=[{"from": 0, "to": 2, "transport": "vegas"}])
    with pytest.raises(UnsupportedError, match=r"flow\.0\.transport"):
        text_of(counterpart(vegas))
    unlike = scenario(flow=[{"from": 0, "to": 2, "window": 8}, {"from": 2, "to": 0, "window": 9}])
    with pytest.raises(UnsupportedError, match=r"flow\.1\.window"):
        text_of(counterpart(unlike))


def test_output_is_read() -> None:
    (flow,), (first, last) = ns3_run.parse(OUTPUT, parse(scenario().resolve().data))
    assert flow.goodput_bps == 1460000 * 8 / 40.0
    assert (flow.segments, flow.sent, flow.retransmissions, flow.timeouts) == (1000, 1100, 44, 3)
    assert last.cpu_s - first.cpu_s == 2.0
    assert last.frames - first.frames == 40_000


@pytest.mark.parametrize("gone", [b"HOPLAB end\n", b"HOPLAB flow=0", b"HOPLAB mark t=20"])
def test_output_that_lacks_something_is_a_failure(gone: bytes) -> None:
    with pytest.raises(ns3_run.Ns3FailedError):
        ns3_run.parse(OUTPUT.replace(gone.decode(), "#"), parse(scenario().resolve().data))


def test_without_ns3_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(ns3_run.Ns3MissingError, match=r"install-peers\.sh") as caught:
        ns3_run.find()
    assert caught.value.exit_code == EXIT_PEER_MISSING


@pytest.mark.slow
def test_one_hop_is_the_same_in_ns3() -> None:
    needs_ns3()
    short = scenario(duration="20 s", warmup="5 s", topology={"kind": "chain", "hops": 1})
    comparison = against_ns3(counterpart(short), range(1, 4))
    goodput = comparison.rows[0]
    assert abs(goodput.difference) < 0.005 * goodput.reference.mean
    assert goodput.agrees


@pytest.mark.slow
def test_an_unknown_statement_ends_our_program(tmp_path: Path) -> None:
    program = needs_ns3()
    path = tmp_path / "scenario.txt"
    path.write_text("no_such 1\n", encoding="utf-8")
    with pytest.raises(ns3_run.Ns3FailedError, match="unknown statement: no_such 1"):
        ns3_run.execute(program, path, 1)
