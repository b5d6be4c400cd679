"""Semi-TCP's published program and TCP-AP over static chains, against the results that were released with it.

One seed each there, so an interval of theirs does not exist; hop counts that are not stored are run and not judged.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

from hoplab.stats import Interval, mean_interval
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import published
from hoplab_studies.semi_tcp.claims import AP, BOTH, MORE, NEW_RENO, SEMI, label
from hoplab_studies.semi_tcp.measures import curve, points
from hoplab_studies.shared.measures import (
    Range,
    at_least,
    at_most,
    in_range,
    less_than,
    margin,
    rank_correlation,
    ratio,
)
from hoplab_studies.shared.numbers import Measure
from hoplab_studies.shared.resampling import condition, ratio_of_sums
from hoplab_studies.shared.study import Grid
from hoplab_studies.shared.verdict import Condition

NEAR, FAR = 0.15, 0.25
"""How far a point may lie from the released one, up to 6 hops and beyond."""

NEAR_HOPS = 6
APART = 1.05
"""Released values that differ by more than this have an order."""

TREND_ONLY = 0.40
"""How far where link failures are reported: one seed there, and erratic."""

ACKED = 1.1
FEEDBACK_FROM = 6
CHAIN_BOUND = 0.34

Table = Mapping[int, Mapping[str, str]]


def table(name: str) -> Table:
    """Released rows by hops."""
    return {int(row["hops"]): row for row in published.numbers(name)}


def tolerance(hops: int) -> float:
    """The share by which a point may differ."""
    return NEAR if hops <= NEAR_HOPS else FAR


def values(grid: Grid, measure: Measure, hops: int, name: str, scale: float = 1.0) -> list[float]:
    """A measure of every seed; 0 where a run does not have it."""
    return [(measure(run) or 0.0) * scale for run in grid.at(hops=hops, transport=name)]


def levels(  # noqa: PLR0913 (all but four by keyword)
    what: str,
    grid: Grid,
    measure: Callable[[int], Measure],
    name: str,
    column: str,
    *,
    scale: float = 1.0,
    allowed: Callable[[int], float] = tolerance,
    stored: str = "semi_tcp_released",
) -> list[Condition]:
    """Every released point within its tolerance."""
    found = []
    for hops, row in table(stored).items():
        theirs = float(row[column])
        ours = mean_interval([v / theirs for v in values(grid, measure(hops), hops, name, scale)])
        share = allowed(hops)
        among = 1.0 - share, 1.0 + share
        said = f"{what} over the released {theirs:g}, {hops} hops"
        found.append(in_range(said, ours, among))
    return found


def orders(
    what: str, first: Grid, second: Grid, columns: tuple[str, str], stored: str = "semi_tcp_released"
) -> list[Condition]:
    """Semi-TCP above or below TCP-AP wherever the released values differ by more than 5 %."""
    found = []
    for hops, row in table(stored).items():
        theirs = float(row[columns[0]]) / float(row[columns[1]])
        if max(theirs, 1.0 / theirs) <= APART:
            continue
        semi, ap = values(first, of.unique, hops, SEMI), values(second, of.unique, hops, AP)
        judge = at_least if theirs > 1.0 else at_most
        found.append(judge(f"{what} over TCP-AP (released {theirs:.2f}), {hops} hops", semi, ap, 1.0, trend=None))
    return found


def none_against_ap(grid: Grid) -> list[Condition]:
    """AUX-1: levels of both, and their order."""
    return [
        *levels("kb/s of Semi-TCP", grid, lambda _: of.unique, SEMI, "none_kbps", scale=1e-3),
        *levels("kb/s of TCP-AP", grid, lambda _: of.unique, AP, "ap_kbps", scale=1e-3),
        *orders("Semi-TCP", grid, grid, ("none_kbps", "ap_kbps")),
    ]


def single_against_ap(single: Grid, grid: Grid) -> list[Condition]:
    """AUX-2: levels, order, and the ratio to TCP-AP near 1 everywhere."""
    among: Range = (0.94 * (1 - NEAR), 1.08 * (1 + NEAR))
    near = []
    for hops in table("semi_tcp_released"):
        found = ratio(values(single, of.unique, hops, SEMI), values(grid, of.unique, hops, AP))
        near.append(in_range(f"all acknowledged, over TCP-AP, {hops} hops", found, among))
    return [
        *near,
        *levels("kb/s, all acknowledged,", single, lambda _: of.unique, SEMI, "single_kbps", scale=1e-3),
        *orders("all acknowledged", single, grid, ("single_kbps", "ap_kbps")),
    ]


def fewer_acks(grid: Grid) -> list[Condition]:
    """AUX-3: acknowledgments per segment as released, at most 0.3 at 19 hops; TCP-AP's one."""
    found = []
    for hops, row in table("semi_tcp_released_counts").items():
        theirs = int(row["acks_sent"]) / int(row["unique"])
        ours = mean_interval([v / theirs for v in values(grid, of.acks_per_segment, hops, SEMI)])
        among = 1.0 - tolerance(hops), 1.0 + tolerance(hops)
        said = f"acknowledgments per segment over the released {theirs:.3f}, {hops} hops"
        found.append(in_range(said, ours, among))
    ap = mean_interval(values(grid, of.acks_per_segment, 19, AP))
    return [
        *found,
        in_range("TCP-AP's acknowledgments per segment, 19 hops", ap, (0.9, 1.1)),
    ]


def least_at_six(grid: Grid) -> list[Condition]:
    """AUX-4: Semi-TCP least near 6 hops and rising after; TCP-AP falling from 4 hops on."""
    known = [h for h in grid.values("hops") if h in table("semi_tcp_released")]
    semi = curve(grid, of.unique, "hops", only=lambda h: h in known, transport=SEMI)
    ap = curve(grid, of.unique, "hops", only=lambda h: h in known and h >= 4, transport=AP)

    def least(v: Sequence[float]) -> float:
        return float(known[min(range(len(v)), key=lambda i: v[i])])

    beyond = [h for h in known if h >= 4]
    return [
        condition("hops of Semi-TCP's least throughput", least, semi, among=(5.0, 7.0)),
        at_least("Semi-TCP, 19 hops over 6", values(grid, of.unique, 19, SEMI), values(grid, of.unique, 6, SEMI), 1.0),
        condition(
            "rank correlation of TCP-AP with hops, 4 and more",
            lambda v: rank_correlation(beyond, v),
            ap,
            among=(-1.0, -0.9),
            trend=(-1.0, 0.0),
        ),
    ]


def delays(single: Grid, grid: Grid) -> list[Condition]:
    """AUX-5: delays of all three as released; that of the second grows with the path."""
    known = [h for h in single.values("hops") if h in table("semi_tcp_released")]
    rows = curve(single, of.delay, "hops", only=lambda h: h in known, transport=SEMI)
    return [
        *levels("delay of Semi-TCP, ms,", grid, lambda _: of.delay, SEMI, "none_delay_ms", scale=1e3),
        *levels("delay, all acknowledged, ms,", single, lambda _: of.delay, SEMI, "single_delay_ms", scale=1e3),
        *levels("delay of TCP-AP, ms,", grid, lambda _: of.delay, AP, "ap_delay_ms", scale=1e3),
        condition("correlation of delay with hops, all acknowledged", _linear(known), rows, among=(0.98, 1.0)),
    ]


def _linear(x: Sequence[float]) -> Callable[[Sequence[float]], float]:
    """Pearson's coefficient."""

    def of_means(y: Sequence[float]) -> float:
        mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
        cross = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        spread = math.fsum((a - mean_x) ** 2 for a in x) * math.fsum((b - mean_y) ** 2 for b in y)
        return cross / math.sqrt(spread) if spread > 0.0 else math.nan

    return of_means


def pacing_begins_at_four(grid: Grid) -> list[Condition]:
    """AUX-6: TCP-AP's delay falls from 3 to 4 hops."""
    four, three = (values(grid, of.delay, h, AP) for h in (4, 3))
    return [at_most("delay of TCP-AP, 4 hops over 3 (released 0.64)", four, three, 0.64 * (1.0 + NEAR))]


def requests(grid: Grid) -> list[Condition]:
    """AUX-7: requests per exchange."""
    return [
        *levels("RTS per exchange, Semi-TCP,", grid, of.rts_per_exchange, SEMI, "none_rts"),
        *levels("RTS per exchange, TCP-AP,", grid, of.rts_per_exchange, AP, "ap_rts"),
    ]


def other_series(paced: Grid, silent: Grid, delayed: Grid) -> list[Condition]:
    """AUX-12: Semi-TCP with TCP-AP's clock, TCP-AP with a receiver silent out of order, and both with delayed ACKs."""
    series = (
        ("Semi-TCP with TCP-AP's clock", paced, SEMI, "paced_kbps"),
        ("TCP-AP, without ACKs for segments out of order,", silent, AP, "ap_none_kbps"),
        ("Semi-TCP, delayed acknowledgments,", delayed, SEMI, "delayed_kbps"),
        ("TCP-AP, delayed acknowledgments,", delayed, AP, "ap_delayed_kbps"),
    )
    return [
        found
        for name, grid, transport, column in series
        for found in levels(f"kb/s of {name}", grid, lambda _: of.unique, transport, column, scale=1e-3)
    ]


# ---- link failures reported -----------------------------------------------------------------------------------------

FAILURES = "semi_tcp_released_failures"


def with_failures(single: Grid, grid: Grid) -> list[Condition]:
    """AUX-8: levels within 40 %, and Semi-TCP above TCP-AP from 4 hops on in the mean."""

    def loose(_: int) -> float:
        return TREND_ONLY

    of_unique = lambda _: of.unique  # noqa: E731
    long = [h for h in table(FAILURES) if h >= 4]
    semi, ap = ([values(grid, of.unique, h, name) for h in long] for name in BOTH)
    return [
        *levels("kb/s of Semi-TCP", grid, of_unique, SEMI, "none_kbps", scale=1e-3, allowed=loose, stored=FAILURES),
        *levels(
            "kb/s, all acknowledged,",
            single,
            of_unique,
            SEMI,
            "single_kbps",
            scale=1e-3,
            allowed=loose,
            stored=FAILURES,
        ),
        *levels("kb/s of TCP-AP", grid, of_unique, AP, "ap_kbps", scale=1e-3, allowed=loose, stored=FAILURES),
        condition(
            "Semi-TCP over TCP-AP, sum over 4 to 19 hops", ratio_of_sums, semi, ap, among=(1.1, math.inf), trend=MORE
        ),
    ]


def progress_in_order(grid: Grid) -> list[Condition]:
    """AUX-9: beyond 5 hops much of what Semi-TCP delivers is not in order, and there it is behind TCP-AP."""
    long = [h for h in table(FAILURES) if h >= FEEDBACK_FROM]
    unique, in_order = (
        {name: [values(grid, measure, h, name) for h in long] for name in BOTH} for measure in (of.unique, of.goodput)
    )

    def behind(a: Sequence[float], b: Sequence[float]) -> float:
        return sum(x < y for x, y in zip(a, b, strict=True)) / len(a)

    return [
        condition(
            "in order over distinct, Semi-TCP, 6 to 19 hops",
            ratio_of_sums,
            in_order[SEMI],
            unique[SEMI],
            among=(0.0, 0.75),
            trend=(0.0, 0.95),
        ),
        condition(
            "in order over distinct, TCP-AP, 6 to 19 hops", ratio_of_sums, in_order[AP], unique[AP], among=(0.98, 1.0)
        ),
        condition(
            "share of chains in which Semi-TCP is behind in order",
            behind,
            in_order[SEMI],
            in_order[AP],
            among=(0.5, 1.0),
            trend=(0.2, 1.0),
        ),
    ]


def scatter(grid: Grid) -> list[Condition]:
    """AUX-11: what neighboring chains of one seed differ by."""
    found = []
    for name in BOTH:
        by_hops = [values(grid, of.unique, h, name) for h in grid.values("hops") if h >= FEEDBACK_FROM]
        each = []
        for seed in zip(*by_hops, strict=True):
            steps = [abs(b - a) / (0.5 * (a + b)) for a, b in itertools.pairwise(seed) if a + b > 0.0]
            each.append(math.fsum(steps) / len(steps) if steps else 0.0)
        found.append(_scattered(name, mean_interval(each)))
    return found


def _scattered(name: str, each: Interval) -> Condition:
    among = (0.1, TREND_ONLY)
    what = f"mean relative step between neighboring chains of one seed, {label(name)}"
    return in_range(what, each, among)


# ---- further ---------------------------------------------------------------------------------------------------------


def chain_bound(grid: Grid) -> list[Condition]:
    """F10-6: from 4 hops on at most a third of one hop's throughput."""
    found = []
    for name in BOTH:
        one = values(grid, of.unique, 1, name)
        found += [
            at_most(f"{label(name)}, {h:g} hops over 1", values(grid, of.unique, int(h), name), one, CHAIN_BOUND)
            for h in points(grid, "hops", only=lambda n: n >= 4)
        ]
    return found


def pacing_pays(measure: Measure, grid: Grid) -> list[Condition]:
    """AP-1: from 7 hops on TCP-AP delivers more than NewReno, and loses a smaller share."""
    found = []
    for h in points(grid, "hops", only=lambda n: n >= 7):
        ap, reno = (values(grid, measure, int(h), name) for name in (AP, NEW_RENO))
        found.append(at_least(f"TCP-AP over NewReno, {h:g} hops", ap, reno, 1.0))
        lost, theirs = (values(grid, of.dropping, int(h), name) for name in (AP, NEW_RENO))
        less = margin(lost, theirs, 1.0)
        what = f"dropping ratio, TCP-AP less NewReno, {h:g} hops"
        found.append(less_than(what, less, 0.0))
    return found
