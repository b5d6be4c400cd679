"""Rows of Linux, ns-3, ns-2 and closed forms for wires and real TCP connections."""

from __future__ import annotations

import pytest

import hoplab
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import stored
from hoplab_validation.validate.checks.features import end_to_end
from hoplab_validation.validate.checks.features.end_to_end import QUICK as QUICK_ROWS
from hoplab_validation.validate.checks.features.end_to_end import Case, Reference, cases, judged, value_of
from hoplab_validation.validate.checks.features.reasons import REASONS
from hoplab_validation.validate.plan import NORMAL, QUICK, carry_out


def test_rows_of_the_quick_depth_agree() -> None:
    plan = end_to_end.plan(QUICK)
    (outcome,) = carry_out([plan])
    assert len(plan.orders) >= 13
    assert [row.name for row in outcome.rows if row.decisive and not row.agrees] == []


def test_every_row_is_run() -> None:
    assert len(end_to_end.plan(NORMAL).orders) == len(cases()) == 80


def test_a_row_that_the_engine_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    tables_of = {"flow": [{"from": "a", "to": "b", "transport": "tcp_quick"}], **_hosts()}
    monkeypatch.setattr(end_to_end, "cases", lambda: (Case("row", "linux", 5, tables_of, {}),))
    with pytest.raises(hoplab.ScenarioError, match='unknown value "tcp_quick"'):
        end_to_end.plan(NORMAL)


def test_known_differences_name_rows_and_metrics() -> None:
    known = {(case.name, metric) for case in cases() for metric in case.metrics}
    assert set(REASONS) <= known
    assert set(QUICK_ROWS) <= {case.name for case in cases()}
    assert "end_to_end.json" in tables.provenance()["files"]


def test_tolerances_are_shares_floors_or_factors() -> None:
    reference = Reference.of({"value": 20.0, "half_width": 1.0, "rel": 0.1, "floor": 1.5})
    theirs = stored(20.0, 1.0, 5)
    assert reference.tolerance(mean_interval([20.0, 20.0]), theirs) == 2.0
    assert reference.tolerance(mean_interval([19.0, 21.0]), theirs) == pytest.approx(1.0 + 12.706, abs=1e-3)
    count = Reference.of({"value": 20.0, "factor": 2.0, "floor": 3.0})
    assert [count.tolerance(mean_interval([x]), theirs) for x in (30.0, 10.0)] == [23.0, 13.0]


def test_an_unfinished_transfer_differs() -> None:
    flow = [{"from": "a", "to": "b", "transport": "tcp_reno", "bytes": "10 kB", "start": "0.99 s"}]
    runs = run(Scenario.from_dict(flow=flow, duration="1 s", **_hosts()))
    assert runs[0].flows[0].fct_s is None
    assert value_of(runs[0], "fct_s.10kB") == 1.0
    (row,) = judged(Case("row", "linux", 5, {}, {"fct_s.10kB": Reference(0.1, 0.01, 0.5)}), runs)
    assert row.verdict == "differs"


def _hosts() -> dict[str, object]:
    return {
        "node": [{"kind": "host", "name": "a"}, {"kind": "host", "name": "b"}],
        "wire": [{"between": ["a", "b"], "rate": "10 Mb/s", "delay": "5 ms"}],
    }
