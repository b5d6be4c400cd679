"""An explanation as sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.explain.air import Clash, Exposed, Ranges, clashes, exposed
from hoplab.explain.ledger import Account, ledger
from hoplab.figures.protocols import reactions
from hoplab.figures.traced import Traced
from hoplab.movements import movements
from hoplab.report.airtime import AIRTIME
from hoplab.running import Run
from hoplab.scenario import Scenario
from hoplab.store.trace import Trace

MOST = 5
"""Entries of a list of disturbers: the rest is seldom read."""
GROUPS = {
    "own": ("data", "broadcast", "rts", "cts", "ack"),
    "receiving": ("received",),
    "others": ("overheard", "reserved"),
    "spoiled": ("collision", "eifs"),
    "waiting": ("backoff", "exchange", "parked"),
    "idle": ("idle", "off"),
}
"""What a node's time goes into, as a sentence tells it."""
REASONS = {
    "mac_retry": "no answer after all attempts",
    "link_failure": "taken back by routing when a link broke",
    "queue_full": "full queue",
    "arp": "displaced while an address was asked for",
    "no_route": "no route",
    "route_timeout": "waited too long for a route",
    "route_buffer": "too many waited for a route",
    "ttl": "too many hops",
    "loop": "came back to its source",
}


@dataclass(frozen=True)
class Explanation:
    """What is to be said of one run.

    Attributes
    ----------
    airtime : sequence of dict
        Per node, seconds by what they went into.
    """

    run: Run
    paths: dict[int, list[int]]
    queues: dict[int, float]
    accounts: Sequence[Account]
    clashes: Sequence[Clash]
    exposed: Sequence[Exposed]
    reaction: str

    @property
    def airtime(self) -> Sequence[dict[str, Any]]:
        """Per node, seconds by what they went into."""
        return self.run.airtime

    def share(self, node: int, group: str) -> float:
        """Share of a node's time that went into a group of uses."""
        seconds = self.airtime[node]
        return float(sum(seconds[use] for use in GROUPS[group])) / self.run.sim_s if self.run.sim_s else 0.0

    def bottleneck(self, flow: int) -> int | None:
        """The node of a flow's path that has least time left; None where the path is not known."""
        path = self.paths.get(flow) or []
        return min(path, key=lambda node: (self.share(node, "idle"), -self.queues.get(node, 0.0)), default=None)

    def sentences(self) -> list[str]:
        """What a student should know of the run, a sentence each."""
        said = []
        for flow in self.run.flows:
            said += self._of_flow(flow.id)
        said += self._of_collisions()
        if self.reaction:
            said.append(self.reaction)
        return said

    def _of_flow(self, flow: int) -> list[str]:
        one = next(f for f in self.run.flows if f.id == flow)
        path = self.paths.get(flow) or []
        way = f" over {len(path) - 1} hops" if len(path) > 1 else ""
        said = [
            f"Flow {flow} ({one.transport}, {one.src} to {one.dst}{way}) got {one.goodput_bps / 1e3:.1f} kb/s through."
        ]
        node = self.bottleneck(flow)
        if node is not None:
            share = {group: f"{100.0 * self.share(node, group):.0f} %" for group in GROUPS}
            queue = self.queues.get(node, 0.0)
            said.append(
                f"Its bottleneck is node {node}: of its time it sends {share['own']}, receives {share['receiving']}, "
                f"keeps silent for others' frames and reservations {share['others']}, loses {share['spoiled']} to "
                f"collisions and the longer wait after them, waits to send {share['waiting']}, and is idle "
                f"{share['idle']}. {queue:.1f} packets wait there on the average."
            )
        said += [_of_account(account) for account in self.accounts if account.flow == flow and account.lost]
        return said

    def _of_collisions(self) -> list[str]:
        if not self.clashes:
            return ["No frame was lost to another one."]
        hidden = sum(clash.frames for clash in self.clashes if clash.hidden)
        every = sum(clash.frames for clash in self.clashes)
        summary = (
            f"Frames met others {every} times and were lost; {100.0 * hidden / every:.0f} % of these with a node that "
            "could not hear the sender (a hidden terminal), the rest with one that began in the same slot, or itself "
            "could not tell."
        )
        said = [
            summary,
            *(
                f"Node {clash.other} does not hear node {clash.sender}, and disturbed {clash.frames} of its frames at "
                f"node {clash.addressee}."
                for clash in [clash for clash in self.clashes if clash.hidden][:3]
            ),
        ]
        if self.exposed:
            first, second = (f"{a} to {b}" for a, b in (self.exposed[0].first, self.exposed[0].second))
            said.append(
                f"{len(self.exposed)} pairs of links wait for each other although their data would not collide "
                f"(exposed terminals), such as {first} and {second}."
            )
        return said


def explain(run: Run, trace: Trace, scenario: Scenario) -> Explanation:
    """Explain a run by its trace."""
    traced = Traced(trace, run.seed)
    ways = movements(scenario, seed=run.seed)
    resolved = scenario.resolve()
    ranges = Ranges.of(resolved.data["radio"], resolved.facts.cs_range_m)
    queues = dict(
        traced.rows("SELECT node, avg(value) FROM samples WHERE seed = $seed AND metric = 'queue_len' GROUP BY node")
    )
    found = reactions(traced)
    reaction = ""
    if found is not None and found.delays_s:
        reaction = (
            f"Nodes became congested {found.episodes} times; in {len(found.delays_s)} of these a neighbor held back "
            f"before it was over, half of them within {found.quantile(0.5) * 1e3:.3g} ms, 95 % within "
            f"{found.quantile(0.95) * 1e3:.3g} ms."
        )
    return Explanation(
        run=run,
        paths={flow.id: traced.path(flow.id) for flow in run.flows},
        queues=queues,
        accounts=ledger(traced),
        clashes=clashes(traced, ways, ranges),
        exposed=exposed(traced, ways, ranges),
        reaction=reaction,
    )


def waterfall(explanation: Explanation) -> tuple[list[str], list[list[str]]]:
    """Header and rows of what nodes' time went into, in percent; uses that no node has are left out."""
    nodes = explanation.airtime
    uses = [use for use in AIRTIME if any(node[use] > 0.0 for node in nodes)]
    rows = []
    for node in nodes:
        total = sum(float(node[use]) for use in AIRTIME) or 1.0
        rows.append([str(node["node"]), *(f"{100.0 * node[use] / total:.2f}" for use in uses)])
    return ["node", *(AIRTIME[use] for use in uses)], rows


def _of_account(account: Account) -> str:
    kind = {"segment": "segments", "datagram": "datagrams", "ack": "acknowledgments", "lack": "local acknowledgments"}
    where = [f"{count} at node {node} ({REASONS[reason]})" for node, reason, count in account.dropped[:3]]
    more = " and others" if len(account.dropped) > 3 else ""
    share = 100.0 * account.lost / account.made
    return (
        f"{account.lost} of {account.made} {kind[account.kind]} ({share:.2g} %) were dropped: {', '.join(where)}{more}."
    )
