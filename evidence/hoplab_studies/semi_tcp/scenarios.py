"""The ground of the Semi-TCP paper (Cai 2013): its scenarios, what they leave open, the numbers printed or released.

What the paper states is in the scenarios as stated; sizes of headers are those of ns-2.29, which its program was
written for. What it leaves open is listed in `ASSUMPTIONS`, and the openings that matter are series of their own.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources

from hoplab.report.model import Item
from hoplab_studies.shared.study import Axes, Part, Variation

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

_COMMON = """\
[radio]
rx_range = "250 m"
cs_range = "500 m"

[mac]
data_rate = "2 Mb/s"
basic_rate = "1 Mb/s"
data_overhead = 28         # as ns-2.29
ssrl = 9

[queue]
limit = 50

[routing]
protocol = "aodv"
extra_bytes = 20           # as ns-2.29
link_failure_feedback = true

[semi_tcp]
preset = "paper"
t_c = 1
m = 1
g = 1
k = 1
max_outstanding = 0        # no limit, as the published program
"""

_FLOW = """
[[flow]]
app = "ftp"
transport = "semi_tcp"
segment = 512
window = 20
start = "1 s"
"""


def static(name: str, kind: str, flows: int, duration_s: float, *, hops: int = 7) -> str:
    """Nodes that stand, 200 m apart."""
    spacing = 'spacing = "200 m"'
    head = f'name = "semi-tcp-{name}"\nduration = "{duration_s:g} s"\n\n'
    return f'{head}[topology]\nkind = "{kind}"\nhops = {hops}\n{spacing}\n\n{_COMMON}{_FLOW * flows}'


def moving(name: str, height_m: float, speeds: tuple[str, str], duration_s: float) -> str:
    """46 nodes that move, and two flows over 1000 m of a field 1500 m wide, between four nodes that stand."""
    ends = places_of_ends(height_m, 1000.0)
    flows = "".join(_FLOW.replace("app =", f"from = {a}\nto = {b}\napp =") for a, b in ((46, 47), (48, 49)))
    return f"""\
name = "semi-tcp-{name}"
duration = "{duration_s:g} s"

[topology]
kind = "random"
nodes = 46
area = ["1500 m", "{height_m:g} m"]
extra = {ends}

[mobility]
kind = "waypoint"
min_speed = "{speeds[0]}"
max_speed = "{speeds[1]}"
stationary_nodes = [46, 47, 48, 49]

{_COMMON}{flows}"""


def places_of_ends(height_m: float, apart_m: float) -> list[list[float]]:
    """Where the four nodes stand: two pairs so far apart, in the middle of the field's width."""
    left, right = 750.0 - apart_m / 2.0, 750.0 + apart_m / 2.0
    return [[x, share * height_m / 3.0] for share in (1.0, 2.0) for x in (left, right)]


def field_of_flows(name: str, duration_s: float, *, datagrams: bool) -> str:
    """50 nodes that move in 1500 m x 1500 m, all ends among them: connections, or 15 of them beside datagrams."""
    traffic = """
[traffic]
kind = "tcp"
pairs = "random"
connections = 15
transport = "semi_tcp"
segment = 512
window = 20
start_window = "10 s"
"""
    if datagrams:
        spread = 'start = "1 s"\nstart_spread = "9 s"'
        pairs = [_FLOW.replace("app =", f"from = {2 * i}\nto = {2 * i + 1}\napp =") for i in range(15)]
        traffic = "".join(pairs).replace('start = "1 s"', spread)
        traffic += """
[traffic]
kind = "cbr"
pairs = "random"
connections = 1
rate = "16.384 kb/s"       # 4 packets of 512 bytes per second
random = false
segment = 512
start_window = "10 s"
"""
    return f"""\
name = "semi-tcp-{name}"
duration = "{duration_s:g} s"

[topology]
kind = "random"
nodes = 50
area = ["1500 m", "1500 m"]

[mobility]
kind = "waypoint"
min_speed = "5 m/s"
max_speed = "45 m/s"
pause = "60 s"

{_COMMON}{traffic}"""


def released(name: str, *, failures: bool, more: str = "") -> str:
    """The chains whose results were released: 1 Mb/s, SSRL 7, 100 s, the published program."""
    common = (
        _COMMON.replace("2 Mb/s", "1 Mb/s")
        .replace("500 m", "550 m")
        .replace("ssrl = 9", "ssrl = 7")
        .replace('preset = "paper"', 'preset = "cai2013"')
        .replace("feedback = true", f"feedback = {str(failures).lower()}")
    )
    text = static(name, "chain", 1, 100.0).replace(_COMMON, common)
    return f'{text}\n[tcp.congestion.tcp_ap]\nbandwidth = "2 Mb/s"\n{more}'


PROGRAM = Variation("cai2013", "the published program (cai2013) in place of the paper's text", {
    "semi_tcp.preset": "cai2013",
})  # fmt: skip
SILENT = Variation("no-reports", "MAC failures not reported to AODV", {"routing.link_failure_feedback": False})
PROGRAM_SILENT = Variation(
    "cai2013-no-reports",
    "the published program, and MAC failures not reported to AODV",
    {**PROGRAM.changes, **SILENT.changes},
)
ACKNOWLEDGED = Variation(
    "single",
    "segments out of order acknowledged one by one, in place of not at all",
    {"semi_tcp.ooo_ack": "single"},
)
WAITING = Variation(
    "waiting",
    "packets that wait for a route not counted as held",
    {"semi_tcp.n_src_counts": "ifq", "semi_tcp.n_fwd_counts": "ifq_and_service"},
)
LIMITED = Variation(
    "limit-1024",
    "1024 outstanding segments at most, in place of no limit",
    {"semi_tcp.max_outstanding": 1024},
)
SENSED = Variation("550m", "carrier sense over 550 m in place of 500 m", {"radio.cs_range": "550 m"})


EQUATION_3 = Variation(
    "equation-3",
    "congested with T_c packets, as equation 3 reads, in place of T_c + m",
    {"semi_tcp.congested_at": "tc"},
)
THREE_LIMITS = Variation(
    "equations-3-to-5",
    "congested with T_c packets (equation 3), transit refused with T_c + m (equation 4), in place of both at T_c + m",
    {"semi_tcp.congested_at": "tc_and_m"},
)
SAID_BY_CTSC = Variation(
    "ctsc",
    "the three limits of equations 3 to 5, and CTSC in place of CTS from a node that holds T_c packets",
    {**THREE_LIMITS.changes, "semi_tcp.ctsc_while_congested": True},
)
FIVE_HOPS = Variation("5-hops", "5 hops in place of 7", {"topology.hops": 5})
WITHOUT_RTS = Variation(
    "data-and-ack",
    "no RTS and CTS: congestion in DATA and ACK frames in place of RTS and CTS",
    {"mac.rts_threshold": 3000, "semi_tcp.signal_in": ["data", "ack"]},
)
DATAGRAMS_WAIT = Variation(
    "datagrams-wait",
    "datagrams admitted by rule 3 at their source, in place of at once",
    {"semi_tcp.udp_source_admission": True},
)
THINNED = tuple(
    Variation(f"ack-every-{n}", f"one acknowledgment per {n} segments in place of each", {"tcp.ack_every": n})
    for n in (2, 4)
)
LIMITS, FEWER_FRAMES = (THREE_LIMITS, SAID_BY_CTSC), (*THINNED, WITHOUT_RTS)
UNREPAIRED = Variation(
    "no-repair", "AODV without local repair of routes at relays", {"routing.aodv.local_repair": False}
)
ONE_OUT = Variation("one-out", "one segment outstanding at a time", {"semi_tcp.max_outstanding": 1})
NEAR_M = 600.0
"""Distance of the ends in S1 and S2 that the search found (docs/protocols/semi_tcp.md)."""


def near(height_m: float) -> Variation:
    """Ends of moving networks nearer to each other."""
    return Variation(
        f"{NEAR_M:g}m",
        f"ends of S1 and S2 {NEAR_M:g} m apart in place of 1000 m",
        {"topology.extra": places_of_ends(height_m, NEAR_M)},
    )


def together(*variations: Variation, name: str, assumption: str) -> Variation:
    """Several changed assumptions."""
    changes = {key: value for variation in variations for key, value in variation.changes.items()}
    return Variation(name, assumption, changes)


def all_three(*more: Variation) -> Variation:
    """What was found to move most rows, together; the ends are near only where nodes move (`more`)."""
    return together(
        EQUATION_3,
        UNREPAIRED,
        *more,
        name="all-three",
        assumption=f"congested with T_c packets, AODV without local repair, ends of S1 and S2 {NEAR_M:g} m apart",
    )


def over_five_hops(limits: Variation, *, static: bool = True) -> Variation:
    """The limits of equations 3 to 5 over 5 hops, a length that Figures 7 to 9 and Table 1 leave open."""
    return together(
        limits,
        *([FIVE_HOPS] if static else []),
        name=f"{limits.name}-5-hops",
        assumption=f"{limits.assumption}; 5 hops in place of 7",
    )


OVER_FIVE = (FIVE_HOPS, over_five_hops(THREE_LIMITS), over_five_hops(SAID_BY_CTSC))


def near_and_alone(height_m: float) -> Variation:
    """Nearer endpoints, one outstanding segment and no local repair: only link failures drop segments."""
    return together(
        near(height_m),
        UNREPAIRED,
        ONE_OUT,
        name=f"{NEAR_M:g}m-one-out",
        assumption=f"ends {NEAR_M:g} m apart, one segment outstanding at a time, AODV without local repair",
    )


QUICK_SERIES = (
    "single",
    "equation-3",
    "equations-3-to-5",
    "equations-3-to-5-5-hops",
    "no-repair",
    f"{NEAR_M:g}m",
    "all-three",
    "one-out",
    f"{NEAR_M:g}m-one-out",
    "cai2013-no-reports",
    "4-hops",
    "5-hops",
)
"""The series that the short form runs as well: those that explain."""


def thinned(variations: tuple[Variation, ...], axes: Axes) -> tuple[Variation, ...]:
    """The same series on fewer points; their own axes stay."""
    return tuple(Variation(v.name, v.assumption, v.changes, {**axes, **v.axes}) for v in variations)


def set_to(name: str, assumption: str, **changes: object) -> Variation:
    """A series with keys set; underscores twice stand for dots: ``topology__hops=4``."""
    return Variation(name, assumption, {key.replace("__", "."): value for key, value in changes.items()})


def nodes_of(count: int) -> Variation:
    """Another number of nodes in the field with four that stand."""
    first = count - 4
    return Variation(
        f"{count}-nodes",
        f"{count} nodes in place of 50",
        {
            "topology.nodes": first,
            "mobility.stationary_nodes": list(range(first, count)),
            **{f"flow.{i}.{end}": first + 2 * i + side for i in (0, 1) for side, end in enumerate(("from", "to"))},
        },
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
        Part("rules", static("rules", "chain", 1, duration_s), dict(ABLATION)),
        Part(
            "shared",
            static("shared", "spindle", 2, duration_s),
            {"topology.shared": SHARED, "flow.transport": tuple(TRANSPORTS)},
        ),
        Part(
            "rows",
            static("rows", "parallel", 2, duration_s),
            {
                "topology.row_spacing": ROWS,
                "topology.hops": FEW_HOPS[1:],
                "flow.transport": ("semi_tcp", "tcp_ap"),
            },
        ),
    )


@cache
def numbers(name: str) -> tuple[Mapping[str, str], ...]:
    """The rows of a table of `data`."""
    text = resources.files("hoplab_studies.semi_tcp").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def rate_bound(segment: float, rtt: float, loss: float) -> float:
    """Largest mean rate of a TCP connection, in segments' units per second (Cai 2013, eq. 1; Mathis 1997)."""
    return 1.5 * segment / rtt * math.sqrt(2.0 / (3.0 * loss))


def path_bound(hops: int, loss: float) -> float:
    """The same over a path whose every link loses `loss`, over that of one lossless hop (Cai 2013, eq. 2)."""
    return rate_bound(1.0, float(hops), loss) * (1.0 - loss) ** hops


LOSSES = (0.001, 0.01, 0.05, 0.1)
"""Loss ratios of Figure 1, which names none."""

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
