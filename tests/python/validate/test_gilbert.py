"""Bursts of errors: the script for ns-2, closed forms, and detection of a wrong model."""

from __future__ import annotations

import pytest

from hoplab.running.execution import run_orders
from hoplab.scenario.model import Scenario
from hoplab_validation.peers import tables
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.unsupported import UnsupportedError
from hoplab_validation.validate.checks.features import gilbert
from hoplab_validation.validate.plan import QUICK, Depth

FEW = Depth("few", seeds=2, thorough=False, live_seeds=1)


def test_script_of_ns2_has_both_means() -> None:
    for text in gilbert.SCENARIOS.values():
        assert Scenario.from_text(text).resolve().warnings == ()
    script = tcl_of(Scenario.from_text(gilbert.SCENARIOS["once"]))
    assert "set good_mean 0.2; set bad_mean 0.05" in script
    assert "-IncomingErrProc two_state_error" in script
    assert "[new ErrorModel/TwoState $good $bad time]" in script


@pytest.mark.parametrize(
    ("key", "value"),
    [("per", "link"), ("bad_loss", 0.5), ("good_loss", 0.1), ("scope", "data_only"), ("model", "uniform_bit")],
)
def test_ns2_refuses_other_losses_and_states_per_link(key: str, value: object) -> None:
    changed = Scenario.from_text(gilbert.SCENARIOS["once"]).with_({f"radio.errors.{key}": value})
    with pytest.raises(UnsupportedError, match=f"radio.errors.{key}"):
        tcl_of(changed)


def test_closed_forms_are_those_of_a_two_state_chain() -> None:
    assert gilbert.mean_loss() == pytest.approx(0.225)
    # Datagrams every 40.96 ms; e^(-0.04096 (1/0.3 + 1/0.1)) = 0.57917, so that 0.25 + 0.75 * 0.57917 follow a bad one.
    assert gilbert.mean_burst() == pytest.approx(1.0 / (1.0 - 0.68438), abs=1e-3)


def test_quick_rows_of_bursts_agree() -> None:
    plan = gilbert.plan(QUICK)
    rows = plan.judge(run_orders(plan.orders, progress=False))
    assert len(rows) == 5 + 2 * 2 + 2
    assert [row.name for row in rows if not row.agrees and row.decisive] == []


def test_rows_of_another_model_differ() -> None:
    """Losses without memory, as many on average: seven tries then lose nearly nothing."""
    plan = gilbert.plan(FEW)
    orders = [
        type(order)(
            order.scenario.with_({"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": 0.2}),
            order.seeds,
        )
        for order in plan.orders
    ]
    rows = plan.judge(run_orders(orders, progress=False))
    seven = next(row for row in rows if "seven tries" in row.name)
    assert not seven.agrees
    assert seven.ours.mean > 98.0


def test_the_table_counts_what_tcp_repeated() -> None:
    rows = tables.read(gilbert.TABLE)
    again = {row["scenario"]: int(row["retransmissions"]) for row in rows if row["seed"] == "1"}
    assert again["once"] == again["seven"] == again["udp"] == 0 < min(again["new_reno"], again["sack"])
