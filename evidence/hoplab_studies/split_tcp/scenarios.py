"""The ground of the Split TCP paper (Kopparty 2002): random mobile networks, a link that breaks, two chains, one chain.

A seed is a draw: places and movements follow from it alone, so that plain TCP, Split TCP and every flow alone meet the
same networks. Nodes are numbered without regard to their places: flows between node 0 and 1, 2 and 3, ... are flows
between arbitrary pairs.
"""

from __future__ import annotations

from hoplab.report.model import Item
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

_PHYSICS = """
[mac]
data_rate = "2 Mb/s"
basic_rate = "1 Mb/s"

[queue]
limit = 50
"""

_SPLIT = """
[split_tcp]
d_p = 3
flavor = "reno"
charge_option_bytes = false
"""

_FLOW = """
[[flow]]
from = {src}
to = {dst}
app = "ftp"
transport = "reno"
segment = 1000
window = 32
start = "{start}"
"""


def mobile(flows: int, *, interval_s: float | None = None) -> str:
    """So many flows among 50 nodes that move; with an interval, also what arrives in each."""
    series = "" if interval_s is None else f'\ngoodput_interval = "{interval_s:g} s"'
    head = f"""\
name = "split-tcp-mobile"
duration = "{MOBILE_S:g} s"{series}

[topology]
kind = "random"
nodes = 50
area = ["1000 m", "1000 m"]

[mobility]
kind = "waypoint"          # stationary from the start
min_speed = "0.1 m/s"
max_speed = "10 m/s"

[routing]
protocol = "aodv"
"""
    ends = [_FLOW.format(src=2 * i, dst=2 * i + 1, start=f"{1000 + 200 * i} ms") for i in range(flows)]
    return "".join([head, _PHYSICS, _SPLIT, *ends])


def outage() -> str:
    """Three connections of five hops, of which the first loses its second link for ten seconds.

    The two others run on both sides of it, `BESIDE_M` further to its destination: they contend with its last hops, so
    that packets wait at its proxy, node 3, as the paper says they did. They lend no way around the broken link. Node 1
    is off meanwhile.
    """
    head = f"""\
name = "split-tcp-outage"
duration = "100 s"

[topology]
kind = "positions"
positions = {rows(BESIDE_M)}

[routing]
protocol = "static"

[[node]]
id = 1
radio_off = [["{CUT_S} s", "{MENDED_S} s"]]
"""
    flows = [_FLOW.format(src=first, dst=first + 5, start="1 s") for first in (0, 6, 12)]
    return "".join([head, _PHYSICS, _SPLIT, *flows])


def rows(beside_m: int) -> list[list[int]]:
    """Places of three chains of five hops, the second and third 200 m beside the first and so much further on."""
    return [[first + 200 * i, y] for first, y in ((0, 0), (beside_m, 200), (beside_m, -200)) for i in range(6)]


def early_start() -> str:
    """Two chains side by side; the first connection has 2 MB to send, the second starts two seconds later."""
    head = """\
name = "split-tcp-early-start"
duration = "60 s"

[topology]
kind = "parallel"
hops = 6
spacing = "200 m"
row_spacing = "200 m"

[routing]
protocol = "static"
"""
    first = _FLOW.format(src=0, dst=6, start="1 s") + f"max_packets = {FIRST_PACKETS}\n"
    return "".join([head, _PHYSICS, _SPLIT, first, _FLOW.format(src=7, dst=13, start="3 s")])


def crossing(interval_s: float) -> str:
    """Two connections at a right angle that share their middle node; the first has 2 MB to send."""
    head = f"""\
name = "split-tcp-cross"
duration = "250 s"
goodput_interval = "{interval_s:g} s"

[topology]
kind = "cross"
hops = 6
spacing = "200 m"

[routing]
protocol = "static"
"""
    first, second = (_FLOW.format(src=0, dst=0, start=start) for start in ("1 s", "3 s"))
    flows = f"{first}max_packets = {FIRST_PACKETS}\n{second}"
    ends_left_out = flows.replace("from = 0\nto = 0\n", "")  # each line of the cross is then a connection
    return f"{head}{_PHYSICS}{_SPLIT}{ends_left_out}"


def chain() -> str:
    """One connection over a chain."""
    head = """\
name = "split-tcp-chain"
duration = "100 s"

[topology]
kind = "chain"
hops = 6
spacing = "200 m"

[routing]
protocol = "static"
"""
    flow = _FLOW.format(src=0, dst='"last"', start="0 s").replace("from = 0", 'from = "first"')
    return f"{head}{_PHYSICS}{_SPLIT}{flow}"


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
OVER_AODV = Variation(
    "aodv", "AODV in place of static routes", {"routing.protocol": "aodv", "routing.aodv.network_diameter": 64}
)
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
    OVER_AODV,
    NEWER,
    SLOW,
    SMALL,
    LARGE,
    NUMBERED,
)

WHEN_EARLY = (
    OVER_AODV,
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

ON_CHAINS = (OVER_AODV, NEWER, OLDER, SLOW, SMALL, NUMBERED)
