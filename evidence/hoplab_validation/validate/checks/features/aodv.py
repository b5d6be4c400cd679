"""AODV by RFC 3561 against stored runs of ns-3.37: discovery, chains, hello messages, no feedback from the MAC.

The messages that nodes send are compared by kind, too. ns-3 counts them where IP hands them to a
device; here the trace has them where the link layer takes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from hoplab.running.runs import Runs
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.checks.features.routed import (
    Case,
    Judge,
    Ns3Case,
    plan_cases,
)
from hoplab_validation.validate.checks.features.traced import traced
from hoplab_validation.validate.plan import Depth, Plan

SOURCE = "ns-3 table"
TABLE = "ns3_aodv"
KINDS = ("rreq", "rrep", "rerr", "hello")
COLUMNS = ("scenario", "seed", "goodput_kbps", "delay_ms", *KINDS)

DELAY_SHARE, CONTROL_SHARE = 0.10, 0.15
"""Means may differ by so much, or by the sum of the half-widths where that is more."""

CONTROL_FLOOR_PER_S = 0.05
"""Or by so much, where little is measured."""


def chain(hops: int, title: str, *, kbps: float = 40.0, routing: str = "", measured_s: float = 30.0) -> str:
    """Datagrams from end to end, addresses known."""
    return (
        f'name = "{hops} hops, {title}"\nprofile = "std"\nduration = "{measured_s + 10.0:g} s"\nwarmup = "10 s"\n'
        f'topology = {{ kind = "chain", hops = {hops} }}\nlink = {{ arp = false }}\n'
        f'routing = {{ protocol = "aodv"{routing} }}\n'
        f'[[flow]]\ntransport = "udp"\napp = "cbr"\nrate = "{kbps:g} kb/s"\nsegment = 512\nstart = "5 s"\n'
    )


def first(hops: int) -> str:
    """A single datagram: its delay is that of the discovery."""
    return (
        f'name = "{hops} hops, the first datagram"\nprofile = "std"\nduration = "8 s"\n'
        f'topology = {{ kind = "chain", hops = {hops} }}\nlink = {{ arp = false }}\n'
        'routing = { protocol = "aodv" }\n'
        '[[flow]]\ntransport = "udp"\napp = "cbr"\nrate = "0.4 kb/s"\nsegment = 512\nstart = "5 s"\nstop = "6 s"\n'
    )


def moving(title: str, routing: str) -> str:
    """Three flows of datagrams among 20 nodes that move."""
    flows = "".join(
        f'[[flow]]\nfrom = {2 * k}\nto = {2 * k + 1}\ntransport = "udp"\napp = "cbr"\nrate = "20 kb/s"\nsegment = 512\n'
        f'start = "{2 + k} s"\n'
        for k in range(3)
    )
    return (
        f'name = "20 nodes, 1 to 10 m/s, {title}"\nprofile = "std"\nduration = "110 s"\nwarmup = "10 s"\n'
        'topology = { kind = "random", nodes = 20, area = ["800 m", "600 m"] }\n'
        'mobility = { kind = "waypoint", min_speed = "1 m/s", max_speed = "10 m/s" }\n'
        f'routing = {{ protocol = "aodv"{routing} }}\n{flows}'
    )


MOVING_NOTES = dict.fromkeys(
    ("rreq", "rrep", "rerr"),
    "ns-3 also asks for routes to the addressees of its errors and replies, and asks more often for those of flows",
)
HELLO_NOTES = dict.fromkeys(
    KINDS, "here all nodes send their hello messages at the same instants, so that they collide and neighbors are lost"
)
"""See docs/judge/known-differences.md."""

OFF = ", link_failure_feedback = false"
HELLO = ", aodv = { hello = true }"

DISCOVERY: Mapping[str, Ns3Case] = {
    "first 4": Ns3Case(first(4)),
    "first 8": Ns3Case(first(8)),
    "chain 8": Ns3Case(chain(8, "CBR of 40 kb/s")),
    "loaded 4": Ns3Case(chain(4, "CBR of 200 kb/s", kbps=200.0)),
    "moving": Ns3Case(moving("feedback", ""), MOVING_NOTES),
}
"""Of the part `aodv-rfc`: link failures are reported by the MAC."""

NEIGHBORS: Mapping[str, Ns3Case] = {
    "off 4": Ns3Case(chain(4, "CBR of 200 kb/s, no feedback", kbps=200.0, routing=OFF)),
    "off moving": Ns3Case(moving("no feedback", OFF)),
    "hello 4": Ns3Case(chain(4, "CBR of 40 kb/s, no feedback, hello", routing=OFF + HELLO), HELLO_NOTES),
    "hello 8": Ns3Case(chain(8, "CBR of 40 kb/s, no feedback, hello", routing=OFF + HELLO), HELLO_NOTES),
    "hello moving": Ns3Case(moving("no feedback, hello", OFF + HELLO), HELLO_NOTES),
}
"""Of the part `aodv-hello`: no feedback from the MAC, with and without hello messages."""

CASES: Mapping[str, Ns3Case] = {**DISCOVERY, **NEIGHBORS}


RFC, HELLO_PART = "aodv-rfc", "aodv-hello"


def plan_rfc(depth: Depth) -> Plan:
    """Discovery, chains and a moving network; the MAC reports link failures."""
    return _plan(RFC, "AODV by RFC 3561, against ns-3", DISCOVERY, depth)


def plan_hello(depth: Depth) -> Plan:
    """The MAC reports nothing, with and without hello messages."""
    return _plan(HELLO_PART, "AODV without reports of the MAC, and hello messages, against ns-3", NEIGHBORS, depth)


def _plan(part: str, title: str, cases: Mapping[str, Ns3Case], depth: Depth) -> Plan:
    return plan_cases(part, title, TABLE, cases, partial(_rows, part), depth)


def _rows(part: str, case: Case, ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    judge = Judge(part, SOURCE, case, ours, theirs, {kind: f"{kind} sent" for kind in KINDS})
    judge.goodput()
    judge.delay(DELAY_SHARE)
    data = ours.scenario.resolve().data
    time_s = float(data["duration_s"]) - float(data["warmup_s"])
    for kind, sent in _sent(ours, 1e9 * float(data["warmup_s"])).items():
        us = mean_interval(count / time_s for count in sent)
        judge.compare_means(kind, "1/s", judge.of(kind, time_s), us, CONTROL_SHARE, CONTROL_FLOOR_PER_S)
    return judge.found


def _sent(runs: Runs, since_ns: float) -> dict[str, list[int]]:
    """Messages that nodes gave to their link layers from a time on, by kind and run."""
    with traced(runs.scenario, runs.seeds) as trace:
        rows = trace.rows(
            "SELECT packet, seed, count(*) FROM events WHERE event = 'enqueued' AND t_ns >= ? GROUP BY packet, seed",
            [since_ns],
        )
    found = {(packet, seed): count for packet, seed, count in rows}
    return {kind: [found.get((kind, seed), 0) for seed in runs.seeds] for kind in KINDS}
