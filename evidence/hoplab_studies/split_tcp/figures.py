"""Figures and tables of the study of Split TCP."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from statistics import fmean

from hoplab.figures import Figure
from hoplab.figures.build import means_of
from hoplab.report.model import ReportTable
from hoplab.stats import Interval, mean_interval
from hoplab_studies.shared.drawing import curve, per_point, seeds_of
from hoplab_studies.shared.measures import ratio
from hoplab_studies.shared.numbers import goodput
from hoplab_studies.shared.study import DEFAULT, Grid, Grids, short
from hoplab_studies.shared.verdict import shown
from hoplab_studies.split_tcp import measures as of
from hoplab_studies.split_tcp import typical
from hoplab_studies.split_tcp.scenarios import BY_DISTANCE, SPLIT

LABELS = {"reno": "Reno", "new_reno": "NewReno", "tahoe": "Tahoe", SPLIT: "Split TCP"}
KBYTE = 1.0 / 8000.0
"""Kilobytes per second in one bit per second."""


def label(transport: str) -> str:
    """A transport's name in figures."""
    return LABELS[transport]


def figure_3(scripted: Grid, mobile: Grid) -> Sequence[Figure]:
    """Figure 3: the scripted chain with its intervals, and a mobile run that a rule has chosen."""
    return [*received(scripted), *typical.drawn(mobile, LABELS)]


def received(grid: Grid) -> Sequence[Figure]:
    """Figure 3: packets received since the start, of all connections and of the one whose link is down."""
    durations = grid.values("duration")
    found = []
    for name, title, flow in (("total", "of all connections", None), ("first", "of the connection that is cut", 0)):
        curves = []
        for slot, transport in enumerate(grid.values("transport")):
            counts = [[of.delivered(run, flow) for run in grid.at(duration=d, transport=transport)] for d in durations]
            curves.append(curve(label(transport), map(of.seconds, durations), counts, 1.0 / of.SEGMENT_BITS, slot=slot))
        caption = f"{per_point(grid)} Node 1 is off from 50 s to 60 s."
        what = f"Packets received {title}"
        found.append(Figure(f"outage-{name}", what, "time (s)", "packets in order", tuple(curves), caption))
    return found


def two_rates(transport: str, grid: Grid) -> Sequence[Figure]:
    """Figures 4 and 5: throughput of both connections between the times looked at."""
    spans = list(itertools.pairwise(grid.values("duration")))
    curves = []
    for slot, name in enumerate(("the first", "the second, 2 s later")):
        rates = [of.rate_between(grid, *span, flow=slot, transport=transport) for span in spans]
        curves.append(curve(name, [of.seconds(end) for _, end in spans], rates, KBYTE, slot=slot))
    caption = f"{means_of(seeds_of(grid))} per point, over the time since the point before. The first has 2 MB to send."
    title = f"Throughput of two connections, {label(transport)}"
    axis = "throughput (KB/s)"
    return [Figure(f"early-{transport.replace('_', '-')}", title, "time (s)", axis, tuple(curves), caption)]


def surface(transport: str, grid: Grid) -> Sequence[Figure]:
    """Figures 6 and 7: throughput against hops, a curve per duration."""
    hops = grid.values("hops")
    curves = []
    for slot, duration in enumerate(grid.values("duration")):
        points = [grid.at(hops=h, duration=duration, transport=transport).values() for h in hops]
        curves.append(curve(duration, hops, points, KBYTE, slot=slot))
    name, title = f"chain-{transport.replace('_', '-')}", f"Throughput over chains, {label(transport)}"
    caption = f"{per_point(grid)} A curve per duration of the connection."
    return [Figure(name, title, "hops", "throughput (KB/s)", tuple(curves), caption, integer_x=True)]


def tables(grids: Grids, mobile: Sequence[str], wide: str) -> list[ReportTable]:
    """The numbers behind figures and claims, for every series of assumptions."""
    found = []
    if (wide, DEFAULT) in grids:
        found += [
            _networks(grids, mobile, wide),
            *_choices(grids, mobile),
            _distances(grids),
            _failures(grids),
            _other_series(grids),
        ]
    for part, make in (("outage", _outage), ("early", _early), ("chain", _chains)):
        series = {name: grid for (of_part, name), grid in grids.items() if of_part == part}
        if series and all(len(grid.values("transport")) > 1 for grid in series.values()):
            found.append(make(series))
    return found


def _networks(grids: Grids, mobile: Sequence[str], wide: str) -> ReportTable:
    rows: list[tuple[str, tuple[Grid, ...]]] = [
        (f"50 nodes, 10 m/s, {name.removeprefix('mobile-')} connections", (grids[name, DEFAULT],)) for name in mobile
    ]
    spread = grids[wide, DEFAULT]
    for nodes in spread.values("nodes"):
        for speed in spread.values("max_speed"):
            at = {"nodes": nodes, "max_speed": speed}
            rows.append((f"{nodes} nodes, {speed}, 4 connections", (_only(spread, at),)))
    rows.append(("all of these", (*(grids[name, DEFAULT] for name in mobile), spread)))
    header = ("networks", "draws", "plain TCP, kb/s", "Split TCP, kb/s", "ratio", "median gain", "quartiles", "U plain",
              "U Split", "ratio of U")  # fmt: skip
    note = (
        "Totals of all connections. Means: 95 % Student-t intervals over seeds; ratios: Fieller's; medians: bootstrap."
    )
    return ReportTable("Mobile networks", header, tuple(_network(name, *found) for name, found in rows), note)


def _only(grid: Grid, where: Mapping[str, object]) -> Grid:
    """The points of a grid with some settings."""

    def narrowed(one: Grid) -> Grid:
        kept = {
            s: r for s, r in one.points.items() if all({short(k): w for k, w in s}[n] == v for n, v in where.items())
        }
        return Grid(one.axes, kept)

    alone = tuple(narrowed(one) for one in grid.alone)
    return Grid(grid.axes, narrowed(grid).points, alone)


def _network(name: str, *grids: Grid) -> tuple[str, ...]:
    by_seed = of.draws(*grids)
    plain, split = ([fmean([goodput(getattr(d, side)) for d in one]) for one in by_seed] for side in ("plain", "split"))
    gains = [[draw.gain for draw in one] for one in by_seed]
    quartiles = [of.quantile(gains, q).mean for q in (0.25, 0.75)]
    u_plain, u_split = of.mean_u(by_seed)
    return (
        name,
        str(sum(map(len, by_seed))),
        shown(mean_interval(plain).scaled(1e-3)),
        shown(mean_interval(split).scaled(1e-3)),
        shown(ratio(split, plain)),
        _percent(of.quantile(gains, 0.5)),
        f"{quartiles[0]:+.0%} to {quartiles[1]:+.0%}",
        shown(mean_interval(u_plain)) if u_plain else "none",
        shown(mean_interval(u_split)) if u_split else "none",
        shown(ratio(u_split, u_plain)) if u_plain else "none",
    )


def _percent(found: Interval) -> str:
    if found.low is None or found.high is None:
        return f"{found.mean:+.1%}"
    return f"{found.mean:+.1%} ({found.low:+.1%} to {found.high:+.1%})"


def _distances(grids: Grids) -> ReportTable:
    grid = grids["distance", DEFAULT]
    rows = []
    for d_p in grid.values("d_p"):
        u = [one.u for one in of.unfairness(grid, d_p=d_p) if one.u == one.u]
        totals = mean_interval(grid.at(d_p=d_p).values())
        rows.append((str(d_p), shown(totals.scaled(1e-3)), shown(mean_interval(u)) if u else "none"))
    note = "4 connections among 50 mobile nodes; means with 95 % Student-t intervals over seeds."
    return ReportTable("Distance of proxies", ("hops", "total, kb/s", "U"), tuple(rows), note)


def _choices(grids: Grids, mobile: Sequence[str]) -> list[ReportTable]:
    """The distances that the paper uses, over the same draws of 3 to 5 connections."""
    if not all((part, series) in grids for part in mobile for series in BY_DISTANCE.values()):
        return []
    rows = [
        _network(f"every {hops} hops", *(grids[part, series] for part in mobile))
        for hops, series in BY_DISTANCE.items()
    ]
    header = ("proxies", "draws", "plain TCP, kb/s", "Split TCP, kb/s", "ratio", "median gain", "quartiles", "U plain",
              "U Split", "ratio of U")  # fmt: skip
    note = "50 mobile nodes, 3, 4 and 5 connections; as in the table of mobile networks."
    return [ReportTable("Distances that the paper uses", header, tuple(rows), note)]


def _failures(grids: Grids) -> ReportTable:
    grid, base = grids["failures", DEFAULT], grids["mobile-4", DEFAULT]
    plain = base.at(transport=of.plain_of(base)).values()
    rows = []
    for rate in grid.values("rate"):
        runs = grid.at(rate=rate)
        lost = mean_interval([float(sum(proxy["lost"] for proxy in run.proxies)) for run in runs])
        again = mean_interval([float(sum(flow["e2e_resent"] for flow in run.split)) for run in runs])
        cells = (shown(mean_interval(runs.values()).scaled(1e-3)), shown(ratio(runs.values(), plain)))
        rows.append((f"{rate:.0%}", *cells, shown(lost), shown(again)))
    header = ("proxies off", "total, kb/s", "over plain TCP", "segments lost", "retransmitted by sources")
    note = "4 connections among 50 mobile nodes; means with 95 % Student-t intervals over seeds."
    return ReportTable("Failing proxies", header, tuple(rows), note)


def _other_series(grids: Grids) -> ReportTable:
    rows = [_network(name, grid) for (part, name), grid in grids.items() if part == "mobile-4"]
    header = ("series", "draws", "plain TCP, kb/s", "Split TCP, kb/s", "ratio", "median gain", "quartiles", "U plain",
              "U Split", "ratio of U")  # fmt: skip
    note = "4 connections among 50 mobile nodes, one assumption replaced; as in the table of mobile networks."
    return ReportTable("Mobile networks under other assumptions", header, tuple(rows), note)


def _outage(series: Mapping[str, Grid]) -> ReportTable:
    rows = []
    spans = (("40 s", "50 s"), ("50 s", "52 s"), ("50 s", "60 s"), ("60 s", "70 s"))
    for name, grid in series.items():
        for transport in grid.values("transport"):
            rates = [mean_interval(of.rate_between(grid, *span, flow=0, transport=transport)) for span in spans]
            all_ = [mean_interval(of.rate_between(grid, *span, transport=transport)) for span in (spans[0], spans[2])]
            cells = [shown(rate.scaled(1e-3)) for rate in (*rates, *all_)]
            rows.append((name, label(transport), *cells))
    header = ("series", "protocol", *(f"{a} to {b}" for a, b in spans), "all, before", "all, outage")
    note = "kb/s of the connection whose second link is down from 50 s to 60 s, and of all connections; 95 % intervals."
    return ReportTable("A link that breaks", header, tuple(rows), note, left=2)


def _early(series: Mapping[str, Grid]) -> ReportTable:
    rows = []
    times = ("10 s", "20 s", "40 s", "80 s")
    for name, grid in series.items():
        for transport in grid.values("transport"):
            cells = []
            for time in times:
                runs = grid.at(duration=time, transport=transport)
                bits = [(of.delivered(run, 0), of.delivered(run, 1)) for run in runs]
                cells.append(shown(mean_interval([b / (a + b) if a + b > 0.0 else 0.0 for a, b in bits])))
            still = sum(b <= 0.02 * a for a, b in bits)
            rows.append((name, label(transport), *cells, f"{still} of {len(bits)}"))
    header = ("series", "protocol", *(f"until {time}" for time in times), f"below 2 % until {times[-1]}")
    note = "Share of the second connection, which starts 2 s later, in what both have received; 95 % intervals."
    return ReportTable("An early start", header, tuple(rows), note, left=2)


def _chains(series: Mapping[str, Grid]) -> ReportTable:
    rows = []
    for name, grid in series.items():
        duration = grid.values("duration")[-1]
        for hops in grid.values("hops"):
            both = (of.plain_of(grid), SPLIT)
            plain, split = (grid.at(hops=hops, duration=duration, transport=t).values() for t in both)
            cells = (mean_interval(plain).scaled(1e-3), mean_interval(split).scaled(1e-3), ratio(split, plain))
            rows.append((name, str(hops), *map(shown, cells)))
    header = ("series", "hops", "plain TCP, kb/s", "Split TCP, kb/s", "ratio")
    return ReportTable("Chains, longest duration", header, tuple(rows), "95 % intervals over seeds.", left=1)
