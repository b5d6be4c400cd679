"""Bounds from above: linear programs whose rows are cliques of the conflict graph.

The vertices of a clique take turns, so that the seconds they need per second sum to at most 1. Cliques are sought where
a solution violates them; a list of all would be exponential.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from hoplab.base.errors import HoplabError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.bounding.graph import Graph
    from hoplab.bounding.loads import Loads

Objective = Literal["sum", "max_min", "fair"] | int
"""`fair`: proportionally fair, the largest sum of logarithms; a number: that flow alone."""

TOLERANCE = 1e-9
"""Load beyond 1 from which a clique counts as violated."""
LOG_TOLERANCE = 1e-5
"""Error of the sum of logarithms at which no more tangents are added."""
SOLVERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("highs", {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}),
    ("highs-ds", {"presolve": False}),
    ("highs-ipm", {}),
)
"""Methods and options; the next is tried where one ends with a solver error, as on some programs of free routes."""


class Polytope:
    """Rates that no cut found so far excludes. Cuts serve all objectives."""

    def __init__(self, graph: Graph, loads: Loads) -> None:
        self.graph, self.loads = graph, loads
        self._weights: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []
        self._seen: set[bytes] = set()
        for vertex in range(graph.size):
            self.add_clique(_maximal(graph.conflicts, [vertex], np.ones(graph.size)))

    def add(self, weights: np.ndarray, limit: float = 1.0) -> None:
        """A cut: the weighted seconds of all vertices are at most `limit`."""
        self._weights.append(weights / limit)
        self._rows.append(self.loads.seconds.T @ (weights / limit))

    def add_clique(self, clique: np.ndarray) -> bool:
        """A clique as a cut; False if it is there already."""
        key = np.packbits(clique).tobytes()
        if key in self._seen:
            return False
        self._seen.add(key)
        self.add(clique.astype(float))
        return True

    def binding(self, variables: np.ndarray) -> np.ndarray:
        """Weights of the tightest cut at a solution."""
        if not self._rows:
            return np.zeros(0)
        return self._weights[int(np.argmax(np.array(self._rows) @ variables))]

    def solve(self, objective: Objective) -> tuple[np.ndarray, float]:
        """Variables and value of the best solution: bit/s, or the sum of logarithms. All cliques found hold."""
        while True:
            variables, value = self._solve(objective)
            if not self._separate(self.loads.seconds @ variables):
                return variables, value

    def support(self, weights: np.ndarray) -> float:
        """The largest weighted sum of rates."""
        while True:
            variables, value = self._weighted(weights)
            if not self._separate(self.loads.seconds @ variables):
                return value

    def extent(self, rates: np.ndarray) -> float:
        """The share of the possible of some rates, in bit/s: how far along their own direction they are."""
        if not rates.any():
            return 0.0
        while True:
            variables, value = self._along(rates)
            if not self._separate(self.loads.seconds @ variables):
                return 1.0 / value if value > 0.0 else math.inf

    def _separate(self, load: np.ndarray) -> bool:
        """Adds cliques that a load violates; returns whether there were any."""
        found = False
        for start in np.argsort(-load)[: max(40, self.graph.size // 8)]:
            if load[start] <= 0.0:
                break
            clique = _maximal(self.graph.conflicts, [int(start)], load)
            if load[clique].sum() > 1.0 + TOLERANCE:
                found |= self.add_clique(clique)
        return found

    def _solve(self, objective: Objective) -> tuple[np.ndarray, float]:
        rates = self.loads.rates
        flows, width = rates.shape
        if objective == "fair":
            return self._fair()
        if objective == "max_min":
            # One more variable: the least rate of all flows.
            extra = sparse.csr_array(sparse.hstack([-rates, np.ones((flows, 1))]))
            variables = self._linear(np.append(np.zeros(width), -1.0), extra, np.zeros(extra.shape[0]))
            return variables[:width], float(variables[width])
        if objective == "sum":
            return self._weighted(np.ones(flows))
        return self._weighted(np.eye(flows)[objective], alone=objective)

    def _weighted(self, weights: np.ndarray, alone: int | None = None) -> tuple[np.ndarray, float]:
        cost = -(self.loads.rates.T @ weights)
        variables = self._linear(cost, alone=alone)
        return variables, float(-cost @ variables)

    def _fair(self) -> tuple[np.ndarray, float]:
        """Tangents of the logarithm where it is evaluated, until they touch it."""
        rates = self.loads.rates
        flows, width = rates.shape
        start, _ = self._solve("sum")
        unit = max(float((rates @ start).max()), 1.0)
        points = [np.full(flows, unit * 0.5**k) for k in range(12)]
        while True:
            slopes = [sparse.hstack([-sparse.diags_array(1.0 / p) @ rates, sparse.eye_array(flows)]) for p in points]
            offsets = np.concatenate([np.log(p) - 1.0 for p in points])
            cost = np.concatenate([np.zeros(width), -np.ones(flows)])
            variables = self._linear(cost, sparse.csr_array(sparse.vstack(slopes)), offsets)
            reached = np.maximum(rates @ variables[:width], 1e-9)
            high = float(variables[width:].sum())
            if high - float(np.log(reached).sum()) < LOG_TOLERANCE * flows:
                return variables[:width], high
            points.append(reached)

    def _along(self, rates: np.ndarray) -> tuple[np.ndarray, float]:
        """The largest multiple of some rates."""
        width = self.loads.rates.shape[1]
        extra = sparse.csr_array(sparse.hstack([-self.loads.rates, rates[:, None]]))
        variables = self._linear(np.append(np.zeros(width), -1.0), extra, np.zeros(extra.shape[0]), is_capped=False)
        return variables[:width], float(variables[width])

    def _linear(
        self,
        cost: np.ndarray,
        extra: Any = None,
        limits: np.ndarray | None = None,
        *,
        alone: int | None = None,
        is_capped: bool = True,
    ) -> np.ndarray:
        """Minimizes a cost over the cuts and some more rows, whose further variables have no sign."""
        width, more = self.loads.rates.shape[1], len(cost) - self.loads.rates.shape[1]
        cuts = sparse.csr_array(np.array(self._rows).reshape(-1, width))
        pad = sparse.csr_array((len(self._rows), more))
        blocks, ends = [sparse.hstack([cuts, pad])], [np.ones(len(self._rows))]
        capped = np.flatnonzero(np.isfinite(self.loads.caps)) if is_capped else np.array([], dtype=int)
        if len(capped):
            blocks.append(sparse.hstack([self.loads.rates[capped], sparse.csr_array((len(capped), more))]))
            ends.append(self.loads.caps[capped])
        if extra is not None and limits is not None:
            blocks.append(extra)
            ends.append(limits)
        equal = self.loads.equal
        if alone is not None:
            others = np.delete(np.arange(self.loads.rates.shape[0]), alone)
            equal = sparse.vstack([equal, self.loads.rates[others]])
        has_equal = equal.shape[0] > 0
        for method, options in SOLVERS:
            found = linprog(
                cost,
                A_ub=sparse.csr_array(sparse.vstack(blocks)),
                b_ub=np.concatenate(ends),
                A_eq=sparse.csr_array(sparse.hstack([equal, sparse.csr_array((equal.shape[0], more))]))
                if has_equal
                else None,
                b_eq=np.zeros(equal.shape[0]) if has_equal else None,
                bounds=[(0.0, None)] * width + [(None, None)] * more,
                method=method,
                options=options,
            )
            if found.success:
                variables: np.ndarray = found.x
                return variables
        raise HoplabError(f"the linear program of the bound has no solution: {found.message}")


def _maximal(conflicts: np.ndarray, start: Sequence[int], weights: np.ndarray) -> np.ndarray:
    """A maximal clique around some vertices, the heaviest first; as a mask."""
    clique = np.zeros(len(conflicts), dtype=bool)
    clique[list(start)] = True
    open_ = np.logical_and.reduce(conflicts[list(start)])
    order = np.argsort(-weights, kind="stable")
    for vertex in order:
        if open_[vertex]:
            clique[vertex] = True
            open_ = open_ & conflicts[vertex]
    return clique
