"""The study of the Split TCP paper: mobile networks, a link that breaks, an early start, chains, failing proxies.

Every network is met by plain TCP and by Split TCP, and in the mobile ones by each flow alone, for unfairness U.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from hoplab.report.model import ReportTable
from hoplab.stats import Interval, mean_interval
from hoplab.studies.shared.measures import Range, at_least, at_most, margin, rank_correlation, ratio, room
from hoplab.studies.shared.study import Check, Grid, Part, Shown, Study, Variation
from hoplab.studies.shared.verdict import Condition
from hoplab.studies.split_tcp import figures as shown
from hoplab.studies.split_tcp import measures as of
from hoplab.studies.split_tcp import scenarios as ground
from hoplab.studies.split_tcp.scenarios import DISTANCES, FAILURES, PLAIN, SPLIT

BOTH = (PLAIN, SPLIT)
WIDE = "wide"
MOBILE = tuple(f"mobile-{count}" for count in ground.COUNTS)
BASE = "mobile-4"
"""The part on which other assumptions are tried."""

EVERYWHERE = (BASE, *(name for name in MOBILE if name != BASE), WIDE)
"""All draws; the one that has other series first."""

TIMES = ("40 s", "50 s", "52 s", "60 s", "70 s", "100 s")
EARLY = ("10 s", "20 s", "40 s", "60 s", "80 s", "120 s", "160 s", "200 s")
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


def study(*, quick: bool = False) -> Study:  # noqa: ARG001 (three seeds of it are quick enough)
    """The whole study."""
    transport = {"flow.transport": BOTH}
    split = {"flow.transport": (SPLIT,)}
    base = ground.mobile(4)
    mobile = [
        Part(name, ground.mobile(count), transport, ground.ELSEWHERE if name == BASE else (), alone=True)
        for name, count in zip(MOBILE, ground.COUNTS, strict=True)
    ]
    ends = {"topology.nodes": (50, 100), "mobility.max_speed": ("5 m/s", "20 m/s")}
    parts = (
        *mobile,
        Part(WIDE, base, {**ends, **transport}, alone=True),
        Part("distance", base, {"split_tcp.d_p": DISTANCES, **split}, alone=True),
        Part("failures", base, {"split_tcp.failure.rate": FAILURES, **split}),
        Part("order", base, {"split_tcp.forward_then_lack": (True, False), **split}),
        Part("outage", ground.outage(), {"duration": TIMES, **transport}, ground.IN_OUTAGE, alone=True),
        Part("early", ground.early_start(), {"duration": EARLY, **transport}, ground.WHEN_EARLY),
        Part(
            "chain",
            ground.chain(),
            {"topology.hops": ground.HOPS, "duration": tuple(f"{s} s" for s in ground.DURATIONS_S), **transport},
            tuple(_on_ends(variation) for variation in ground.ON_CHAINS),
        ),
    )
    return Study(
        paper="split-tcp",
        parts=parts,
        figures=(*_figures(),),
        checks=(*_checks(),),
        assumptions=ground.ASSUMPTIONS,
        tables=_tables,
    )


def _on_ends(variation: Variation) -> Variation:
    """Fewer chains and durations are enough for another assumption."""
    fewer = {"topology.hops": (1, 2, 3, 6, 10, 14), "duration": ("20 s", "200 s")}
    return replace(variation, axes={**variation.axes, **fewer})


def _figures() -> list[Shown]:
    plain, split = {"flow.transport": (PLAIN,)}, {"flow.transport": (SPLIT,)}
    early = "Throughput of two connections, the second two seconds later"
    surface = "Throughput against hops, for several durations"
    return [
        Shown("fig3", "Packets received while a link is down", "outage", draw=shown.received),
        Shown("fig4", f"{early}, plain TCP", "early", plain, partial(shown.two_rates, PLAIN)),
        Shown("fig5", f"{early}, Split TCP", "early", split, partial(shown.two_rates, SPLIT)),
        Shown("fig6", f"{surface}, Split TCP", "chain", split, partial(shown.surface, SPLIT)),
        Shown("fig7", f"{surface}, plain TCP", "chain", plain, partial(shown.surface, PLAIN)),
    ]


def _checks() -> list[Check]:
    base, *others = EVERYWHERE
    also, counts = tuple(others), tuple(others[:-1])
    tcp = "the plain TCP (Reno), and routing (AODV)"
    design = "the design of Split TCP, which is ours"
    place = "the place of the other connections"
    return [
        Check("A1", base, tcp, _top_gain, counts),
        Check("A2", base, tcp, _cases_of_relief, also),
        Check("C1", base, tcp, _unfairness_falls, also),
        Check("D1", "distance", design, _not_too_near),
        Check("D2", "distance", design, _not_too_far),
        Check("D3", "order", design, _data_first),
        Check("M1", base, tcp, _usual_gain, counts),
        Check("M2", base, tcp, _levelled, counts),
        Check("F3-1", "outage", place, _goes_on),
        Check("F3-2", "outage", f"{place}; the store", _speeds_up),
        Check("F3-3", "outage", place, _others_take_over),
        Check("F3-4", "outage", f"{place}; the time of U", _outage_u),
        Check("F3-5", "outage", place, _stands_still),
        Check("G1", base, tcp, _mean_gain, also),
        Check("G2", base, tcp, _mean_u, also),
        Check("F4-1", "early", "the topology", _second_waits),
        Check("F5-1", "early", "the topology", _both_equal),
        Check("F6", "chain", "routing (static routes)", partial(_surface, SPLIT)),
        Check("F7", "chain", "routing (static routes)", partial(_surface, PLAIN)),
        Check("F67-1", "chain", "routing (static routes)", _long_gain),
        Check("F67-2", "chain", "routing (static routes)", _no_gain_without_proxy),
        Check("R1", "failures", tcp, _survives_failures, (base,)),
        Check("R2", "failures", design, _fails_gradually),
        Check("O1", "chain", "counts only", _rare_acks),
    ]


def _in(what: str, found: Interval, wanted: Range, trend: Interval | None = None) -> Condition:
    """A number between two ends."""
    return Condition(what, found, f"{wanted[0]:g} to {wanted[1]:g}", (room(found, (wanted,)),), trend)


def _certain(what: str, value: float, limit: str, room_: float, n: int) -> Condition:
    """A number that no further seed can take back."""
    exact = [Interval(v, 0.0, v, v, n) for v in (value, room_)]
    return Condition(what, exact[0], limit, (exact[1],))


def _top_gain(*grids: Grid) -> list[Condition]:
    """A1: the 90th percentile of gains."""
    found = of.quantile([[draw.gain for draw in one] for one in of.draws(*grids)], 0.9)
    return [_in("90th percentile of the gain over draws", found, TOP_GAIN, found)]


def _cases_of_relief(*grids: Grid) -> list[Condition]:
    """A2: draws in which U falls from 0.6 or more to 0.35 or less."""
    all_ = [draw for one in of.draws(*grids) for draw in one]
    unfair = [(d.plain_u.u, d.split_u.u) for d in all_ if d.plain_u and d.split_u]
    count = sum(plain >= VERY_UNFAIR and split <= FAIR_U for plain, split in unfair)
    what = f"draws of {len(unfair)} with U of plain TCP >= {VERY_UNFAIR:g} and U of Split TCP <= {FAIR_U:g}"
    return [_certain(what, float(count), ">= 1", count - 1.0, len(grids[0].at(**_first(grids[0]))))]


def _first(grid: Grid) -> Mapping[str, object]:
    """Any point of a grid."""
    return {key.rsplit(".", 1)[-1]: value for key, value in next(iter(grid.points))}


def _unfairness_falls(*grids: Grid) -> list[Condition]:
    """C1: mean U over all draws."""
    plain, split = of.mean_u(of.draws(*grids))
    falls = margin(plain, split, 1.0)
    return [_in("mean U, Split TCP over plain TCP", ratio(split, plain), U_RATIO, falls)]


def _mean_u(*grids: Grid) -> list[Condition]:
    """G2: mean U, its ratio and its size."""
    plain, split = of.mean_u(of.draws(*grids))
    falls = margin(plain, split, 1.0)
    around = [(u - U_ROOM, u + U_ROOM) for u in (U_PLAIN, U_SPLIT)]
    return [
        _in("mean U, Split TCP over plain TCP", ratio(split, plain), MEAN_U_RATIO, falls),
        _in("mean U of plain TCP", mean_interval(plain), around[0], falls),
        _in("mean U of Split TCP", mean_interval(split), around[1], falls),
    ]


def _usual_gain(*grids: Grid) -> list[Condition]:
    """M1: the middle half of the gains overlaps 5 to 30 %, and the median is positive."""
    gains = [[draw.gain for draw in one] for one in of.draws(*grids)]
    first, middle, third = (of.quantile(gains, q) for q in (0.25, 0.5, 0.75))
    low, high = USUAL_GAIN
    return [
        Condition("first quartile of the gain", first, f"<= {high:g}", (_shifted(first.scaled(-1.0), high),), middle),
        Condition("third quartile of the gain", third, f">= {low:g}", (_shifted(third, -low),), middle),
        Condition("median gain", middle, "> 0", (middle,)),
    ]


def _shifted(interval: Interval, by: float) -> Interval:
    ends = [None if end is None else end + by for end in (interval.low, interval.high)]
    return replace(interval, mean=interval.mean + by, low=ends[0], high=ends[1])


def _levelled(*grids: Grid) -> list[Condition]:
    """M2: fast flows slower, slow ones faster.

    The rank correlation of a share and its own change is negative by chance alone (regression toward the mean). That
    of the change and the mean of both shares is not; it stands beside the ledger's.
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
        found.append(Condition(what, each, "< 0", (each.scaled(-1.0),)))
    return found


def _mean_gain(*grids: Grid) -> list[Condition]:
    """G1: what all draws deliver together."""
    plain, split = _totals(of.draws(*grids))
    return [
        _in("total over all draws, Split TCP over plain TCP", ratio(split, plain), MEAN_GAIN, margin(split, plain, 1.0))
    ]


def _totals(by_seed: Sequence[Sequence[of.Draw]]) -> tuple[list[float], list[float]]:
    plain = [sum(of.total(draw.plain) for draw in one) for one in by_seed]
    return plain, [sum(of.total(draw.split) for draw in one) for one in by_seed]


def _not_too_near(grid: Grid) -> list[Condition]:
    """D1: throughput of distances 3 to 5 against 1 and 2."""
    good = of.over_seeds([grid.at(d_p=d).values() for d in GOOD], of.mean)
    return [
        at_least(
            f"throughput, mean of proxies every {GOOD[0]} to {GOOD[-1]} hops over every {d}",
            good,
            grid.at(d_p=d).values(),
            1.0,
        )
        for d in SHORT
    ]


def _not_too_far(grid: Grid) -> list[Condition]:
    """D2: U of distances 3 to 5 against 7 and 8."""
    u = {d: [one.u for one in of.unfairness(grid, d_p=d)] for d in (*GOOD, *LONG)}
    whole = [i for i in range(len(u[GOOD[0]])) if all(values[i] == values[i] for values in u.values())]
    known = {d: [values[i] for i in whole] for d, values in u.items()}
    good = of.over_seeds([known[d] for d in GOOD], of.mean)
    what = f"U, mean of proxies every {GOOD[0]} to {GOOD[-1]} hops over every"
    return [at_most(f"{what} {d}", good, known[d], 1.0) for d in LONG]


def _data_first(grid: Grid) -> list[Condition]:
    """D3: the ablation of the order."""
    first, last = (grid.at(forward_then_lack=order).values() for order in (True, False))
    return [at_least("throughput, data sent on before its LACK over after it", first, last, 1.0)]


def _goes_on(grid: Grid) -> list[Condition]:
    """F3-1: what connection 1 receives in the outage."""
    plain, split = (of.rate_between(grid, "50 s", "60 s", flow=0, transport=t) for t in (of.plain_of(grid), SPLIT))
    what = "packets of connection 1 in the outage, Split TCP over plain TCP"
    # A positive difference is at least one segment.
    more = margin([rate - ONE_SEGMENT for rate in split], plain, MORE_IN_OUTAGE)
    return [Condition(what, ratio(split, plain), f">= {MORE_IN_OUTAGE:g}", (more,), margin(split, plain, 1.0))]


def _speeds_up(grid: Grid) -> list[Condition]:
    """F3-2: the rate at the destination while the proxy's store lasts, against before."""
    during = of.rate_between(grid, "50 s", "52 s", flow=0, transport=SPLIT)
    before = of.rate_between(grid, "40 s", "50 s", flow=0, transport=SPLIT)
    return [
        at_least("rate of connection 1, first 2 s of the outage over the 10 s before", during, before, 1.0, trend=None)
    ]


def _others_take_over(grid: Grid) -> list[Condition]:
    """F3-3: plain TCP's total in the outage, against before."""
    name = of.plain_of(grid)
    during = of.rate_between(grid, "50 s", "60 s", transport=name)
    before = of.rate_between(grid, "40 s", "50 s", transport=name)
    return [_in("total of plain TCP, in the outage over before", ratio(during, before), SAME_TOTAL)]


def _outage_u(grid: Grid) -> list[Condition]:
    """F3-4: mean U over the run, and in the outage."""
    found = []
    for what, times in (("the run", TIMES), ("the outage", ("52 s", "60 s"))):
        means = []
        for name in (of.plain_of(grid), SPLIT):
            at = [[one.u for one in of.unfairness(grid, duration=t, transport=name)] for t in times]
            means.append(of.over_seeds(at, of.mean))
        plain, split = means
        sizes = f"{of.mean(plain):.2f} and {of.mean(split):.2f}"
        text = f"mean U over {what}, Split TCP over plain TCP (plain and Split: {sizes})"
        found.append(_in(text, ratio(split, plain), OUTAGE_U_RATIO, margin(plain, split, 1.0)))
    return found


def _stands_still(grid: Grid) -> list[Condition]:
    """F3-5: connection 1 in the outage."""
    name = of.plain_of(grid)
    during, before = (
        of.rate_between(grid, *times, flow=0, transport=name) for times in (("50 s", "60 s"), ("40 s", "50 s"))
    )
    split = of.rate_between(grid, "50 s", "60 s", flow=0, transport=SPLIT)
    some = mean_interval([rate - ONE_SEGMENT for rate in split])
    return [
        at_most("rate of connection 1, plain TCP, in the outage over before", during, before, NOTHING),
        Condition("bit/s of connection 1 in the outage, Split TCP", mean_interval(split), "> 0", (some,)),
    ]


def _second_waits(grid: Grid) -> list[Condition]:
    """F4-1: the second connection's share until the first has sent all."""
    share = [b / (a + b) if a + b > 0.0 else 0.0 for a, b in _until_first_ends(grid, of.plain_of(grid))]
    room_, less = (mean_interval([limit - s for s in share]) for limit in (STANDSTILL, 0.5))
    what = "share of the second connection until the first ends, plain TCP"
    return [Condition(what, mean_interval(share), f"<= {STANDSTILL:g}", (room_,), less)]


def _both_equal(grid: Grid) -> list[Condition]:
    """F5-1: both connections until the first has sent all."""
    pairs = _until_first_ends(grid, SPLIT)
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    return [_in("second connection over the first until that ends, Split TCP", ratio(second, first), EQUAL)]


def _until_first_ends(grid: Grid, transport: str) -> list[tuple[float, float]]:
    """Bits of both connections since the second started, at the last time at which the first was still sending."""
    runs = [grid.at(duration=value, transport=transport) for value in grid.values("duration")]
    all_bits = ground.FIRST_PACKETS * of.SEGMENT_BITS
    found = []
    for same in zip(*runs, strict=True):
        sending = [run for run in same if of.delivered(run, 0) < all_bits - 0.5] or [same[0]]
        found.append((of.delivered(sending[-1], 0), of.delivered(sending[-1], 1)))
    return found


def _surface(transport: str, grid: Grid) -> list[Condition]:
    """F6 and F7: falls with hops, flat in duration; of plain TCP a shorter chain is above every longer one."""
    name = SPLIT if transport == SPLIT else of.plain_of(grid)
    label = shown.label(name)
    hops, durations = grid.values("hops"), grid.values("duration")
    longest = durations[-1]
    at_end = {h: grid.at(hops=h, duration=longest, transport=name).values() for h in hops}
    each = mean_interval([rank_correlation(hops, one) for one in zip(*at_end.values(), strict=True)])
    falls = f"rank correlation of throughput with hops, {label}, {longest}"
    found = [Condition(falls, each, f"< {FALLING:g}", (_shifted(each.scaled(-1.0), FALLING),), each.scaled(-1.0))]
    for h in hops:
        for duration in (d for d in durations[:-1] if of.seconds(d) >= FLAT_FROM_S):
            brief = grid.at(hops=h, duration=duration, transport=name).values()
            found.append(_in(f"{label}, {h} hops, {duration} over {longest}", ratio(brief, at_end[h]), FLAT))
    if name != SPLIT:
        for a, b in itertools.pairwise(hops):
            found.append(at_least(f"{label}, {a} over {b} hops", at_end[a], at_end[b], 1.0))
    return found


def _long_gain(grid: Grid) -> list[Condition]:
    """F67-1: 14 hops."""
    plain, split = _longest(grid, 14)
    return [_in("Split TCP over plain TCP, 14 hops", ratio(split, plain), LONG_GAIN, margin(split, plain, 1.0))]


def _no_gain_without_proxy(grid: Grid) -> list[Condition]:
    """F67-2: chains too short for a proxy."""
    found = []
    for hops in (h for h in grid.values("hops") if h <= 3):
        plain, split = _longest(grid, hops)
        found.append(_in(f"Split TCP over plain TCP, {hops} hops", ratio(split, plain), SAME))
    return found


def _longest(grid: Grid, hops: int) -> list[list[float]]:
    """Goodput of both over a chain, in the longest runs."""
    duration = grid.values("duration")[-1]
    return [grid.at(hops=hops, duration=duration, transport=t).values() for t in (of.plain_of(grid), SPLIT)]


def _survives_failures(failing: Grid, base: Grid) -> list[Condition]:
    """R1: proxies off for 5 % of the time; no stream is ever torn."""
    plain = base.at(transport=of.plain_of(base)).values()
    torn = sum(not flow["is_whole"] for r in failing.values("rate") for run in failing.at(rate=r) for flow in run.split)
    return [
        at_least("total, Split TCP with 5 % of failures over plain TCP", failing.at(rate=0.05).values(), plain, 1.0),
        _certain("streams with a wrong checksum, at any rate of failure", float(torn), "0", -float(torn), len(plain)),
    ]


def _fails_gradually(grid: Grid) -> list[Condition]:
    """R2: throughput against the rate of failures."""
    rates = grid.values("rate")
    totals = [grid.at(rate=rate).values() for rate in rates]
    each = mean_interval([rank_correlation(rates, one) for one in zip(*totals, strict=True)])
    return [
        Condition("rank correlation of the total with the rate of failures", each, "< 0", (each.scaled(-1.0),)),
        at_most(f"total, {rates[-1]:.0%} of failures over none", totals[-1], totals[0], 1.0),
    ]


def _rare_acks(grid: Grid) -> list[Condition]:
    """O1: sendings of end-to-end acknowledgments over those of local ones."""
    found = []
    for hops in (h for h in grid.values("hops") if h > 3):
        runs = grid.at(hops=hops, duration=grid.values("duration")[-1], transport=SPLIT)
        counts = [of.local_hops(run, hops) for run in runs]
        what = f"sendings of end-to-end acknowledgments over those of LACKs, {hops} hops"
        found.append(at_most(what, [a for a, _ in counts], [b for _, b in counts], RARE))
    return found


def _tables(grids: Mapping[tuple[str, str], Grid]) -> list[ReportTable]:
    return shown.tables(grids, MOBILE, WIDE)
