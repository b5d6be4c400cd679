"""The networks of the Semi-TCP paper (Cai 2013), and the points at which it looks.

What the paper states is in the scenarios as stated; sizes of headers are those of ns-2.29, which its program was
written for. What it leaves open is listed in `ASSUMPTIONS`; `series` has the openings that matter.
"""

from __future__ import annotations

from collections.abc import Mapping

from hoplab.report.model import Item
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.networks import QUEUE_50, RANGES_500, Table, rates, seconds, waypoint
from hoplab_studies.shared.study import Part

TRANSPORTS = {"semi_tcp": "Semi-TCP", "tcp_ap": "TCP-AP", "new_reno": "NewReno"}
"""Names in scenarios, and in the paper; NewReno is the third curve."""

RETRIES = tuple(range(1, 21))
FEW_RETRIES = (1, 4, 9, 12, 14, 20)
SOME_RETRIES = (1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 14, 17, 20)
"""SSRL, attempts at an RTS: whole sweep, that of most other series, and that of those that are judged by its shape."""

USUAL_RETRIES = 9
HOPS = tuple(range(1, 11))
FEW_HOPS = (1, 4, 7, 10)
KINDS = ("parallel", "spindle", "cross")
RELEASED_HOPS = tuple(range(1, 20))
LONG_HOPS = (4, 7, 10, 13, 16, 19)
THRESHOLDS = (1, 2, 3, 4)
RELEASES = (1, 2, 3)
CONNECTIONS = (1, 5, 10, 15, 20, 25)
DATAGRAM_FLOWS = (1, 3, 6, 9, 12, 15)
SHARED = (1, 3, 5, 6)
ROWS = ("400 m", "800 m")
"""Distances of parallel rows: out of reception range but sensed, and neither."""

FULL_S, QUICK_S = 501.0, 201.0
"""Length of a run whose traffic begins in second 1, in s."""

_PROGRAM: Table = {
    "radio": RANGES_500,
    "mac": {**rates("2 Mb/s"), "data_overhead": 28, "ssrl": USUAL_RETRIES},  # bytes of overhead as in ns-2.29
    "queue": QUEUE_50,
    "routing": {"protocol": "aodv", "extra_bytes": 20, "link_failure_feedback": True},  # bytes as in ns-2.29
    # No limit of outstanding segments, as in the published program.
    "semi_tcp": {"preset": "paper", "t_c": 1, "m": 1, "g": 1, "k": 1, "max_outstanding": 0},
}
"""What all networks of the paper have in common."""

_FLOW: Table = {"app": "ftp", "transport": "semi_tcp", "segment": 512, "window": 20, "start": "1 s"}


def _network(name: str, duration_s: float, topology: Table, **tables: object) -> Scenario:
    names = {"name": f"semi-tcp-{name}", "duration": seconds(duration_s)}
    return Scenario.from_dict({**names, "topology": topology, **_PROGRAM, **tables})


def standing(name: str, kind: str, flows: int, duration_s: float) -> Scenario:
    """Nodes that stand, 200 m apart, with 7 hops per flow."""
    return _network(name, duration_s, {"kind": kind, "hops": 7, "spacing": "200 m"}, flow=[_FLOW] * flows)


def moving(name: str, height_m: float, speeds: tuple[str, str], duration_s: float) -> Scenario:
    """46 nodes that move, and two flows over 1000 m of a field 1500 m wide, between four nodes that stand."""
    ends = [46, 47, 48, 49]
    places = {"extra": places_of_ends(height_m, 1000.0)}
    return _network(
        name,
        duration_s,
        {"kind": "random", "nodes": 46, "area": ["1500 m", f"{height_m:g} m"], **places},
        mobility=waypoint(*speeds, stationary_nodes=ends),
        flow=[{"from": a, "to": b, **_FLOW} for a, b in (ends[:2], ends[2:])],
    )


def places_of_ends(height_m: float, apart_m: float) -> list[list[float]]:
    """Where the four nodes stand: two pairs so far apart, in the middle of the field's width."""
    left, right = 750.0 - apart_m / 2.0, 750.0 + apart_m / 2.0
    return [[x, share * height_m / 3.0] for share in (1.0, 2.0) for x in (left, right)]


def _among_moving_nodes(name: str, duration_s: float, **traffic: object) -> Scenario:
    """50 nodes that move in 1500 m x 1500 m, all ends of flows among them."""
    topology = {"kind": "random", "nodes": 50, "area": ["1500 m", "1500 m"]}
    return _network(name, duration_s, topology, mobility=waypoint("5 m/s", "45 m/s", pause="60 s"), **traffic)


def connections(duration_s: float) -> Scenario:
    """15 connections between moving nodes."""
    kind = {"kind": "tcp", "pairs": "random", "connections": 15, "transport": "semi_tcp"}
    traffic = {**kind, "segment": 512, "window": 20, "start_window": "10 s"}
    return _among_moving_nodes("connections", duration_s, traffic=traffic)


def datagrams(duration_s: float) -> Scenario:
    """15 connections between moving nodes beside flows of 4 datagrams of 512 bytes per second."""
    spread = {**_FLOW, "start_spread": "9 s"}
    kind = {"kind": "cbr", "pairs": "random", "connections": 1, "rate": "16.384 kb/s", "random": False}
    return _among_moving_nodes(
        "datagrams",
        duration_s,
        flow=[{"from": 2 * i, "to": 2 * i + 1, **spread} for i in range(15)],
        traffic={**kind, "segment": 512, "start_window": "10 s"},
    )


def released(name: str, *, reports: bool) -> Scenario:
    """The chains whose results were released: 1 Mb/s, SSRL 7, 100 s, the published program."""
    return standing(name, "chain", 1, 100.0).with_(
        {
            "mac.data_rate": "1 Mb/s",
            "mac.ssrl": 7,
            "radio.cs_range": "550 m",
            "routing.link_failure_feedback": reports,
            "semi_tcp.preset": "cai2013",
            "tcp.congestion.tcp_ap.bandwidth": "2 Mb/s",
        }
    )


ABLATION: Mapping[str, tuple[object, object]] = {
    "semi_tcp.table": ("per_neighbor", "global"),
    "semi_tcp.defer_when_self_congested": (True, False),
    "semi_tcp.urgent_rts_marks_congestion": (False, True),
    "semi_tcp.on_monopoly": ("silent_min_cw", "rtsc"),
    "semi_tcp.limits_deadlock_grants": (True, False),
}
"""The five rules in which paper and program differ most: the paper's value, the program's."""


def other_parts(duration_s: float) -> tuple[Part, ...]:
    """What no figure varies: the preset's rules one by one, how much of a spindle is shared, how far rows are apart."""
    return (
        Part("rules", standing("rules", "chain", 1, duration_s), dict(ABLATION)),
        Part(
            "shared",
            standing("shared", "spindle", 2, duration_s),
            {"topology.shared": SHARED, "flow.transport": tuple(TRANSPORTS)},
        ),
        Part(
            "rows",
            standing("rows", "parallel", 2, duration_s),
            {
                "topology.row_spacing": ROWS,
                "topology.hops": FEW_HOPS[1:],
                "flow.transport": ("semi_tcp", "tcp_ap"),
            },
        ),
    )


ASSUMPTIONS = (
    Item("simulator", "ns-2 profile of hoplab, sizes of headers of ns-2.29", "ns-2 is named; the program is for 2.29."),
    Item("Semi-TCP", "preset paper: the text, T_c = m = g = k = 1", "Stated; the published program is another series."),
    Item("SSRL", "9 unless swept; sweeps from 1 to 20", "9 stated; the range of the figures is not."),
    Item("outstanding segments", "no limit", "No window, it says; 1024, hoplab's default, binds where nodes move."),
    Item("out-of-order segments", "not acknowledged", "Duplicate acknowledgments need not be sent, it says."),
    Item("MAC failures", "reported to AODV", "Not stated; not reported is another series."),
    Item("rates", "data 2 Mb/s, basic 1 Mb/s, long preamble", "Stated; the released chains run at 1 Mb/s."),
    Item("ranges", "reception range 250 m, carrier sense 500 m", "Stated; released: 550 m, another series."),
    Item("traffic", "files without end, 512-byte segments, from second 1", "FTP and 512 bytes stated."),
    Item("duration", f"{FULL_S:g} s", "More than 500 s stated."),
    Item("queue", "50 packets, routing first", "A sub-queue for control packets stated; the length is the program's."),
    Item("TCP-AP", "the agent of 2005 with its defaults, window limit 20", "The paper cites it; the limit is ns-2's."),
    Item("chain, parallel", "7 hops, rows 200 m apart", "Not stated; 4, 10 hops, 250, 400 m are series."),
    Item("one flow, parallel", "one row loaded", "Figure 7b says one flow."),
    Item("spindle", "all but the first and the last link shared", "Not stated; table of other readings."),
    Item("cross", "two lines with one node in common", "Drawn so."),
    Item("moving nodes", "50, stationary random waypoint, no pause", "Number not stated; 30 and 100 are series."),
    Item("ends of S1, S2", "standing, 1000 m apart along the 1500 m side", "Standing is stated, where is not."),
    Item("S2", "1500 m x 4800 m as printed", "Hardly ever connected; 480 m is another series."),
    Item("Table 1", "7 hops; sum of both flows in kb/s", "Not stated; searched: docs/protocols/semi_tcp.md."),
    Item("Figure 12", "50 nodes, 1 to 25 connections; 15 beside 1 to 15 flows of 4 packets/s", "Not stated."),
    Item("throughput", "distinct segments, in any order", "Bytes received, as defined; in order is shown beside it."),
    Item("delay", "of each packet of data, from its source's queue to its end", "From MAC to MAC in the paper."),
    Item("dropping ratio", "data dropped for any cause over data sent", "As defined; repeats count as sent."),
    Item("bottleneck", "the node that sends the most RTS", "Not stated."),
    Item("Psi", "payload that neighbors took over from that node, repeats included", "As defined."),
)  # fmt: skip

QUICK = Item("--quick", f"{QUICK_S:g} s in place of {FULL_S:g} s, one other series", "Minutes in place of hours.")
