"""What it costs to write every event down: CPU time of a traced run against that of the same run without."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from hoplab.store.columns import connect, quoted
from hoplab_validation.bench.cases.suite import Case, Span, chain
from hoplab_validation.bench.process import run_module
from hoplab_validation.bench.spread import Spread
from hoplab_validation.peers.timed import Timed

GOAL = 2.0
"""A traced run may take that many times the CPU time of a plain one."""


@dataclass(frozen=True)
class Traced(Case):
    """A scenario to trace; `span` is how long it is simulated, short and long."""

    span: Span
    repeats: int


@dataclass(frozen=True)
class Cost:
    """What was measured.

    Attributes
    ----------
    times : sequence of (float, float)
        CPU seconds per simulated second, plain and traced, of each repeat; start-up excluded.
    rows_per_s : float
        Rows of the table of events per simulated second.
    row_bytes : float
        Bytes of the file of events per row.
    peak_bytes : tuple of int
        Most memory of the long run's process, plain and traced.
    """

    case: Traced
    times: tuple[tuple[float, float], ...]
    rows_per_s: float
    row_bytes: float
    peak_bytes: tuple[int, int]

    def ratio(self) -> Spread:
        """How many times longer."""
        return Spread.of(traced / plain for plain, traced in self.times)

    def row_ns(self) -> float:
        """Median of what a row costs, in ns: making it, keeping accounts of airtime, and writing it."""
        return 1e9 * median(traced - plain for plain, traced in self.times) / self.rows_per_s

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "name": self.case.name,
            "ratio": self.ratio(),
            "row_ns": self.row_ns(),
            "row_bytes": self.row_bytes,
            "rows_per_s": self.rows_per_s,
            "peak_bytes": self.peak_bytes,
            "times": self.times,
        }


def cases(*, quick: bool = False) -> list[Traced]:
    """The scenarios that are traced."""
    scale, repeats = (0.05, 1) if quick else (1.0, 5)

    def case(name: str, tables: dict[str, Any], long_s: float) -> Traced:
        return Traced(name, tables, Span(20.0, 20.0 + scale * long_s), repeats)

    return [
        case("trace: 8 hops, NewReno, static", chain(8, "static"), 1000.0),
        case("trace: 8 hops, NewReno, aodv", chain(8, "aodv"), 1000.0),
        case("trace: 50 mobile nodes, 5 NewReno, aodv", mobile(), 400.0),
    ]


def mobile() -> dict[str, Any]:
    """50 mobile nodes on 1500 m x 300 m at up to 20 m/s; five NewReno flows."""
    flows = [{"from": i, "to": 25 + i, "transport": "new_reno", "window": 32, "start": f"{i + 1} s"} for i in range(5)]
    return {
        "name": "bench mobile 50",
        "topology": {"kind": "random", "nodes": 50, "area": ["1500 m", "300 m"]},
        "mobility": {"kind": "waypoint", "min_speed": "1 m/s", "max_speed": "20 m/s"},
        "routing": {"protocol": "aodv"},
        "flow": flows,
    }


def measure(case: Traced, on_done: Callable[[], None]) -> Cost:
    """Run a case plain and traced, in turn, each repeat with a seed of its own.

    Raises
    ------
    WorkerFailedError
    """
    times = []
    rows, size, peaks = 0, 0, (0, 0)
    span_s = case.span.long_s - case.span.short_s
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as name:
        folder = Path(name)
        for seed in range(1, case.repeats + 1):
            plain_short = _run(case, case.span.short_s, seed, folder, traced=False)
            traced_short = _run(case, case.span.short_s, seed, folder, traced=True)
            plain_long = _run(case, case.span.long_s, seed, folder, traced=False)
            traced_long = _run(case, case.span.long_s, seed, folder, traced=True)
            times.append(
                ((plain_long.cpu_s - plain_short.cpu_s) / span_s, (traced_long.cpu_s - traced_short.cpu_s) / span_s)
            )
            peaks = (max(peaks[0], _peak(plain_long)), max(peaks[1], _peak(traced_long)))
            events = folder / "events.parquet"
            size = events.stat().st_size
            with connect() as connection:
                query = f"SELECT count(*) FROM read_parquet({quoted(str(events))})"  # noqa: S608 (quoted)
                ((rows,),) = connection.execute(query).fetchall()
            on_done()
    return Cost(case, tuple(times), rows / case.span.long_s, size / rows, peaks)


def _run(case: Traced, duration_s: float, seed: int, folder: Path, *, traced: bool) -> Timed:
    """One run in a process of its own."""
    path = folder / "scenario.toml"
    path.write_text(case.scenario(duration_s).text, encoding="utf-8")
    trace = [f"{folder}/", str(duration_s / SAMPLES)] if traced else []
    return run_module(case.name, "hoplab_validation.bench.worker", str(path), str(seed), *trace)


def _peak(done: Timed) -> int:
    return int(json.loads(done.output.splitlines()[-1])["peak_bytes"])


SAMPLES = 500
"""Times that states are sampled in a traced run, as in `hoplab run --trace`."""
