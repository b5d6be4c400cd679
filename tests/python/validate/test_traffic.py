"""Traffic, corrupted frames and switched radios in scripts of ns-2; the table is looked at in `test_stored`."""

from __future__ import annotations

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.validate.checks import traffic


def test_ns2_supports_every_named_scenario() -> None:
    words = {
        "errors tcp": "new ErrorModel",
        "errors udp": "new ErrorModel",
        "cbr": "Application/Traffic/CBR",
        "cbrgen": "random_ 1",
        "on_off": "Application/Traffic/Exponential",
        "voip": "Application/Traffic/CBR",
        "off static": "NodeOff",
        "off tcp": "NodeOff",
        "off aodv alone": "NodeOff",
        "off aodv": "NodeOff",
    }
    assert set(words) == set(traffic.SCENARIOS)
    for name, text in traffic.SCENARIOS.items():
        scenario = Scenario.from_text(text)
        assert scenario.resolve().warnings == ()
        assert words[name] in tcl_of(scenario)
