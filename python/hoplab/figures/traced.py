"""Figures of one run over time, from its trace: what everybody has, and what its protocols add."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hoplab.figures.model import Curve, Figure
from hoplab.figures.palette import INKS

if TYPE_CHECKING:
    from hoplab.store.trace import Trace

BINS = 60
"""Bins of a figure that counts events over time."""


@dataclass(frozen=True)
class Traced:
    """One run of a trace, as figures ask about it."""

    trace: Trace
    seed: int

    @cached_property
    def metrics(self) -> frozenset[str]:
        """Metrics that were sampled."""
        return frozenset(name for (name,) in self.rows("SELECT DISTINCT metric FROM samples WHERE seed = $seed"))

    @cached_property
    def end_s(self) -> float:
        """The last moment that was sampled, in s."""
        ((end,),) = self.rows("SELECT max(t_ns) / 1e9 FROM samples WHERE seed = $seed")
        return float(end)

    def rows(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        """Rows of an answer; `$seed` is known to every query, `values` are its other parameters."""
        return self.trace.rows(query, {"seed": self.seed, **values})

    def series(self, metric: str, *, of: str, scale: float = 1.0) -> dict[int, tuple[list[float], list[float]]]:
        """A sampled metric over time, in s, for each node or flow (`of`) that has it; all flows of a node together."""
        found: dict[int, tuple[list[float], list[float]]] = {}
        query = f"""
            SELECT {of}, t_ns / 1e9, sum(value) FROM samples
            WHERE seed = $seed AND metric = $metric AND {of} IS NOT NULL GROUP BY ALL ORDER BY 1, 2
        """  # noqa: S608 (`of` is one of two words)
        for entity, t_s, value in self.rows(query, metric=metric):
            times, values = found.setdefault(entity, ([], []))
            times.append(t_s)
            values.append(value * scale)
        return found

    def path(self, flow: int) -> list[int]:
        """Nodes that most of a flow's data passed, from its source on."""
        query = """
            SELECT node, peer, count(*) FROM events
            WHERE seed = $seed AND flow = $flow AND event = 'forwarded' AND packet IN ('segment', 'datagram')
            GROUP BY ALL ORDER BY 3
        """
        # The most frequent comes last.
        steps = {node: peer for node, peer, _ in self.rows(query, flow=flow) if peer is not None}
        begun = self.rows(
            "SELECT node FROM events WHERE seed = $seed AND flow = $flow AND event = 'flow_started'", flow=flow
        )
        if not begun:
            return []
        path = [begun[0][0]]
        while (after := steps.get(path[-1])) is not None and after not in path:
            path.append(after)
        return path

    @property
    def note(self) -> str:
        """End of every caption."""
        return f"One run (seed {self.seed})."


@dataclass(frozen=True)
class Look:
    """How a sampled metric of nodes is drawn over time.

    Attributes
    ----------
    what : str
        What the nodes are that are drawn, where not all are; for the caption.
    scale : float
        From the metric's unit to that of the figure.
    highest : bool
        Draw the nodes with the highest means, rather than the lowest.
    note : str
        What the caption begins with.
    """

    figure_id: str
    title: str
    y_label: str
    what: str
    scale: float = 1.0
    highest: bool = True
    note: str = ""


QUEUES = Look("queue-over-time", "Interface queues", "packets that wait", "nodes with the longest queues")
IDLE = Look(
    "idle-over-time",
    "True idle share",
    "share of the time since the sample before",
    "busiest nodes",
    highest=False,
    note="Time with an idle medium, NAV not set and no packet to send. ",
)


def goodput(run: Traced, rate_bps: float = math.inf) -> Figure | None:
    """What each flow's application got, bin by bin; `rate_bps` is the highest rate of the channel."""
    width = run.end_s / BINS
    curves = []
    for slot, (flow, (times, values)) in enumerate(sorted(run.series("delivered_bytes", of="flow").items())):
        starts, rates, last = [], [], 0.0
        begin = 0.0
        for t_s, value in zip(times, values, strict=True):
            if t_s - begin >= width * 0.999:
                starts.append(begin)
                rates.append((value - last) * 8e-3 / (t_s - begin))
                begin, last = t_s, value
        if starts:
            curves.append(Curve(f"flow {flow}", [*starts, begin], [*rates, rates[-1]], style="step", slot=slot))
    if not curves:
        return None
    above = ""
    if max(max(curve.y) for curve in curves) * 1e3 > rate_bps:
        above = (
            f"Above the channel's {rate_bps * 1e-3:g} kb/s: when a lost segment arrives, all that waited behind it "
            "counts at once. "
        )
    return Figure(
        id="goodput-over-time",
        title="Goodput over time",
        x_label="time (s)",
        y_label=f"kb/s, per {width:.3g} s",
        curves=tuple(curves[: len(INKS)]),
        caption=f"What the applications got in order. {above}{run.note}",
    )


def srtt(run: Traced) -> Figure | None:
    """Smoothed round-trip time of each flow's sender."""
    curves = [
        Curve(f"flow {flow}", times, values, style="step", slot=slot)
        for slot, (flow, (times, values)) in enumerate(sorted(run.series("srtt_s", of="flow", scale=1e3).items()))
    ]
    if not curves:
        return None
    return Figure(
        id="srtt-over-time",
        title="Smoothed round-trip time",
        x_label="time (s)",
        y_label="ms, as the sender sees it",
        curves=tuple(curves[: len(INKS)]),
        caption=run.note,
    )


def nodes_figure(run: Traced, metric: str, look: Look) -> Figure | None:
    """A sampled metric of nodes over time: of those with the highest (or lowest) mean, as many as there are colors.

    Nodes where it is always 0 are left out; None where that leaves none.
    """
    found = run.series(metric, of="node", scale=look.scale)
    found = {node: series for node, series in found.items() if any(series[1])}
    if not found:
        return None

    def rank(node: int) -> float:
        return sum(found[node][1]) / len(found[node][1])

    chosen = sorted(sorted(found, key=rank, reverse=look.highest)[: len(INKS)])
    width = run.end_s / BINS
    curves = tuple(
        Curve(f"node {node}", *binned(*found[node], run.end_s), style="step", slot=slot, shown=slot < SHOWN)
        for slot, node in enumerate(chosen)
    )
    hidden = " Curves that are switched off at first: click their names." if len(chosen) > SHOWN else ""
    limit = f"The {len(chosen)} {look.what}, of {len(found)}. " if len(found) > len(chosen) else ""
    return Figure(
        id=look.figure_id,
        title=look.title,
        x_label="time (s)",
        y_label=look.y_label,
        curves=curves,
        caption=f"{look.note}Means over {width:.3g} s. {limit}{run.note}{hidden}",
    )


def binned(times: list[float], values: list[float], end_s: float) -> tuple[list[float], list[float]]:
    """Means of samples over bins, as a step line that reaches the end; bins without a sample are left out."""
    width = end_s / BINS
    bins: dict[int, list[float]] = {}
    for t_s, value in zip(times, values, strict=True):
        bins.setdefault(min(int(t_s / width), BINS - 1), []).append(value)
    means = [sum(members) / len(members) for members in bins.values()]
    return [*(i * width for i in bins), end_s], [*means, means[-1]]


SHOWN = 4
"""Nodes that a figure shows at first: more step lines than that hide each other."""
