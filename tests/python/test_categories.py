"""Access categories of 802.11e, as a user meets them."""

from __future__ import annotations

import pytest

import hoplab
from hoplab.explain.categories import category_sentences
from hoplab.validation.validate.checks.features import edca
from hoplab.validation.validate.plan import QUICK

CALL = "scenarios/voice-priority.toml"


@pytest.fixture(scope="module")
def runs() -> dict[str, hoplab.Runs]:
    """The call of the example for 4 s, with its category and without."""
    scenario = hoplab.Scenario.from_toml(CALL, {"duration": "4 s", "warmup": "1 s"})
    return {
        category: hoplab.run(scenario.with_({"flow.0.priority": category}), seeds=1, progress=False)
        for category in ("voice", "best_effort")
    }


def test_category_shortens_the_delay_of_a_call(runs: dict[str, hoplab.Runs]) -> None:
    delays = {category: one[0].flows[0].delay_mean_s or 0.0 for category, one in runs.items()}
    assert 0.0 < delays["voice"] < 0.5 * delays["best_effort"]


def test_results_count_by_category(runs: dict[str, hoplab.Runs]) -> None:
    node = runs["voice"][0].nodes[1]["categories"]
    assert node["voice"]["queued"] > 100
    assert node["video"] == {
        "data": 0,
        "queued": 0,
        "queue_wait_mean_s": None,
        "dropped": 0,
        "internal_collisions": 0,
    }
    assert runs["best_effort"][0].nodes[1].get("categories") is None


def test_explanation_has_a_sentence_for_each_category_in_use(runs: dict[str, hoplab.Runs]) -> None:
    sentences = category_sentences(runs["voice"][0].nodes)
    assert [sentence.split(":")[0] for sentence in sentences] == ["Category voice", "Category best effort"]
    assert category_sentences(runs["best_effort"][0].nodes) == []


def test_priority_without_qos_is_refused() -> None:
    with pytest.raises(hoplab.ScenarioError, match=r"flow\.0\.priority: requires mac\.qos = true"):
        hoplab.Scenario.from_toml(CALL, {"mac.qos": False}).resolve()


def test_every_cell_of_the_table_is_a_scenario() -> None:
    plan = edca.plan(QUICK)
    assert len(plan.orders) == len({order.scenario.name for order in plan.orders}) == 8
    assert all(order.scenario.resolve() for order in plan.orders)
