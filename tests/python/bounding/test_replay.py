"""Schedules of whole exchanges, played on the radios of the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hoplab
from bounding.cases import chain, rows, scenario
from hoplab.base.errors import InputError
from hoplab.bounding import bound, replay
from hoplab.bounding.graph import Graph
from hoplab.bounding.schedule import Schedules

CHAINS = [row for row in rows("chain") if "schedule_bps" in row.values[0]]


@pytest.mark.parametrize("row", CHAINS)
def test_chains_replay_their_schedule(row: dict[str, Any]) -> None:
    given = chain(row["hops"], row["transport"], row.get("spacing_m", 200))
    found = replay(given)
    assert found.lost == 0
    assert found.value == pytest.approx(row["schedule_bps"], rel=0.005)
    assert found.value <= row["perfect_bps"]


def test_replay_is_deterministic_and_reaches_its_plan() -> None:
    given = chain(8, "new_reno")
    first, second = replay(given), replay(given)
    assert first == second
    assert first.played > 2000
    assert 0.99 * first.planned_bps[0] <= first.flows_bps[0] <= first.planned_bps[0]


@pytest.mark.parametrize("objective", ["sum", "max_min", 1])
@pytest.mark.parametrize("seed", range(3))
def test_replay_of_random_networks_stays_below_perfect(objective: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    positions = rng.uniform(0.0, 500.0, (12, 2)).round(3).tolist()
    ends = [(int(a), int(b)) for a, b in rng.choice(12, (3, 2), replace=False)]
    given = scenario(f'[topology]\nkind = "positions"\npositions = {positions}\n', ends, "new_reno")
    found, most = replay(given, objective), bound(given, scheduler="perfect", schedule=False)
    high = {"sum": most.sum, "max_min": most.max_min, 1: most.alone[1]}[objective].high
    assert found.lost == 0
    assert 0.6 * high < found.value <= high * (1 + 1e-6)


def test_replay_adds_interference_up() -> None:
    """With cumulative interference the schedule is what proves a bound from below."""
    given = chain(8, "udp", top='profile = "std"\n')
    found, most = replay(given), bound(given, scheduler="perfect")
    assert found.lost == 0
    assert 0.7 * most.sum.high < found.value < most.sum.high


def whole_exchanges(hops: int, reach: int) -> float:
    """Rate of a chain over that of one hop if a whole exchange excludes all within so many hops of its ends."""
    links = tuple((i, i + 1) for i in range(hops))
    far = np.array([[min(abs(a - c) for a in one for c in other) for other in links] for one in links])
    conflicts = (far <= reach) & ~np.eye(hops, dtype=bool)
    graph = Graph(links, tuple(("F", link) for link in links), np.arange(hops), conflicts)
    return 1.0 / Schedules(graph).cover(np.ones(hops), np.inf).seconds


@pytest.mark.parametrize("row", rows("classic"))
def test_one_quarter_of_one_hop_without_capture(row: dict[str, Any]) -> None:
    # 550 m over hops of 200 m: two hops.
    assert row["one_hop_bps"] * whole_exchanges(row["hops"], 2) == pytest.approx(row["interference_range_550_bps"])
    assert replay(chain(row["hops"], "udp")).value == pytest.approx(row["capture_aligned_bps"], rel=0.005)


def test_saturated_sources_get_a_seventh() -> None:
    """What a saturated source gets over long chains: 1/7.2 to 1/6.7 of one hop."""

    def goodput(hops: int) -> float:
        given = chain(hops, "udp").with_({"duration": "100 s", "warmup": "20 s"})
        return hoplab.run(given, seeds=1)[0].flows[0].goodput_bps

    assert 6.4 < goodput(1) / goodput(8) < 8.0


def test_replay_needs_fixed_routes() -> None:
    with pytest.raises(InputError, match="flow 0 has no fixed path"):
        replay(chain(2, "udp").with_({"routing.protocol": "aodv"}))
