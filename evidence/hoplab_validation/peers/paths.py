"""Received power, static shortest paths and the hops of flows, computed apart from the engine.

The formulas are Rappaport's; the speed of light is 3.0e8 m/s as in ns-2. Ties between equally
short paths go to the lowest number of the next hop, as the engine's `static` routing does.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise

from hoplab_validation.peers.resolved import Radio, Resolved

LIGHT_M_PER_S = 3.0e8
"""ns-2's speed of light."""

GRACE = 1.0 - 1e-9
"""Factor of thresholds in the script of a peer: a frame exactly at one passes whatever the rounding."""


def crossover_m(radio: Radio) -> float:
    """Distance at which two-ray ground leaves Friis: `4 pi h^2 / lambda`, in metres."""
    return 4.0 * math.pi * radio.antenna_height_m**2 * radio.frequency_hz / LIGHT_M_PER_S


def received_w(radio: Radio, distance_m: float, tx_power_w: float | None = None) -> float:
    """Power at a receiver, in watts.

    Parameters
    ----------
    tx_power_w : float, optional
        The sender's power where it differs from the scenario's.
    """
    sent = radio.tx_power_w if tx_power_w is None else tx_power_w
    if distance_m == 0.0:
        return sent
    gains = sent * radio.tx_gain * radio.rx_gain / radio.system_loss
    if radio.propagation == "two_ray" and distance_m > crossover_m(radio):
        return gains * radio.antenna_height_m**4 / distance_m**4
    wavelength = LIGHT_M_PER_S / radio.frequency_hz
    return gains * (wavelength / (4.0 * math.pi * distance_m)) ** 2


def range_m(radio: Radio, threshold_w: float, tx_power_w: float | None = None) -> float:
    """Largest distance at which a frame still has `threshold_w`, in metres."""
    sent = radio.tx_power_w if tx_power_w is None else tx_power_w
    gains = sent * radio.tx_gain * radio.rx_gain / radio.system_loss
    wavelength = LIGHT_M_PER_S / radio.frequency_hz
    friis = wavelength / (4.0 * math.pi) * math.sqrt(gains / threshold_w)
    if radio.propagation == "two_ray" and friis > crossover_m(radio):
        return float((gains * radio.antenna_height_m**4 / threshold_w) ** 0.25)
    return friis


def neighbors(scenario: Resolved) -> list[list[int]]:
    """For each node, those it can exchange frames with, in ascending order.

    Both ends must decode each other, since every unicast frame is answered.
    """
    powers = tx_powers(scenario)
    reaches = [range_m(scenario.radio, scenario.radio.rx_threshold_w, p) for p in powers]
    heard = within(scenario.positions, reaches)
    if len(set(reaches)) == 1:
        return heard
    return [[j for j in ends if i in heard[j]] for i, ends in enumerate(heard)]


def tx_powers(scenario: Resolved) -> list[float]:
    """Transmit power of each node in watts, overrides applied."""
    return [
        float(scenario.nodes.get(i, {}).get("radio", {}).get("tx_power_w", scenario.radio.tx_power_w))
        for i in range(len(scenario.positions))
    ]


def within(positions: Sequence[tuple[float, float]], reaches: Sequence[float]) -> list[list[int]]:
    """For each node, the others not farther away than its own reach (metres), ascending.

    Uses a grid of cells as wide as the longest reach, so that thousands of nodes stay cheap.
    """
    cell = max(reaches)
    cells: dict[tuple[int, int], list[int]] = {}
    for i, (x, y) in enumerate(positions):
        cells.setdefault((math.floor(x / cell), math.floor(y / cell)), []).append(i)
    found: list[list[int]] = []
    for i, (x, y) in enumerate(positions):
        cx, cy = math.floor(x / cell), math.floor(y / cell)
        near = (
            j
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for j in cells.get((cx + dx, cy + dy), ())
            if j != i and math.hypot(positions[j][0] - x, positions[j][1] - y) <= reaches[i]
        )
        found.append(sorted(near))
    return found


def next_hops(links: Sequence[Sequence[int]], dst: int) -> list[int | None]:
    """Next hop of every node towards `dst`; None where there is no path (and at `dst`)."""
    into: list[list[int]] = [[] for _ in links]
    for i, ends in enumerate(links):
        for j in ends:
            into[j].append(i)
    distance = {dst: 0}
    queue = deque([dst])
    while queue:
        j = queue.popleft()
        for i in into[j]:
            if i not in distance:
                distance[i] = distance[j] + 1
                queue.append(i)
    hops: list[int | None] = [None] * len(links)
    for i, ends in enumerate(links):
        if i != dst and i in distance:
            hops[i] = min(j for j in ends if distance.get(j) == distance[i] - 1)
    return hops


def path(links: Sequence[Sequence[int]], src: int, dst: int) -> list[int] | None:
    """Nodes from `src` to `dst`, both included; None where there is no path."""
    hops = next_hops(links, dst)
    nodes = [src]
    while nodes[-1] != dst:
        following = hops[nodes[-1]]
        if following is None:
            return None
        nodes.append(following)
    return nodes


def static_hops(scenario: Resolved) -> tuple[set[tuple[int, int, int]], set[tuple[int, int]]]:
    """Next hops that the flows of a static scenario need, both directions for TCP.

    Returns
    -------
    hops : set of (node, destination, next hop)
    voids : set of (source, destination)
        Ends without a path between them.
    """
    links = neighbors(scenario)
    hops: set[tuple[int, int, int]] = set()
    voids: set[tuple[int, int]] = set()
    for flow in scenario.flows:
        ends = [(flow.src, flow.dst)]
        if flow.transport != "udp":
            ends.append((flow.dst, flow.src))
        for src, dst in ends:
            nodes = path(links, src, dst)
            if nodes is None:
                voids.add((src, dst))
            else:
                hops.update((i, dst, j) for i, j in pairwise(nodes))
    return hops, voids
