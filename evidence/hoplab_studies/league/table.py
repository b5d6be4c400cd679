"""Ranks of transports: by network and seed, then means over networks with intervals over seeds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from hoplab.base.transports import transport_title
from hoplab.stats import Interval, mean_interval
from hoplab.store import open_results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hoplab_studies.league.play import Match


@dataclass(frozen=True)
class Measure:
    """What transports are ranked by."""

    name: str
    title: str
    metric: str
    unit: str
    scale: float
    higher_is_better: bool


MEASURES = (
    Measure("goodput", "goodput", "goodput_bps", "kb/s", 1e-3, higher_is_better=True),
    Measure("delay", "delay", "delay_mean_s", "ms", 1e3, higher_is_better=False),
    Measure("fairness", "fairness", "fairness", "", 1.0, higher_is_better=True),
    Measure("fct", "completion time", "fct_mean_s", "s", 1.0, higher_is_better=False),
)

Values = dict[tuple[str, str], dict[int, float]]
"""By network and transport: a value per seed."""


@dataclass(frozen=True)
class Row:
    """A transport of the league.

    Attributes
    ----------
    ranks : dict
        By measure: mean rank over the networks that have the measure, 1 is best; the interval is over seeds. None where
        no network has it.
    networks : int
        Networks that take it.
    share : float or None
        Share of the possible, mean over networks with a bound.
    """

    transport: str
    networks: int
    ranks: dict[str, Interval | None]
    share: float | None

    @property
    def title(self) -> str:
        """Its name in words."""
        return transport_title(self.transport)


@dataclass(frozen=True)
class League:
    """The table, and the values behind it.

    Attributes
    ----------
    rows : list of Row
        By rank in goodput; transports that every network takes come first.
    values : dict
        By measure: values in SI units by network, transport and seed.
    shares : dict
        By network and transport: share of the possible, with its interval.
    refused : dict
        By network and transport: why a network does not take a transport.
    """

    networks: dict[str, str]
    rows: list[Row]
    values: dict[str, Values]
    shares: dict[tuple[str, str], Interval]
    refused: dict[tuple[str, str], str]
    seeds: int

    def interval(self, measure: str, network: str, transport: str) -> Interval | None:
        """Mean of a measure in one network, SI units."""
        found = self.values[measure].get((network, transport))
        return mean_interval(list(found.values())) if found else None

    def to_json(self) -> str:
        """All means and ranks, in SI units."""

        def ends(interval: Interval | None) -> dict[str, Any] | None:
            return None if interval is None else {"mean": interval.mean, "low": interval.low, "high": interval.high}

        return (
            json.dumps(
                {
                    "seeds": self.seeds,
                    "networks": self.networks,
                    "rows": [
                        {
                            "transport": row.transport,
                            "networks": row.networks,
                            "ranks": {name: ends(rank) for name, rank in row.ranks.items()},
                            "possible_share": row.share,
                            "values": {
                                network: {
                                    measure.name: ends(self.interval(measure.name, network, row.transport))
                                    for measure in MEASURES
                                }
                                for network in self.networks
                                if (network, row.transport) not in self.refused
                            },
                        }
                        for row in self.rows
                    ],
                    "refused": [
                        {"network": network, "transport": transport, "reason": reason}
                        for (network, transport), reason in self.refused.items()
                    ],
                },
                indent=1,
                allow_nan=False,
            )
            + "\n"
        )


def league_of(matches: Sequence[Match], refused: Mapping[tuple[str, str], str], seeds: int) -> League:
    """The table from stored runs."""
    values: dict[str, Values] = {measure.name: {} for measure in MEASURES}
    shares: dict[tuple[str, str], Interval] = {}
    names: dict[str, str] = {}
    order: list[str] = []
    for match in matches:
        network = match.network.name
        names[network] = match.network.title
        results = open_results(match.root)
        by_point = dict(zip((point.point for point in results.catalog.points), match.transports, strict=True))
        order += [transport for transport in match.transports if transport not in order]
        for measure in MEASURES:
            if measure.name == "fairness" and not _has_several_flows(match):
                continue
            for point, found in results.values(measure.metric).items():
                if found:
                    values[measure.name][network, by_point[point]] = found
        for point, share in results.shares.items():
            shares[network, by_point[point]] = share.possible
    ranks = {measure.name: _ranks(values[measure.name], measure, order) for measure in MEASURES}
    rows = []
    for transport in order:
        own = [share.mean for (_, name), share in shares.items() if name == transport]
        taken = sum(1 for network in names if (network, transport) not in refused)
        each = {name: found[transport] for name, found in ranks.items()}
        rows.append(Row(transport, taken, each, fmean(own) if own else None))

    def place(row: Row) -> tuple[int, float]:
        rank = row.ranks["goodput"]
        return -row.networks, rank.mean if rank else float("inf")

    return League(names, sorted(rows, key=place), values, shares, dict(refused), seeds)


def _has_several_flows(match: Match) -> bool:
    # Transfers are served one after another: their rates say nothing about fairness.
    return match.network.table != "workload" and len(match.network.scenario.resolve().data["flows"]) > 1


def _ranks(values: Values, measure: Measure, transports: Sequence[str]) -> dict[str, Interval | None]:
    """Mean rank of each transport: over networks by seed, then over seeds."""
    by_seed: dict[str, dict[int, list[float]]] = {transport: {} for transport in transports}
    for network in dict.fromkeys(network for network, _ in values):
        rivals = [transport for transport in transports if (network, transport) in values]
        seeds = sorted(set.intersection(*(set(values[network, transport]) for transport in rivals)))
        for seed in seeds:
            numbers = [values[network, transport][seed] for transport in rivals]
            for transport, number in zip(rivals, numbers, strict=True):
                better = sum(other > number if measure.higher_is_better else other < number for other in numbers)
                equal = sum(other == number for other in numbers)
                by_seed[transport].setdefault(seed, []).append(better + (equal + 1) / 2)
    return {
        transport: mean_interval([fmean(ranks) for ranks in found.values()]) if found else None
        for transport, found in by_seed.items()
    }
