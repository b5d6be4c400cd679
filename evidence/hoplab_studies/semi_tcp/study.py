"""The study of the Semi-TCP paper (Cai 2013): retries, thresholds, path lengths, flows together, and released results.

Throughput is that of the paper, distinct segments in any order; every claim about it is judged in order as well, as
another reading of the same runs. The series with ACKs for segments out of order shows the sensitivity to missing ACKs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from hoplab_studies.semi_tcp import claims, path_claims, released
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp.claims import AP, SEMI
from hoplab_studies.semi_tcp.figures import all_figures, tables
from hoplab_studies.semi_tcp.gains import notes
from hoplab_studies.semi_tcp.scenarios import (
    ACKNOWLEDGED,
    EQUATION_3,
    LIMITED,
    PROGRAM,
    PROGRAM_SILENT,
    SENSED,
    SILENT,
    UNREPAIRED,
    WAITING,
    nodes_of,
    set_to,
    thinned,
)
from hoplab_studies.shared.study import Axes, Check, Part, Study, Variation
from hoplab_studies.shared.verdict import Condition

FEW: Axes = {"mac.ssrl": ground.FEW_RETRIES, "flow.transport": (SEMI, AP)}
SOME: Axes = {"mac.ssrl": ground.SOME_RETRIES, "flow.transport": (SEMI, AP)}
SHORT: Axes = {"topology.hops": ground.FEW_HOPS, "flow.transport": (SEMI, AP)}
ALL: Axes = {"flow.transport": tuple(ground.TRANSPORTS)}


def study(*, quick: bool = False) -> Study:
    """The whole study; if `quick`, runs of two fifths of the time, and only the series that explain."""
    seconds = ground.QUICK_S if quick else ground.FULL_S
    parts = (*_retries(seconds), *_thresholds(seconds), *_paths(seconds), *_flows(seconds), *_released(seconds))
    if quick:
        parts = tuple(_only(part, ground.QUICK_SERIES) for part in parts)
    return Study(
        paper="semi-tcp",
        parts=(*parts, *ground.other_parts(seconds)),
        figures=tuple(all_figures()),
        checks=tuple(_checks()),
        assumptions=(*ground.ASSUMPTIONS, *([ground.QUICK] if quick else [])),
        tables=tables,
        notes=notes,
    )


def _only(part: Part, names: Sequence[str]) -> Part:
    kept = tuple(variation for variation in part.variations if variation.name in names)
    return Part(part.name, part.text, part.axes, kept, part.series_interval_s)


def _retries(seconds: float) -> list[Part]:
    axes: Axes = {"mac.ssrl": ground.RETRIES, "flow.transport": tuple(ground.TRANSPORTS)}
    four, ten = (set_to(f"{h}-hops", f"{h} hops in place of 7", topology__hops=h) for h in (4, 10))
    rows = [set_to(f"{m}m", f"rows {m} m apart in place of 200 m", topology__row_spacing=f"{m} m") for m in (250, 400)]
    low = ground.moving("s2", 480.0, ("5 m/s", "45 m/s"), seconds)
    area = set_to(
        "480m",
        "an area of 1500 m x 480 m in place of 4800 m",
        topology__area=["1500 m", "480 m"],
        topology__extra=_extra(low),
    )
    static = (ACKNOWLEDGED, PROGRAM, _whole(SILENT), PROGRAM_SILENT, UNREPAIRED)
    shaped = thinned((EQUATION_3, ground.THREE_LIMITS, *ground.OVER_FIVE, ground.all_three(), four), SOME)
    limits = (EQUATION_3, *ground.LIMITS, *ground.OVER_FIVE[:2])
    few = (*static, *rows, *limits, ground.all_three(), *ground.THINNED)
    moving = (ACKNOWLEDGED, PROGRAM, WAITING, UNREPAIRED)
    alone = thinned((ground.near_and_alone(4800.0),), {**FEW, "mac.ssrl": (4, 9, 20)})
    one_out = thinned((ground.ONE_OUT,), {**FEW, "mac.ssrl": (1, 2, 9)})
    return [
        Part(
            "chain",
            ground.static("chain", "chain", 1, seconds),
            axes,
            (*thinned((*static, SENSED, ten, ground.SAID_BY_CTSC, *ground.FEWER_FRAMES), FEW), *shaped),
        ),
        Part("parallel", ground.static("parallel-row", "parallel", 1, seconds), axes, thinned(few, FEW)),
        Part(
            "s1",
            ground.moving("s1", 300.0, ("20 m/s", "20 m/s"), seconds),
            axes,
            (*thinned((*moving, LIMITED, nodes_of(30), nodes_of(100)), FEW), *one_out, *_nearer(300.0)),
        ),
        Part(
            "s2",
            ground.moving("s2", 4800.0, ("5 m/s", "45 m/s"), seconds),
            axes,
            (*thinned((*moving, area), FEW), *_nearer(4800.0), *alone),
        ),
    ]


def _nearer(height_m: float) -> tuple[Variation, ...]:
    near = ground.near(height_m)
    return thinned((near, ground.all_three(near)), SOME)


def _whole(variation: Variation) -> Variation:
    """With NewReno, too: the claim about it is judged there as well."""
    return Variation(variation.name, variation.assumption, variation.changes, {**ALL, **variation.axes})


def _extra(text: str) -> list[list[float]]:
    """The places of the nodes that stand, from a scenario's text."""
    places: list[list[float]] = tomllib.loads(text)["topology"]["extra"]
    return places


def _thresholds(seconds: float) -> list[Part]:
    axes: Axes = {"semi_tcp.k": ground.RELEASES, "semi_tcp.t_c": ground.THRESHOLDS}
    filled = set_to(
        "filled",
        "the source's queue filled up to T_c in place of pulled when empty",
        semi_tcp__source_fill="fill_to_tc",
    )
    parallel = ground.static("table1-parallel", "parallel", 2, seconds)
    mobile = ground.moving("table1-mobile", 300.0, ("20 m/s", "20 m/s"), seconds)
    lengths = [set_to(f"{h}-hops", f"{h} hops in place of 7", topology__hops=h) for h in (4, 10)]
    moving = (*ground.LIMITS, ground.over_five_hops(ground.THREE_LIMITS, static=False))
    others = (*lengths, *ground.OVER_FIVE[:2], *ground.LIMITS)
    return [
        Part("t-parallel", parallel, axes, (ACKNOWLEDGED, PROGRAM, SILENT, filled, *others)),
        Part("t-mobile", mobile, axes, (ACKNOWLEDGED, PROGRAM, LIMITED, filled, *moving)),
    ]


def _paths(seconds: float) -> list[Part]:
    axes: Axes = {
        "topology.kind": ground.KINDS,
        "topology.hops": ground.HOPS,
        "flow.transport": tuple(ground.TRANSPORTS),
    }
    program = (ACKNOWLEDGED, PROGRAM, _whole(SILENT), PROGRAM_SILENT)
    series = (*program, SENSED, EQUATION_3, ground.THREE_LIMITS, UNREPAIRED, *ground.FEWER_FRAMES)
    return [Part("paths", ground.static("paths", "parallel", 2, seconds), axes, thinned(series, SHORT))]


def _flows(seconds: float) -> list[Part]:
    transports = tuple(ground.TRANSPORTS)
    rates = [
        set_to(
            f"{n}-packets",
            f"{n} packets per second and datagram flow in place of 4",
            traffic__rate=f"{n * 4.096:g} kb/s",
        )
        for n in (2, 20)
    ]
    others = (
        set_to("queue-5", "queues of 5 packets in place of 50", queue__limit=5),
        set_to("no-refusals", "no refusals, m = 1000", semi_tcp__m=1000),
    )
    ends: Axes = {"traffic.connections": (1, 15, 25), "traffic.transport": (SEMI, AP)}
    fewer: Axes = {"traffic.connections": (1, 9, 15), "flow.transport": (SEMI, AP)}
    return [
        Part(
            "connections",
            ground.field_of_flows("connections", seconds, datagrams=False),
            {"traffic.connections": ground.CONNECTIONS, "traffic.transport": transports},
            thinned((ACKNOWLEDGED, PROGRAM, WAITING, LIMITED, UNREPAIRED), ends),
        ),
        Part(
            "datagrams",
            ground.field_of_flows("datagrams", seconds, datagrams=True),
            {"traffic.connections": ground.DATAGRAM_FLOWS, "flow.transport": transports},
            thinned((ACKNOWLEDGED, PROGRAM, UNREPAIRED, ground.DATAGRAMS_WAIT, *rates, *others), fewer),
        ),
    ]


def _released(seconds: float) -> list[Part]:
    axes: Axes = {"topology.hops": ground.RELEASED_HOPS, "flow.transport": tuple(ground.TRANSPORTS)}
    semi: Axes = {"topology.hops": ground.RELEASED_HOPS, "flow.transport": (SEMI,)}
    both: Axes = {"topology.hops": ground.RELEASED_HOPS, "flow.transport": (SEMI, AP)}
    later = set_to(
        "tc-plus-m",
        "congested with T_c + 1 packets, as the program of 2013, in place of T_c",
        semi_tcp__congested_at="tc_plus_m",
    )
    paced: Axes = {"topology.hops": ground.RELEASED_HOPS, "flow.transport": (AP,)}
    delayed, silent = "\n[tcp]\ndelayed_ack = true\n", '\n[tcp]\nooo_ack = "none"\n'
    plain, failing = ground.released("released", failures=False), ground.released("failures", failures=True)
    long = ground.static("long", "chain", 1, seconds)
    static = set_to("static", "static routes in place of AODV", routing__protocol="static")
    return [
        Part("released", plain, axes, (later,)),
        Part("released-single", _acknowledged(plain), semi, (later,)),
        # Silent out of order it would rise with the hops; the released one falls as that with single acknowledgments.
        Part("released-delayed", _acknowledged(plain) + delayed, both),
        Part("released-paced", _acknowledged(plain).replace("ooo_ack", "paced = true\nooo_ack"), semi),
        Part("released-silent", plain + silent, paced),
        Part("failures", failing, axes),
        Part("failures-single", _acknowledged(failing), semi),
        Part(
            "long",
            long,
            {"topology.hops": ground.LONG_HOPS, "flow.transport": ("tcp_ap", "new_reno")},
            (SILENT, static, set_to("1mbps", "data at 1 Mb/s in place of 2 Mb/s", mac__data_rate="1 Mb/s")),
        ),
    ]


def _acknowledged(text: str) -> str:
    return text.replace('preset = "cai2013"', 'preset = "cai2013"\nooo_ack = "single"')


# ---- checks ---------------------------------------------------------------------------------------------------------

IN_ORDER = "goodput in order in place of distinct segments"
ON_THE_WAY = "delay from packet creation, route discovery included, in place of from MAC to MAC"


@dataclass(frozen=True)
class _Hangs:
    """What decides most, by kind of scenario."""

    chain: str = "MAC failures reported to AODV, 7 hops, segments out of order not acknowledged"
    moving: str = "50 nodes, ends 1000 m apart, segments out of order counted and not acknowledged"
    thresholds: str = "7 hops, MAC failures reported to AODV"
    paths: str = "MAC failures reported to AODV, segments out of order not acknowledged"
    flows: str = "50 nodes, segments out of order counted and not acknowledged"
    released: str = "congested with T_c packets (see docs/protocols/semi_tcp.md)"


HANGS = _Hangs()


def _checks() -> list[Check]:
    return [*_of_retries(), *_of_thresholds(), *_of_paths(), *_of_flows(), *_in_sum(), *_of_released()]


def _read(claim: str, part: str, sensitivity: str, test: Callable[..., Sequence[Condition]], *beside: str) -> Check:
    """A claim about throughput: by distinct segments, and read in order."""
    return Check(
        f"SEMI-{claim}",
        part,
        sensitivity,
        partial(test, of.unique),
        beside=beside,
        readings=((IN_ORDER, partial(test, of.goodput)),),
    )


def _delay(claim: str, part: str, sensitivity: str, test: Callable[..., Sequence[Condition]], *beside: str) -> Check:
    """A claim about delay: from the source's queue on, and read from the packet's making."""
    return Check(
        f"SEMI-{claim}",
        part,
        sensitivity,
        partial(test, of.delay),
        beside=beside,
        readings=((ON_THE_WAY, partial(test, of.on_the_way)),),
    )


def _other(claim: str, part: str, sensitivity: str, test: Callable[..., Sequence[Condition]], *beside: str) -> Check:
    return Check(claim, part, sensitivity, test, beside=beside)


def _of_retries() -> list[Check]:
    return [
        _read("F7-1", "chain", HANGS.chain, claims.rises_to_nine, "parallel"),
        replace(_read("F7-2", "chain", HANGS.chain, claims.levels_off, "parallel"), margins=claims.MORE_WITH_12),
        _read("F7-3", "chain", HANGS.chain, claims.above_between_4_and_14),
        _other("SEMI-F7-4", "chain", HANGS.chain, claims.few_retries_waste),
        _other("SEMI-F7-5", "chain", "definitions only", claims.psi_is_more),
        _read("F7-6", "parallel", HANGS.chain, claims.above_everywhere),
        Check(
            "SEMI-F7-7",
            "s1",
            HANGS.moving,
            partial(claims.above_while_moving, of.unique),
            beside=("s2",),
            readings=((IN_ORDER, partial(claims.above_while_moving, of.goodput)),),
            on_series=(
                (
                    f"{ground.NEAR_M:g}m",
                    f"ends of S1 and S2 {ground.NEAR_M:g} m apart in place of 1000 m, and 4 attempts or more",
                    partial(claims.above_while_moving, of.unique, first=4.0),
                ),
            ),
        ),
        Check(
            "SEMI-F7-8",
            "s1",
            HANGS.moving,
            partial(claims.slower_while_moving, of.unique),
            beside=("chain", "s2"),
            readings=((IN_ORDER, partial(claims.slower_while_moving, of.goodput)),),
            on_series=(("4-hops", "a chain of 4 hops in place of 7", partial(claims.slower_while_moving, of.unique)),),
        ),
        _read("F7-9", "s1", HANGS.moving, claims.best_while_moving, "s2"),
        _other("SEMI-F8-1", "chain", HANGS.chain, claims.hardly_drops, "parallel"),
        _other("SEMI-F8-2", "s1", HANGS.moving, claims.drops_while_moving, "s2"),
        replace(_other("SEMI-F8-3", "s2", HANGS.moving, claims.retries_do_not_mend_links), margins=claims.MORE_DROPS),
        _delay("F9-1", "chain", HANGS.chain, claims.longer_delay, "parallel", "s1", "s2"),
        replace(
            _delay("F9-2", "chain", HANGS.chain, claims.delay_levels_off, "parallel"), margins=claims.LATER_WITH_12
        ),
        _delay("F9-3", "s1", HANGS.moving, claims.delay_while_moving, "s2"),
        Check(
            "SEMI-T-opt",
            "chain",
            HANGS.chain,
            partial(claims.nine_is_good, of.unique),
            beside=("parallel", "s1", "s2"),
            readings=(
                (IN_ORDER, partial(claims.nine_is_good, of.goodput)),
                (
                    f"at least {100 * claims.PLATEAU:g} % of the best, in place of among the three best",
                    partial(claims.nine_is_level, of.unique),
                ),
            ),
        ),
    ]


def _of_thresholds() -> list[Check]:
    both, usual = "t-mobile", HANGS.thresholds
    return [
        _read("T1-1", "t-parallel", usual, partial(claims.best_cell, 2, 1)),
        _read("T1-2", "t-mobile", HANGS.moving, partial(claims.best_cell, 1, 1)),
        _read("T1-3", "t-mobile", HANGS.moving, partial(claims.falls_with_t_c, ground.RELEASES)),
        _read("T1-4", "t-mobile", HANGS.moving, claims.small_spread),
        _read("T1-5", "t-parallel", usual, partial(claims.falls_with_t_c, (2,))),
        _read("T1-6", "t-parallel", usual, claims.three_is_never_best, both),
        Check(
            "SEMI-T1-8",
            "t-parallel",
            "sum or mean of two flows, 7 hops, kb/s",
            partial(claims.printed_level, of.unique),
            beside=(both,),
            readings=(
                (IN_ORDER, partial(claims.printed_level, of.goodput)),
                ("mean of the two flows in place of their sum", partial(claims.printed_level, of.unique, share=0.5)),
            ),
            on_series=(
                (
                    "5-hops",
                    "5 hops in place of 7, and mean of the two flows in place of their sum",
                    partial(claims.printed_level, of.unique, share=0.5),
                ),
                (
                    ground.OVER_FIVE[1].name,
                    f"{ground.OVER_FIVE[1].assumption}; mean of the two flows",
                    partial(claims.printed_level, of.unique, share=0.5),
                ),
            ),
        ),
    ]


def _of_paths() -> list[Check]:
    return [
        _read("F10-1", "paths", HANGS.paths, path_claims.above_on_long_paths),
        _read("F10-2", "paths", HANGS.paths, path_claims.gain_in_the_cross),
        _read("F10-3", "paths", HANGS.paths, path_claims.falls_steeply),
        _read("F10-4", "paths", HANGS.paths, path_claims.stable_in_parallel),
        Check(
            "SEMI-F10-5",
            "paths",
            "rows 200 m apart, which share the medium along their whole length",
            partial(path_claims.lower_than_parallel, of.unique),
            beside=("rows",),
            readings=(
                (IN_ORDER, partial(path_claims.lower_than_parallel, of.goodput)),
                ("parallel rows 800 m apart in place of 200 m", partial(path_claims.lower_than_rows_apart, of.unique)),
            ),
        ),
        _other("SEMI-F10-6", "released", "1 Mb/s, MAC failures not reported", released.chain_bound),
        _delay("F11-1", "paths", HANGS.paths, path_claims.delay_rises),
        _delay("F11-2", "paths", HANGS.paths, path_claims.longer_delay_on_paths),
    ]


def _of_flows() -> list[Check]:
    return [
        _read("F12-1", "connections", HANGS.flows, path_claims.grows_with_flows),
        Check(
            "SEMI-F12-2",
            "connections",
            HANGS.flows,
            path_claims.others_grow_with_flows,
            readings=(
                ("what grows is Semi-TCP's lead: its ratios of what costs fall", path_claims.others_fall_with_flows),
            ),
        ),
        _read("F12-3", "datagrams", HANGS.flows, path_claims.falls_with_datagrams),
        _other("SEMI-F12-4", "datagrams", HANGS.flows, path_claims.datagrams_fare_better),
        _other("SEMI-F12-5", "datagrams", HANGS.flows, path_claims.datagrams_recover),
    ]


def _in_sum() -> list[Check]:
    return [
        _read("A1", "chain", HANGS.chain, path_claims.large_gain, "parallel", "s1", "paths"),
        _read("A2", "long", "MAC failures reported to AODV", path_claims.ap_beats_new_reno, "chain", "paths"),
        Check(
            "SEMI-A4",
            "chain",
            HANGS.chain,
            path_claims.loads_the_mac,
            beside=("paths",),
            readings=(
                (
                    "frames per segment and acknowledgment that was sent, in place of per segment",
                    partial(path_claims.loads_the_mac, per=of.frames_per_packet),
                ),
            ),
        ),
        Check("AP-1", "long", "MAC failures reported to AODV", partial(released.pacing_pays, of.unique)),
    ]


def _of_released() -> list[Check]:
    single = "released-single"
    return [
        _other("AUX-1", "released", HANGS.released, released.none_against_ap),
        _other("AUX-2", single, HANGS.released, released.single_against_ap, "released"),
        _other("AUX-3", "released", HANGS.released, released.fewer_acks),
        _other("AUX-4", "released", HANGS.released, released.least_at_six),
        _other("AUX-5", single, HANGS.released, released.delays, "released"),
        _other("AUX-6", "released", HANGS.released, released.pacing_begins_at_four),
        _other("AUX-7", "released", HANGS.released, released.requests),
        _other(
            "AUX-12", "released-paced", HANGS.released, released.other_series, "released-silent", "released-delayed"
        ),
        _other("AUX-8", "failures-single", HANGS.released, released.with_failures, "failures"),
        _other("AUX-9", "failures", HANGS.released, released.progress_in_order),
        _other("AUX-11", "failures", "one seed there, several here", released.scatter),
    ]
