"""Schedules of whole exchanges, played on the radios of the simulator: what `perfect` carries at least.

In a slot, exchanges of several links begin together: RTS, CTS, DATA and ACK of each follow one another by SIFS, without
stations that defer or back off. Two exchanges are compatible if the engine's radios decode all of their frames; so is a
larger set, which is played too, as interference may add up. A linear program with a column per set, found by column
generation, shares the time between slots. The slots are then played one after the other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from hoplab.base.engine import core
from hoplab.base.errors import HoplabError, InputError
from hoplab.bounding.inputs import Network, networks
from hoplab.bounding.loads import crossed
from hoplab.bounding.program import Objective
from hoplab.bounding.schedule import clique_cover, dearest, greedy

if TYPE_CHECKING:
    from hoplab.scenario.model import Scenario

Exchange = tuple[int, int, int]
"""Sender, receiver, length of the packet above the MAC in bytes."""

SLOTS = 2000
"""Slots that are played, about."""
ALIKE_S = 50e-6
"""Exchanges whose lengths differ by less are priced together."""
GAIN = 1e-6
"""Share of a slot's price by which it must exceed its time to be added."""
SEARCHES = 20
"""Sets that a greedy search adds in each round."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Exchanges that begin together, the share of time of their slot, and its length."""

    exchanges: tuple[Exchange, ...]
    share: float
    seconds: float


@dataclass(frozen=True)
class Replay:
    """A schedule, and what its replay carried.

    Attributes
    ----------
    flows_bps : tuple of float
        Payload of each flow in the replay, bit/s.
    planned_bps : tuple of float
        Payload of each flow by the shares of the slots.
    slots : tuple of Slot
        The schedule.
    played, lost : int
        Exchanges played, and those of which a frame did not arrive.
    seconds : float
        Simulated time of the replay.
    """

    objective: Objective
    flows_bps: tuple[float, ...]
    planned_bps: tuple[float, ...]
    slots: tuple[Slot, ...]
    played: int
    lost: int
    seconds: float

    @property
    def value(self) -> float:
        """The sum, the least rate, or that of the flow alone, bit/s."""
        if self.objective == "max_min":
            return min(self.flows_bps)
        return math.fsum(self.flows_bps)

    def csv(self) -> str:
        """The slots as CSV, one row per exchange."""
        rows = ["slot,share,seconds,from,to,bytes"]
        for number, slot in enumerate(self.slots):
            rows += [f"{number},{slot.share!r},{slot.seconds!r},{a},{b},{n}" for a, b, n in slot.exchanges]
        return "\n".join(rows) + "\n"


def replay(
    scenario: Scenario,
    objective: Objective = "sum",
    *,
    acks: bool = True,
    time_s: float = 30.0,
    seed: int | None = None,
) -> Replay:
    """Find a schedule of whole exchanges on the static routes of a scenario, and play it on the engine's radios.

    Parameters
    ----------
    objective : str or int
        `sum`, `max_min`, or the number of a flow alone.
    acks : bool
        Whether TCP's acknowledgments take their time.
    time_s : float
        Time of the search, s.
    seed : int or None
        Seed of random places; None for the scenario's.

    Raises
    ------
    InputError
        If the scenario has no fixed routes, or frames that are lost at random.
    """
    given = scenario.resolve().data["seed"] if seed is None else seed
    network = networks(scenario, given)[0]
    _check(network)
    schedule = _Schedule(network if acks else network.without_acks())
    rates, slots = schedule.best(objective, time.monotonic() + time_s)
    return schedule.play(objective, rates, slots)


def _check(network: Network) -> None:
    where = network.source.scenario.path
    if network.not_strict:
        raise InputError(
            f"{where}: {network.not_strict[0]}, expected stationary nodes and fixed powers for a replay",
            hint="omit --replay",
        )
    if network.losses:
        raise InputError(
            f"{where}: radio.errors corrupts frames at random, expected none for a replay",
            hint="add --set radio.errors.model=none, or omit --replay",
        )
    if any(station.aggregate for station in network.stations):
        raise InputError(
            f"{where}: mac.ampdu and mac.amsdu join packets, expected neither for a replay, which plays one at a time",
            hint='add --set mac.ampdu="0 B", or omit --replay',
        )
    if not network.stations:
        raise InputError(f"{where}: no node has a radio: there is nothing to replay", hint="omit --replay")
    for flow in network.flows:
        if flow.path is None or (flow.acks and flow.back is None):
            raise InputError(
                f"{where}: flow {flow.id} has no fixed path, expected one for a replay", hint="omit --replay"
            )


class _Schedule:
    """Sets of exchanges that succeed together, and shares of time between them."""

    def __init__(self, network: Network) -> None:
        self.network, self.job = network, network.source.job
        counts: dict[tuple[Exchange, int], float] = {}
        for column, flow in enumerate(network.flows):
            for link, length, count in crossed(flow):
                if link not in network.wires:
                    key = ((*link, length), column)
                    counts[key] = counts.get(key, 0.0) + count / flow.packet_bits
        self.exchanges = list(dict.fromkeys(exchange for exchange, _ in counts))
        place = {exchange: i for i, exchange in enumerate(self.exchanges)}
        self.needs = np.zeros((len(self.exchanges), len(network.flows)))
        for (exchange, column), count in counts.items():
            self.needs[place[exchange], column] = count
        self._sets: dict[tuple[int, ...], float] = {}
        self._failed: set[tuple[int, ...]] = set()
        self.conflicts, self.lengths = self._pairs()
        self.cover = clique_cover(self.conflicts)

    def _played(self, sets: Sequence[Sequence[int]]) -> list[tuple[list[bool], float]]:
        slots = [[self.exchanges[i] for i in one] for one in sets]
        played: list[tuple[list[bool], float]] = core().replay(self.job, slots)
        return played

    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Which exchanges do not succeed together, and the length of each alone."""
        count = len(self.exchanges)
        alone = self._played([[i] for i in range(count)])
        for i, ((arrived,), length) in enumerate(alone):
            if not arrived:
                raise HoplabError(f"exchange {self.exchanges[i]} fails alone, although its ends decode each other")
            self._sets[(i,)] = length
        nodes = [{a, b} for a, b, _ in self.exchanges]
        pairs = [(i, j) for i in range(count) for j in range(i) if not nodes[i] & nodes[j]]
        conflicts = ~np.eye(count, dtype=bool)
        for (i, j), (both, _) in zip(pairs, self._played(pairs), strict=True):
            conflicts[i, j] = conflicts[j, i] = not all(both)
        return conflicts, np.array([length for _, length in alone])

    def best(self, objective: Objective, deadline: float) -> tuple[np.ndarray, list[Slot]]:
        """Rates and slots, as good as is found before the deadline (`time.monotonic`)."""
        while True:
            rates, shares, prices, price_of_time = self._master(objective)
            if time.monotonic() >= deadline or not self._price(prices, price_of_time, deadline):
                break
        return rates, [
            Slot(tuple(self.exchanges[i] for i in members), float(share) * length, length)
            for (members, length), share in zip(self._sets.items(), shares, strict=True)
            if share > 0.0
        ]

    def _master(self, objective: Objective) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        flows, sets = len(self.network.flows), list(self._sets)
        width = flows + len(sets) + 1  # rates, slots per second, least rate
        members = [(i, flows + k) for k, one in enumerate(sets) for i in one]
        rows, columns = np.array(members).T
        serves = sparse.csr_array((np.ones(len(members)), (rows, columns)), shape=(len(self.exchanges), width))
        needs = sparse.csr_array(np.hstack([self.needs, np.zeros((len(self.exchanges), width - flows))]))
        lengths = np.concatenate([np.zeros(flows), list(self._sets.values()), [0.0]])
        least = sparse.csr_array(np.hstack([-np.eye(flows), np.zeros((flows, len(sets))), np.ones((flows, 1))]))
        cost = np.zeros(width)
        bounds: list[tuple[float, float | None]] = [(0.0, flow.rate_bps) for flow in self.network.flows]
        if objective == "max_min":
            cost[-1] = -1.0
        else:
            cost[:flows] = -1.0
        if isinstance(objective, int):
            bounds = [bound if i == objective else (0.0, 0.0) for i, bound in enumerate(bounds)]
        found = linprog(
            cost,
            A_ub=sparse.vstack([needs - serves, sparse.csr_array(lengths[None, :]), least]),
            b_ub=np.concatenate([np.zeros(len(self.exchanges)), [1.0], np.zeros(flows)]),
            bounds=[*bounds, *[(0.0, None)] * (len(sets) + 1)],
            method="highs",
        )
        if not found.success:
            raise HoplabError(f"the linear program of the schedule has no solution: {found.message}")
        duals = np.maximum(-found.ineqlin.marginals, 0.0)
        count = len(self.exchanges)
        return found.x[:flows], found.x[flows:-1], duals[:count], float(duals[count])

    def _price(self, prices: np.ndarray, price_of_time: float, deadline: float) -> bool:
        """Adds sets that are worth more than their time; whether there were any."""
        found = False
        ends = np.unique(np.ceil(self.lengths / ALIKE_S)) * ALIKE_S
        for end in ends:
            fits = self.lengths <= end
            worth = np.where(fits, prices, 0.0)
            if not worth.any():
                continue
            least = price_of_time * self.lengths[fits].max() * (1.0 + GAIN)
            tried = [
                greedy(self.conflicts, worth, int(i)) & fits for i in np.argsort(-worth)[:SEARCHES] if worth[i] > 0.0
            ]
            added = [self._add(chosen, prices) for chosen in tried if worth[chosen].sum() > least]
            if not any(added):
                limit, exact = dearest(worth, self.cover, deadline)
                if exact is not None and limit > least:
                    added.append(self._add(exact, prices))
            found |= any(added)
        return found

    def _add(self, chosen: np.ndarray, prices: np.ndarray) -> bool:
        """A set if all of its frames arrive; else without its cheapest exchange that fails, until they do."""
        members = tuple(int(i) for i in np.flatnonzero(chosen))
        while members and members not in self._sets:
            if members in self._failed:
                return False
            ((arrived, length),) = self._played([members])
            if all(arrived):
                self._sets[members] = length
                return True
            self._failed.add(members)
            failing = [i for i, has in zip(members, arrived, strict=True) if not has]
            worst = min(failing, key=lambda i: prices[i])
            members = tuple(i for i in members if i != worst)
        return False

    def play(self, objective: Objective, rates: np.ndarray, slots: list[Slot]) -> Replay:
        """Plays the slots in turns, as often as their shares say, on the radios of the run."""
        per_second = [slot.share / slot.seconds for slot in slots]
        scale = SLOTS / max(math.fsum(per_second), 1e-9)
        counts = [math.ceil(rate * scale - 1e-9) for rate in per_second]
        # In turns: each slot at equal distances.
        order = sorted((((k + 0.5) / count, i) for i, count in enumerate(counts) for k in range(count)))
        played = core().replay(self.job, [list(slots[i].exchanges) for _, i in order])
        seconds = math.fsum(length for _, length in played)
        place = {exchange: i for i, exchange in enumerate(self.exchanges)}
        carried = np.zeros(len(self.exchanges))
        lost = total = 0
        for (_, i), (arrived, _) in zip(order, played, strict=True):
            for exchange, has in zip(slots[i].exchanges, arrived, strict=True):
                carried[place[exchange]] += has
                total, lost = total + 1, lost + (not has)
        load = self.needs @ rates
        used = load > 0.0
        factor = float((carried[used] / load[used]).min()) / seconds if used.any() and seconds else 0.0
        flows = tuple(float(rate) * min(factor, 1.0) for rate in rates)
        return Replay(objective, flows, tuple(map(float, rates)), tuple(slots), total, lost, seconds)
