"""Environments for learning: Gymnasium's interface, determinism, and policies that repeat what they did in one."""

from __future__ import annotations

from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import hoplab
from hoplab.base.errors import UsageError
from hoplab.gym import FIELDS, CongestionEnv, CongestionVectorEnv, Observed, controller, utility

CHAIN = hoplab.Scenario.from_text(
    """
    duration = "3 s"
    topology = { kind = "chain", hops = 3 }
    flow = [{ transport = "new_reno" }, { transport = "new_reno", from = "last", to = "first" }]
    """
)

LOSSY = {"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": 0.2, "mac.ssrl": 2, "mac.slrl": 2}


def played(env: CongestionEnv, seed: int, actions: list[float]) -> tuple[list[list[float]], hoplab.Run]:
    rows = [list(env.reset(seed=seed)[0])]
    for action in actions:
        row, reward, terminated, truncated, info = env.step(np.array([action]))
        assert reward == utility()(Observed(*row))
        assert not terminated
        rows.append([*row, info["time_s"]])
        assert truncated == (info["time_s"] == 3.0)
    return rows, env.report()


def test_gymnasium_accepts_the_environment() -> None:
    check_env(CongestionEnv(CHAIN), skip_render_check=True)


def test_an_episode_is_a_run_of_its_seed() -> None:
    actions = [0.5, 1.0, -0.25, *[0.0] * 27]
    first, run = played(CongestionEnv(CHAIN), 7, actions)
    again, same = played(CongestionEnv(CHAIN), 7, actions)
    other, _ = played(CongestionEnv(CHAIN), 8, actions)
    assert first == again
    assert run.fingerprint == same.fingerprint
    assert first != other
    assert run.flows[0].goodput_bps > 0
    acked = sum(row[0] for row in first) * 0.1 / 8
    assert acked > 0
    assert acked == pytest.approx(run.flows[0].goodput_bps * 3 / 8, rel=0.05)


def test_windows_follow_actions_and_timeouts() -> None:
    rows, run = played(CongestionEnv(CHAIN, max_window=6.0), 1, [1.0] * 30)
    cwnd, timeouts = FIELDS.index("cwnd"), FIELDS.index("timeouts")
    assert [row[cwnd] for row in rows[:3]] == [2.0, 4.0, 6.0]
    for before, row in pairwise(rows[2:]):
        assert row[cwnd] == 6.0 or row[timeouts] > 0 or before[timeouts] > 0
    assert sum(row[timeouts] for row in rows) == run.flows[0].timeouts


def test_a_lossy_network_shows_its_losses() -> None:
    lossy = CHAIN.with_(LOSSY)
    rows, run = played(CongestionEnv(lossy), 1, [0.3] * 30)
    losses = sum(row[FIELDS.index("losses")] for row in rows)
    timeouts = sum(row[FIELDS.index("timeouts")] for row in rows)
    assert losses + timeouts > 0
    assert timeouts == run.flows[0].timeouts


@pytest.mark.parametrize("base", ["new_reno", "tcp_reno"])
@pytest.mark.parametrize("lossy", [False, True])
def test_a_policy_repeats_what_it_did_in_its_environment(*, lossy: bool, base: str) -> None:
    scenario = CHAIN.with_({"flow.0.transport": base, **(LOSSY if lossy else {})})

    def cautious(observed: Observed) -> float:
        if observed.losses + observed.timeouts > 0:
            return -1.0
        return 0.4 if observed.rtt_s < 1.5 * observed.min_rtt_s + 0.01 * observed.silence_s else -0.2

    env = CongestionEnv(scenario, interval_s=0.07)
    row, _ = env.reset(seed=5)
    truncated = False
    while not truncated:
        row, _, _, truncated, _ = env.step(np.array([cautious(Observed(*row))]))
    found = controller(cautious, interval_s=0.07)
    assert found.__name__ == "Cautious"
    name = hoplab.scenario.controllers.register(found)
    runs = hoplab.run(scenario.with_({"flow.0.controller": name}), seeds=[5])
    assert runs[0].fingerprint == env.report().fingerprint


def test_an_agent_sets_the_window_of_a_complete_connection() -> None:
    text = 'duration = "3 s"\ntopology = { kind = "chain", hops = 3 }\nflow = [{ transport = "tcp_reno" }]\n'
    scenario = hoplab.Scenario.from_text(text)
    rows, run = played(CongestionEnv(scenario, max_window=6.0), 1, [-1.0] + [1.0] * 29)
    cwnd, in_flight = FIELDS.index("cwnd"), FIELDS.index("in_flight")
    assert [row[cwnd] for row in rows[:4]] == [6.0, 3.0, 6.0, 6.0]
    assert max(row[in_flight] for row in rows) <= 6.0
    assert run.flows[0].transport == "python:Agent@gym"
    acked = sum(row[0] for row in rows) * 0.1 / 8
    assert acked > 0
    assert acked == pytest.approx(run.flows[0].goodput_bps * 3 / 8, rel=0.1)


def test_vectors_equal_single_environments_with_any_number_of_threads() -> None:
    actions = np.random.default_rng(3).uniform(-1, 1, (40, 6, 1))

    def rows(threads: int) -> np.ndarray:
        env = CongestionVectorEnv(CHAIN, 6, interval_s=0.1, threads=threads)
        found = [env.reset(seed=11)[0]]
        for action in actions:
            observed, _, terminated, truncated, _ = env.step(action)
            assert not terminated.any()
            assert truncated.all() == truncated.any()
            found.append(observed)
        return np.array(found)

    vector = rows(1)
    assert np.array_equal(vector, rows(3))
    for lane in (0, 5):
        env = CongestionEnv(CHAIN)
        alone = [env.reset(seed=11 + lane)[0]] + [env.step(action[lane])[0] for action in actions[:30]]
        assert np.array_equal(np.array(alone), vector[:31, lane])
        # The step after the end starts the next seed of the lane, and ignores its action.
        alone = [env.reset(seed=17 + lane)[0]] + [env.step(action[lane])[0] for action in actions[31:]]
        assert np.array_equal(np.array(alone), vector[31:, lane])


def test_agents_share_a_network() -> None:
    env = CongestionVectorEnv(CHAIN, 2, flows=[0, 1])
    observed, _ = env.reset(seed=1)
    assert observed.shape == (4, len(FIELDS))
    for _ in range(20):
        observed, rewards, *_ = env.step(np.array([[1.0], [-1.0], [1.0], [-1.0]]))
    assert rewards.shape == (4,)
    cwnd = Observed.of(observed).cwnd
    assert cwnd[0] > cwnd[1] == 1.0
    assert [flow.transport for flow in env.report(0).flows] == [flow.transport for flow in env.report(1).flows]


def test_the_vector_wrapper_of_gymnasium_works_too() -> None:
    env = SyncVectorEnv([lambda: CongestionEnv(CHAIN)] * 2)
    env.reset(seed=[1, 2])
    assert env.step(env.action_space.sample())[0].shape == (2, len(FIELDS))
    wrapped = gymnasium.wrappers.vector.NormalizeObservation(CongestionVectorEnv(CHAIN, 2))
    assert np.isfinite(wrapped.reset(seed=1)[0]).all()


def test_wrong_arguments_are_named() -> None:
    for arguments, words in (
        ({"flow": 2}, "flow 2: the scenario has 2 flows"),
        ({"interval_s": 0.0}, r"interval_s is 0\.0"),
        ({"interval_s": float("nan")}, "interval_s is nan"),
        ({"max_window": 0.5}, r"max_window is 0\.5"),
    ):
        with pytest.raises(UsageError, match=words):
            CongestionEnv(CHAIN, **arguments)
    with pytest.raises(UsageError, match="num_networks is 0"):
        CongestionVectorEnv(CHAIN, 0)
    with pytest.raises(UsageError, match="flows: \\[0, 0\\]"):
        CongestionVectorEnv(CHAIN, 1, flows=[0, 0])
    with pytest.raises(UsageError, match="seed: 3 seeds, expected 2"):
        CongestionVectorEnv(CHAIN, 2).reset(seed=[1, 2, 3])
    env = CongestionEnv(CHAIN)
    env.reset()
    with pytest.raises(ValueError, match="action of agent 0 is NaN"):
        env.step(np.array([np.nan]))
    with pytest.raises(ValueError, match="call reset first"):
        CongestionEnv(CHAIN).report()
    with pytest.raises(UsageError, match="interval_s is 0"):
        controller(lambda observed: 0.0, interval_s=0)
    with pytest.raises(UsageError, match="is no function"):
        controller(3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="flow 1: transport = 'vegas' is not supported with an agent"):
        CongestionEnv(CHAIN.with_({"flow.1.transport": "vegas"}), flow=1)
