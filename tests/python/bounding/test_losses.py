"""Bounds where radio errors corrupt frames: expected transmissions within the retry limits."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

import hoplab
from bounding.cases import chain, rows, scenario
from hoplab.base.errors import InputError
from hoplab.bounding import bound, replay
from hoplab.bounding.attempts import Retries, expected

FIELDS = (
    "slots", "rts_sent", "cts_sent", "data_sent", "ack_sent", "rts_failures", "data_failures", "delivered",
)  # fmt: skip


@pytest.mark.parametrize("row", rows("losses"))
def test_frames_per_packet(row: dict[str, Any]) -> None:
    rules = Retries(row["rts"], not row["rts"], row["ssrl"], row["slrl"], 31, 1023, draws_cw=False)
    found = asdict(expected(rules, (row["loss"],) * 4))
    assert [found[name] for name in FIELDS] == pytest.approx([row[name] for name in FIELDS], abs=6e-5)


def test_unlimited_retries_are_a_geometric_series() -> None:
    rules = Retries(uses_rts=False, is_short=True, ssrl=200, slrl=4, cw_min=31, cw_max=31, draws_cw=True)
    found = expected(rules, (0.0, 0.0, 0.2, 0.1))
    assert found.data_sent == pytest.approx(1.0 / (0.8 * 0.9))
    assert found.ack_sent == pytest.approx(1.0 / 0.9)
    assert found.slots == pytest.approx(15.5 * found.data_sent)
    assert found.delivered == pytest.approx(1.0)


def lossy(delivery: float, transport: str = "udp") -> hoplab.Scenario:
    link = f'links = [{{ from = "a", to = "b", way = "both", snr_db = 30, delivery = {delivery} }}]\n'
    return scenario(f'[topology]\nkind = "links"\nnames = ["a", "b"]\n{link}', [(0, 1)], transport)


def test_losses_lower_the_bound_by_expected_transmissions() -> None:
    whole, half = bound(lossy(1.0), schedule=False).sum.high, bound(lossy(0.5), schedule=False)
    perfect = bound(lossy(0.5), scheduler="perfect", schedule=False).sum.high
    assert half.strict
    assert half.sum.high < 0.15 * whole
    # Frames of 0.5 each: data alone are sent so often per packet that arrives.
    rules = Retries(True, False, 7, 4, 31, 1023, draws_cw=False)
    sent = expected(rules, (0.5,) * 4)
    times = 352 * sent.rts_sent + 304 * (sent.cts_sent + sent.ack_sent) + 6248 * sent.data_sent
    gaps = 10 * (sent.cts_sent + sent.data_sent + sent.ack_sent)
    assert perfect == pytest.approx(1460 * 8 / (1e-6 * (times + gaps) / sent.delivered), rel=1e-9)


@pytest.mark.parametrize("delivery", [0.95, 0.8, 0.6])
@pytest.mark.parametrize("transport", ["udp", "new_reno"])
def test_no_run_over_lossy_links_exceeds_its_bound(delivery: float, transport: str) -> None:
    given = lossy(delivery, transport).with_({"duration": "60 s"})
    share = bound(given, schedule=False).share(hoplab.run(given, seeds=1)[0])
    assert (0.7 if transport == "udp" else 0.2) < share <= 1.003


def test_link_that_delivers_nothing_carries_nothing() -> None:
    assert bound(lossy(0.0), schedule=False).sum.high == 0.0


def test_replay_refuses_random_losses() -> None:
    with pytest.raises(InputError, match=r"radio.errors corrupts frames at random, expected none"):
        replay(chain(2, "udp").with_({"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": 0.1}))
