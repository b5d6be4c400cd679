"""What the compiler watches: every part of the engine that a user may need fast."""

from __future__ import annotations

from hoplab.base.engine import own_transports
from hoplab_validation.bench import training


def test_every_transport_is_watched() -> None:
    resolved = [scenario.resolve() for scenario in training.scenarios().values()]
    watched = {flow["transport"] for one in resolved for flow in one.flow_tables}
    assert watched == set(own_transports())
