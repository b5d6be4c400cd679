"""Received powers and ranges against vectors, through `resolve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab_validation.peers import paths, tables
from hoplab_validation.peers.resolved import parse
from hoplab_validation.peers.stats import stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan

PART = "radio"
EDGE = 1e-5
"""Relative step to either side of a range, at which a link must exist and must not."""


def plan(depth: Depth) -> Plan:
    """Every vector at every depth: no run is executed."""
    del depth
    return Plan(PART, "received power and ranges against the vectors and the formulas", (), _judge)


def _judge(runs: Sequence[Runs]) -> list[Row]:
    del runs
    rows = [_range(row) for row in tables.read("vectors_two_ray")]
    rows += [_link(row) for row in tables.read("vectors_two_ray")]
    facts = _two_nodes(200.0, {}).resolve().facts
    for name, ours, theirs in (
        ("reception range", facts.rx_range_m, 250.01065),
        ("carrier sense", facts.cs_range_m, 550.02151),
    ):
        rows.append(_row(f"default {name}", "m", "ns-2.35", theirs=theirs, ours=ours, limit=2e-5))
    for frequency in ("914 MHz", "2.4 GHz"):
        rows.append(_free_space(frequency))
    return rows


def _range(vector: tables.Row) -> Row:
    """A threshold equal to the vector's power must give the vector's distance."""
    distance, power = float(vector["distance_m"]), float(vector["power_w"])
    thresholds = {"radio.rx_threshold": f"{power!r} W", "radio.cs_threshold": f"{power!r} W"}
    reach = _two_nodes(distance, thresholds).resolve().facts.rx_range_m
    return _row(f"distance with {power:.6e} W", "m", "vector", theirs=distance, ours=reach, limit=1e-6 * distance)


def _link(vector: tables.Row) -> Row:
    """A node just inside that distance is a neighbor, one just outside is not."""
    distance, power = float(vector["distance_m"]), float(vector["power_w"])
    thresholds = {"radio.rx_threshold": f"{power!r} W", "radio.cs_threshold": f"{power!r} W"}
    found = [
        _two_nodes(distance * (1.0 + side), thresholds).resolve().facts.flows[0].hops is not None
        for side in (-EDGE, EDGE)
    ]
    return _row(
        f"links just inside and outside {distance:g} m", "", "vector", theirs=1.0, ours=float(sum(found)), limit=0.0
    )


def _free_space(frequency: str) -> Row:
    scenario = _two_nodes(200.0, {"radio.propagation": "free_space", "radio.frequency": frequency})
    resolved = parse(scenario.resolve().data)
    theirs = paths.range_m(resolved.radio, resolved.radio.rx_threshold_w)
    ours = scenario.resolve().facts.rx_range_m
    return _row(f"free-space reach at {frequency}", "m", "Friis", theirs=theirs, ours=ours, limit=1e-6 * theirs)


def _two_nodes(distance_m: float, changes: Mapping[str, object]) -> Scenario:
    positions = [[0.0, 0.0], [distance_m, 0.0]]
    topology = {"kind": "positions", "positions": positions}
    return Scenario.from_dict(topology=topology, duration="1 s", flow=[{"from": 0, "to": 1}]).with_(changes)


def _row(name: str, unit: str, source: str, *, theirs: float, ours: float, limit: float) -> Row:  # noqa: PLR0913
    return Row(PART, name, unit, source, stored(theirs, None, 1), stored(ours, None, 1), limit)
