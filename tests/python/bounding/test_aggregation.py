"""Bounds of networks with A-MPDUs: closed forms of lone senders, and what queue, window and losses take from them."""

from __future__ import annotations

from typing import Any

import pytest

import hoplab
from hoplab.bounding import bound

BITS = 1472 * 8
"""Payload of a datagram, of which an MPDU has 1538 bytes."""


def link(mac: dict[str, Any], flow: dict[str, Any] | None = None, **more: Any) -> hoplab.Scenario:
    """A saturated sender of 802.11n 10 m from its receiver."""
    udp = {"transport": "udp", "app": "cbr", "rate": "200 Mb/s", "segment": 1472}
    data = {
        "profile": "std",
        "duration": "3 s",
        "warmup": "1 s",
        "link": {"arp": False, "delay": "0 s"},
        "topology": {"kind": "positions", "positions": [[0, 0], [10, 0]]},
        "radio": {"standard": "11n"},
        "mac": {"basic_rate": "24 Mb/s", "rts_threshold": 65535, **mac},
        "flow": [{"from": 0, "to": 1, **(flow or udp)}],
        **more,
    }
    return hoplab.Scenario.from_dict(data)


def most(scenario: hoplab.Scenario) -> float:
    """The largest sum of rates of DCF, Mb/s."""
    return bound(scenario, schedule=False).sum.high * 1e-6


@pytest.mark.parametrize(
    ("mac", "mpdus", "ppdu_us"),
    [
        ({"mcs": 0}, 2, 3840),
        ({"mcs": 4}, 17, 5424),
        ({"mcs": 7}, 28, 5360),
        ({"mcs": 7, "ampdu": "8191 B"}, 5, 36 + 4 * 238),
    ],
)
def test_lone_senders_are_just_below_their_bound(mac: dict[str, Any], mpdus: int, ppdu_us: float) -> None:
    """docs/protocols/wifi.md: AIFS, 7.5 slots and SIFS are 126.5 us, a Block Ack 32 us."""
    closed = BITS * mpdus / (126.5 + ppdu_us + (32 if mac["mcs"] else 68))
    scenario = link(mac)
    high = most(scenario)
    # An ACK is shorter than a Block Ack, and the slot in which AIFS ends does not count.
    assert closed <= high <= 1.015 * closed
    share = bound(scenario, schedule=False).share(hoplab.run(scenario, seeds=1)[0])
    assert 0.985 < share <= 1.0


def test_queue_and_window_shorten_ampdus() -> None:
    # 28 MPDUs fit; ten packets wait behind the one in service, or a flow has eight on their way.
    long, queued = (most(link({"mcs": 7}, queue={"limit": limit, "kind": "red"})) for limit in (100, 10))
    per_packet = 1544 * 8 / 65
    overhead = 117.5 + 36 + 28
    assert queued == pytest.approx(BITS / (per_packet + overhead / 11), rel=0.003)
    assert queued < 0.96 * long
    few, many = (most(link({"mcs": 7}, {"transport": "new_reno", "window": window})) for window in (8, 1000))
    assert few < 0.9 * many


def test_losses_repeat_mpdus_and_not_ampdus() -> None:
    errors = {"model": "uniform_packet", "frame_error_rate": 0.2, "scope": "data_only"}
    clean = most(link({"mcs": 4}))
    lossy = link({"mcs": 4}, radio={"standard": "11n", "errors": errors})
    assert most(lossy) == pytest.approx(0.8 * clean, rel=0.002)
    share = bound(lossy, schedule=False).share(hoplab.run(lossy, seeds=1)[0])
    assert 0.98 < share <= 1.003


def test_chain_of_ampdus_is_limited_as_one_of_single_frames_is() -> None:
    def chain(ampdu: str, hops: int) -> hoplab.Scenario:
        radio = {"standard": "11n", "propagation": "shadowing", "shadowing_deviation_db": 0, "path_loss_exponent": 3}
        radio["tx_power"] = "40 mW"
        topology = {"kind": "chain", "hops": hops, "spacing": "25 m"}
        return link({"mcs": 3, "ampdu": ampdu}, {"transport": "new_reno"}, topology=topology, radio=radio)

    for hops in (1, 2, 4):
        joined, single = chain("65535 B", hops), chain("0 B", hops)
        assert most(joined) > 1.3 * most(single)
        for scenario in (joined, single):
            run = hoplab.run(scenario, seeds=1)[0]
            assert 0.2 < bound(scenario, schedule=False).share(run) < 1.0
