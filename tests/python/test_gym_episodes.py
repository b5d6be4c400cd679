"""Episodes of environments: steps without a run, seeds of any size, wrong actions, and processes that were forked."""

from __future__ import annotations

import multiprocessing
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from hoplab import Scenario
from hoplab.base.errors import UsageError
from hoplab.gym import CongestionEnv, CongestionVectorEnv, ResetNeededError, RoutingEnv

CHAIN = Scenario.from_dict(duration=1, topology={"kind": "chain", "hops": 2}, flow=[{"transport": "new_reno"}])
GRID = Scenario.from_dict(
    duration=2,
    topology={"kind": "grid", "rows": 2, "columns": 2},
    flow=[{"from": 0, "to": 3, "transport": "new_reno"}],
)
LAST = 2**64 - 1


def environments() -> list[Any]:
    return [CongestionEnv(CHAIN), CongestionVectorEnv(CHAIN, 2), RoutingEnv(GRID)]


def still(env: Any) -> Any:
    """An action that changes nothing."""
    return np.zeros(env.action_space.shape, env.action_space.dtype)


@pytest.mark.parametrize("kind", range(3))
def test_steps_without_a_run_need_a_reset(kind: int) -> None:
    env = environments()[kind]
    with pytest.raises(ResetNeededError, match="no run: call reset first"):
        env.step(still(env))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.report(*[0] * (kind == 1))
    env.reset()
    env.step(still(env))


@pytest.mark.parametrize("env", [CongestionEnv(CHAIN), RoutingEnv(GRID)])
def test_steps_after_the_end_need_a_reset(env: Any) -> None:
    env.reset()
    truncated = False
    while not truncated:
        _, _, _, truncated, _ = env.step(still(env))
    with pytest.raises(ResetNeededError, match="the episode has ended"):
        env.step(still(env))
    assert env.report().flows[0].goodput_bps > 0.0
    env.reset()
    assert env.step(still(env))[3] is False


def test_vectors_begin_anew_after_the_end() -> None:
    env = CongestionVectorEnv(CHAIN, 2)
    env.reset()
    ended = [bool(env.step(still(env))[3].all()) for _ in range(12)]
    assert ended == [False] * 9 + [True] + [False] * 2


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("seed", [2**64, -1, 10**30, "a", 1.5])
def test_seeds_that_are_none_are_usage_errors(kind: int, seed: Any) -> None:
    env = environments()[kind]
    with pytest.raises(UsageError, match="expected an integer from 0 to 2\\*\\*64 - 1"):
        env.reset(seed=seed)


@pytest.mark.parametrize("kind", range(3))
def test_first_seed_follows_the_last(kind: int) -> None:
    env = environments()[kind]
    env.reset(seed=np.uint64(LAST))
    env.reset()
    if kind != 1:
        assert env.reset()[1]["seed"] == 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("action", [np.zeros(3), "a", None, [[1.0], [2.0, 3.0]], np.array([np.nan])])
def test_wrong_actions_are_usage_errors(action: Any) -> None:
    for env in (CongestionEnv(CHAIN), RoutingEnv(GRID)):
        env.reset()
        with pytest.raises(UsageError, match=r"^action"):
            env.step(action)


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (CongestionEnv, {"interval_s": "0.1"}),
        (CongestionEnv, {"max_window": None}),
        (CongestionVectorEnv, {"num_networks": 2.5}),
        (CongestionVectorEnv, {"threads": -1}),
        (RoutingEnv, {"detour": 1.5}),
        (RoutingEnv, {"detour": 10**30}),
        (RoutingEnv, {"interval_s": []}),
    ],
)
def test_wrong_arguments_are_usage_errors(kind: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(arguments))):
        kind(GRID, **arguments)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system does not fork")
def test_vectors_go_on_in_a_forked_process() -> None:
    env = CongestionVectorEnv(CHAIN, 32, threads=2)
    env.reset(seed=1)
    first = env.step(still(env))[0]
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        env.reset(seed=1)
        sender.send(env.step(still(env))[0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of any fork with threads
        process = context.Process(target=child, daemon=True)
        process.start()
    assert receiver.poll(30.0), "the forked process hangs"
    assert np.array_equal(receiver.recv(), first)
    process.join(30.0)
    assert process.exitcode == 0
