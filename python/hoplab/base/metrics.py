"""What a run measures, how it is written in tables and figures, and how flows add up.

The words are those of the result columns; a definition stands here once and in `docs/use/reference/json.md`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from hoplab.base.errors import InputError, UsageError


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
    over_flows : {"sum", "mean", "run"}
        How the flows of one run make one number; a measure of the run as a whole has none of a flow.
    """

    name: str
    label: str
    unit: str
    scale: float
    over_flows: Literal["sum", "mean", "run"]
    digits: int

    @property
    def better(self) -> Literal["high", "low"] | None:
        """Whether more or less of it is better; None where neither is."""
        if self.name in HIGH:
            return "high"
        return "low" if self.name.startswith(LOW) else None

    @property
    def axis(self) -> str:
        """Label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


HIGH = ("goodput_bps", "own_goodput_bps", "unique_bps", "mos", "fairness")
"""Measures of which more is better."""
LOW = ("delay_", "jitter_s", "app_delay_", "loss_ratio", "drop", "retransmissions", "timeouts", "fct_", "slowdown_")
"""Starts of the names of measures of which less is better."""
WITHOUT_ACKS = ("retransmissions", "timeouts", "fast_retransmits", "unreduced_fast_retransmits", "acks_sent")
"""Measures that datagrams (UDP) do not have: the engine reports 0."""

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("goodput_bps", "Goodput", "kb/s", 1e-3, "sum", 1),
        Metric("unique_bps", "Distinct payload", "kb/s", 1e-3, "sum", 1),
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
        Metric("window_mean", "Mean window", "segments", 1.0, "mean", 2),
        Metric("own_goodput_bps", "Goodput over own life", "kb/s", 1e-3, "sum", 1),
        Metric("fct_s", "Completion time", "ms", 1e3, "mean", 1),
    )
}
"""Measures of a flow: the columns of `flows`."""

RUN_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("fairness", "Fairness", "", 1.0, "run", 3),
        Metric("fct_mean_s", "Mean FCT", "ms", 1e3, "run", 1),
        Metric("fct_p50_s", "Median FCT", "ms", 1e3, "run", 1),
        Metric("fct_p95_s", "p95 FCT", "ms", 1e3, "run", 1),
        Metric("fct_p99_s", "p99 FCT", "ms", 1e3, "run", 1),
        Metric("slowdown_mean", "Mean slowdown", "", 1.0, "run", 2),
        Metric("slowdown_p50", "Median slowdown", "", 1.0, "run", 2),
        Metric("slowdown_p95", "p95 slowdown", "", 1.0, "run", 2),
        Metric("slowdown_p99", "p99 slowdown", "", 1.0, "run", 2),
        Metric("unfinished", "Unfinished transfers", "", 1.0, "run", 1),
    )
}
"""Measures of a run as a whole; None in runs without what they measure."""

SESSION_TIMES = {
    "exchange": "exchange time",
    "page": "page load time",
    "startup": "startup delay",
    "tcp_ping": "TCP ping under load",
    "udp_ping": "UDP ping under load",
    "tcp_ping_idle": "TCP ping without load",
    "udp_ping_idle": "UDP ping without load",
}
"""Times of sessions, as the engine names them, and their words."""

STATISTICS = {"mean_s": "Mean {}", "p50_s": "Median {}", "p95_s": "p95 {}", "p99_s": "p99 {}"}

_SESSION_KEYS = {f"{time}_{key}": (time, key) for time in SESSION_TIMES for key in (*STATISTICS, "unfinished")}
"""By metric: the time of sessions, and its statistic."""

SESSION_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *(
            Metric(f"{time}_{key}", label.format(words), "ms", 1e3, "run", 1)
            for time, words in SESSION_TIMES.items()
            for key, label in STATISTICS.items()
        ),
        *(
            Metric(f"{time}_unfinished", f"Unfinished: {words}", "", 1.0, "run", 1)
            for time, words in SESSION_TIMES.items()
        ),
        Metric("video_bps", "Mean video bitrate", "kb/s", 1e-3, "run", 1),
        Metric("stalls", "Stalls per viewer", "", 1.0, "run", 2),
        Metric("stalled_share", "Stalled share of time", "", 1.0, "run", 4),
        Metric("switches", "Bitrate switches per viewer", "", 1.0, "run", 1),
        Metric("down_bps", "Goodput down", "kb/s", 1e-3, "run", 1),
        Metric("up_bps", "Goodput up", "kb/s", 1e-3, "run", 1),
    )
}
"""Measures of the sessions of workloads; None in runs without such sessions."""

VALUES = tuple(name for name in SESSION_METRICS if name not in _SESSION_KEYS)
"""Measures of sessions that are no times."""

ALL_METRICS: dict[str, Metric] = {**METRICS, **RUN_METRICS, **SESSION_METRICS}

SHORT: dict[str, tuple[str, ...]] = {
    "goodput": ("goodput_bps",),
    "distinct": ("unique_bps",),
    "delay": ("delay_mean_s", "delay_p95_s"),
    "loss": ("drop_ratio",),
    "own": ("own_goodput_bps",),
    "window": ("window_mean",),
    "fct": ("fct_mean_s", "fct_p50_s", "fct_p95_s", "fct_p99_s", "unfinished"),
    "slowdown": ("slowdown_mean", "slowdown_p95"),
    **{
        time: tuple(name for name, (of, _) in _SESSION_KEYS.items() if of == time)
        for time in ("exchange", "page", "startup")
    },
    "video": ("video_bps", "stalls", "stalled_share", "switches", "startup_mean_s"),
    "ping": tuple(f"{time}_{key}" for time in SESSION_TIMES if "ping" in time for key in ("p50_s", "p95_s", "p99_s")),
    "updown": ("down_bps", "up_bps"),
}
"""Short names of `--metrics`."""

RATES = ("goodput_bps", "unique_bps", "throughput_bps")
"""Metrics over the time of a flow, which workloads have as a whole."""

LASTING = {"own_goodput_bps": "goodput_bps"}
"""Measures that reports leave out for flows that last to the end, and the measure with the same value there."""

COMPLETION = ("fct_mean_s", "fct_p95_s", "slowdown_mean")
"""Measures of transfers that end."""

WHERE_PRESENT = (
    *COMPLETION,
    "exchange_mean_s",
    "exchange_p95_s",
    "page_mean_s",
    "page_p95_s",
    "video_bps",
    "stalls",
    "startup_mean_s",
    "udp_ping_idle_p50_s",
    "udp_ping_p50_s",
    "udp_ping_p95_s",
    "down_bps",
    "up_bps",
)
"""Shown beside others where a run has them."""

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
    if name in ALL_METRICS:
        return ALL_METRICS[name]
    near = get_close_matches(name, ALL_METRICS, n=1)
    hint = f"did you mean {near[0]}?" if near else None
    raise InputError(f"unknown metric {name!r}, expected {', '.join(ALL_METRICS)}", hint=hint)


def metrics_named(text: str) -> tuple[Metric, ...]:
    """The measures of `--metrics`: columns and short names, separated by commas, each once.

    Raises
    ------
    UsageError
        If a name is unknown, or there is none.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [*SHORT, *ALL_METRICS]
    for name in names:
        if name not in known and name not in FORMER:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"short names: {', '.join(SHORT)}"
            raise UsageError(f"--metrics: unknown measure {name!r}, expected {', '.join(known)}", hint=hint)
    found = dict.fromkeys(column for name in names for column in SHORT.get(name, (name,)))
    if not found:
        raise UsageError("--metrics: no names", hint=f"such as --metrics goodput,fct; short names: {', '.join(SHORT)}")
    return tuple(metric_of(name) for name in found)


def of_run(
    name: str, completion: Mapping[str, Any] | None, fairness: float, sessions: Mapping[str, Any] | None = None
) -> float | None:
    """A measure of a run as a whole; None without (NaN).

    Parameters
    ----------
    completion, sessions : mapping, optional
        Completion times of transfers, and what sessions measure, as the engine reports them.
    fairness : float
        Jain's index of the flows.
    """
    if name in _SESSION_KEYS:
        time, key = _SESSION_KEYS[name]
        value = (sessions or {}).get("times", {}).get(time, {}).get(key)
    elif name in SESSION_METRICS:
        value = (sessions or {}).get("values", {}).get(name)
    else:
        value = fairness if name == "fairness" else (completion or {}).get(name.removeprefix("fct_"))
    return None if value is None or math.isnan(value) else float(value)


def of_flow(flow: Any, name: str) -> Any:
    """A measure of a flow; None where its transport has none."""
    if name in WITHOUT_ACKS and flow.transport == "udp":
        return None
    value = getattr(flow, name, None)
    return getattr(flow, LASTING[name]) if value is None and name in LASTING else value
