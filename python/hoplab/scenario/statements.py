"""Statements of a TOML file with their lines: headers, and keys with values.

Every character is looked at once, so that a long file takes no longer per line than a short one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

KeyPath = tuple[str | int, ...]
"""Way to a value: names of tables and keys, and positions in arrays of tables."""

_QUOTES = ('"""', "'''", '"', "'")


def statement_lines(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First line of each statement, from 0, and the line behind its last. Blank lines and comments belong to none."""
    start: int | None = None
    quote, depth = "", 0
    for number, line in enumerate(lines):
        if start is None:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            start = number
        quote, depth = _after(line, quote, depth)
        if not quote and depth <= 0:
            yield start, number + 1
            start, depth = None, 0
    if start is not None:
        yield start, len(lines)


def _after(line: str, quote: str, depth: int) -> tuple[str, int]:
    """The quotes that are open after a line (those of one line end with it), and how many brackets."""
    at = 0
    while at < len(line):
        if quote:
            if line[at] == "\\" and quote[0] == '"':
                at += 2
            elif line.startswith(quote, at):
                at += len(quote)
                quote = ""
            else:
                at += 1
            continue
        character = line[at]
        if character == "#":
            break
        quote = next((mark for mark in _QUOTES if line.startswith(mark, at)), "")
        at += max(1, len(quote))
        depth += (character in "[{") - (character in "]}")
    return (quote if len(quote) == 3 else ""), depth


def placed_statements(text: str) -> Iterator[tuple[int, KeyPath, Any]]:
    """Line of every statement, from 1; its table; and the keys it sets."""
    lines = text.splitlines(keepends=True)
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    for start, end in statement_lines(lines):
        try:
            document = tomllib.loads("".join(lines[start:end]))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        if lines[start].lstrip().startswith("["):
            table = _opened(document, counts)
            document = {}
        yield start + 1, table, document


def _opened(document: dict[str, Any], counts: dict[KeyPath, int]) -> KeyPath:
    """The table that a header opens; `counts` has how many elements each array of tables has so far."""
    path: KeyPath = ()
    value: Any = document
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        path = (*path, name)
        if isinstance(value, list):
            counts[path] = counts.get(path, 0) + 1
            value = value[0]
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def sets(table: KeyPath, document: Any, key: Sequence[str | int]) -> bool:
    """Whether a statement in (or of) a table sets a key, or something below it."""
    if table[: len(key)] == tuple(key):
        return True
    if tuple(key[: len(table)]) != table or not document:
        return False
    value = document
    for part in key[len(table) :]:
        if isinstance(part, int):
            if not isinstance(value, list) or part >= len(value):
                return False
        elif not isinstance(value, dict) or part not in value:
            return False
        value = value[part]
    return True
