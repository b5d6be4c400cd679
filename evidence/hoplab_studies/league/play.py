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


def expected_s(planned: Sequence[Match], threads: int) -> float | None:
    """Wall time of pending runs, s, from short trials; None if all trials of a network fail."""
    runner = CoreRunner()
    found = [estimate(match.plan, match.root, runner, threads).wall_s for match in planned]
    known = [wall_s for wall_s in found if wall_s is not None]
    return sum(known) if len(known) == len(found) else None


def play(match: Match, backend: Backend, *, progress: bool | None, retry: bool = False) -> Outcome:
    """Execute the pending runs of a match, and bound its network."""
    outcome = run_plan(match.plan, match.root, backend, progress=progress, retry=retry)
    if match.network.has_bound:
        from hoplab.bounding import store_shares  # noqa: PLC0415 (loads scipy)

        store_shares(outcome.root)
    return outcome
