"""The ground of the study of the kernel's TCP: chains of nodes, the kernel's controllers, and our models of them."""

from __future__ import annotations

from hoplab.report.model import Item
from hoplab.scenario.model import Scenario
from hoplab_studies.linux_over_hops.kernel_runs import KernelRunner
from hoplab_studies.shared.networks import Table, seconds
from hoplab_studies.shared.study import Part, Variation

HOPS = (1, 2, 4, 8, 16)
QUICK_HOPS = (1, 2, 4)

CONTROLLERS = ("reno", "cubic", "bbr", "vegas", "westwood")
"""Controllers of the kernel that are judged by default, as the kernel names them (net/ipv4/Kconfig)."""

BY_LOSS = ("bic", "veno", "htcp", "illinois", "hybla", "scalable", "highspeed", "yeah")
"""Further controllers of the kernel, which reduce the window after a loss."""

BY_DELAY = ("cdg", "nv", "lp", "dctcp")
"""Further ones that react to delay, or to marks (which no queue here sets)."""

QUICK_CONTROLLERS = ("reno", "cubic", "bbr", "vegas")

CONNECTIONS = {"reno": "tcp_reno", "cubic": "tcp_cubic", "bbr": "tcp_bbr"}
"""Our connections with a controller of the kernel."""

AGENTS = {
    "reno": "new_reno",
    "cubic": "cubic",
    "vegas": "vegas",
    "westwood": "westwood_plus",
    "bic": "bic",
    "veno": "veno",
}
"""Our one-way agents with a controller of the kernel."""

REPEATED = ("reno", "cubic", "bbr")
"""Controllers whose runs over `REPEATED_HOPS` hops are executed twice."""

REPEATED_HOPS = 4

WARMUP_S, END_S = 5.0, 25.0
"""Bytes count from the first to the second, s."""

DURATION_S = END_S + 1.0
SEEDS = 10
SEGMENT = 1448
"""Payload of a segment with timestamps over an MTU of 1500 bytes."""

AGENT_WINDOW = 1000
"""Of one-way agents, in segments: no bound, as the kernel's buffers of 6 MB."""

_AGENT: Table = {
    "tcp": {
        "profile": "ns2_linux",
        "delayed_ack": True,
        "delayed_ack_timeout": "40 ms",
        "timestamps": True,
        "timestamp_bytes": 12,
    }
}
_CONNECTION: Table = {"stream": {"slow_start": "hystart", "first_growth": 0.05}}

ASSUMPTIONS = (
    Item("network", "a chain of links of 200 m at 2 Mb/s with RTS/CTS, static routes, queues of 50 packets"),
    Item("kernel", "Linux 6.12 in virtual time", "Its TCP is Debian's; the build sets timers to 250 Hz."),
    Item("programs", "a sender without end and a receiver that reads at once", "python/hoplab/running/real/ends.py."),
    Item("buffers", "the kernel's own, up to 6 MB", "Our connections and agents have no bound that is reached."),
    Item("connections", "slow start of CUBIC as in the kernel", "HyStart; at least 5 % per round trip until a loss."),
    Item("agents", "an acknowledgment for two segments or after 40 ms", "The kernel's receiver has no such constant."),
    Item("time", f"{END_S - WARMUP_S:g} s after {WARMUP_S:g} s; {SEEDS} seeds", "Seeds set backoff and ports."),
)  # fmt: skip


def parts(*, quick: bool) -> tuple[Part, ...]:
    """The models, some runs of the kernel for a comparison with themselves, and the kernel's controllers."""
    names, hops = (QUICK_CONTROLLERS, QUICK_HOPS) if quick else (CONTROLLERS, HOPS)
    kernel = KernelRunner(warmup_s=WARMUP_S, end_s=END_S)
    over = {"topology.hops": hops}
    agents = tuple(model for name, model in AGENTS.items() if name in names or not quick)
    return (
        Part("connections", of_model("tcp_reno"), {"flow.transport": tuple(CONNECTIONS.values()), **over}),
        Part("agents", of_model("new_reno"), {"flow.transport": agents, **over}),
        Part("again", of_kernel(), {"name": REPEATED, "topology.hops": (REPEATED_HOPS,)}, runner=kernel),
        Part("kernel", of_kernel(), {"name": names, **over}, () if quick else _further(), runner=kernel),
    )


def _further() -> tuple[Variation, ...]:
    """Series of further controllers, each beside those of the default series."""
    reuse = {"name": CONTROLLERS}
    loss = f"{len(BY_LOSS)} further controllers that react to losses"
    delay = f"{len(BY_DELAY)} further controllers that react to delay or marks"
    return (
        Variation("by-loss", loss, {}, {"name": BY_LOSS}, reuse),
        Variation("by-delay", delay, {}, {"name": BY_DELAY}, reuse),
    )


def of_kernel() -> Scenario:
    """A chain whose ends have devices."""
    return _chain(CONTROLLERS[0], DURATION_S, live={"mtu": 1500, "nodes": [0, -1]})


def of_model(transport: str) -> Scenario:
    """A chain with a flow of one of our transports."""
    flow = {"transport": transport, "segment": SEGMENT}
    if transport.startswith("tcp_"):
        sender = {**_CONNECTION, "flow": [flow]}
    else:
        sender = {**_AGENT, "flow": [{**flow, "window": AGENT_WINDOW}]}
    return _chain("linux-over-hops", END_S, warmup=seconds(WARMUP_S), **sender)


def _chain(name: str, duration_s: float, **tables: object) -> Scenario:
    topology = {"kind": "chain", "hops": 1, "spacing": "200 m"}
    return Scenario.from_dict(name=name, duration=seconds(duration_s), topology=topology, link={"arp": False}, **tables)
