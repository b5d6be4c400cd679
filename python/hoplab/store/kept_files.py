"""Copies of files that scenarios name, in a directory of results, so that stored scenarios run anywhere.

A copy stands at `files/<digest>/<name>`: equal files are kept once, and different ones of a name side by side.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.scenario.statements import KeyPath, placed_statements
from hoplab.scenario.tomltext import literal, toml_tables
from hoplab.store import files

FILES = "files"
_CONTROLLER = re.compile(r"flow(?:\.(\d+))?\.controller")

WITH_FILES = ("mobility", "topology", "traffic", "live")
"""Tables with a key `file`."""


class KeptFiles:
    """The copies in one directory of results.

    Parameters
    ----------
    root : Path
        The directory of results; that of the copies is created with the first.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[tuple[str, int, int], Path] = {}

    def portable(self, toml: str, folder: Path, place: Path) -> str:
        """A resolved scenario with the names of copies, as seen from the directory where it is stored.

        Parameters
        ----------
        toml : str
            As the engine writes it: one line per key.
        folder : Path
            Where its names are seen from.
        place : Path
            Directory where it is stored.

        Raises
        ------
        InputError
            If a file cannot be read any more.
        """
        lines = toml.splitlines(keepends=True)
        for number, table, document in placed_statements(toml):
            for key, name in named_in(table, document):
                lines[number - 1] = f"{key} = {literal(self._seen_from(place, folder, name))}\n"
        return "".join(lines)

    def overrides(self, text: str, overrides: Sequence[tuple[str, str]], folder: Path) -> dict[str, str]:
        """Keys of a scenario as it was given that name files, and the names of their copies, seen from the root."""
        return {key: self._seen_from(self._root, folder, name) for key, name in named_keys(text, overrides).items()}

    def _seen_from(self, place: Path, folder: Path, name: str) -> str:
        file, colon, rest = name.rpartition(":") if ".py:" in name else (name, "", "")
        copy = self._copy(folder / file)
        return Path(os.path.relpath(copy, place)).as_posix() + colon + rest

    def _copy(self, source: Path) -> Path:
        try:
            state = source.stat()
            known = (str(source), state.st_mtime_ns, state.st_size)
            if known not in self._known:
                self._known[known] = self._store(source)
        except OSError as error:
            raise InputError(f"{source}: cannot be read: {error.strerror or error}, named by the scenario") from error
        return self._known[known]

    def _store(self, source: Path) -> Path:
        """Copy a file, and the parameters that BonnMotion writes beside one of movements."""
        data = regular_files.read_bytes(source)
        base = source.name.removesuffix(".gz").removesuffix(".movements")
        params = source.with_name(f"{base}.params")
        beside = regular_files.read_bytes(params) if params != source and params.is_file() else None
        place = self._root / FILES / files.digest(data + (beside or b""))[:16]
        place.mkdir(parents=True, exist_ok=True)
        for name, content in ((source.name, data), (params.name, beside)):
            if content is not None and not (place / name).is_file():
                files.replace(place / name, content)
        return place / source.name


def named_in(table: KeyPath, document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys of a statement that name files, with their values."""
    for key, value in document.items():
        is_file = key == "file" and table in {(name,) for name in WITH_FILES}
        is_controller = key == "controller" and table[:1] in {("flow",), ("traffic",)} and ".py:" in str(value)
        if isinstance(value, str) and (is_file or is_controller):
            yield key, value


def named_keys(text: str, overrides: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
    """Dotted keys of a scenario that name files, with their values; overrides as the engine takes them."""
    tables = toml_tables(text)
    found: dict[str, str] = {}
    for name in WITH_FILES:
        section = tables.get(name)
        if isinstance(section, dict):
            found.update({f"{name}.{key}": value for key, value in named_in((name,), section)})
    flows = tables.get("flow")
    count = len(flows) if isinstance(flows, list) else 0
    for index, flow in enumerate(flows if isinstance(flows, list) else ()):
        if isinstance(flow, dict):
            found.update({f"flow.{index}.{key}": value for key, value in named_in(("flow", index), flow)})
    for key, value in overrides:
        match = _CONTROLLER.fullmatch(key)
        keys = [key]
        if match and match[1] is None:
            keys = [f"flow.{index}.controller" for index in range(count)]
        elif not match and key not in {*(f"{name}.file" for name in WITH_FILES), "traffic.controller"}:
            continue
        for one in keys:
            found.pop(one, None)
            text_value = _value(value)
            if not one.endswith("controller") or ".py:" in text_value:
                found[one] = text_value
    return found


def _value(text: str) -> str:
    """An override's value: TOML, or else text."""
    try:
        value = toml_tables(f"value = {text}")["value"]
    except ValueError:
        return text
    return value if isinstance(value, str) else text
