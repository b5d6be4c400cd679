"""Radio links of a scenario at the start of a run, as the engine has them: powers, delivery ratios, static paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.base.engine import core

if TYPE_CHECKING:
    from hoplab.scenario.model import Scenario

MOST_NODES = 400
"""Nodes up to which links are asked for: their number grows with the square."""


@dataclass(frozen=True)
class RadioLinks:
    """What every node receives of every other.

    Attributes
    ----------
    powers : mapping
        Received power, in W, by sender and receiver; pairs far below the carrier-sense threshold are left out.
    delivery : mapping
        Delivery ratios of data frames below 1, by sender and receiver.
    rx_threshold_w, cs_threshold_w, capture_ratio : float
        Those of `[radio]`.
    paths : mapping
        Nodes of the static path of each flow, hosts included; None without a path. Empty where routes are discovered.
    """

    powers: Mapping[tuple[int, int], float]
    delivery: Mapping[tuple[int, int], float]
    rx_threshold_w: float
    cs_threshold_w: float
    capture_ratio: float
    paths: Mapping[int, tuple[int, ...] | None]

    @classmethod
    def of(cls, scenario: Scenario, seed: int | None = None) -> RadioLinks:
        """Links of the run with a seed; by default the scenario's own."""
        chosen = scenario.seed if seed is None else seed
        job = core().Job(scenario.text, scenario.path, [*scenario.overrides], chosen)
        found = json.loads(core().bound_inputs(job, [0.0]))
        longest = max(found["lengths"], default=0)
        return cls(
            powers={(a, b): power for a, b, power, *_ in found["sensed"][0]},
            delivery={(a, b): 1.0 - loss for a, b, bytes_, _, _, loss, _ in found["losses"][0] if bytes_ == longest},
            rx_threshold_w=found["rx_threshold_w"],
            cs_threshold_w=found["cs_threshold_w"],
            capture_ratio=found["capture_ratio"],
            paths={flow["id"]: flow["path"] and tuple(flow["path"]) for flow in found["flows"] if "path" in flow},
        )

    def is_received(self, sender: int, receiver: int) -> bool:
        """Whether frames are strong enough to be decoded."""
        return self.powers.get((sender, receiver), 0.0) >= self.rx_threshold_w

    def is_sensed(self, sender: int, receiver: int) -> bool:
        """Whether frames make the medium busy."""
        return self.powers.get((sender, receiver), 0.0) >= self.cs_threshold_w

    def survives(self, sender: int, receiver: int, other: int) -> bool:
        """Whether a frame outlasts another node's frame that begins later."""
        if not self.is_sensed(other, receiver):
            return True
        return self.powers.get((sender, receiver), 0.0) >= self.capture_ratio * self.powers[other, receiver]

    def two_way(self) -> list[tuple[int, int]]:
        """Pairs of nodes that receive each other."""
        return [(a, b) for a, b in self.powers if a < b and self.is_received(a, b) and self.is_received(b, a)]
