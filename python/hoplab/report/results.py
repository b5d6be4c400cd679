"""Reports of `hoplab run --out` and `hoplab compare --out`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hoplab.base.metrics import ALL_METRICS, METRICS, Metric, usual_of_runs
from hoplab.base.transports import transport_title, transports
from hoplab.explain import explain
from hoplab.explain.page import chapter
from hoplab.figures import Figure
from hoplab.figures.build import comparison_figure, cwnd_figure, flows_figure, runs_figure
from hoplab.figures.overview import traced_figures
from hoplab.figures.relations import scatter_figure
from hoplab.figures.titles import axis_title
from hoplab.report.airtime import airtime_tables
from hoplab.report.animation.span import Span
from hoplab.report.cite import bibtex
from hoplab.report.completions import size_rows, time_rows, value_rows, workload_rows
from hoplab.report.environment import environment
from hoplab.report.model import Fact, Panel, Report, ReportTable
from hoplab.report.settings import settings_of
from hoplab.running.answers.differences import Differences
from hoplab.running.answers.notes import distinct_note, headline_metric, headline_of, pair_rows
from hoplab.running.answers.phrases import in_sentence
from hoplab.running.comparing import Comparison
from hoplab.running.flows import VARIES
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval
from hoplab.store.shares import COLUMNS, Shares

if TYPE_CHECKING:
    from hoplab.explain.page import Chapter
    from hoplab.store.trace import Trace

LEVEL_NOTE = "Intervals: 95 %, Student t over independent seeds."
MOST_PAIRS = 500
"""Rows of a table of pairs."""


def runs_report(  # noqa: PLR0913 (all but the first by keyword)
    runs: Runs,
    *,
    command: str,
    made: Sequence[Fact] | None = None,
    window: Span | None = None,
    trace: Trace | None = None,
    shares: Shares | None = None,
) -> Report:
    """Report of one scenario over its seeds.

    Parameters
    ----------
    made : sequence of Fact, optional
        Environment of the runs, if it is not the current one.
    window : Span, optional
        Part of the first traced run that is animated; by default as much from its start as a page holds.
    trace : Trace, optional
        Trace of the runs: adds time series and the diagnosis of its first seed.
    shares : Shares, optional
        Shares of the possible of the runs.
    """
    figures: list[Figure] = []
    if len(runs.series) and runs.windowed():
        figures.append(cwnd_figure(runs.windowed(), title="Congestion window against time"))
    explanation: Chapter | None = None
    notes = [LEVEL_NOTE]
    is_wired = bool(runs.scenario.resolve().data.get("wires"))
    if trace is not None:
        data = runs.scenario.resolve().data
        figures += traced_figures(trace, math.inf if is_wired else float(data["mac"]["data_rate_bps"]))
        explanation = _explained(runs, trace) if data["topology"]["positions"] else None
    if not figures or len(runs) > 1 or len(runs.lasting) > 1:  # one number is no figure
        figures.insert(0, runs_figure(runs))
    return Report(
        title=runs.scenario.name,
        lead=_lead(runs.scenario, runs.seeds),
        summary=[
            *(_flow_sentence(runs, flow.id) for flow in runs.lasting),
            *completion_sentences(runs),
            *_share_sentences(shares),
        ],
        figures=figures,
        tables=[
            _flow_table(runs),
            *_workload_tables(runs),
            _count_table(runs, "drops"),
            _count_table(runs, "frames"),
            *airtime_tables(runs),
        ],
        explanation=explanation,
        command=command,
        environment=[*(made or environment()), *_identity(runs.scenario, runs.seeds)],
        warnings=runs.warnings,
        settings=settings_of(runs.scenario.resolve().toml, runs.scenario.path),
        scenario_toml=runs.scenario.resolve().toml,
        viewer=None if trace is None else _animated(runs, trace, window),
        bibtex=bibtex(),
        footnotes=notes,
    )


def _explained(runs: Runs, trace: Trace) -> Chapter | None:
    """Diagnosis of the first run of a trace."""
    seed = trace.seeds[0]
    run = next((run for run in runs if run.seed == seed and run.airtime), None)
    return None if run is None else chapter(explain(run, trace, runs.scenario))


def comparison_report(  # noqa: PLR0913 (all but the first by keyword)
    comparison: Comparison,
    *,
    command: str,
    made: Sequence[Fact] | None = None,
    metrics: Sequence[Metric] | None = None,
    shares: Mapping[int, Shares] | None = None,
    margin: float | None = None,
    between: str | None = None,
) -> Report:
    """Report of every transport at every point; `made` as for `runs_report`, `metrics` are those shown.

    `shares` go by point; `margin` and `between` are those of `Comparison.headline`.
    """
    shown = [one for one in metrics or usual_of_runs() if any(p.runs.values(one.name) for p in comparison.points)]
    varied = {**comparison.axes, "flow.transport": comparison.transports}
    differences, chosen = _differences(comparison, between), metrics or shown
    said = headline_of(differences, chosen, asked=metrics is not None, margin=margin) if chosen else []
    note = distinct_note(comparison)
    return Report(
        title=f"{', '.join(map(transport_title, comparison.transports))} in {comparison.scenario.name}",
        lead=_lead(comparison.scenario, comparison.seeds, [point.runs.scenario for point in comparison.points]),
        summary=[*said, *([note] if note else [])],
        figures=_comparison_figures(comparison, shown),
        tables=[_point_table(comparison, shown, shares or {}), *_pair_tables(differences, chosen)],
        command=command,
        environment=[*(made or environment()), *_identity(comparison.scenario, comparison.seeds)],
        warnings=comparison.warnings,
        settings=settings_of(comparison.scenario.resolve().toml, comparison.scenario.path, varied),
        scenario_toml=comparison.scenario.resolve().toml,
        scenario_name="Scenario without axes and transports, defaults included",
        bibtex=bibtex(),
        footnotes=[LEVEL_NOTE, "All transports use the same seeds."],
    )


def _comparison_figures(comparison: Comparison, shown: Sequence[Metric]) -> list[Figure]:
    """Each measure; without an axis also goodput of each flow, and goodput against delay."""
    figures = [comparison_figure(comparison, metric.name) for metric in shown]
    more = [] if comparison.axes else [flows_figure(comparison), scatter_figure(comparison, ())]
    return [*figures[:1], *(figure for figure in more if figure is not None), *figures[1:]]


def _differences(comparison: Comparison, between: str | None) -> Differences:
    """What is compared, transports by their titles."""
    titles = _titles(comparison)
    return comparison.between(between).renamed({short: titles[name] for name, short in comparison.names.items()})


def _pair_tables(found: Differences, shown: Sequence[Metric]) -> list[ReportTable]:
    """Every pair of the measure that the summary is about."""
    if len(found.names) < 2 or not shown:
        return []
    metric = headline_metric(found, shown)
    header, rows = pair_rows(found, metric)
    if not rows:
        return []
    note = "Relative difference and difference with 95 % CIs, unadjusted; p of a paired t test, and adjusted by Holm."
    if len(rows) > MOST_PAIRS:
        note += f" The first {MOST_PAIRS} of {len(rows)} pairs; hoplab compare --pairs prints all."
    title = f"Pairs, {in_sentence(metric)}"
    return [ReportTable(title, tuple(header), tuple(map(tuple, rows[:MOST_PAIRS])), note, len(found.axes) + 2)]


def _titles(comparison: Comparison) -> dict[str, str]:
    """Each transport in words; controllers as tables name them."""
    known = transports()
    return {name: known[name].title if name in known else short for name, short in comparison.names.items()}


def shown_number(interval: Interval | None, metric: Metric) -> str:
    """A mean with its half-width in the metric's unit, or a dash."""
    if interval is None:
        return "-"
    scaled = interval.scaled(metric.scale)
    mean = f"{scaled.mean:.{metric.digits}f}"
    return mean if scaled.half_width is None else f"{mean} \N{PLUS-MINUS SIGN} {scaled.half_width:.{metric.digits}f}"


def share_cells(shares: Shares) -> list[str]:
    """Cells of the columns of shares, in percent."""
    return [f"{one.scaled(100.0):.1f}" for one in shares.both]


def _share_sentences(shares: Shares | None) -> list[str]:
    """What a run carried of what its network can carry."""
    if shares is None:
        return []
    possible, fair = share_cells(shares)
    mark = "" if shares.strict else " The bound is not strict."
    return [f"The flows carried {possible} % of the possible; the worst flow {fair} % of the max-min fair rate.{mark}"]


def _lead(scenario: Scenario, seeds: Sequence[int], points: Sequence[Scenario] = ()) -> str:
    """The network in a sentence; over `points` of a comparison, what differs between them as a range."""
    data = scenario.resolve().data
    every = [one.resolve() for one in points or (scenario,)]
    sizes = [one.facts.nodes for one in every]
    degrees = {one.facts.mean_degree: one.facts.degree for one in every}
    known = sorted(degree for degree in degrees if degree is not None)
    degree = f"{degrees[known[0]]} to {degrees[known[-1]]}" if len(degrees) > 1 and known else every[0].facts.degree
    routing = ", ".join(dict.fromkeys(one.data["routing"]["protocol"] for one in every))
    kinds = ", ".join(dict.fromkeys(one.data["topology"]["kind"] for one in every))
    return (
        f"{_range(sizes)} nodes ({kinds}), {_hops(scenario, points)}; mean degree {degree}; {routing} routing; "
        f"{data['duration_s']:g} s with {data['warmup_s']:g} s of warm-up; "
        f"{len(seeds)} {'seed' if len(seeds) == 1 else 'seeds'}."
    )


def _hops(scenario: Scenario, points: Sequence[Scenario]) -> str:
    """Hops of each flow, or their range over the points of a comparison."""
    paths = [one.flow_paths for one in points]
    if len(set(paths)) > 1:
        lengths = {path.hops if path.is_counted else None for of_point in paths for path in of_point}
        counted = sorted(hops for hops in lengths if hops is not None)
        others = sorted({str(path) for of_point in paths for path in of_point if path.hops is None})
        return ", ".join([*([f"{_range(counted)} hops"] if counted else []), *others])
    lengths_of = map(str, paths[0] if paths else scenario.flow_paths)
    shown = dict.fromkeys(lengths_of) if scenario.resolve().data.get("workloads") else lengths_of
    return f"hops per flow: {', '.join(shown)}"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _animated(runs: Runs, trace: Trace, window: Span | None) -> Panel | None:
    """Animation of the first run of a trace."""
    from hoplab.report.animation.panel import viewer_panel  # noqa: PLC0415 (reports without it do not load it)

    return viewer_panel(runs, trace, window=window)


def _identity(scenario: Scenario, seeds: Sequence[int]) -> list[Fact]:
    digest = hashlib.sha256(scenario.resolve().toml.encode()).hexdigest()
    return [Fact("seeds", ", ".join(map(str, seeds))), Fact("resolved scenario, SHA-256", digest)]


def _flow_sentence(runs: Runs, flow: int) -> str:
    what = next(one for one in runs.lasting if one.id == flow)
    goodput, again = METRICS["goodput_bps"], METRICS["retransmissions"]
    sentence = f"Flow {flow} ({transport_title(what.transport)}, {runs.ends_in_words(flow)}): goodput "
    sentence += f"{shown_number(runs.interval(goodput.name, flow), goodput)} {goodput.unit}"
    if what.has_acks:
        sentence += f", {shown_number(runs.interval(again.name, flow), again)} retransmissions"
    return f"{sentence} (n = {len(runs.with_flow(flow))})."


def _flow_table(runs: Runs) -> ReportTable:
    metrics = list(METRICS.values())
    rows = [
        (
            str(flow.id),
            *(runs.ends_of(flow.id) or (VARIES, VARIES)),
            transport_title(flow.transport),
            *(shown_number(runs.interval(metric.name, flow.id), metric) for metric in metrics),
        )
        for flow in runs.lasting
    ]
    header = ("flow", "from", "to", "transport", *(metric.axis for metric in metrics))
    note = f"Mean and half-width of the 95 % interval, n = {len(runs)}."
    fewer = {flow.id: count for flow in runs.lasting if (count := len(runs.with_flow(flow.id))) < len(runs)}
    if fewer:
        note += f" Fewer seeds have flow {', '.join(f'{flow} ({count})' for flow, count in fewer.items())}."
    return ReportTable("Flows", header, tuple(rows), note, 4)


def completion_sentences(runs: Runs) -> list[str]:
    """Completion times of all transfers; none without transfers."""
    reports = [run.completion for run in runs if run.completion is not None]
    if not reports:
        return []
    mean, p95, slow = (ALL_METRICS[name] for name in ("fct_mean_s", "fct_p95_s", "slowdown_mean"))
    flows, unfinished = (sum(report[key] for report in reports) for key in ("flows", "unfinished"))
    sentence = f"{flows} transfers, {unfinished} of them unfinished: mean completion time "
    sentence += f"{shown_number(runs.interval(mean.name), mean)} {mean.unit}, 95th percentile "
    sentence += f"{shown_number(runs.interval(p95.name), p95)} {p95.unit}"
    slowdown = runs.interval(slow.name)
    if slowdown is not None:
        sentence += f", {shown_number(slowdown, slow)} times that of an idle path"
    return [f"{sentence} (n = {len(runs)})."]


def _workload_tables(runs: Runs) -> list[ReportTable]:
    """Workloads, and completion times by size."""
    header, rows = workload_rows(runs, shown_number)
    tables = (
        [ReportTable("Workloads", tuple(header), tuple(map(tuple, rows)), "Over the whole run.", 2)] if rows else []
    )
    for title, (names, found) in (
        ("Times of sessions", time_rows(runs, shown_number)),
        ("Sessions", value_rows(runs, shown_number)),
    ):
        if found:
            tables.append(ReportTable(title, tuple(names), tuple(map(tuple, found)), "Over the whole run.", 3))
    sizes = size_rows(runs)
    if sizes:
        header = ["size up to", "transfers", "unfinished", "mean (ms)", "p50 (ms)", "p95 (ms)"]
        tables.append(ReportTable("Completion times by size", tuple(header), tuple(sizes), "Means over runs.", 1))
    return tables


def _count_table(runs: Runs, what: str) -> ReportTable:
    kinds = list(dict.fromkeys(kind for run in runs for kind in getattr(run, what)))
    rows = tuple((kind, f"{sum(getattr(run, what).get(kind, 0) for run in runs) / len(runs):.1f}") for kind in kinds)
    title = {"drops": "Drops by reason", "frames": "Transmitted frames by type"}[what]
    return ReportTable(title, ("kind", "mean per run"), rows)


def _point_table(comparison: Comparison, metrics: Sequence[Metric], shares: Mapping[int, Shares]) -> ReportTable:
    rows = []
    titles = _titles(comparison)
    for setting in comparison.settings():
        for transport in comparison.transports:
            index = comparison.index_at(transport, setting)
            runs = comparison.points[index].runs
            cells = [shown_number(runs.interval(metric.name), metric) for metric in metrics]
            if shares:
                cells += share_cells(shares[index]) if index in shares else ["", ""]
            rows.append((*(str(value) for _, value in setting), titles[transport], *cells, str(len(runs))))
    measured = (*(metric.axis for metric in metrics), *(COLUMNS if shares else ()))
    header = (*map(axis_title, comparison.axes), "transport", *measured, "n")
    note = "Mean and half-width of the 95 % interval."
    return ReportTable("Points", header, tuple(rows), note, len(comparison.axes) + 1)
