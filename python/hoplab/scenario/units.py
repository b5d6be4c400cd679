"""SI numbers where a scenario wants a quantity: 250 for `topology.spacing` becomes ``"250 m"``.

Only Python callers get this; in a file a bare number is an error. Which key is which quantity, the schema says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoplab.base.engine import scenario_schema

SI_UNITS = {"time": "s", "rate": "b/s", "length": "m", "power": "W", "frequency": "Hz", "speed": "m/s"}
"""SI unit of each kind of quantity, by the name that the schema's `x-quantity` gives it. Bytes are counts."""


def with_units(value: Any, key: str = "") -> Any:
    """Append the SI unit to each plain number that is a quantity.

    Parameters
    ----------
    value : object
        A value, or a mapping or list of values below `key`.
    key : str
        Dotted key of `value`; empty for a whole scenario.
    """
    if isinstance(value, Mapping):
        return {name: with_units(item, f"{key}.{name}" if key else str(name)) for name, item in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(item, Mapping) for item in value):
        return [with_units(item, key) for item in value]
    if isinstance(value, list | tuple):
        return [with_units(item, f"{key}.0") for item in value] if _lists_quantities(key) else value
    if hasattr(value, "item") and not isinstance(value, str | bytes):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    unit = SI_UNITS.get(quantity_of(key) or "")
    return value if unit is None else f"{value!r} {unit}"


def _lists_quantities(key: str) -> bool:
    """Whether a key takes a list of quantities, or a list of such lists."""
    return any(quantity_of(key + depth) is not None for depth in (".0", ".0.0"))


def quantity_of(key: str) -> str | None:
    """Kind of quantity that a dotted key takes, or None for counts, texts and keys that do not exist."""
    node: Mapping[str, Any] = scenario_schema()
    for part in key.split("."):
        node = _content(node)
        if part.isdecimal() and "items" in node:
            node = node["items"]
            continue
        if "items" in node:
            node = _content(node["items"])
        properties = node.get("properties", {})
        if part not in properties:
            return None
        node = properties[part]
    found = _content(node).get("x-quantity")
    return None if found is None else str(found)


def _content(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, behind references and behind `null` of optional keys."""
    while True:
        if "$ref" in node:
            target: Any = scenario_schema()
            for part in str(node["$ref"]).removeprefix("#/").split("/"):
                target = target[part]
            node = target
            continue
        choices = [choice for choice in node.get("anyOf", ()) if choice.get("type") != "null"]
        if len(choices) != 1:
            return node
        node = choices[0]
