"""One scenario that has several features, or the word for which they contradict each other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from hoplab.scenario.features import Feature, table
from hoplab.scenario.tomltext import document

METERS_PER_DEGREE = 111_195.0
"""Of a meridian of the sphere; lengths of links need no better."""
SPACED = ("chain", "grid", "parallel", "spindle", "cross")
"""Topologies with `spacing`."""
DEFAULT_STANDARD = "11b"
TRAFFIC = ("flow", "workload", "traffic")
_LENGTH = re.compile(r"<(?:([\d.]+) \+ )?([\d.]+)( deg)?>")


class ContradictionError(Exception):
    """Two features are two words for one thing, or set one key to two values."""


@dataclass(frozen=True)
class Composed:
    """A scenario, the files it names, and what is done with it, in order."""

    features: tuple[str, ...]
    toml: str
    files: Mapping[str, str]
    do: tuple[str, ...]


def clash(one: Feature, other: Feature) -> str:
    """Why two features contradict each other; "" if they do not."""
    if one.slot and one.slot == other.slot:
        return f"{one.name} and {other.name}: two kinds of {one.slot}"
    own, others = _keys(one.toml), _keys(other.toml)
    found = next((key for key in own if key in others and own[key] != others[key]), "")
    return found and f"{one.name} and {other.name}: two values of {found}"


@cache
def _keys(toml: str) -> Mapping[str, Any]:
    """Values by dotted key; without flows and other lists of tables, which grow."""
    return dict(_leaves(tomllib.loads(_scaled(toml, 1.0))))


def _leaves(tables: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tables.items():
        if key == "node" and not at:
            for node in value:
                yield from _leaves(node, f"node.{node.get('id', node.get('name'))}.")
        elif isinstance(value, dict) and value:
            yield from _leaves(value, f"{at}{key}.")
        elif not _grows(value, at):
            yield f"{at}{key}", value


def _grows(value: object, at: str) -> bool:
    """Whether a value is a list of tables at the top, such as flows."""
    return not at and isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def compose(chosen: Sequence[Feature]) -> Composed:
    """The scenario with all of some features.

    Raises
    ------
    ContradictionError
        If two of them set one key to two values; the message has both features and the key.
    """
    for one, other in combinations(chosen, 2):
        if words := clash(one, other):
            raise ContradictionError(words)
    # An agent of an environment controls flow 0.
    ordered = sorted(chosen, key=lambda one: one.do != "environment")
    standards = (_keys(text).get("radio.standard") for one in ordered for text in (one.toml, one.wants))
    radio = _radio(next((name for name in standards if name), DEFAULT_STANDARD))
    length = float(radio["link_m"])
    tree: dict[str, Any] = {}
    for one in ordered:
        _lay(tree, tomllib.loads(_scaled(one.toml, length)))
    chosen_keys = {key for one in ordered for key in _keys(one.toml)}
    for text in (*(one.wants for one in ordered), radio["toml"], table()["base"]["toml"]):
        _fill(tree, tomllib.loads(_scaled(text, length)))
    _settle(tree, chosen_keys)
    _direct(tree, next((one.source for one in ordered if one.source), ""))
    files = {name: _scaled(text, length) for one in ordered for name, text in one.files.items()}
    do = tuple(one.do for one in ordered if one.do)
    return Composed(tuple(one.name for one in chosen), document(tree), files, do)


def _radio(standard: str) -> Mapping[str, Any]:
    row: Mapping[str, Any] = table()["radio"][standard]
    return _radio(row["like"]) if "like" in row else row


def _scaled(text: str, length: float) -> str:
    def number(found: re.Match[str]) -> str:
        meters = float(found[2]) * length
        return f"{float(found[1] or 0) + meters / METERS_PER_DEGREE:.7f}" if found[3] else f"{meters:g}"

    return _LENGTH.sub(number, text)


def _lay(tree: dict[str, Any], more: Mapping[str, Any], at: str = "") -> None:
    """Set keys of a feature; lists of tables grow, those of nodes by node."""
    for key, value in more.items():
        if key == "node" and not at:
            for node in value:
                _lay(_node(tree, node), node, "node.")
        elif _grows(value, at):
            tree.setdefault(key, []).extend(dict(row) for row in value if row not in tree.get(key, []))
        elif isinstance(value, dict) and value:
            _lay(tree.setdefault(key, {}), value, f"{at}{key}.")
        else:
            tree[key] = value


def _node(tree: dict[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = tree.setdefault("node", [])
    same = ("id", "name")
    found = next((one for one in nodes if any(key in node and one.get(key) == node[key] for key in same)), None)
    if found is None:
        nodes.append(found := {})
    return found


def _fill(tree: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Set the keys that are not set."""
    for key, value in more.items():
        if isinstance(value, dict):
            _fill(tree.setdefault(key, {}), value)
        else:
            tree.setdefault(key, value)


def _settle(tree: dict[str, Any], chosen: Collection[str]) -> None:
    """Take out the defaults that belong to a choice that was not made."""
    topology = tree["topology"]
    if "topology.kind" in chosen and "topology.hops" not in chosen:
        del topology["hops"]
    if topology["kind"] not in SPACED:
        del topology["spacing"]
    radio = tree.get("radio", {})
    if topology["kind"] == "links":  # received powers contain it, and say who is in range
        for key in ("tx_power", "rx_range", "cs_range"):
            radio.pop(key, None)
    if radio.get("propagation") != "shadowing":
        for key in ("shadowing_deviation_db", "path_loss_exponent"):
            radio.pop(key, None)
    if {"mac.rate_control", "mac.rate_controller"} & {*chosen}:
        for key in ("data_rate", "mcs"):
            tree["mac"].pop(key, None)


def _direct(tree: dict[str, Any], source: str) -> None:
    """Give flows and workloads their ends and start."""
    start = tree.pop("flows")["start"]
    if not any(tree.get(kind) for kind in TRAFFIC):
        tree["flow"] = [{"transport": "new_reno"}]
    for index, one in enumerate([*tree.get("flow", []), *tree.get("workload", [])]):
        ends = [source or 0, 5 if index < 2 else 4]
        there, back = ends[::-1] if index % 2 else ends
        one.update({"from": there, "to": back, "start": start})
    if "traffic" in tree:
        tree["traffic"]["start"] = start
