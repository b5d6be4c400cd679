"""Connections from a host on a wire into a network of radios."""

from __future__ import annotations

import json

import pytest

import hoplab

GATEWAY = """
duration = "30 s"
[topology]
kind = "chain"
hops = 2
[[node]]
kind = "host"
name = "server"
[[wire]]
between = ["server", 0]
rate = "100 Mb/s"
delay = "20 ms"
[[flow]]
from = "server"
to = 2
transport = "tcp_cubic"
bytes = "200 kB"
"""


@pytest.mark.parametrize("transport", ["tcp_reno", "tcp_cubic"])
def test_finite_connection_over_a_gateway_ends(transport: str) -> None:
    scenario = hoplab.Scenario.from_text(GATEWAY.replace("tcp_cubic", transport), path="gateway.toml")
    run = hoplab.run(scenario, seeds=1)[0]
    completion = json.loads(run.json)["completion"]
    assert (completion["flows"], completion["unfinished"]) == (1, 0)
    assert 2.0 < completion["mean_s"] < 10.0  # 200 kB at some 600 kb/s
