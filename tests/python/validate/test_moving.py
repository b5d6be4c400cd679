"""The moving networks whose runs are stored; the table is looked at in `test_stored`."""

from __future__ import annotations

from hoplab.scenario.model import Scenario
from hoplab_validation.validate.checks import moving


def test_scenarios_are_what_they_are_called() -> None:
    for text in moving.SCENARIOS.values():
        scenario = Scenario.from_text(text)
        assert scenario.resolve().warnings == ()
        assert scenario.name.startswith(f"{scenario.resolve().facts.nodes} nodes")
        assert scenario.resolve().data["topology"]["drawn"]
