"""The study of the Split TCP paper: mobile networks, a link that breaks, an early start, chains, failing proxies.

Every network is met by plain TCP and by Split TCP, and in the mobile ones by each flow alone, for unfairness U.
"""

from __future__ import annotations

from functools import partial

from hoplab.report.model import ReportTable
from hoplab_studies.shared.study import Check, Grids, Margin, Part, Shown, Study
from hoplab_studies.split_tcp import claims, crossing, gains, typical
from hoplab_studies.split_tcp import figures as shown
from hoplab_studies.split_tcp import scenarios as ground
from hoplab_studies.split_tcp.scenarios import DISTANCES, FAILURES, PLAIN, SPLIT

BOTH = (PLAIN, SPLIT)
WIDE = "wide"
MOBILE = tuple(f"mobile-{count}" for count in ground.COUNTS)
BASE = "mobile-4"
"""The part on which other assumptions are tried."""

EVERYWHERE = (BASE, *(name for name in MOBILE if name != BASE), WIDE)
"""All draws; the one that has other series first."""

ENDS = {"topology.hops": (1, 2, 3, 6, 10, 14), "duration": ("20 s", "200 s")}
"""Fewer chains and durations are enough for another assumption."""

EARLY = ("10 s", "20 s", "40 s", "60 s", "80 s", "120 s", "160 s", "200 s")


def study(*, quick: bool = False) -> Study:  # noqa: ARG001 (three seeds of it are quick enough)
    """The whole study."""
    transport = {"flow.transport": BOTH}
    split = {"flow.transport": (SPLIT,)}
    base = ground.mobile(4)
    mobile = [
        Part(name, ground.mobile(count), transport, ground.ELSEWHERE if name == BASE else ground.DISTANT, alone=True)
        for name, count in zip(MOBILE, ground.COUNTS, strict=True)
    ]
    ends = {"topology.nodes": (50, 100), "mobility.max_speed": ("5 m/s", "20 m/s")}
    parts = (
        *mobile,
        Part(WIDE, base, {**ends, **transport}, alone=True),
        Part("distance", base, {"split_tcp.d_p": DISTANCES, **split}, alone=True),
        Part("failures", base, {"split_tcp.failure.rate": FAILURES, **split}),
        Part("order", base, {"split_tcp.forward_then_lack": (True, False), **split}),
        Part("outage", ground.outage(), {"duration": claims.TIMES, **transport}, ground.IN_OUTAGE, alone=True),
        typical.part(BOTH),
        Part("early", ground.early_start(), {"duration": EARLY, **transport}, ground.WHEN_EARLY),
        crossing.part(BOTH),
        Part(
            "chain",
            ground.chain(),
            {"topology.hops": ground.HOPS, "duration": tuple(f"{s} s" for s in ground.DURATIONS_S), **transport},
            tuple(variation.over(ENDS) for variation in ground.ON_CHAINS),
        ),
    )
    return Study(
        paper="split-tcp",
        parts=parts,
        figures=(*_figures(),),
        checks=(*_checks(),),
        assumptions=ground.ASSUMPTIONS,
        tables=_tables,
        notes=partial(gains.notes, mobile=MOBILE),
    )


def _figures() -> list[Shown]:
    plain = {"flow.transport": (PLAIN,)}
    early = "Throughput of two connections, the second two seconds later"
    surface = "Throughput against hops, for several durations"
    return [
        Shown("fig3", "Packets received while a link is down", "outage", draw=shown.figure_3, also=(typical.TYPICAL,)),
        Shown("fig4", f"{early}, plain TCP", "early", plain, partial(shown.two_rates, PLAIN)),
        Shown("fig5", f"{early}, Split TCP", "early", draw=partial(shown.two_rates, SPLIT)),
        Shown("fig6", f"{surface}, Split TCP", "chain", {"flow.transport": (SPLIT,)}, partial(shown.surface, SPLIT)),
        Shown("fig7", f"{surface}, plain TCP", "chain", plain, partial(shown.surface, PLAIN)),
    ]


def _checks() -> list[Check]:
    base, *others = EVERYWHERE
    also, counts = tuple(others), tuple(others[:-1])
    tcp = "the plain TCP (Reno), and routing (AODV)"
    design = "the design of Split TCP, which is ours"
    place = "the place of the other connections"
    return [
        Check("A1", base, tcp, claims.top_gain, counts),
        Check("A2", base, tcp, claims.cases_of_relief, also),
        Check("C1", base, tcp, claims.unfairness_falls, also),
        Check("C2", base, tcp, gains.each_gains, also, readings=(gains.LONG_ONES,)),
        Check("D1", "distance", design, claims.not_too_near),
        Check("D2", "distance", design, claims.not_too_far),
        Check("D3", "order", design, claims.data_first),
        Check("M1", base, tcp, claims.usual_gain, counts),
        Check("M2", base, tcp, claims.levelled, counts),
        Check("F3-1", "outage", place, claims.goes_on),
        Check("F3-2", "outage", f"{place}; the store", claims.speeds_up),
        Check("F3-3", "outage", place, claims.others_take_over, margins=(claims.MORE_IN_ALL,)),
        Check("F3-4", "outage", f"{place}; the time of U", claims.outage_u),
        Check("F3-5", "outage", place, claims.stands_still),
        Check("G1", base, tcp, claims.mean_gain, also),
        Check("G2", base, tcp, claims.mean_u, also),
        Check("F4-1", "early", "the topology", claims.second_waits),
        Check("F5-1", "early", "the topology", claims.both_equal),
        Check("F45-1", crossing.CROSS, "the topology", crossing.relieved),
        Check("F6", "chain", "routing (static routes)", partial(claims.surface, SPLIT)),
        Check("F7", "chain", "routing (static routes)", partial(claims.surface, PLAIN)),
        Check("F67-1", "chain", "routing (static routes)", claims.long_gain),
        Check(
            "F67-2",
            "chain",
            "routing (static routes)",
            claims.no_gain_without_proxy,
            margins=(Margin({"transport": SPLIT}, claims.SAME[1]),),
        ),
        Check("R1", "failures", tcp, claims.survives_failures, (base,)),
        Check("R2", "failures", design, claims.fails_gradually),
        Check("O1", "chain", "counts only", claims.rare_acks),
    ]


def _tables(grids: Grids) -> list[ReportTable]:
    return [*shown.tables(grids, MOBILE, WIDE), *crossing.tables(grids), *typical.tables(grids, shown.LABELS)]
