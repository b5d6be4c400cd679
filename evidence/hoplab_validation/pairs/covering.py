"""Few scenarios with several features each, in which every pair that runs occurs: a covering array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from hoplab.scenario.features import Feature
from hoplab_validation.pairs.judge import Verdict, accepted, judged

MOST_FEATURES = 10
"""In one scenario."""
MOST_FLOWS = 3
"""Features with flows in one scenario: more of them starve each other."""
MOST_ANSWERS = 2
"""Commands on one scenario."""


Pair = frozenset[str]
Judge = Callable[[Sequence[Feature]], Verdict]
Each = Callable[[Judge, Sequence[Sequence[Feature]]], Iterator[Verdict]]
"""Applies a judge to many sets of features, in order: `map`, or that of a pool of processes."""


def verdicts(features: Sequence[Feature], known: Mapping[Pair, str], each: Each = map) -> dict[Pair, Verdict]:
    """The verdict of every pair, most of them by scenarios of several features.

    A scenario that is checked without a run shows most refusals. The pairs of `known` are run, the others in a covering
    array; those that occur in none of its scenarios that run are run one by one.
    """
    by_name = {_pair(pair): pair for pair in combinations(features, 2)}
    found = dict(zip(by_name, each(accepted, [*by_name.values()]), strict=True))
    again = [pair for pair in by_name if pair in known and found[pair].kind == "runs"]
    found |= dict(zip(again, each(judged, [by_name[pair] for pair in again]), strict=True))
    sets = covering(features, apart={pair for pair, verdict in found.items() if verdict.kind != "runs"})
    seen: set[Pair] = set()
    open_: set[Pair] = set()
    for one, verdict in zip(sets, each(judged, sets), strict=True):
        (seen if verdict.kind == "runs" else open_).update(map(_pair, combinations(one, 2)))
    left = [pair for pair in by_name if pair in open_ - seen]
    return found | dict(zip(left, each(judged, [by_name[pair] for pair in left]), strict=True))


def _pair(pair: Sequence[Feature]) -> Pair:
    return frozenset(one.name for one in pair)


def has_flows(feature: Feature) -> bool:
    """Whether a feature brings traffic of its own."""
    return feature.group in {"transports", "traffic"} or feature.name in {"priority", "environment"}


def covering(features: Sequence[Feature], *, apart: set[frozenset[str]]) -> list[tuple[Feature, ...]]:
    """Sets of features that have every pair but those of `apart`, and none of these.

    Greedy and in order: the next set begins with the first pair that is missing, and takes the feature that adds most
    missing pairs until none adds any.
    """
    missing = {frozenset((a.name, b.name)) for a, b in combinations(features, 2)} - apart
    found = []
    for a, b in combinations(features, 2):
        if frozenset((a.name, b.name)) not in missing:
            continue
        chosen = [a, b]
        while (more := _best(features, chosen, missing, apart)) is not None:
            chosen.append(more)
        missing -= {frozenset((one.name, other.name)) for one, other in combinations(chosen, 2)}
        found.append(tuple(chosen))
    return found


def _best(
    features: Sequence[Feature], chosen: Sequence[Feature], missing: set[frozenset[str]], apart: set[frozenset[str]]
) -> Feature | None:
    if len(chosen) >= MOST_FEATURES:
        return None
    flows, answers = sum(map(has_flows, chosen)), sum(bool(one.do) for one in chosen)
    best, most = None, 0
    for one in features:
        if one in chosen or (has_flows(one) and flows >= MOST_FLOWS) or (one.do and answers >= MOST_ANSWERS):
            continue
        pairs = [frozenset((one.name, other.name)) for other in chosen]
        added = sum(pair in missing for pair in pairs)
        if added > most and not any(pair in apart for pair in pairs):
            best, most = one, added
    return best
