"""The links of a run at one moment, by node: which nodes receive each other, and on which links data pass."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hoplab.base.engine import core

if TYPE_CHECKING:
    from hoplab.scenario.model import Scenario

Link = tuple[int, int]
MOST_NODES = 1000
"""Nodes up to which links are asked for."""
KINDS = ("RTS", "CTS", "DATA", "ACK")


class Links:
    """Links of one run, read from the engine."""

    def __init__(self, scenario: Scenario, seed: int, times_s: Sequence[float] = (0.0,)) -> None:
        # With RTS for every packet, the survival of an RTS says how broadcasts at the basic rate fare.
        self._scenario = scenario.with_({"mac.rts_threshold": 0})
        self._seed = seed
        self._found: dict[str, Any] = json.loads(core().bound_inputs(self._job, [*times_s]))
        self.data = scenario.resolve().data
        self.nodes = len(self.data["topology"]["positions"]) + len(self.data.get("hosts", ()))
        self.rx_threshold_w: float = self._found["rx_threshold_w"]
        self.threshold_w = float(self.data["radio"].get("link_threshold_w") or self.rx_threshold_w)
        self.wires: list[Link] = [(int(a), int(b)) for a, b, *_ in self._found["wires"]]
        self._index = -1
        self.at(0)

    @property
    def _job(self) -> Any:
        return core().Job(self._scenario.text, self._scenario.path, [*self._scenario.overrides], self._seed)

    @cached_property
    def owners(self) -> list[int]:
        """The node of each radio: first one radio of every node, then the further ones in their order."""
        lists = {int(node["id"]): node.get("radios", ()) for node in self.data["nodes"]}
        first = list(range(len(self.data["topology"]["positions"])))
        return first + [node for node in first for _ in lists.get(node, ())[1:]]

    def at(self, index: int) -> Links:
        """The same, with powers at another of the moments."""
        if index == self._index:
            return self
        self._index = index
        self.power: dict[Link, float] = {}
        self.delay: dict[Link, float] = {}
        self._radios: dict[Link, Link] = {}
        for a, b, watts, seconds in self._found["sensed"][index]:
            link = self.owners[a], self.owners[b]
            if watts > self.power.get(link, 0.0):
                self.power[link], self.delay[link], self._radios[link] = watts, seconds, (a, b)
        self._losses = {(a, b, n): tuple(row) for a, b, n, *row in self._found["losses"][index]}
        return self

    def is_heard(self, a: int, b: int) -> bool:
        """Whether broadcasts are strong enough, both ways: routing takes such nodes for neighbors."""
        return min(self.power.get((a, b), 0.0), self.power.get((b, a), 0.0)) >= self.rx_threshold_w

    def is_link(self, a: int, b: int) -> bool:
        """Whether data are strong enough, both ways, as static routes and warnings see it."""
        return min(self.power.get((a, b), 0.0), self.power.get((b, a), 0.0)) >= self.threshold_w

    def margin_db(self, a: int, b: int) -> float:
        """Received power over what data need, in dB."""
        return 10.0 * math.log10(self.power.get((a, b), 1e-30) / self.threshold_w)

    def longest_delay_s(self, node: int) -> float:
        """Longest propagation delay that the timeouts of a node allow."""
        return float(self._found["stations"][node]["longest_delay_s"])

    def data_bytes(self, flow: int) -> int:
        """Length of a data packet of a flow above the MAC; 0 where it is not known."""
        return next((int(row["data_bytes"]) for row in self._found["flows"] if row["id"] == flow), 0)

    def times_s(self, node: int) -> tuple[float, float, float, float]:
        """Air times of the longest exchange of a node: RTS, CTS, data, ACK."""
        rts, cts, data, acks = self._found["stations"][node]["exchanges"][-1]
        return rts, cts, data[0], acks[0]

    def losses(self, a: int, b: int, length: int) -> Mapping[str, float]:
        """Probability by kind of frame that noise or an error model destroys it, on a link without interference."""
        ends = self._radios.get((a, b))
        if ends is None:
            return dict.fromkeys(KINDS, 1.0)
        lost = dict(zip(KINDS, self._losses.get((*ends, length), (0.0,) * 4), strict=True))
        best: dict[str, float] = {}
        for _, place, _, survival in core().survival(self._job, [(*ends, length)], 0.0):
            receiver = ends[1] if place in {0, 2} else ends[0]
            best[KINDS[place]] = max(best.get(KINDS[place], 0.0), survival[receiver])
        return {kind: 1.0 - best.get(kind, 1.0) * (1.0 - lost[kind]) for kind in KINDS}

    def static_path(self, flow: int) -> list[int] | None:
        """The static route of a flow."""
        return next((row.get("path") for row in self._found["flows"] if row["id"] == flow), None)

    def path(
        self,
        src: int,
        dst: int,
        passes: Callable[[int, int], bool],
        without: Sequence[int] = (),
        more: Iterable[Link] = (),
    ) -> list[int]:
        """A shortest path over the links that pass, wires, and more links; empty without one."""
        near: dict[int, list[int]] = {}
        for a, b in [*(link for link in self.power if passes(*link)), *self.wires, *more]:
            if a not in without and b not in without:
                near.setdefault(a, []).append(b)
        came: dict[int, int] = {src: src}
        queue = deque([src])
        while queue:
            node = queue.popleft()
            if node == dst:
                break
            for other in sorted(near.get(node, ())):
                if other not in came:
                    came[other] = node
                    queue.append(other)
        if dst not in came:
            return []
        back = [dst]
        while back[-1] != src:
            back.append(came[back[-1]])
        return back[::-1]

    def reached(self, src: int, passes: Callable[[int, int], bool]) -> set[int]:
        """Nodes with a path from one."""
        found = {src}
        grown = True
        while grown:
            more = {b for a, b in [*(link for link in self.power if passes(*link)), *self.wires] if a in found} - found
            found |= more
            grown = bool(more)
        return found
