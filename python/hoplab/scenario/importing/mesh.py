"""What a file says about a mesh: nodes, links by direction, and what could not be used."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hoplab.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RADIO_PREFIX = "wifi"
"""Types of links that begin so are radio; meshviewer has wifi, wifi24 and wifi5."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the file.

    Attributes
    ----------
    label : str or None
        Name for people, where the file has one beside its identifier.
    place : tuple of float or None
        Latitude, longitude in degrees, and height in m.
    gateway : bool
        Whether the file says that it leads to the Internet.
    """

    id: str
    label: str | None = None
    place: tuple[float, float, float] | None = None
    gateway: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """One direction of a link; what is not known is None.

    Attributes
    ----------
    delivery : float or None
        Share of frames that arrive, 0 to 1.
    delivery_bytes : int or None
        Length of the frames that `delivery` was measured with.
    """

    power_dbm: float | None = None
    snr_db: float | None = None
    path_loss_db: float | None = None
    delivery: float | None = None
    delivery_bytes: int | None = None
    distance_m: float | None = None
    sense_only: bool = False
    type: str = ""

    @property
    def has_power(self) -> bool:
        """Whether the received power follows from what is known."""
        return not (self.power_dbm is None and self.snr_db is None and self.path_loss_db is None)

    def better(self, other: Link) -> Link:
        """The better of two radios between the same nodes."""

        def worth(link: Link) -> tuple[float, float]:
            strength = next((x for x in (link.power_dbm, link.snr_db) if x is not None), None)
            loss = None if link.path_loss_db is None else -link.path_loss_db
            known = strength if strength is not None else loss
            return -1.0 if link.delivery is None else link.delivery, float("-inf") if known is None else known

        return self if worth(self) >= worth(other) else other


@dataclass
class Mesh:
    """A mesh as a file has it.

    Attributes
    ----------
    links : dict
        By sender and receiver, both identifiers of `nodes`.
    dropped : Counter
        What was left out, and how often.
    notes : list of str
        How values were converted.
    types : Counter
        Types of links in the file, before any is left out.
    wanted : frozenset of str or None
        Types that are kept; None for all.
    """

    format: str
    nodes: dict[str, Node] = field(default_factory=dict)
    links: dict[tuple[str, str], Link] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    types: Counter[str] = field(default_factory=Counter)
    wanted: frozenset[str] | None = None

    def add_node(self, node: Node) -> None:
        """Add a node, or what is new of a known one."""
        known = self.nodes.get(node.id)
        if known is not None:
            node = replace(
                known,
                label=known.label or node.label,
                place=known.place or node.place,
                gateway=known.gateway or node.gateway,
            )
        self.nodes[node.id] = node

    def add(self, source: str, target: str, link: Link) -> None:
        """Add one direction of a link: between unknown or equal nodes it is dropped, of two the better is kept."""
        if self.wanted is not None and link.type not in self.wanted:
            self.dropped[f"directions of links of type {link.type or '(none)'}"] += 1
        elif source == target:
            self.dropped["links from a node to itself"] += 1
        elif source not in self.nodes or target not in self.nodes:
            self.dropped["links to unknown nodes"] += 1
        elif link.delivery is not None and link.delivery <= 0.0:
            self.dropped["links on which nothing arrives"] += 1
        elif (known := self.links.get((source, target))) is not None:
            self.dropped["second links in a direction: the better one is kept"] += 1
            self.links[source, target] = known.better(link)
        else:
            self.links[source, target] = link

    def check_types(self, where: str) -> None:
        """Refuse links of several types, or none of radio, unless the caller has chosen some.

        Raises
        ------
        InputError
            With the number of links of each type.
        """
        counts = ", ".join(f"{count} {name or 'without type'}" for name, count in sorted(self.types.items()))
        if self.wanted is not None:
            if unknown := sorted(self.wanted - set(self.types)):
                raise InputError(f"--types: no link of type {unknown[0]}, expected some of {counts or 'none'}")
            return
        strange = [name for name in self.types if name and not name.startswith(RADIO_PREFIX)]
        if len(self.types) > 1 or strange:
            radio = ",".join(sorted(name for name in self.types if name.startswith(RADIO_PREFIX)))
            raise InputError(
                f"{where}: links of several types ({counts}); wires and tunnels are no radio",
                hint=f"add --types {radio}" if radio else "name those that are radio with --types",
            )

    def neighbors(self) -> dict[str, set[str]]:
        """By node: nodes with a link in both directions."""
        found: dict[str, set[str]] = {name: set() for name in self.nodes}
        for a, b in self.links:
            if (b, a) in self.links:
                found[a].add(b)
        return found

    def parts(self) -> list[list[str]]:
        """Nodes that have a path to each other, the largest part first, in the order of the file."""
        around, seen, parts = self.neighbors(), set[str](), []
        for name in self.nodes:
            if name in seen:
                continue
            part, open_ = {name}, [name]
            while open_:
                for other in around[open_.pop()]:
                    if other not in part:
                        part.add(other)
                        open_.append(other)
            seen |= part
            parts.append([one for one in self.nodes if one in part])
        return sorted(parts, key=len, reverse=True)

    def with_nodes(self, names: Iterable[str]) -> Mesh:
        """The mesh of some of its nodes."""
        kept = set(names)
        links = {ends: link for ends, link in self.links.items() if kept.issuperset(ends)}
        return replace(self, nodes={name: node for name, node in self.nodes.items() if name in kept}, links=links)

    def renamed(self, names: Mapping[str, str]) -> Mesh:
        """The mesh with other identifiers."""
        nodes = {names[name]: replace(node, id=names[name]) for name, node in self.nodes.items()}
        return replace(self, nodes=nodes, links={(names[a], names[b]): link for (a, b), link in self.links.items()})
