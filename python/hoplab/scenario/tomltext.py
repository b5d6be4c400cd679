"""Python values written as TOML. Reading TOML is the engine's work (and tomllib's)."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from hoplab.base.errors import InputError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def literal(value: object, where: str = "value") -> str:
    """Write one TOML value on one line.

    Parameters
    ----------
    value : object
        A bool, int, float, str, or an iterable or mapping of these. NumPy scalars count as their Python values.
    where : str
        Name for the error message.

    Raises
    ------
    InputError
        If the value has no TOML form: None, not a finite number, an object.
    """
    if hasattr(value, "item") and not isinstance(value, str | bytes):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{where} = {value}: expected a finite number")
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {literal(v, f'{where}.{k}')}" for k, v in value.items()) + "}"
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return "[" + ", ".join(literal(item, where) for item in value) + "]"
    raise InputError(f"{where} = {value!r}: expected a string, a number, true or false, a list or a table")


class Array(tuple[Any, ...]):
    """A list that is hashable and prints as TOML."""

    __slots__ = ()

    def __str__(self) -> str:
        return literal(self)


class InlineTable(dict[str, Any]):
    """A table that is hashable and prints as TOML; it is not to be changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(literal(self))

    def __str__(self) -> str:
        return literal(self)


def hashable(value: Any) -> Any:
    """A TOML value as an equal one that is hashable: lists and tables as `Array` and `InlineTable`."""
    if isinstance(value, Mapping):
        return InlineTable({key: hashable(each) for key, each in value.items()})
    if isinstance(value, list | tuple):
        return Array(map(hashable, value))
    return value


def toml_tables(text: str) -> dict[str, Any]:
    """The tables of a TOML text, as tomllib gives them.

    Raises
    ------
    TOMLDecodeError
        If it is no TOML, or nested more deeply than anything that a scenario has.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deeply") from None


def document(tables: Mapping[str, Any]) -> str:
    """Write a TOML document: plain keys first, then one section per table and per element of a list of tables."""
    lines = [f"{_key(k)} = {literal(v, k)}" for k, v in tables.items() if not _is_section(v)]
    for name, value in tables.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(name)}]", *_entries(value, name)]
        elif _is_section(value):
            for index, element in enumerate(value):
                lines += ["", f"[[{_key(name)}]]", *_entries(element, f"{name}.{index}")]
    return "\n".join(lines).strip() + "\n"


def _entries(table: Mapping[str, Any], where: str) -> list[str]:
    return [f"{_key(key)} = {literal(value, f'{where}.{key}')}" for key, value in table.items()]


def _is_section(value: object) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(name: object) -> str:
    text = str(name)
    return text if _BARE_KEY.fullmatch(text) else _string(text)


def _string(text: str) -> str:
    # A TOML basic string takes JSON's escapes; DEL, which JSON leaves alone, it wants escaped as well.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
