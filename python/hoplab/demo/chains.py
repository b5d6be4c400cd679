"""The ground of the TCP Muzha paper (Lien, undated): NewReno, SACK and Vegas over chains.

Throughput and retransmissions against hops (its Figures 6 and 7) and congestion window against time at 4, 8 and 16
hops (Figures 3 to 5), for the three transports that the paper compares Muzha with.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from hoplab.base.metrics import METRICS
from hoplab.base.numbers import counted
from hoplab.figures import Curve, Figure
from hoplab.figures.build import comparison_figure, cwnd_figure, interval_curve
from hoplab.report.cite import bibtex
from hoplab.report.environment import environment
from hoplab.report.model import Fact, Item, Report, ReportTable
from hoplab.report.results import shown_number
from hoplab.running.comparing import Comparison, compare, paired_runs
from hoplab.running.seeds import Seeds
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval

TRANSPORTS = {"new_reno": "NewReno", "sack": "SACK", "vegas": "Vegas"}
"""Names in scenarios and in the paper, of those that it compares with Muzha."""

LABELS = {**TRANSPORTS, "muzha": "Muzha"}
"""The same with Muzha itself."""

HOPS = tuple(range(1, 17))
WINDOW_HOPS = (4, 8, 16)
"""Chains whose congestion window is drawn: Figures 3, 4 and 5."""

CLOSER_FROM = 4
"""Chains from this length on have a separate figure: below it every hop costs a third to a half."""

SHARE_ALLOWED = 0.03
"""How far goodput may lie from ns-2's: this share, or the sum of both half-widths where that is more."""

SEEDS = 10
START_S = 1.0
SAMPLE_S = 0.1

SCENARIO = """\
name = "muzha-chain"
duration = "51 s"          # 50 s of traffic

[topology]
kind = "chain"
hops = 4
spacing = "250 m"

[mac]
data_rate = "2 Mb/s"
basic_rate = "1 Mb/s"

[queue]
limit = 50

[routing]
protocol = "static"

[[flow]]
from = "first"
to = "last"
app = "ftp"
transport = "new_reno"
segment = 1460
window = 20
start = "1 s"
"""

ASSUMPTIONS = (
    Item("simulator", "ns-2 profile of hoplab", "The paper names ns-2 without a version; 2.35 is the reference."),
    Item("chains", "1 to 16 hops", "The paper names 4, 8 and 16 hops and 4 to 32 nodes; a 4-hop chain has 5 nodes."),
    Item(
        "node spacing", "250 m", "Not stated. ns-2's reception range lies exactly there; 200 m changes little in ns-2."
    ),
    Item(
        "ranges",
        "reception range 250 m, carrier sense 550 m",
        "Reception range stated; carrier sense from ns-2's two-ray defaults.",
    ),
    Item("rates", "data 2 Mb/s, basic 1 Mb/s, long preamble", "2 Mb/s stated, the others are ns-2's."),
    Item("routing", "static shortest path", "Not stated. Only static routes agree with what the paper says of Vegas."),
    Item("RTS/CTS", "for every frame", "Not stated; ns-2's default."),
    Item("queue", "50 packets, drop-tail, routing first", "The paper names IFQ; length and discipline are ns-2's."),
    Item("window limit", "20 segments", "Not stated; ns-2's default, the same for all transports."),
    Item("Vegas", "alpha 1, beta 3, gamma 1 segments", "Not stated; ns-2's defaults."),
    Item("Vegas's packets", "no 40-byte header", "ns-2's Vegas sends the payload alone: about 1.5 % in its favor."),
    Item("SACK", "as ns-2's Sack1, not RFC 6675", "The agent that a 2.x script calls SACK."),
    Item("acknowledgments", "one per segment", "Not stated; ns-2's plain sink."),
    Item("duration", "50 s of traffic from second 1", "50 s stated for the third simulation, used for all."),
    Item("random loss", "none beyond the MAC's", "The text speaks of random loss but names no error model."),
    Item("throughput", "in-order payload bits per second (goodput)", "The paper's acknowledged payload over time."),
    Item("seeds", "the same for all transports", "Not stated; the paper shows no intervals."),
)

NS2_NOTE = (
    "Hollow marks: ns-2.35 on the same chains with the same routes, mean and 95 % interval of 10 seeds of its own, "
    "stored with hoplab (scripts/tables/muzha_ns2.py reproduces it)."
)


@dataclass(frozen=True)
class Stored:
    """Results of ns-2 at one point: means with half-widths of their 95 % intervals."""

    goodput_kbps: Interval
    retransmissions: Interval


@cache
def ns2_table() -> Mapping[tuple[str, int], Stored]:
    """The stored runs of ns-2, by transport and hops."""
    text = resources.files("hoplab.demo").joinpath("muzha_ns2.csv").read_text(encoding="utf-8")
    return {
        (row["transport"], int(row["hops"])): Stored(
            _stored(row["goodput_kbps"], row["goodput_half_width"], row["n"]),
            _stored(row["retransmissions"], row["retransmissions_half_width"], row["n"]),
        )
        for row in csv.DictReader(text.splitlines())
    }


def _stored(mean: str, half_width: str, n: str) -> Interval:
    middle, half = float(mean), float(half_width)
    return Interval(middle, half, middle - half, middle + half, int(n))


@dataclass(frozen=True)
class Study:
    """The study's results and how long they took, in s of wall time."""

    comparison: Comparison
    wall_s: float


def run_study(
    *, hops: Sequence[int] = HOPS, seeds: Seeds = SEEDS, threads: int | None = None, progress: bool | None = None
) -> Study:
    """Run all chains; about half a minute on two cores with the defaults."""
    scenario = Scenario.from_text(SCENARIO, path="muzha-chain.toml")
    started = time.monotonic()
    comparison = compare(
        scenario,
        tuple(TRANSPORTS),
        over={"topology.hops": hops},
        seeds=seeds,
        threads=threads,
        series_interval_s=SAMPLE_S,
        progress=progress,
    )
    return Study(comparison, time.monotonic() - started)


def table(study: Study, metric: str) -> ReportTable:
    """One row per chain, one column per transport."""
    spec, comparison = METRICS[metric], study.comparison
    rows = tuple(
        (
            str(hops),
            *(shown_number(comparison.interval(metric, name, hops=hops), spec) for name in comparison.transports),
        )
        for hops in comparison.axes["topology.hops"]
    )
    header = ("hops", *(LABELS[name] for name in comparison.transports))
    note = f"Mean and half-width of the 95 % Student-t interval, n = {len(comparison.seeds)} per cell."
    return ReportTable(spec.axis, header, rows, note)


def report(study: Study, *, command: str) -> Report:
    """The study as a report."""
    comparison = study.comparison
    runs = len(comparison.points) * len(comparison.seeds)
    lead = (
        "NewReno, SACK and Vegas over chains of 802.11 nodes, the ground on which Lien and Hsiao compare TCP Muzha. "
        f"{len(comparison.seeds)} seeds per point, the same for every transport; 50 s of traffic from the first node "
        "to the last, static routes."
    )
    hops = comparison.axes["topology.hops"]
    return Report(
        title=f"TCP over chains of {hops[0]} to {hops[-1]} hops",
        lead=lead,
        summary=summary(study),
        figures=figures(study),
        tables=[table(study, "goodput_bps"), table(study, "retransmissions"), table(study, "timeouts")],
        assumptions=ASSUMPTIONS,
        environment=[
            *environment(),
            Fact("study", f"{counted(runs, 'run')} in {study.wall_s:.1f} s"),
            Fact("seeds", ", ".join(map(str, comparison.seeds))),
        ],
        warnings=comparison.warnings,
        scenario_toml=comparison.scenario.resolve().toml,
        command=command,
        bibtex=bibtex("muzha"),
    )


def figures(study: Study) -> list[Figure]:
    """Goodput and retransmissions against hops, and the window against time where those chains were run."""
    comparison = study.comparison
    goodput = _over_hops(study, "goodput_bps", lambda stored: stored.goodput_kbps, "goodput")
    found = [goodput]
    if comparison.axes["topology.hops"][-1] > CLOSER_FROM:
        found.append(_closer(goodput))
    found.append(_over_hops(study, "retransmissions", lambda stored: stored.retransmissions, "retransmissions"))
    for hops in WINDOW_HOPS:
        if hops in comparison.axes["topology.hops"]:
            named = [(LABELS[name], comparison.runs(name, hops=hops), 0) for name in comparison.transports]
            title = f"Congestion window against time, {hops} hops"
            found.append(cwnd_figure(named, start_s=START_S, figure_id=f"cwnd-{hops}", title=title))
    return found


def summary(study: Study) -> list[str]:
    """Summary of the runs, in sentences."""
    comparison = study.comparison
    goodput, again = METRICS["goodput_bps"], METRICS["retransmissions"]
    hops = comparison.axes["topology.hops"]
    sentences = []
    for h in [h for h in WINDOW_HOPS if h in hops] or list(hops[-1:]):
        parts = ", ".join(
            f"{label} {shown_number(comparison.interval('goodput_bps', name, hops=h), goodput)}"
            for name, label in TRANSPORTS.items()
        )
        sentences.append(f"{_hops(h)}: goodput of {parts} kb/s (n = {len(comparison.seeds)}).")
    for h in [h for h in WINDOW_HOPS if h in hops]:
        difference = paired_runs(
            comparison.runs("vegas", hops=h), comparison.runs("new_reno", hops=h), "goodput_bps"
        ).difference
        told = _told(difference.low, difference.high)
        sentences.append(
            f"{_hops(h)}: Vegas minus NewReno is {shown_number(difference, goodput)} kb/s, paired by seed{told}; "
            f"retransmissions: NewReno {shown_number(comparison.interval(again.name, 'new_reno', hops=h), again)}, "
            f"SACK {shown_number(comparison.interval(again.name, 'sack', hops=h), again)}, "
            f"Vegas {shown_number(comparison.interval(again.name, 'vegas', hops=h), again)}."
        )
    sentences += _beside_ns2(study)
    return sentences


def _beside_ns2(study: Study) -> list[str]:
    """How far goodput lies from ns-2's, over all chains that both ran."""
    comparison, far = study.comparison, []
    for point in comparison.points:
        stored = ns2_table().get((point.transport, point.value("topology.hops")))
        ours = point.runs.interval("goodput_bps")
        if stored is None or ours is None:
            continue
        theirs = stored.goodput_kbps
        difference = ours.mean / 1e3 - theirs.mean
        allowed = max(SHARE_ALLOWED * theirs.mean, (ours.half_width or 0.0) / 1e3 + (theirs.half_width or 0.0))
        far.append((abs(difference) / theirs.mean, abs(difference) <= allowed, point))
    if not far:
        return []
    share, _, point = max(far, key=lambda row: row[0])
    inside = sum(within for _, within, _ in far)
    sentence = (
        f"Beside ns-2.35 on the same chains: {inside} of {len(far)} goodputs within {100 * SHARE_ALLOWED:g} % or the "
        f"sum of the half-widths; the largest difference is {100 * share:.1f} % ({TRANSPORTS[point.transport]}, "
        f"{_hops(point.value('topology.hops'))})."
    )
    return [sentence]


def _over_hops(study: Study, metric: str, stored: Callable[[Stored], Interval], figure_id: str) -> Figure:
    """A metric against hops, with the results of ns-2."""
    comparison = study.comparison
    figure = comparison_figure(comparison, metric, figure_id=figure_id)
    curves = [
        replace(curve, name=LABELS[name]) for curve, name in zip(figure.curves, comparison.transports, strict=True)
    ]
    hops = [h for h in comparison.axes["topology.hops"] if (comparison.transports[0], h) in ns2_table()]
    for slot, name in enumerate(name for name in comparison.transports if name in TRANSPORTS):
        intervals = [stored(ns2_table()[name, h]) for h in hops]
        theirs = interval_curve(f"{TRANSPORTS[name]}, ns-2", [float(h) for h in hops], intervals, 1.0, slot=slot)
        if hops:
            curves.append(replace(theirs, style="marks"))
    return replace(
        figure,
        title=f"{METRICS[metric].label} against hops",
        x_label="hops",
        curves=tuple(curves),
        caption=f"{figure.caption} {NS2_NOTE}" if hops else figure.caption,
    )


def _closer(figure: Figure) -> Figure:
    """The same figure for the longer chains alone, on an axis that does not begin at zero."""
    return replace(
        figure,
        id=f"{figure.id}-closer",
        title=f"{figure.title}, {CLOSER_FROM} hops and more",
        curves=tuple(_from(curve, CLOSER_FROM) for curve in figure.curves),
        caption=f"The same numbers; the axis does not begin at zero. {figure.caption}",
        y_from_zero=False,
    )


def _from(curve: Curve, first: float) -> Curve:
    kept = [i for i, x in enumerate(curve.x) if x >= first]

    def cut(values: Sequence[float] | None) -> list[float] | None:
        return None if values is None else [values[i] for i in kept]

    n = curve.n if curve.n is None or isinstance(curve.n, int) else [curve.n[i] for i in kept]
    return replace(curve, x=cut(curve.x) or [], y=cut(curve.y) or [], low=cut(curve.low), high=cut(curve.high), n=n)


def _hops(count: int) -> str:
    return counted(count, "hop")


def _told(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return " (no interval)"
    return " (not significant)" if low <= 0.0 <= high else ""
