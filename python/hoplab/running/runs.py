"""What came out of runs: numbers of flows and of the network, one run or replications."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from hoplab.base.errors import InputError
from hoplab.base.metrics import (
    METRICS,
    RATES,
    RUN_METRICS,
    SESSION_METRICS,
    Flow,
    metric_of,
    of_flow,
    of_run,
    over_flows,
)
from hoplab.base.numbers import counted
from hoplab.base.table import Table
from hoplab.base.transports import transport_title
from hoplab.diagnosis import Finding, diagnose, warnings_with
from hoplab.figures import notebook
from hoplab.figures.build import cwnd_figure, runs_figure
from hoplab.figures.draw import draw
from hoplab.running.flows import DrawnFlows
from hoplab.scenario.model import Scenario
from hoplab.stats import DEFAULT_LEVEL, Interval, jain, mean_interval, split_warning

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes


FORMAT = 1
"""Version of the engine's report that this package reads; reports without one are of version 1."""


class Run(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One replication: the engine's report, decoded once.

    The engine's own schema of it is `hoplab._core.report_schema()`; a test compares the two.

    Attributes
    ----------
    drops, frames : dict
        Packets dropped by reason, frames sent by type.
    lost, routing, network, nodes : dict, dict, dict, tuple of dict
        Frames lost by cause, counts of routing, connectivity, and one object per node (`docs/use/reference/json.md`).
    wires : tuple of dict
        One object per direction of each wire.
    live : dict, optional
        Packets of real programs and their conversations, with a table `[live]`; None without.
    proxies, split : tuple of dict
        One object per proxy, and per flow through proxies.
    airtime : tuple of dict
        One object per node, if recorded: seconds by category; see `docs/use/reference/trace.md`.
    completion : dict, optional
        Completion times of finite transfers, unfinished ones counted; None without any.
    workloads : tuple of dict
        One object per workload: its flows taken together.
    sessions : dict, optional
        `times` and `values` of the sessions of all workloads; None without any.
    goodput_series_bps, estimates : tuple, dict
        Goodput of each flow by goodput interval, and bandwidth estimates by node; empty without.
    fingerprint : str
        Hash of the event sequence: equal for equal scenario, seed and version.
    """

    format: int = FORMAT
    seed: int
    flows: tuple[Flow, ...]
    drops: dict[str, int]
    frames: dict[str, int]
    lost: dict[str, int] = {}
    routing: dict[str, int] = {}
    network: dict[str, float | None] = {}
    nodes: tuple[dict[str, Any], ...] = ()
    wires: tuple[dict[str, Any], ...] = ()
    live: dict[str, Any] | None = None
    proxies: tuple[dict[str, Any], ...] = ()
    split: tuple[dict[str, Any], ...] = ()
    airtime: tuple[dict[str, int | float], ...] = ()
    completion: dict[str, Any] | None = None
    workloads: tuple[dict[str, Any], ...] = ()
    sessions: dict[str, Any] | None = None
    goodput_series_bps: tuple[tuple[float, ...], ...] = ()
    estimates: dict[str, dict[str, Any]] = {}
    events: int
    cpu_s: float
    sim_s: float
    fingerprint: str
    fingerprints: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    scenario: str = ""
    version: str = ""

    def __repr__(self) -> str:
        count = counted(len(self.flows), "flow")
        goodput = sum(flow.goodput_bps for flow in self.flows)
        return f"<Run: seed {self.seed}, {count}, goodput {goodput / 1e3:.1f} kb/s, {self.sim_s:g} s simulated>"

    @classmethod
    def from_engine(cls, text: str, series: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """Decode a report.

        Parameters
        ----------
        text : str
            The engine's report: one JSON object.
        series : mapping
            Columns of sampled values as the engine returns them; empty unless a series was requested.

        Raises
        ------
        ValueError
            If the text is no report, or one of a later version; the message names the field.
        """
        try:
            run = msgspec.json.decode(text, type=cls)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ValueError(str(error)) from error
        if run.format > FORMAT:
            raise ValueError(f"format {run.format}, expected at most {FORMAT}; update hoplab")
        run.__dict__["text"] = text
        run.attach(series)
        return run

    def attach(self, samples: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Set `samples`, which are stored apart from the report."""
        self.__dict__["samples"] = samples

    @property
    def json(self) -> str:
        """The run as the engine reports it, on one line; what `hoplab run --json` prints."""
        text: str | None = self.__dict__.get("text")
        return msgspec.json.encode(self).decode() if text is None else text

    @property
    def samples(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """The columns of `series` as the engine returns them; empty unless a series was requested."""
        samples: Mapping[str, np.ndarray[Any, Any]] = self.__dict__.get("samples", {})
        return samples

    @cached_property
    def series(self) -> Table:
        """Columns `t_s`, `flow`, `cwnd` (segments); no rows unless a series was requested."""
        return Table(self.samples or _no_samples())

    def value(self, metric: str, flow: int | None = None) -> float | None:
        """A metric of one flow, or of all flows (sum, mean or that of the run, by metric); None if undefined."""
        spec = metric_of(metric)
        if spec.over_flows == "run" and flow is None:
            fairness = self.jain if len(self.lasting) > 1 else math.nan
            return of_run(spec, {"fairness": fairness, "completion": self.completion, "sessions": self.sessions})
        if flow is None:
            return over_flows(spec, self.flows, self.workloads)
        flows = [f for f in self.flows if f.id == flow]
        if not flows:
            raise InputError(f"flow {flow} does not exist, expected {', '.join(str(f.id) for f in self.flows)}")
        return over_flows(spec, flows)

    @property
    def jain(self) -> float:
        """Jain's index of the goodput of the flows that no workload has; NaN when none got anything through."""
        return jain(flow.goodput_bps for flow in self.lasting) if self.lasting else math.nan

    @property
    def lasting(self) -> tuple[Flow, ...]:
        """The flows that the scenario lists: those of workloads come and go."""
        return tuple(flow for flow in self.flows if flow.workload is None)


ENDING = ("workload", "transfer_bytes", "slowdown")
"""Columns of flows that end."""

MOST_SPLIT = 5
"""Flows that are named one by one."""


def _no_samples() -> dict[str, np.ndarray[Any, Any]]:
    import numpy as np

    return {"t_s": np.empty(0), "flow": np.empty(0, dtype=np.int32), "cwnd": np.empty(0)}


class PlacedRun(Run, frozen=True, kw_only=True, dict=True):
    """A run of a comparison, with the transport and the axis values that it belongs to."""

    point: dict[str, Any] = {}

    @property
    def json(self) -> str:
        """The run as the engine reported it, without `point`."""
        return json.dumps({key: value for key, value in json.loads(super().json).items() if key != "point"})


@dataclass(frozen=True)
class Runs(DrawnFlows):
    """Replications of one scenario, ordered as their seeds were given."""

    scenario: Scenario
    runs: tuple[Run, ...]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> Run:
        return self.runs[index]

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds, in the order of the runs."""
        return tuple(run.seed for run in self.runs)

    @cached_property
    def flows(self) -> Table:
        """One row per seed and flow: `seed`, `flow`, `src`, `dst`, `transport`, the metrics; size and slowdown."""
        rows = [
            {
                "seed": run.seed,
                "flow": flow.id,
                "src": flow.src,
                "dst": flow.dst,
                "transport": flow.transport_name,
                **{name: of_flow(metric, flow) for name, metric in METRICS.items()},
                "start_s": flow.start_s,
                **{name: getattr(flow, name) for name in ENDING},
            }
            for run in self.runs
            for flow in run.flows
        ]
        names = ("seed", "flow", "src", "dst", "transport", *METRICS, "start_s", *ENDING)
        return Table.from_rows(rows, names)

    @cached_property
    def workloads(self) -> Table:
        """One row per seed and workload: `seed`, `workload`, `kind`, `flows`, rates, and measures that are present."""
        has_sessions = any(run.sessions for run in self.runs)
        whole = {**RUN_METRICS, **(SESSION_METRICS if has_sessions else {})}
        measured = {name: metric for name, metric in whole.items() if name != "fairness"}
        rows = [
            {
                "seed": run.seed,
                "workload": one["id"],
                "kind": one["kind"],
                "flows": one["flows"],
                **{name: one[name] for name in RATES},
                **{name: of_run(metric, one) for name, metric in measured.items()},
            }
            for run in self.runs
            for one in run.workloads
        ]
        return Table.from_rows(rows, ("seed", "workload", "kind", "flows", *RATES, *measured))

    @cached_property
    def series(self) -> Table:
        """One row per seed, time and flow: `seed`, `t_s`, `flow`, `cwnd` (segments)."""
        return Table.concat([run.series.with_constants({"seed": run.seed}) for run in self.runs])

    @cached_property
    def goodput_intervals(self) -> Table:
        """Goodput in order per seed, flow and `goodput_interval`: `seed`, `flow`, `begin_s`, `end_s`, `goodput_bps`."""
        from hoplab.store.rows import interval_rows  # noqa: PLC0415 (the package loads the statistics)

        width = self.scenario.goodput_interval_s
        measured = () if width is None else self.runs
        rows = [
            {"seed": run.seed, **r} for run in measured for r in interval_rows(run.goodput_series_bps, width or 0.0)
        ]
        return Table.from_rows(rows, ("seed", "flow", "begin_s", "end_s", "goodput_bps"))

    @cached_property
    def drops(self) -> Table:
        """One row per seed and reason: `seed`, `reason`, `packets`."""
        return self._counts("drops", "reason", "packets")

    @cached_property
    def frames(self) -> Table:
        """One row per seed and frame type: `seed`, `type`, `frames`."""
        return self._counts("frames", "type", "frames")

    def _counts(self, field: str, of: str, what: str) -> Table:
        rows = [{"seed": run.seed, of: name, what: n} for run in self.runs for name, n in getattr(run, field).items()]
        return Table.from_rows(rows, ("seed", of, what))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the scenario and the runs warn of, each once; flows that carry nothing, replications that coincide."""
        return (*self.own_warnings, *self.split_warnings)

    @cached_property
    def diagnosis(self) -> tuple[Finding, ...]:
        """Why flows deliver nothing or almost nothing: a finding for each flow and reason; empty if all carry."""
        return diagnose(self.scenario, self.runs)

    @cached_property
    def split_warnings(self) -> tuple[str, ...]:
        """All flows together, or one with the same ends in each seed, whose goodput falls into two groups of seeds."""
        spec, own = metric_of("goodput_bps"), [flow.id for flow in self.lasting if self.ends_of(flow.id)]
        found = (
            split_warning(
                values, spec.label.lower() + ("" if flow is None else f" of flow {flow}"), spec.unit, spec.scale
            )
            for flow in (None, *(own if len(self.lasting) > 1 else ()))
            if (values := self.values(spec.name, flow))
        )
        return tuple(filter(None, found))[:MOST_SPLIT]

    @cached_property
    def own_warnings(self) -> tuple[str, ...]:
        """`warnings` without those of the statistics."""
        found = dict.fromkeys(self.scenario.resolve().warnings)
        for run in self.runs:
            found.update(dict.fromkeys(run.warnings))
        by_print: dict[str, list[int]] = {}
        for run in self.runs:
            by_print.setdefault(run.fingerprint, []).append(run.seed)
        for same in by_print.values():
            if len(same) > 1:
                names = ", ".join(map(str, same))
                found[f"seeds {names} yield identical runs: the replications are not independent"] = None
        return warnings_with(tuple(found), self.diagnosis)

    def values(self, metric: str = "goodput_bps", flow: int | None = None) -> list[float]:
        """One number per seed that has the flow, and in which the metric is defined."""
        having = [run for run in self.runs if flow is None or any(one.id == flow for one in run.flows)]
        return [v for run in having or self.runs if (v := run.value(metric, flow)) is not None]

    def interval(
        self, metric: str = "goodput_bps", flow: int | None = None, *, level: float = DEFAULT_LEVEL
    ) -> Interval | None:
        """Mean over seeds with its Student-t interval; None where no run defines the metric.

        Parameters
        ----------
        metric : str
            A column of `flows`.
        flow : int, optional
            One flow; by default all flows of a run make one number (sum, or mean for delay and window).
        level : float
            Confidence level.
        """
        values = self.values(metric, flow)
        return mean_interval(values, level) if values else None

    def summary(self, *, level: float = DEFAULT_LEVEL) -> Table:
        """One row per flow and metric: `flow`, `transport`, `metric`, `mean`, `half_width`, `low`, `high`, `n`."""
        rows = []
        for flow in self.lasting:
            for name in METRICS:
                interval = self.interval(name, flow.id, level=level)
                if interval is not None:
                    ends = {key: getattr(interval, key) for key in ("mean", "half_width", "low", "high", "n")}
                    rows.append({"flow": flow.id, "transport": flow.transport_name, "metric": name, **ends})
        return Table.from_rows(rows, ("flow", "transport", "metric", "mean", "half_width", "low", "high", "n"))

    def plot(self, metric: str = "goodput_bps", *, ax: Axes | None = None) -> Axes:
        """Draw the metric per flow: mean and 95 % interval, and each seed as a dot."""
        return draw(runs_figure(self, metric), ax=ax)

    def plot_cwnd(self, *, ax: Axes | None = None) -> Axes:
        """Draw each flow's congestion window against time, mean over seeds with 95 % band; needs a series."""
        return draw(cwnd_figure(self.windowed()), ax=ax)

    def windowed(self) -> list[tuple[str, Runs, int]]:
        """Each flow that has a congestion window: a label, these runs, and its number."""
        return [
            (f"flow {flow.id}: {transport_title(flow.transport)}", self, flow.id)
            for flow in self.lasting
            if flow.cwnd_mean is not None
        ]

    def json_lines(self) -> str:
        """The runs as `hoplab run --json` prints them: with `diagnosis` where flows carry nothing."""
        return "".join(line + "\n" for line in self.diagnosed)

    @property
    def diagnosed(self) -> Iterator[str]:
        """The report of each run, with the findings of its seed under `diagnosis` if there are any."""
        for run in self.runs:
            own = [one.to_dict() for one in self.diagnosis if not one.seeds or run.seed in one.seeds]
            yield json.dumps({**json.loads(run.json), "diagnosis": own}) if own else run.json

    def __repr__(self) -> str:
        interval = self.interval()
        goodput = "" if interval is None else f", goodput {interval.scaled(1e-3):.1f} kb/s"
        return f"<Runs of {self.scenario.name!r}: {counted(len(self.runs), 'seed')}{goodput}>"

    def _repr_html_(self) -> str:
        return notebook.runs_html(self)
