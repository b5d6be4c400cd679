"""Tables of runs one by one: what they hold, and which of their rows a scenario is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from hoplab.scenario.model import Scenario
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks import cell, moving, spacing, traffic
from hoplab_validation.validate.checks.features import gilbert
from hoplab_validation.validate.plan import FULL, QUICK, Plan
from hoplab_validation.validate.stored import plan_by_seed, plan_stored

TEXTS = {name: f'name = "{name}"\n[topology]\nkind = "chain"\nhops = 1\n[[flow]]\n' for name in ("two", "one")}
TABLE = tuple(
    {"scenario": name, "seed": str(seed), "goodput_kbps": str(100 * seed)}
    for name in ("one", "two", "three")
    for seed in range(1, 8)
)


@dataclass(frozen=True)
class Told:
    """Runs that say no more than their scenario and seeds."""

    scenario: Scenario
    seeds: tuple[int, ...]


def judged(ours: object, theirs: Sequence[tables.Row]) -> list[Row]:
    """A row that counts, named by scenario and seeds of the table."""
    assert isinstance(ours, Told)
    name = f"{ours.scenario.name} {' '.join(row['scenario'] + row['seed'] for row in theirs)}"
    return [Row("part", name, "", "", stored(0.0, None, 1), stored(float(len(theirs)), None, 1), 0.0)]


def names(plan: Plan) -> list[str]:
    runs = [Told(order.scenario, order.seeds) for order in plan.orders]
    return [row.name for row in plan.judge(runs)]  # type: ignore[arg-type]


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "read", lambda name: TABLE if name == "made_up" else ())


def test_both_sides_have_the_same_seeds(made_up: None) -> None:
    quick, full = (
        plan_by_seed("part", "title", depth, table="made_up", texts=TEXTS, judge_one=judged) for depth in (QUICK, FULL)
    )
    assert names(quick) == ["two two1 two2 two3 two4 two5", "one one1 one2 one3 one4 one5"]
    assert [order.seeds for order in full.orders] == [tuple(range(1, 8))] * 2
    assert names(full)[1].split()[-1] == "one7"


def test_seeds_of_ours_may_be_others_than_those_of_the_table(made_up: None) -> None:
    plan = plan_stored(
        "part",
        "title",
        table="made_up",
        key_of=lambda row: int(row["seed"]),
        scenarios={7: Scenario.from_text(TEXTS["one"]), 9: Scenario.from_text(TEXTS["two"])},
        seeds_of=lambda rows: tuple(range(len(rows))),
        judge_one=judged,
    )
    assert [order.seeds for order in plan.orders] == [(0, 1, 2), ()]
    assert names(plan) == ["one one7 two7 three7", "two "]


@pytest.mark.parametrize("part", [gilbert, moving, spacing, traffic], ids=lambda part: part.PART)
def test_tables_have_the_same_seeds_of_every_scenario(part: Any) -> None:
    rows = tables.read(part.TABLE)
    seeds = {name: sorted(int(row["seed"]) for row in rows if row["scenario"] == name) for name in part.SCENARIOS}
    assert set(map(tuple, seeds.values())) == {tuple(range(1, 21))}
    assert {row["scenario"] for row in rows} == set(part.SCENARIOS)
    assert all(float(row["goodput_kbps"]) > 0 for row in rows)


def test_the_table_of_cells_has_every_cell_with_every_seed() -> None:
    rows = tables.read(cell.TABLE_NAME)
    found = [((row["data_rate_mbps"], row["access"], row["stations"]), int(row["seed"])) for row in rows]
    assert found == [(key, seed) for key in cell.CELLS for seed in cell.TABLE_SEEDS]
    assert all(1000.0 < float(row["throughput_kbps"]) < 6000.0 and 0.8 < float(row["jain"]) <= 1.0 for row in rows)
    assert len(cell.plan_table(QUICK).orders) == 6
    assert len(cell.plan_table(FULL).orders) == len(cell.CELLS) == 16


@pytest.mark.parametrize("part", [moving, spacing, traffic], ids=lambda part: part.PART)
def test_the_quick_depth_takes_the_first_seeds(part: Any) -> None:
    quick, full = part.plan(QUICK), part.plan(FULL)
    assert [order.seeds for order in quick.orders] == [tuple(range(1, 6))] * len(part.SCENARIOS)
    assert [order.seeds for order in full.orders] == [tuple(range(1, 21))] * len(part.SCENARIOS)
