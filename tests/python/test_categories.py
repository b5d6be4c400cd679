"""Access categories of 802.11e, as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

import hoplab
from hoplab.explain.categories import category_sentences
from hoplab.report.animation.panel import viewer_panel
from hoplab.store.trace import open_trace
from hoplab_validation.validate.checks.features import edca
from hoplab_validation.validate.plan import QUICK

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
        "airtime_s": 0.0,
        "queued": 0,
        "queue_wait_mean_s": None,
        "dropped": 0,
        "internal_collisions": 0,
    }
    assert runs["best_effort"][0].nodes[1].get("categories") is None
    # 200 bytes of IP and 36 of the MAC in 20 us and 20 symbols of 4, the shortest data frame of the call.
    assert node["voice"]["airtime_s"] >= node["voice"]["data"] * 100e-6


def test_explanation_has_a_sentence_for_each_category_in_use(runs: dict[str, hoplab.Runs]) -> None:
    sentences = category_sentences(runs["voice"][0].nodes)
    assert [sentence.split(":")[0] for sentence in sentences] == ["Category voice", "Category best effort"]
    assert category_sentences(runs["best_effort"][0].nodes) == []


@pytest.mark.parametrize("standard", ["11a", "11n"])
def test_trace_names_the_category_of_frames_and_packets(tmp_path: Path, standard: str) -> None:
    text = Path(CALL).read_text(encoding="utf-8")
    if standard == "11n":
        text = text.replace('"11a"', '"11n"').replace('data_rate = "24 Mb/s"', "mcs = 3")
    scenario = hoplab.Scenario.from_text(text).with_({"duration": "3 s", "warmup": "1 s"})
    runs = hoplab.run(scenario, seeds=1, trace=tmp_path, progress=False)
    trace = open_trace(tmp_path)
    assert trace.has_categories
    sent = dict(
        trace.rows("SELECT category, count(*) FROM events WHERE event = 'frame_sent' AND frame = 'data' GROUP BY ALL")
    )
    ampdus = "SELECT DISTINCT category FROM events WHERE event = 'frame_sent' AND frame = 'ampdu'"
    reports = [node["categories"] for node in runs[0].nodes]
    if standard == "11a":
        assert sent == {name: sum(r[name]["data"] for r in reports) for name in ("voice", "best_effort")}
    else:
        assert ("best_effort",) in trace.rows(ampdus)
    of_flows = "SELECT DISTINCT flow, category FROM events WHERE uid IS NOT NULL AND flow IS NOT NULL ORDER BY 1"
    assert trace.rows(of_flows) == [(0, "voice"), (1, "best_effort"), (2, "best_effort")]
    assert trace.rows("SELECT count(*) FROM events WHERE frame IN ('cts', 'ack') AND category IS NOT NULL") == [(0,)]


def test_animation_marks_frames_with_their_category(tmp_path: Path) -> None:
    scenario = hoplab.Scenario.from_toml(CALL, {"duration": "2 s", "warmup": "1 s"})
    runs = hoplab.run(scenario, seeds=1, trace=tmp_path, progress=False)
    panel = viewer_panel(runs, open_trace(tmp_path))
    assert panel is not None
    assert panel.data["names"]["categories"] == ("background", "best effort", "video", "voice")
    (frames,) = (table for table in panel.data["tables"] if table["name"] == "frames")
    assert "category" in [column["name"] for column in frames["columns"]]


def test_run_without_categories_has_no_column_of_them(tmp_path: Path) -> None:
    plain = hoplab.Scenario.from_toml(CALL, {"duration": "2 s", "warmup": "1 s", "flow.0.priority": "best_effort"})
    runs = hoplab.run(plain, seeds=1, trace=tmp_path, progress=False)
    trace = open_trace(tmp_path)
    assert not trace.has_categories
    panel = viewer_panel(runs, trace)
    assert panel is not None
    assert "categories" not in panel.data["names"]


def test_priority_without_qos_is_refused() -> None:
    with pytest.raises(hoplab.ScenarioError, match=r"flow\.0\.priority: requires mac\.qos = true"):
        hoplab.Scenario.from_toml(CALL, {"mac.qos": False}).resolve()


def test_every_cell_of_the_table_is_a_scenario() -> None:
    plan = edca.plan(QUICK)
    assert len(plan.orders) == len({order.scenario.name for order in plan.orders}) == 16
    assert all(order.scenario.resolve() for order in plan.orders)
