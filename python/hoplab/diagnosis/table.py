"""The reasons, in the order in which they are asked: the first that holds is the flow's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hoplab.diagnosis import carrying
from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Finding, Found
from hoplab.diagnosis.reasons import frames, gray, medium, paths, queues, routing, source, wires

if TYPE_CHECKING:
    from hoplab.running.runs import Run
    from hoplab.scenario.model import Scenario


@dataclass(frozen=True)
class Reason:
    """One reason why a flow carries nothing.

    Attributes
    ----------
    recognize : callable
        From a case to what is found, or None.
    before : bool
        Whether it can be known before a run.
    below : float
        Share of its expectation below which a flow's run is asked about it; above 1 for all.
    """

    name: str
    recognize: Callable[[Case], Found | None]
    before: bool = False
    below: float = carrying.ALMOST


REASONS = (
    Reason("unmeasured", source.unmeasured, before=True),
    Reason("slow_source", source.slow, before=True),
    Reason("radio_off", paths.radio_off, before=True),
    Reason("channels", paths.channels, before=True),
    Reason("one_way", paths.one_way, before=True),
    Reason("gray_zone", gray.gray_zone, before=True, below=0.1),
    Reason("no_path", paths.no_path, before=True),
    Reason("no_path_moving", paths.no_path_moving),
    Reason("stale_routes", paths.stale_routes),
    Reason("outdated_routes", routing.outdated),
    Reason("breaking_routes", routing.breaking),
    Reason("late_response", paths.late_response, before=True),
    Reason("errors", paths.errors, before=True),
    Reason("weak_link", gray.weak_link, before=True),
    Reason("gap", source.gap),
    Reason("ttl", routing.ttl, before=True),
    Reason("willingness", routing.willingness, before=True),
    Reason("wire_loss", wires.loss, before=True),
    Reason("wire_slow", wires.slow, before=True),
    Reason("wire_delay", wires.delay, before=True),
    Reason("queue_bytes", queues.short_in_bytes, before=True),
    Reason("queue_discipline", queues.discipline),
    Reason("converging", routing.converging),
    Reason("locked", medium.locked),
    Reason("nav", medium.nav),
    Reason("hidden", medium.hidden),
    Reason("starved", medium.starved),
    Reason("no_route", routing.undiscovered),
    Reason("exchange", frames.exchange),
    Reason("unknown", frames.counts),
    Reason("skips", paths.skips, before=True, below=math.inf),
)
"""All of them. The last but one holds always; the last is about flows that carry, too."""

MOST_RUNS = 5
"""Runs with a flow that carries nothing whose reasons are sought; in others only those are looked for."""
MOST_FLOWS = 5
"""Flows of a run, or of a scenario, whose reasons are sought; the others are counted."""


def predict(scenario: Scenario) -> tuple[Finding, ...]:
    """What can be known before a run, of the scenario with its own seed."""
    shared: dict[str, object] = {}
    found: list[Finding] = []
    for number in range(len(scenario.resolve().data["flows"])):
        case = Case(scenario, scenario.seed, number, None, None, shared)
        found += _of(case, [reason for reason in REASONS if reason.before], None)
        if len(found) >= MOST_FLOWS:
            break
    return tuple(found)


def diagnose(scenario: Scenario, runs: Iterable[Run]) -> tuple[Finding, ...]:
    """Why flows of these runs carry nothing: each flow and reason once, with its seeds."""
    runs = list(runs)
    notes = [row for row in REASONS if row.below > 1.0 and paths.may_skip(scenario)]
    found: dict[tuple[int, str], Finding] = {}
    seeds: dict[tuple[int, str], list[int]] = {}
    asked = 0
    for run in runs:
        sick = {flow: share for flow, share in carrying.shares(scenario, run).items() if share < LARGEST or notes}
        if not sick:
            continue
        own = scenario if run.seed == scenario.seed else scenario.with_({"seed": run.seed})
        shared: dict[str, object] = {}
        named: list[tuple[int, str]] = []
        reports = [report for report in run.flows if report.id in sick]
        for report in reports:
            rows = [row for row in REASONS if sick[report.id] < row.below and (row.below <= 1.0 or row in notes)]
            if len(named) >= MOST_FLOWS:
                break
            if asked >= MOST_RUNS:
                rows = [row for row in rows if (report.id, row.name) in found or row.name == LAST]
            case = Case(own, run.seed, report.id, run, report, shared)
            for one in _of(case, rows, report.goodput_bps):
                key = (one.flow, one.reason)
                first = found.setdefault(key, one)
                found[key] = replace(first, goodput_bps=max(first.goodput_bps or 0.0, one.goodput_bps or 0.0))
                seeds.setdefault(key, []).append(run.seed)
                named.append(key)
        more = [flow for flow, share in sick.items() if share < carrying.ALMOST and flow not in dict(named)]
        if more and named:
            last = found[named[-1]]
            found[named[-1]] = replace(last, others=max(last.others, len(more)))
        asked += 1
    count = len(runs)
    return tuple(
        replace(one, of=count, seeds=() if len(seeds[key]) == count or one.is_note else tuple(seeds[key]))
        for key, one in found.items()
    )


LARGEST = max(reason.below for reason in REASONS if reason.below <= 1.0)
LAST = "unknown"
"""The reason that holds always, and costs nothing."""


def _of(case: Case, rows: Sequence[Reason], goodput_bps: float | None) -> list[Finding]:
    """The first reason that holds, and notes."""
    found: list[Finding] = []
    for row in rows:
        is_note = row.below > 1.0
        if found and not is_note:
            continue
        one = row.recognize(case)
        if one is not None:
            names = case.scenario.node_names
            ends = " to ".join(names.get(node, str(node)) for node in (case.src, case.dst))
            about = (one.cause, one.fix, one.advice, one.warning, goodput_bps)
            found.append(Finding(case.number, ends, row.name, *about, is_note=is_note))
    return found


def warnings_with(warnings: Sequence[str], found: Sequence[Finding]) -> tuple[str, ...]:
    """Warnings of the engine without those that findings have said, and the findings."""
    said = {one.warning for one in found}
    return (*(text for text in warnings if text not in said), *(one.text for one in found))
