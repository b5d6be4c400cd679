"""What the study of Split TCP reads from runs: draws, gains, shares, unfairness, and what arrived between two times.

A draw is one random network with its connections, met by plain TCP and by Split TCP. Draws of one seed share places and
movements, so that seeds, not draws, are what intervals are made over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hoplab.running.isolation import FlowShare, Unfairness
from hoplab.running.runs import Run
from hoplab.stats import Interval
from hoplab_studies.shared.numbers import goodput
from hoplab_studies.shared.resampling import over_seeds
from hoplab_studies.shared.study import Grid, short
from hoplab_studies.split_tcp.scenarios import SPLIT

if TYPE_CHECKING:
    import numpy as np

SEGMENT_BITS = 8000.0
"""Payload of a segment of 1000 bytes."""


@dataclass(frozen=True)
class Draw:
    """One network under both protocols; unfairness is None where the part has no flows alone, NaN where undefined.

    `hops` are the mean path lengths of each flow alone, under plain TCP; None where nothing arrived.
    """

    seed: int
    plain: Run
    split: Run
    plain_u: Unfairness | None
    split_u: Unfairness | None
    hops: tuple[float | None, ...] = ()

    @property
    def loss(self) -> float:
        """The gain of plain TCP over Split TCP: that of the draw reversed."""
        plain, split = goodput(self.plain), goodput(self.split)
        return plain / split - 1.0 if split > 0.0 else math.inf if plain > 0.0 else 0.0

    @property
    def gain(self) -> float:
        """What Split TCP delivers more than plain TCP, of all connections, as a share of the latter."""
        plain, split = goodput(self.plain), goodput(self.split)
        return split / plain - 1.0 if plain > 0.0 else math.inf if split > 0.0 else 0.0


def plain_of(grid: Grid) -> str:
    """The plain TCP of a grid's transports."""
    return str(next(name for name in grid.values("transport") if name != SPLIT))


def draws(*grids: Grid) -> list[list[Draw]]:
    """The draws of some parts, seed by seed; every seed has as many."""
    found: dict[int, list[Draw]] = {}
    for grid in grids:
        for where in _settings(grid):
            sides = [{**where, "transport": name} for name in (plain_of(grid), SPLIT)]
            runs = [grid.at(**side) for side in sides]
            u = [unfairness(grid, **side) for side in sides] if grid.alone else [[None] * len(runs[0])] * 2
            hops = [[run.flows[0].hops_mean for run in single.at(**sides[0])] for single in grid.alone]
            paths = list(zip(*hops, strict=True)) or [()] * len(runs[0])
            for plain, split, plain_u, split_u, path in zip(*runs, *u, paths, strict=True):
                found.setdefault(plain.seed, []).append(Draw(plain.seed, plain, split, plain_u, split_u, path))
    return [found[seed] for seed in sorted(found)]


def _settings(grid: Grid) -> Iterator[Mapping[str, Any]]:
    """The settings of a grid apart from the transport."""
    seen: list[dict[str, Any]] = []
    for setting in grid.points:
        where = {short(key): value for key, value in setting if short(key) != "transport"}
        if where not in seen:
            seen.append(where)
            yield where


def unfairness(grid: Grid, **where: Any) -> list[Unfairness]:
    """Unfairness of the runs of one point, from those of each flow alone."""
    alone = [single.at(**where) for single in grid.alone]
    found = []
    for among, *solos in zip(grid.at(**where), *alone, strict=True):
        flows = zip(among.flows, solos, strict=True)
        shares = (FlowShare(flow.id, flow.goodput_bps, solo.flows[0].goodput_bps) for flow, solo in flows)
        found.append(Unfairness(among.seed, tuple(shares)))
    return found


def mean_u(by_seed: Sequence[Sequence[Draw]]) -> tuple[list[float], list[float]]:
    """Mean U of plain TCP and of Split TCP over the draws of each seed that have both."""
    plain, split = [], []
    for one in by_seed:
        pairs = [(d.plain_u.u, d.split_u.u) for d in one if d.plain_u and d.split_u]
        known = [pair for pair in pairs if not any(map(math.isnan, pair))]
        if known:
            plain.append(math.fsum(a for a, _ in known) / len(known))
            split.append(math.fsum(b for _, b in known) / len(known))
    return plain, split


def quantile(by_seed: Sequence[Sequence[float]], q: float) -> Interval:
    """A quantile over all draws; its interval is a bootstrap over seeds, each with all of its draws."""
    return over_seeds(len(by_seed), partial(_quantile, by_seed, q))


def quantile_beyond(by_seed: Sequence[Sequence[float]], other: Sequence[Sequence[float]], q: float) -> Interval:
    """A quantile over all draws less that of other values of the same draws; bootstrap as in `quantile`."""
    return over_seeds(len(by_seed), lambda at: _quantile(by_seed, q, at) - _quantile(other, q, at))


def _quantile(by_seed: Sequence[Sequence[float]], q: float, at: np.ndarray[Any, Any]) -> Any:
    """A quantile over the draws of the seeds that `at` names along its last axis."""
    import numpy as np

    pooled = np.asarray(by_seed, dtype=np.float64)[at].reshape(*at.shape[:-1], -1)
    return np.quantile(pooled, q, axis=-1, method="nearest")


def shares(run: Run) -> list[float]:
    """Share of each flow in the total; empty without delivery."""
    whole = goodput(run)
    return [flow.goodput_bps / whole if whole > 0.0 else 0.0 for flow in run.flows]


def seconds(value: str) -> float:
    """A value of the axis `duration`."""
    return float(value.removesuffix(" s"))


def delivered(run: Run, flow: int | None = None) -> float:
    """Payload bits in order from a flow's start to the end of the run, of one flow or of all; whole bits."""
    chosen = [f for f in run.flows if flow is None or f.id == flow]
    return float(sum(round(f.goodput_bps * (run.sim_s - f.start_s)) for f in chosen))


def rate_between(grid: Grid, begin: str, end: str, *, flow: int | None = None, **where: Any) -> list[float]:
    """Bit/s between the ends of two runs that differ in their length alone: the shorter is the longer's beginning."""
    span_s = seconds(end) - seconds(begin)
    runs = zip(grid.at(duration=begin, **where), grid.at(duration=end, **where), strict=True)
    return [(delivered(long, flow) - delivered(brief, flow)) / span_s for brief, long in runs]


def merged(values: Sequence[Sequence[float]], merge: Callable[[Sequence[float]], float]) -> list[float]:
    """One number per seed from several lists of one number per seed."""
    return [merge(one) for one in zip(*values, strict=True)]


def local_hops(run: Run, hops: int) -> tuple[float, float]:
    """Sendings of end-to-end acknowledgments and of local ones on a chain of one flow, each hop counted."""
    end_to_end = run.split[0]["e2e_acks"] * hops
    local, before = 0.0, 0
    for proxy in sorted(run.proxies, key=lambda proxy: int(proxy["node"])):
        local += proxy["lacks"] * (proxy["node"] - before)
        before = proxy["node"]
    return float(end_to_end), local + run.split[0]["lacks_sent"] * (hops - before)
