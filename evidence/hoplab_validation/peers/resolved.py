"""The resolved scenario (`hoplab._core.resolve`) as typed values in SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Radio:
    """Powers in watts, frequency and bandwidth in hertz, height in metres; gains and ratio are plain ratios.

    `errors` and `sinr` are the tables of the error model and of the receiver that adds interference up.
    """

    propagation: str
    rx_model: str
    tx_power_w: float
    frequency_hz: float
    antenna_height_m: float
    tx_gain: float
    rx_gain: float
    system_loss: float
    rx_threshold_w: float
    cs_threshold_w: float
    capture_ratio: float
    path_loss_exponent: float = 2.0
    shadowing_deviation_db: float = 4.0
    reference_distance_m: float = 1.0
    shadowing_coherence: str = "frame"
    errors: Mapping[str, Any] = field(default_factory=lambda: {"model": "none"})
    noise_figure_db: float = 7.0
    bandwidth_hz: float = 22e6
    sinr: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mac:
    """Rates in bit/s, `rts_threshold` and `data_overhead` in bytes, windows in slots."""

    profile: str
    data_rate_bps: float
    basic_rate_bps: float
    preamble: str
    rts_threshold: int
    ssrl: int
    slrl: int
    cw_min: int
    cw_max: int
    data_overhead: int
    coverage_class: int


@dataclass(frozen=True)
class Flow:
    """One flow; `segment` in bytes, `window` in segments, times in seconds, rate in bit/s."""

    id: int
    src: int
    dst: int
    app: str
    transport: str
    segment: int
    window: int
    start_s: float
    stop_s: float | None
    rate_bps: float | None
    is_random: bool = False
    on_mean_s: float | None = None
    off_mean_s: float | None = None
    talk_spurts: bool = False
    max_packets: int | None = None
    max_datagram: int | None = None
    start_spread_s: float = 0.0


@dataclass(frozen=True)
class Resolved:
    """A resolved scenario."""

    name: str
    profile: str
    duration_s: float
    warmup_s: float
    seed: int
    positions: tuple[tuple[float, float], ...]
    radio: Radio
    mac: Mac
    arp: bool
    link_delay_s: float
    queue_limit: int
    routing: Mapping[str, Any]
    tcp: Mapping[str, Any]
    nodes: Mapping[int, Mapping[str, Any]]
    flows: tuple[Flow, ...]
    others: Mapping[str, Any]
    mobility: Mapping[str, Any]
    drawn: bool

    @property
    def extra_bytes(self) -> int:
        """Bytes the routing adds to every segment and acknowledgment."""
        return int(self.routing.get("extra_bytes", 0))

    @property
    def udp_header(self) -> int:
        """Header bytes of a datagram."""
        return int(self.routing.get("udp_header", 20))

    @property
    def moves(self) -> bool:
        """Whether its nodes move."""
        return str(self.mobility.get("kind", "still")) != "still"

    def measured_from(self, flow: Flow) -> float:
        """Start of a flow's measured window: the later of warm-up and its start, in seconds."""
        return max(self.warmup_s, flow.start_s)

    def measured_s(self, flow: Flow) -> float:
        """Length of a flow's measured window in seconds."""
        return self.duration_s - self.measured_from(flow)


def word(value: Any) -> str:
    """A number or truth value as peers read it."""
    return str(int(value)) if isinstance(value, bool) else repr(value)


KNOWN = {
    "name",
    "profile",
    "duration_s",
    "warmup_s",
    "goodput_interval_s",
    "seed",
    "topology",
    "radio",
    "mac",
    "link",
    "queue",
    "routing",
    "tcp",
    "nodes",
    "flows",
    "mobility",
    "traffic",
}
"""Tables and keys that `Resolved` has a place for; `others` keeps the rest. Flows of `traffic` are among the flows."""


def parse(scenario: Mapping[str, Any]) -> Resolved:
    """Typed view of the JSON object `scenario` of `resolve`.

    Raises
    ------
    KeyError
        If the engine's contract is broken.
    """
    radio, mac, link = scenario["radio"], scenario["mac"], scenario["link"]
    return Resolved(
        name=str(scenario["name"]),
        profile=str(scenario["profile"]),
        duration_s=float(scenario["duration_s"]),
        warmup_s=float(scenario["warmup_s"]),
        seed=int(scenario["seed"]),
        positions=tuple((float(x), float(y)) for x, y in scenario["topology"]["positions"]),
        radio=Radio(**{key: radio[key] for key in Radio.__dataclass_fields__ if key in radio}),
        mac=Mac(**{key: mac[key] for key in Mac.__dataclass_fields__}),
        arp=bool(link["arp"]),
        link_delay_s=float(link["delay_s"]),
        queue_limit=int(scenario["queue"]["limit"]),
        routing=dict(scenario["routing"]),
        tcp=dict(scenario["tcp"]),
        nodes={int(node["id"]): _parts(node) for node in scenario.get("nodes", ())},
        flows=tuple(_flow(flow) for flow in scenario["flows"]),
        mobility=dict(scenario.get("mobility", {})),
        drawn=bool(scenario["topology"].get("drawn", False)),
        others={key: value for key, value in scenario.items() if key not in KNOWN} | _managed(scenario["queue"]),
    )


def _parts(node: Mapping[str, Any]) -> dict[str, Any]:
    parts = {key: value for key, value in node.items() if key != "id" and value}
    return {key: dict(value) if isinstance(value, Mapping) else value for key, value in parts.items()}


def _flow(flow: Mapping[str, Any]) -> Flow:
    stop, rate, packets = flow.get("stop_s"), flow.get("rate_bps"), flow.get("max_packets")
    on, off = flow.get("on_mean_s"), flow.get("off_mean_s")
    longest = flow.get("max_datagram")
    return Flow(
        id=int(flow["id"]),
        src=int(flow["from"]),
        dst=int(flow["to"]),
        app=str(flow["app"]),
        transport=str(flow["transport"]),
        segment=int(flow["segment"]),
        window=int(flow["window"]),
        start_s=float(flow["start_s"]),
        stop_s=None if stop is None else float(stop),
        rate_bps=None if rate is None else float(rate),
        is_random=bool(flow.get("random")),
        on_mean_s=None if on is None else float(on),
        off_mean_s=None if off is None else float(off),
        talk_spurts=bool(flow.get("talk_spurts")),
        max_packets=None if packets is None else int(packets),
        max_datagram=None if longest is None else int(longest),
        start_spread_s=float(flow.get("start_spread_s") or 0.0),
    )


def _managed(queue: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of `[queue]` that drop-tail does not have, as dotted keys."""
    return {f"queue.{key}": value for key, value in queue.items() if key != "limit"}
