"""Run one scenario over seeds and hold what came out."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.engine import core, running_core
from hoplab.errors import InputError, OutputError, UsageError
from hoplab.limits import NONE, Limits
from hoplab.metrics import METRICS, metric_of
from hoplab.progress import progress_bar
from hoplab.scenario import Scenario
from hoplab.seeds import Seeds, seeds_of
from hoplab.shapes import Each
from hoplab.stats import DEFAULT_LEVEL, Interval, jain, mean_interval
from hoplab.table import Table

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Flow:
    """What one flow did in one run; the fields are those of `docs/reference/json.md`."""

    id: int
    src: int
    dst: int
    transport: str
    goodput_bps: float
    unique_bps: float
    throughput_bps: float
    segments_sent: int
    retransmissions: int
    timeouts: int
    fast_retransmits: int
    kept_windows: int
    acks_sent: int | None
    dropped: int
    drop_ratio: float | None
    hops_mean: float | None
    transit_mean_s: float | None
    mac_delay_mean_s: float | None
    delay_mean_s: float | None
    delay_p95_s: float | None
    delay_p99_s: float | None
    delay_max_s: float | None
    jitter_s: float | None
    app_delay_mean_s: float | None
    loss_ratio: float | None
    mos: float | None
    cwnd_mean: float | None
    start_s: float


@dataclass(frozen=True)
class Run:
    """One replication.

    Attributes
    ----------
    drops, frames : dict
        Packets dropped by reason, frames sent by type.
    lost, routing, network, nodes : dict, dict, dict, tuple of dict
        Frames lost by cause, counts of routing, connectivity, and one object per node; see `docs/reference/json.md`.
    proxies, split : tuple of dict
        One object per proxy, and per flow through proxies.
    airtime : tuple of dict
        One object per node, if that was asked for: seconds by what they went into; see `docs/reference/trace.md`.
    fingerprint : str
        Hash of the whole trajectory: equal for equal scenario, seed and version.
    json : str
        The run as the engine reports it, one line; what `hoplab run --json` prints.
    samples : mapping
        The columns of `series` as the engine hands them over; none unless a series was asked for.
    """

    seed: int
    flows: tuple[Flow, ...]
    drops: dict[str, int]
    frames: dict[str, int]
    lost: dict[str, int]
    routing: dict[str, int]
    network: dict[str, float | None]
    nodes: tuple[dict[str, Any], ...]
    events: int
    cpu_s: float
    sim_s: float
    fingerprint: str
    warnings: tuple[str, ...]
    version: str
    json: str = field(repr=False)
    samples: Mapping[str, np.ndarray[Any, Any]] = field(repr=False)
    proxies: tuple[dict[str, Any], ...] = ()
    split: tuple[dict[str, Any], ...] = ()
    airtime: tuple[dict[str, Any], ...] = ()

    @classmethod
    def from_engine(cls, text: str, series: Mapping[str, np.ndarray[Any, Any]]) -> Run:
        """Read the engine's answer."""
        data = json.loads(text)
        known = Flow.__dataclass_fields__
        return cls(
            seed=data["seed"],
            flows=tuple(Flow(**{key: flow.get(key) for key in known}) for flow in data["flows"]),
            drops=data["drops"],
            frames=data["frames"],
            lost=data.get("lost", {}),
            routing=data.get("routing", {}),
            network=data.get("network", {}),
            nodes=tuple(data.get("nodes", ())),
            events=data["events"],
            cpu_s=data["cpu_s"],
            sim_s=data["sim_s"],
            fingerprint=data["fingerprint"],
            warnings=tuple(data.get("warnings", ())),
            version=data.get("version", ""),
            json=text,
            samples=series,
            proxies=tuple(data.get("proxies", ())),
            split=tuple(data.get("split", ())),
            airtime=tuple(data.get("airtime", ())),
        )

    @cached_property
    def series(self) -> Table:
        """Columns `t_s`, `flow`, `cwnd` (segments); no rows unless a series was asked for."""
        return Table(self.samples or _no_samples())

    def value(self, metric: str, flow: int | None = None) -> float | None:
        """A metric of one flow, or of all flows together (sum or mean, as the metric says); None where undefined."""
        spec = metric_of(metric)
        flows = self.flows if flow is None else [f for f in self.flows if f.id == flow]
        if not flows:
            raise InputError(f"no flow {flow}; there are {', '.join(str(f.id) for f in self.flows)}")
        values = [v for f in flows if (v := getattr(f, spec.name)) is not None]
        if not values:
            return None
        total = math.fsum(values)
        return total if spec.over_flows == "sum" else total / len(values)

    @property
    def jain(self) -> float:
        """Jain's index of the flows' goodput; NaN when none got anything through."""
        return jain(flow.goodput_bps for flow in self.flows)


def _no_samples() -> dict[str, np.ndarray[Any, Any]]:
    import numpy as np  # noqa: PLC0415 (most runs do without it, and loading it takes longer than a short one)

    return {"t_s": np.empty(0), "flow": np.empty(0, dtype=np.int32), "cwnd": np.empty(0)}


_NUMBER = (None, float)
_FLOW_SHAPE = {
    "id": int,
    "src": int,
    "dst": int,
    "transport": str,
    "start_s": float,
    **{
        f"{key}?": _NUMBER
        for key in Flow.__dataclass_fields__
        if key not in {"id", "src", "dst", "transport", "start_s"}
    },
}
RUN_SHAPE = {
    "seed": int,
    "flows": [_FLOW_SHAPE],
    "drops": Each(int),
    "frames": Each(int),
    "lost?": Each(int),
    "routing?": Each(int),
    "network?": Each(_NUMBER),
    "nodes?": [Each(object)],
    "events": int,
    "cpu_s": float,
    "sim_s": float,
    "fingerprint": str,
    "warnings?": [str],
    "version?": str,
    "proxies?": [Each(object)],
    "split?": [Each(object)],
    "airtime?": [Each(object)],
    "point?": {"transport": str},
}
"""What a stored run must look like to be read again."""


@dataclass(frozen=True)
class Runs:
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
        """One row per seed and flow: `seed`, `flow`, `src`, `dst`, `transport`, and the metrics."""
        rows = [
            {
                "seed": run.seed,
                "flow": flow.id,
                "src": flow.src,
                "dst": flow.dst,
                "transport": flow.transport,
                **{name: getattr(flow, name) for name in METRICS},
                "start_s": flow.start_s,
            }
            for run in self.runs
            for flow in run.flows
        ]
        return Table.from_rows(rows, ("seed", "flow", "src", "dst", "transport", *METRICS, "start_s"))

    @cached_property
    def series(self) -> Table:
        """One row per seed, time and flow: `seed`, `t_s`, `flow`, `cwnd` (segments)."""
        return Table.concat([run.series.with_constants({"seed": run.seed}) for run in self.runs])

    @cached_property
    def drops(self) -> Table:
        """One row per seed and reason: `seed`, `reason`, `packets`."""
        rows = [
            {"seed": run.seed, "reason": reason, "packets": count}
            for run in self.runs
            for reason, count in run.drops.items()
        ]
        return Table.from_rows(rows, ("seed", "reason", "packets"))

    @cached_property
    def frames(self) -> Table:
        """One row per seed and frame type: `seed`, `type`, `frames`."""
        rows = [
            {"seed": run.seed, "type": kind, "frames": count} for run in self.runs for kind, count in run.frames.items()
        ]
        return Table.from_rows(rows, ("seed", "type", "frames"))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the scenario and the runs warn of, each once; replications that coincide among them."""
        found = dict.fromkeys(self.scenario.resolve().warnings)
        for run in self.runs:
            found.update(dict.fromkeys(run.warnings))
        by_print: dict[str, list[int]] = {}
        for run in self.runs:
            by_print.setdefault(run.fingerprint, []).append(run.seed)
        for same in by_print.values():
            if len(same) > 1:
                names = ", ".join(map(str, same))
                found[f"seeds {names} gave the same trajectory: nothing in this scenario is random, n counts once"] = (
                    None
                )
        return tuple(found)

    def values(self, metric: str = "goodput_bps", flow: int | None = None) -> list[float]:
        """One number per seed in which the metric is defined."""
        return [v for run in self.runs if (v := run.value(metric, flow)) is not None]

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
        for flow in self.runs[0].flows:
            for name in METRICS:
                interval = self.interval(name, flow.id, level=level)
                if interval is not None:
                    ends = {key: getattr(interval, key) for key in ("mean", "half_width", "low", "high", "n")}
                    rows.append({"flow": flow.id, "transport": flow.transport, "metric": name, **ends})
        return Table.from_rows(rows, ("flow", "transport", "metric", "mean", "half_width", "low", "high", "n"))

    def plot(self, metric: str = "goodput_bps", *, ax: Axes | None = None) -> Axes:
        """Draw the metric per flow: mean and 95 % interval, and each seed as a dot."""
        from hoplab.figures.build import runs_figure  # noqa: PLC0415
        from hoplab.figures.draw import draw  # noqa: PLC0415

        return draw(runs_figure(self, metric), ax=ax)

    def plot_cwnd(self, *, ax: Axes | None = None) -> Axes:
        """Draw each flow's congestion window against time, mean over seeds with 95 % band; needs a series."""
        from hoplab.figures.build import cwnd_figure  # noqa: PLC0415
        from hoplab.figures.draw import draw  # noqa: PLC0415

        return draw(cwnd_figure(self.windowed()), ax=ax)

    def windowed(self) -> list[tuple[str, Runs, int]]:
        """Each flow that has a congestion window: a label, these runs, and its number."""
        return [
            (f"flow {flow.id}: {flow.transport}", self, flow.id)
            for flow in self.runs[0].flows
            if flow.cwnd_mean is not None
        ]

    def json_lines(self) -> str:
        """The runs as `hoplab run --json` prints them."""
        return "".join(run.json + "\n" for run in self.runs)

    def __repr__(self) -> str:
        interval = self.interval()
        goodput = "" if interval is None else f", goodput {interval.scaled(1e-3):.1f} kb/s"
        return f"<Runs of {self.scenario.name!r}: {len(self.runs)} seeds{goodput}>"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


@dataclass(frozen=True)
class Order:
    """A scenario and the seeds to run it with."""

    scenario: Scenario
    seeds: tuple[int, ...]


def run(  # noqa: PLR0913 (all but the first by keyword)
    scenario: Scenario | str | Path,
    *,
    seeds: Seeds | None = None,
    threads: int | None = None,
    series_interval_s: float | None = None,
    trace: str | Path | None = None,
    airtime: bool = False,
    pcapng: str | Path | None = None,
    max_events: int | None = None,
    max_wall_s: float | None = None,
    progress: bool | None = None,
) -> Runs:
    """Run a scenario, on all cores where there are several seeds.

    Parameters
    ----------
    scenario : Scenario, str or Path
        What to run, or the TOML file that says it.
    seeds : int, str or iterable of int, optional
        A count N (from the scenario's own seed on), a spelling such as ``"3..7"``, or the seeds. By default the
        scenario's own seed alone.
    threads : int, optional
        How many runs at a time; by default one per core. The results do not depend on it.
    series_interval_s : float, optional
        Sample each flow's congestion window that often, in simulated seconds.
    trace : str or Path, optional
        Directory in which to leave `events.parquet` and `samples.parquet`, see `docs/reference/trace.md`. Samples are
        taken every `series_interval_s`, or 500 times.
    airtime : bool
        Account for every node's time (`Run.airtime`). A trace does so anyway.
    pcapng : str or Path, optional
        File in which to leave all frames, as Wireshark reads them. Several seeds need a name with ``{seed}`` in it.
    max_events : int, optional
        Most events that a run may take. The one that meets the limit ends the call.
    max_wall_s : float, optional
        The same of real time, s. No result of a run that finishes depends on either.
    progress : bool, optional
        Show a progress bar; by default on a terminal only.

    Returns
    -------
    Runs

    Raises
    ------
    InputError
        If there is no such scenario.
    UsageError
        If the seeds, threads, limits or interval make no sense.
    LimitError
        If a run met `max_events` or `max_wall_s`; it says when.
    EngineError
        If a run broke an invariant or made no progress.
    """
    scenario = Scenario.of(scenario)
    chosen = seeds_of(1 if seeds is None else seeds, scenario.seed)
    looks = Looks(
        trace=None if trace is None else Path(trace),
        airtime=airtime,
        pcapng=None if pcapng is None else captures(str(pcapng), chosen),
    )
    if trace is not None and series_interval_s is None:
        series_interval_s = float(scenario.resolve().data["duration_s"]) / SERIES_SAMPLES
    (result,) = run_orders(
        [Order(scenario, chosen)],
        threads=threads,
        series_interval_s=series_interval_s,
        looks=looks,
        limits=Limits(max_events, max_wall_s),
        progress=progress,
    )
    return result


SERIES_SAMPLES = 500
"""Samples per run in a report: enough for a saw-tooth on a screen, few enough for a small file."""


@dataclass(frozen=True)
class Looks:
    """What is written down while runs go on, beyond their results; one order only, unless nothing is.

    Attributes
    ----------
    trace : Path or None
        Directory for the tables of events and samples.
    airtime : bool
        Whether every node's time is accounted for.
    pcapng : tuple of str
        A capture file for each seed, or none at all.
    """

    trace: Path | None = None
    airtime: bool = False
    pcapng: tuple[str, ...] | None = None


def captures(pattern: str, seeds: Sequence[int]) -> tuple[str, ...]:
    """Capture file of each seed.

    Raises
    ------
    UsageError
        If there are several seeds, and one name for them.
    """
    names = tuple(pattern.replace("{seed}", str(seed)) for seed in seeds)
    if len(set(names)) < len(names):
        raise UsageError(f"{pattern}: one capture file for {len(seeds)} seeds", hint="put {seed} into its name")
    return names


def run_orders(  # noqa: PLR0913 (all but the first by keyword)
    orders: Sequence[Order],
    *,
    threads: int | None = None,
    series_interval_s: float | None = None,
    looks: Looks | None = None,
    limits: Limits = NONE,
    progress: bool | None = None,
    label: str = "running",
) -> list[Runs]:
    """Run several scenarios over their seeds as one batch; the results come in the order given."""
    if series_interval_s is not None and not (math.isfinite(series_interval_s) and series_interval_s > 0):
        raise UsageError(f"series_interval_s is {series_interval_s}: expected seconds above 0")
    looks = looks or Looks()
    jobs = [
        job_of(
            order.scenario.text, order.scenario.path, order.scenario.overrides, seed, series_interval_s, limits=limits
        )
        for order in orders
        for seed in order.seeds
    ]
    results: list[Run | None] = [None] * len(jobs)
    with progress_bar(len(jobs), label, show=progress) as tick:
        done = 0

        def on_result(index: int, text: str, series: dict[str, np.ndarray[Any, Any]]) -> None:
            nonlocal done
            results[index] = Run.from_engine(text, series)
            done += 1
            tick(done)

        if looks == Looks():
            running_core(series=series_interval_s is not None).run_many(jobs, thread_count(threads), on_result)
        else:
            _run_looked_at(jobs, thread_count(threads), on_result, looks)
    finished = [result for result in results if result is not None]
    if len(finished) != len(jobs):
        raise RuntimeError(f"the engine returned {len(finished)} of {len(jobs)} runs")
    queue = iter(finished)
    return [Runs(order.scenario, tuple(next(queue) for _ in order.seeds)) for order in orders]


def job_of(  # noqa: PLR0913 (as the engine's)
    text: str,
    path: str,
    overrides: Sequence[tuple[str, str]],
    seed: int,
    series_interval_s: float | None,
    *,
    limits: Limits,
) -> Any:
    """One replication, as the engine takes it."""
    most = {"max_events": limits.max_events, "max_wall_s": limits.max_wall_s}
    return core().Job(text, path, list(overrides), seed, series_interval_s, **most)


def _run_looked_at(jobs: Sequence[Any], threads: int, on_result: Any, looks: Looks) -> None:
    """Run jobs, and leave in files what was asked for."""
    engine = running_core(series=any(one.series_interval_s is not None for one in jobs))
    if looks.trace is None:
        engine.run_many([_watched(one, i, looks, None) for i, one in enumerate(jobs)], threads, on_result)
        return
    from hoplab.store.trace import TraceFolder  # noqa: PLC0415 (loads what only traces need)

    try:
        looks.trace.mkdir(parents=True, exist_ok=True)
        with TraceFolder(looks.trace, len(jobs)) as folder:
            watched = [_watched(one, i, looks, folder.prefix(i)) for i, one in enumerate(jobs)]
            engine.run_many(watched, threads, on_result)
            folder.finish()
    except OSError as error:
        if error.filename in (looks.pcapng or ()):
            raise
        raise OutputError(f"{looks.trace}: the trace cannot be written: {error.strerror or error}") from error


def _watched(one: Any, index: int, looks: Looks, trace: str | None) -> Any:
    """A job that is looked at while it runs."""
    capture = looks.pcapng[index] if looks.pcapng else None
    asked = (one.text, one.path, one.overrides, one.seed, one.series_interval_s)
    return core().Job(*asked, trace, looks.airtime, capture, one.max_events, one.max_wall_s)


def thread_count(threads: int | None) -> int:
    """Threads to use: as asked, or one per core that this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise UsageError(f"threads is {threads}: expected at least 1")
    return threads
