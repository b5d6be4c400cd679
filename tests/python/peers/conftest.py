"""A resolved scenario to start from, as the engine would report it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from fakes.resolved import chain

from hoplab_validation.peers.resolved import Resolved, parse

BASE: dict[str, Any] = {
    **chain(3),
    "duration_s": 60.0,
    "warmup_s": 20.0,
    "routing": {"protocol": "static", "profile": "ns2", "extra_bytes": 20, "link_failure_feedback": True},
    "tcp": {"profile": "ns2_oneway", "delayed_ack": False},
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
                place = place[int(step)] if step.isdigit() else place.setdefault(step, {})
            place[last] = value
        return parse(data)

    return build
