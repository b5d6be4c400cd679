"""The ground of the comparison of TCP variants (Shivaranjani, Kameswaran): seven senders in mobile ad hoc networks.

Four sweeps of 16 settings together: frame error rate, speed, number of nodes, number of connections. A seed is a
placement: its positions, movement, links and pairs follow from it alone, for every variant and setting.
"""

from __future__ import annotations

from hoplab.report.model import Item
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_studies.shared.measures import in_range
from hoplab_studies.shared.networks import QUEUE_50, rates, seconds, waypoint
from hoplab_studies.shared.study import Grid, Part, Variation
from hoplab_studies.shared.verdict import Condition
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.checks import chains

VARIANTS = {
    "bic": "BIC",
    "compound": "Compound",
    "cubic": "CUBIC",
    "reno": "NewReno",
    "vegas": "Vegas",
    "veno": "Veno",
    "westwood_plus": "Westwood",
}
"""Names in scenarios, and in the paper; all with the Linux-style sender."""

DURATION_S, QUICK_S = 600.0, 100.0
"""Length of a run, in s; that of a quick one."""

ERROR_RATES = (0.01, 0.05, 0.10, 0.25)
SPEEDS = ("1 m/s", "2 m/s", "3 m/s", "4 m/s", "5 m/s")
NODES = (100, 200, 300)
CONNECTIONS = (2, 4, 6, 8)

TWO_RAY = {"radio.propagation": "two_ray", "radio.frequency": "914 MHz"}
"""The reception range of 250 m that most papers have."""

PER_FRAME = {
    "radio.shadowing_coherence": "frame",
    "radio.rx_threshold": "2.055988e-12 W",
    "radio.cs_threshold": "8.786274e-14 W",
}
"""As ns-2: a draw for every frame; 95 % of frames arrive over 250 m at 2.4 GHz, and carrier is sensed at 1/23.4 of that
power, the ratio of ns-2's own two thresholds."""

NS2_DEFAULTS = {
    "radio.shadowing_coherence": "frame",
    "radio.frequency": "914 MHz",
    "radio.path_loss_exponent": 2.0,
}
"""ns-2's shadowing as it comes, with the thresholds of its two-ray radio: 99.0 % of frames arrive over 250 m."""

WIDER = {"radio.rx_range": "100 m", "radio.cs_range": "320 m"}
"""A median reception range of 100 m, and carrier sense as much farther as before."""


def _instead(name: str, assumption: str, old: str, new: str, changes: dict[str, object]) -> Variation:
    """One sender in place of one of the seven; the others' runs are those of the default series."""
    key = "traffic.transport"
    return Variation(name, assumption, changes, {key: (new,)}, {key: tuple(one for one in VARIANTS if one != old)})


WESTWOOD = _instead(
    "westwood",
    "Westwood's threshold of bandwidth times least round-trip time, in place of Reno's half in ns-2's port",
    "westwood_plus",
    "westwood",
    {},
)
NS2_VEGAS = _instead(
    "ns2-vegas", "ns-2's own Vegas, in place of Linux's", "vegas", "vegas", {"tcp.profile": "ns2_oneway"}
)
SENDERS = (WESTWOOD, NS2_VEGAS)
"""Other readings of single variants. The text gives Westwood's threshold as BWE * RTT."""

LABELS = {**VARIANTS, "westwood": "Westwood (BWE * RTT)"}

ASSUMPTIONS = (
    Item("simulator", "ns-2 profile of hoplab", "The paper names ns-2."),
    Item("variants", "Linux-style senders with SACK", "The paper: as in Windows and Linux. ns-2's TCP/Linux has them."),
    Item("settings", "4 error rates, 5 speeds, 3 numbers of nodes, 4 of connections", "112 runs over 7 variants."),
    Item("placements", "a seed each, the same for all variants and settings", "The paper ran each setting once."),
    Item("area, time", "850 m by 850 m, 600 s", "Stated."),
    Item("nodes, connections, speed", "200, 4, uniform from 1 to 5 m/s", "Not stated where not swept."),
    Item("speed sweep", "every node at exactly that speed", "Speeds are stated as single values."),
    Item("pairs", "random, at least 2 hops apart at the start", "Not stated; neighbors would not notice movement."),
    Item("start", "uniform within the first 10 s", "Not stated."),
    Item("segment, window", "512 bytes, 128 segments", "Stated."),
    Item("MAC", "802.11b, 11 Mb/s data, 1 Mb/s basic, RTS/CTS, long preamble", "Rate stated, the rest is usual."),
    Item("routing", "AODV", "Stated."),
    Item("shadowing", "exponent 2.7, 4 dB, one draw per link, median range 64 m", "Only the model is stated."),
    Item("errors", "each frame at each receiver with the same probability", "Usual in ns-2; rates are not stated."),
    Item("movement", "random waypoint in its stationary state, no pause", "BonnMotion's own warm-up of an hour."),
    Item("throughput", "payload at all sinks, repeats included; per connection where these are swept", "Not defined."),
    Item("drops", "any packet at any node and layer, each copy once", "RFC 5166, cited, has loss rates: tried."),
    Item("delay", "mean of means over placements", "Not defined; medians over placements are tried."),
    Item("Westwood", "ns-2's port, whose threshold is Reno's half", "The text's threshold, BWE * RTT, is tried."),
    Item("percentages", "of the larger value, or of the first: either counts", "Not defined; both readings are given."),
)  # fmt: skip

QUICK = Item(
    "--quick", f"{QUICK_S:g} s in place of {DURATION_S:g} s, and no other series", "Minutes in place of hours."
)


def network(part: str, duration_s: float = DURATION_S) -> Scenario:
    """The network of one sweep."""
    return Scenario.from_dict(
        name=f"variants-{part}",
        duration=seconds(duration_s),
        topology={"kind": "random", "nodes": 200, "area": ["850 m", "850 m"]},
        mobility=waypoint("1 m/s", "5 m/s"),  # stationary from the start
        radio={
            "frequency": "2.4 GHz",
            "propagation": "shadowing",
            "path_loss_exponent": 2.7,
            "shadowing_deviation_db": 4.0,
            "shadowing_coherence": "link",
            "errors": {"model": "uniform_packet" if part == "errors" else "none"},
        },
        mac=rates("11 Mb/s"),
        queue=QUEUE_50,
        routing={"protocol": "aodv"},
        tcp={"profile": "ns2_linux"},
        traffic={
            "kind": "tcp",
            "pairs": "random",
            "connections": 4,
            "min_hops": 2,
            "transport": "reno",
            "segment": 512,
            "window": 128,
            "start_window": "10 s",
        },
    )


def controllers_part() -> Part:
    """Static chains on which ns-2's TCP/Linux was run with the same seven controllers."""
    chain = scenarios.chain(4, "reno", tcp_profile="ns2_linux")
    return Part("controllers", chain, {"topology.hops": (1, 4, 8), "flow.transport": tuple(VARIANTS)})


SHARE = 0.03
"""How far goodput may lie from ns-2's; the sum of the half-widths where that is more."""


def controllers_agree(grid: Grid) -> list[Condition]:
    """V23: goodput over chains against the stored runs of ns-2."""
    found = []
    for (algorithm, hops), theirs in chains.LINUX.goodputs(chains.LINUX.chains).items():
        transport = chains.LINUX_TRANSPORTS[algorithm]
        goodputs = [value * 1e-3 for value in grid.at(hops=int(hops), transport=transport).values("goodput_bps")]
        ours = mean_interval(goodputs)
        allowed = max(SHARE * theirs.mean, (ours.half_width or 0.0) + (theirs.half_width or 0.0))
        wanted = (theirs.mean - allowed, theirs.mean + allowed)
        what = f"goodput of {VARIANTS[transport]} over {hops} hops, kb/s"
        found.append(in_range(what, ours, wanted).denied_by_interval())
    return found
