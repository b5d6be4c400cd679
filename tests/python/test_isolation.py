"""Runs of flows alone, and unfairness from them: each made once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hoplab
from hoplab.base.errors import InputError
from hoplab.running import execution as running
from hoplab.running import isolation
from hoplab.scenario.model import Scenario


def pair(transport: str = "new_reno") -> Scenario:
    flows = [{"transport": transport}, {"transport": transport, "start": "0.5 s"}]
    topology = {"kind": "parallel", "hops": 3, "row_spacing": "200 m"}
    return Scenario.from_dict(duration="8 s", topology=topology, flow=flows)


def test_a_flow_alone_keeps_its_ends_and_its_network() -> None:
    whole = pair().resolve().data
    alone = isolation.isolated(pair(), 1).resolve().data
    assert len(alone["flows"]) == 1
    assert {**alone["flows"][0], "id": 1} == whole["flows"][1]
    assert {k: v for k, v in alone.items() if k != "flows"} == {k: v for k, v in whole.items() if k != "flows"}
    other = isolation.isolated(pair(), 0, transport="split_tcp").resolve().data
    assert other["flows"][0]["transport"] == "split_tcp"
    with pytest.raises(InputError, match="0 to 1"):
        isolation.isolated(pair(), 2)


def test_unfairness_is_that_of_the_runs(tmp_path: Path) -> None:
    (first, second) = isolation.unfairness_of(pair(), out=tmp_path, seeds=2)
    assert [first.seed, second.seed] == [1, 2]
    among = hoplab.run(pair(), seeds=2)
    alone = [hoplab.run(isolation.isolated(pair(), flow), seeds=2) for flow in (0, 1)]
    for at, got in enumerate((first, second)):
        shares = [among[at].flows[i].goodput_bps / alone[i][at].flows[0].goodput_bps for i in (0, 1)]
        assert got.shares == pytest.approx(shares)
        assert got.u == pytest.approx(abs(shares[0] - shares[1]))
        assert got.u_norm == got.u
        assert got.left_out == ()


def test_what_is_stored_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = isolation.unfairness_of(pair(), out=tmp_path, seeds=2)
    made: list[Any] = []

    def spy(orders: Any, **options: Any) -> Any:
        made.extend(orders)
        return real(orders, **options)

    real = running.run_orders
    monkeypatch.setattr(isolation, "run_orders", spy)
    assert isolation.unfairness_of(pair(), out=tmp_path, seeds=2) == before
    assert made == []
    # One more seed: three runs. Measured against another protocol alone: two per seed.
    isolation.unfairness_of(pair(), out=tmp_path, seeds=3)
    assert [order.seeds for order in made] == [(3,), (3,), (3,)]
    made.clear()
    isolation.unfairness_of(pair(), out=tmp_path, seeds=2, alone="vegas")
    assert sum(len(order.seeds) for order in made) == 4


def test_isolated_flows_are_the_drawn_flows_of_the_seed(tmp_path: Path) -> None:
    drawn = {"kind": "tcp", "pairs": "random", "connections": 2, "transport": "new_reno", "start_window": "1 s"}
    topology = {"kind": "random", "nodes": 12, "area": ["500 m", "500 m"]}
    scenario = Scenario.from_dict(duration="6 s", topology=topology, traffic=drawn)
    got = isolation.unfairness_of(scenario, out=tmp_path, seeds=2)
    ends = []
    for one in got:
        own = scenario.with_({"seed": one.seed})
        ends.append([(flow["from"], flow["to"]) for flow in own.resolve().data["flows"]])
        for flow in one.flows:
            (alone,) = hoplab.run(isolation.isolated(own, flow.flow), seeds=[one.seed]).runs
            assert flow.alone_bps == alone.flows[0].goodput_bps
    assert ends[0] != ends[1]


def test_unfairness_needs_two_flows(tmp_path: Path) -> None:
    single = Scenario.from_dict(topology={"kind": "chain", "hops": 2}, flow=[{"transport": "new_reno"}])
    with pytest.raises(InputError, match="at least 2"):
        isolation.unfairness_of(single, out=tmp_path)


def test_a_flow_that_gets_nothing_alone_is_left_out() -> None:
    flows = (isolation.FlowShare(0, 10.0, 20.0), isolation.FlowShare(1, 0.0, 0.0), isolation.FlowShare(2, 4.0, 16.0))
    got = isolation.Unfairness(1, flows)
    assert (got.shares, got.left_out, got.u) == ((0.5, 0.25), (1,), 0.25)
