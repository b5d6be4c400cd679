"""What a run measures, how it is written in tables and figures, and how flows add up.

The words are those of the result columns; a definition stands here once and in `docs/use/reference/json.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from hoplab.base.errors import InputError


@dataclass(frozen=True, slots=True)
class Metric:
    """One column of the table of flows.

    Attributes
    ----------
    name : str
        Column name, with its SI unit.
    label : str
        Words for an axis or a table heading.
    unit : str
        Unit shown; values are multiplied by `scale` first.
    over_flows : {"sum", "mean"}
        How the flows of one run make one number.
    """

    name: str
    label: str
    unit: str
    scale: float
    over_flows: Literal["sum", "mean"]
    digits: int

    @property
    def axis(self) -> str:
        """Label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("goodput_bps", "Goodput", "kb/s", 1e-3, "sum", 1),
        Metric("unique_bps", "Unique payload", "kb/s", 1e-3, "sum", 1),
        Metric("throughput_bps", "Throughput, repeats included", "kb/s", 1e-3, "sum", 1),
        Metric("segments_sent", "Segments sent", "", 1.0, "sum", 1),
        Metric("retransmissions", "Retransmissions", "segments", 1.0, "sum", 1),
        Metric("timeouts", "Timeouts", "", 1.0, "sum", 1),
        Metric("fast_retransmits", "Fast retransmits", "", 1.0, "sum", 1),
        Metric("unreduced_fast_retransmits", "Fast retransmits that did not reduce the window", "", 1.0, "sum", 1),
        Metric("acks_sent", "Acknowledgments sent", "", 1.0, "sum", 1),
        Metric("dropped", "Data dropped in the network", "packets", 1.0, "sum", 1),
        Metric("drop_ratio", "Dropped share of data", "", 1.0, "mean", 4),
        Metric("hops_mean", "Mean path length", "hops", 1.0, "mean", 2),
        Metric("transit_mean_s", "Mean transit time", "ms", 1e3, "mean", 1),
        Metric("mac_delay_mean_s", "Mean time from the source's queue on", "ms", 1e3, "mean", 1),
        Metric("delay_mean_s", "Mean delay", "ms", 1e3, "mean", 1),
        Metric("delay_p95_s", "95th percentile of delay", "ms", 1e3, "mean", 1),
        Metric("delay_p99_s", "99th percentile of delay", "ms", 1e3, "mean", 1),
        Metric("delay_max_s", "Longest delay", "ms", 1e3, "mean", 1),
        Metric("jitter_s", "Jitter", "ms", 1e3, "mean", 2),
        Metric("app_delay_mean_s", "Mean delay of the application", "ms", 1e3, "mean", 1),
        Metric("loss_ratio", "Lost share of datagrams", "", 1.0, "mean", 4),
        Metric("mos", "Mean opinion score", "", 1.0, "mean", 2),
        Metric("cwnd_mean", "Mean congestion window", "segments", 1.0, "mean", 2),
        Metric("fct_s", "Completion time", "ms", 1e3, "mean", 1),
    )
}


FORMER = {"kept_windows": "unreduced_fast_retransmits"}
"""Former names of columns; tables hold both until the next major version."""


def metric_of(name: str) -> Metric:
    """Look a metric up by its column name.

    Raises
    ------
    InputError
        If there is none; the message names the nearest.
    """
    name = FORMER.get(name, name)
    if name in METRICS:
        return METRICS[name]
    near = get_close_matches(name, METRICS, n=1)
    hint = f"did you mean {near[0]}?" if near else None
    raise InputError(f"unknown metric {name!r}, expected {', '.join(METRICS)}", hint=hint)
