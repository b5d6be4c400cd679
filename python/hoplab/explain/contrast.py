"""Two runs beside each other: what differs, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hoplab.base.metrics import Metric, metric_of, usual_of_runs
from hoplab.explain.narrative import GROUPS, REASONS, Explanation

GROUP_WORDS = {
    "transmitting": "transmit",
    "receiving": "receive",
    "deferring": "defer",
    "lost": "collisions and EIFS",
    "waiting": "wait",
    "idle": "idle",
}
"""Groups of airtime categories, in words."""
LEAST_CHANGE = 0.005
"""Smallest change of an airtime share that is called a change."""


@dataclass(frozen=True)
class Row:
    """One measure of both runs; None where a run has none of it."""

    name: str
    unit: str
    first: float | None
    second: float | None
    digits: int = 1

    @property
    def percent(self) -> float | None:
        """How far the second is above the first, in percent of the first."""
        if self.first is None or self.second is None or self.first == 0.0:
            return None
        return 100.0 * (self.second / self.first - 1.0)

    def cells(self) -> list[str]:
        """Name with unit, both values, and the change."""
        values = ["-" if one is None else f"{one:.{self.digits}f}" for one in (self.first, self.second)]
        change = self.percent
        name = f"{self.name} ({self.unit})" if self.unit else self.name
        return [name, *values, "-" if change is None else f"{change:+.0f} %"]


@dataclass(frozen=True)
class Contrast:
    """The second of two explained runs against the first."""

    first: Explanation
    second: Explanation

    @property
    def rows(self) -> list[Row]:
        """Measures, collisions, drops by reason, and airtime shares, those that neither run has left out."""
        rows = [self._measure(metric) for metric in usual_of_runs()]
        rows += [
            Row("Hops, mean over flows", "", *self._both(_mean_hops)),
            Row("Mean queue at bottlenecks", "packets", *self._both(_bottleneck_queue)),
            Row("Collisions", "frame-interferer pairs", *self._both(_collided), digits=0),
            Row("of which with a hidden terminal", "", *self._both(_hidden), digits=0),
            Row("Exposed link pairs", "", *self._both(lambda one: float(len(one.exposed))), digits=0),
        ]
        rows.append(self._measure(metric_of("dropped")))  # the sum of the rows that follow
        rows += [
            Row(f"Drops: {word}", "packets", *self._both(_dropped(key)), digits=0) for key, word in REASONS.items()
        ]
        rows += self.airtime
        return [row for row in rows if row.first or row.second]

    @property
    def airtime(self) -> list[Row]:
        """Mean share of each group of categories over the nodes that carry flows, in percent."""
        return [Row(f"Airtime: {word}", "%", *self._both(_share(group))) for group, word in GROUP_WORDS.items()]

    def sentences(self) -> list[str]:
        """Goodput first, then what changed with it."""
        goodput = self._measure(metric_of("goodput_bps"))
        change = goodput.percent
        word = "" if change is None else f", {abs(change):.0f} % {'more' if change > 0 else 'less'}"
        if change is not None and abs(change) < 0.5:
            word = ", less than 1 % apart"
        found = [f"Goodput {goodput.second or 0.0:.1f} against {goodput.first or 0.0:.1f} kb/s{word}."]
        changed = sorted(self.airtime, key=lambda row: -abs((row.second or 0.0) - (row.first or 0.0)))[:2]
        moved = [row for row in changed if abs((row.second or 0.0) - (row.first or 0.0)) > 100.0 * LEAST_CHANGE]
        if moved:
            parts = [f"{row.name.partition(': ')[2]} {row.first:.0f} % to {row.second:.0f} %" for row in moved]
            found.append(f"Airtime of the nodes on the paths: {', '.join(parts)}.")
        (first, second), (hidden, more) = self._both(_collided), self._both(_hidden)
        if first or second:
            found.append(
                f"Collisions: {second:.0f} against {first:.0f}, with a hidden terminal {more:.0f} against {hidden:.0f}."
            )
        drops = sorted((row for row in self.rows if row.name.startswith("Drops")), key=_distance, reverse=True)[:2]
        found += [
            f"{row.name.replace(': ', ' (', 1)}): {row.second or 0.0:.0f} against {row.first or 0.0:.0f}."
            for row in drops
            if _distance(row) > 0.0
        ]
        return [*found, *self._narrow()]

    def _narrow(self) -> list[str]:
        both = [[one.bottleneck(flow) for flow in one.paths] for one in (self.first, self.second)]
        if both[0] == both[1] or not any(both):
            return []
        words = [
            ", ".join(one.word(node) for node in dict.fromkeys(nodes) if node is not None) or "none"
            for one, nodes in zip((self.first, self.second), both, strict=True)
        ]
        return [f"Bottlenecks: {words[1]} against {words[0]}."]

    def _measure(self, spec: Metric) -> Row:
        values = [one.run.value(spec.name) for one in (self.first, self.second)]
        scaled = [None if value is None else value * spec.scale for value in values]
        return Row(spec.label, spec.unit, scaled[0], scaled[1], spec.digits)

    def _both(self, of: Callable[[Explanation], float | None]) -> tuple[float | None, float | None]:
        return of(self.first), of(self.second)


def _carriers(one: Explanation) -> Sequence[int]:
    return sorted({node for path in one.radio_paths.values() for node in path})


def _share(group: str) -> Callable[[Explanation], float | None]:
    assert group in GROUPS

    def of(one: Explanation) -> float | None:
        nodes = _carriers(one)
        return 100.0 * math.fsum(one.share(node, group) for node in nodes) / len(nodes) if nodes else None

    return of


def _dropped(reason: str) -> Callable[[Explanation], float | None]:
    return lambda one: float(one.run.drops.get(reason, 0))


def _collided(one: Explanation) -> float:
    return float(sum(collision.frames for collision in one.collisions))


def _hidden(one: Explanation) -> float:
    return float(sum(collision.frames for collision in one.collisions if collision.hidden))


def _mean_hops(one: Explanation) -> float | None:
    hops = [len(path) - 1 for path in one.paths.values() if len(path) > 1]
    return math.fsum(hops) / len(hops) if hops else None


def _bottleneck_queue(one: Explanation) -> float | None:
    nodes = {node for flow in one.paths if (node := one.bottleneck(flow)) is not None}
    return math.fsum(one.queues.get(node, 0.0) for node in nodes) / len(nodes) if nodes else None


def _distance(row: Row) -> float:
    return abs((row.second or 0.0) - (row.first or 0.0))
