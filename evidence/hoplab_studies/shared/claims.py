"""Claims of papers: one `claims.toml` per study."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

from hoplab.base.errors import UsageError

KINDS: Mapping[str, str] = {
    "run": "decided by runs",
    "inferred": "inferred from the paper, decided by runs",
    "calibrated": "on runs whose settings were chosen to give the paper's value",
    "construction": "true by construction",
    "released": "against released results",
    "test": "shown by tests",
}
"""Kinds of evidence. Only the first are findings about what the paper claims; the others are tallied apart."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a paper, paraphrased.

    Attributes
    ----------
    grade : str
        N a number in the text, S a shape or an order, D behavior of a protocol, X not decidable from the text.
    figure : str
        The figure that shows it; may be empty.
    tested : str
        The part of the claim that runs test; may be empty.
    later : str
        The part that hoplab does not support; may be empty.
    proof : str
        Tests that show it, if the claim is about protocol behavior.
    cause : str
        Cause of a difference, found by other runs; it does not change the verdict.
    kind : str
        Kind of evidence, one of `KINDS`.
    paper : mapping
        Values that the paper states, by the beginning of a condition's text; two are a range, or two readings.
    """

    id: str
    source: str
    grade: str
    scenario: str
    statement: str
    tolerance: str
    figure: str = ""
    tested: str = ""
    later: str = ""
    proof: str = ""
    cause: str = ""
    kind: str = "run"
    paper: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and its claims.

    Attributes
    ----------
    protocols : tuple of str
        Transports of the paper that hoplab supports.
    own : bool
        Whether the claims are ours and of no paper: they are counted apart.
    """

    name: str
    title: str
    protocols: tuple[str, ...]
    claims: tuple[Claim, ...]
    own: bool = False

    def claim(self, key: str) -> Claim:
        """A claim by its id."""
        return next(claim for claim in self.claims if claim.id == key)


@cache
def papers() -> dict[str, Paper]:
    """Every paper, by name."""
    places = [folder.joinpath("claims.toml") for folder in resources.files("hoplab_studies").iterdir()]
    texts = [place.read_text(encoding="utf-8") for place in places if place.is_file()]
    return {paper.name: paper for paper in sorted(map(parse, texts), key=lambda paper: paper.name)}


def parse(text: str) -> Paper:
    """A paper from its TOML text."""
    data = tomllib.loads(text)
    return Paper(
        name=data["name"],
        title=data["title"],
        protocols=tuple(data["protocols"]),
        claims=tuple(claim for row in data.get("claim", ()) for claim in _claims(row)),
        own=data.get("own", False),
    )


def _claims(row: dict[str, Any]) -> list[Claim]:
    """One claim per row; of a row with `pairs`, one per pair of transports, with their labels in the statement."""
    pairs = row.pop("pairs", None)
    if pairs is None:
        return [Claim(**row)]
    of_pairs = [row | {"id": f"{row['id']}:{a}/{b}", "statement": row["statement"].format(a, b)} for a, b in pairs]
    return [Claim(**one) for one in of_pairs]


def paper_named(name: str) -> Paper:
    """The study of a paper.

    Raises
    ------
    UsageError
        If the name is unknown; the message suggests similar names.
    """
    return papers()[nearest(name.lower(), list(papers()), "paper")]


def nearest(name: str, known: list[str], what: str) -> str:
    """`name` if it is known.

    Raises
    ------
    UsageError
        If it is unknown; the message lists known names, the hint similar ones.
    """
    if name in known:
        return name
    near = get_close_matches(name, known, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else None
    raise UsageError(f"unknown {what} {name!r}, expected {', '.join(known)}", hint=hint)
