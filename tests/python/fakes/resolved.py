"""What the engine says of a chain in profile `ns2`, all defaults resolved."""

from __future__ import annotations

from typing import Any


def chain(hops: int) -> dict[str, Any]:
    """Nodes 200 m apart, static routes, and one file from end to end."""
    return {
        "name": "chain",
        "profile": "ns2",
        "duration_s": 10.0,
        "warmup_s": 0.0,
        "seed": 1,
        "topology": {"kind": "chain", "positions": [[200.0 * i, 0.0] for i in range(hops + 1)]},
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
            "coverage_class": 0,
        },
        "link": {"arp": True, "delay_s": 25e-6},
        "queue": {"limit": 50},
        "routing": {"protocol": "static", "extra_bytes": 0},
        "tcp": {"profile": "ns2_oneway"},
        "nodes": [],
        "flows": [flow(0, hops)],
    }


def flow(number: int, dst: int, *, transport: str = "new_reno", window: int = 32) -> dict[str, Any]:
    """A file from node 0."""
    return {
        "id": number,
        "from": 0,
        "to": dst,
        "app": "ftp",
        "transport": transport,
        "segment": 1460,
        "window": window,
        "start_s": 0.0,
        "stop_s": None,
    }
