"""What each flow would get alone: the runs that unfairness U needs beside the run itself.

Every run is stored under an id of its content, so that each is executed once.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplab.base.engine import core
from hoplab.base.errors import InputError
from hoplab.running.execution import Order, run_orders
from hoplab.running.seeds import Seeds, seeds_of
from hoplab.scenario import tomltext
from hoplab.scenario.model import Scenario
from hoplab.stats import unfairness, unfairness_bound
from hoplab.store.run_store import Header, RunStore, run_id

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class FlowShare:
    """One flow of one run.

    Attributes
    ----------
    flow : int
        Its number.
    among_bps, alone_bps : float
        Its throughput with all flows, and as the only one, from the flow's start to the end of the run; bit/s.
    """

    flow: int
    among_bps: float
    alone_bps: float

    @property
    def share(self) -> float:
        """Its goodput over its goodput in isolation; NaN if the latter is zero."""
        return self.among_bps / self.alone_bps if self.alone_bps > 0.0 else math.nan


@dataclass(frozen=True, slots=True)
class Unfairness:
    """Unfairness of one run.

    Attributes
    ----------
    seed : int
        Of the run.
    flows : tuple of FlowShare
        All flows, those left out of U among them.
    """

    seed: int
    flows: tuple[FlowShare, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """Shares of the flows that would get something alone."""
        return tuple(flow.share for flow in self.flows if flow.alone_bps > 0.0)

    @property
    def left_out(self) -> tuple[int, ...]:
        """Flows with zero goodput in isolation: their share is undefined, and U excludes them."""
        return tuple(flow.flow for flow in self.flows if flow.alone_bps <= 0.0)

    @property
    def u(self) -> float:
        """U of Kopparty 2002, eq. 1; NaN with fewer than two flows."""
        return unfairness(self.shares) if len(self.shares) > 1 else math.nan

    @property
    def u_norm(self) -> float:
        """U over its bound for this number of flows."""
        return self.u / unfairness_bound(len(self.shares)) if len(self.shares) > 1 else math.nan


def isolated(scenario: Scenario, flow: int, *, transport: str | None = None) -> Scenario:
    """The same scenario with one flow alone: same nodes, places and movement, same seed.

    Parameters
    ----------
    scenario : Scenario
        With any number of flows. Those that `[traffic]` draws are those of the scenario's own seed.
    flow : int
        Number of the one that stays.
    transport : str, optional
        Protocol that it uses alone, if not its own.

    Raises
    ------
    InputError
        If there is no such flow.
    """
    tables: dict[str, Any] = tomllib.loads(scenario.resolve().toml)
    flows = scenario.resolve().flow_tables
    if not 0 <= flow < len(flows):
        raise InputError(f"flow {flow} does not exist, expected 0 to {len(flows) - 1}")
    alone = flows[flow] if transport is None else {**flows[flow], "transport": transport}
    tables.pop("traffic", None)
    return Scenario.from_text(tomltext.document({**tables, "flow": [alone]}), path=scenario.path)


def unfairness_of(  # noqa: PLR0913 (all but the first by keyword)
    scenario: Scenario,
    *,
    out: Path,
    seeds: Seeds | None = None,
    alone: str | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> list[Unfairness]:
    """Unfairness of a scenario's runs; stored runs are reused.

    Parameters
    ----------
    scenario : Scenario
        With two flows or more. Throughput is measured from each flow's start if there is no warm-up, as the paper does.
    out : Path
        Directory of the run store.
    seeds : int, str or iterable of int, optional
        As for `hoplab.run`.
    alone : str, optional
        Protocol of the flows alone, to measure several protocols against one; by default each flow's own.

    Returns
    -------
    list of Unfairness
        One per seed, in order.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> pair = Scenario.from_dict(
    ...     duration="5 s", topology={"kind": "parallel", "hops": 2}, flow=[{"transport": "reno"}] * 2
    ... )
    >>> (first,) = unfairness_of(pair, out=pathlib.Path(tempfile.mkdtemp()))
    >>> len(first.shares)
    2
    """
    count = len(scenario.resolve().data["flows"])
    if count < 2:
        raise InputError(f"{scenario.name} has {count} flow, unfairness requires at least 2")
    chosen = seeds_of(1 if seeds is None else seeds, scenario.seed)
    groups = _by_network(scenario, chosen, count, alone)
    orders = [Order(one, seeds) for solos, seeds in groups for one in (scenario, *solos)]
    results = iter(stored_runs(orders, RunStore(out), threads=threads, progress=progress))
    found = {}
    for solos, among in groups:
        same = [next(results) for _ in range(len(solos) + 1)]
        found.update({seed: _unfairness(seed, [of_one[seed] for of_one in same]) for seed in among})
    return [found[seed] for seed in chosen]


def _by_network(
    scenario: Scenario, seeds: Sequence[int], count: int, alone: str | None
) -> list[tuple[list[Scenario], tuple[int, ...]]]:
    """Seeds with the same flows, and each of these alone: flows that `[traffic]` draws are others for every seed."""
    groups: dict[tuple[str, ...], tuple[list[Scenario], list[int]]] = {}
    for seed in seeds:
        own = scenario.with_({"seed": seed})
        solos = [isolated(own, flow, transport=alone).with_({"seed": scenario.seed}) for flow in range(count)]
        flows = tuple(str(solo.resolve().data["flows"]) for solo in solos)
        groups.setdefault(flows, (solos, []))[1].append(seed)
    return [(solos, tuple(same)) for solos, same in groups.values()]


def stored_runs(
    wanted: Sequence[Order], store: RunStore, *, threads: int | None = None, progress: bool | None = None
) -> list[dict[int, dict[str, Any]]]:
    """Results of every order by seed; missing runs are executed and stored."""
    version = core().version()
    names = [{s: run_id(version, order.scenario.resolve().data, s, None) for s in order.seeds} for order in wanted]
    known: set[str] = set()
    orders: list[Order] = []
    for order, ids in zip(wanted, names, strict=True):
        missing = [s for s in order.seeds if ids[s] not in known and store.state(ids[s]) != "done"]
        known.update(ids[s] for s in missing)
        if missing:
            orders.append(Order(order.scenario, tuple(missing)))
    for runs in run_orders(orders, threads=threads, progress=progress) if orders else []:
        for made in runs.runs:
            resolved = runs.scenario.with_({"seed": made.seed}).resolve()
            # As a sweep names it: after the scenario itself, of which flows drawn for a seed are no part.
            name = run_id(version, runs.scenario.resolve().data, made.seed, None)
            if store.state(name) == "damaged":
                store.move_to_damaged(name)
            folder = Path(runs.scenario.path).parent
            header = Header(name, made.seed, version, resolved.data, resolved.toml, folder=folder)
            store.commit(header, made.json, None)
    return [{s: store.result(ids[s]) for s in ids} for ids in names]


def _unfairness(seed: int, results: Sequence[dict[str, Any]]) -> Unfairness:
    among, *alone = results
    flows = zip(among["flows"], alone, strict=True)
    return Unfairness(
        seed,
        tuple(FlowShare(flow["id"], flow["goodput_bps"], solo["flows"][0]["goodput_bps"]) for flow, solo in flows),
    )
