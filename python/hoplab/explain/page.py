"""The diagnosis as a section of a report: plain values that the template draws and escapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoplab.base.airtime import label
from hoplab.explain.accounting import Account
from hoplab.explain.airtime_bands import Band, Piece, pieces, present, total_s
from hoplab.explain.interference import Collision
from hoplab.explain.narrative import KIND_WORDS, MOST, REASONS, Explanation
from hoplab.explain.topology_map import Mark, TopologyMap, topology_map

BARS_FIRST = 24
"""Bars shown at first; the others are collapsed."""
FLOWS_FIRST = 4
"""Flows shown at first; the others are collapsed."""
PAIRS_LISTED = 20
LOSSES_FIRST = 12


@dataclass(frozen=True)
class Bar:
    """Airtime of one node, or of one of its radios.

    Attributes
    ----------
    name : str
        The node in words, and the channel of the radio if the node has several.
    roles : str
        Source, sink, relay, bottleneck.
    total_s : float
        Sum of all pieces, in s.
    """

    node: int
    name: str
    roles: str
    pieces: Sequence[Piece]
    total_s: float

    @property
    def spoken(self) -> str:
        """Label for screen readers, the largest share first."""
        parts = sorted(self.pieces, key=lambda piece: -piece.share)
        return f"{self.name}: " + ", ".join(f"{one.band.name} {percent(one.share)}" for one in parts)


@dataclass(frozen=True)
class Pair:
    """Hidden or exposed terminals; `label` is their label on the map, empty where they are not drawn."""

    label: str
    what: str
    frames: int


@dataclass(frozen=True)
class Lost:
    """Drops of one flow and packet type at one node for one reason."""

    flow: int
    kind: str
    node: str
    reason: str
    count: int
    share: float


@dataclass(frozen=True)
class Chapter:
    """Content of the section.

    Attributes
    ----------
    off_by_s : float
        Largest difference between a node's sum and the duration of the run.
    accounts : sequence of (Account, str)
        Each with the display name of its packet type.
    """

    seed: int
    elapsed_s: float
    off_by_s: float
    flows: Sequence[Sequence[str]]
    flows_more: Sequence[Sequence[str]]
    collisions: Sequence[str]
    reactions: Sequence[str]
    reaction_rows: Sequence[Sequence[str]]
    legend: Sequence[Band]
    bars: Sequence[Bar]
    bars_more: Sequence[Bar]
    map: TopologyMap
    hidden: Sequence[Pair]
    sensed: Sequence[Pair]
    exposed: Sequence[Pair]
    accounts: Sequence[tuple[Account, str]]
    losses: Sequence[Lost]
    losses_more: Sequence[Lost]
    is_moving: bool


def chapter(found: Explanation) -> Chapter:
    """Arrange a diagnosis for the page."""
    flows = [found.of_flow(flow.id) for flow in found.run.lasting]
    wires = found.of_wires()
    bars = _bars(found)
    losses = [
        Lost(
            one.flow,
            KIND_WORDS[one.kind],
            found.names.get(node, str(node)),
            REASONS.get(reason, reason),
            count,
            count / one.created,
        )
        for one in found.accounts
        for node, reason, count in one.dropped
    ]
    marks, hidden, exposed = _pairs(found)
    narrow = [node for flow in found.run.flows if (node := found.bottleneck(flow.id)) is not None]
    return Chapter(
        seed=found.run.seed,
        elapsed_s=found.run.sim_s,
        off_by_s=max((abs(bar.total_s - found.run.sim_s) for bar in bars), default=0.0),
        flows=[*flows[:FLOWS_FIRST], *([["Wires.", *wires]] if wires else [])],
        flows_more=flows[FLOWS_FIRST:],
        collisions=found.of_collisions(),
        reactions=found.of_reactions(),
        reaction_rows=found.reaction_rows(),
        legend=present(found.airtime),
        bars=bars[:BARS_FIRST],
        bars_more=bars[BARS_FIRST:],
        map=topology_map(
            found.places,
            # Nodes have left their initial positions: lines between those would mislead.
            [] if found.is_moving else found.radio_paths.values(),
            marks,
            ends=[node for flow in found.run.flows for node in (flow.src, flow.dst) if node not in found.hosts],
            narrow=narrow,
            names=found.names,
            ranges_m=[*zip(("reception range", "carrier-sense range"), found.ranges_m or (), strict=False)],
        ),
        hidden=hidden,
        sensed=[
            Pair("", _sensed(found, collision), collision.frames)
            for collision in found.collisions
            if not collision.hidden
        ][:MOST],
        exposed=exposed,
        accounts=[(one, KIND_WORDS[one.kind]) for one in found.accounts],
        losses=losses[:LOSSES_FIRST],
        losses_more=losses[LOSSES_FIRST:],
        is_moving=found.is_moving,
    )


def percent(share: float) -> str:
    """A share in percent; a positive share is never shown as zero."""
    return (
        f"{100.0 * share:.0f} %" if share >= 0.0995 else f"{100.0 * share:.1f} %" if share >= 0.001 else "under 0.1 %"
    )


def _bars(found: Explanation) -> list[Bar]:
    """A bar for every node; of many nodes, those on flows' paths first."""
    bars = [
        Bar(
            node,
            ("" if node in found.names else "node ") + label(one, found.names),
            _roles(found, node),
            pieces(one),
            total_s(one),
        )
        for one in found.airtime
        for node in [int(one["node"])]
    ]
    if len(bars) > BARS_FIRST:
        bars.sort(key=lambda bar: (not bar.roles, bar.node))
    return bars


def _roles(found: Explanation, node: int) -> str:
    """Roles of a node in the flows."""
    roles: dict[str, list[int]] = {}
    for flow, path in found.paths.items():
        if node not in path:
            continue
        role = {0: "source", len(path) - 1: "sink"}.get(path.index(node), "relay")
        roles.setdefault(role, []).append(flow)
        if found.bottleneck(flow) == node:
            roles.setdefault("bottleneck", []).append(flow)
    if len(found.paths) == 1:
        return ", ".join(roles)
    return "; ".join(f"{role} of flow {', '.join(map(str, flows))}" for role, flows in roles.items())


def _pairs(found: Explanation) -> tuple[list[Mark], list[Pair], list[Pair]]:
    """Marks of the map, and its tables: the most frequent first."""
    marks, hidden, exposed = [], [], []
    on_map = 0 if found.is_moving else MOST
    for i, collision in enumerate([collision for collision in found.collisions if collision.hidden][:PAIRS_LISTED]):
        other, sender, addressee = (
            found.names.get(node, str(node)) for node in (collision.other, collision.sender, collision.addressee)
        )
        what = f"{other} cannot sense {sender}, collides at {addressee}"
        label = f"H{i + 1}" if i < on_map else ""
        hidden.append(Pair(label, what, collision.frames))
        if label:
            link = (collision.sender, collision.addressee)
            marks.append(Mark("hidden", label, f"{label}: {what}", (collision.sender, collision.other), (link,)))
    for i, pair in enumerate(found.exposed[:PAIRS_LISTED]):
        first, second = (found.link(*link) for link in (pair.first, pair.second))
        what = f"{first} and {second} defer to each other"
        label = f"E{i + 1}" if i < on_map else ""
        exposed.append(Pair(label, what, pair.frames))
        if label:
            between = (pair.first[0], pair.second[0])
            marks.append(Mark("exposed", label, f"{label}: {what}", between, (pair.first, pair.second)))
    return marks, hidden, exposed


def _sensed(found: Explanation, collision: Collision) -> str:
    interferer = found.names.get(collision.other, str(collision.other))
    return f"{found.link(collision.sender, collision.addressee)}, interferer {interferer}"
