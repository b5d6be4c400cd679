"""The networks of the TCP Muzha study (Lien, undated), and its series: chains, a cross, and chains that lose frames.

The chains are those of the product's first study (`hoplab.demo`).
"""

from __future__ import annotations

import math

from hoplab.demo import chains
from hoplab.report.model import Item
from hoplab.scenario.drai import drai_grid
from hoplab.scenario.model import Scenario
from hoplab_studies.shared.networks import AODV
from hoplab_studies.shared.study import Variation

HOPS = (2, 4, 6, 8, 12, 16, 24, 32)
CROSS_HOPS = (4, 6, 8)


CROSSING = ("vegas", "muzha", "new_reno")
"""What goes across while NewReno goes down."""

SPACING = Variation("200m", "nodes 200 m apart in place of 250 m", {"topology.spacing": "200 m"})
WINDOW = Variation("window32", "a window limit of 32 segments in place of 20", {"flow.window": 32})
FEW_QUEUED = Variation(
    "vegas-1",
    "Vegas that keeps one segment in the network's queues, in place of 1 to 3",
    {"tcp.congestion.vegas.alpha": 1, "tcp.congestion.vegas.beta": 1},
)
BUSIER = Variation(
    "busier",
    "a busy medium that caps the level at 3 from 0.97 on, at 2 from 1 on, in place of 0.85 and 0.97",
    {"muzha.drai.u2": 0.97, "muzha.drai.u3": 1.0},
)
WAITING = Variation(
    "queueing-time",
    "the level by queueing time in place of queue length and busy medium",
    {"muzha.drai.mode": "table", "muzha.drai.table.delay": [0.002, 0.02, 0.05, 0.2]},
)


def _estimated(name: str, title: str, used: list[float]) -> Variation:
    """The level by queue length and by available bandwidth, as an estimator of the engine has it."""
    return Variation(
        name,
        f"the level by queue length and {title}'s available bandwidth in place of the busy medium",
        {
            f"{name}.everywhere": True,
            "muzha.drai.mode": "table",
            "muzha.drai.table.queue": [0.05, 0.4, 1.0, 4.0],
            "muzha.drai.table.used": used,
        },
    )


ESTIMATED = (
    _estimated("idle_gap", "IdleGap", [0.7, 0.85, 0.97, 2.0]),
    _estimated("winf", "rt-Winf", [0.7, 0.85, 0.97, 2.0]),
)


def headroom(*, queue: float, busy: float) -> float:
    """A level that falls with the queue and the busy share together, in place of the lower of two levels."""
    return max(1.0, 5.0 - 2.0 * math.sqrt(queue) - 6.0 * max(0.0, busy - 0.65))


FORMULA = Variation(
    "formula",
    "the level by one formula of queue and busy medium, 5 - 2 sqrt(q) - 6 (u - 0.65), in place of the lower of two",
    drai_grid(
        headroom,
        queue=(0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.5, 4.0),
        busy=(0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98),
    ),
)
SIGNALS = (BUSIER, WAITING, *ESTIMATED, FORMULA)
APART = Variation("apart", "NewReno starting 2 s after the other in place of both together", {"flow.1.start": "3 s"})


def _losing(name: str, rate: str) -> Variation:
    changes = {"radio.errors.model": "uniform_packet", "radio.errors.frame_error_rate": float(rate) / 100.0}
    return Variation(name, f"a frame error rate of {rate} % in place of none", changes)


LOSS_1, LOSS_2 = _losing("loss1", "1"), _losing("loss2", "2")

OF_CHAINS = (AODV, SPACING, WINDOW, LOSS_1, LOSS_2, FEW_QUEUED, *SIGNALS)
"""Series of the chains."""


def chain() -> Scenario:
    """One flow over a chain."""
    return Scenario.from_text(chains.SCENARIO, path="muzha-chain.toml")


def cross() -> Scenario:
    """Vegas across, and NewReno down."""
    flow = {"app": "ftp", "segment": 1460, "window": 20, "start": "1 s"}
    flows = [{**flow, "transport": name} for name in ("vegas", "new_reno")]
    return chain().with_({"name": "muzha-cross", "topology.kind": "cross", "flow": flows})


def lossy_chain() -> Scenario:
    """Muzha over a chain that loses 1 % of the frames."""
    return chain().with_({"name": "muzha-chain-loss", "flow.transport": "muzha", **LOSS_1.changes})


def assumptions() -> tuple[Item, ...]:
    """Those of the chains, with this study's own in place of their hop counts."""
    kept = [item for item in chains.ASSUMPTIONS if item.name not in {"chains", "random loss"}]
    hops = ", ".join(map(str, HOPS))
    return (
        *kept,
        Item("chains", f"{hops} hops", "The paper names 4, 8 and 16 hops and 4 to 32 nodes, read as up to 32 hops."),
        Item("cross", "4, 6, 8 hops per arm pair; both flows start in second 1", "Sizes and starts are not stated."),
        Item(
            "other series",
            "AODV; 200 m; window limit 32; frame errors; Vegas with alpha = beta = 1; starts 2 s apart; other levels",
            "What is left open, run too.",
        ),
        Item("random loss", "none; frame error rates of 1 and 2 % as series of their own", "No error model is named."),
        Item("level of Muzha's routers", "hoplab's formula, calibrated on other chains", "No formula is published."),
    )
