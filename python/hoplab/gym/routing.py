"""An environment in which an agent chooses next hops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from hoplab.base.engine import core
from hoplab.base.errors import UsageError
from hoplab.base.numbers import integer_of, seed_of
from hoplab.gym.episodes import Episode, following, number
from hoplab.gym.rewards import FLOOR_BPS
from hoplab.running.runs import Run
from hoplab.scenario.model import Scenario

DEFAULT_INTERVAL_S = 1.0
LEAST_INTERVAL_S = 1e-6
MOST_DETOUR = 255
"""Hops of the longest path: the TTL."""
MOST_BPS, MOST_PACKETS = 1e10, 1e6
"""No observation is larger."""


Seen = dict[str, Any]
"""An observation: arrays `nodes` and `flows`, with a row for each."""


class Choice(NamedTuple):
    """A node that has several next hops to a destination.

    Attributes
    ----------
    node, destination : int
        Numbers of nodes.
    next_hops : tuple of int
        Neighbors of the node; those on shortest paths first, each group by number. An action is an index into them.
    """

    node: int
    destination: int
    next_hops: tuple[int, ...]


class NodesSeen(NamedTuple):
    """What is observed of all nodes, as arrays by node.

    Attributes
    ----------
    queue : array
        Packets in the interface queue, now.
    idle_share : array
        Share of the interval in which the node's air was idle and it had nothing to send.
    sent_share : array
        Share of the interval in which the node sent frames of any kind.
    """

    queue: Any
    idle_share: Any
    sent_share: Any

    @classmethod
    def of(cls, observation: Seen) -> NodesSeen:
        """Columns of an observation."""
        return cls(*np.moveaxis(observation["nodes"], -1, 0))


class FlowsSeen(NamedTuple):
    """What is observed of all flows, as arrays by flow.

    Attributes
    ----------
    delivered_bps : array
        Payload delivered to the application in the interval, bit/s.
    delay_s : array
        Mean time from first sending to first arrival of what arrived in the interval, s; 0 if nothing did.
    """

    delivered_bps: Any
    delay_s: Any

    @classmethod
    def of(cls, observation: Seen) -> FlowsSeen:
        """Columns of an observation."""
        return cls(*np.moveaxis(observation["flows"], -1, 0))


RoutingReward = Callable[[NodesSeen, FlowsSeen], float]
"""Takes what the interval has shown, and returns a number."""


def proportional_fairness() -> RoutingReward:
    """Sum over flows of log2(rate in Mb/s): largest where rates are proportionally fair (Kelly 1997).

    A flow that delivers nothing in an interval counts as 1 kb/s.
    """

    def reward(_: NodesSeen, flows: FlowsSeen) -> float:
        return float(np.sum(np.log2(np.maximum(flows.delivered_bps, FLOOR_BPS) / 1e6)))

    return reward


class RoutingEnv(gymnasium.Env[Seen, np.ndarray[Any, Any]]):
    """A network in which an agent chooses the next hops of all nodes at every interval.

    The scenario's routing is `static`: its shortest paths are action 0 throughout, with the same trajectory. A node
    that has several next hops to an end of a flow is one of `choices`; an action is an index for each of them. An
    observation has `nodes` (columns of `NodesSeen`) and `flows` (columns of `FlowsSeen`). An episode is a run of the
    scenario, truncated at its `duration`.

    Parameters
    ----------
    scenario : Scenario, str or Path
        The network with all its flows. Links are those at the start of the run.
    interval_s : float
        Time between two actions, s.
    detour : int
        How many hops longer than the shortest a path through a next hop may be. 0 keeps routes free of loops; with
        more, packets can circle until their TTL of 255 expires.
    reward : callable
        Of `NodesSeen` and `FlowsSeen`; `proportional_fairness()` by default.

    Raises
    ------
    UsageError
        If the scenario's routing is not static, it has wires or several radios per node, no node has a choice, or a
        number is out of its range.
    ScenarioError
        If the scenario is not valid.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as the base has it)

    def __init__(
        self,
        scenario: Scenario | str | Path,
        *,
        interval_s: float = DEFAULT_INTERVAL_S,
        detour: int = 0,
        reward: RoutingReward | None = None,
    ) -> None:
        base = Scenario.of(scenario)
        data = base.resolve().data
        _check(data)
        if number("interval_s", interval_s, "expected seconds, such as 1.0") < LEAST_INTERVAL_S:
            raise UsageError(f"interval_s is {interval_s}", hint="expected seconds, such as 1.0")
        hops = integer_of(detour)
        if hops is None or not 0 <= hops <= MOST_DETOUR:
            raise UsageError(f"detour is {detour!r}", hint=f"expected hops, 0 to {MOST_DETOUR}")
        engine = core().RouteAgent
        routed = base.with_({"routing.protocol": engine.PROTOCOL})
        job = core().Job(routed.text, routed.path, [*routed.overrides], base.seed)
        self._agent = engine(job, interval_s, detour)
        if [list(NodesSeen._fields), list(FlowsSeen._fields)] != [engine.NODE_FIELDS, engine.FLOW_FIELDS]:
            raise AssertionError(f"the engine observes {engine.NODE_FIELDS} and {engine.FLOW_FIELDS}")
        self._reward = reward or proportional_fairness()
        self._next_seed = base.seed
        self._episode = Episode()
        self.choices = self._start(base.seed)
        if not self.choices:
            raise UsageError(
                "no node has a choice between next hops",
                hint="use a topology with several shortest paths, such as a grid, or detour=1",
            )
        self.action_space = gymnasium.spaces.MultiDiscrete([len(choice.next_hops) for choice in self.choices])
        nodes, flows = self._agent.observe()
        most_delay_s = float(data["duration_s"])
        self.observation_space = gymnasium.spaces.Dict(
            nodes=_box(len(nodes), NodesSeen(MOST_PACKETS, 1.0, 1.0)),
            flows=_box(len(flows), FlowsSeen(MOST_BPS, most_delay_s)),
        )

    def _start(self, seed: int) -> tuple[Choice, ...]:
        return tuple(Choice(node, dst, tuple(next_hops)) for node, dst, next_hops in self._agent.reset(seed))

    def _observe(self) -> Seen:
        nodes, flows = self._agent.observe()
        return {"nodes": np.array(nodes), "flows": np.array(flows)}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Start the run of a seed; without one, that of the next: the scenario's own first.

        Raises
        ------
        UsageError
            If the seed is none of the engine, or nodes have other choices than with the scenario's seed: its positions
            are random.
        """
        seed = self._next_seed if seed is None else seed_of(seed)
        super().reset(seed=seed, options=options)
        self._next_seed = following(seed)
        if self._start(seed) != self.choices:
            raise UsageError(
                f"seed {seed}: nodes have other choices than with the scenario's seed",
                hint="fix the positions with topology.placement_seed",
            )
        self._episode.begin()
        return self._observe(), {"seed": seed}

    def step(self, action: np.ndarray[Any, Any]) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Take next hops, and run for one interval.

        Raises
        ------
        ResetNeededError
            Before the first reset, and after the end of the episode.
        UsageError
            If the action has another shape than `action_space`, or an index is out of its range.
        """
        try:
            chosen = np.asarray(action, self.action_space.dtype)
        except (TypeError, ValueError, OverflowError):
            chosen = np.empty(0, self.action_space.dtype)
        if not self.action_space.contains(chosen):
            raise UsageError(f"action is {action}", hint=f"expected one of {self.action_space}")
        self._episode.need_running()
        ended = self._agent.step([int(index) for index in chosen])
        if ended:
            self._episode.end()
        observed = self._observe()
        reward = float(self._reward(NodesSeen.of(observed), FlowsSeen.of(observed)))
        return observed, reward, False, ended, {"time_s": float(self._agent.time_s())}

    def report(self) -> Run:
        """Report of the run so far; of the whole run once the episode has ended.

        Raises
        ------
        ResetNeededError
            Before the first reset.
        """
        self._episode.need()
        return Run.from_engine(self._agent.report(), {})


def _check(data: Mapping[str, Any]) -> None:
    protocol = data["routing"]["protocol"]
    if protocol != "static":
        raise UsageError(
            f"routing.protocol = {protocol!r} is not supported with an agent's routes", hint='expected "static"'
        )
    if data["routing"].get("metric", "hops") != "hops":
        raise UsageError(f"routing.metric = {data['routing']['metric']!r} is not supported with an agent's routes")
    if data.get("hosts") or data.get("wires"):
        raise UsageError("wires are not supported with an agent's routes", hint="use radio nodes alone")
    if any(len(node.get("radios") or ()) > 1 for node in data["nodes"]):
        raise UsageError("several radios per node are not supported with an agent's routes", hint="use one radio")


def _box(rows: int, most: tuple[float, ...]) -> gymnasium.spaces.Box:
    high = np.tile(np.array(most), (rows, 1))
    return gymnasium.spaces.Box(np.zeros_like(high), high, dtype=np.float64)
