"""The study of the Semi-TCP paper (Cai 2013): retries, thresholds, path lengths, flows together, and released results.

Throughput is that of the paper, distinct segments in any order; every claim about it is judged in order as well, as
another reading of the same runs. The series with ACKs for segments out of order shows the sensitivity to missing ACKs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hoplab_studies.semi_tcp import claims, path_claims, released, series
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp.figures import all_figures, tables
from hoplab_studies.semi_tcp.gains import notes
from hoplab_studies.semi_tcp.parts import parts as all_parts
from hoplab_studies.shared.study import Check, Study
from hoplab_studies.shared.verdict import Condition


def study(*, quick: bool = False) -> Study:
    """The whole study; if `quick`, runs of two fifths of the time, and only the series that explain."""
    seconds = ground.QUICK_S if quick else ground.FULL_S
    parts = all_parts(seconds)
    if quick:
        parts = tuple(part.only(series.QUICK_SERIES) for part in parts)
    return Study(
        paper="semi-tcp",
        parts=(*parts, *ground.other_parts(seconds)),
        figures=tuple(all_figures()),
        checks=tuple(_checks()),
        assumptions=(*ground.ASSUMPTIONS, *([ground.QUICK] if quick else [])),
        tables=tables,
        notes=notes,
    )


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


Test = Callable[..., Sequence[Condition]]


def _checks() -> list[Check]:
    return [*_of_retries(), *_of_thresholds(), *_of_paths(), *_of_flows(), *_in_sum(), *_of_released()]


def _read(
    claim: str,
    part: str,
    sensitivity: str,
    test: Test,
    *beside: str,
    also_read: Sequence[tuple[str, Test]] = (),
    **more: Any,
) -> Check:
    """A claim about throughput: by distinct segments, and read in order."""
    readings = ((IN_ORDER, partial(test, of.goodput)), *also_read)
    return _plain(f"SEMI-{claim}", part, sensitivity, partial(test, of.unique), *beside, readings=readings, **more)


def _delay(claim: str, part: str, sensitivity: str, test: Test, *beside: str, **more: Any) -> Check:
    """A claim about delay: from the source's queue on, and read from the packet's making."""
    readings = ((ON_THE_WAY, partial(test, of.on_the_way)),)
    return _plain(f"SEMI-{claim}", part, sensitivity, partial(test, of.delay), *beside, readings=readings, **more)


def _plain(claim: str, part: str, sensitivity: str, test: Test, *beside: str, **more: Any) -> Check:
    return Check(claim, part, sensitivity, test, beside=beside, **more)


def _of_retries() -> list[Check]:
    return [
        _read("F7-1", "chain", HANGS.chain, claims.rises_to_nine, "parallel"),
        _read("F7-2", "chain", HANGS.chain, claims.levels_off, "parallel", margins=claims.MORE_WITH_12),
        _read("F7-3", "chain", HANGS.chain, claims.above_between_4_and_14),
        _plain("SEMI-F7-4", "chain", HANGS.chain, claims.few_retries_waste),
        _plain("SEMI-F7-5", "chain", "definitions only", claims.psi_is_more),
        _read("F7-6", "parallel", HANGS.chain, claims.above_everywhere),
        _read(
            "F7-7",
            "s1",
            HANGS.moving,
            claims.above_while_moving,
            "s2",
            on_series=(
                (
                    f"{series.NEARER_M:g}m",
                    f"ends of S1 and S2 {series.NEARER_M:g} m apart in place of 1000 m, and 4 attempts or more",
                    partial(claims.above_while_moving, of.unique, first=4.0),
                ),
            ),
        ),
        _read(
            "F7-8",
            "s1",
            HANGS.moving,
            claims.slower_while_moving,
            "chain",
            "s2",
            on_series=(("4-hops", "a chain of 4 hops in place of 7", partial(claims.slower_while_moving, of.unique)),),
        ),
        _read("F7-9", "s1", HANGS.moving, claims.best_while_moving, "s2"),
        _plain("SEMI-F8-1", "chain", HANGS.chain, claims.hardly_drops, "parallel"),
        _plain("SEMI-F8-2", "s1", HANGS.moving, claims.drops_while_moving, "s2"),
        _plain("SEMI-F8-3", "s2", HANGS.moving, claims.retries_do_not_mend_links, margins=claims.MORE_DROPS),
        _delay("F9-1", "chain", HANGS.chain, claims.longer_delay, "parallel", "s1", "s2"),
        _delay("F9-2", "chain", HANGS.chain, claims.delay_levels_off, "parallel", margins=claims.LATER_WITH_12),
        _delay("F9-3", "s1", HANGS.moving, claims.delay_while_moving, "s2"),
        _read(
            "T-opt",
            "chain",
            HANGS.chain,
            claims.nine_is_good,
            "parallel",
            "s1",
            "s2",
            also_read=(
                (
                    f"at least {100 * claims.PLATEAU:g} % of the best, in place of among the three best",
                    partial(claims.nine_is_level, of.unique),
                ),
            ),
        ),
    ]


def _of_thresholds() -> list[Check]:
    both, usual, limits = "t-mobile", HANGS.thresholds, series.OVER_5_HOPS[1]
    halved = partial(claims.printed_level, of.unique, share=0.5)
    return [
        _read("T1-1", "t-parallel", usual, partial(claims.best_cell, 2, 1)),
        _read("T1-2", "t-mobile", HANGS.moving, partial(claims.best_cell, 1, 1)),
        _read("T1-3", "t-mobile", HANGS.moving, partial(claims.falls_with_t_c, ground.RELEASES)),
        _read("T1-4", "t-mobile", HANGS.moving, claims.small_spread),
        _read("T1-5", "t-parallel", usual, partial(claims.falls_with_t_c, (2,))),
        _read("T1-6", "t-parallel", usual, claims.three_is_never_best, both),
        _read(
            "T1-8",
            "t-parallel",
            "sum or mean of two flows, 7 hops, kb/s",
            claims.printed_level,
            both,
            also_read=(("mean of the two flows in place of their sum", halved),),
            on_series=(
                ("5-hops", "5 hops in place of 7, and mean of the two flows in place of their sum", halved),
                (limits.name, f"{limits.assumption}; mean of the two flows", halved),
            ),
        ),
    ]


def _of_paths() -> list[Check]:
    return [
        _read("F10-1", "paths", HANGS.paths, path_claims.above_on_long_paths),
        _read("F10-2", "paths", HANGS.paths, path_claims.gain_in_the_cross),
        _read("F10-3", "paths", HANGS.paths, path_claims.falls_steeply),
        _read("F10-4", "paths", HANGS.paths, path_claims.stable_in_parallel),
        _read(
            "F10-5",
            "paths",
            "rows 200 m apart, which share the medium along their whole length",
            path_claims.lower_than_parallel,
            "rows",
            also_read=(
                ("parallel rows 800 m apart in place of 200 m", partial(path_claims.lower_than_rows_apart, of.unique)),
            ),
        ),
        _plain("SEMI-F10-6", "released", "1 Mb/s, MAC failures not reported", released.chain_bound),
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
        _plain("SEMI-F12-4", "datagrams", HANGS.flows, path_claims.datagrams_fare_better),
        _plain("SEMI-F12-5", "datagrams", HANGS.flows, path_claims.datagrams_recover),
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
        _plain("AUX-1", "released", HANGS.released, released.none_against_ap),
        _plain("AUX-2", single, HANGS.released, released.single_against_ap, "released"),
        _plain("AUX-3", "released", HANGS.released, released.fewer_acks),
        _plain("AUX-4", "released", HANGS.released, released.least_at_six),
        _plain("AUX-5", single, HANGS.released, released.delays, "released"),
        _plain("AUX-6", "released", HANGS.released, released.pacing_begins_at_four),
        _plain("AUX-7", "released", HANGS.released, released.requests),
        _plain(
            "AUX-12", "released-paced", HANGS.released, released.other_series, "released-silent", "released-delayed"
        ),
        _plain("AUX-8", "failures-single", HANGS.released, released.with_failures, "failures"),
        _plain("AUX-9", "failures", HANGS.released, released.progress_in_order),
        _plain("AUX-11", "failures", "one seed there, several here", released.scatter),
    ]
