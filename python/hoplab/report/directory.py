"""The report of a directory of results, for every command that writes one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from hoplab.base.errors import InputError, UsageError, evidence_missing
from hoplab.base.json_schema import LARGEST
from hoplab.base.metrics import Metric, metric_of
from hoplab.base.shareable import shareable_command
from hoplab.report.animation.span import Span
from hoplab.report.model import Report
from hoplab.report.record import RECORD, Record, read_record
from hoplab.report.results import comparison_report, runs_report
from hoplab.report.stored import RUNS, stored_comparison, stored_lines
from hoplab.report.sweeps import sweep_report
from hoplab.running.runs import Run, Runs
from hoplab.scenario.model import Scenario
from hoplab.store import open_results
from hoplab.store.catalog import PLAN
from hoplab.store.checksums import verify
from hoplab.store.columns import connect
from hoplab.store.run_store import RunStore
from hoplab.store.shares import read_shares
from hoplab.store.trace import has_trace, open_trace

READERS = "hoplab.reports"
"""Group of entry points: by the kind of a record whose results another distribution reads, a function that takes their
directory and the record and returns the report."""
REPORT = "report.html"
SERIES = "series.parquet"
_MANIFEST = "manifest.json"
_MADE_BY = "hoplab run --out, compare --out, sweep and reproduce write directories of results"


@dataclass(frozen=True)
class Found:
    """The report of a directory, and whether runs are missing."""

    report: Report
    kind: str
    partial: bool


def report_of(folder: Path, *, window: Span | None = None, metrics: Sequence[Metric] | None = None) -> Found:
    """Build the report of a directory from its files; no run is executed.

    Parameters
    ----------
    folder : Path
        As given to `--out`, a directory below `results/`, or the directory of one stored run.
    window : Span, optional
        Part of a traced run that is animated.
    metrics : sequence of Metric, optional
        Measures of a sweep or a comparison; by default those of their tables.

    Raises
    ------
    InputError
        If there are no results, or they cannot be read.
    UsageError
        If `window` is given and there is no trace, or the run ends before it.
    """
    if folder.is_file():
        raise InputError(f"{folder}: not a directory, expected a directory of results", hint=_inside(folder.parent))
    if not folder.is_dir():
        raise InputError(f"{folder}: directory not found", hint=_near(folder))
    if window is not None and not has_trace(folder):
        raise UsageError(
            f"--window: not supported for {folder}, which has no trace",
            hint=f"hoplab run FILE --trace --out {folder} writes one",
        )
    record = read_record(folder)
    if (folder / PLAN).exists():
        results = open_results(folder)
        return Found(sweep_report(results, record, metrics), "sweep", not results.complete)
    if record is not None and record.kind == "reproduce":
        return _study(folder, record)
    if record is not None and record.kind == "demo":
        raise InputError(f"{folder}: written by hoplab demo, with its report", hint=f"open {folder / REPORT}")
    if record is not None and record.kind == "whatif":
        raise InputError(
            f"{folder}: written by hoplab whatif, which has no report",
            hint="its tables are summary.txt and changes.csv",
        )
    if record is not None and (folder / RUNS).exists():
        return _runs(folder, record, window, metrics)
    if (folder / _MANIFEST).exists() and (folder / "result.json").exists():
        return _stored_run(folder)
    raise InputError(f"{folder}: no results found", hint=_inside(folder))


def _runs(folder: Path, record: Record, window: Span | None, metrics: Sequence[Metric] | None) -> Found:
    """`hoplab run --out` or `hoplab compare --out`."""
    if record.scenario is None:
        raise InputError(f"{folder / RECORD}: scenario is missing", hint="rerun the command")
    shares = read_shares(folder)
    if record.kind == "run":
        lines = list(stored_lines(folder / RUNS))
        verify(folder, [RUNS, SERIES])
        series = _series(folder / SERIES)
        for run in lines:
            run.attach(series.get(run.seed, {}))
        runs = Runs(record.scenario, tuple(lines))
        trace = open_trace(folder) if has_trace(folder) else None
        report = runs_report(
            runs, command=record.command, made=record.environment, trace=trace, window=window, shares=shares.get(0)
        )
        return Found(report, "run", partial=False)
    report = comparison_report(
        stored_comparison(folder, record),
        command=record.command,
        made=record.environment,
        metrics=metrics or ([metric_of(name) for name in record.metrics] or None),
        shares=shares,
        margin=record.margin,
        between=record.between,
    )
    return Found(report, "compare", partial=False)


def _series(place: Path) -> dict[int, dict[str, Any]]:
    """Sampled windows by seed; empty if none are stored."""
    if not place.exists():
        return {}

    query = "SELECT seed, t_s, flow, cwnd FROM read_parquet(?) ORDER BY seed, t_s, flow"
    with connect() as connection:
        try:
            found = connection.execute(query, [str(place)]).fetchnumpy()
        except Exception as error:  # DuckDB raises many classes
            raise InputError(f"{place}: cannot be read ({error})") from error
    for name in ("t_s", "cwnd"):
        if not (abs(found[name]) <= LARGEST).all():
            raise InputError(
                f"{place}: column {name} has a number that is not finite, or beyond {LARGEST:g} in magnitude",
                hint="rerun the command",
            )
    return {
        int(seed): {name: found[name][found["seed"] == seed] for name in ("t_s", "flow", "cwnd")}
        for seed in dict.fromkeys(found["seed"].tolist())
    }


def _stored_run(folder: Path) -> Found:
    """One run of a run store: `results/NAME/runs/<id>`."""
    store, run = RunStore(folder.resolve().parent.parent), folder.resolve().name
    if store.state(run) != "done":
        raise InputError(f"{folder}: checksum mismatch in a stored run", hint="rerun the sweep")
    manifest = store.manifest(run) or {}
    made = manifest.get("made") or {}
    scenario = Scenario.from_file(folder / "scenario.toml")
    text = json.dumps({**store.result(run), "cpu_s": made.get("cpu_s") or 0.0})
    runs = Runs(scenario, (Run.from_engine(text, {}),))
    return Found(
        runs_report(runs, command=shareable_command(["hoplab", "run", str(folder / "scenario.toml")])),
        "run",
        partial=False,
    )


def _study(folder: Path, record: Record) -> Found:
    """`hoplab reproduce`, from its stored runs."""
    reader = next(iter(entry_points(group=READERS, name=record.kind)), None)
    if reader is None:
        raise evidence_missing(f"{folder}: the report of a study")
    return Found(reader.load()(folder, record), "study", partial=False)


def _near(folder: Path) -> str:
    parent = folder.parent
    names = sorted(place.name for place in parent.iterdir() if place.is_dir()) if parent.is_dir() else []

    close = get_close_matches(folder.name, names, n=2)
    if close:
        return f"did you mean {' or '.join(str(parent / name) for name in close)}?"
    return _MADE_BY


def _inside(folder: Path) -> str:
    marks = (PLAN, RECORD)
    found = sorted(
        {place.parent for mark in marks for depth in ("*", "*/*") for place in folder.glob(f"{depth}/{mark}")}
    )
    if found:
        return f"results are in {', '.join(str(place) for place in found[:5])}"
    return _MADE_BY
