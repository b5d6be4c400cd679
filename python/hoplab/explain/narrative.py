"""The diagnosis of a run as sentences and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hoplab.base.airtime import AIRTIME, label
from hoplab.base.metrics import SESSION_TIMES, SESSION_VALUES, of_run
from hoplab.explain.accounting import Account, packet_accounts
from hoplab.explain.categories import category_sentences
from hoplab.explain.interference import ByDistance, ByPower, Collision, Exposed, Ranges, collisions, exposed
from hoplab.explain.response import Retransmissions, retransmissions
from hoplab.explain.wires import WireDelay, crossings, wire_delays, wire_sentence
from hoplab.figures.protocols import Reactions, reactions
from hoplab.figures.traced import Traced
from hoplab.running.runs import Run
from hoplab.scenario.channels import Channels
from hoplab.scenario.model import Scenario
from hoplab.scenario.radio_links import RadioLinks
from hoplab.scenario.trajectories import Point, movements
from hoplab.store.trace import Trace

MOST = 5
"""Rows of the table of collisions."""
GROUPS = {
    "transmitting": ("data", "broadcast", "rts", "cts", "ack"),
    "receiving": ("received",),
    "deferring": ("overheard", "reserved"),
    "lost": ("collision", "eifs"),
    "waiting": ("backoff", "exchange", "parked"),
    "idle": ("idle", "off"),
}
"""Airtime categories that the node line sums."""
REASONS = {
    "mac_retry": "MAC retry limit",
    "link_failure": "purged after link failure",
    "queue_full": "queue overflow",
    "arp": "ARP failed",
    "no_route": "no route",
    "route_timeout": "route discovery timeout",
    "route_buffer": "send buffer overflow",
    "ttl": "TTL expired",
    "loop": "loop",
    "wire": "lost on a wire",
    "early": "dropped by the queue discipline",
    "unreachable": "unreachable",
}
"""Drop reasons of the trace, with their display names."""
KIND_WORDS = {
    "segment": "segments",
    "datagram": "datagrams",
    "ack": "ACKs",
    "lack": "local ACKs",
    "unreachable": "reports of missing routes",
}
"""Packet types, with their display names."""


@dataclass(frozen=True)
class Explanation:
    """Diagnosis of one run.

    Attributes
    ----------
    paths : dict
        Route that most data of each flow used, hosts included.
    hosts : set
        Numbers of hosts: they follow the radio nodes.
    names : dict
        Names of nodes and hosts by number.
    wire_delays : sequence of WireDelay
        Share of each flow's delay on wires.
    queues : dict
        Mean queue length of each node, in packets.
    reactions : Reactions, optional
        Delay from congestion to a neighbor's reaction, where the protocols announce congestion.
    retransmissions : sequence of Retransmissions
        Delay from drops to retransmissions.
    places : sequence of (x, y)
        Positions at the start, in m.
    ranges_m : (float, float), optional
        Reception range and carrier-sense range, in m; None where links are listed.
    is_moving : bool
        Whether any node moves.
    """

    run: Run
    paths: dict[int, list[int]]
    hosts: set[int]
    names: dict[int, str]
    wire_delays: Sequence[WireDelay]
    queues: dict[int, float]
    accounts: Sequence[Account]
    collisions: Sequence[Collision]
    exposed: Sequence[Exposed]
    reactions: Reactions | None
    retransmissions: Sequence[Retransmissions]
    places: Sequence[Point]
    ranges_m: tuple[float, float] | None
    is_moving: bool

    @property
    def airtime(self) -> Sequence[dict[str, Any]]:
        """Airtime of each node by category, in s; of a node with several radios, a row for each of them."""
        return self.run.airtime

    @cached_property
    def by_node(self) -> dict[int, list[dict[str, Any]]]:
        """Rows of `airtime` by node."""
        by_node: dict[int, list[dict[str, Any]]] = {}
        for row in self.airtime:
            by_node.setdefault(int(row["node"]), []).append(row)
        return by_node

    @property
    def radio_paths(self) -> dict[int, list[int]]:
        """`paths` without hosts."""
        return {flow: [node for node in path if node not in self.hosts] for flow, path in self.paths.items()}

    def word(self, node: int, *, begins: bool = False) -> str:
        """A node inside a sentence, or at its beginning: its name, or "node" and its number."""
        return self.names.get(node, f"{'Node' if begins else 'node'} {node}")

    def link(self, sender: int, addressee: int) -> str:
        """A link by the names or numbers of its ends."""
        return " to ".join(self.names.get(node, str(node)) for node in (sender, addressee))

    def share(self, node: int, group: str) -> float:
        """Share of a node's airtime in a group of categories; of several radios, their mean."""
        radios = self.by_node[node]
        seconds = sum(float(radio[use]) for radio in radios for use in GROUPS[group])
        return seconds / (len(radios) * self.run.sim_s) if self.run.sim_s else 0.0

    def bottleneck(self, flow: int) -> int | None:
        """The radio node of a flow's path with the smallest idle share; None where the path is unknown."""
        path = self.radio_paths.get(flow) or []
        return min(path, key=lambda node: (self.share(node, "idle"), -self.queues.get(node, 0.0)), default=None)

    def sentences(self) -> list[str]:
        """The diagnosis, one sentence per item: flows, collisions, reaction times."""
        flows = [sentence for flow in self.run.lasting for sentence in self.of_flow(flow.id)]
        categories = category_sentences(self.run.nodes)
        rest = [*self.of_transfers(), *self.of_collisions(), *self.of_reactions()]
        return [*flows, *self.of_wires(), *categories, *rest]

    def of_flow(self, flow: int) -> list[str]:
        """Goodput, bottleneck and drops of one flow."""
        ends = next(f for f in self.run.flows if f.id == flow)
        path = self.paths.get(flow) or []
        mostly = "mostly " if self.is_moving else ""
        wires = crossings(path, self.run.wires)
        lengths = [(len(path) - 1 - len(wires), "hop"), (len(wires), "wire")]
        hops = " and ".join(_count(number, of) for number, of in lengths if number)
        hops = f", {mostly}{hops}" if hops else ""
        goodput = f"goodput {ends.goodput_bps / 1e3:.1f} kb/s"
        source, sink = (self.names.get(node, str(node)) for node in (ends.src, ends.dst))
        sentences = [f"Flow {flow} ({ends.transport_name}, {source} to {sink}{hops}): {goodput}."]
        node = self.bottleneck(flow)
        narrow = max(wires, key=lambda wire: float(wire["utilization"]), default=None)
        if narrow is not None and (node is None or narrow["utilization"] > 1.0 - self.share(node, "idle")):
            sentences.append(f"Bottleneck: a wire. {wire_sentence(narrow, self.names)}")
        elif node is not None:
            share = {group: f"{100.0 * self.share(node, group):.0f} %" for group in GROUPS}
            queue = self.queues.get(node, 0.0)
            sentences.append(
                f"Bottleneck: {self.word(node)}; idle {share['idle']} of the time, mean queue {queue:.1f} packets."
            )
            sentences.append(
                f"{self.word(node, begins=True)}: transmit {share['transmitting']}, receive {share['receiving']}, "
                f"defer {share['deferring']}, collisions and EIFS {share['lost']}."
            )
        lost = [account for account in self.accounts if account.flow == flow and account.lost]
        return sentences + [_of_account(account, self.names) for account in lost]

    def of_wires(self) -> list[str]:
        """Load of each wire that carried packets, and the share of delays on wires."""
        used = [wire_sentence(wire, self.names) for wire in self.run.wires if wire["packets"]]
        lasting = {flow.id for flow in self.run.lasting}
        return used + [delay.sentence for delay in self.wire_delays if delay.flow in lasting]

    def of_transfers(self) -> list[str]:
        """Completion times of finite transfers, and what they lose against an idle path."""
        found = self.run.completion
        if found is None:
            return self._of_workloads()
        sentences = [f"Transfers: {found['flows']}, of which {found['unfinished']} did not end."]
        if found["mean_s"] is not None:
            sentences.append(
                f"Completion times: mean {_time(found['mean_s'])}, median {_time(found['p50_s'])}, "
                f"95th percentile {_time(found['p95_s'])}, 99th {_time(found['p99_s'])}."
            )
        if found.get("slowdown_mean") is not None:
            sentences.append(
                f"Slowdown against an idle path: mean {found['slowdown_mean']:.2f}, median "
                f"{found['slowdown_p50']:.2f}, 95th percentile {found['slowdown_p95']:.2f}."
            )
        return sentences + self._of_workloads()

    def _of_workloads(self) -> list[str]:
        """Goodput of each workload, and what its sessions measure."""
        sentences = []
        for one in self.run.workloads:
            sentences.append(
                f"Workload {one['id']} ({one['kind']}): {_count(one['flows'], 'flow')}, goodput "
                f"{one['goodput_bps'] / 1e3:.1f} kb/s."
            )
            sessions = one.get("sessions", {})
            sentences += [
                f"{words[0].upper()}{words[1:]}: mean {_time(times['mean_s'])}, median {_time(times['p50_s'])}, "
                f"95th percentile {_time(times['p95_s'])}; {times['count']} ended, {times['unfinished']} did not."
                for name, (words, _) in SESSION_TIMES.items()
                if (times := sessions.get("times", {}).get(name)) and times["mean_s"] is not None
            ]
            shown = [
                f"{metric.axis} {value * metric.scale:.{metric.digits}f}"
                for metric in SESSION_VALUES
                if (value := of_run(metric, one)) is not None
            ]
            sentences += [f"{'; '.join(shown)}."] if shown else []
        return sentences

    def of_collisions(self) -> list[str]:
        """Collisions with hidden terminals, and exposed terminals."""
        return [*self._of_hidden(), *self._of_exposed()]

    def of_reactions(self) -> list[str]:
        """Reaction times to congestion and to dropped segments."""
        sentences = []
        if self.reactions is not None and self.reactions.delays_s:
            reactions = self.reactions
            sentences.append(
                f"Congestion: {_count(reactions.episodes, 'episode')}; neighbors reacted in {len(reactions.delays_s)} "
                f"(median {_time(reactions.quantile(0.5))})."
            )
        return sentences + [_of_retransmissions(flow) for flow in self.retransmissions if flow.delays_s]

    def reaction_rows(self) -> list[list[str]]:
        """Event, count, reactions, median and 95 % quantile of the delay, for the table of reaction times."""
        rows = []
        if self.reactions is not None and self.reactions.delays_s:
            rows.append(_reaction_row("congestion", self.reactions.episodes, self.reactions))
        return rows + [
            _reaction_row(f"drops of flow {flow.flow}", flow.dropped, flow)
            for flow in self.retransmissions
            if flow.delays_s
        ]

    def _of_hidden(self) -> list[str]:
        if not self.collisions:
            return ["No collisions."]
        hidden = [collision for collision in self.collisions if collision.hidden]
        pairs = sum(collision.frames for collision in self.collisions)
        share = 100.0 * sum(collision.frames for collision in hidden) / pairs
        return [
            f"Collisions: {_count(pairs, 'frame-interferer pair')}, {share:.0f} % with a hidden terminal.",
            *(
                f"{self.word(one.other, begins=True)} cannot sense {self.word(one.sender)} and collided with "
                f"{one.frames} of its frames at {self.word(one.addressee)}."
                for one in hidden[:3]
            ),
        ]

    def _of_exposed(self) -> list[str]:
        if not self.exposed:
            return []
        first, second = (self.link(*link) for link in (self.exposed[0].first, self.exposed[0].second))
        count = len(self.exposed)
        pairs = "1 link pair defers although its" if count == 1 else f"{count} link pairs defer although their"
        return [
            f"Exposed terminals: {pairs} data would not collide.",
            f"Links {first} and {second} defer to each other.",
        ]


def explain(run: Run, trace: Trace, scenario: Scenario) -> Explanation:
    """Explain a run by its trace."""
    traced = Traced(trace, run.seed)
    trajectories = movements(scenario, seed=run.seed)
    resolved = scenario.resolve()
    first = len(resolved.data["topology"]["positions"])
    hosts = set(range(first, first + len(resolved.data.get("hosts", ()))))
    ranges = Ranges.of(resolved.data["radio"], resolved.facts.cs_range_m)
    has_ranges = scenario.has_ranges
    hearing = ByDistance(trajectories, ranges) if has_ranges else ByPower(RadioLinks.of(scenario, run.seed))
    channels = Channels.of(resolved.data)
    queues = dict(
        traced.rows("SELECT node, avg(value) FROM samples WHERE seed = $seed AND metric = 'queue_len' GROUP BY node")
    )
    return Explanation(
        run=run,
        paths={flow.id: traced.path(flow.id) for flow in run.flows},
        hosts=hosts,
        names=scenario.node_names,
        wire_delays=wire_delays(traced) if run.wires else (),
        queues=queues,
        accounts=packet_accounts(traced),
        collisions=collisions(traced, hearing, channels),
        exposed=exposed(traced, hearing, channels),
        reactions=reactions(traced),
        retransmissions=retransmissions(traced),
        places=[trajectory.start for trajectory in trajectories],
        ranges_m=(resolved.facts.rx_range_m, resolved.facts.cs_range_m) if has_ranges else None,
        is_moving=any(trajectory.legs for trajectory in trajectories),
    )


def waterfall(explanation: Explanation) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the airtime by node, in percent, without empty categories."""
    nodes = explanation.airtime
    uses = [use for use in AIRTIME if any(node[use] > 0.0 for node in nodes)]
    rows = []
    for node in nodes:
        total = sum(float(node[use]) for use in AIRTIME) or 1.0
        rows.append([label(node, explanation.names), *(f"{100.0 * node[use] / total:.2f}" for use in uses)])
    return ["node", *(AIRTIME[use] for use in uses)], rows


def _of_account(account: Account, names: Mapping[int, str]) -> str:
    where = [
        f"{count} at {names.get(node, f'node {node}')} ({REASONS.get(reason, reason)})"
        for node, reason, count in account.dropped[:3]
    ]
    rest = account.lost - sum(count for _, _, count in account.dropped[:3])
    more = f", {rest} elsewhere" if rest else ""
    share = 100.0 * account.lost / account.created
    packets = f"{account.lost} of {account.created} {KIND_WORDS[account.kind]} ({_rounded(share, 2)} %)"
    return f"Dropped: {packets}; {', '.join(where)}{more}."


def _of_retransmissions(flow: Retransmissions) -> str:
    segments = "segment" if flow.dropped == 1 else "segments"
    return (
        f"Flow {flow.flow} retransmitted {len(flow.delays_s)} of {flow.dropped} dropped {segments}; "
        f"median delay {_time(flow.quantile(0.5))}."
    )


def _reaction_row(event: str, count: int, delays: Reactions | Retransmissions) -> list[str]:
    quantiles = (_time(delays.quantile(share)) for share in (0.5, 0.95))
    return [event, str(count), str(len(delays.delays_s)), *quantiles]


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _time(seconds: float) -> str:
    return f"{_rounded(seconds, 3)} s" if seconds >= 1.0 else f"{_rounded(seconds * 1e3, 3)} ms"


def _rounded(value: float, digits: int) -> str:
    """A number with so many significant digits, without an exponent where that is short."""
    return f"{float(f'{value:.{digits}g}'):g}"
