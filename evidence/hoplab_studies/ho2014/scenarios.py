"""The ground of the study of 802.11n meshes of several radios (Ho, Lam, Chong, Liew 2014).

A relay with a radio for each channel is two nodes joined by a wire of 1 Gb/s: pairs of nodes of different hops are so
far apart that they do not sense each other, as if on other channels. In the parts with one channel all hops share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoplab.report.model import Item
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.networks import Table, seconds
from hoplab_studies.shared.study import Part, Variation

HOPS = (1, 2, 3, 4, 5, 8)
"""Hops of the default series."""

UP_TO_FIVE = (2, 3, 4, 5)
"""Hops that the paper compares: several, up to five."""

MOST = 8
"""Hops of each network; a flow uses the first of them."""

SEGMENT, WINDOW = 1448, 45
"""Payload of a segment in bytes, and the window in segments: 64 KB, the largest without window scaling."""

SMALL_WINDOW, LARGE_WINDOW = 12, 360
CONNECTIONS = (1, 2, 4, 8)

_HT = {"standard": "11n", "bandwidth": "40 MHz", "streams": 2}
MODES: Mapping[str, tuple[Table, Table]] = {
    "11a": ({"standard": "11a"}, {"data_rate": "54 Mb/s"}),
    "11n": (_HT, {"mcs": 15, "short_gi": True}),
    "single": (_HT, {"mcs": 15, "short_gi": True, "ampdu": "0 B"}),
}
"""Keys of `[radio]` and `[mac]`: 802.11a at 54 Mb/s; 802.11n at 300 Mb/s, with A-MPDUs and with single frames."""

LABELS = {"11a": "802.11a", "11n": "802.11n, A-MPDU", "single": "802.11n, single frames"}

DURATION_S, WARMUP_S = 3.0, 1.0
"""Length of a run, and of its start that is not measured, s."""

APART_M = 20_000.0
"""Distance between pairs of nodes of different channels, m."""

SPACING_M = 12.0
"""Length of a hop, m: the fastest modes decode every frame (SNR 27.9 dB in 40 MHz)."""

RELAY = Variation("relay", "each node takes 2.5 ms per packet before the MAC has it", {"link.delay": "2.5 ms"})
SMALL = Variation("window", "a window of 12 segments (17 KB) in place of 45 (64 KB)", {"flow.window": SMALL_WINDOW})
BOTH = RELAY.along("both", f"{RELAY.assumption}, and {SMALL.assumption}", SMALL)
NARROW = Variation(
    "narrow",
    "one stream in 20 MHz at 65 Mb/s in place of two in 40 MHz at 300 Mb/s",
    {"radio.bandwidth": "20 MHz", "radio.streams": 1, "mac.mcs": 7, "mac.short_gi": False},
)
SINGLE = Variation("single", "802.11n without aggregation", {"mac.ampdu": "0 B"})

QUEUES = Variation("queues", "queues of 1,000 packets in place of 100", {"queue.limit": 1000})

ASSUMPTIONS = (
    Item("source", "title, abstract and bibliographic data", "The text of the paper is not openly available."),
    Item("network", "hops in a row, each on a channel of its own", "Abstract: several radios, up to five hops."),
    Item("relays", "no time of their own", "Not known; 2.5 ms per packet and node is tried."),
    Item("rates", "54 Mb/s; 300 Mb/s (MCS 15, 40 MHz, short guard interval)", "Abstract: a much higher data rate."),
    Item("rate control", "none: each frame at these rates", "Not known; Minstrel is in a table."),
    Item("distances", "12 m, no losses", "Not known."),
    Item("TCP", "CUBIC, segments of 1448 bytes, window of 64 KB", "Not known; 17 KB and 521 KB are tried."),
    Item("queues", "100 packets at each node", "Not known; 1,000 are tried with 8 connections."),
    Item("time", "2 s after 1 s; a run has 20 seeds", "Backoff is the only randomness."),
)  # fmt: skip


def end_of(hops: int) -> int:
    """The node at which a path of several channels ends after so many hops."""
    return 2 * hops - 1


def parts(*, quick: bool) -> tuple[Part, ...]:
    """Paths of several channels, of one channel, with parallel connections, and with rate controls."""
    hops = (1, 2, 5) if quick else HOPS
    axes = {"flow.to": tuple(map(end_of, hops))}
    both = () if quick else (RELAY, SMALL, BOTH)
    ht = () if quick else (NARROW, SINGLE)
    several = [
        Part("11a", several_channels("11a"), axes, both),
        Part("11n", several_channels("11n"), axes, (*both, *ht)),
        Part("single", several_channels("single"), axes),
    ]
    one = [Part(f"one-{mode}", one_channel(mode), {"flow.to": hops}) for mode in MODES]
    return (*several, *one, *_connections(quick=quick), *_adaptive(), _windows(), _datagrams())


def several_channels(mode: str, *flows: Table, mac: Table | None = None) -> Scenario:
    """A path whose hops are on channels of their own, with one file over its first hop or other flows."""
    places = [[x, 0.0] for hop in range(MOST) for x in (hop * APART_M, hop * APART_M + SPACING_M)]
    wire = {"rate": "1 Gb/s", "delay": "10 us"}
    wires = [{"between": [2 * hop + 1, 2 * hop + 2], **wire} for hop in range(MOST - 1)]
    return _network(
        f"several-{mode}",
        (MODES[mode][0], mac or MODES[mode][1]),
        {"kind": "positions", "positions": places},
        flows or (_file(end_of(1)),),
        wire=wires,
    )


def one_channel(mode: str) -> Scenario:
    """A path whose hops share a channel."""
    topology = {"kind": "chain", "hops": MOST, "spacing": f"{SPACING_M:g} m"}
    return _network(f"one-{mode}", MODES[mode], topology, (_file(1),))


def _network(
    name: str, keys: tuple[Table, Table], topology: Table, flows: Sequence[Table], **tables: object
) -> Scenario:
    radio, mac = keys
    attenuation = {"propagation": "shadowing", "shadowing_deviation_db": 0, "path_loss_exponent": 3}
    return Scenario.from_dict(
        name=f"ho2014-{name}",
        profile="std",
        duration=seconds(DURATION_S),
        warmup=seconds(WARMUP_S),
        topology=topology,
        radio={**radio, **attenuation, "tx_power": "40 mW"},
        mac={**mac, "rts_threshold": 4_692_480},
        link={"arp": False},
        queue={"limit": 100},
        routing={"protocol": "static"},
        flow=flows,
        **tables,
    )


def _file(to: int, **more: object) -> Table:
    ends = {"from": 0, "to": to}
    return {**ends, "transport": "cubic", "app": "ftp", "segment": SEGMENT, "window": WINDOW, **more}


def _connections(*, quick: bool) -> list[Part]:
    """Five hops of 802.11n with one and more connections; each begins 10 ms after the one before it."""

    def flows(count: int) -> list[Table]:
        return [_file(end_of(5), start=f"{10 * index} ms") for index in range(count)]

    axes = {"flow.to": (end_of(5),)}
    tried = () if quick else (QUEUES,)
    return [
        Part(f"connections-{count}", several_channels("11n", *flows(count)), axes, tried if count > 1 else ())
        for count in CONNECTIONS
    ]


def _adaptive() -> list[Part]:
    """Rate controls in place of the fastest rate."""
    controls: Mapping[str, Table] = {
        "11a": {"rate_control": "minstrel"},
        "11n": {"rate_control": "minstrel_ht", "short_gi": True},
    }
    axes = {"flow.to": (end_of(1), end_of(5))}
    return [Part(f"adaptive-{mode}", several_channels(mode, mac=mac), axes) for mode, mac in controls.items()]


def _windows() -> Part:
    """Five hops of 802.11n with other windows."""
    axes = {"flow.to": (end_of(5),), "flow.window": (SMALL_WINDOW, WINDOW, LARGE_WINDOW)}
    return Part("windows", several_channels("11n"), axes)


def _datagrams() -> Part:
    """What five hops of 802.11n carry without TCP."""
    flow = {"from": 0, "to": end_of(5), "transport": "udp", "app": "cbr", "segment": 1472, "rate": "260 Mb/s"}
    return Part("datagrams", several_channels("11n", flow), {"flow.to": (end_of(5),)})
