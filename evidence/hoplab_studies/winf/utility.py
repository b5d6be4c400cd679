"""Figure 15 of the rt-Winf paper: two flows of TCP and two of a Winf form over the same two relays, over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from hoplab.figures import Curve, Figure
from hoplab.figures.build import interval_curve
from hoplab.report.model import ReportTable
from hoplab.running.runs import Run
from hoplab.stats import mean_interval
from hoplab_studies.shared.measures import more_than, nothing
from hoplab_studies.shared.study import DEFAULT, Axes, Check, Grid, Grids, Margin, Part, Shown, Variation
from hoplab_studies.shared.verdict import Condition, shown
from hoplab_studies.winf import scenarios as ground
from hoplab_studies.winf.measures import at_most_share, median, progress, spread
from hoplab_studies.winf.scenarios import PROTOCOLS, START_S, WINF

NAME = "utility"
AXIS = "flow.2.transport,flow.3.transport"
EARLY_S = 20
"""Length of the beginning, and of the end, that claims look at, s."""

FRIENDLY = (0.6, 1.67)
"""Range of the ratio of the two classes that counts as friendly."""

CAUGHT_UP = 0.8
"""Share of TCP's running average at which a class has caught up, if it stays there."""

HANGS_ON = "one first-in first-out queue at each relay, places of the nodes"


def part(*, quick: bool) -> Part:
    """Two minutes of both classes, TCP against each Winf form."""
    seconds = 60.0 if quick else 120.0
    axes: Axes = {AXIS: WINF}
    window = Variation("window20", "a window limit of 20 segments in place of 200", {"flow.window": 20})
    readings = (ground.NORMALISED, ground.PRINTED_28, ground.CHANNEL, ground.CHANNEL_NORMALISED)
    series = tuple(one.over(axes) for one in (ground.LITERAL, window, *readings))
    return Part(NAME, ground.utility(duration_s=seconds), axes, () if quick else series)


def figures() -> list[Shown]:
    """Panels (a) and (b)."""
    return [
        Shown(
            f"fig15{letter}", f"TCP and {PROTOCOLS[form]} over time", NAME, {AXIS: WINF}, partial(_draw, letter, form)
        )
        for letter, form in zip("ab", WINF, strict=True)
    ]


def checks() -> list[Check]:
    """One per claim."""
    return [
        Check("W-F15a", NAME, HANGS_ON, _tcp_first),
        Check(
            "W-F15b",
            NAME,
            HANGS_ON,
            _friendly_in_the_end,
            margins=(Margin({}, FRIENDLY[1], ("goodput_series_bps",), flows=(2, 3)),),
        ),
        Check("W-F15c", NAME, HANGS_ON, _xcp_form_sooner),
        Check("W-F15d", NAME, HANGS_ON, _rcp_form_unsteady),
        Check("W-F15e", NAME, HANGS_ON, _takes_time),
    ]


def classes(run: Run) -> tuple[list[float], list[float]]:
    """Rate of the TCP flows together, and of the others, per second from the start of the flows on, bit/s."""
    rates = [flow[round(START_S) :] for flow in progress(run)]
    first, second = ([math.fsum(pair) for pair in zip(*rates[at : at + 2], strict=True)] for at in (0, 2))
    return first, second


def _running(rates: Sequence[float]) -> list[float]:
    """Average from the start on, as the paper's figure has it."""
    total, found = 0.0, []
    for n, rate in enumerate(rates, start=1):
        total += rate
        found.append(total / n)
    return found


def _of(grid: Grid, form: str) -> list[tuple[list[float], list[float]]]:
    return [classes(run) for run in grid.at(transport=form)]


def _mean(rates: Sequence[float]) -> float:
    return math.fsum(rates) / len(rates)


def _tcp_first(grid: Grid) -> list[Condition]:
    """W-F15a: TCP ahead in the first 20 s in at least 70 % of the seeds."""
    return [
        at_most_share(
            f"seeds in which TCP is ahead of {PROTOCOLS[form]} in the first {EARLY_S} s",
            [float(_mean(tcp[:EARLY_S]) > _mean(winf[:EARLY_S])) for tcp, winf in _of(grid, form)],
            0.7,
        )
        for form in WINF
    ]


def _friendly_in_the_end(grid: Grid) -> list[Condition]:
    """W-F15b: ratio of the means over the last 20 s within 0.6 and 1.67."""
    found = []
    for form in WINF:
        pairs = [(_mean(tcp[-EARLY_S:]), _mean(winf[-EARLY_S:])) for tcp, winf in _of(grid, form)]
        unit = _mean([tcp for tcp, _ in pairs]) or 1.0
        share = mean_interval([winf / unit for _, winf in pairs])
        low = mean_interval([(winf - FRIENDLY[0] * tcp) / unit for tcp, winf in pairs])
        high = mean_interval([(FRIENDLY[1] * tcp - winf) / unit for tcp, winf in pairs])
        what = f"{PROTOCOLS[form]} over TCP in the last {EARLY_S} s"
        found += [
            Condition(what, share, f">= {FRIENDLY[0]:g}", (low,), by_interval=True, band=FRIENDLY),
            Condition(what, share, f"<= {FRIENDLY[1]:g}", (high,), by_interval=True, band=FRIENDLY),
        ]
    return found


def _caught_up(tcp: Sequence[float], winf: Sequence[float]) -> float:
    """From when on the running average stays at 80 % of TCP's or more, s; the whole time if it ends below."""
    pairs = list(enumerate(zip(_running(tcp), _running(winf), strict=True), start=1))
    below = [n for n, (t, w) in pairs if t <= 0.0 or w < CAUGHT_UP * t]
    return float(min(below[-1] + 1, len(tcp)) if below else 1)


def _xcp_form_sooner(grid: Grid) -> list[Condition]:
    """W-F15c: XCP-Winf catches up before RCP-Winf, in the median over seeds."""
    xcp, rcp = ([_caught_up(*pair) for pair in _of(grid, form)] for form in WINF)
    later = [b - a for a, b in zip(xcp, rcp, strict=True)]
    middle = median(later)
    what = (
        f"time to {CAUGHT_UP:g} of TCP, RCP-Winf less XCP-Winf, s "
        f"(medians {median(xcp).mean:.0f} and {median(rcp).mean:.0f}; median of the differences)"
    )
    return [more_than(what, middle, 0.0)]


def _rcp_form_unsteady(grid: Grid) -> list[Condition]:
    """W-F15d: variation over the first 20 s, RCP-Winf above XCP-Winf."""
    xcp, rcp = ([spread(winf[:EARLY_S]) for _, winf in _of(grid, form)] for form in WINF)
    both = [(a, b) for a, b in zip(xcp, rcp, strict=True) if math.isfinite(a) and math.isfinite(b)]
    if not both:
        return [nothing("variation in the first 20 s")]
    more = mean_interval([b - a for a, b in both])
    return [more_than(f"variation in the first {EARLY_S} s, RCP-Winf less XCP-Winf", more, 0.0)]


def _takes_time(grid: Grid) -> list[Condition]:
    """W-F15e: more than 20 s until 80 % of TCP's rate, in the median over seeds."""
    found = []
    for form in WINF:
        times = median([_caught_up(*pair) for pair in _of(grid, form)])
        found.append(more_than(f"time of {PROTOCOLS[form]} to {CAUGHT_UP:g} of TCP, s (median)", times, EARLY_S))
    return found


def _draw(letter: str, form: str, grid: Grid) -> Sequence[Figure]:
    pairs = _of(grid, form)
    curves = []
    for slot, (label, which) in enumerate((("TCP", 0), (PROTOCOLS[form], 1))):
        series = [_running(pair[which]) for pair in pairs]
        intervals = [mean_interval(at) for at in zip(*series, strict=True)]
        curve = interval_curve(label, [float(i + 1) for i in range(len(intervals))], intervals, 1e-3, slot=slot)
        curves.append(Curve(label, curve.x, curve.y, curve.low, curve.high, curve.n, "line", slot))
    title = f"Average rate of two flows of TCP and two of {PROTOCOLS[form]}"
    caption = f"From the flows' start on. Means with 95 % bands over {len(pairs)} seeds."
    return [Figure(f"utility-{letter}", title, "time (s)", "average rate (kb/s)", tuple(curves), caption)]


def tables(grids: Grids) -> list[ReportTable]:
    """Rates at the beginning and at the end."""
    rows = []
    for series, beside in ((DEFAULT, ""), (ground.LITERAL.name, "as printed"), ("window20", "window 20")):
        if (NAME, series) not in grids:
            continue
        for form in WINF:
            pairs = _of(grids[NAME, series], form)
            for which, label in enumerate(("TCP", PROTOCOLS[form])):
                cells = [
                    shown(mean_interval([_mean(pair[which][chosen]) * 1e-3 for pair in pairs]))
                    for chosen in (slice(0, EARLY_S), slice(-EARLY_S, None), slice(None))
                ]
                rows.append((f"TCP and {PROTOCOLS[form]}", beside, label, *cells))
    if not rows:
        return []
    header = ("pair", "series", "class", f"first {EARLY_S} s (kb/s)", f"last {EARLY_S} s (kb/s)", "all (kb/s)")
    return [
        ReportTable(
            "Two classes over the same relays (Figure 15)", header, tuple(rows), "Means with 95 % intervals.", 3
        )
    ]
