"""What a run measures: one row per metric, which every table, figure and sentence asks.

A measure of a flow is a field or a property of `Flow`, with its row beside it; those of a run as a whole are in
`RUN_METRICS` and `SESSION_METRICS`. The definition of a field is in `crates/hoplab/src/metrics/report.rs`, from where
`docs/use/reference/json.md` has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

from hoplab.base.errors import InputError, UsageError
from hoplab.base.suggest import by_likeness
from hoplab.base.transports import short_name


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure: how it is written, what is better, and where it comes from.

    Attributes
    ----------
    name : str
        Column name, with its SI unit.
    label : str
        Words for an axis or a table heading.
    better : {"high", "low"} or None
        Whether more or less of it is better; None where neither is.
    over_flows : {"sum", "mean", "run"}
        How the flows of one run make one number; a measure of the run as a whole has none of a flow.
    unit : str
        Unit shown; values are multiplied by `scale` first and have `digits` decimals.
    usual : {"all", "flows"} or None
        Where a table that names no measures has it: everywhere, only with a row per flow, or nowhere. It is shown
        where some run has a value.
    path : tuple of str
        Of a measure of the run as a whole: its place in the report; `fairness` is added by its readers.
    needs_acks : bool
        Whether flows of datagrams have none: the engine reports 0.
    of_workloads : bool
        Whether workloads report it as a whole: flows that come and go have it over their own times, and their values
        do not add up.
    lasting : str
        The measure with the same value for flows that last to the end, where reports leave this one out.
    """

    name: str
    label: str
    better: Literal["high", "low"] | None
    over_flows: Literal["sum", "mean", "run"]
    unit: str = ""
    scale: float = 1.0
    digits: int = 1
    usual: Literal["all", "flows"] | None = None
    path: tuple[str, ...] = ()
    needs_acks: bool = False
    of_workloads: bool = False
    lasting: str = ""

    @property
    def axis(self) -> str:
        """Label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


_count = partial(Metric, "")
_rate = partial(_count, unit="kb/s", scale=1e-3)
_time = partial(_count, unit="ms", scale=1e3)


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """What one flow did in one run; the fields are those of `docs/use/reference/json.md`.

    A field with a row is a metric. The name of the field is that of the column.
    """

    id: int
    src: int
    dst: int
    transport: str
    start_s: float
    workload: int | None = None
    goodput_bps: Annotated[float, _rate("Goodput", "high", "sum", usual="all", of_workloads=True)]
    unique_bps: Annotated[float, _rate("Distinct payload", "high", "sum", of_workloads=True)]
    # More of it may be more repeats.
    throughput_bps: Annotated[float, _rate("Throughput, repeats included", None, "sum", of_workloads=True)]
    segments_sent: Annotated[int, _count("Segments sent", None, "sum")]
    retransmissions: Annotated[
        int, _count("Retransmissions", "low", "sum", unit="segments", usual="all", needs_acks=True)
    ]
    timeouts: Annotated[int, _count("Timeouts", "low", "sum", usual="all", needs_acks=True)]
    # Fewer of them may be fewer losses, or more timeouts in their place.
    fast_retransmits: Annotated[int, _count("Fast retransmits", None, "sum", needs_acks=True)]
    unreduced_fast_retransmits: Annotated[
        int, _count("Fast retransmits that did not reduce the window", None, "sum", needs_acks=True)
    ] = 0
    declared_lost: int | None = None
    limits_reached: int | None = None
    # Delayed acknowledgments are fewer, and neither better nor worse.
    acks_sent: Annotated[int | None, _count("Acknowledgments sent", None, "sum", needs_acks=True)] = None
    dropped: Annotated[int, _count("Data dropped in the network", "low", "sum", unit="packets")]
    drops: dict[str, int] | None = {}
    ack_drops: dict[str, int] | None = {}
    drop_ratio: Annotated[float | None, _count("Dropped share of data", "low", "mean", digits=4)] = None
    hops_mean: Annotated[float | None, _count("Mean path length", None, "mean", unit="hops", digits=2)] = None
    transit_mean_s: Annotated[float | None, _time("Mean transit time", "low", "mean")] = None
    mac_delay_mean_s: Annotated[float | None, _time("Mean time from the source's queue on", "low", "mean")] = None
    delay_mean_s: Annotated[float | None, _time("Mean delay", "low", "mean", usual="all")] = None
    delay_p95_s: Annotated[float | None, _time("95th percentile of delay", "low", "mean")] = None
    delay_p99_s: Annotated[float | None, _time("99th percentile of delay", "low", "mean")] = None
    delay_max_s: Annotated[float | None, _time("Longest delay", "low", "mean")] = None
    jitter_s: Annotated[float | None, _time("Jitter", "low", "mean", digits=2)] = None
    app_delay_mean_s: Annotated[float | None, _time("Mean delay of the application", "low", "mean")] = None
    loss_ratio: Annotated[float | None, _count("Lost share of datagrams", "low", "mean", digits=4)] = None
    mos: Annotated[float | None, _count("Mean opinion score", "high", "mean", digits=2)] = None
    # A window is a means: what it is for is in goodput and delay.
    cwnd_mean: Annotated[float | None, _count("Mean congestion window", None, "mean", unit="segments", digits=2)] = None
    window_mean: Annotated[
        float | None, _count("Mean window", None, "mean", unit="segments", digits=2, usual="all")
    ] = None
    own_goodput_bps: Annotated[float | None, _rate("Goodput over own life", "high", "sum", lasting="goodput_bps")] = (
        None
    )
    fct_s: Annotated[float | None, _time("Completion time", "low", "mean", usual="flows")] = None
    slowdown: float | None = None
    transfer_bytes: int | None = None
    is_aborted: bool | None = None
    aborted_by: str | None = None
    capacity_bps: float | None = None

    @classmethod
    def stored(cls, report: Mapping[str, Any]) -> Flow:
        """A flow of a stored result; what its version did not measure is None."""
        fields: dict[str, Any] = {name: report.get(name) for name in cls.__struct_fields__}
        return cls(**fields)

    @property
    def transport_name(self) -> str:
        """`transport` as tables name it: a controller by its class."""
        return short_name(self.transport)

    @property
    def has_acks(self) -> bool:
        """Whether its receiver acknowledges; datagrams are not acknowledged."""
        return self.transport != "udp"


def _rows() -> Iterable[Metric]:
    """The rows of `Flow`, with the names of their fields; a property's row is that of what it returns."""
    for name, hint in get_type_hints(Flow, include_extras=True).items():
        yield from (replace(row, name=name) for row in getattr(hint, "__metadata__", ()) if isinstance(row, Metric))
    for name, value in vars(Flow).items():
        if isinstance(value, property):
            hint = get_type_hints(value.fget, include_extras=True).get("return")
            rows = getattr(hint, "__metadata__", ())
            yield from (replace(row, name=name) for row in rows if isinstance(row, Metric))


METRICS: dict[str, Metric] = {metric.name: metric for metric in _rows()}
"""Measures of a flow: the columns of `flows`."""


def _completion(name: str, key: str, label: str, **more: Any) -> Metric:
    return Metric(name, label, "low", "run", path=("completion", key), **more)


_MS: dict[str, Any] = {"unit": "ms", "scale": 1e3}

RUN_METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("fairness", "Fairness", "high", "run", digits=3, usual="all", path=("fairness",)),
        _completion("fct_mean_s", "mean_s", "Mean FCT", usual="all", **_MS),
        _completion("fct_p50_s", "p50_s", "Median FCT", **_MS),
        _completion("fct_p95_s", "p95_s", "p95 FCT", usual="all", **_MS),
        _completion("fct_p99_s", "p99_s", "p99 FCT", **_MS),
        _completion("slowdown_mean", "slowdown_mean", "Mean slowdown", digits=2, usual="all"),
        _completion("slowdown_p50", "slowdown_p50", "Median slowdown", digits=2),
        _completion("slowdown_p95", "slowdown_p95", "p95 slowdown", digits=2),
        _completion("slowdown_p99", "slowdown_p99", "p99 slowdown", digits=2),
        _completion("unfinished", "unfinished", "Unfinished transfers"),
    )
}
"""Measures of a run as a whole; None in runs without what they measure."""

SESSION_TIMES = {
    "exchange": ("exchange time", ("mean_s", "p95_s")),
    "page": ("page load time", ("mean_s", "p95_s")),
    "startup": ("startup delay", ("mean_s",)),
    "tcp_ping": ("TCP ping under load", ()),
    "udp_ping": ("UDP ping under load", ("p50_s", "p95_s")),
    "tcp_ping_idle": ("TCP ping without load", ()),
    "udp_ping_idle": ("UDP ping without load", ("p50_s",)),
}
"""Times of sessions, as the engine names them: their words, and which of their statistics are usual."""

STATISTICS = {"mean_s": "Mean {}", "p50_s": "Median {}", "p95_s": "p95 {}", "p99_s": "p99 {}"}
"""Statistics of each of these times."""


def _time_rows() -> Iterable[Metric]:
    """A row per time and statistic, then the sessions that did not end."""
    for time, (words, usual) in SESSION_TIMES.items():
        for key, label in STATISTICS.items():
            place: Literal["all"] | None = "all" if key in usual else None
            path = ("sessions", "times", time, key)
            yield Metric(f"{time}_{key}", label.format(words), "low", "run", usual=place, path=path, **_MS)
    for time, (words, _) in SESSION_TIMES.items():
        path = ("sessions", "times", time, "unfinished")
        yield Metric(f"{time}_unfinished", f"Unfinished: {words}", "low", "run", path=path)


def _value(name: str, label: str, better: Literal["high", "low"], **more: Any) -> Metric:
    return Metric(name, label, better, "run", path=("sessions", "values", name), **more)


_KBPS: dict[str, Any] = {"unit": "kb/s", "scale": 1e-3}

SESSION_VALUES = (
    _value("video_bps", "Mean video bitrate", "high", usual="all", **_KBPS),
    _value("stalls", "Stalls per viewer", "low", digits=2, usual="all"),
    _value("stalled_share", "Stalled share of time", "low", digits=4),
    _value("switches", "Bitrate switches per viewer", "low"),
    _value("down_bps", "Goodput down", "high", usual="all", **_KBPS),
    _value("up_bps", "Goodput up", "high", usual="all", **_KBPS),
)
"""Measures of sessions that are no times."""

OF_VIEWERS = frozenset({"video_bps", "stalls", "stalled_share", "switches"})
"""Measures that a viewer has from the first segment on."""


def viewers(sessions: Mapping[str, Any] | None) -> tuple[int, int]:
    """Viewers of a run or workload that received no segment, and all of them."""
    startup = ((sessions or {}).get("times") or {}).get("startup") or {"count": 0, "unfinished": 0}
    return startup["unfinished"], startup["count"] + startup["unfinished"]


SESSION_METRICS: dict[str, Metric] = {metric.name: metric for metric in (*_time_rows(), *SESSION_VALUES)}
"""Measures of the sessions of workloads; None in runs without such sessions."""

ALL_METRICS: dict[str, Metric] = {**METRICS, **RUN_METRICS, **SESSION_METRICS}

RATES = tuple(metric.name for metric in METRICS.values() if metric.of_workloads)
"""Metrics over the time of a flow, which workloads have as a whole."""


def _of_time(time: str, *keys: str) -> tuple[str, ...]:
    return tuple(f"{time}_{key}" for key in keys or (*STATISTICS, "unfinished"))


SHORT: dict[str, tuple[str, ...]] = {
    "goodput": ("goodput_bps",),
    "distinct": ("unique_bps",),
    "delay": ("delay_mean_s", "delay_p95_s"),
    "loss": ("drop_ratio",),
    "own": ("own_goodput_bps",),
    "window": ("window_mean",),
    "fct": ("fct_mean_s", "fct_p50_s", "fct_p95_s", "fct_p99_s", "unfinished"),
    "slowdown": ("slowdown_mean", "slowdown_p95"),
    "exchange": _of_time("exchange"),
    "page": _of_time("page"),
    "startup": _of_time("startup"),
    "video": ("video_bps", "stalls", "stalled_share", "switches", "startup_mean_s"),
    "ping": tuple(
        name for time in SESSION_TIMES if "ping" in time for name in _of_time(time, "p50_s", "p95_s", "p99_s")
    ),
    "updown": ("down_bps", "up_bps"),
}
"""Short names of `--metrics`."""


def usual_of_flows() -> tuple[Metric, ...]:
    """The measures of a table with a row per flow, unless others are chosen."""
    return tuple(metric for metric in METRICS.values() if metric.usual)


def usual_of_runs() -> tuple[Metric, ...]:
    """The measures of a table with a row per point, and its figures, unless others are chosen."""
    return tuple(metric for metric in ALL_METRICS.values() if metric.usual == "all")


def metric_of(name: str) -> Metric:
    """Look a metric up by its column name, or by a short name of `--metrics`, which means its first column.

    Raises
    ------
    InputError
        If there is none; the message names the nearest.
    """
    column = SHORT[name][0] if name in SHORT else name
    if column in ALL_METRICS:
        return ALL_METRICS[column]
    known = [*SHORT, *ALL_METRICS]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"short names: {', '.join(SHORT)}"
    raise InputError(f"unknown metric {name!r}, expected {', '.join(by_likeness(name, known))}", hint=hint)


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
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"short names: {', '.join(SHORT)}"
            expected = ", ".join(by_likeness(name, known))
            raise UsageError(f"--metrics: unknown measure {name!r}, expected {expected}", hint=hint)
    found = dict.fromkeys(column for name in names for column in SHORT.get(name, (name,)))
    if not found:
        raise UsageError("--metrics: no names", hint=f"such as --metrics goodput,fct; short names: {', '.join(SHORT)}")
    return tuple(metric_of(name) for name in found)


def of_run(metric: Metric, report: Mapping[str, Any]) -> float | None:
    """A measure of a run or a workload as a whole, from its report; None without (NaN)."""
    value: Any = report
    for key in metric.path:
        value = (value or {}).get(key)
    return None if value is None or math.isnan(value) else float(value)


def of_flow(metric: Metric, flow: Flow) -> Any:
    """A measure of a flow; None where its transport has none."""
    if metric.needs_acks and not flow.has_acks:
        return None
    value = getattr(flow, metric.name, None)
    return getattr(flow, metric.lasting) if value is None and metric.lasting else value


def over_flows(metric: Metric, flows: Sequence[Flow], workloads: Sequence[Mapping[str, Any]] = ()) -> float | None:
    """A measure of flows taken together, and of workloads if they report it as a whole; None where undefined."""
    values: list[Any] = []
    if workloads and metric.of_workloads:
        flows = [flow for flow in flows if flow.workload is None]
        values = [one[metric.name] for one in workloads]
    values += [value for flow in flows if (value := of_flow(metric, flow)) is not None]
    if not values:
        return None
    total = math.fsum(values)
    return total if metric.over_flows == "sum" else total / len(values)
