"""The networks of the league: scenario files of this folder, each with a title as its first line."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from hoplab.base.engine import own_transports
from hoplab.base.errors import InputError, UsageError
from hoplab.scenario.controllers import overrides_of
from hoplab.scenario.model import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).parent / "networks"
NETWORKS = (
    "chain-4",
    "chain-8",
    "ofdm",
    "cross",
    "parallel",
    "grid",
    "random",
    "moving",
    "lossy",
    "gateway",
    "measured",
    "transfers",
)
BOUNDED = frozenset({"chain-4", "chain-8", "ofdm", "cross", "parallel", "measured"})
"""Networks with fixed routes, without loss and wires: their bound is strict, and the same for all seeds."""
DATAGRAMS = frozenset({"udp"})
"""Transports without congestion control: no part of a league."""


@dataclass(frozen=True)
class Network:
    """A network of the league."""

    name: str
    title: str
    scenario: Scenario

    @property
    def table(self) -> str:
        """The table whose `transport` is varied."""
        written = tomllib.loads(self.scenario.text)
        return next(table for table in ("workload", "traffic", "flow") if table in written)

    @property
    def has_bound(self) -> bool:
        """Whether runs are compared with what the network can carry."""
        return self.name in BOUNDED


def networks(names: Sequence[str] | None = None) -> list[Network]:
    """Networks by name; all without.

    Raises
    ------
    UsageError
        If there is none of that name.
    """
    found = []
    for name in NETWORKS if names is None else names:
        if name not in NETWORKS:
            near = get_close_matches(name, NETWORKS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(NETWORKS)}"
            raise UsageError(f"network {name!r}: unknown", hint=hint)
        scenario = Scenario.from_toml(FOLDER / f"{name}.toml")
        title = scenario.text.splitlines()[0].removeprefix("# ")
        found.append(Network(name, title, scenario))
    return found


def transports() -> list[str]:
    """All transports of the engine that take part."""
    return [name for name in own_transports() if name not in DATAGRAMS]


def refusal(network: Network, transport: str) -> str | None:
    """Why a network does not take a transport, or None."""
    from hoplab._core import ScenarioError  # noqa: PLC0415 (the engine)

    try:
        network.scenario.with_(overrides_of(transport, network.scenario))
    except (InputError, ScenarioError) as error:
        return str(error).splitlines()[0].rpartition(".transport: ")[2]
    return None
