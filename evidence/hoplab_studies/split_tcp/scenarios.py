"""The ground of the Split TCP paper (Kopparty 2002): random mobile networks, a link that breaks, two chains, one chain.

A seed is a draw: places and movements follow from it alone, so that plain TCP, Split TCP and every flow alone meet the
same networks. Nodes are numbered without regard to their places: flows between node 0 and 1, 2 and 3, ... are flows
between arbitrary pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.report.model import Item
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.networks import AODV, QUEUE_50, Table, rates, seconds, waypoint
from hoplab_studies.shared.study import DEFAULT, Variation

SPLIT = "split_tcp"
PLAIN = "reno"
"""The TCP that Split TCP is held against, of the paper's time."""

MOBILE_S = 100.0
"""Length of a run of a mobile network, in s."""

COUNTS = (3, 4, 5)
"""Simultaneous connections."""

DISTANCES = (1, 2, 3, 4, 5, 7, 8)
"""Hops between proxies, where they are swept."""

FAILURES = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Shares of the time that a proxy is off."""

CUT_S, MENDED_S = 50, 60
"""When the second link of the long connection is down, in s."""

BESIDE_M = 800
"""How far the connections beside it lie toward its destination, in m."""

FIRST_PACKETS = 2000
"""Packets of the connection that starts first: 2 MB."""

HOPS = (1, 2, 3, 4, 6, 8, 10, 12, 14)
DURATIONS_S = (10, 20, 50, 100, 200)

_LINKS: Table = {"mac": rates("2 Mb/s"), "queue": QUEUE_50}
_STATIC: Table = {"protocol": "static"}
_SPLIT: Table = {"d_p": 3, "flavor": "reno", "charge_option_bytes": False}
_FLOW: Table = {"app": "ftp", "transport": PLAIN, "segment": 1000, "window": 32}


def _network(name: str, duration: str, topology: Table, flows: Sequence[Table], **tables: object) -> Scenario:
    names = {"name": f"split-tcp-{name}", "duration": duration, "topology": topology}
    return Scenario.from_dict({**names, "routing": _STATIC, **_LINKS, "split_tcp": _SPLIT, "flow": flows, **tables})


def _flow(start: str, src: object = None, dst: object = None, **more: object) -> Table:
    """A connection; without ends each line of a cross is one."""
    ends = {} if src is None else {"from": src, "to": dst}
    return {**ends, **_FLOW, "start": start, **more}


def mobile(flows: int) -> Scenario:
    """So many flows among 50 nodes that move."""
    return _network(
        "mobile",
        seconds(MOBILE_S),
        {"kind": "random", "nodes": 50, "area": ["1000 m", "1000 m"]},
        [_flow(f"{1000 + 200 * i} ms", 2 * i, 2 * i + 1) for i in range(flows)],
        mobility=waypoint("0.1 m/s", "10 m/s"),  # stationary from the start
        routing={"protocol": "aodv"},
    )


def outage() -> Scenario:
    """Three connections of five hops, of which the first loses its second link for ten seconds.

    The two others run on both sides of it, `BESIDE_M` further to its destination: they contend with its last hops, so
    that packets wait at its proxy, node 3, as the paper says they did. They lend no way around the broken link. Node 1
    is off meanwhile.
    """
    return _network(
        "outage",
        "100 s",
        {"kind": "positions", "positions": rows(BESIDE_M)},
        [_flow("1 s", first, first + 5) for first in (0, 6, 12)],
        node=[{"id": 1, "radio_off": [[f"{CUT_S} s", f"{MENDED_S} s"]]}],
    )


def rows(beside_m: int) -> list[list[int]]:
    """Places of three chains of five hops, the second and third 200 m beside the first and so much further on."""
    return [[first + 200 * i, y] for first, y in ((0, 0), (beside_m, 200), (beside_m, -200)) for i in range(6)]


def early_start() -> Scenario:
    """Two chains side by side; the first connection has 2 MB to send, the second starts two seconds later."""
    return _network(
        "early-start",
        "60 s",
        {"kind": "parallel", "hops": 6, "spacing": "200 m", "row_spacing": "200 m"},
        [_flow("1 s", 0, 6, max_packets=FIRST_PACKETS), _flow("3 s", 7, 13)],
    )


def crossing(interval_s: float) -> Scenario:
    """Two connections at a right angle that share their middle node; the first has 2 MB to send."""
    flows = [_flow("1 s", max_packets=FIRST_PACKETS), _flow("3 s")]
    interval = {"goodput_interval": seconds(interval_s)}
    return _network("cross", "250 s", {"kind": "cross", "hops": 6, "spacing": "200 m"}, flows, **interval)


def chain() -> Scenario:
    """One connection over a chain."""
    topology = {"kind": "chain", "hops": 6, "spacing": "200 m"}
    return _network("chain", "100 s", topology, [_flow("0 s", "first", "last")])


ASSUMPTIONS = (
    Item("simulator", "ns-2 profile of hoplab", "The paper names ns 2.1."),
    Item("implementation", "hoplab's design of Split TCP", "Details are in a report that could not be found."),
    Item("plain TCP", "Reno, and Reno's rules between proxies", "The paper says TCP; NewReno and Tahoe are tried."),
    Item("segment, window", "1000 bytes, 32 segments", "Not stated; ns-2's packet size."),
    Item("least timeout", "0.2 s for plain TCP and between proxies", "Not stated; 1 s is tried."),
    Item("proxies", "every 3 hops, stores of 50 segments", "3, 4 or 5 hops; stores are not stated, others are tried."),
    Item("option's bytes", "not charged", "An ns-2 model of 2002 would hardly have charged them."),
    Item("end-to-end acknowledgment", "every 100 segments", "Stated."),
    Item("MAC", "802.11, 2 Mb/s data, 1 Mb/s basic, RTS/CTS, 250 m and 550 m", "Not stated; usual."),
    Item("routing", "AODV where nodes move, static routes where they do not", "Not stated; DSDV, AODV are tried."),
    Item("mobile network", "50 nodes, 1000 m by 1000 m, random waypoint, 0.1 to 10 m/s", "Stated, from 0 m/s on."),
    Item("movement", "stationary from the start, no pause", "Not stated; nodes at 0 m/s would never move again."),
    Item("retry limits", "7 for RTS, 4 for data", "Not stated; the standard's. 16 are tried."),
    Item("time", f"{MOBILE_S:g} s", "Not stated; 300 s are tried."),
    Item("pairs", "any two nodes, each an end of one flow", "Stated: arbitrary pairs."),
    Item("draws", "one per seed and number of connections, nodes and speed", "The paper gives no number."),
    Item("unfairness", "throughputs from a flow's start to the run's end, alone with the same protocol",
         "Stated but for the time at which it is taken; flows that get nothing alone do not count."),
    Item("Figure 3", f"chain of 5 hops, two more beside it {BESIDE_M} m further on, node 1 off from 50 s to 60 s",
         "A draw we do not have. Of the paper's text: 5 hops, second link, packets wait at the proxy."),
    Item("Figure 3, mobile", "the first seed in which a connection of 4 hops or more has no path for 5 to 15 s",
         "A typical experiment, not given; the rule looks at positions alone."),
    Item("Figures 4, 5, crossing", "6, 8, 10 hops, 2 MB, the second 2 or 10 s later", "Stated: a region is shared."),
    Item("Figures 4, 5", "two chains of 6 hops, 200 m apart; 2 MB, the second 2 s later", "Not stated."),
    Item("Figures 6, 7", "static chain, links of 200 m, 1 to 14 hops, 10 to 200 s", "Ranges are not stated."),
)  # fmt: skip

NEW_RENO = {"flow.transport": ("new_reno", SPLIT)}
TAHOE = {"flow.transport": ("tahoe", SPLIT)}

NEWER = Variation(
    "new-reno", "NewReno, and its rules between proxies, in place of Reno", {"split_tcp.flavor": "new_reno"}, NEW_RENO
)
OLDER = Variation(
    "tahoe", "Tahoe, and its rules between proxies, in place of Reno", {"split_tcp.flavor": "tahoe"}, TAHOE
)
SLOW = Variation(
    "rto-1s", "a least timeout of 1 s in place of 0.2 s", {"tcp.min_rto": "1 s", "split_tcp.min_rto": "1 s"}
)
NUMBERED = Variation(
    "cumulative", "legs that number their segments, in place of selective LACKs", {"split_tcp.local_ack": "cumulative"}
)
SMALL = Variation("store-4", "stores of 4 segments in place of 50", {"split_tcp.store_per_flow": 4})
LARGE = Variation("store-200", "stores of 200 segments in place of 50", {"split_tcp.store_per_flow": 200})
OVER_DSDV = Variation("dsdv", "DSDV in place of AODV", {"routing.protocol": "dsdv"})
PATIENT = Variation("retry-16", "a MAC that tries 16 times in place of 7 and 4", {"mac.ssrl": 16, "mac.slrl": 16})
BY_DISTANCE = {3: DEFAULT, 4: "every-4", 5: "every-5"}
"""The series of each distance of proxies that the paper uses, in hops."""

DISTANT = tuple(
    Variation(
        name,
        f"a proxy every {hops} hops in place of 3",
        {"split_tcp.d_p": hops},
        {"flow.transport": (SPLIT,)},
        {"flow.transport": (PLAIN,)},
    )
    for hops, name in BY_DISTANCE.items()
    if name != DEFAULT
)
LONGER = Variation("300s", f"300 s in place of {MOBILE_S:g} s", {"duration": "300 s"})

ELSEWHERE = (PATIENT, SMALL, OVER_DSDV, NEWER, OLDER, SLOW, NUMBERED, *DISTANT, LONGER)
"""What is tried in mobile networks."""

IN_OUTAGE = (
    Variation(
        "aside", "the other connections right beside the first, in place of further on", {"topology.positions": rows(0)}
    ),
    AODV,
    NEWER,
    SLOW,
    SMALL,
    LARGE,
    NUMBERED,
)

WHEN_EARLY = (
    AODV,
    *(
        Variation(f"row-{m}", f"chains {m} m apart in place of 200 m", {"topology.row_spacing": f"{m} m"})
        for m in (300, 450)
    ),
    *(
        Variation(
            f"hops-{h}",
            f"chains of {h} hops in place of 6",
            {"topology.hops": h, "flow.0.to": h, "flow.1.from": h + 1, "flow.1.to": 2 * h + 1},
        )
        for h in (4, 8)
    ),
    Variation("short-first", "a first connection of 2 hops beside 6, in place of 6 beside 6", {"flow.0.to": 2}),
    NEWER,
    SLOW,
    NUMBERED,
)

ON_CHAINS = (AODV, NEWER, OLDER, SLOW, SMALL, NUMBERED)
