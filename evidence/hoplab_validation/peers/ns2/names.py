"""What ns-2.35 calls what a scenario names: agents, modules of its Linux sender, variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoplab_validation.peers.resolved import Resolved

AGENTS = {
    "tahoe": "Agent/TCP",
    "reno": "Agent/TCP/Reno",
    "new_reno": "Agent/TCP/Newreno",
    "sack": "Agent/TCP/Sack1",
    "vegas": "Agent/TCP/Vegas",
    "xcp": "Agent/TCP/Reno/XCP",
}
"""One-way TCP agents of ns-2.35 by our transport names."""

LINUX_PROFILE = "ns2_linux"
"""Value of `tcp.profile` that means the Linux agent."""

LINUX_MODULES = {
    "reno": "reno",
    "new_reno": "reno",
    "sack": "reno",
    "vegas": "vegas",
    "veno": "veno",
    "westwood_plus": "westwood",
    "bic": "bic",
    "cubic": "cubic",
    "compound": "compound",
}
"""Modules of its Linux agent, under `tcp.profile = "ns2_linux"`."""

MAC_VARIABLES = {
    "data_rate_bps": "dataRate_",
    "basic_rate_bps": "basicRate_",
    "ssrl": "ShortRetryLimit_",
    "slrl": "LongRetryLimit_",
    "cw_min": "CWMin_",
    "cw_max": "CWMax_",
    "rts_threshold": "RTSThreshold_",
}
"""Keys of `[mac]` that ns-2 can set, also per node."""

TCP_VARIABLES = {
    "min_rto_s": "minrto_",
    "max_rto_s": "maxrto_",
    "initial_rto_s": "rtxcur_init_",
    "tick_s": "tcpTick_",
    "initial_window": "windowInit_",
    "limited_transmit": "singledup_",
    "dup_ack_threshold": "numdupacks_",
}
"""Keys of `[tcp]` that are variables of ns-2's agents."""

VEGAS_VARIABLES = {
    "congestion.vegas.alpha": "v_alpha_",
    "congestion.vegas.beta": "v_beta_",
    "congestion.vegas.gamma": "v_gamma_",
}
"""Keys of `[tcp]` that are variables of ns-2's Vegas."""

LINUX_PARAMETERS = {
    "congestion.linux_vegas.alpha": ("vegas", "alpha", 2.0),
    "congestion.linux_vegas.beta": ("vegas", "beta", 2.0),
    "congestion.linux_vegas.gamma": ("vegas", "gamma", 2.0),
    "congestion.bic.low_window": ("bic", "low_window", 1.0),
    "congestion.bic.max_increment": ("bic", "max_increment", 1.0),
    "congestion.bic.smooth_part": ("bic", "smooth_part", 1.0),
    "congestion.bic.fast_convergence": ("bic", "fast_convergence", 1.0),
    "congestion.cubic.fast_convergence": ("cubic", "fast_convergence", 1.0),
    "congestion.cubic.friendly": ("cubic", "tcp_friendliness", 1.0),
}
"""Keys of `[tcp]` that are parameters of Linux modules: module, name, and the factor between ours and theirs."""


def is_xcp(scenario: Resolved) -> bool:
    """Whether any flow is XCP's, which nodes have queues of their own for."""
    return any(flow.transport == "xcp" for flow in scenario.flows)


def is_linux(scenario: Resolved) -> bool:
    """Whether senders are the Linux agent with its modules."""
    return bool(scenario.tcp.get("profile") == LINUX_PROFILE)


def dotted(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A table with the keys of its tables written with dots."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= dotted(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat
