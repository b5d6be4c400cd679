"""What the study of the variants reads from runs, seed by seed, and ranges as conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from hoplab.running.runs import Run
from hoplab.stats import Interval
from hoplab_studies.shared.measures import Range, margin, ratio, room
from hoplab_studies.shared.numbers import Measure, goodput, known, mean
from hoplab_studies.shared.resampling import over_seeds
from hoplab_studies.shared.study import Grid
from hoplab_studies.shared.verdict import Condition


def throughput(run: Run) -> float:
    """Payload that arrived at all sinks, repeats included, bit/s."""
    return math.fsum(flow.throughput_bps for flow in run.flows)


def throughput_each(run: Run) -> float:
    """Throughput per connection, bit/s."""
    return throughput(run) / len(run.flows)


def goodput_each(run: Run) -> float:
    """Goodput per connection, bit/s."""
    return goodput(run) / len(run.flows)


def dropped(run: Run) -> float:
    """Packets dropped at any node and layer, each copy once, all protocols."""
    return float(sum(run.drops.values()))


def corrupted(run: Run) -> float:
    """Frames that the error model destroyed at the node that they were for."""
    return float(run.lost.get("noise", 0))


def dropped_or_corrupted(run: Run) -> float:
    """Packets dropped, and frames that the error model destroyed."""
    return dropped(run) + corrupted(run)


def sent(run: Run) -> float:
    """Segments sent by all sources, retransmissions among them."""
    return float(sum(flow.segments_sent for flow in run.flows))


def delay(run: Run) -> float | None:
    """Mean one-way delay of data segments, s; None where none arrived."""
    return run.value("delay_mean_s")


def timeouts_per_megabyte(run: Run) -> float | None:
    """Retransmission timeouts per megabyte in order; None without delivery."""
    megabytes = goodput(run) * run.sim_s / 8e6
    return sum(flow.timeouts for flow in run.flows) / megabytes if megabytes > 0.0 else None


def breaks_per_second(run: Run) -> float | None:
    """Route breaks per second of a flow whose ends are connected; None where none was."""
    connected_s = (run.network.get("flows_connected_mean") or 0.0) * len(run.flows) * run.sim_s
    return run.routing["breaks"] / connected_s if connected_s > 0.0 else None


def connectivity(run: Run) -> float | None:
    """Share of node pairs with a path."""
    return run.network.get("connectivity_mean")


def queue_drops(run: Run) -> float:
    """Packets dropped by full queues at nodes that relay."""
    return float(sum(node["queue_full"] for node in run.nodes if node["relayed"]))


def relay_wait(run: Run) -> float | None:
    """Mean time that a relayed packet waited in an interface queue, s; None where none was relayed."""
    relayed = sum(node["relayed"] for node in run.nodes)
    waited = math.fsum(node["relayed"] * (node["relay_wait_mean_s"] or 0.0) for node in run.nodes)
    return waited / relayed if relayed else None


def over_variants(grid: Grid, measure: Measure, setting: str, value: object) -> list[float | None]:
    """A measure averaged over the variants, one number per placement; None where no variant has it."""
    runs = [grid.at(**{setting: value, "transport": name}) for name in grid.values("transport")]
    there = (known(map(measure, same)) for same in zip(*runs, strict=True))
    return [mean(numbers) if numbers else None for numbers in there]


def rate_over_variants(
    grid: Grid, count: Measure, per: Callable[[Run], float], setting: str, value: object
) -> list[float | None]:
    """A count per unit, both summed over the variants, one number per placement; None where there is no unit."""
    runs = [grid.at(**{setting: value, "transport": name}) for name in grid.values("transport")]
    sums = [
        (math.fsum(count(run) or 0.0 for run in same), math.fsum(map(per, same))) for same in zip(*runs, strict=True)
    ]
    return [top / bottom if bottom > 0.0 else None for top, bottom in sums]


def within(
    what: str, last: Sequence[float], first: Sequence[float], ranges: Sequence[Range], *, rises: bool
) -> Condition:
    """mean(last) / mean(first) lies in one of some ranges; the direction is that it rises, or falls."""
    return _in_one_of(what, ratio(last, first), margin(last, first, 1.0), ranges, rises=rises)


def within_medians(
    what: str, last: Sequence[float], first: Sequence[float], ranges: Sequence[Range], *, rises: bool
) -> Condition:
    """median(last) / median(first) lies in one of some ranges; intervals are bootstraps over placements."""

    def over(read: Callable[[Any, Any], Any]) -> Interval:
        import numpy as np

        a, b = np.asarray(last), np.asarray(first)
        return over_seeds(len(last), lambda at: read(np.median(a[at], axis=-1), np.median(b[at], axis=-1)))

    found, direction = over(lambda a, b: a / b), over(lambda a, b: a - b)
    return _in_one_of(what, found, direction, ranges, rises=rises)


def _in_one_of(what: str, found: Interval, direction: Interval, ranges: Sequence[Range], *, rises: bool) -> Condition:
    limit = ", or ".join(
        f"{low:.3g} to {high:.3g}" if math.isfinite(high) else f"above {low:.3g}" for low, high in ranges
    )
    first, second = [*ranges, None][:2]
    trend = direction if rises else direction.scaled(-1.0)
    return Condition(what, found, limit, (room(found, ranges),), trend, band=first, or_band=second)
