"""Environments: networks in which agents set the windows of flows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hoplab.base.engine import core
from hoplab.base.errors import UsageError
from hoplab.base.numbers import counted, integer_of, seed_of
from hoplab.gym.episodes import Episode, following, number
from hoplab.gym.observation import FIELDS, Observed
from hoplab.gym.rewards import Reward, utility
from hoplab.running.memory import threads_that_fit
from hoplab.running.runs import Run
from hoplab.scenario.controllers import bases
from hoplab.scenario.model import Scenario

DEFAULT_INTERVAL_S = 0.1
DEFAULT_MAX_WINDOW = 1000.0

LEAST_INTERVAL_S = 1e-6
MOST_BPS, MOST_SEGMENTS = 1e10, 1e6
"""No observation is larger."""


def _observations(lanes: _Lanes) -> gymnasium.spaces.Box:
    duration_s = lanes.duration_s
    most = Observed(
        acked_bps=MOST_BPS,
        rtt_s=duration_s,
        min_rtt_s=duration_s,
        losses=MOST_SEGMENTS,
        timeouts=MOST_SEGMENTS,
        cwnd=lanes.max_window,
        in_flight=MOST_SEGMENTS,
        silence_s=duration_s,
    )
    return gymnasium.spaces.Box(np.zeros(len(FIELDS)), np.array(most), dtype=np.float64)


def _actions(shape: tuple[int, ...]) -> gymnasium.spaces.Box:
    return gymnasium.spaces.Box(-1.0, 1.0, shape, np.float64)


class _Lanes:
    """Networks of one scenario, with the engine's part of them."""

    def __init__(  # noqa: PLR0913, PLR0917 (of this file alone)
        self,
        scenario: Scenario | str | Path,
        flows: Sequence[int],
        interval_s: float,
        max_window: float,
        count: int,
        threads: int | None,
    ) -> None:
        base = Scenario.of(scenario)
        listed = base.resolve().data["flows"]
        if not flows or len(set(flows)) != len(flows):
            raise UsageError(f"flows: {list(flows)}", hint="name each flow with an agent once, such as flows=[0, 1]")
        for flow in flows:
            if flow not in range(len(listed)):
                raise UsageError(
                    f"flow {flow}: the scenario has {counted(len(listed), 'flow')}",
                    hint=f"expected 0 to {len(listed) - 1}",
                )
        if number("interval_s", interval_s, "expected seconds, such as 0.1") < LEAST_INTERVAL_S:
            raise UsageError(f"interval_s is {interval_s}", hint="expected seconds, such as 0.1")
        if not 1.0 <= number("max_window", max_window, "expected segments, 1 to 1e6") <= MOST_SEGMENTS:
            raise UsageError(f"max_window is {max_window}", hint="expected segments, 1 to 1e6")
        if (integer_of(count) or 0) < 1:
            raise UsageError(f"num_networks is {count!r}", hint="expected a number of networks, at least 1")
        if threads is not None and (integer_of(threads) or 0) < 1:
            raise UsageError(f"threads is {threads!r}", hint="expected a number of threads, at least 1")
        agents = core().Agents
        changes: dict[str, object] = {}
        for flow in flows:
            if listed[flow]["transport"] not in bases():
                raise UsageError(
                    f"flow {flow}: transport = {listed[flow]['transport']!r} is not supported with an agent",
                    hint=f"expected {', '.join(bases()[:-1])} or {bases()[-1]}, whose loss recovery it uses",
                )
            changes[f"flow.{flow}.controller"] = agents.CONTROLLER
        self.scenario = base.with_(changes)
        self.flows = tuple(sorted(flows))
        self.seed = base.seed
        self.max_window = max_window
        self.duration_s = float(base.resolve().data["duration_s"])
        job = core().Job(self.scenario.text, self.scenario.path, [*self.scenario.overrides], base.seed)
        threads = threads_that_fit(os.cpu_count() or 1) if threads is None else threads
        self._agents = agents(job, len(flows), interval_s, max_window, count, threads)
        self._out = np.zeros((count, len(flows), len(FIELDS)))
        if list(FIELDS) != agents.FIELDS:
            raise AssertionError(f"the engine observes {agents.FIELDS}")

    def reset(self, lanes: Sequence[int], seeds: Sequence[int]) -> np.ndarray[Any, Any]:
        """Start runs; the observations of all lanes."""
        self._agents.reset(list(lanes), list(seeds), self._out)
        return self._out.copy()

    def step(self, actions: np.ndarray[Any, Any], active: Sequence[bool]) -> tuple[np.ndarray[Any, Any], list[bool]]:
        """Run lanes for an interval; the observations of all lanes, and which have ended."""
        try:
            wanted = np.ascontiguousarray(actions, np.float64)
        except (TypeError, ValueError):
            raise UsageError(f"action is {actions!r}", hint="expected numbers from -1 to 1") from None
        size = len(self._out) * len(self.flows)
        if wanted.size != size:
            raise UsageError(f"action has {wanted.size} numbers", hint=f"expected {size}, from -1 to 1")
        wanted = wanted.reshape(len(self._out), len(self.flows))
        if (unknown := np.flatnonzero(np.isnan(wanted) & np.asarray(active)[:, None])).size:
            raise UsageError(f"action of agent {unknown[0]} is NaN", hint="expected a number from -1 to 1")
        ended = self._agents.step(wanted, list(active), self._out)
        return self._out.copy(), ended

    def report(self, lane: int) -> Run:
        return Run.from_engine(self._agents.report(lane), {})

    def time_s(self, lane: int) -> float:
        return float(self._agents.time_s(lane))


class CongestionEnv(gymnasium.Env[np.ndarray[Any, Any], np.ndarray[Any, Any]]):
    """A network in which an agent sets the congestion window of one flow at every interval.

    An observation is an array of `hoplab.gym.FIELDS`. An action is a number from -1 to 1: the power of two by which
    the window changes. An episode is a run of the scenario, truncated at its `duration`. Recovery of losses stays that
    of the flow's transport; a timeout sets the window to one segment, until the next action.

    Parameters
    ----------
    scenario : Scenario, str or Path
        The network with all its flows. The others keep their transports.
    flow : int
        The flow with the agent.
    interval_s : float
        Time between two actions, s.
    reward : callable
        Of an `Observed`; `hoplab.gym.utility()` by default.
    max_window : float
        Largest window, segments.

    Raises
    ------
    UsageError
        If the scenario has no such flow, its transport cannot have an agent, or a number is out of its range.
    ScenarioError
        If the scenario is not valid.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as the base has it)

    def __init__(
        self,
        scenario: Scenario | str | Path,
        *,
        flow: int = 0,
        interval_s: float = DEFAULT_INTERVAL_S,
        reward: Reward | None = None,
        max_window: float = DEFAULT_MAX_WINDOW,
    ) -> None:
        self._lanes = _Lanes(scenario, [flow], interval_s, max_window, 1, 1)
        self._reward = reward or utility()
        self._next_seed = self._lanes.seed
        self._episode = Episode()
        self.observation_space = _observations(self._lanes)
        self.action_space = _actions((1,))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
        """Start the run of a seed; without one, that of the next: the scenario's own first.

        Raises
        ------
        UsageError
            If the seed is none of the engine.
        """
        seed = self._next_seed if seed is None else seed_of(seed)
        super().reset(seed=seed, options=options)
        self._next_seed = following(seed)
        observed = self._lanes.reset([0], [seed])[0, 0]
        self._episode.begin()
        return observed, {"seed": seed}

    def step(self, action: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], float, bool, bool, dict[str, Any]]:
        """Change the window, and run for one interval.

        Raises
        ------
        ResetNeededError
            Before the first reset, and after the end of the episode.
        UsageError
            If the action is not one number.
        """
        self._episode.need_running()
        rows, ended = self._lanes.step(action, [True])
        if ended[0]:
            self._episode.end()
        observed = rows[0, 0]
        reward = float(self._reward(Observed.of(observed)))
        return observed, reward, False, ended[0], {"time_s": self._lanes.time_s(0)}

    def report(self) -> Run:
        """Report of the run so far; of the whole run once the episode has ended.

        Raises
        ------
        ResetNeededError
            Before the first reset.
        """
        self._episode.need()
        return self._lanes.report(0)


class CongestionVectorEnv(VectorEnv[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]):
    """Many networks at once, on all cores; each has one or several agents.

    Environment `i` is agent `i % len(flows)` of network `i // len(flows)`. Network `k` runs seeds s + k, s + k + n,
    s + k + 2n, ..., with n networks and `reset(seed=s)`; the results do not depend on the number of threads. A network
    whose run has ended is reset by the next step (`AutoresetMode.NEXT_STEP`).

    Parameters
    ----------
    scenario : Scenario, str or Path
        The network with all its flows.
    num_networks : int
        Networks.
    flows : sequence of int
        Flows with an agent.
    interval_s, reward, max_window
        As of `CongestionEnv`.
    threads : int, optional
        By default one per core.

    Raises
    ------
    UsageError, ScenarioError
        As `CongestionEnv`.
    """

    def __init__(  # noqa: PLR0913 (all but two by keyword)
        self,
        scenario: Scenario | str | Path,
        num_networks: int = 32,
        *,
        flows: Sequence[int] = (0,),
        interval_s: float = DEFAULT_INTERVAL_S,
        reward: Reward | None = None,
        max_window: float = DEFAULT_MAX_WINDOW,
        threads: int | None = None,
    ) -> None:
        self._lanes = _Lanes(scenario, flows, interval_s, max_window, num_networks, threads)
        self._reward = reward or utility()
        self._networks, self._agents = num_networks, len(flows)
        self._episode = Episode()
        self._seeds = [following(self._lanes.seed, network) for network in range(num_networks)]
        self._ended = [True] * num_networks
        self.num_envs = num_networks * len(flows)
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = _observations(self._lanes)
        self.single_action_space = _actions((1,))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = _actions((self.num_envs, 1))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
        """Start all runs: of seeds from `seed` on, of a list with one seed per network, or of the next ones."""
        super().reset(seed=None, options=options)
        given: Any = seed
        if hasattr(given, "__len__") and not isinstance(given, str):
            if len(given) != self._networks:
                found = counted(len(given), "seed")
                raise UsageError(f"seed: {found}, expected {self._networks}", hint="one seed per network")
            self._seeds = [old if new is None else seed_of(new) for new, old in zip(given, self._seeds, strict=True)]
        elif given is not None:
            first = seed_of(given)
            self._seeds = [following(first, network) for network in range(self._networks)]
        rows = self._start(range(self._networks))
        self._episode.begin()
        return self._flat(rows), {}

    def _start(self, networks: Sequence[int]) -> np.ndarray[Any, Any]:
        rows = self._lanes.reset(networks, [self._seeds[network] for network in networks])
        for network in networks:
            self._seeds[network] = following(self._seeds[network], self._networks)
            self._ended[network] = False
        return rows

    def _flat(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return rows.reshape(self.num_envs, len(FIELDS))

    def step(
        self, actions: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], dict[str, Any]]:
        """Change all windows, and run each network for one interval; start those anew whose runs had ended.

        Raises
        ------
        ResetNeededError
            Before the first reset.
        UsageError
            If the actions are not one number for each agent.
        """
        self._episode.need()
        fresh = [network for network, ended in enumerate(self._ended) if ended]
        if fresh:
            self._start(fresh)
        active = [True] * self._networks
        for network in fresh:
            active[network] = False
        rows, self._ended = self._lanes.step(actions, active)
        observed = self._flat(rows)
        rewards = np.asarray(self._reward(Observed.of(observed)), np.float64)
        if fresh:
            rewards.reshape(self._networks, self._agents)[fresh] = 0.0
        truncated = np.repeat(np.asarray(self._ended, np.bool_), self._agents)
        return observed, rewards, np.zeros(self.num_envs, np.bool_), truncated, {}

    def report(self, network: int) -> Run:
        """Report of a network's run so far; of the whole run once its episode has ended.

        Raises
        ------
        ResetNeededError
            Before the first reset.
        UsageError
            If there is no such network.
        """
        self._episode.need()
        if integer_of(network) is None or not 0 <= network < self._networks:
            raise UsageError(f"network {network!r}: expected 0 to {self._networks - 1}")
        return self._lanes.report(network)
