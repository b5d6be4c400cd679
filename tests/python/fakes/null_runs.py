"""Synthetic runs of studies in which nothing makes a difference: every point is drawn from one distribution."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from hoplab.base.metrics import Flow
from hoplab.running.runs import Run, Runs
from hoplab_studies.shared import running
from hoplab_studies.shared.running import Job
from hoplab_studies.shared.study import Grid, Margin, Settings, Study, short
from hoplab_studies.split_tcp.measures import seconds
from hoplab_studies.winf.estimators import TOP, eq14

SEEDS = 20
POOL = 30
"""Runs per seed from which points are drawn: more than the points that most criteria compare."""

FLOWS = 5
RATE_BPS = 2e5
ESTIMATE_BPS = TOP * eq14(532)
"""Estimates lie at the largest capacity that counts as no more than the maximum, and so do the rates."""

START_S = 1.0
SERIES_S = 0.1


@dataclass
class NullStudy:
    """The grids of a study without any difference between points.

    Attributes
    ----------
    noise : float
        Standard deviation of the logarithm of every number of a run.
    """

    study: Study
    noise: float
    rng: np.random.Generator
    jobs: list[Job] = field(init=False)
    _pools: dict[tuple[str, int | None], list[list[Run]]] = field(default_factory=dict)
    _paths: dict[tuple[str, int | None], Any] = field(default_factory=dict)
    _numbers: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        alone = self.study.alone()
        self.jobs = running.jobs_of(alone.parts, 1, Path("none"))

    def grids(self, parts: Iterable[str], margins: Sequence[Margin] = ()) -> dict[str, Grid]:
        """One draw of the runs of some parts, without any difference or with one at the margin of a claim."""
        whole: dict[str, Grid] = {}
        for job in (job for job in self.jobs if job.part.name in parts):
            grid = self._grid(job, margins)
            if job.alone is None:
                whole[job.part.name] = grid
            else:
                before = whole[job.part.name]
                whole[job.part.name] = Grid(before.axes, before.points, (*before.alone, grid))
        return whole

    def _grid(self, job: Job, margins: Sequence[Margin]) -> Grid:
        points: dict[Settings, Runs] = {}
        scenario = running.scenario_of(job.part, job.part.series[0])
        paths: dict[Settings, list[int]] = {}
        for point in job.plan.points:
            where = {short(key): value for key, value in point.settings}
            here = [one for one in margins if one.part in {"", job.part.name} and one.where.items() <= where.items()]
            # Runs that differ in their length alone are beginnings of one another.
            same = tuple(pair for pair in point.settings if pair[0] != "duration")
            chosen = paths.setdefault(same, self.rng.integers(0, POOL, SEEDS).tolist())
            end_s = seconds(where["duration"]) if "duration" in where else None
            runs = [self._run(job, seed, index, end_s) for seed, index in enumerate(chosen)]
            points[point.settings] = Runs(scenario, tuple(reduce(shifted, here, run) for run in runs))
        return Grid(job.part.axes_of(job.variation), points)

    def _run(self, job: Job, seed: int, index: int, end_s: float | None) -> Run:
        key = (job.part.name, job.alone)
        if end_s is not None:
            key = (f"{job.part.name}-{end_s:g}", job.alone)
        if key not in self._pools:
            self._pools[key] = self._pool(job, end_s)
        return self._pools[key][seed][index]

    def _pool(self, job: Job, end_s: float | None) -> list[list[Run]]:
        data = job.plan.points[0].scenario
        transports: list[str] = []
        for kind in (flow["transport"] for flow in data["flows"]):
            alike = sum((kind == "udp") == (other == "udp") for other in transports)
            transports += [kind] if alike < FLOWS else []
        sim_s = end_s or float(data["duration_s"])
        cumulative = None
        if end_s is not None:
            key = (job.part.name, job.alone)
            if key not in self._paths:
                steps = np.exp(self.noise * 2.0 * self.rng.standard_normal((SEEDS, POOL, len(transports), 200)))
                self._paths[key] = np.cumsum(steps, axis=3) * RATE_BPS
            cumulative = self._paths[key]
        goodput = any(key == "goodput_interval_s" and data.get(key) for key in data)
        return [
            [
                self._made(
                    seed + 1,
                    transports,
                    [int(flow["to"]) if isinstance(flow.get("to"), int) else 1 for flow in data["flows"]],
                    sim_s,
                    windows=bool(job.part.series_interval_s) and job.alone is None,
                    rates=None if cumulative is None else _until(cumulative[seed, index], sim_s),
                    series=goodput,
                    estimates=bool((data.get("winf") or {}).get("everywhere")),
                    kernel=job.part.runner is not None,
                )
                for index in range(POOL)
            ]
            for seed in range(SEEDS)
        ]

    def _number(self, scale: float = 1.0) -> float:
        if not self._numbers:
            self._numbers = np.exp(self.noise * self.rng.standard_normal(100_000)).tolist()
        return scale * self._numbers.pop()

    def _made(
        self,
        seed: int,
        transports: list[str],
        ends: list[int],
        sim_s: float,
        *,
        windows: bool,
        rates: list[float] | None,
        series: bool,
        estimates: bool,
        kernel: bool,
    ) -> Run:
        number = self._number
        flows = []
        for i, transport in enumerate(transports):
            rate = number(RATE_BPS) if rates is None else rates[i]
            # Payload in whole segments of 1000 bytes, as runs count it.
            sent, again = int(number(2000.0)), int(number(60.0))
            fast = int(number(40.0))
            flows.append(
                Flow(
                    id=i,
                    src=0,
                    dst=ends[i] if i < len(ends) else 1,
                    transport=transport,
                    start_s=START_S,
                    goodput_bps=rate,
                    unique_bps=rate * number(1.1),
                    throughput_bps=rate * 1.2 * number(1.1),
                    segments_sent=sent,
                    retransmissions=again,
                    timeouts=int(number(20.0)),
                    fast_retransmits=fast,
                    unreduced_fast_retransmits=int(self.rng.binomial(fast, 0.5)),
                    acks_sent=int(number(1000.0)),
                    dropped=int(number(60.0)),
                    hops_mean=number(4.0),
                    transit_mean_s=number(0.2),
                    mac_delay_mean_s=number(0.2),
                    delay_mean_s=number(0.2),
                    app_delay_mean_s=number(0.2),
                    cwnd_mean=number(5.0),
                )
            )
        carried = 1.3 * math.fsum(flow.unique_bps for flow in flows) * (sim_s - START_S) / 8.0
        run = Run(
            seed=seed,
            flows=tuple(flows),
            drops={"queue_full": int(number(100.0)), "retry_limit": int(number(100.0))},
            frames={"rts": int(number(9000.0)), "cts": int(number(7000.0)), "data": int(number(5000.0))},
            routing={"breaks": int(number(60.0)), "link_failures": int(number(60.0))},
            network={"flows_connected_mean": min(0.9 * number(), 1.0), "connectivity_mean": min(0.6 * number(), 1.0)},
            nodes=tuple(
                {
                    "rts": int(number(3000.0)),
                    "passed_bytes": max(number(1.0), 0.8) * carried,
                    "relayed": int(number(2000.0)),
                    "relay_wait_mean_s": number(0.05),
                    "queue_full": int(number(40.0)),
                }
                for _ in range(3)
            ),
            proxies=({"node": 3, "lacks": int(number(1000.0)), "lost": 0},),
            split=tuple(
                {"e2e_acks": int(number(500.0)), "lacks_sent": int(number(500.0)), "is_whole": True, "e2e_resent": 0}
                for _ in flows
            ),
            goodput_series_bps=tuple(self._series(int(sim_s), ESTIMATE_BPS if estimates else RATE_BPS) for _ in flows)
            if series
            else (),
            events=1,
            cpu_s=0.0,
            sim_s=sim_s,
            fingerprint=f"{seed}",
        )
        if windows:
            run.attach(self._windows(sim_s))
        if estimates:
            run.__dict__["text"] = json.dumps({"estimates": self._estimates(int(sim_s))})
        if kernel:
            run.__dict__["text"] = json.dumps({"connections": [self._connection()]})
        return run

    def _connection(self) -> dict[str, float]:
        """What programs measure of a connection of the kernel."""
        number = self._number
        return {
            "goodput_bps": number(RATE_BPS),
            "rtt_s": number(0.2),
            "retransmissions": int(number(60.0)),
            "delay_mean_s": number(0.2),
        }

    def _series(self, length: int, rate_bps: float) -> tuple[float, ...]:
        return tuple((rate_bps * np.exp(2.0 * self.noise * self.rng.standard_normal(length))).tolist())

    def _windows(self, sim_s: float) -> dict[str, Any]:
        """A saw-tooth whose teeth are random: every transport's."""
        count = int(sim_s / SERIES_S)
        window, w = np.empty(count), 1.0
        peak = self._number(12.0)
        for i in range(count):
            window[i] = w
            w += 0.15
            if w > peak:
                w, peak = w / 2.0, self._number(12.0)
        return {
            "t_s": np.arange(count) * SERIES_S,
            "flow": np.zeros(count, dtype=np.int32),
            "cwnd": window,
        }

    def _estimates(self, length: int) -> dict[str, Any]:
        def rates() -> list[float]:
            base = self._number(ESTIMATE_BPS)
            found: list[float] = (base * np.exp(self.noise * self.rng.standard_normal(length))).tolist()
            return found

        names = ("winf", "idle_gap", "adhoc_probe")
        of_node = [{name: {"capacity_bps": rates(), "available_bps": rates()} for name in names} for _ in range(6)]
        return {str(node): found for node, found in enumerate(of_node)}


def _until(cumulative: Any, sim_s: float) -> list[float]:
    """Goodput up to a time of paths sampled once per second of traffic."""
    last = min(round(sim_s - START_S), cumulative.shape[-1]) - 1
    return [float(path[last]) / (last + 1) * (last + 1) / (sim_s - START_S) for path in cumulative]


def shifted(run: Run, margin: Margin) -> Run:
    """A run whose numbers lie at a margin."""

    def of(flow: Flow) -> Flow:
        if margin.flows and flow.id not in margin.flows:
            return flow
        fields = [name for name in margin.numbers if getattr(flow, name, None) is not None]
        values = {name: getattr(flow, name) * margin.factor for name in fields}
        return replace(flow, **{name: round(v) if name == "dropped" else v for name, v in values.items()})

    series = run.goodput_series_bps
    if "goodput_series_bps" in margin.numbers:
        series = tuple(
            tuple(v * margin.factor for v in rates) if i in margin.flows else rates for i, rates in enumerate(series)
        )
    made = replace(run, flows=tuple(map(of, run.flows)), goodput_series_bps=series)
    for name in ("samples", "text"):
        if name in run.__dict__:
            made.__dict__[name] = run.__dict__[name]
    if "capacity_bps" in margin.numbers and "text" in run.__dict__:
        estimates = json.loads(run.__dict__["text"])["estimates"]
        for at_node in estimates.values():
            for values in at_node.values():
                values["capacity_bps"] = [value * margin.factor for value in values["capacity_bps"]]
        made.__dict__["text"] = json.dumps({"estimates": estimates})
    return made


def most(draws: int, rate: float = 0.05, sure: float = 1e-4) -> int:
    """The count of draws that a probability `rate` exceeds with probability `sure` at most."""
    tail, k = 1.0, 0
    while True:
        tail -= math.comb(draws, k) * rate**k * (1.0 - rate) ** (draws - k)
        if tail <= sure:
            return k
        k += 1
