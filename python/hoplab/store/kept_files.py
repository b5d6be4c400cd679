"""Copies of files that scenarios name, in a directory of results, so that stored scenarios run anywhere.

A copy stands at `files/<digest>/<name>`: equal files are kept once, and different ones of a name side by side.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.scenario.overriding import overridden
from hoplab.scenario.statements import KeyPath, placed_statements
from hoplab.scenario.tomltext import literal, toml_tables
from hoplab.store import files

FILES = "files"

WITH_FILES = ("mobility", "topology", "traffic", "live")
"""Tables with a key `file`. Sizes of a `[[workload]]` have one, too; a resolved scenario has their points instead."""
EXTERNAL = {"flow": "controller", "traffic": "controller", "workload": "controller", "mac": "rate_controller"}
"""Tables with a class in a Python file, and its key there."""
REGISTERED = ("python:", "program:")
"""What the names of classes begin with that a program has registered."""


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
                lines[number - 1] = f"{key} = {literal(self._seen_from(place, folder, key, name))}\n"
        return "".join(lines)

    def overrides(self, text: str, overrides: Sequence[tuple[str, str]], folder: Path) -> dict[str, str]:
        """Keys of a scenario as it was given that name files, and the names of their copies, seen from the root."""
        named = named_keys(text, overrides)
        return {key: self._seen_from(self._root, folder, key, name) for key, name in named.items()}

    def value(self, key: str, name: str, folder: Path) -> str:
        """The value of a key that names a file, by the copy seen from the root; a class without a file as it is."""
        return (
            name
            if key.endswith("controller") and not has_file(name)
            else self._seen_from(self._root, folder, key, name)
        )

    def _seen_from(self, place: Path, folder: Path, key: str, name: str) -> str:
        file, colon, rest = name.rpartition(":") if key.endswith("controller") else (name, "", "")
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
        is_external = key == EXTERNAL.get(str(table[0])) if table else False
        if isinstance(value, str) and (is_file or (is_external and has_file(value))):
            yield key, value


def names_file(key: str) -> bool:
    """Whether a dotted key is one of those that name files."""
    first, last = key.partition(".")[0], key.rpartition(".")[2]
    in_workload = first == "workload" and key.endswith("size.file")
    return in_workload or (last == "file" and first in WITH_FILES) or last == EXTERNAL.get(first)


def has_file(controller: str) -> bool:
    """Whether a controller is a class in a file; the others are `none`, or registered by a program."""
    return ":" in controller and not controller.startswith(REGISTERED)


def named_keys(text: str, overrides: Sequence[tuple[str, str]] = ()) -> dict[str, str]:
    """Dotted keys of a scenario that name files, with their values; overrides as the engine takes them."""
    found: dict[str, str] = {}
    for path, table in _tables(text, overrides):
        prefix = ".".join(map(str, path))
        found.update({f"{prefix}.{key}": value for key, value in named_in(path, table)})
        size = table.get("size")
        if path[0] == "workload" and isinstance(size, dict) and isinstance(size.get("file"), str):
            found[f"{prefix}.size.file"] = size["file"]
    return found


def registered_classes(text: str, overrides: Sequence[tuple[str, str]] = ()) -> list[str]:
    """Classes that a scenario names and that only the program has which registered them."""
    values = [table.get(EXTERNAL.get(str(path[0]), "")) for path, table in _tables(text, overrides)]
    return [value for value in values if isinstance(value, str) and value.startswith(REGISTERED)]


def _tables(text: str, overrides: Sequence[tuple[str, str]]) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """The tables at the top of a scenario, and those of its lists."""
    for name, section in overridden(toml_tables(text), overrides).items():
        if isinstance(section, dict):
            yield (name,), section
        for index, table in enumerate(section if isinstance(section, list) else ()):
            if isinstance(table, dict):
                yield (name, index), table
