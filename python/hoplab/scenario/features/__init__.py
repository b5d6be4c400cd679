"""Features: what a scenario can have and what can be done with it, as data; `hoplab list features` prints them.

`table.toml` has a row per feature, `refused.toml` the pairs that are refused. `make pairs` combines all of them and
writes the second.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Feature:
    """One row of the table.

    Attributes
    ----------
    toml, wants : str
        Keys of a scenario: those that make the feature, and those that it needs and another may set.
    files : mapping
        Text of the files that the keys name.
    slot : str
        What there is one of; "" if there may be several.
    source : str
        Node that flows come from; "" for node 0.
    do : str
        What is done with the run; "" if it is run and no more.
    out : str
        Why it is in no pair; "" if it is.
    """

    name: str
    group: str
    summary: str
    toml: str = ""
    wants: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    slot: str = ""
    source: str = ""
    do: str = ""
    out: str = ""


@dataclass(frozen=True)
class Refusal:
    """Two features that do not run together, and the message; `is_refused` unless the run carries nothing."""

    features: tuple[str, ...]
    message: str
    is_refused: bool = True


@cache
def table() -> Mapping[str, Any]:
    """The table as it is written."""
    return _read("table.toml")


@cache
def features() -> tuple[Feature, ...]:
    """Every feature, in the order of the table."""
    rows = {row["name"]: row for row in table()["feature"]}
    return tuple(Feature(**_whole(row, rows)) for row in rows.values())


@cache
def refusals() -> tuple[Refusal, ...]:
    """The pairs that do not run, as `make pairs` has last seen them."""
    found = _read("refused.toml")
    return tuple(
        Refusal(tuple(pair), group["message"], kind == "refusal")
        for kind in ("refusal", "nothing")
        for group in found.get(kind, ())
        for pair in group["pairs"]
    )


def _whole(row: Mapping[str, Any], rows: Mapping[str, Any]) -> dict[str, Any]:
    """A row with the keys of the one that it is like."""
    own = {key: value for key, value in row.items() if key != "like"}
    return {**own, "toml": row["toml"] + rows[row["like"]]["toml"]} if "like" in row else own


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
