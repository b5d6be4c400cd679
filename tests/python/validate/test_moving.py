"""The stored runs of moving networks."""

from __future__ import annotations

from hoplab.peers import tables
from hoplab.scenario import Scenario
from hoplab.validate import moving
from hoplab.validate.plan import FULL, QUICK


def test_the_table_has_the_same_seeds_of_every_scenario() -> None:
    rows = tables.read(moving.TABLE)
    seeds = {name: sorted(int(row["seed"]) for row in rows if row["scenario"] == name) for name in moving.SCENARIOS}
    assert set(map(tuple, seeds.values())) == {tuple(range(1, 21))}
    assert all(float(row["goodput_kbps"]) > 0 for row in rows)


def test_scenarios_are_what_they_are_called() -> None:
    for text in moving.SCENARIOS.values():
        scenario = Scenario.from_text(text)
        assert scenario.resolve().warnings == ()
        assert scenario.name.startswith(f"{scenario.resolve().facts.nodes} nodes")
        assert scenario.resolve().data["topology"]["drawn"]


def test_the_quick_depth_takes_the_first_seeds() -> None:
    quick, full = moving.plan(QUICK), moving.plan(FULL)
    assert [len(order.seeds) for order in quick.orders] == [5, 5, 5]
    assert [order.seeds for order in full.orders] == [tuple(range(1, 21))] * 3
