"""An explanation as sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hoplab.base.airtime import AIRTIME
from hoplab.base.renamed import Renamed
from hoplab.explain.accounting import Account, packet_accounts
from hoplab.explain.interference import Collision, Exposed, Ranges, collisions, exposed
from hoplab.explain.response import Repairs, repairs
from hoplab.figures.protocols import Reactions, reactions
from hoplab.figures.traced import Traced
from hoplab.running.runs import Run
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import Point, movements
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
    "arp": "displaced while an address was asked for, or no answer",
    "no_route": "no route",
    "route_timeout": "waited too long for a route",
    "route_buffer": "too many waited for a route",
    "ttl": "too many hops",
    "loop": "came back to its source",
}
KIND_WORDS = {
    "segment": "segments",
    "datagram": "datagrams",
    "ack": "acknowledgments",
    "lack": "local acknowledgments",
}
"""What packets of a flow are called."""


@dataclass(frozen=True)
class Explanation:
    """What is to be said of one run.

    Attributes
    ----------
    paths : dict
        Nodes that most of each flow's data passed.
    queues : dict
        Mean length of each node's interface queue, in packets.
    reactions : Reactions, optional
        How neighbors answered to congestion, where the protocols tell them of it.
    repairs : sequence of Repairs
        How senders answered to dropped segments.
    places : sequence of (x, y)
        Where nodes stood at the start, in m.
    rx_range_m, sense_m : float
        Up to where a frame can be received, and sensed.
    is_moving : bool
        Whether any node moved.
    """

    run: Run
    paths: dict[int, list[int]]
    queues: dict[int, float]
    accounts: Sequence[Account]
    collisions: Sequence[Collision]
    exposed: Sequence[Exposed]
    reactions: Reactions | None
    repairs: Sequence[Repairs]
    places: Sequence[Point]
    rx_range_m: float
    sense_m: float
    is_moving: bool

    clashes = Renamed("collisions")

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
            said += self.of_flow(flow.id)
        return [*said, *self.of_collisions(), *self.of_reactions()]

    def of_flow(self, flow: int) -> list[str]:
        """What one flow got, what limits it, and what it lost."""
        one = next(f for f in self.run.flows if f.id == flow)
        path = self.paths.get(flow) or []
        mostly = "mostly " if self.is_moving else ""
        way = f" {mostly}over {_count(len(path) - 1, 'hop')}" if len(path) > 1 else ""
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
        return said + [_of_account(account) for account in self.accounts if account.flow == flow and account.lost]

    def of_collisions(self) -> list[str]:
        """Who disturbs whom, and who waits for whom without need."""
        return [*self._of_hidden(), *self._of_exposed()]

    def of_reactions(self) -> list[str]:
        """How long it took until somebody answered to congestion, or to a loss."""
        said = []
        if self.reactions is not None and self.reactions.delays_s:
            held = self.reactions
            said.append(
                f"Nodes became congested {held.episodes} times; in {len(held.delays_s)} of these a neighbor held back "
                f"before it was over, half of them within {_time(held.quantile(0.5))}, 95 % within "
                f"{_time(held.quantile(0.95))}."
            )
        return said + [_of_repairs(one) for one in self.repairs if one.delays_s]

    def _of_hidden(self) -> list[str]:
        if not self.collisions:
            return ["No frame was lost to another one."]
        hidden = sum(collision.frames for collision in self.collisions if collision.hidden)
        every = sum(collision.frames for collision in self.collisions)
        summary = (
            f"Frames met others {every} times and were lost; {100.0 * hidden / every:.0f} % of these with a node that "
            "could not hear the sender (a hidden terminal), the rest with one that began in the same slot, or itself "
            "could not tell."
        )
        return [
            summary,
            *(
                f"Node {one.other} does not hear node {one.sender}, and disturbed {one.frames} of its frames at "
                f"node {one.addressee}."
                for one in [one for one in self.collisions if one.hidden][:3]
            ),
        ]

    def _of_exposed(self) -> list[str]:
        if not self.exposed:
            return []
        first, second = (f"{a} to {b}" for a, b in (self.exposed[0].first, self.exposed[0].second))
        such = f"(exposed terminals), such as {first} and {second}"
        if len(self.exposed) == 1:
            return [f"1 pair of links waits for each other although its data would not collide {such}."]
        return [f"{len(self.exposed)} pairs of links wait for each other although their data would not collide {such}."]


def explain(run: Run, trace: Trace, scenario: Scenario) -> Explanation:
    """Explain a run by its trace."""
    traced = Traced(trace, run.seed)
    trajectories = movements(scenario, seed=run.seed)
    resolved = scenario.resolve()
    ranges = Ranges.of(resolved.data["radio"], resolved.facts.cs_range_m)
    queues = dict(
        traced.rows("SELECT node, avg(value) FROM samples WHERE seed = $seed AND metric = 'queue_len' GROUP BY node")
    )
    return Explanation(
        run=run,
        paths={flow.id: traced.path(flow.id) for flow in run.flows},
        queues=queues,
        accounts=packet_accounts(traced),
        collisions=collisions(traced, trajectories, ranges),
        exposed=exposed(traced, trajectories, ranges),
        reactions=reactions(traced),
        repairs=repairs(traced),
        places=[trajectory.start for trajectory in trajectories],
        rx_range_m=resolved.facts.rx_range_m,
        sense_m=resolved.facts.cs_range_m,
        is_moving=any(trajectory.legs for trajectory in trajectories),
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
    where = [f"{count} at node {node} ({REASONS.get(reason, reason)})" for node, reason, count in account.dropped[:3]]
    more = " and others" if len(account.dropped) > 3 else ""
    share = 100.0 * account.lost / account.created
    what = f"{account.lost} of {account.created} {KIND_WORDS[account.kind]} ({share:.2g} %)"
    return f"{what} were dropped: {', '.join(where)}{more}."


def _of_repairs(repair: Repairs) -> str:
    return (
        f"The sender of flow {repair.flow} sent a dropped segment again in {len(repair.delays_s)} of "
        f"{_count(repair.dropped, 'case')}: half of them within {_time(repair.quantile(0.5))} of the drop, "
        f"95 % within {_time(repair.quantile(0.95))}."
    )


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{seconds * 1e3:.3g} ms"
