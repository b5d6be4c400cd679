"""Small scenarios in which everything that a trace can show happens."""

from __future__ import annotations

from hoplab.scenario.model import Scenario

TRANSPORTS = {
    "new_reno": "",
    "sack": "",
    "vegas": "",
    "tcp_ap": "",
    "semi_tcp": "",
    "muzha": "",
    "split_tcp": "",
    "xcp": "",
    "xcp_winf": "",
    "rcp": "",
    "rcp_winf": "",
    "udp": 'app = "cbr"\nrate = "400 kb/s"\n',
}
"""A transport for every kind of packet, with the keys that its flow needs."""


def scenario(transport: str, *, routing: str = "static", hops: int = 5, duration: str = "6 s") -> Scenario:
    """A chain with a short queue, so that packets are dropped."""
    semi = "[semi_tcp]\nt_c = 1\nk = 1\n" if transport == "semi_tcp" else ""
    muzha = "[muzha]\noption_bytes = 4\necho_bytes = 4\n" if transport == "muzha" else ""
    return Scenario.from_text(
        f'name = "{transport}"\nduration = "{duration}"\n[topology]\nkind = "chain"\nhops = {hops}\n[routing]\n'
        f'protocol = "{routing}"\n[queue]\nlimit = 4\n{semi}{muzha}[[flow]]\ntransport = "{transport}"\n'
        f"{TRANSPORTS[transport]}",
        path=f"{transport}.toml",
    )
