"""What can be changed in a scenario, one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from hoplab.base.engine import registry
from hoplab.base.errors import UsageError, is_command_line
from hoplab.base.suggest import by_likeness
from hoplab.scenario import tomltext
from hoplab.scenario.channels import Channels
from hoplab.scenario.model import Scenario
from hoplab.scenario.radio_links import MOST_NODES, RadioLinks

LONGEST_BYTES = 100_000
"""An RTS threshold that no frame reaches."""
LONGEST_MPDU = 2347
"""From this threshold on, no frame but an A-MPDU has an RTS (IEEE 802.11-2016, dot11RTSThreshold)."""
MOST_NAMED = 4
"""Nodes that the title of a change names, of several."""
MOST_CHANNEL = 233
"""The highest channel that the engine takes."""


@dataclass(frozen=True)
class Change:
    """One thing changed.

    Attributes
    ----------
    group : str
        A key of `GROUPS`.
    title : str
        The change, in a table.
    phrase : str
        The same inside a sentence: "without node 3".
    keys : mapping
        Keys of the scenario and their values.
    host : (int, int) or None
        A host whose name has points, which is no part of a key: its place among the hosts, and its only gateway.
    """

    group: str
    title: str
    phrase: str
    keys: Mapping[str, Any] = field(default_factory=dict)
    host: tuple[int, int] | None = None

    def applied(self, scenario: Scenario) -> Scenario:
        """The scenario with this change.

        Raises
        ------
        ScenarioError
            If the engine refuses it.
        """
        if self.host is None:
            return scenario.with_(self.keys)
        tables = tomltext.toml_tables(scenario.text)
        hosts = [node for node in tables["node"] if node.get("kind") == "host"]
        hosts[self.host[0]]["gateway"] = self.host[1]
        return Scenario(tomltext.document(tables), scenario.path, scenario.overrides)


@dataclass(frozen=True)
class Network:
    """A scenario as its changes need it."""

    scenario: Scenario
    seeds: tuple[int, ...]

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The resolved scenario."""
        return self.scenario.resolve().data

    @property
    def radios(self) -> int:
        """Number of nodes with a radio: hosts have the numbers after them."""
        return len(self.data["topology"]["positions"])

    @property
    def is_static(self) -> bool:
        """Whether static paths are found before the run."""
        return bool(self.data["routing"]["protocol"] == "static")

    def name(self, node: int) -> str:
        """A node in words."""
        return self.scenario.node_names.get(node, f"node {node}")

    @cached_property
    def ends(self) -> set[int]:
        """Nodes that are an end of a flow or a workload in the run of some seed, or have a device of `[live]`."""
        found = set(_listed(self.data.get("live", {}).get("nodes", ())))
        is_drawn = "traffic" in self.data
        for seed in self.seeds if is_drawn else self.seeds[:1]:
            data = self.scenario.with_({"seed": seed}).resolve().data if is_drawn else self.data
            for flow in (*data["flows"], *data.get("workloads", ())):
                found.update(_listed(flow["from"]), _listed(flow["to"]))
        return found

    @cached_property
    def channels(self) -> Channels:
        """Channels of all radios."""
        return Channels.of(self.data)

    def unused_channels(self) -> Iterator[int]:
        """Channels of no radio, the highest first."""
        used = {self.channels.usual, *(one for listed in self.channels.lists.values() for one in listed)}
        return (channel for channel in range(MOST_CHANNEL, 0, -1) if channel not in used)

    def links(self) -> list[tuple[int, int]]:
        """Links with a channel of their own: those of static paths, or else nodes in reception range at the start."""
        if self.is_static and self.radios <= MOST_NODES:
            paths = [path for path in RadioLinks.of(self.scenario).paths.values() if path]
            return [(a, b) for path in paths for a, b in pairwise(path) if max(a, b) < self.radios]
        places, reach = self.data["topology"]["positions"], self.scenario.resolve().facts.rx_range_m
        return [
            (a, b)
            for a, (xa, ya) in enumerate(places)
            for b, (xb, yb) in enumerate(places[:a])
            if (xa - xb) ** 2 + (ya - yb) ** 2 <= reach**2
        ]


def _listed(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else [int(one) for one in value]


def changes_of(network: Network, only: Sequence[str] | None = None) -> list[Change]:
    """All changes of the chosen groups, in a fixed order; the engine may refuse some.

    Raises
    ------
    UsageError
        If a kind is unknown, or none is chosen.
    """
    return [change for group in chosen_groups(only) for change in GROUPS[group](network)]


def chosen_groups(only: Sequence[str] | None) -> list[str]:
    """The groups of `only`, in the order of `GROUPS`; all without."""
    if only is None:
        return list(GROUPS)
    names = [name.strip() for name in only if name.strip()]
    option = "--only" if is_command_line() else "only"
    for name in names:
        if name not in GROUPS:
            listed = ", ".join(by_likeness(name, list(GROUPS)))
            raise UsageError(f"{option}: unknown kind of changes {name!r}, expected {listed}")
    if not names:
        raise UsageError(f"{option}: no kinds of changes", hint=f"expected some of {', '.join(GROUPS)}")
    return [group for group in GROUPS if group in names]


def _nodes(network: Network) -> Iterator[Change]:
    """Each relay off for the whole run."""
    duration = f"{network.data['duration_s']:.12g} s"
    for node in range(network.radios):
        if node in network.ends:
            continue
        keys: dict[str, Any] = {f"node.{node}.radio_off": [["0 s", duration]]}
        if network.is_static:
            # Static paths ignore radios that are off; a radio on a channel of its own has no links.
            count = len(network.channels.lists.get(node, (0,)))
            free = network.unused_channels()
            keys[f"node.{node}.radios"] = [{"channel": next(free)} for _ in range(count)]
        yield Change("nodes", f"{network.name(node)} off", f"without {network.name(node)}", keys)


def _gateways(network: Network) -> Iterator[Change]:
    """The wire of each host at each other node with a radio, and each of several gateways of a host."""
    wires = [tuple(wire["between"]) for wire in network.data.get("wires", ())]
    hosts = network.data.get("hosts", ())
    for index, (a, b) in enumerate(wires):
        if (a < network.radios) == (b < network.radios):
            continue
        gateway, host = sorted((a, b))
        has_others = len(_gateways_of(host, wires, network.radios)) > 1
        in_place = f" in place of {network.name(gateway)}" if has_others else ""
        for node in range(network.radios):
            if node != gateway and not {(host, node), (node, host)} & {*wires}:
                title = f"gateway of {network.name(host)}: {network.name(node)}{in_place}"
                phrase = f"with the gateway of {network.name(host)} at {network.name(node)}{in_place}"
                keys: dict[str, Any] = {f"wire.{index}.between": [node if end == gateway else end for end in (a, b)]}
                for place, table in enumerate(hosts):
                    if gateway in (own := _listed(table.get("gateway", ()))):
                        moved = [node if one == gateway else one for one in own]
                        keys[_gateway_key(network, place)] = moved if len(moved) > 1 else node
                yield Change("gateways", title, phrase, keys)
    for place, table in enumerate(hosts):
        found = _gateways_of(network.radios + place, wires, network.radios)
        for node in found if len(found) > 1 else ():
            if node != table.get("gateway"):
                title = f"{network.name(network.radios + place)} through {network.name(node)}"
                key = _gateway_key(network, place)
                has_key = key.count(".") == len(("node", "NAME", "gateway")) - 1
                yield Change(
                    "gateways",
                    title,
                    f"with {title}",
                    {key: node} if has_key else {},
                    host=None if has_key else (place, node),
                )


def _gateway_key(network: Network, place: int) -> str:
    return f"node.{network.name(network.radios + place)}.gateway"


def _gateways_of(host: int, wires: Sequence[tuple[int, ...]], radios: int) -> list[int]:
    """Nodes with a radio that a host reaches over wires between hosts."""
    reached, ahead = {host}, [host]
    while ahead:
        here = ahead.pop()
        for a, b in wires:
            there = b if a == here else a if b == here else here
            if there not in reached:
                reached.add(there)
                ahead += [there] if there >= radios else []
    return sorted(node for node in reached if node < radios)


def _channels(network: Network) -> Iterator[Change]:
    """Radios of one channel that reach each other, together on each other channel in use, and on one that none uses."""
    channels = network.channels
    if not channels.lists:
        return
    lists = {node: [*channels.lists.get(node, (channels.usual,))] for node in range(network.radios)}
    used = sorted({one for listed in lists.values() for one in listed})
    free = next(network.unused_channels(), None)
    links: dict[int, list[tuple[int, int]]] = {}
    for a, b in network.links():
        common = channels.of_link(a, b)
        for channel in [one for one in lists[a] if one in lists[b]] if common is None else [common]:
            links.setdefault(channel, []).append((a, b))
    groups = {channel: _components(links[channel]) for channel in sorted(links)}
    titles = [_hops(network, group) for found in groups.values() for group in found]
    for channel, found in groups.items():
        for group in found:
            title = _hops(network, group)
            title = f"{title} of channel {channel}" if titles.count(title) > 1 else title
            for target in [one for one in (*used, free) if one not in (channel, None)]:
                keys = {
                    f"node.{node}.radios": [{"channel": target if one == channel else one} for one in lists[node]]
                    for node in group
                }
                on = f"on channel {target}" if target in used else "on an unused channel"
                yield Change("channels", f"{title} {on}", f"with {title} {on}", keys)


def _components(links: Sequence[tuple[int, int]]) -> list[list[int]]:
    groups: list[set[int]] = []
    for link in links:
        touched = [group for group in groups if group & {*link}]
        groups = [group for group in groups if group not in touched] + [set(link).union(*touched)]
    return sorted(sorted(group) for group in groups)


def _hops(network: Network, nodes: Sequence[int]) -> str:
    names = [network.scenario.node_names.get(node, str(node)) for node in nodes]
    if len(names) == len(("from", "to")):
        return f"hop {names[0]} to {names[1]}"
    more = len(names) - MOST_NAMED
    return f"links of {', '.join(names)}" if more <= 1 else f"links of {', '.join(names[:MOST_NAMED])} and {more} more"


def _retries(network: Network) -> Iterator[Change]:
    """Half and twice of each retry limit of the MAC."""
    for key in ("ssrl", "slrl"):
        present = int(network.data["mac"][key])
        for value in dict.fromkeys((max(1, present // 2), 2 * present)):
            if value != present:
                yield _set("retries", f"mac.{key}", value)


def _rts(network: Network) -> Iterator[Change]:
    """RTS for every data frame, and for none."""
    present = int(network.data["mac"]["rts_threshold"])
    if present > 0:
        yield Change("rts", "RTS for all frames", "with RTS for all frames", {"mac.rts_threshold": "0 B"})
    most = LONGEST_BYTES if "ampdu" in network.data["mac"] else LONGEST_MPDU
    if present < most:
        yield Change("rts", "no RTS", "without RTS", {"mac.rts_threshold": f"{LONGEST_BYTES} B"})


def _queues(network: Network) -> Iterator[Change]:
    """Each queue discipline at radios and at wires, and half and twice of the limit at radios."""
    kinds = [entry["name"] for entry in registry()["queues"]]
    queue = network.data["queue"]
    for kind in kinds:
        if kind != queue.get("kind", "drop_tail"):
            yield _set("queues", "queue.kind", kind)
    if (limit := int(queue["limit"])) > 1:
        yield from (_set("queues", "queue.limit", value) for value in (limit // 2, 2 * limit))
    present = {wire["queue"]["kind"] for wire in network.data.get("wires", ())}
    if present:
        yield from (_set("queues", "wire.queue.kind", kind) for kind in kinds if {kind} != present)


def _routing(network: Network) -> Iterator[Change]:
    """The other metric of static paths, and each other routing protocol."""
    routing = network.data["routing"]
    metric = routing.get("metric", "hops")
    if network.is_static:
        yield _set("routing", "routing.metric", "hops" if metric == "etx" else "etx")
    for entry in registry()["routing"]:
        if (name := entry["name"]) != routing["protocol"]:
            keys = {"routing.protocol": name, **({"routing.metric": "hops"} if metric != "hops" else {})}
            yield Change("routing", f"routing.protocol = {name}", f"with routing.protocol = {name}", keys)


def _set(group: str, key: str, value: Any) -> Change:
    return Change(group, f"{key} = {value}", f"with {key} = {value}", {key: value})


GROUPS: Mapping[str, Callable[[Network], Iterator[Change]]] = {
    "nodes": _nodes,
    "gateways": _gateways,
    "channels": _channels,
    "retries": _retries,
    "rts": _rts,
    "queues": _queues,
    "routing": _routing,
}
"""Kinds of changes, by their names for `--only`."""
