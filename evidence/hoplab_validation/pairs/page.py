"""The page of pairs, made from the table of features and the pairs that are stored as refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from hoplab.scenario.features import Feature, Refusal, features, refusals
from hoplab_validation.pairs.compose import clash

HEAD = """\
# What combines with what

Made by `make pairs` from the features of `hoplab list features`. Each feature is combined with each other one in a
network of six nodes and run; a pair runs if every flow delivers, and every command on the run answers.
"""


def share_sentence(pairs: int, contradicting: int, refused: int) -> str:
    """How many pairs run."""
    possible = pairs - contradicting
    run = possible - refused
    return (
        f"Of {pairs:,} pairs, {contradicting:,} contradict each other, such as two topologies. Of the other "
        f"{possible:,}, {run:,} run ({100.0 * run / possible:.1f} %), and {refused:,} do not."
    )


def contradicting(chosen: Sequence[Feature]) -> set[frozenset[str]]:
    """Pairs that set one key to two values, or are two kinds of one thing."""
    return {frozenset((one.name, other.name)) for one, other in combinations(chosen, 2) if clash(one, other)}


def page() -> str:
    """The page as Markdown."""
    chosen = [one for one in features() if not one.out]
    pairs = len(chosen) * (len(chosen) - 1) // 2
    return "\n".join(
        [
            HEAD,
            share_sentence(pairs, len(contradicting(chosen)), len(refusals())),
            "",
            *_refused(refusals()),
            *_features(features(), refusals()),
        ]
    )


def _refused(found: Sequence[Refusal]) -> Iterator[str]:
    yield "## What does not\n"
    yield "| message | pairs |\n| --- | --- |"
    groups: dict[str, list[tuple[str, ...]]] = {}
    for one in found:
        groups.setdefault(one.message, []).append(one.features)
    for message, pairs in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0])):
        yield f"| {_cell(message)} | {_grouped(pairs)} |"
    yield ""


def _grouped(pairs: Sequence[tuple[str, ...]]) -> str:
    """Pairs, those with one partner together."""
    partners: dict[str, list[str]] = {}
    for first, second in pairs:
        partners.setdefault(first, []).append(second)
    others: dict[tuple[str, ...], list[str]] = {}
    for first, seconds in partners.items():
        others.setdefault(tuple(seconds), []).append(first)
    return "; ".join(f"{_names(firsts)} with {_names(seconds)}" for seconds, firsts in others.items())


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _features(found: Sequence[Feature], refused: Sequence[Refusal]) -> Iterator[str]:
    yield "## Features\n"
    yield "| feature | what it is | refused with |\n| --- | --- | --- |"
    for one in found:
        count = sum(one.name in pair.features for pair in refused)
        yield f"| `{one.name}` | {_cell(one.summary)} | {one.out or (f'{count}' if count else '')} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
