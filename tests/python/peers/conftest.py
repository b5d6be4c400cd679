"""A resolved scenario to start from, as the engine would report it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from hoplab.peers.resolved import Resolved, parse

BASE: dict[str, Any] = {
    "name": "chain",
    "profile": "ns2",
    "duration_s": 60.0,
    "warmup_s": 20.0,
    "seed": 1,
    "topology": {"kind": "chain", "positions": [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0], [600.0, 0.0]]},
    "radio": {
        "propagation": "two_ray",
        "rx_model": "ns2",
        "tx_power_w": 0.28183815,
        "frequency_hz": 914e6,
        "antenna_height_m": 1.5,
        "tx_gain": 1.0,
        "rx_gain": 1.0,
        "system_loss": 1.0,
        "rx_threshold_w": 3.652e-10,
        "cs_threshold_w": 1.559e-11,
        "capture_ratio": 10.0,
    },
    "mac": {
        "profile": "ns2",
        "data_rate_bps": 2e6,
        "basic_rate_bps": 1e6,
        "preamble": "long",
        "rts_threshold": 0,
        "ssrl": 7,
        "slrl": 4,
        "cw_min": 31,
        "cw_max": 1023,
        "data_overhead": 34,
    },
    "link": {"arp": True, "delay_s": 25e-6},
    "queue": {"limit": 50},
    "routing": {"protocol": "static", "profile": "ns2", "extra_bytes": 20, "link_failure_feedback": True},
    "tcp": {"profile": "ns2_oneway", "delayed_ack": False},
    "nodes": [],
    "flows": [
        {
            "id": 0,
            "from": 0,
            "to": 3,
            "app": "ftp",
            "transport": "new_reno",
            "segment": 1460,
            "window": 32,
            "start_s": 0.0,
            "stop_s": None,
        }
    ],
}

Make = Callable[..., Resolved]


@pytest.fixture
def make() -> Make:
    """`make({"mac.ssrl": 9, "flows.0.transport": "udp"})`: the base scenario with some keys changed."""

    def build(changes: dict[str, Any] | None = None) -> Resolved:
        data: Any = deepcopy(BASE)
        for key, value in (changes or {}).items():
            *way, last = key.split(".")
            place = data
            for step in way:
                place = place[int(step) if step.isdigit() else step]
            place[last] = value
        return parse(data)

    return build
