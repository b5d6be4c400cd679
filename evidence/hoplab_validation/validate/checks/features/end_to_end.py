"""Wires, queues and real TCP connections against stored rows of Linux 6.18, ns-3.37, ns-2.35 and closed forms.

A row is a scenario with the metrics of its peer.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from statistics import fmean
from typing import Any

from hoplab.running.execution import Order
from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers.stats import joint_half_width, stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks.features.reasons import reason_of
from hoplab_validation.validate.plan import Depth, Plan

PART = "end-to-end"
LEAST_SEEDS = 5
"""Seeds of a row: its peer has five runs."""

QUICK = (
    "bulk/reno/50ms/0.25bdp",
    "bulk/cubic/50ms/1bdp",
    "bulk/bbr/50ms/1bdp",
    "loss/cubic/0.001",
    "two/cubic/reno/1bdp",
    "two/cubic/bbr/1bdp",
    "short/cubic/20ms",
    "aqm/codel/cubic/5/ecn1",
    "aqm/fq_codel/cubic/5/ecn0",
    "aqm/pie/cubic/5/ecn1",
    "aqm/red-wait/cubic/1/ecn0",
    "under/load/fq_codel",
    "oneway/new_reno/red/1/200",
    "mesh/3hops/reno/down/short",
    "closed/cbr-two-wires",
    "closed/overload",
    "closed/fct-10kB-50ms",
)
"""Rows of the quick depth: one of each kind."""


@dataclass(frozen=True)
class Reference:
    """A metric of a row as its peer has it, with the tolerance of the specification.

    Attributes
    ----------
    share : float
        Relative tolerance.
    floor : float
        Absolute tolerance.
    factor : float, optional
        A count may differ by this factor, and by `floor`.
    """

    value: float
    half_width: float | None = None
    share: float = 0.0
    floor: float = 0.0
    factor: float | None = None

    @classmethod
    def of(cls, entry: Mapping[str, float]) -> Reference:
        """From an entry of the stored rows."""
        half_width = entry.get("half_width")
        return cls(entry["value"], half_width, entry.get("rel", 0.0), entry.get("floor", 0.0), entry.get("factor"))

    def tolerance(self, ours: Interval, theirs: Interval) -> float:
        """Largest difference that agrees."""
        if self.factor is None:
            return max(self.share * abs(self.value), joint_half_width(ours, theirs), self.floor)
        is_above = ours.mean >= self.value
        return self.value * ((self.factor - 1.0) if is_above else (1.0 - 1.0 / self.factor)) + self.floor


@dataclass(frozen=True)
class Case:
    """One stored row."""

    name: str
    source: str
    repeats: int
    tables: Mapping[str, Any]
    metrics: Mapping[str, Reference]


@functools.cache
def cases() -> tuple[Case, ...]:
    """All stored rows."""
    text = resources.files("hoplab_validation.peers").joinpath("data/end_to_end.json").read_text(encoding="utf-8")
    return tuple(
        Case(
            row["id"],
            row["oracle"],
            row["repeats"],
            row["scenario"],
            {name: Reference.of(entry) for name, entry in row["metrics"].items()},
        )
        for row in json.loads(text)["rows"]
    )


def plan(depth: Depth) -> Plan:
    """Every row, or those of the quick depth."""
    chosen = [case for case in cases() if depth.thorough or case.name in QUICK]
    seeds = depth.seed_list(LEAST_SEEDS)
    orders = tuple(Order(scenario_of(case), seeds) for case in chosen)

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [row for case, ours in zip(chosen, runs, strict=True) for row in judged(case, ours)]

    return Plan(
        PART, "wires, queues and real TCP connections, against Linux, ns-3, ns-2 and closed forms", orders, judge
    )


def scenario_of(case: Case) -> Scenario:
    """The scenario of a row."""
    return Scenario.from_dict({key: value for key, value in case.tables.items() if value != []})


def judged(case: Case, ours: Runs) -> list[Row]:
    """One row per metric of a case."""
    rows = []
    for metric, reference in case.metrics.items():
        label, unit, scale = _shown(metric)
        here = mean_interval(value_of(run, metric) for run in ours)
        there = stored(reference.value, reference.half_width or None, case.repeats)
        note = reason_of(case.name, metric)
        rows.append(
            Row(
                PART,
                f"{case.name}: {label}",
                unit,
                case.source,
                there.scaled(scale),
                here.scaled(scale),
                scale * reference.tolerance(here, there),
                decisive=not note,
                note=note,
            )
        )
    return rows


SHOWN: Mapping[str, tuple[str, str, float]] = {
    "goodput_bps": ("goodput", "kb/s", 1e-3),
    "goodput_total_bps": ("goodput of all flows", "kb/s", 1e-3),
    "queue_delay_mean_s": ("mean queue delay", "ms", 1e3),
    "queue_delay_p95_s": ("95th percentile of the queue delay", "ms", 1e3),
    "queue_mean_packets": ("mean queue", "packets", 1.0),
    "drops": ("drops", "packets", 1.0),
    "drops_measured": ("drops after the warm-up", "packets", 1.0),
    "marks": ("marks", "packets", 1.0),
    "jain": ("Jain's index", "", 1.0),
    "share_of_first": ("share of the first flow", "", 1.0),
    "delay_mean_s": ("mean delay", "ms", 1e3),
    "drop_ratio": ("drop ratio", "", 1.0),
    "unfinished": ("unfinished transfers", "", 1.0),
}
"""Label, unit and scale of metrics; those of completion times follow from their names."""


def _shown(metric: str) -> tuple[str, str, float]:
    if metric in SHOWN:
        return SHOWN[metric]
    name, _, size = metric.partition(".")
    what = name.removeprefix("fct_").removesuffix("_s")
    label = "completion time of " + size if size else f"{what} of completion times"
    return label, "ms", 1e3


def value_of(run: Run, metric: str) -> float:
    """The metric of a row in one run. Without a packet it is 0; an unfinished transfer takes as long as the run."""
    if metric in METRICS:
        return METRICS[metric](run) or 0.0
    name, _, size = metric.partition(".")
    if size:
        times = [flow.fct_s or run.sim_s for flow in run.flows if flow.transfer_bytes == SIZES[size]]
        return fmean(times or [run.sim_s])
    found: float | None = (run.completion or {}).get(name.removeprefix("fct_"))
    return run.sim_s if found is None else found


SIZES = {"10kB": 10_000, "100kB": 100_000, "500kB": 500_000, "1MB": 1_000_000}


def _goodput(run: Run) -> float:
    return sum(flow.goodput_bps for flow in run.flows)


METRICS: Mapping[str, Callable[[Run], float | None]] = {
    "goodput_bps": lambda run: run.flows[0].goodput_bps,
    "goodput_total_bps": _goodput,
    "queue_delay_mean_s": lambda run: run.wires[0]["queue_delay_mean_s"],
    "queue_delay_p95_s": lambda run: run.wires[0]["queue_delay_p95_s"],
    "queue_mean_packets": lambda run: run.wires[0]["queue_mean_packets"],
    "drops": lambda run: float(run.wires[0]["queue_full"] + run.wires[0]["early_drops"]),
    "drops_measured": lambda run: float(sum(flow.dropped for flow in run.flows)),
    "marks": lambda run: float(run.wires[0]["marks"]),
    "jain": lambda run: run.jain,
    "share_of_first": lambda run: run.flows[0].goodput_bps / _goodput(run),
    "delay_mean_s": lambda run: run.flows[0].delay_mean_s,
    "drop_ratio": lambda run: run.flows[0].drop_ratio,
    "unfinished": lambda run: float((run.completion or {}).get("unfinished", 0)),
}
"""Metrics of a run. The bottleneck is the first direction of the first wire, the measured flow the first one."""
