"""The ground of the rt-Winf paper (Barreto 2015): estimators, and seven transports in four kinds of network.

A seed decides places, movement, traffic and starting times alike for all transports.
"""

from __future__ import annotations

from collections.abc import Mapping

from hoplab.report.model import Item
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.networks import QUEUE_50, RANGES_500, Table, rates, seconds, waypoint
from hoplab_studies.shared.study import Variation

PROTOCOLS = {
    "new_reno": "TCP",
    "xcp": "XCP",
    "rcp": "RCP",
    "xcp_b": "XCP-b",
    "tcp_ap": "TCP-AP",
    "xcp_winf": "XCP-Winf",
    "rcp_winf": "RCP-Winf",
}
"""Names in scenarios, and in the paper."""

WINF = ("xcp_winf", "rcp_winf")
BASES = {"xcp_winf": "xcp", "rcp_winf": "rcp"}
WIRED = ("new_reno", "xcp", "rcp")
WIRELESS = ("xcp_b", "tcp_ap")

MOBILE = (3, 4, 5, 6, 7)
QUICK_MOBILE = (3, 5, 7)
AD_HOC = (8, 16, 32, 64, 128, 256)
QUICK_AD_HOC = (8, 16, 32, 64)
BUILDING = (10, 20, 30)
QUICK_BUILDING = (10, 20, 30)

DURATION_S, QUICK_S = 300.0, 150.0
"""Length of a run, in s; that of a quick one."""

WARMUP_S = 30.0
"""Time for DSDV to find its routes; not measured."""

SPACING_M = 240.0
MESHES: Mapping[int, tuple[int, int]] = {9: (3, 3), 12: (4, 3), 16: (4, 4)}
"""Columns and rows of the fixed nodes."""


def mesh_positions(count: int) -> list[list[float]]:
    """Places of the fixed nodes: a grid in the middle of the square kilometre; of five, a quincunx."""
    if count == 5:
        middle, side = 500.0, SPACING_M * 0.7
        return [[middle, middle], *([middle + x * side, middle + y * side] for y in (-1, 1) for x in (-1, 1))]
    columns, rows = MESHES[count]
    left, low = (500.0 - SPACING_M * (n - 1) / 2.0 for n in (columns, rows))
    return [[left + SPACING_M * x, low + SPACING_M * y] for y in range(rows) for x in range(columns)]


FTP, CBR = "ftp", "cbr"
"""Traffic of the mesh: files, or messages at a constant rate."""

JOIN_S = 100.0
"""When a flow joins those of the mesh, in s."""

START_S = 60.0
"""Start of the flows of the utility scenario, in s: when DSDV has found its routes."""

SIDE_M = 500.0
"""Side of the middle area, in which the relays of `mobile_utility` move, in m."""

UTILITY_POSITIONS = ((200, 460), (200, 540), (400, 500), (600, 500), (800, 460), (800, 540))
"""Two sources, two relays and two sinks, in m."""

CARRIED_KEYS = ",".join(f"node.{i}.feedback_router" for i in range(21))
"""The routers of all nodes of `carried`, as one axis."""

FLOWS = 5
"""Limit of concurrent files in Figure 6."""

PROBING_S = 5.0
"""Time of the probes of Figure 6, in s, before the first file."""

NEVER_MARGIN_S = 0.5

_RADIO: Table = {"radio": RANGES_500, "mac": rates("11 Mb/s")}
"""802.11b, in all networks; the interference range is that of carrier sense."""

_LINKS: Table = {**_RADIO, "queue": QUEUE_50, "routing": {"protocol": "dsdv"}}

_KILOMETER = ["1000 m", "1000 m"]

_FILE: Table = {"segment": 1460, "window": 200}
"""Packets of 1500 bytes."""


def _network(name: str, duration_s: float, topology: Table, **tables: object) -> Scenario:
    """Nodes that move in a square kilometer, with DSDV, measured from the end of its warm-up on."""
    times = {"duration": seconds(duration_s), "warmup": seconds(WARMUP_S)}
    movement = waypoint("10 m/s", "30 m/s", init="setdest2", area=_KILOMETER)
    return Scenario.from_dict(
        {"name": f"winf-{name}", **times, "topology": topology, "mobility": movement, **_LINKS, **tables}
    )


def _files(pairs: str, ends: str, *, per_node: float, within_s: float) -> dict[str, object]:
    return {**_traffic("tcp", pairs, ends, per_node, within_s), **_FILE, "start": seconds(WARMUP_S)}


def _messages(pairs: str, ends: str, *, per_node: float, within_s: float, rate: str = "64 kb/s") -> dict[str, object]:
    sizes = {"rate": rate, "segment": 512, "window": 200, "max_packets": 1_000_000}
    return {**_traffic("cbr", pairs, ends, per_node, within_s), **sizes, "start": seconds(WARMUP_S)}


def _traffic(kind: str, pairs: str, ends: str, per_node: float, within_s: float) -> dict[str, object]:
    who = {"kind": kind, "transport": "new_reno", "pairs": pairs, "ends": ends, "per_node": per_node}
    return {**who, "start_window": seconds(within_s)}


def mesh(app: str = FTP, *, fixed: int = 16, mobile_nodes: int = 5, duration_s: float = DURATION_S) -> Scenario:
    """Fixed nodes, and mobile ones each of which sends to the next."""
    made = _files if app == FTP else _messages
    traffic = made("ring", "mobile_nodes", per_node=1.0, within_s=10.0)
    topology = {"kind": "positions", "positions": mesh_positions(fixed), "mobile_nodes": mobile_nodes}
    return _network("mesh", duration_s, topology, traffic=traffic)


def random_mesh(*, fixed: int = 16, mobile_nodes: int = 5, duration_s: float = DURATION_S) -> Scenario:
    """The mesh with files, its fixed nodes at random positions, as Table 4 has it."""
    places = {"kind": "random", "nodes": fixed, "area": _KILOMETER, "mobile_nodes": mobile_nodes}
    return mesh(duration_s=duration_s).with_({"name": "winf-random-mesh", "topology": places})


def ad_hoc(*, nodes: int = 32, duration_s: float = DURATION_S) -> Scenario:
    """Moving nodes alone, and half as many flows from ns-2's generator."""
    window_s = 180.0 if duration_s >= DURATION_S else duration_s / 3.0
    traffic = _messages("cbrgen", "all", per_node=0.5, within_s=window_s)
    del traffic["start"]  # the generator has its own
    topology = {"kind": "random", "nodes": nodes, "area": _KILOMETER}
    return _network("ad-hoc", duration_s, topology, traffic={**traffic, "max_packets": 10_000})


def building(rate: str, *, mobile_nodes: int = 20, duration_s: float = DURATION_S) -> Scenario:
    """Six mesh nodes somewhere in a building, mobile ones around; one of the six fails for a third of the run."""
    traffic = _messages("ring", "mobile_nodes", per_node=4.0, within_s=30.0, rate=rate)
    area = {"area": ["500 m", "500 m"], "origin": ["250 m", "250 m"], "connected": True}
    fails_s = duration_s / 3.0
    return _network(
        "building",
        duration_s,
        {"kind": "random", "nodes": 6, **area, "mobile_nodes": mobile_nodes},
        traffic={**traffic, "length": seconds(duration_s * 0.8)},
        node=[{"id": 2, "radio_off": [[seconds(fails_s), seconds(2.0 * fails_s)]]}],
    )


def joined(*, duration_s: float = DURATION_S) -> Scenario:
    """The mesh with 5 mobile nodes and their files, and one more between two fixed nodes, five hops apart, later."""
    flow = {"from": 0, "to": 11, "transport": "new_reno", **_FILE, "start": seconds(JOIN_S)}
    return mesh(duration_s=duration_s).with_({"goodput_interval": "1 s", "flow": [flow]})


def carried(*, duration_s: float = DURATION_S) -> Scenario:
    """CBR in the mesh with 5 mobile nodes as plain datagrams, through nodes whose routers are to be named."""
    traffic = _messages("ring", "mobile_nodes", per_node=1.0, within_s=10.0)
    del traffic["window"]  # datagrams have none
    nodes = [{"id": i, "feedback_router": "none"} for i in range(21)]
    return mesh(CBR, duration_s=duration_s).with_({"traffic": {**traffic, "transport": "udp"}, "node": nodes})


def utility(*, duration_s: float = 120.0) -> Scenario:
    """Two flows of TCP and two of another transport, each over the same two relays."""
    ends = ((0, 4, "new_reno"), (0, 4, "new_reno"), (1, 5, "xcp_winf"), (1, 5, "xcp_winf"))
    start = {"start": seconds(START_S), "start_spread": "1 s"}
    return Scenario.from_dict(
        name="winf-utility",
        duration=seconds(duration_s + START_S),
        goodput_interval="1 s",
        topology={"kind": "positions", "positions": UTILITY_POSITIONS},
        flow=[{"from": src, "to": dst, "transport": transport, **_FILE, **start} for src, dst, transport in ends],
        **_LINKS,
    )


def mobile_utility(*, duration_s: float = 120.0) -> Scenario:
    """The utility scenario with two relays that move in the middle area; sources and sinks rest at its edges."""
    middle = SIDE_M / 2.0
    places = [[x, middle + y] for x in (0.0, SIDE_M) for y in (-40.0, 40.0)]
    return utility(duration_s=duration_s).with_(
        {
            "name": "winf-utility-mobile",
            "mobility": waypoint("10 m/s", "30 m/s", area=[f"{SIDE_M:g} m", f"{SIDE_M:g} m"]),
            "topology": {"kind": "positions", "positions": places, "mobile_nodes": 2},
            **{f"flow.{i}.to": 2 if i < 2 else 3 for i in range(4)},
        }
    )


def never(duration_s: float) -> str:
    """A start after most of the run, which disables measurement traffic."""
    return seconds(duration_s - NEVER_MARGIN_S)


_ENDS: Table = {"from": "first", "to": "last"}
_DATAGRAMS: Table = {**_ENDS, "transport": "udp"}


def pair(*, duration_s: float = 60.0) -> Scenario:
    """Figure 2: two nodes, a call's rate between them, and AdHoc Probe if it starts."""
    return _estimators("pair", 1, duration_s, _calls(duration_s))


def chain(*, duration_s: float = 60.0) -> Scenario:
    """Figures 4 and 5: mobile, mesh, mesh, mobile; AdHoc Probe and a saturating flow if they start."""
    return _estimators("chain", 3, duration_s, _calls(duration_s))


def _calls(duration_s: float) -> list[Table]:
    late = never(duration_s)
    return [
        {**_DATAGRAMS, "app": "cbr", "segment": 512, "rate": "64 kb/s", "start": "1 s"},
        {**_DATAGRAMS, "app": "adhoc_probe", "segment": 1480, "start": late},
        {**_DATAGRAMS, "app": "cbr", "segment": 1470, "rate": "11 Mb/s", "start": late},
    ]


def files(*, duration_s: float = DURATION_S) -> Scenario:
    """Figure 6: the same chain with files; one more in each fifth of the run, after probes that travel alone."""
    fifth = (duration_s - PROBING_S) / FLOWS
    probe = {**_DATAGRAMS, "app": "winf_probe", "segment": 1480, "start": "1 s"}
    file = {**_ENDS, "transport": "new_reno", "segment": 1460, "window": 20}
    starts = [seconds(PROBING_S + n * fifth) for n in range(FLOWS)]
    return _estimators("files", 3, duration_s, [probe, *({**file, "start": start} for start in starts)])


def _estimators(name: str, hops: int, duration_s: float, flows: list[Table]) -> Scenario:
    """A chain whose nodes estimate, with static routes."""
    return Scenario.from_dict(
        name=f"winf-{name}",
        duration=seconds(duration_s),
        goodput_interval="1 s",
        topology={"kind": "chain", "hops": hops, "spacing": "200 m"},
        winf={"everywhere": True},
        idle_gap={"everywhere": True},
        routing={"protocol": "static"},
        flow=flows,
        **_RADIO,
    )


LITERAL = Variation(
    "literal",
    "the equations as printed",
    {"winf.mode": "literal", "xcp_winf.mode": "literal", "rcp_winf.mode": "literal"},
)
NORMALISED = Variation(
    "normalised",
    "a capacity that counts every exchange as one of 1500 bytes (section 3: the maximum sustainable rate)",
    {"winf.normalise": True},
)
EXCHANGE_NORMALISED = Variation(
    "exchange_normalised",
    "eqs. 1, 4 and 12 with nothing but data and ACK, and the normalised capacity",
    {**NORMALISED.changes, "winf.overhead": "exchange"},
)
PRINTED_28 = Variation(
    "printed28",
    "eq. 28 with its printed traffic term, the interface's rate as its first capacity, and the normalised capacity",
    {**NORMALISED.changes, "rcp_winf.eq28": "literal", "rcp_winf.first_capacity": "interface"},
)
CHANNEL = Variation(
    "channel", "traffic of the channel in place of the queue's in eq. 28", {"rcp_winf.traffic": "channel"}
)
CHANNEL_NORMALISED = CHANNEL.along(
    "channel_normalised", "traffic of the channel in eq. 28, and the normalised capacity", NORMALISED
)
WINDOW_20 = Variation("window20", "a window limit of 20 segments in place of 200", {"traffic.window": 20})


def _of_mesh(count: int) -> Variation:
    positions = mesh_positions(count)
    return Variation(f"mesh{count}", f"{count} fixed nodes in place of 16", {"topology.positions": positions})


def _offering(rate: str) -> Variation:
    return Variation(
        f"rate{rate}", f"{rate} kb/s for each mobile node in place of 64", {"traffic.rate": f"{rate} kb/s"}
    )


OF_MESH = (_of_mesh(5), _of_mesh(9), _of_mesh(12))
OFFERED = (_offering("32"), _offering("128"))
FOUR_FLOWS = Variation("four", "four flows in all in place of four for each of the 20 nodes", {"traffic.per_node": 0.2})


ASSUMPTIONS = (
    Item("simulator", "ns-2 profile of hoplab", "The paper used ns-2."),
    Item("TCP", "NewReno, window limit 200 segments", "Neither is stated; a limit of 20 hides over-estimates."),
    Item("radio", "two-ray ground, 250 m, carrier sense and interference 500 m", "Stated."),
    Item("MAC", "802.11b, 11 Mb/s data, 1 Mb/s basic, RTS/CTS, long preamble", "Rate stated; ns-2's defaults."),
    Item("queue", "50 packets, routing first", "Not stated; ns-2's."),
    Item("routing", "DSDV; flows start after 30 s, which are not measured", "Stated; the start is not."),
    Item("movement", "random waypoint, 10 to 30 m/s, no pause (setdest)", "Stated but for the pause."),
    Item("capacity of XCP and RCP", "11 Mb/s", "The interface's rate, as the paper says of the base protocols."),
    Item("mesh", "4 x 4 fixed nodes, 240 m apart, in the middle", "A grid by the text, random by Table 4."),
    Item("mobile nodes", "each sends to the next and receives from the one before", "That each does both is stated."),
    Item("files", "packets of 1500 bytes", "Stated."),
    Item("CBR", "512 bytes, 64 kb/s, over each transport, waiting without limit", "Rate in the mesh not stated."),
    Item("ad hoc", "ns-2's generator: half as many flows as nodes, within 180 s", "Counts stated."),
    Item("building", "500 m x 500 m in the middle, 6 mesh nodes at random places", "The drawing is not in the text."),
    Item("its flows", "4 for each mobile node, of 64 and 128 kb/s, for 240 s", "To whom, and per whom, is not stated."),
    Item("each 400 ms, 100 ms", "not used: starts are uniform within 30 s", "A period, or a distance of starts?"),
    Item("its failure", "one mesh node, from 100 to 200 s", "Length stated; the moment is not."),
    Item("utility", "sources, two relays, sinks 200 m apart, one FIFO, start after 60 s", "Areas stated only."),
    Item("rt-Winf", "all overhead counted, window 1 s, packets from 200 bytes, no bytes in the ACK", "Not stated."),
    Item("equations", "the nearest form whose units fit; as printed apart", "Five cannot work as printed."),
    Item("C_w, alpha, beta of RCP", "0.96, 0.4, 0.4", "Range stated; constants not."),
    Item("throughput", "payload in order at all sinks, from 30 s on or the flow's start", "Not defined."),
    Item("delay", "first sending to first arrival for files; supply to delivery for CBR", "Not defined."),
    Item("A above B", "5 % above in 4 of 5 points, nowhere 5 % below beyond the intervals", "Figures have no numbers."),
)  # fmt: skip

QUICK = Item(
    "--quick",
    f"{QUICK_S:g} s in place of {DURATION_S:g} s, three or four points, no other series",
    "Minutes, not hours.",
)
