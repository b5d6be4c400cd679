"""Transports: the rows of the engine's table, and names of controllers of the user."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.base.engine import registry

BASE = "+"
"""Between a controller of the user and the transport whose sender it drives: ``mine.py:MyReno+tcp_reno``."""

_CLASS = re.compile(r"(?:(?:python|program):|.*\.py:)([^:@+]+)(?:@([0-9a-f]+))?(?:\+(\w+))?")


@dataclass(frozen=True, slots=True)
class Transport:
    """A row of `TRANSPORTS` in `crates/hoplab/src/scenario/transports.rs`.

    Attributes
    ----------
    name, title, summary : str
        Its name in scenarios; in legends, as its paper writes it; what it is, in one line.
    group : str
        What it shares with others, as a heading.
    conversation : {"datagrams", "one_way", "connection"}
        Nothing comes back; a one-way agent as those of ns-2; two equal ends from handshake to close.
    page : str
        Its page below `docs`.
    feature : str or None
        The feature of builds that have it, if it is a library's.
    """

    name: str
    title: str
    summary: str
    group: str
    conversation: str
    page: str
    feature: str | None = None


@functools.cache
def transports() -> dict[str, Transport]:
    """The transports by name, in the engine's order."""
    return {entry["name"]: Transport(**entry) for entry in registry()["transports"]}


def transport_title(name: str) -> str:
    """The name of a transport in words; a controller of the user has that of its class."""
    found = transports().get(name)
    return found.title if found else short_name(name)


def short_name(name: str) -> str:
    """The name of a transport in tables: for a controller of the user that of its class, and its base if it has one."""
    found = _CLASS.fullmatch(name)
    return f"{found[1]}{BASE}{found[3]}" if found and found[3] else found[1] if found else name


def split_base(name: str) -> tuple[str, str | None]:
    """A controller of the user without its base, and the base."""
    found = _CLASS.fullmatch(name)
    return (name[: found.start(3) - len(BASE)], found[3]) if found and found[3] else (name, None)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """`short_name` of each transport; where two have one, with the start of the digest or the whole name."""
    short = {name: short_name(name) for name in names}
    taken = list(short.values())
    return {
        name: text
        if taken.count(text) == 1
        else f"{text}@{found[2][:4]}"
        if (found := _CLASS.fullmatch(name)) and found[2]
        else name
        for name, text in short.items()
    }
