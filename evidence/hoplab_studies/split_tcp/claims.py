"""The claims of the Split TCP paper as conditions: gains, unfairness, a link that breaks, chains, failing proxies."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import fmean

from hoplab.stats import Interval, mean_interval
from hoplab_studies.shared.measures import (
    Range,
    at_least,
    at_most,
    in_range,
    less_than,
    margin,
    more_than,
    rank_correlation,
    ratio,
)
from hoplab_studies.shared.numbers import goodput
from hoplab_studies.shared.study import Grid, Margin
from hoplab_studies.shared.verdict import Condition
from hoplab_studies.split_tcp import figures as shown
from hoplab_studies.split_tcp import measures as of
from hoplab_studies.split_tcp import scenarios as ground
from hoplab_studies.split_tcp.scenarios import SPLIT

TIMES = ("40 s", "50 s", "52 s", "60 s", "70 s", "100 s")
SHORT, GOOD, LONG = (1, 2), (3, 4, 5), (7, 8)

TOP_GAIN: Range = (0.15, 0.5)
USUAL_GAIN: Range = (0.05, 0.3)
MEAN_GAIN: Range = (1.04, 1.25)
LONG_GAIN: Range = (1.05, 1.30)
U_RATIO: Range = (0.25, 0.6)
MEAN_U_RATIO: Range = (0.2, 0.65)
OUTAGE_U_RATIO: Range = (0.3, 0.8)
U_PLAIN, U_SPLIT, U_ROOM = 0.47, 0.17, 0.2
VERY_UNFAIR, FAIR_U = 0.6, 0.35
MORE_IN_OUTAGE = 1.5
SAME_TOTAL: Range = (0.85, 1.15)
MORE_IN_ALL = Margin({"duration": "60 s"}, (49.0 + 10.0 * SAME_TOTAL[1]) / 59.0)
"""The total grows to the upper end of `SAME_TOTAL` in the outage: of the 59 s of traffic at 60 s, 10 s."""

NOTHING = 0.02
ONE_SEGMENT = of.SEGMENT_BITS / (ground.MENDED_S - ground.CUT_S)
"""Bit/s of one segment in the whole outage."""

STANDSTILL = 0.15
EQUAL: Range = (0.67, 1.5)
FALLING = -0.9
FLAT: Range = (0.9, 1.1)
SAME: Range = (0.95, 1.05)
RARE = 0.02
FLAT_FROM_S = 20.0


def _certain(what: str, value: float, limit: str, room_: float, n: int) -> Condition:
    """A number that no further seed can take back."""
    exact = [Interval(v, 0.0, v, v, n) for v in (value, room_)]
    return Condition(what, exact[0], limit, (exact[1],))


def top_gain(*grids: Grid) -> list[Condition]:
    """A1: the 90th percentile of gains, and what it exceeds that of the same draws reversed by: noise gains as well."""
    by_seed = of.draws(*grids)
    gains = [[draw.gain for draw in one] for one in by_seed]
    found, more = (
        of.quantile(gains, 0.9),
        of.quantile_beyond(gains, [[draw.loss for draw in one] for one in by_seed], 0.9),
    )
    return [
        in_range("90th percentile of the gain over draws", found, TOP_GAIN, more),
        more_than("90th percentile of the gain less that of Reno over Split TCP", more, 0.0),
    ]


def cases_of_relief(*grids: Grid) -> list[Condition]:
    """A2: draws in which U falls from 0.6 or more to 0.35 or less, against those in which it rises likewise."""
    more = []
    counts = [0, 0]
    for one in of.draws(*grids):
        pairs = [(d.plain_u.u, d.split_u.u) for d in one if d.plain_u and d.split_u]
        falls = sum(plain >= VERY_UNFAIR and split <= FAIR_U for plain, split in pairs)
        rises = sum(split >= VERY_UNFAIR and plain <= FAIR_U for plain, split in pairs)
        counts = [counts[0] + falls, counts[1] + rises]
        more.append(float(falls - rises))
    what = f"draws per seed in which U falls from >= {VERY_UNFAIR:g} to <= {FAIR_U:g}, less those in which it rises so"
    return [more_than(f"{what} ({counts[0]} and {counts[1]} in all)", mean_interval(more), 0.0)]


def unfairness_falls(*grids: Grid) -> list[Condition]:
    """C1: mean U over all draws."""
    plain, split = of.mean_u(of.draws(*grids))
    falls = margin(plain, split, 1.0)
    return [in_range("mean U, Split TCP over plain TCP", ratio(split, plain), U_RATIO, falls)]


def mean_u(*grids: Grid) -> list[Condition]:
    """G2: mean U, its ratio and its size."""
    plain, split = of.mean_u(of.draws(*grids))
    falls = margin(plain, split, 1.0)
    around = [(u - U_ROOM, u + U_ROOM) for u in (U_PLAIN, U_SPLIT)]
    return [
        in_range("mean U, Split TCP over plain TCP", ratio(split, plain), MEAN_U_RATIO, falls),
        in_range("mean U of plain TCP", mean_interval(plain), around[0], falls),
        in_range("mean U of Split TCP", mean_interval(split), around[1], falls),
    ]


def usual_gain(*grids: Grid) -> list[Condition]:
    """M1: the middle half of the gains overlaps 5 to 30 %, and the median is positive."""
    gains = [[draw.gain for draw in one] for one in of.draws(*grids)]
    first, middle, third = (of.quantile(gains, q) for q in (0.25, 0.5, 0.75))
    low, high = USUAL_GAIN
    return [
        less_than("first quartile of the gain", first, high, trend=middle),
        more_than("third quartile of the gain", third, low, trend=middle),
        more_than("median gain", middle, 0.0),
    ]


def levelled(*grids: Grid) -> list[Condition]:
    """M2: fast flows slower, slow ones faster.

    The rank correlation of a share and its own change is negative by chance alone (regression toward the mean). That
    of the change and the mean of both shares is not; it is listed with the ledger's.
    """
    ledger, oldham = [], []
    for one in of.draws(*grids):
        plain = [share for draw in one for share in of.shares(draw.plain)]
        split = [share for draw in one for share in of.shares(draw.split)]
        change = [b - a for a, b in zip(plain, split, strict=True)]
        ledger.append(rank_correlation(plain, change))
        oldham.append(rank_correlation([a + b for a, b in zip(plain, split, strict=True)], change))
    found = []
    for what, values in (
        ("rank correlation of a flow's share under plain TCP and its change", ledger),
        ("the same of the mean of both shares and the change", oldham),
    ):
        each = mean_interval(values)
        found.append(less_than(what, each, 0.0))
    return found


def mean_gain(*grids: Grid) -> list[Condition]:
    """G1: what all draws deliver together."""
    plain, split = _totals(of.draws(*grids))
    return [
        in_range(
            "total over all draws, Split TCP over plain TCP", ratio(split, plain), MEAN_GAIN, margin(split, plain, 1.0)
        )
    ]


def _totals(by_seed: Sequence[Sequence[of.Draw]]) -> tuple[list[float], list[float]]:
    plain = [sum(goodput(draw.plain) for draw in one) for one in by_seed]
    return plain, [sum(goodput(draw.split) for draw in one) for one in by_seed]


def not_too_near(grid: Grid) -> list[Condition]:
    """D1: throughput of distances 3 to 5 against 1 and 2."""
    good = of.merged([grid.at(d_p=d).values() for d in GOOD], fmean)
    return [
        at_least(
            f"throughput, mean of proxies every {GOOD[0]} to {GOOD[-1]} hops over every {d}",
            good,
            grid.at(d_p=d).values(),
            1.0,
        )
        for d in SHORT
    ]


def not_too_far(grid: Grid) -> list[Condition]:
    """D2: U of distances 3 to 5 against 7 and 8."""
    u = {d: [one.u for one in of.unfairness(grid, d_p=d)] for d in (*GOOD, *LONG)}
    whole = [i for i in range(len(u[GOOD[0]])) if all(values[i] == values[i] for values in u.values())]
    known = {d: [values[i] for i in whole] for d, values in u.items()}
    good = of.merged([known[d] for d in GOOD], fmean)
    what = f"U, mean of proxies every {GOOD[0]} to {GOOD[-1]} hops over every"
    return [at_most(f"{what} {d}", good, known[d], 1.0) for d in LONG]


def data_first(grid: Grid) -> list[Condition]:
    """D3: the ablation of the order."""
    first, last = (grid.at(forward_then_lack=order).values() for order in (True, False))
    return [at_least("throughput, data sent on before its LACK over after it", first, last, 1.0)]


def goes_on(grid: Grid) -> list[Condition]:
    """F3-1: what connection 1 receives in the outage."""
    plain, split = (of.rate_between(grid, "50 s", "60 s", flow=0, transport=t) for t in (of.plain_of(grid), SPLIT))
    what = "packets of connection 1 in the outage, Split TCP over plain TCP"
    # A positive difference is at least one segment.
    more = margin([rate - ONE_SEGMENT for rate in split], plain, MORE_IN_OUTAGE)
    trend, band = margin(split, plain, 1.0), (MORE_IN_OUTAGE, math.inf)
    return [Condition(what, ratio(split, plain), f">= {MORE_IN_OUTAGE:g}", (more,), trend, band=band)]


def speeds_up(grid: Grid) -> list[Condition]:
    """F3-2: the rate at the destination while the proxy's store lasts, against before."""
    during = of.rate_between(grid, "50 s", "52 s", flow=0, transport=SPLIT)
    before = of.rate_between(grid, "40 s", "50 s", flow=0, transport=SPLIT)
    return [
        at_least("rate of connection 1, first 2 s of the outage over the 10 s before", during, before, 1.0, trend=None)
    ]


def others_take_over(grid: Grid) -> list[Condition]:
    """F3-3: plain TCP's total in the outage, against before."""
    name = of.plain_of(grid)
    during = of.rate_between(grid, "50 s", "60 s", transport=name)
    before = of.rate_between(grid, "40 s", "50 s", transport=name)
    what = "total of plain TCP, in the outage over before"
    return [in_range(what, ratio(during, before), SAME_TOTAL).denied_by_interval()]


def outage_u(grid: Grid) -> list[Condition]:
    """F3-4: mean U over the run, and in the outage."""
    found = []
    for what, times in (("the run", TIMES), ("the outage", ("52 s", "60 s"))):
        means = []
        for name in (of.plain_of(grid), SPLIT):
            at = [[one.u for one in of.unfairness(grid, duration=t, transport=name)] for t in times]
            means.append(of.merged(at, fmean))
        plain, split = means
        sizes = f"{fmean(plain):.2f} and {fmean(split):.2f}"
        text = f"mean U over {what}, Split TCP over plain TCP (plain and Split: {sizes})"
        found.append(in_range(text, ratio(split, plain), OUTAGE_U_RATIO, margin(plain, split, 1.0)))
    return found


def stands_still(grid: Grid) -> list[Condition]:
    """F3-5: connection 1 in the outage."""
    name = of.plain_of(grid)
    during, before = (
        of.rate_between(grid, *times, flow=0, transport=name) for times in (("50 s", "60 s"), ("40 s", "50 s"))
    )
    split = of.rate_between(grid, "50 s", "60 s", flow=0, transport=SPLIT)
    some = mean_interval([rate - ONE_SEGMENT for rate in split])
    return [
        at_most("rate of connection 1, plain TCP, in the outage over before", during, before, NOTHING),
        Condition(
            "bit/s of connection 1 in the outage, Split TCP", mean_interval(split), "> 0", (some,), band=(0.0, math.inf)
        ),
    ]


def second_waits(grid: Grid) -> list[Condition]:
    """F4-1: the second connection's share until the first has sent all."""
    share = [b / (a + b) if a + b > 0.0 else 0.0 for a, b in _until_first_ends(grid, of.plain_of(grid))]
    room_, less = (mean_interval([limit - s for s in share]) for limit in (STANDSTILL, 0.5))
    what = "share of the second connection until the first ends, plain TCP"
    band = (-math.inf, STANDSTILL)
    return [Condition(what, mean_interval(share), f"<= {STANDSTILL:g}", (room_,), less, band=band)]


def both_equal(grid: Grid) -> list[Condition]:
    """F5-1: both connections until the first has sent all, and more alike than under plain TCP."""
    pairs = _until_first_ends(grid, SPLIT)
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    less = {
        name: [min(pair) / (sum(pair) or 1.0) for pair in _until_first_ends(grid, name)]
        for name in (of.plain_of(grid), SPLIT)
    }
    what = "share of the slower connection until the first ends, Split TCP over plain TCP"
    return [
        in_range("second connection over the first until that ends, Split TCP", ratio(second, first), EQUAL),
        at_least(what, less[SPLIT], less[of.plain_of(grid)], 1.0),
    ]


def _until_first_ends(grid: Grid, transport: str) -> list[tuple[float, float]]:
    """Bits of both connections since the second started, at the last time at which the first was still sending."""
    runs = [grid.at(duration=value, transport=transport) for value in grid.values("duration")]
    all_bits = ground.FIRST_PACKETS * of.SEGMENT_BITS
    found = []
    for same in zip(*runs, strict=True):
        sending = [run for run in same if of.delivered(run, 0) < all_bits - 0.5] or [same[0]]
        found.append((of.delivered(sending[-1], 0), of.delivered(sending[-1], 1)))
    return found


def surface(transport: str, grid: Grid) -> list[Condition]:
    """F6 and F7: falls with hops, flat in duration; of plain TCP a shorter chain is above every longer one."""
    name = SPLIT if transport == SPLIT else of.plain_of(grid)
    label = shown.label(name)
    hops, durations = grid.values("hops"), grid.values("duration")
    longest = durations[-1]
    at_end = {h: grid.at(hops=h, duration=longest, transport=name).values() for h in hops}
    each = mean_interval([rank_correlation(hops, one) for one in zip(*at_end.values(), strict=True)])
    falls = f"rank correlation of throughput with hops, {label}, {longest}"
    found = [less_than(falls, each, FALLING, trend=each.scaled(-1.0))]
    for h in hops:
        for duration in (d for d in durations[:-1] if of.seconds(d) >= FLAT_FROM_S):
            brief = grid.at(hops=h, duration=duration, transport=name).values()
            found.append(
                in_range(
                    f"{label}, {h} hops, {duration} over {longest}", ratio(brief, at_end[h]), FLAT
                ).denied_by_interval()
            )
    if name != SPLIT:
        for a, b in itertools.pairwise(hops):
            found.append(at_least(f"{label}, {a} over {b} hops", at_end[a], at_end[b], 1.0))
    return found


def long_gain(grid: Grid) -> list[Condition]:
    """F67-1: 14 hops."""
    plain, split = _longest(grid, 14)
    return [in_range("Split TCP over plain TCP, 14 hops", ratio(split, plain), LONG_GAIN, margin(split, plain, 1.0))]


def no_gain_without_proxy(grid: Grid) -> list[Condition]:
    """F67-2: chains too short for a proxy."""
    found = []
    for hops in (h for h in grid.values("hops") if h <= 3):
        plain, split = _longest(grid, hops)
        found.append(in_range(f"Split TCP over plain TCP, {hops} hops", ratio(split, plain), SAME).denied_by_interval())
    return found


def _longest(grid: Grid, hops: int) -> list[list[float]]:
    """Goodput of both over a chain, in the longest runs."""
    duration = grid.values("duration")[-1]
    return [grid.at(hops=hops, duration=duration, transport=t).values() for t in (of.plain_of(grid), SPLIT)]


def survives_failures(failing: Grid, base: Grid) -> list[Condition]:
    """R1: proxies off for 5 % of the time; no stream is ever torn."""
    plain = base.at(transport=of.plain_of(base)).values()
    torn = sum(not flow["is_whole"] for r in failing.values("rate") for run in failing.at(rate=r) for flow in run.split)
    return [
        at_least("total, Split TCP with 5 % of failures over plain TCP", failing.at(rate=0.05).values(), plain, 1.0),
        _certain("streams with a wrong checksum, at any rate of failure", float(torn), "0", -float(torn), len(plain)),
    ]


def fails_gradually(grid: Grid) -> list[Condition]:
    """R2: throughput against the rate of failures."""
    rates = grid.values("rate")
    totals = [grid.at(rate=rate).values() for rate in rates]
    each = mean_interval([rank_correlation(rates, one) for one in zip(*totals, strict=True)])
    return [
        less_than("rank correlation of the total with the rate of failures", each, 0.0),
        at_most(f"total, {rates[-1]:.0%} of failures over none", totals[-1], totals[0], 1.0),
    ]


def rare_acks(grid: Grid) -> list[Condition]:
    """O1: sendings of end-to-end acknowledgments over those of local ones."""
    found = []
    for hops in (h for h in grid.values("hops") if h > 3):
        runs = grid.at(hops=hops, duration=grid.values("duration")[-1], transport=SPLIT)
        counts = [of.local_hops(run, hops) for run in runs]
        what = f"sendings of end-to-end acknowledgments over those of LACKs, {hops} hops"
        found.append(at_most(what, [a for a, _ in counts], [b for _, b in counts], RARE, trend=None))
    return found
