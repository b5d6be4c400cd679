"""The stored runs of ns-3."""

from __future__ import annotations

import pytest

from hoplab_validation.peers import tables
from hoplab_validation.peers.compare import text_of
from hoplab_validation.validate.checks import ns3
from hoplab_validation.validate.plan import NORMAL, QUICK


def test_the_tables_have_every_point_with_the_same_seeds() -> None:
    losses, chains = tables.read(ns3.LOSS_TABLE), tables.read(ns3.CHAIN_TABLE)
    points = {(float(row["rate_mbps"]), float(row["distance_m"]), int(row["seed"])) for row in losses}
    assert points == {(rate, far, seed) for rate in ns3.RATES_MBPS for far in ns3.DISTANCES_M for seed in range(1, 6)}
    assert len(losses) == len(points)
    assert len(chains) == 2 * 5 * len(ns3.CHAIN_HOPS)


def test_no_receiver_locks_on_the_interferer() -> None:
    for distance in ns3.DISTANCES_M:
        resolved = ns3.interfered(2.0, distance).resolve()
        assert resolved.facts.cs_range_m < distance
        assert resolved.facts.flows[0].hops == 1
        assert "known 0 1" in text_of(ns3.interfered(2.0, distance))


def test_the_share_of_lost_datagrams() -> None:
    assert ns3.lost_pct(90e3) == pytest.approx(25.0)


def test_the_quick_depth_has_every_rate() -> None:
    quick, normal = ns3.plan_loss(QUICK), ns3.plan_loss(NORMAL)
    assert len(normal.orders) == len(ns3.RATES_MBPS) * len(ns3.DISTANCES_M)
    assert {order.scenario.name.split()[0] for order in quick.orders} == {"1", "2", "11"}
