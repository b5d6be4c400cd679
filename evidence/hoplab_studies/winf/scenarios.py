"""The ground of the rt-Winf paper (Barreto 2015): estimators, and seven transports in four kinds of network.

A seed decides places, movement, traffic and starting times alike for all transports.
"""

from __future__ import annotations

from collections.abc import Mapping

from hoplab.report.model import Item
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

_COMMON = """\
duration = "{duration_s:g} s"
warmup = "{warmup_s:g} s"

[mobility]
kind = "waypoint"
init = "setdest2"
min_speed = "10 m/s"
max_speed = "30 m/s"
area = ["1000 m", "1000 m"]

[radio]
rx_range = "250 m"
cs_range = "500 m"         # interference range

[mac]
data_rate = "11 Mb/s"
basic_rate = "1 Mb/s"

[queue]
limit = 50

[routing]
protocol = "dsdv"
"""

FTP = """
[traffic]
kind = "tcp"
transport = "new_reno"
pairs = "{pairs}"
ends = "{ends}"
per_node = {per_node:g}
segment = 1460             # packets of 1500 bytes
window = 200
start = "30 s"
start_window = "{start_window_s:g} s"
"""

CBR = """
[traffic]
kind = "cbr"
transport = "new_reno"
pairs = "{pairs}"
ends = "{ends}"
per_node = {per_node:g}
rate = "{rate}"
segment = 512
window = 200
max_packets = 1000000
start = "30 s"
start_window = "{start_window_s:g} s"
"""

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
    {"winf.normalise": True, "winf.overhead": "exchange"},
)
PRINTED_28 = Variation(
    "printed28",
    "eq. 28 with its printed traffic term, the interface's rate as its first capacity, and the normalised capacity",
    {"winf.normalise": True, "rcp_winf.eq28": "literal", "rcp_winf.first_capacity": "interface"},
)
CHANNEL = Variation(
    "channel", "traffic of the channel in place of the queue's in eq. 28", {"rcp_winf.traffic": "channel"}
)
CHANNEL_NORMALISED = Variation(
    "channel_normalised",
    "traffic of the channel in eq. 28, and the normalised capacity",
    {"rcp_winf.traffic": "channel", "winf.normalise": True},
)
WINDOW_20 = Variation("window20", "a window limit of 20 segments in place of 200", {"traffic.window": 20})


def mesh_positions(count: int) -> list[list[float]]:
    """Places of the fixed nodes: a grid in the middle of the square kilometre; of five, a quincunx."""
    if count == 5:
        middle, side = 500.0, SPACING_M * 0.7
        return [[middle, middle], *([middle + x * side, middle + y * side] for y in (-1, 1) for x in (-1, 1))]
    columns, rows = MESHES[count]
    left, low = (500.0 - SPACING_M * (n - 1) / 2.0 for n in (columns, rows))
    return [[left + SPACING_M * x, low + SPACING_M * y] for y in range(rows) for x in range(columns)]


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


def _common(duration_s: float) -> str:
    return _COMMON.format(duration_s=duration_s, warmup_s=WARMUP_S)


def mesh(
    app: str = FTP, *, fixed: int = 16, mobile_nodes: int = 5, rate: str = "64 kb/s", duration_s: float = DURATION_S
) -> str:
    """Fixed nodes, and mobile ones each of which sends to the next."""
    places = ", ".join(f"[{x:g}, {y:g}]" for x, y in mesh_positions(fixed))
    traffic = app.format(pairs="ring", ends="mobile_nodes", per_node=1.0, rate=rate, start_window_s=10.0)
    return (
        f'name = "winf-mesh"\n{_common(duration_s)}{traffic}\n'
        f'[topology]\nkind = "positions"\npositions = [{places}]\nmobile_nodes = {mobile_nodes}\n'
    )


def random_mesh(*, fixed: int = 16, mobile_nodes: int = 5, duration_s: float = DURATION_S) -> str:
    """The mesh with files, its fixed nodes at random positions, as Table 4 has it."""
    text = mesh(fixed=fixed, mobile_nodes=mobile_nodes, duration_s=duration_s)
    head = text[: text.index("[topology]")].replace("winf-mesh", "winf-random-mesh")
    area = 'area = ["1000 m", "1000 m"]'
    return f'{head}[topology]\nkind = "random"\nnodes = {fixed}\n{area}\nmobile_nodes = {mobile_nodes}\n'


def ad_hoc(*, nodes: int = 32, duration_s: float = DURATION_S) -> str:
    """Moving nodes alone, and half as many flows from ns-2's generator."""
    window_s = 180.0 if duration_s >= DURATION_S else duration_s / 3.0
    traffic = CBR.format(pairs="cbrgen", ends="all", per_node=0.5, rate="64 kb/s", start_window_s=window_s)
    traffic = traffic.replace('start = "30 s"\n', "").replace("max_packets = 1000000", "max_packets = 10000")
    area = 'area = ["1000 m", "1000 m"]'
    return (
        f'name = "winf-ad-hoc"\n{_common(duration_s)}{traffic}\n[topology]\nkind = "random"\nnodes = {nodes}\n{area}\n'
    )


def building(rate: str, *, mobile_nodes: int = 20, duration_s: float = DURATION_S) -> str:
    """Six mesh nodes somewhere in a building, mobile ones around; one of the six fails for a third of the run."""
    traffic = CBR.format(pairs="ring", ends="mobile_nodes", per_node=4.0, rate=rate, start_window_s=30.0)
    length_s, fails_s = duration_s * 0.8, duration_s / 3.0
    return (
        f'name = "winf-building"\n{_common(duration_s)}{traffic}length = "{length_s:g} s"\n\n'
        '[topology]\nkind = "random"\nnodes = 6\narea = ["500 m", "500 m"]\ncorner = ["250 m", "250 m"]\n'
        f"connected = true\nmobile_nodes = {mobile_nodes}\n\n"
        f'[[node]]\nid = 2\noff = [["{fails_s:g} s", "{2.0 * fails_s:g} s"]]\n'
    )


JOIN_S = 100.0
"""When a flow joins those of the mesh, in s."""


def joined(*, duration_s: float = DURATION_S) -> str:
    """The mesh with 5 mobile nodes and their files, and one more between two fixed nodes, five hops apart, later."""
    flow = 'from = 0\nto = 11\ntransport = "new_reno"\nsegment = 1460\nwindow = 200'
    return f'goodput_interval = "1 s"\n{mesh(duration_s=duration_s)}\n[[flow]]\n{flow}\nstart = "{JOIN_S:g} s"\n'


CARRIED_KEYS = ",".join(f"node.{i}.feedback_router" for i in range(21))
"""The routers of all nodes of `carried`, as one axis."""


def carried(*, duration_s: float = DURATION_S) -> str:
    """CBR in the mesh with 5 mobile nodes as plain datagrams, through nodes whose routers are to be named."""
    text = mesh(CBR, duration_s=duration_s).replace('transport = "new_reno"', 'transport = "udp"')
    text = text.replace("window = 200\n", "")
    return text + "".join(f'\n[[node]]\nid = {i}\nassist = "none"\n' for i in range(21))


UTILITY_POSITIONS = ((200, 460), (200, 540), (400, 500), (600, 500), (800, 460), (800, 540))
"""Two sources, two relays and two sinks, in m."""


def utility(*, duration_s: float = 120.0) -> str:
    """Two flows of TCP and two of another transport, each over the same two relays."""
    places = ", ".join(f"[{x}, {y}]" for x, y in UTILITY_POSITIONS)
    text = _common(duration_s).split("[mobility]")
    radio = text[1][text[1].index("[radio]") :]
    flows = "".join(
        f'\n[[flow]]\nfrom = {src}\nto = {dst}\ntransport = "{transport}"\nsegment = 1460\nwindow = 200\n'
        f'start = "{START_S:g} s"\nstart_spread = "1 s"\n'
        for src, dst, transport in ((0, 4, "new_reno"), (0, 4, "new_reno"), (1, 5, "xcp_winf"), (1, 5, "xcp_winf"))
    )
    head = f'duration = "{duration_s + START_S:g} s"\nprogress = "1 s"\n'
    return f'name = "winf-utility"\n{head}\n{radio}{flows}\n[topology]\nkind = "positions"\npositions = [{places}]\n'


SIDE_M = 500.0
"""Side of the middle area, in which the relays of `mobile_utility` move, in m."""


def mobile_utility(*, duration_s: float = 120.0) -> str:
    """The utility scenario with two relays that move in the middle area; sources and sinks rest at its edges."""
    text = utility(duration_s=duration_s).replace("winf-utility", "winf-utility-mobile")
    text = text[: text.index("\n[topology]")]
    for old, new in (("to = 4", "to = 2"), ("to = 5", "to = 3")):
        text = text.replace(old, new)
    middle = SIDE_M / 2.0
    places = ", ".join(f"[{x:g}, {middle + y:g}]" for x in (0.0, SIDE_M) for y in (-40.0, 40.0))
    moving = f'kind = "waypoint"\nmin_speed = "10 m/s"\nmax_speed = "30 m/s"\narea = ["{SIDE_M:g} m", "{SIDE_M:g} m"]'
    return f'{text}\n[mobility]\n{moving}\n\n[topology]\nkind = "positions"\npositions = [{places}]\nmobile_nodes = 2\n'


START_S = 60.0
"""Start of the flows of the utility scenario, in s: when DSDV has found its routes."""

NEVER_MARGIN_S = 0.5


def never(duration_s: float) -> str:
    """A start after most of the run, which disables measurement traffic."""
    return f"{duration_s - NEVER_MARGIN_S:g} s"


def pair(*, duration_s: float = 60.0) -> str:
    """Figure 2: two nodes, a call's rate between them, and AdHoc Probe if it starts."""
    return _estimators("winf-pair", 1, duration_s, ftp=False)


def chain(*, duration_s: float = 60.0) -> str:
    """Figures 4 and 5: mobile, mesh, mesh, mobile; AdHoc Probe and a saturating flow if they start."""
    return _estimators("winf-chain", 3, duration_s, ftp=False)


def files(*, duration_s: float = DURATION_S) -> str:
    """Figure 6: the same chain with files; one more in each fifth of the run, after probes that travel alone."""
    return _estimators("winf-files", 3, duration_s, ftp=True)


def _estimators(name: str, hops: int, duration_s: float, *, ftp: bool) -> str:
    fifth = (duration_s - PROBING_S) / FLOWS
    probe = '\n[[flow]]\nfrom = "first"\nto = "last"\napp = "{app}"\ntransport = "udp"\nsegment = {segment}\n'
    flows = probe.format(app="winf_probe", segment=1480) + 'start = "1 s"\n' if ftp else ""
    if ftp:
        for n in range(FLOWS):
            flows += '\n[[flow]]\nfrom = "first"\nto = "last"\ntransport = "new_reno"\nsegment = 1460\nwindow = 20\n'
            flows += f'start = "{PROBING_S + n * fifth:g} s"\n'
    else:
        flows += probe.format(app="cbr", segment=512) + 'rate = "64 kb/s"\nstart = "1 s"\n'
        flows += probe.format(app="adhoc_probe", segment=1480) + f'start = "{never(duration_s)}"\n'
        flows += probe.format(app="cbr", segment=1470) + f'rate = "11 Mb/s"\nstart = "{never(duration_s)}"\n'
    return f"""\
name = "{name}"
duration = "{duration_s:g} s"
goodput_interval = "1 s"

[topology]
kind = "chain"
hops = {hops}
spacing = "200 m"

[radio]
rx_range = "250 m"
cs_range = "500 m"

[mac]
data_rate = "11 Mb/s"
basic_rate = "1 Mb/s"

[winf]
everywhere = true

[idle_gap]
everywhere = true

[routing]
protocol = "static"
{flows}"""


FLOWS = 5
"""Limit of concurrent files in Figure 6."""

PROBING_S = 5.0
"""Time of the probes of Figure 6, in s, before the first file."""

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
