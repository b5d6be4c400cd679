"""Overrides applied to the tables of a scenario, as `crates/hoplab/src/scenario/syntax/overrides.rs` does.

The engine applies overrides itself when it reads a scenario; this is for scenario files that hoplab writes.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from hoplab.base.engine import core
from hoplab.scenario.model import Scenario
from hoplab.scenario.tomltext import document, toml_tables

BY_POSITION = ("flow", "wire", "workload")
"""Lists of tables whose overrides have a position (`flow.0.window`), or mean every table (`flow.window`)."""
BY_ID = "node"
"""The list whose tables are named by their `id`, and made where there is none."""


def overridden(tables: Mapping[str, Any], overrides: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The tables with every override set.

    Parameters
    ----------
    tables : mapping
        What tomllib reads of a scenario.
    overrides : sequence of (str, str)
        Dotted keys and TOML values, or plain text, in order. The engine has accepted them.
    """
    found = copy.deepcopy(dict(tables))
    for key, text in overrides:
        parts = [part.strip() for part in key.split(".")]
        for target, path in _targets(found, parts):
            _assign(target, path, value_of(text))
    return found


REWRITTEN = "# As given, with the keys that overrides set and the names of copied files.\n\n"


def with_overrides(scenario: Scenario) -> str:
    """The text of a scenario file that means what a scenario with overrides does: its defaults are left out.

    Without overrides it is the text as given. Comments are lost otherwise. Where the overrides cannot be written into
    the tables, it is the resolved scenario.
    """
    if not scenario.overrides:
        return scenario.text
    text = REWRITTEN + document(overridden(toml_tables(scenario.text), scenario.overrides))
    try:
        is_same = Scenario.from_text(text, path=scenario.path).resolve().data == scenario.resolve().data
    except core().ScenarioError:
        is_same = False
    return text if is_same else scenario.resolve().toml


def _targets(tables: dict[str, Any], parts: Sequence[str]) -> list[tuple[Any, Sequence[str]]]:
    """The tables that a key sets something in, and the way from each."""
    name, rest = parts[0], parts[1:]
    if not rest:
        return [(tables, parts)]
    if name == BY_ID and rest[0].isdecimal():
        listed = tables.setdefault(BY_ID, [])
        number = int(rest[0])
        entry = next((one for one in listed if one.get("id") == number), None)
        if entry is None:
            entry = {"id": number}
            listed.append(entry)
        return [(entry, rest[1:])]
    if name in BY_POSITION and isinstance(tables.get(name), list):
        listed = tables[name]
        return [(listed[int(rest[0])], rest[1:])] if rest[0].isdecimal() else [(one, rest) for one in listed]
    return [(tables, parts)]


def _assign(target: Any, path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        target = target[int(part)] if isinstance(target, list) else target.setdefault(part, {})
    if isinstance(target, list):
        target[int(path[-1])] = value
    else:
        target[path[-1]] = value


def value_of(text: str) -> Any:
    """An override's value: TOML, or else the text itself, such as `250 m`."""
    try:
        return toml_tables(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
