"""What the gains of Semi-TCP depend on: the counting of segments, and the acknowledgments that are not sent."""

from __future__ import annotations

from collections.abc import Callable

from hoplab.stats import Interval
from hoplab_studies.semi_tcp import measures as of
from hoplab_studies.semi_tcp import scenarios as ground
from hoplab_studies.semi_tcp.claims import AP, NEW_RENO, SEMI
from hoplab_studies.semi_tcp.series import SINGLE_ACKS
from hoplab_studies.shared.measures import ratio
from hoplab_studies.shared.numbers import Measure
from hoplab_studies.shared.resampling import estimate, ratio_of_sums
from hoplab_studies.shared.study import DEFAULT, Grid, Grids
from hoplab_studies.shared.verdict import shown

WORTH = 1.05
"""A gain below this counts as none in the summary of sensitivities."""


def notes(grids: Grids) -> list[str]:
    """Gain over TCP-AP by panel, in order, and with all segments acknowledged."""
    found = []
    for part, what, gain in PANELS:
        if (part, DEFAULT) not in grids:
            continue
        default, single = grids[part, DEFAULT], grids.get((part, SINGLE_ACKS.name))
        distinct, in_order = (gain(default, measure) for measure in (of.unique, of.goodput))
        said = f"{what}: Semi-TCP over TCP-AP {shown(distinct)} by distinct segments, {shown(in_order)} in order"
        answered = None if single is None else gain(single, of.unique)
        if answered is not None:
            said += f"; with ACKs for segments out of order {shown(answered)} by distinct segments"
        paced = gain(default, of.unique, (AP, NEW_RENO))
        said += f"; TCP-AP over NewReno {shown(paced)}"
        found.append(f"{said}. {_sensitivity(distinct, in_order, answered)}")
    return found


def _sensitivity(distinct: Interval, in_order: Interval, answered: Interval | None) -> str:
    if not distinct.mean > WORTH:
        return "No gain to explain."
    on = []
    if not in_order.mean > WORTH:
        on.append("counting segments out of order")
    if answered is not None and not answered.mean > WORTH:
        on.append("missing ACKs")
    if on:
        return f"The gain is sensitive to {' and '.join(on)}."
    seen = [(in_order, "in order"), (answered, "with all ACKs")]
    kept = [(gain, where) for gain, where in seen if gain is not None]
    where = " and ".join(where for _, where in kept)
    if all(gain.low is not None and gain.low > 1.0 for gain, _ in kept):
        return f"The gain holds {where}."
    return f"Inconclusive {where}: a 95 % CI includes no gain."


Pair = tuple[str, str]


def _at_nine(grid: Grid, measure: Measure, pair: Pair = (SEMI, AP)) -> Interval:
    a, b = ([measure(run) or 0.0 for run in grid.at(ssrl=ground.USUAL_RETRIES, transport=name)] for name in pair)
    return ratio(a, b)


def _over_paths(grid: Grid, measure: Measure, pair: Pair = (SEMI, AP)) -> Interval:
    a, b = (
        [
            list(map(measure, grid.at(kind=kind, hops=h, transport=name)))
            for kind in ground.KINDS
            for h in grid.values("hops")
            if h >= 3
        ]
        for name in pair
    )
    return estimate(ratio_of_sums, a, b)


def _over_flows(grid: Grid, measure: Measure, pair: Pair = (SEMI, AP)) -> Interval:
    a, b = ([list(map(measure, grid.at(connections=15, transport=name)))] for name in pair)
    return estimate(ratio_of_sums, a, b)


PANELS: tuple[tuple[str, str, Callable[..., Interval]], ...] = (
    ("chain", "Chain of 7 hops, SSRL 9", _at_nine),
    ("parallel", "One of two parallel rows of 7 hops, SSRL 9", _at_nine),
    ("s1", "Moving nodes, S1, SSRL 9", _at_nine),
    ("s2", "Moving nodes, S2, SSRL 9", _at_nine),
    ("paths", "Two flows, 3 hops and more, parallel, spindle and cross together", _over_paths),
    ("connections", "15 connections between moving nodes", _over_flows),
)
"""What the summary compares, and how."""
