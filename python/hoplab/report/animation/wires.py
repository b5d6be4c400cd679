"""Wires of the animation: where hosts are drawn, the packets on wires, and those that wait at their ports."""

# ruff: noqa: S608 (what is put into queries are numbers of nodes, and names of this package)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hoplab.report.animation.columns import Table, Whole
from hoplab.report.animation.state import changes

if TYPE_CHECKING:
    from hoplab.scenario.trajectories import Point

STEP = 0.25
"""Distance of a host from the radios, as a share of the longer side of their area."""
LONE_M = 100.0
"""The same where the radios have no area."""
CLOSE = 0.75
"""Least distance of two hosts on one side, in such steps."""
FATES = ("under way", "arrived", "lost")
"""What becomes of a packet on a wire."""

Answer = Mapping[str, npt.NDArray[Any]]
Ask = Callable[[str], Answer]


@dataclass(frozen=True)
class Wire:
    """A wire: its ends, and rate (bit/s) and delay (s) from the first end and back."""

    ends: tuple[int, int]
    rate_bps: tuple[float, float]
    delay_s: tuple[float, float]

    def as_json(self) -> dict[str, Any]:
        """As the page has it."""
        return {"ends": self.ends, "rate_bps": self.rate_bps, "delay_s": self.delay_s}


def wires_of(resolved: Mapping[str, Any]) -> tuple[Wire, ...]:
    """The wires of a resolved scenario, in its order."""
    return tuple(_wire(one, {**one, **one.get("back", {})}) for one in resolved.get("wires", ()))


def _wire(there: Mapping[str, Any], back: Mapping[str, Any]) -> Wire:
    a, b = there["between"]
    return Wire((a, b), (there["rate_bps"], back["rate_bps"]), (there["delay_s"], back["delay_s"]))


def host_places(wires: Sequence[Wire], radios: Sequence[Point]) -> list[Point]:
    """Places of the hosts, which have the numbers after the radios: outside of the radios' area, beside their gateways.

    A host stands at the side of the area that is nearest to its gateways, and the farther out the more wires are
    between. Hosts without a gateway stand in columns from the first one on.
    """
    first, hosts = len(radios), 1 + max((end for wire in wires for end in wire.ends), default=-1)
    if hosts <= first:
        return []
    depths = _depths(wires, set(range(first)) or {0}, hosts)
    left, right, bottom, top = _box(radios)
    step = STEP * max(right - left, top - bottom) or LONE_M
    rows: dict[tuple[str, int], list[tuple[float, int]]] = {}
    for host in range(first, hosts):
        near = [radios[node] for node in _gateways(wires, depths, host) if node < first]
        x, y = np.mean(near, axis=0) if near else (left, bottom)
        gaps = {"left": x - left, "right": right - x, "bottom": y - bottom, "top": top - y}
        side = min(gaps, key=lambda name: gaps[name]) if near else "right"
        rows.setdefault((side, depths[host]), []).append((float(y if side in {"left", "right"} else x), host))
    places: dict[int, Point] = {}
    for (side, depth), row in rows.items():
        out = step * depth
        for along, host in _apart(sorted(row), CLOSE * step):
            places[host] = {
                "left": (left - out, along),
                "right": (right + out, along),
                "bottom": (along, bottom - out),
                "top": (along, top + out),
            }[side]
    return [places[host] for host in range(first, hosts)]


def _box(radios: Sequence[Point]) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in radios] or [0.0], [y for _, y in radios] or [0.0]
    return min(xs), max(xs), min(ys), max(ys)


def _depths(wires: Sequence[Wire], start: set[int], hosts: int) -> list[int]:
    """Wires between each node and the radios."""
    depths = [0 if node in start else hosts for node in range(hosts)]
    for _ in range(hosts):
        for wire in wires:
            a, b = wire.ends
            depths[a], depths[b] = min(depths[a], depths[b] + 1), min(depths[b], depths[a] + 1)
    beyond = 1 + max(depth for depth in depths if depth < hosts)  # of hosts that no wire joins to the others
    return [min(depth, beyond) for depth in depths]


def _gateways(wires: Sequence[Wire], depths: Sequence[int], host: int) -> set[int]:
    """The nodes at depth 0 to which the shortest ways of a host lead."""
    found = {host}
    while any(depths[node] for node in found):
        ends = [wire.ends for wire in wires] + [wire.ends[::-1] for wire in wires]
        nearer = {b for a, b in ends if a in found and depths[b] < depths[a]}
        if not nearer:
            return set()
        found = nearer
    return found


def _apart(row: list[tuple[float, int]], least: float) -> list[tuple[float, int]]:
    """Hosts along a side, moved as little as keeps them apart, around the same middle."""
    moved: list[float] = []
    for along, _ in row:
        moved.append(max(along, moved[-1] + least) if moved else along)
    shift = sum(along for along, _ in row) / len(row) - sum(moved) / len(moved)
    return [(along + shift, host) for along, (_, host) in zip(moved, row, strict=True)]


def packets(ask: Ask, kind: str) -> Table:
    """Packets on wires: when their transmission starts, how long it takes, and how long until they arrive.

    `ask` answers a query of the shown part of a run; `kind` is SQL for the index of a packet type.
    """
    found = ask(
        "WITH sent AS (SELECT t_ns, node, peer, packet, flow, seq, uid, bytes FROM events "
        "WHERE seed = $seed AND event = 'wire_sent' AND t_ns >= $begin AND t_ns < $end), "
        "came AS (SELECT t_ns, node, peer, uid FROM events WHERE seed = $seed AND event = 'wire_received'), "
        "gone AS (SELECT node, uid FROM events WHERE seed = $seed AND event = 'dropped' AND reason = 'wire') "
        f"SELECT sent.t_ns // 1000 AS t, sent.node, sent.peer, {kind} AS kind, coalesce(sent.flow, -1) AS flow, "
        "coalesce(sent.seq, -1) AS seq, sent.bytes, "
        "coalesce(min(came.t_ns - sent.t_ns) // 1000, -1)::BIGINT AS took, bool_or(gone.uid IS NOT NULL) AS lost "
        "FROM sent LEFT JOIN came ON came.uid = sent.uid AND came.node = sent.peer AND came.peer = sent.node "
        "AND came.t_ns >= sent.t_ns LEFT JOIN gone ON gone.uid = sent.uid AND gone.node = sent.node "
        "GROUP BY ALL ORDER BY 1, 2, 3, 6"
    )
    arrived = found["took"] >= 0
    lost = found["lost"].astype(np.int64)
    return {
        "t": Whole(found["t"], ascending=True),
        **{name: Whole(found[column]) for name, column in (("from", "node"), ("to", "peer"))},
        **{name: Whole(found[name]) for name in ("kind", "flow", "seq", "bytes", "took")},
        "fate": Whole(np.where(arrived, FATES.index("arrived"), FATES.index("lost") * lost)),
    }


def waiting(ask: Ask, wires: Sequence[Wire], *, begin_us: int, grain_us: int) -> Table:
    """Packets that wait at each port: node, the other end of its wire, and their number.

    A packet comes to a port when it is forwarded there, and leaves it when its transmission starts, or when it is
    dropped before.
    """
    ports = [port for wire in wires for port in (wire.ends, wire.ends[::-1])]
    listed = ", ".join(f"({index}, {node}, {peer})" for index, (node, peer) in enumerate(ports))
    found = ask(
        f"WITH ports(port, node, peer) AS (VALUES {listed}), "
        "came AS (SELECT port, node, uid, t_ns FROM events JOIN ports USING (node, peer) "
        "WHERE seed = $seed AND event = 'forwarded' AND t_ns < $end), "
        "left_ AS (SELECT port, uid, t_ns FROM events JOIN ports USING (node, peer) "
        "WHERE seed = $seed AND event = 'wire_sent' AND t_ns < $end), "
        "dropped AS (SELECT came.port, came.uid, min(events.t_ns) AS t_ns FROM came JOIN events USING (node, uid) "
        "WHERE seed = $seed AND event = 'dropped' AND reason <> 'wire' AND events.t_ns >= came.t_ns "
        "AND events.t_ns < $end GROUP BY ALL), "
        "steps AS (SELECT port, t_ns, 1 AS step FROM came UNION ALL SELECT port, t_ns, -1 FROM left_ "
        "UNION ALL SELECT port, t_ns, -1 FROM dropped), "
        "sums AS (SELECT port, t_ns, sum(sum(step)) OVER (PARTITION BY port ORDER BY t_ns) AS value FROM steps "
        "GROUP BY port, t_ns) "
        "SELECT t_ns // 1000 AS t, port, value::BIGINT AS value FROM sums ORDER BY t_ns, port"
    )
    last = changes(found["t"], found["port"], found["value"].astype(np.float64), begin=begin_us, grain=grain_us)
    place = np.array(ports, dtype=np.int64).reshape(-1, 2)[found["port"][last.rows]]
    return {
        "t": Whole(last.times, ascending=True),
        "node": Whole(place[:, 0]),
        "peer": Whole(place[:, 1]),
        "value": Whole(found["value"][last.rows]),
    }
