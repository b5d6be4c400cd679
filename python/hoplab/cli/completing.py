"""Values that a shell completes: scenario keys and names from the engine's schema and registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hoplab.base.engine import registry, scenario_schema
from hoplab.running.whatif.changes import GROUPS

DEEPEST = 3
"""Levels of tables in a key, such as `tcp.congestion.vegas.alpha` without its first."""


def transports(incomplete: str) -> list[str]:
    """Names of transports, the last of a list with commas."""
    return _last_of_list(incomplete, [entry["name"] for entry in registry()["transports"]])


def changes(incomplete: str) -> list[str]:
    """Kinds of changes of `hoplab whatif`, the last of a list with commas."""
    return _last_of_list(incomplete, list(GROUPS))


def _last_of_list(incomplete: str, names: Sequence[str]) -> list[str]:
    done, comma, begun = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in names if name.startswith(begun) and name not in done.split(",")]


def keys(incomplete: str) -> list[str]:
    """Scenario keys, followed by an equals sign."""
    if "=" in incomplete:
        return []
    schema = scenario_schema()
    return [f"{key}=" for key in _keys(schema, schema["properties"], "", DEEPEST) if key.startswith(incomplete)]


def _keys(schema: Mapping[str, Any], properties: Mapping[str, Any], prefix: str, levels: int) -> Iterator[str]:
    for name, node in properties.items():
        table = _table(schema, node)
        if table is None:
            yield prefix + name
        elif levels:
            yield from _keys(schema, table, f"{prefix}{name}.", levels - 1)


def _table(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The keys of a table, or of the elements of a list of tables; None for a value."""
    for part in (node, node.get("items"), *node.get("anyOf", ())):
        if not isinstance(part, dict):
            continue
        target = schema["$defs"].get(part["$ref"].rpartition("/")[2], {}) if "$ref" in part else part
        if "properties" in target:
            found: Mapping[str, Any] = target["properties"]
            return found
    return None
