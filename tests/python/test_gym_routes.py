"""An environment whose agent chooses next hops: Gymnasium's interface, determinism, and what routes do."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import hoplab
from hoplab.base.errors import UsageError
from hoplab.gym import Choice, FlowsSeen, NodesSeen, RoutingEnv, proportional_fairness

GRID = hoplab.Scenario.from_text(
    """
    duration = "4 s"
    topology = { kind = "grid", rows = 3, columns = 3 }
    flow = [{ transport = "new_reno", from = 0, to = 8 }]
    """
)


def played(env: RoutingEnv, seed: int, action: list[int]) -> hoplab.Run:
    env.reset(seed=seed)
    ended = False
    while not ended:
        ended = env.step(np.array(action))[3]
    return env.report()


def test_gymnasium_accepts_the_environment() -> None:
    check_env(RoutingEnv(GRID), skip_render_check=True)


def test_first_choices_are_static_routing() -> None:
    env = RoutingEnv(GRID)
    run = played(env, 3, [0] * len(env.choices))
    assert run.fingerprint == hoplab.run(GRID.with_({"seed": 3}))[0].fingerprint


def test_an_episode_is_a_run_of_its_seed_and_actions() -> None:
    env, again = RoutingEnv(GRID), RoutingEnv(GRID)
    other = [1] * len(env.choices)
    assert played(env, 3, other).fingerprint == played(again, 3, other).fingerprint
    assert played(env, 3, other).fingerprint != played(again, 4, other).fingerprint
    assert played(env, 3, other).fingerprint != played(again, 3, [0] * len(env.choices)).fingerprint


def test_packets_take_the_chosen_next_hops() -> None:
    calls = GRID.with_({"flow": [{"transport": "udp", "from": 0, "to": 8, "app": "cbr", "rate": "100 kb/s"}]})
    env = RoutingEnv(calls)
    choice = env.choices.index(Choice(0, 8, (1, 3)))
    action = [0] * len(env.choices)
    for index, (used, unused) in enumerate(((1, 3), (3, 1))):
        env.reset(seed=1)
        action[choice] = index
        for _ in range(3):
            observed = env.step(np.array(action))[0]
        sent = NodesSeen.of(observed).sent_share
        assert sent[used] > 0.02
        assert sent[unused] < 0.001


def test_observations_sum_to_the_report() -> None:
    env = RoutingEnv(GRID, interval_s=0.5)
    env.reset(seed=1)
    env.action_space.seed(1)
    rates, ended = [], False
    while not ended:
        observed, reward, terminated, ended, info = env.step(env.action_space.sample())
        flows = FlowsSeen.of(observed)
        rates.append(flows.delivered_bps[0])
        assert not terminated
        assert reward == proportional_fairness()(NodesSeen.of(observed), flows)
        assert flows.delay_s[0] > 0 or flows.delivered_bps[0] == 0
        assert env.observation_space.contains(observed)
    assert info["time_s"] == 4.0
    assert np.mean(rates) == pytest.approx(env.report().flows[0].goodput_bps)


def test_detours_add_next_hops_that_are_not_nearer() -> None:
    chain = GRID.with_({"topology": {"kind": "chain", "hops": 3}, "flow.0.to": 3})
    with pytest.raises(UsageError, match="no node has a choice"):
        RoutingEnv(chain)
    choices = RoutingEnv(GRID, detour=2).choices
    assert Choice(3, 8, (4, 6, 0)) in choices
    assert all(len(choice.next_hops) > 1 for choice in choices)


def test_what_is_not_supported_is_named() -> None:
    with pytest.raises(UsageError, match="'aodv' is not supported with an agent"):
        RoutingEnv(GRID.with_({"routing.protocol": "aodv"}))
    with pytest.raises(UsageError, match=r"interval_s is 0\.0"):
        RoutingEnv(GRID, interval_s=0.0)
    with pytest.raises(UsageError, match="detour is -1"):
        RoutingEnv(GRID, detour=-1)


def test_wrong_actions_and_positions_are_named() -> None:
    env = RoutingEnv(GRID)
    with pytest.raises(UsageError, match="expected one of MultiDiscrete"):
        env.step(np.array([0]))
    placed = hoplab.Scenario.from_text(
        """
        duration = "2 s"
        topology = { kind = "random", nodes = 30, area = ["700 m", "700 m"] }
        flow = [{ from = 0, to = 1 }]
        """
    )
    env = RoutingEnv(placed, detour=1)
    with pytest.raises(UsageError, match="placement_seed"):
        env.reset(seed=2)
