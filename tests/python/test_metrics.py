"""Metrics: one row each, which states a direction, and which every page and table has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hoplab.base.engine import report_schema
from hoplab.base.metrics import ALL_METRICS, METRICS, SESSION_TIMES, SHORT, Flow, metric_of, of_flow, over_flows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "use" / "reference" / "json.md"

NEITHER = {
    "throughput_bps": "counts repeats",
    "segments_sent": "counts repeats",
    "fast_retransmits": "each stands for a loss, and for a timeout that did not come",
    "unreduced_fast_retransmits": "as fast_retransmits",
    "acks_sent": "delayed ACKs are fewer",
    "hops_mean": "longer paths may be better ones",
    "cwnd_mean": "a means",
    "window_mean": "a means",
}


def test_every_metric_has_a_direction_or_a_reason() -> None:
    assert {name for name, metric in ALL_METRICS.items() if metric.better is None} == set(NEITHER)


def test_delays_and_losses_are_better_low_and_rates_high() -> None:
    for name, metric in ALL_METRICS.items():
        if name.endswith("_s") or "unfinished" in name:
            assert metric.better == "low", name
        if name.endswith("_bps") and name not in NEITHER:
            assert metric.better == "high", name


def test_unit_of_a_column_is_that_of_its_row() -> None:
    for name, metric in ALL_METRICS.items():
        shown = {"_s": ("ms", 1e3), "bps": ("kb/s", 1e-3)}
        for end, unit in shown.items():
            if name.endswith(end):
                assert (metric.unit, metric.scale) == unit, name


def test_short_names_and_values_in_their_place_are_metrics() -> None:
    for names in SHORT.values():
        assert [name for name in names if name not in ALL_METRICS] == []
    for metric in METRICS.values():
        assert not metric.lasting or metric.lasting in METRICS


def test_page_has_every_field_of_a_flow_and_every_measure_of_sessions() -> None:
    text = PAGE.read_text(encoding="utf-8")
    words = set(re.findall(r"`(\w+)`", text))
    fields = set(report_schema()["$defs"]["FlowReport"]["properties"])
    assert fields - words == set()
    ends = {metric.path[-1] for metric in ALL_METRICS.values() if metric.path}
    assert (ends | set(SESSION_TIMES)) - words - {"fairness"} == set()


def flow(transport: str = "new_reno", **more: object) -> Flow:
    zeros = dict.fromkeys(("id", "src", "dst", "start_s", *METRICS), 0)
    given = {**zeros, "own_goodput_bps": None, "transport": transport, **more}
    return Flow.stored(given)


def test_datagrams_have_no_retransmissions() -> None:
    spec = metric_of("retransmissions")
    assert (of_flow(spec, flow("udp")), of_flow(spec, flow())) == (None, 0)


def test_flows_that_last_have_their_goodput_as_own() -> None:
    assert of_flow(metric_of("own_goodput_bps"), flow(goodput_bps=5.0)) == 5.0
    assert of_flow(metric_of("own_goodput_bps"), flow(goodput_bps=5.0, own_goodput_bps=9.0)) == 9.0


@pytest.mark.parametrize(("name", "whole"), [("goodput_bps", 3.0 + 40.0), ("delay_mean_s", (1.0 + 2.0) / 2)])
def test_flows_of_workloads_count_as_a_whole_in_rates_alone(name: str, whole: float) -> None:
    lasting, passing = flow(goodput_bps=3.0, delay_mean_s=1.0), flow(goodput_bps=7.0, delay_mean_s=2.0, workload=0)
    assert over_flows(metric_of(name), [lasting, passing], [{"goodput_bps": 40.0}]) == whole
