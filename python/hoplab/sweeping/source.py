"""A scenario file as text: lines of its keys, and the text without its `[sweep]` tables.

tomllib gives values without positions. A file is therefore cut into its statements (a header, or a key with its value),
and each of them is read by itself: it is the text of a document of its own.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hoplab.base.errors import InputError
from hoplab.base.regular_files import without_mark
from hoplab.scenario.model import read_file
from hoplab.scenario.statements import KeyPath, placed_statements, sets, statement_lines
from hoplab.scenario.tomltext import toml_tables

_SWEEP_HEADER = re.compile(r"""^\s*\[\[?\s*(?:sweep|"sweep"|'sweep')\s*[.\]]""")
_HEADER = re.compile(r"^\s*\[")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class SweepError(InputError):
    """An invalid sweep in a scenario file.

    Attributes
    ----------
    path : str
        File, as the user named it.
    line : int or None
        Line, from 1; None where the fault has no place in the file.
    """

    def __init__(self, path: str, line: int | None, message: str, *, hint: str | None = None) -> None:
        super().__init__(f"{path}: {message}" if line is None else f"{path}:{line}: {message}", hint=hint)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.path, self.line, self.message, self.hint))


def _rebuild(path: str, line: int | None, message: str, hint: str | None) -> SweepError:
    error = SweepError(path, line, "", hint=hint)
    error.message = message
    error.args = (message,)
    return error


@dataclass(frozen=True)
class Source:
    """A scenario file, split into what the engine reads and what the sweep reads.

    Attributes
    ----------
    path : str
        As given by the user, for messages.
    text : str
        The whole file.
    scenario : str
        The text with the lines of `[sweep]` blanked, so that line numbers stay as they are.
    sweep : dict
        The `[sweep]` table; empty where there is none.
    """

    path: str
    text: str
    scenario: str
    sweep: dict[str, Any]

    def line_of(self, *key: str | int) -> int | None:
        """Line of the statement that sets a key, from 1; None where the file does not set it."""
        return next((line for line, path, value in self.statements if sets(path, value, key)), None)

    @cached_property
    def statements(self) -> list[tuple[int, KeyPath, Any]]:
        """Line of every statement, its table, and the keys it sets."""
        return list(placed_statements(self.text))

    def error(self, key: KeyPath, message: str, *, hint: str | None = None) -> SweepError:
        """An error about a key, with the line of the key or of the nearest table that the file holds."""
        line = None
        for length in range(len(key), 0, -1):
            line = self.line_of(*key[:length])
            if line is not None:
                break
        return SweepError(self.path, line, message, hint=hint)


def read_source(path: str | Path) -> Source:
    """Read a scenario file and split it.

    Raises
    ------
    SweepError
        If the file cannot be read, is not TOML, or has `sweep` in a form that cannot be removed.
    """
    try:
        text = read_file(Path(path))
    except InputError as error:
        reason = error.message.removeprefix(f"{path}: ")
        said = "cannot be read: No such file or directory" if reason == "file not found" else reason
        raise SweepError(str(path), None, said, hint=error.hint) from error
    return split_source(text, str(path))


def split_source(text: str, path: str) -> Source:
    """Split the text of a scenario file; `path` is for messages.

    Raises
    ------
    SweepError
        If the text is not TOML, or has `sweep` in a form that cannot be removed.
    """
    text = without_mark(text).replace("\r\n", "\n")
    try:
        document = toml_tables(text)
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        line = int(place.group(1)) if place else None
        raise SweepError(path, line, f"not TOML: {_AT_LINE.sub('', str(error)).strip()}") from error
    sweep = document.pop("sweep", None)
    if sweep is None:
        return Source(path, text, text, {})
    scenario = _without_sweep(text)
    source = Source(path, text, scenario, sweep if isinstance(sweep, dict) else {})
    if not isinstance(sweep, dict) or toml_tables(scenario) != document:
        raise source.error(
            ("sweep",), "sweep is not written as a table of its own", hint="start it with a line '[sweep]'"
        )
    return source


def _without_sweep(text: str) -> str:
    """The text with every statement below a `[sweep...]` header blanked, line by line."""
    lines = text.splitlines(keepends=True)
    kept = [*lines]
    begun: int | None = None  # where the first of some tables of the sweep begins
    headers = [start for start, _ in statement_lines(lines) if _HEADER.match(lines[start])]
    for start in [*headers, len(lines)]:
        is_sweep = start < len(lines) and bool(_SWEEP_HEADER.match(lines[start]))
        if begun is not None and not is_sweep:
            kept[begun:start] = ["\n"] * (start - begun)
            begun = None
        elif begun is None and is_sweep:
            begun = start
    return "".join(kept)
