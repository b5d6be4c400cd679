"""Copies of packets that are on their way, as far as later lines need them: memory does not grow with the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoplab.store.ns2_trace.forms import Copy

HEARD = 4_096
"""Messages of routing that a node may still pass on; most of them end without a record."""
PER_NODE = 512
"""Copies per node that may wait in queues and buffers; more are those that have ended without a record."""
LEAST = 16_384
"""Copies that are remembered in any case."""


class Copies:
    """Copies by node and packet."""

    def __init__(self) -> None:
        self._most = LEAST
        self._live: dict[tuple[int, int], Copy] = {}
        self._heard: dict[tuple[int, int], Copy] = {}

    def __len__(self) -> int:
        return len(self._live) + len(self._heard)

    def add(self, node: int, uid: int, copy: Copy) -> None:
        """A packet is at a node, until it is taken."""
        self._live[node, uid] = copy
        self._most = max(self._most, PER_NODE * (node + 1))
        _bound(self._live, self._most)

    def hear(self, node: int, uid: int, copy: Copy) -> None:
        """A message of routing has arrived at a node, which may pass it on."""
        self._heard[node, uid] = copy
        _bound(self._heard, HEARD)

    def get(self, node: int, uid: int) -> Copy | None:
        """A packet at a node, which stays there."""
        copy = self._live.get((node, uid))
        if copy is None:
            copy = self._heard.pop((node, uid), None)
            if copy is not None:
                self.add(node, uid, copy)
        return copy

    def take(self, node: int, uid: int) -> Copy | None:
        """A packet leaves a node, or ends there."""
        return self._live.pop((node, uid), None) or self._heard.pop((node, uid), None)


def _bound(copies: dict[tuple[int, int], Copy], most: int) -> None:
    """Forget the oldest copies."""
    while len(copies) > most:
        del copies[next(iter(copies))]
