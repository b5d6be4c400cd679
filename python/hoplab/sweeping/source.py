"""A scenario file as text: where its keys stand, and the same text without its `[sweep]` tables.

tomllib gives values without positions. A prefix of a TOML file that ends between two statements is itself
TOML, and a prefix that ends inside one (a multi-line array or string) is not. So the statement that sets a
key is the one whose last line first makes a readable prefix that holds the key; no second parser is needed.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab.base.errors import InputError

KeyPath = tuple[str | int, ...]
"""Way to a value: names of tables and keys, and positions in arrays of tables."""

_SWEEP_HEADER = re.compile(r"""^\s*\[\[?\s*(?:sweep|"sweep"|'sweep')\s*[.\]]""")
_HEADER = re.compile(r"^\s*\[")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class SweepError(InputError):
    """A sweep that cannot be made from its file.

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


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario file, split into what the engine reads and what the sweep reads.

    Attributes
    ----------
    path : str
        As the user named it; stands in messages.
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
        lines = self.text.splitlines(keepends=True)
        start = 0
        for end in range(1, len(lines) + 1):
            try:
                document = tomllib.loads("".join(lines[:end]))
            except tomllib.TOMLDecodeError:
                continue
            if _holds(document, key):
                while start < end - 1 and not lines[start].split("#", 1)[0].strip():
                    start += 1
                return start + 1
            start = end
        return None

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
        If the file cannot be read, is not TOML, or writes `sweep` in a way that cannot be cut out.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SweepError(str(path), None, f"cannot be read: {reason}") from error
    return split_source(text, str(path))


def split_source(text: str, path: str) -> Source:
    """Split the text of a scenario file; `path` only stands in messages.

    Raises
    ------
    SweepError
        If the text is not TOML, or writes `sweep` in a way that cannot be cut out.
    """
    text = text.replace("\r\n", "\n")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        line = int(place.group(1)) if place else None
        raise SweepError(path, line, f"not TOML: {_AT_LINE.sub('', str(error)).strip()}") from error
    sweep = document.pop("sweep", None)
    if sweep is None:
        return Source(path, text, text, {})
    scenario = _without_sweep(text)
    source = Source(path, text, scenario, sweep if isinstance(sweep, dict) else {})
    if not isinstance(sweep, dict) or tomllib.loads(scenario) != document:
        raise source.error(
            ("sweep",), "sweep is not written as a table of its own", hint="start it with a line '[sweep]'"
        )
    return source


def _without_sweep(text: str) -> str:
    """The text with every statement below a `[sweep...]` header blanked, line by line."""
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    inside = False
    for index, line in enumerate(lines):
        if _HEADER.match(line) and (bool(_SWEEP_HEADER.match(line)) != inside) and _readable("".join(lines[:index])):
            inside = not inside
        kept.append("\n" if inside else line)
    return "".join(kept)


def _readable(text: str) -> bool:
    """Whether a prefix of a TOML file ends between two statements."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _holds(document: Any, key: tuple[str | int, ...]) -> bool:
    value = document
    for part in key:
        if isinstance(part, int):
            if not isinstance(value, list) or part >= len(value):
                return False
        elif not isinstance(value, dict) or part not in value:
            return False
        value = value[part]
    return True
