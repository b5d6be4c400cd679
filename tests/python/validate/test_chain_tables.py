"""Chains whose runs by ns-2 are stored: the tables are whole, quick depths choose, and the engine agrees."""

from __future__ import annotations

import pytest

from hoplab_validation.peers import tables
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.runs import FlowRun, PeerRun
from hoplab_validation.validate.checks import datagrams, settings
from hoplab_validation.validate.checks.chain_tables import MEASURED, ChainTable, Measured, values_of
from hoplab_validation.validate.parts import CHAIN_TABLES, PARTS
from hoplab_validation.validate.plan import FULL, NORMAL, QUICK, carry_out


@pytest.mark.parametrize("table", CHAIN_TABLES, ids=lambda table: table.name)
def test_each_table_has_every_chain_with_every_seed(table: ChainTable) -> None:
    rows = tables.read(table.name)
    assert list(rows[0]) == [*table.columns, "seed", *MEASURED]
    found = [(tuple(row[column] for column in table.columns), int(row["seed"])) for row in rows]
    assert found == [(key, seed) for key in table.chains for seed in range(1, table.seeds + 1)]
    # ns-2's DSDV may find no route over four hops in time.
    assert sum(float(row["goodput_kbps"]) == 0 for row in rows) == (6 if table is settings.XCP else 0)
    measured = {tuple(row[column] for column in MEASURED) for row in rows}
    assert len(measured) > (len(table.chains) if table is datagrams.OFFERED else len(rows) / 4)


@pytest.mark.parametrize("table", CHAIN_TABLES, ids=lambda table: table.name)
def test_ns2_supports_every_chain(table: ChainTable) -> None:
    for key, chain in table.chains.items():
        scenario = chain()
        assert scenario.resolve().warnings == (), key
        assert "$ns run" in tcl_of(scenario)


def test_what_is_stored_of_a_run() -> None:
    flow = FlowRun(0, 289_512.4, 991, 1000, 40, 3, 6.1234)
    assert values_of(PeerRun(1, (flow,), 0.1)) == ("289.512", "4.000", "3", "6.123")
    datagrams_only = FlowRun(0, 200_000.0, 400, None, None, None, None)
    assert values_of(PeerRun(1, (datagrams_only,), 0.1)) == ("200.000", "", "", "")


def test_a_table_is_read_as_intervals_over_its_seeds() -> None:
    rows = [
        {"goodput_kbps": goodput, "retransmitted_pct": "4.000", "timeouts": timeouts, "cwnd": "6.5"}
        for goodput, timeouts in (("289.0", "2"), ("291.0", "5"))
    ]
    found = Measured.there(rows)
    assert (found.goodput_kbps.mean, found.goodput_kbps.n) == (290.0, 2)
    assert found.goodput_kbps.half_width == pytest.approx(12.706, abs=1e-3)
    assert (found.timeouts.mean, found.cwnd.mean, found.cwnd.half_width) == (3.5, 6.5, 0.0)


@pytest.mark.parametrize(
    ("part", "quick", "whole"),
    [
        ("chain-static", 12, 24),
        ("chain-aodv", 12, 24),
        ("linux", 21, 21),
        ("xcp", 4, 4),
        ("window", 8, 20),
        ("settings", 7, 13),
        ("udp", 4 + 3 + 3, 10 + 7 + 6),
    ],
)
def test_how_many_chains_a_depth_runs(part: str, quick: int, whole: int) -> None:
    assert [len(PARTS[part](depth).orders) for depth in (QUICK, NORMAL, FULL)] == [quick, whole, whole]


def test_runs_that_hang_on_luck_have_enough_seeds() -> None:
    least = {part: min(len(order.seeds) for order in PARTS[part](QUICK).orders) for part in ("chain-aodv", "xcp")}
    assert least == {"chain-aodv": 10, "xcp": 20}
    assert len(PARTS["udp"](QUICK).orders[-1].seeds) == 40


@pytest.mark.parametrize("part", ["chain-static", "window"])
def test_static_chains_agree_with_ns2(part: str) -> None:
    (outcome,) = carry_out([PARTS[part](QUICK)])
    assert len(outcome.rows) >= len(PARTS[part](QUICK).orders)
    assert [row.name for row in outcome.rows if row.decisive and not row.agrees] == []
