"""Runs of the league: one stored sweep per network, over all transports that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoplab.scenario.controllers import HELD, is_controller, overrides_of
from hoplab.sweeping import CoreRunner
from hoplab.sweeping.api import Request, run_plan
from hoplab.sweeping.estimate import estimate
from hoplab_studies.league.networks import Network, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hoplab.sweeping import Backend, Outcome
    from hoplab.sweeping.estimate import Estimate
    from hoplab.sweeping.executor import Observer
    from hoplab.sweeping.plan import Plan


@dataclass(frozen=True)
class Match:
    """Transports on one network: a plan of runs and where they are stored."""

    network: Network
    transports: tuple[str, ...]
    plan: Plan
    root: Path

    @property
    def count(self) -> int:
        """Planned runs."""
        return sum(len(seeds) for seeds in self.plan.seeds.values())


def matches(
    networks: Sequence[Network], transports: Sequence[str], seeds: int, folder: Path
) -> tuple[list[Match], dict[tuple[str, str], str]]:
    """Plan all runs, without executing any.

    Returns
    -------
    list of Match
        The engine's transports of a network make one; each controller of the user one more.
    dict
        By network and transport: why a network does not take a transport.
    """
    runner = CoreRunner()
    found: list[Match] = []
    refused: dict[tuple[str, str], str] = {}
    for network in networks:
        taken = []
        for transport in transports:
            reason = refusal(network, transport)
            if reason is None:
                taken.append(transport)
            else:
                refused[network.name, transport] = reason
        engine = tuple(name for name in taken if not is_controller(name))
        if engine:
            axes = {f"{network.table}.transport": list(engine)}
            plan = Request(network.scenario, (), axes, seeds=seeds, possible=network.has_bound).plan(runner)
            found.append(Match(network, engine, plan, folder / network.name))
        for name in (name for name in taken if is_controller(name)):
            scenario = network.scenario.with_(overrides_of(name, network.scenario))
            plan = Request(scenario, (), {}, seeds=seeds, possible=network.has_bound).plan(runner)
            own = name.removeprefix(HELD).replace("/", "-").replace(":", "-").replace("@", "-")
            found.append(Match(network, (name,), plan, folder / f"{network.name}-{own}"))
    return found, refused


def estimates(planned: Sequence[Match], threads: int) -> list[Estimate]:
    """What is pending of each match, and the time that it takes by short trials."""
    runner = CoreRunner()
    return [estimate(match.plan, match.root, runner, threads) for match in planned]


def play(match: Match, backend: Backend, *, observer: Observer, retry: bool = False) -> Outcome:
    """Execute the pending runs of a match, and bound its network."""
    outcome = run_plan(match.plan, match.root, backend, observer=observer, retry=retry)
    if match.network.has_bound:
        from hoplab.bounding import store_shares  # noqa: PLC0415 (loads scipy)

        store_shares(outcome.root)
    return outcome
