"""What the study of Semi-TCP reads from runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from hoplab.base.metrics import Flow
from hoplab.running.runs import Run
from hoplab_studies.shared.numbers import Measure
from hoplab_studies.shared.resampling import Rows
from hoplab_studies.shared.study import Grid


def connections(run: Run) -> list[Flow]:
    """The flows that are not datagrams."""
    return [flow for flow in run.flows if flow.transport != "udp"]


def datagrams(run: Run) -> list[Flow]:
    """The flows that are."""
    return [flow for flow in run.flows if flow.transport == "udp"]


def unique(run: Run) -> float:
    """Distinct payload of all connections, in any order, bit/s: the paper's throughput."""
    return math.fsum(flow.unique_bps for flow in connections(run))


def goodput(run: Run) -> float:
    """Payload in order of all connections, bit/s."""
    return math.fsum(flow.goodput_bps for flow in connections(run))


def datagram_rate(run: Run) -> float:
    """Payload of all datagrams that arrived, bit/s."""
    return math.fsum(flow.unique_bps for flow in datagrams(run))


def delay(run: Run) -> float | None:
    """Mean time of data packets from their source's queue on, s: the paper's delay; None where none arrived."""
    return _weighted([(flow.mac_delay_mean_s, flow.unique_bps) for flow in connections(run)])


def on_the_way(run: Run) -> float | None:
    """As above from packet creation, so that route discovery counts, in s."""
    return _weighted([(flow.transit_mean_s, flow.unique_bps) for flow in connections(run)])


def path(run: Run) -> float | None:
    """Mean hops of segments that arrived."""
    return _weighted([(flow.hops_mean, flow.unique_bps) for flow in connections(run)])


def dropping(run: Run) -> float | None:
    """Data dropped over data sent, of all connections."""
    sent = sum(flow.segments_sent for flow in connections(run))
    return sum(flow.dropped for flow in connections(run)) / sent if sent else None


def psi(run: Run) -> float:
    """Payload per time that neighbors took over from the node that sends the most RTS, bit/s."""
    bottleneck = max(run.nodes, key=lambda node: node["rts"])
    return float(bottleneck["passed_bytes"]) * 8.0 / (run.sim_s - run.flows[0].start_s)


def wasted(run: Run) -> float | None:
    """Share of Psi that is not throughput."""
    there = psi(run)
    return (there - unique(run)) / there if there > 0.0 else None


def acks_per_segment(run: Run) -> float | None:
    """Acknowledgments sent over distinct segments that arrived, first flow."""
    flow = run.flows[0]
    arrived = flow.unique_bps * (run.sim_s - flow.start_s) / 8.0 / 512.0
    return (flow.acks_sent or 0) / arrived if arrived > 0.0 else None


def rts_per_exchange(hops: int) -> Measure:
    """RTS of all nodes over the hops that distinct segments and acknowledgments have to go."""

    def of(run: Run) -> float | None:
        flow = run.flows[0]
        arrived = flow.unique_bps * (run.sim_s - flow.start_s) / 8.0 / 512.0
        packets = arrived + (flow.acks_sent or 0)
        return run.frames["rts"] / (hops * packets) if packets > 0.0 else None

    return of


def in_order_share(run: Run) -> float | None:
    """In-order goodput over distinct payload."""
    return goodput(run) / unique(run) if unique(run) > 0.0 else None


def frames_per_segment(run: Run) -> float | None:
    """Frames of the MAC, of all nodes and types, per distinct segment that arrived."""
    arrived = math.fsum(f.unique_bps * (run.sim_s - f.start_s) for f in connections(run)) / 8.0 / 512.0
    return sum(run.frames.values()) / arrived if arrived > 0.0 else None


def frames_per_packet(run: Run) -> float | None:
    """The same per distinct segment that arrived and acknowledgment that was sent."""
    flows = connections(run)
    arrived = math.fsum(f.unique_bps * (run.sim_s - f.start_s) for f in flows) / 8.0 / 512.0
    packets = arrived + sum(f.acks_sent or 0 for f in flows)
    return sum(run.frames.values()) / packets if packets > 0.0 else None


def _weighted(pairs: Sequence[tuple[float | None, float]]) -> float | None:
    known = [(value, weight) for value, weight in pairs if value is not None]
    total = math.fsum(weight for _, weight in known)
    return math.fsum(value * weight for value, weight in known) / total if total > 0.0 else None


def curve(
    grid: Grid, measure: Measure, axis: str, *, only: Callable[[float], bool] | None = None, **at: object
) -> Rows:
    """A measure along an axis: one row per value, one number per seed."""
    return [list(map(measure, grid.at(**{axis: x, **at}))) for x in points(grid, axis, only=only)]


def points(grid: Grid, axis: str, *, only: Callable[[float], bool] | None = None) -> tuple[float, ...]:
    """The values of an axis."""
    return tuple(x for x in grid.values(axis) if only is None or only(x))
