"""The stored runs of traffic, spoiled frames and switched radios."""

from __future__ import annotations

from hoplab.peers import tables
from hoplab.peers.compare import tcl_of
from hoplab.scenario import Scenario
from hoplab.validate import traffic
from hoplab.validate.plan import FULL, QUICK


def test_the_table_has_the_same_seeds_of_every_scenario() -> None:
    rows = tables.read(traffic.TABLE)
    seeds = {name: sorted(int(row["seed"]) for row in rows if row["scenario"] == name) for name in traffic.SCENARIOS}
    assert set(map(tuple, seeds.values())) == {tuple(range(1, 21))}
    assert {row["scenario"] for row in rows} == set(traffic.SCENARIOS)
    assert all(float(row["goodput_kbps"]) > 0 for row in rows)


def test_every_scenario_can_be_told_to_ns2_and_holds_what_it_is_called() -> None:
    words = {
        "errors tcp": "new ErrorModel",
        "errors udp": "new ErrorModel",
        "cbr": "Application/Traffic/CBR",
        "cbrgen": "random_ 1",
        "on_off": "Application/Traffic/Exponential",
        "voip": "Application/Traffic/CBR",
        "off static": "NodeOff",
        "off tcp": "NodeOff",
        "off aodv": "NodeOff",
    }
    assert set(words) == set(traffic.SCENARIOS)
    for name, text in traffic.SCENARIOS.items():
        scenario = Scenario.from_text(text)
        assert scenario.resolve().warnings == ()
        assert words[name] in tcl_of(scenario)


def test_the_quick_depth_takes_the_first_seeds() -> None:
    assert {len(order.seeds) for order in traffic.plan(QUICK).orders} == {5}
    assert {order.seeds for order in traffic.plan(FULL).orders} == {tuple(range(1, 21))}
