"""Powers, ranges and shortest paths, against the vectors and by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from hoplab_validation.peers import paths, tables


@pytest.mark.parametrize("row", tables.read("vectors_two_ray"), ids=lambda row: row["distance_m"])
def test_received_power(row: tables.Row, make: Any) -> None:
    power = paths.received_w(make().radio, float(row["distance_m"]))
    assert power == pytest.approx(float(row["power_w"]), rel=1e-6)
    assert 10.0 * math.log10(power) + 30.0 == pytest.approx(float(row["power_dbm"]), abs=1e-4)


@pytest.mark.parametrize("propagation", ["two_ray", "free_space"])
@pytest.mark.parametrize("distance", [10.0, 86.0, 87.0, 250.0])
def test_range_inverts_power(propagation: str, distance: float, make: Any) -> None:
    radio = make({"radio.propagation": propagation}).radio
    assert paths.range_m(radio, paths.received_w(radio, distance)) == pytest.approx(distance, rel=1e-12)


def test_default_ranges_are_those_of_ns2(make: Any) -> None:
    radio = make().radio
    assert paths.range_m(radio, radio.rx_threshold_w) == pytest.approx(250.01065, abs=1e-5)
    assert paths.range_m(radio, radio.cs_threshold_w) == pytest.approx(550.02151, abs=1e-5)


def test_free_space_vectors(make: Any) -> None:
    radio = make({"radio.propagation": "free_space"}).radio
    assert paths.received_w(radio, 250.0) == pytest.approx(3.076452e-09, rel=1e-6)
    assert paths.received_w(radio, 550.0) == pytest.approx(6.356306e-10, rel=1e-6)


def test_neighbors_on_the_grid_are_those_of_a_plain_search(make: Any) -> None:
    positions = [[37.0 * (i * i % 29), 53.0 * (i * 7 % 23)] for i in range(60)]
    found = paths.neighbors(make({"topology.positions": positions}))
    for i, (x, y) in enumerate(positions):
        near = [j for j, (u, v) in enumerate(positions) if j != i and math.hypot(u - x, v - y) <= 250.01]
        assert found[i] == near


def test_ties_go_to_the_lowest_next_hop() -> None:
    square = [[1, 2], [0, 3], [0, 3], [1, 2]]
    assert paths.path(square, 0, 3) == [0, 1, 3]
    assert paths.path(square, 3, 0) == [3, 1, 0]


def test_one_way_links_are_followed_in_their_direction() -> None:
    one_way = [[1], [2], []]
    assert paths.path(one_way, 0, 2) == [0, 1, 2]
    assert paths.path(one_way, 2, 0) is None


def test_a_link_needs_both_ends(make: Any) -> None:
    weak = make({"nodes": [{"id": 1, "radio": {"tx_power_w": 1e-6}}]})
    found = paths.neighbors(weak)
    assert found == [[], [], [3], [2]]


def test_hops_that_flows_need_are_both_ways_for_tcp_only(make: Any) -> None:
    there = {(0, 3, 1), (1, 3, 2), (2, 3, 3)}
    back = {(3, 0, 2), (2, 0, 1), (1, 0, 0)}
    assert paths.static_hops(make()) == (there | back, set())
    assert paths.static_hops(make({"flows.0.transport": "udp"})) == (there, set())
    split = make({"topology.positions": [[0.0, 0.0], [200.0, 0.0], [900.0, 0.0], [1100.0, 0.0]]})
    assert paths.static_hops(split) == (set(), {(0, 3), (3, 0)})
