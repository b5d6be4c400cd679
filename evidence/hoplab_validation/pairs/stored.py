"""The pairs that are known not to run: read, compared with new verdicts, and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import hoplab.scenario.features as table
from hoplab.scenario.features import refusals
from hoplab.scenario.tomltext import literal
from hoplab_validation.pairs.judge import Verdict

FILE = Path(table.__file__).parent / "refused.toml"
HEAD = """\
# Pairs of features that do not run, by message: `make pairs BLESS=1` writes them, `hoplab list features` shows them.
# refusal: refused. nothing: a flow delivers nothing, and the sentence says why.
"""
STORED = ("refused", "nothing")
"""Kinds of verdicts that are stored, the others being what every pair should have."""

Pair = frozenset[str]


@dataclass(frozen=True)
class Change:
    """A pair whose verdict is another one than what is stored."""

    pair: Pair
    before: str
    now: Verdict

    def __str__(self) -> str:
        names = " and ".join(sorted(self.pair))
        now = "runs" if self.now.kind == "runs" else f"{self.now.kind}: {self.now.message}"
        return f"{names}: {now}; stored: {self.before or 'runs'}"


def known() -> Mapping[Pair, str]:
    """Message of each stored pair."""
    return {frozenset(one.features): one.message for one in refusals()}


def changes(verdicts: Mapping[Pair, Verdict]) -> list[Change]:
    """Pairs whose verdict is not what is stored; faults are always among them."""
    stored = known()
    found = []
    for pair, verdict in verdicts.items():
        before = stored.get(pair, "")
        message = verdict.message if verdict.kind in STORED else ""
        if verdict.is_fault or message != before:
            found.append(Change(pair, before, verdict))
    return found


def text_of(verdicts: Mapping[Pair, Verdict], order: Iterable[str]) -> str:
    """The file of the pairs that do not run."""
    place = {name: index for index, name in enumerate(order)}
    groups: dict[tuple[str, str], list[list[str]]] = {}
    for pair, verdict in verdicts.items():
        if verdict.kind in STORED:
            names = sorted(pair, key=place.__getitem__)
            groups.setdefault((verdict.kind, verdict.message), []).append(names)
    blocks = [HEAD]
    for (kind, message), pairs in sorted(groups.items(), key=lambda one: (one[0][0] != "refused", one[0][1])):
        listed = "\n".join(f"    {literal(pair)}," for pair in sorted(pairs, key=lambda one: [place[n] for n in one]))
        name = "refusal" if kind == "refused" else "nothing"
        blocks.append(f"[[{name}]]\nmessage = {literal(message)}\npairs = [\n{listed}\n]\n")
    return "\n".join(blocks)
