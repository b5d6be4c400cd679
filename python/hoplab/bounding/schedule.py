"""Bounds from below: a schedule of sets of vertices that do not conflict, found by column generation.

The least time in which a schedule serves a load is a linear program with one column per independent set. Columns are
added where the prices of the present solution make them cheap; an exact search proves that none is left (Gilmore and
Gomory 1961). Its prices are a valid cut for the bound from above.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from hoplab.bounding.graph import Graph

EPSILON = 1e-7
STARTS = 30
"""Vertices from which a greedy search starts in each round."""


@dataclass(frozen=True, slots=True)
class Cover:
    """How a load is served.

    Attributes
    ----------
    seconds : float
        Time of the schedule found, s per second: the load is possible if it is at most 1.
    prices, limit : array, float
        A valid cut: prices times seconds of the vertices are at most `limit`.
    sets, shares : array of bool, array
        Independent sets, one per row, and the share of time of each.
    """

    seconds: float
    prices: np.ndarray
    limit: float
    sets: np.ndarray
    shares: np.ndarray


class Schedules:
    """Independent sets of a graph found so far; they serve all loads."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._sets: list[np.ndarray] = []
        self._seen: set[bytes] = set()
        self._cover = clique_cover(graph.conflicts)
        for vertex in range(graph.size):
            self._add(self._greedy(np.ones(graph.size), vertex))

    def cover(self, load: np.ndarray, deadline: float) -> Cover:
        """The shortest schedule of a load; a longer one if the deadline (`time.monotonic`) comes first."""
        used = np.flatnonzero(load > 0.0)
        smooth = None
        while True:
            seconds, prices, shares, chosen = self._master(load, used)
            smooth = prices if smooth is None else 0.5 * (smooth + prices)
            if self._price(smooth) or self._price(prices):
                if time.monotonic() < deadline:
                    continue
                return Cover(seconds, prices, np.inf, chosen, shares)
            weight, best = self._exact(prices, deadline)
            if weight <= 1.0 + EPSILON or not self._add(best):
                return Cover(seconds, prices, weight, chosen, shares)
            if time.monotonic() >= deadline:
                return Cover(seconds, prices, weight, chosen, shares)

    def _master(self, load: np.ndarray, used: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        sets = np.array(self._sets)
        found = linprog(
            np.ones(len(sets)),
            A_ub=-sparse.csr_array(sets[:, used].T.astype(float)),
            b_ub=-load[used],
            method="highs",
            options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9},
        )
        prices = np.zeros(self.graph.size)
        prices[used] = np.maximum(-found.ineqlin.marginals, 0.0)
        active = found.x > 0.0
        return float(found.fun), prices, found.x[active], sets[active]

    def _price(self, prices: np.ndarray) -> bool:
        """Adds independent sets whose price exceeds 1, by greedy searches."""
        found = False
        for start in np.argsort(-prices)[:STARTS]:
            if prices[start] <= 0.0:
                break
            chosen = self._greedy(prices, int(start))
            if prices[chosen].sum() > 1.0 + EPSILON:
                found |= self._add(chosen)
        return found

    def _greedy(self, prices: np.ndarray, start: int) -> np.ndarray:
        return greedy(self.graph.conflicts, prices, start)

    def _exact(self, prices: np.ndarray, deadline: float) -> tuple[float, np.ndarray]:
        """An upper bound of the price of the dearest independent set, and the best set found."""
        bound, chosen = dearest(prices, self._cover, deadline)
        if chosen is None:
            return np.inf, self._greedy(prices, int(np.argmax(prices)))
        return bound, self._completed(chosen)

    def _completed(self, chosen: np.ndarray) -> np.ndarray:
        """A maximal independent set around another."""
        chosen = chosen.copy()
        open_ = ~self.graph.conflicts[chosen].any(axis=0) & ~chosen
        for vertex in np.flatnonzero(open_):
            if open_[vertex]:
                chosen[vertex] = True
                open_ &= ~self.graph.conflicts[vertex]
        return chosen

    def _add(self, chosen: np.ndarray) -> bool:
        key = np.packbits(chosen).tobytes()
        if key in self._seen:
            return False
        self._seen.add(key)
        self._sets.append(chosen)
        return True


def greedy(conflicts: np.ndarray, prices: np.ndarray, start: int) -> np.ndarray:
    """A maximal independent set around a vertex, the dearest first."""
    chosen = np.zeros(len(conflicts), dtype=bool)
    chosen[start] = True
    open_ = ~conflicts[start]
    open_[start] = False
    for vertex in np.argsort(-prices, kind="stable"):
        if open_[vertex]:
            chosen[vertex] = True
            open_ &= ~conflicts[vertex]
    return chosen


def dearest(prices: np.ndarray, cover: np.ndarray, deadline: float) -> tuple[float, np.ndarray | None]:
    """An upper bound of the price of the dearest independent set, and the best set; `cover`: conflicts as cliques."""
    priced = np.flatnonzero(prices > 0.0)
    rows = sparse.csr_array(cover[:, priced].astype(float))
    rows = rows[np.flatnonzero(np.diff(rows.indptr) > 1)]
    found = milp(
        -prices[priced],
        constraints=[LinearConstraint(rows, -np.inf, 1.0)] if rows.shape[0] else [],
        integrality=np.ones(len(priced)),
        bounds=Bounds(0.0, 1.0),
        options={"time_limit": max(deadline - time.monotonic(), 0.1), "mip_rel_gap": 1e-7},
    )
    if found.x is None:
        return np.inf, None
    chosen = np.zeros(len(prices), dtype=bool)
    chosen[priced[found.x > 0.5]] = True
    bound = -found.mip_dual_bound if found.mip_dual_bound is not None else -found.fun
    return max(float(bound), float(prices[chosen].sum())), chosen


def clique_cover(conflicts: np.ndarray) -> np.ndarray:
    """Cliques that contain every conflict, one per row, greedily."""
    left = conflicts.copy()
    rows: list[np.ndarray] = []
    while True:
        degrees = left.sum(axis=1)
        start = int(np.argmax(degrees))
        if degrees[start] == 0:
            return np.array(rows, dtype=bool).reshape(-1, len(conflicts))
        clique = np.zeros(len(conflicts), dtype=bool)
        clique[start] = True
        open_ = conflicts[start].copy()
        gain = left[start].astype(int)  # conflicts that the next vertex would cover
        while open_.any():
            candidate = int(np.argmax(np.where(open_, gain, -1)))
            if gain[candidate] <= 0:
                break
            clique[candidate] = True
            gain = gain + left[candidate]
            open_ &= conflicts[candidate]
        members = np.flatnonzero(clique)
        left[np.ix_(members, members)] = False
        rows.append(clique)
