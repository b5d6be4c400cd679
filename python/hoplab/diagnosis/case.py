"""What is known of one flow: its scenario, and its run if there was one."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hoplab.diagnosis.carrying import measured, table_of
from hoplab.diagnosis.links import MOST_NODES, Links

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hoplab.base.metrics import Flow
    from hoplab.running.runs import Run
    from hoplab.scenario.model import Scenario

MOMENTS = 10
"""Moments of a run at which links of moving nodes are looked at."""


@dataclass(frozen=True)
class Case:
    """A flow of a scenario with a seed; `run` and `report` are None before a run.

    Attributes
    ----------
    scenario : Scenario
        The scenario with this seed.
    shared : dict
        What the flows of a run share: their links.
    """

    scenario: Scenario
    seed: int
    number: int
    run: Run | None
    report: Flow | None
    shared: dict[str, Any]

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The resolved scenario."""
        return self.scenario.resolve().data

    @cached_property
    def flow(self) -> Mapping[str, Any]:
        """The resolved table of the flow."""
        if self.report is not None:
            return table_of(self.data, self.report)
        table: Mapping[str, Any] = self.data["flows"][self.number]
        return table

    @property
    def src(self) -> int:
        """Node that sends."""
        return int(self.flow["from"])

    @property
    def dst(self) -> int:
        """Node that receives."""
        return int(self.flow["to"])

    @property
    def protocol(self) -> str:
        """Routing protocol."""
        return str(self.data["routing"]["protocol"])

    @property
    def is_static(self) -> bool:
        """Whether routes are computed in advance."""
        return self.protocol == "static"

    @property
    def is_moving(self) -> bool:
        """Whether nodes move."""
        return "mobility" in self.data

    @property
    def life(self) -> tuple[float, float]:
        """When the flow has something to send, s."""
        stop = self.flow.get("stop_s")
        return float(self.flow["start_s"]), min(float(self.data["duration_s"]), math.inf if stop is None else stop)

    @property
    def measured(self) -> tuple[float, float]:
        """When it is measured, s."""
        return measured(self.data, self.flow)

    @cached_property
    def drops(self) -> Counter[str]:
        """Its packets that were dropped in the run, by reason; acknowledgments included."""
        if self.report is None:
            return Counter()
        return Counter(self.report.drops or {}) + Counter(self.report.ack_drops or {})

    def share(self, *reasons: str) -> float:
        """Share of these reasons in its drops; 0 without any."""
        total = self.drops.total()
        return sum(self.drops[reason] for reason in reasons) / total if total else 0.0

    @property
    def radio_nodes(self) -> int:
        """Number of nodes with a radio: hosts follow them."""
        return len(self.data["topology"]["positions"])

    @property
    def has_links(self) -> bool:
        """Whether the network is small enough to look at its links."""
        return self.radio_nodes <= MOST_NODES

    @property
    def links(self) -> Links:
        """Links when the flow starts; of moving nodes at the first of `moments`."""
        if "links" not in self.shared:
            begin, end = 0.0, float(self.data["duration_s"])
            moments = [begin + (end - begin) * k / MOMENTS for k in range(MOMENTS)] if self.is_moving else [0.0]
            self.shared["links"] = Links(self.scenario, self.seed, moments)
        links: Links = self.shared["links"]
        return links.at(0)

    @cached_property
    def route(self) -> list[int]:
        """Its static route, or a shortest path over links that data pass; empty without one."""
        if self.is_static and (found := self.links.static_path(self.number)):
            return list(found)
        return self.links.path(self.src, self.dst, self.links.is_link)

    @property
    def hops(self) -> list[tuple[int, int]]:
        """Links of the route, wires left out."""
        pairs = zip(self.route, self.route[1:], strict=False)
        return [pair for pair in pairs if pair not in self.links.wires]

    def word(self, node: int) -> str:
        """A node inside a sentence."""
        return self.scenario.node_names.get(node, f"node {node}")

    def distance_m(self, a: int, b: int) -> float | None:
        """Distance of two nodes at the start, m; None where links are listed, and for hosts."""
        places = self.data["topology"]["positions"]
        if not self.scenario.has_ranges or max(a, b) >= len(places):
            return None
        return math.dist(places[a][:2], places[b][:2])

    def pair(self, a: int, b: int) -> str:
        """Two nodes with their distance, inside a sentence."""
        metres = self.distance_m(a, b)
        names = self.scenario.node_names
        both = f"{self.word(a)} and {self.word(b)}" if names else f"nodes {a} and {b}"
        return both if metres is None else f"{both}, {metres:.4g} m apart,"
