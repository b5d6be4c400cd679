"""What a file says about a mesh: nodes, links by direction, and what could not be used."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hoplab.base.errors import InputError
from hoplab.scenario.importing.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RADIO_PREFIX = "wifi"
"""Types of links that begin so are radio; meshviewer has wifi, wifi24 and wifi5."""


class MeshError(InputError):
    """A file that makes no scenario.

    Attributes
    ----------
    dropped : tuple of str
        What was left out before, which may be why.
    """

    def __init__(self, message: str, *, dropped: Mapping[str, int], hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.dropped = counted(dropped)


def counted(dropped: Mapping[str, int]) -> tuple[str, ...]:
    """Lines of a report: a count, and what was left out."""
    return tuple(f"{count} {what}" for what, count in sorted(dropped.items()))


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
    channel : int or None
        Channel of the radios that it is between.
    t_s : float
        From when on it is so, in s; without power and delivery it is gone then.
    """

    power_dbm: float | None = None
    snr_db: float | None = None
    path_loss_db: float | None = None
    delivery: float | None = None
    delivery_bytes: int | None = None
    distance_m: float | None = None
    delay_ns: int | None = None
    sense_only: bool = False
    channel: int | None = None
    t_s: float = 0.0
    type: str = ""

    @property
    def has_power(self) -> bool:
        """Whether the received power follows from what is known."""
        return not (self.power_dbm is None and self.snr_db is None and self.path_loss_db is None)

    @property
    def is_gone(self) -> bool:
        """Whether the link ends at its time."""
        return self.t_s > 0.0 and self.delivery is None and not self.has_power and not self.sense_only

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
    later : dict
        By sender and receiver: what follows in time.
    by_channel : dict
        By sender, receiver and channel: the states in order of time, where the file names channels.
    implied : set
        Directions of `links` that the file does not state: those of its reverse.
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
    later: dict[tuple[str, str], list[Link]] = field(default_factory=dict)
    by_channel: dict[tuple[str, str, int | None], list[Link]] = field(default_factory=dict)
    implied: set[tuple[str, str]] = field(default_factory=set)
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    types: Counter[str] = field(default_factory=Counter)
    wanted: frozenset[str] | None = None

    def add_node(self, node: Node) -> None:
        """Add a node, or what is new of a known one."""
        if not node.id:
            self.dropped["nodes without a name"] += 1
            return
        known = self.nodes.get(node.id)
        if known is not None:
            node = replace(
                known,
                label=known.label or node.label,
                place=known.place or node.place,
                gateway=known.gateway or node.gateway,
            )
        self.nodes[node.id] = node

    def add(self, source: str, target: str, link: Link, *, implied: bool = False) -> None:
        """Add one direction of a link.

        Between unknown or equal nodes it is dropped. What the file states of a direction replaces what its reverse
        implies. Of two links of one kind, such as two radios, the better is kept, unless they are on channels of their
        own.
        """
        ends, on = (source, target), (source, target, link.channel)
        is_second = on in self.by_channel
        if self.wanted is not None and link.type not in self.wanted:
            self.dropped[f"directions of links of type {shown(link.type) or '(none)'}"] += 1
        elif source == target:
            self.dropped["links from a node to itself"] += 1
        elif source not in self.nodes or target not in self.nodes:
            self.dropped["links to unknown nodes"] += 1
        elif link.delivery is not None and link.delivery <= 0.0:
            self.dropped["links on which nothing arrives"] += 1
        elif (known := self.links.get(ends)) is None or (ends in self.implied and not implied):
            self.links[ends] = link
            self.by_channel[on] = [link]
            (self.implied.add if implied else self.implied.discard)(ends)
        elif ends in self.implied or not implied:
            if is_second:
                self.dropped["second links in a direction: the better one is kept"] += 1
            self.links[ends] = known.better(link)
            self.by_channel[on] = [self.by_channel[on][0].better(link) if is_second else link]
        elif not is_second:
            self.by_channel[on] = [link]

    def both(self, source: str, target: str, link: Link) -> None:
        """Add a link of which the file states one direction: the reverse is equal unless it is stated, too."""
        self.add(source, target, link)
        self.add(target, source, link, implied=True)

    def change(self, source: str, target: str, link: Link) -> None:
        """Add what a known direction becomes at a later time; the times of a direction increase."""
        if (source, target) in self.links:
            self.later.setdefault((source, target), []).append(link)
            self.by_channel.setdefault((source, target, link.channel), []).append(link)

    def states(self) -> Iterator[tuple[tuple[str, str], Link]]:
        """All directions, and what they become, in order of time."""
        changes = [(ends, link) for ends, links in self.later.items() for link in links]
        found = [*self.links.items(), *changes]
        if self.channels:
            found = [((a, b), link) for (a, b, _), links in self.by_channel.items() for link in links]
        yield from sorted(found, key=lambda state: state[1].t_s)

    @property
    def channels(self) -> dict[str, list[int]]:
        """By node: the channels that its links name, in order; empty if none does."""
        found: dict[str, set[int]] = {}
        for a, b, channel in self.by_channel:
            if channel is not None:
                found.setdefault(a, set()).add(channel)
                found.setdefault(b, set()).add(channel)
        return {name: sorted(found[name]) for name in self.nodes if name in found}

    def check_types(self, where: str) -> None:
        """Refuse links of several types, or none of radio, unless the caller has chosen some.

        Raises
        ------
        InputError
            With the number of links of each type.
        """
        counts = ", ".join(f"{count} {shown(name) or 'without type'}" for name, count in sorted(self.types.items()))
        if self.wanted is not None:
            if unknown := sorted(self.wanted - set(self.types)):
                message = f"--types: no link of type {unknown[0]}, expected some of {counts or 'none'}"
                raise MeshError(message, dropped=self.dropped)
            return
        strange = [name for name in self.types if name and not name.startswith(RADIO_PREFIX)]
        if len(self.types) > 1 or strange:
            radio = ",".join(sorted(shown(name) for name in self.types if name.startswith(RADIO_PREFIX)))
            raise MeshError(
                f"{where}: links of several types ({counts}); wires and tunnels are no radio",
                dropped=self.dropped,
                hint=f"add --types {radio}" if radio else "name those that are radio with --types",
            )

    def neighbors(self, *, at_start: bool = False) -> dict[str, set[str]]:
        """By node: nodes with a link in both directions, at any time or at the start."""
        found: dict[str, set[str]] = {name: set() for name in self.nodes}
        links = {ends for ends, link in self.links.items() if not at_start or link.t_s <= 0.0}
        for a, b in links:
            if (b, a) in links:
                found[a].add(b)
        return found

    def parts(self) -> list[list[str]]:
        """Nodes that have a path to each other, the largest part first, in the order of the file."""
        around, part_of = self.neighbors(), dict[str, int]()
        count = 0
        for name in self.nodes:
            if name in part_of:
                continue
            part_of[name], open_ = count, [name]
            while open_:
                for other in around[open_.pop()]:
                    if other not in part_of:
                        part_of[other] = count
                        open_.append(other)
            count += 1
        parts: list[list[str]] = [[] for _ in range(count)]
        for name in self.nodes:
            parts[part_of[name]].append(name)
        return sorted(parts, key=len, reverse=True)

    def with_nodes(self, names: Iterable[str]) -> Mesh:
        """The mesh of some of its nodes."""
        kept = set(names)
        return replace(
            self,
            nodes={name: node for name, node in self.nodes.items() if name in kept},
            links={ends: link for ends, link in self.links.items() if kept.issuperset(ends)},
            later={ends: links for ends, links in self.later.items() if kept.issuperset(ends)},
            by_channel={on: links for on, links in self.by_channel.items() if kept.issuperset(on[:2])},
        )

    def renamed(self, names: Mapping[str, str]) -> Mesh:
        """The mesh with other identifiers."""
        return replace(
            self,
            nodes={names[name]: replace(node, id=names[name]) for name, node in self.nodes.items()},
            links={(names[a], names[b]): link for (a, b), link in self.links.items()},
            later={(names[a], names[b]): links for (a, b), links in self.later.items()},
            by_channel={(names[a], names[b], channel): links for (a, b, channel), links in self.by_channel.items()},
        )
