"""Flows of replications, whose ends and number `[traffic]` may draw anew for each seed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoplab.base.metrics import Flow
    from hoplab.running.runs import Run
    from hoplab.scenario.model import Scenario

VARIES = "varies"
"""In place of a node that is another one in another seed."""


class DrawnFlows:
    """The flows that a scenario lists or draws, over its runs."""

    scenario: Scenario
    runs: tuple[Run, ...]

    @cached_property
    def lasting(self) -> tuple[Flow, ...]:
        """Flows but those of workloads, of each number that of the first seed that has it."""
        found = {flow.id: flow for run in reversed(self.runs) for flow in run.lasting}
        return tuple(found[number] for number in sorted(found))

    def with_flow(self, flow: int) -> list[Flow]:
        """The flow of this number in each run that has it."""
        return [one for run in self.runs for one in run.flows if one.id == flow]

    def ends_of(self, flow: int) -> tuple[str, str] | None:
        """Source and destination of a flow, by name or number; None if they differ by seed."""
        found = {(one.src, one.dst) for one in self.with_flow(flow)}
        if len(found) != 1:
            return None
        src, dst = (self.scenario.node_names.get(node, str(node)) for node in next(iter(found)))
        return src, dst

    def ends_in_words(self, flow: int) -> str:
        """The ends of a flow inside a sentence."""
        ends = self.ends_of(flow)
        if ends is None:
            return "between nodes that vary"
        return f"{'node ' if ends[0].isdecimal() else ''}{ends[0]} to {ends[1]}"
