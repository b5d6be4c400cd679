"""The report of a stored sweep, whole or partial."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hoplab.base.errors import InputError
from hoplab.base.metrics import ALL_METRICS, Metric, usual_of_runs
from hoplab.base.numbers import counted
from hoplab.base.shareable import shareable_command
from hoplab.base.transports import short_name
from hoplab.figures.sweep import sweep_figures
from hoplab.report.cite import bibtex
from hoplab.report.environment import environment
from hoplab.report.model import Fact, Report, ReportTable
from hoplab.report.record import Record
from hoplab.report.results import share_cells, shown_number
from hoplab.report.settings import settings_of
from hoplab.running.answers.headline import adjusted_by
from hoplab.scenario.model import Scenario
from hoplab.stats import ALPHA, Interval, Paired, holm
from hoplab.store import Results
from hoplab.store.catalog import PlannedPoint
from hoplab.store.run_store import ATTEMPTS, RunStore
from hoplab.store.shares import COLUMNS

LISTED = 10
"""Points that warnings name individually."""
MOST_ROWS = 2000
"""Rows of a table in a report; `hoplab query` and `hoplab export` have all."""
_NOTE = "Intervals: 95 %, Student t over independent seeds. CIs are not adjusted for multiple comparisons."

Intervals = Mapping[str, Mapping[int, Interval | None]]


def sweep_report(results: Results, record: Record | None, metrics: Sequence[Metric] | None = None) -> Report:
    """Report of the stored runs of a sweep.

    Parameters
    ----------
    results : Results
        The opened directory.
    record : Record or None
        Its provenance, if the command line wrote it.
    metrics : sequence of Metric, optional
        Measures of figures and table.

    Raises
    ------
    InputError
        If no run of it is stored.
    """
    catalog = results.catalog
    if not results.done:
        hint = _again(results, record)
        raise InputError(f"{results.path}: 0 of {len(catalog.runs)} runs are stored", hint=f"execute them: {hint}")
    intervals = {name: results.intervals(name) for name in ALL_METRICS}
    chosen = metrics or usual_of_runs()
    store = RunStore(results.path)
    first = next(run for run in catalog.runs if run in set(results.done))
    place = store.path_of(first) / "scenario.toml"
    scenario = Scenario.from_file(place)
    toml = scenario.resolve().toml
    axes = {key: list(dict.fromkeys(map(_hashable, (p.settings[key] for p in catalog.points)))) for key in catalog.axes}
    warnings = [*_partial(results, record), *_warnings(results)]
    return Report(
        title=catalog.name or Path(catalog.path).stem,
        lead=_lead(results, scenario),
        summary=_summary(results, intervals),
        figures=sweep_figures(results, intervals, chosen),
        tables=[*_failed(results), _points(results, intervals, chosen)],
        command=_again(results, record),
        environment=_environment(results, store, record),
        warnings=warnings,
        settings=settings_of(toml, str(place), axes),
        scenario_toml=toml,
        scenario_name="Scenario of the first point and seed, defaults included",
        bibtex=bibtex(),
        footnotes=[_NOTE],
    )


def _lead(results: Results, scenario: Scenario) -> str:
    catalog, data = results.catalog, scenario.resolve().data
    axes = ", ".join(catalog.axes) or "no axis"
    return (
        f"A sweep of {counted(len(catalog.points), 'point')} over {axes}; {data['topology']['kind']} topology, "
        f"{data['routing']['protocol']} routing, {data['duration_s']:g} s with {data['warmup_s']:g} s of warm-up; "
        f"{_seeds(catalog.points)}."
    )


def _seeds(points: Sequence[PlannedPoint]) -> str:
    counts = [len(point.seeds) for point in points]
    low, high = min(counts), max(counts)
    return f"{counted(low, 'seed')} per point" if low == high else f"{low} to {high} seeds per point"


def _summary(results: Results, intervals: Intervals) -> list[str]:
    """Stored runs, range of the measure's means, significant differences."""
    catalog = results.catalog
    spec = ALL_METRICS[catalog.measure]
    points = counted(len(catalog.points), "point")
    sentences = [f"{len(results.done)} of {len(catalog.runs)} runs are stored, {points} planned."]
    found = [(interval, point) for point in catalog.points if (interval := intervals[spec.name][point.point])]
    if found:
        best, worst = max(found, key=lambda one: one[0].mean), min(found, key=lambda one: one[0].mean)
        several = f"means from {_at(worst, spec)} to " if len(found) > 1 else ""
        sentences.append(f"{spec.label}: {several}{_at(best, spec)}.")
    return [*sentences, *_compared(results, spec)]


def _at(found: tuple[Interval, PlannedPoint], spec: Metric) -> str:
    interval, point = found
    where = f" at {_where(point)}" if point.settings else ""
    return f"{shown_number(interval, spec)} {spec.unit}".rstrip() + f"{where} (n = {interval.n})"


def _compared(results: Results, spec: Metric) -> list[str]:
    """One sentence per setting compared to the first: points where it is significantly higher or lower."""
    catalog = results.catalog
    points = {point.point: point for point in catalog.points}
    baselines = results.baselines()
    pairs: dict[tuple[str, str], list[Paired]] = {}
    for point, pair in results.differences(spec.name).items():
        names = tuple(_compared_name(points[at], catalog.compare) for at in (point, baselines[point]))
        pairs.setdefault((names[0], names[1]), []).append(pair)
    tested = [pair for members in pairs.values() for pair in members if pair.p_of_none is not None]
    adjusted = holm([p for pair in tested if (p := pair.p_of_none) is not None])
    shown = {id(pair) for pair, p in zip(tested, adjusted, strict=True) if p < ALPHA}
    sentences = []
    for (name, base), members in pairs.items():
        known = [pair.difference for pair in members if pair.difference.low is not None]
        if not known:
            sentences.append(f"{name} against {base}: n = 1, no interval.")
            continue
        higher = sum(id(pair) in shown and pair.difference.mean > 0.0 for pair in members)
        lower = sum(id(pair) in shown and pair.difference.mean < 0.0 for pair in members)
        sentence = f"{spec.label} of {name} against {base}, paired by seed: "
        if len(members) == 1:
            significance = "" if higher or lower else " (not significant)"
            sentence += f"{shown_number(known[0], spec)} {spec.unit}".rstrip() + f" more{significance}."
        else:
            sentence += f"higher at {higher} of {len(members)} settings, lower at {lower}, "
            sentence += f"no significant difference at {len(members) - higher - lower}."
        sentences.append(sentence)
    if len(tested) > 1:
        sentences.append(adjusted_by(len(tested)))
    return sentences


def _compared_name(point: PlannedPoint, compare: Sequence[str]) -> str:
    return ", ".join(short_name(str(value)) for key, value in point.settings.items() if key in compare)


def _where(point: PlannedPoint) -> str:
    return ", ".join(f"{key} = {value}" for key, value in point.settings.items())


def _partial(results: Results, record: Record | None) -> list[str]:
    """A warning about missing runs."""
    missing, failed = len(results.missing), len(results.failures)
    if not missing:
        return []
    parts = [f"{failed} failed" if failed else "", f"{missing - failed} not executed" if missing > failed else ""]
    states = ", ".join(part for part in parts if part)
    text = f"Partial: {missing} of {len(results.catalog.runs)} runs are missing ({states}). "
    return [f"{text}Points with missing seeds have a smaller n. To continue: {_again(results, record)}"]


def _warnings(results: Results) -> list[str]:
    """Points where two seeds yield identical runs, or the sample has two groups."""
    per_point = "SELECT point FROM runs GROUP BY point HAVING count(DISTINCT fingerprint) < count(*)"
    repeating = len(results.sql(per_point))
    found = []
    if repeating:
        where = counted(repeating, "point")
        found.append(f"At {where} two seeds yield identical runs: the replications are not independent.")
    more = len(results.warnings) - LISTED
    found += results.warnings[:LISTED]
    return [*found, f"The last warning applies to {counted(more, 'more point')}."] if more > 0 else found


def _failed(results: Results) -> list[ReportTable]:
    """Failed runs: error, and command line that repeats the run."""
    failures = results.failures
    if not failures:
        return []
    at = {run: point for point in results.catalog.points for run in point.runs}
    rows = tuple(
        (
            _where(at[failure.id]) or "-",
            str(failure.seed),
            f"quarantined after {failure.attempts} attempts" if failure.quarantined else "failed",
            failure.error,
            shareable_command(shlex.split(failure.replay)),
        )
        for failure in failures[:MOST_ROWS]
    )
    note = f"A run that failed {ATTEMPTS} times is quarantined; hoplab sweep --retry executes it again."
    return [ReportTable("Failed runs", ("point", "seed", "state", "error", "command"), rows, note, 5)]


def _points(results: Results, intervals: Intervals, chosen: Sequence[Metric]) -> ReportTable:
    """Every point: settings, metrics, n, and the difference to the first compared setting."""
    catalog = results.catalog
    names = list(dict.fromkeys([catalog.measure, *(metric.name for metric in chosen)]))
    shown = [ALL_METRICS[name] for name in names if any(intervals[name].values())]
    compared = ALL_METRICS[catalog.measure]
    differences = results.differences(catalog.measure)
    shares = results.shares
    rows = []
    for point in catalog.points[:MOST_ROWS]:
        cells = [shown_number(intervals[metric.name][point.point], metric) for metric in shown]
        if shares:
            share = shares.get(point.point)
            cells += share_cells(share) if share else ["", ""]
        measured = intervals[catalog.measure][point.point]
        n = f"{measured.n if measured else 0} of {len(point.seeds)}"
        row = [*(short_name(str(value)) for value in point.settings.values()), *cells, n]
        if differences:
            pair = differences.get(point.point)
            row.append("" if pair is None else shown_number(pair.difference, compared))
        rows.append(tuple(row))
    header = [*catalog.columns.values(), *(metric.axis for metric in shown), *(COLUMNS if shares else ()), "n"]
    if differences:
        header.append(
            f"{compared.label.lower()} difference to the first{f' ({compared.unit})' if compared.unit else ''}"
        )
    note = "Mean and half-width of the 95 % CI; n: stored seeds of those planned."
    if len(catalog.points) > MOST_ROWS:
        note += f" The first {MOST_ROWS} of {len(catalog.points)} points; hoplab export writes all points."
    return ReportTable("Points", tuple(header), tuple(rows), note, len(catalog.axes))


def _environment(results: Results, store: RunStore, record: Record | None) -> list[Fact]:
    """Versions and machines of the runs, from their manifests."""
    made = [(store.manifest(run) or {}).get("made") or {} for run in results.done]
    times = sorted(str(one["at"]) for one in made if one.get("at"))
    cpu_s = sum(float(one.get("cpu_s") or 0.0) for one in made)
    facts = [
        Fact("engine of the runs", f"engine {results.catalog.engine}"),
        Fact("runs executed", f"{times[0]} to {times[-1]}" if times else "unknown"),
        Fact("platform", _distinct(one.get("platform") for one in made)),
        Fact("Python", _distinct(one.get("python") for one in made)),
        Fact("CPU time", f"{cpu_s:.1f} s for {counted(len(made), 'run')}"),
        Fact("plan", f"sweep.json, of the file {results.catalog.path} (BLAKE3 {results.catalog.source})"),
    ]
    return [*facts, *_others(record.environment if record else environment())]


def _others(facts: Sequence[Fact]) -> list[Fact]:
    return [
        Fact("report built", fact.value) if fact.name in {"time", "made"} else fact
        for fact in facts
        if fact.name != "python"
    ]


def _distinct(values: Any) -> str:
    return "; ".join(dict.fromkeys(str(value) for value in values if value)) or "unknown"


def _again(results: Results, record: Record | None) -> str:
    return (
        record.command
        if record
        else shareable_command(["hoplab", "sweep", results.catalog.path, "--out", str(results.path)])
    )


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
