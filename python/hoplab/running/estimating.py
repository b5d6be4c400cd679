"""Estimators of capacity and available bandwidth side by side over time, beside what the engine knows of its air."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.base.engine import core
from hoplab.base.errors import UsageError
from hoplab.base.table import Table
from hoplab.figures import Curve, Figure
from hoplab.running.memory import ESTIMATE_BYTES, refuse_interval
from hoplab.scenario.channels import need_one_radio
from hoplab.scenario.model import Scenario

NAMES = {
    "winf": "rt-Winf",
    "idle_gap": "IdleGap",
    "maximum": "maximum (eq. 14)",
    "adhoc_probe": "AdHoc Probe",
    "adhoc_probe_10s": "AdHoc Probe, last 10 s",
    "udp": "saturating UDP",
}
"""Estimators, and how figures call them."""

AT_NODES = ("winf", "idle_gap", "maximum")
ALONG = ("adhoc_probe", "adhoc_probe_10s", "udp")


HEADER = ("estimator", "mean (Mb/s)", "variation", "least", "most")
"""Columns of a table of spreads; see `Spread.cells`."""


@dataclass(frozen=True)
class Spread:
    """A value over time: mean, variation (standard deviation over mean), least and most; bit/s but for `variation`."""

    mean: float
    variation: float
    least: float
    most: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """Of some samples; None where there is none."""
        known = [value for value in values if math.isfinite(value)]
        if not known:
            return None
        mean = math.fsum(known) / len(known)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in known) / len(known))
        return cls(mean, deviation / mean if mean > 0.0 else 0.0, min(known), max(known), len(known))

    def cells(self) -> tuple[str, ...]:
        """One row of numbers, in Mb/s, below `HEADER` without its first column."""
        mean, least, most = (f"{value * 1e-6:.3f}" for value in (self.mean, self.least, self.most))
        return mean, f"{self.variation:.3f}", least, most


@dataclass(frozen=True)
class Estimates:
    """Estimators of one scenario and seed over time.

    Attributes
    ----------
    nodes : Table
        `t_s`, `node`, `estimator`, `capacity_bps`, `available_bps`: what each estimator says at each node. Of
        "maximum", eq. 14 for the longest packet, and as available its product with the share of time in which the
        node's air was truly free.
    path : Table
        `t_s`, `estimator`, `value_bps`: measurements along the path of one flow, each of which disturbed a
        replication of its own. NaN where there is no value yet.
    """

    scenario: Scenario
    flow: int
    nodes: Table
    path: Table
    warnings: tuple[str, ...]

    @property
    def warmup_s(self) -> float:
        """The scenario's warm-up, in s."""
        return float(self.scenario.resolve().data["warmup_s"])

    def at(self, node: int, estimator: str, what: str = "available_bps") -> tuple[list[float], list[float]]:
        """Times (s) and values (bit/s) of one estimator at a node."""
        chosen = (self.nodes["node"] == node) & (self.nodes["estimator"] == estimator)
        return self.nodes["t_s"][chosen].tolist(), self.nodes[what][chosen].tolist()

    def along(self, estimator: str) -> tuple[list[float], list[float]]:
        """Times (s) and values (bit/s) of a measurement along the path."""
        chosen = self.path["estimator"] == estimator
        return self.path["t_s"][chosen].tolist(), self.path["value_bps"][chosen].tolist()

    def of_node(self, node: int, *, after_s: float = 0.0) -> dict[tuple[str, str], Spread]:
        """Spread over time of each estimator at a node, by estimator and "capacity_bps" or "available_bps"."""
        found = {}
        for name in AT_NODES:
            for what in ("capacity_bps", "available_bps"):
                times, values = self.at(node, name, what)
                spread = Spread.of([v for t, v in zip(times, values, strict=True) if t >= after_s])
                if spread is not None:
                    found[name, what] = spread
        return found

    def of_path(self) -> dict[str, Spread]:
        """Spread over time of each measurement along the path."""
        found = {name: Spread.of(self.along(name)[1]) for name in ALONG}
        return {name: spread for name, spread in found.items() if spread is not None}

    def node_ids(self) -> list[int]:
        """The nodes."""
        return sorted(set(self.nodes["node"].tolist()))

    def figures(self, nodes: Sequence[int]) -> list[Figure]:
        """Capacity and available bandwidth against time at some nodes, with the path's measurements beside them."""
        found = []
        for node in nodes:
            for what, label, beside in (
                ("capacity_bps", "capacity", ("adhoc_probe", "adhoc_probe_10s")),
                ("available_bps", "available bandwidth", ("udp",)),
            ):
                series = [(name, self.at(node, name, what)) for name in AT_NODES]
                series += [(name, self.along(name)) for name in beside]
                curves = tuple(
                    Curve(NAMES[name], x, [value * 1e-6 for value in y], style="step", slot=list(NAMES).index(name))
                    for name, (x, y) in series
                    if any(math.isfinite(value) for value in y)
                )
                caption = (
                    f"One run, seed {self.scenario.seed}. The maximum is eq. 14 for the longest packet"
                    + (", times the share of time in which the node's air was free" if beside == ("udp",) else "")
                    + f". AdHoc Probe and UDP: runs of their own along the path of flow {self.flow}."
                )
                found.append(
                    Figure(
                        f"{label.split()[0]}-{node}",
                        f"{label.capitalize()} at node {node}",
                        "time (s)",
                        f"{label} (Mb/s)",
                        curves,
                        caption,
                    )
                )
        return found


def estimate(scenario: Scenario, *, interval_s: float = 1.0, flow: int = 0, paths: bool = True) -> Estimates:
    """Run a scenario with rt-Winf and IdleGap listening at every node.

    Parameters
    ----------
    interval_s : float
        Time between two samples, in s.
    flow : int
        The flow whose path AdHoc Probe and a saturating UDP flow measure, each in a run of its own.
    paths : bool
        Whether to execute these two runs.

    Raises
    ------
    UsageError
        If the interval is no time, or there is no such flow.
    InputError
        If a node has several radios.
    """
    if not (math.isfinite(interval_s) and interval_s > 0.0):
        raise UsageError(f"interval = {interval_s:g} s: must be greater than 0 s")
    resolved = scenario.resolve()
    data = resolved.data
    need_one_radio(data, "hoplab estimate")
    if interval_s > float(data["duration_s"]):
        raise UsageError(f"interval = {interval_s:g} s: exceeds the duration, {data['duration_s']:g} s")
    count = len(data["flows"])
    if not 0 <= flow < count:
        raise UsageError(f"flow {flow} does not exist, expected 0 to {count - 1}")
    refuse_interval("interval", interval_s, float(data["duration_s"]), resolved.facts.nodes * ESTIMATE_BYTES)
    job = core().Job(scenario.text, scenario.path, [*scenario.overrides], scenario.seed)
    found: dict[str, Any] = json.loads(core().estimates(job, interval_s, flow, paths))
    nodes, path = _table(found["nodes"], NODE_COLUMNS), _table(found["path"], PATH_COLUMNS)
    return Estimates(scenario, flow, nodes, path, tuple(found["warnings"]))


NODE_COLUMNS = ("t_s", "node", "estimator", "capacity_bps", "available_bps")
PATH_COLUMNS = ("t_s", "estimator", "value_bps")


def _table(columns: dict[str, list[Any]], names: Sequence[str]) -> Table:
    rows = [dict(zip(names, values, strict=True)) for values in zip(*(columns[n] for n in names), strict=True)]
    return Table.from_rows(rows, names)
