"""Scenarios: the file as users write it, what the engine makes of it, nodes' trajectories, controllers in Python."""

from hoplab.scenario.model import Resolved, Scenario

__all__ = ["Resolved", "Scenario"]
