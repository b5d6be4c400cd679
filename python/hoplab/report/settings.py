"""Keys of a resolved scenario, and which of them are not the default.

A default may depend on other keys (a profile, a kind of topology). To find it, a key is removed and the scenario
resolved again by the engine.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.base.engine import core
from hoplab.scenario.tomltext import document, literal

UNLISTED = frozenset({"name", "seed"})
"""Keys that another section of a report shows."""

Path = tuple[str, ...]
Leaves = dict[Path, Any]


@dataclass(frozen=True)
class Setting:
    """One key of a scenario.

    Attributes
    ----------
    value : str
        As in a scenario file; several values where flows or nodes differ, or for an axis.
    default : str or None
        Value where the key is absent; None if the key is required, or is set per flow or node.
    chosen : bool
        Whether the value is not the default.
    axis : bool
        Whether a sweep varies it.
    """

    key: str
    value: str
    default: str | None
    chosen: bool
    axis: bool = False


def settings_of(toml: str, path: str = "<scenario>", axes: Mapping[str, Sequence[Any]] | None = None) -> list[Setting]:
    """Every setting of a resolved scenario, in the order of its file.

    Parameters
    ----------
    toml : str
        The resolved scenario as TOML, with every key.
    path : str
        Path of the scenario; relative file names start there.
    axes : mapping, optional
        Keys that a sweep varies, and their values.
    """
    data = tomllib.loads(toml)
    given = _leaves(data)
    without = _defaults(data, given, path)
    varied = {_axis_path(key, given): values for key, values in (axes or {}).items()}
    found = []
    for leaf, value in given.items():
        if leaf[-1] in UNLISTED and len(leaf) == 1:
            continue
        default = without.get(leaf)
        shown = varied.get(leaf)
        text = _several(shown) if shown is not None else _shown(value)
        chosen = default is None or default != value or shown is not None
        found.append(
            Setting(".".join(leaf), text, None if default is None else _shown(default), chosen, leaf in varied)
        )
    return found


def _leaves(data: Mapping[str, Any]) -> Leaves:
    """Dotted key to value; a list of tables gives each key the list of its values, None where a table lacks it."""
    return dict(_walk(data, ()))


def _walk(node: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key, value in node.items():
        here = (*path, key)
        if isinstance(value, Mapping):
            yield from _walk(value, here)
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            rows = [_leaves(item) for item in value]
            for inner in dict.fromkeys(name for row in rows for name in row):
                yield (*here, *inner), _Each(row.get(inner) for row in rows)
        else:
            yield here, value


class _Each(tuple[Any, ...]):
    """One value per flow or node."""

    __slots__ = ()


def _defaults(data: Mapping[str, Any], given: Leaves, path: str) -> Leaves:
    """Default of each key: those of several tables at once, of fewer where values differ, then key by key.

    Most tables of a scenario are as they are by default, so that few of them are resolved on their own.
    """
    found: Leaves = {}
    tables: dict[Path, list[Path]] = {}
    for leaf in given:
        tables.setdefault(leaf[:-1], []).append(leaf)
    open_ = [[*tables.values()]]
    while open_:
        group = open_.pop()
        members = [leaf for table in group for leaf in table]
        together = _resolved_without(data, members, path)
        if together is not None and all(together.get(leaf) == given[leaf] for leaf in members):
            found.update({leaf: given[leaf] for leaf in members})
        elif len(group) > 1:
            open_ += [group[: len(group) // 2], group[len(group) // 2 :]]
        else:
            for leaf in members:
                alone = _resolved_without(data, [leaf], path)
                if alone is not None and leaf in alone:
                    found[leaf] = alone[leaf]
    return found


def _resolved_without(data: Mapping[str, Any], leaves: Sequence[Path], path: str) -> Leaves | None:
    """The resolved scenario without some keys; None where the engine needs one of them."""
    less = copy.deepcopy(dict(data))
    for leaf in leaves:
        _drop(less, leaf)
    try:
        scenario = core().resolve(document(less), path, [])
    except (core().ScenarioError, core().EngineError):
        return None
    return _leaves(tomllib.loads(json.loads(scenario)["toml"]))


def _drop(node: Any, path: Path) -> None:
    if isinstance(node, list):
        for item in node:
            _drop(item, path)
    elif len(path) == 1:
        node.pop(path[0], None)
    elif path[0] in node:
        _drop(node[path[0]], path[1:])


def _axis_path(key: str, given: Leaves) -> Path:
    """The leaf that an axis varies; `flow.0.window` varies a part of `flow.window`."""
    path = tuple(part for part in key.split(".") if not part.isdecimal())
    return path if path in given else (key,)


def _several(values: Sequence[Any]) -> str:
    return ", ".join(_shown(value) for value in values)


def _shown(value: Any) -> str:
    if isinstance(value, _Each):
        each = list(dict.fromkeys(_shown(item) for item in value if item is not None))
        return each[0] if len(each) == 1 else ", ".join(_shown(item) if item is not None else "-" for item in value)
    if isinstance(value, str):
        return value
    text = literal(value)
    return text if len(text) <= 200 else f"{text[:200]}... ({len(value)} values)"
