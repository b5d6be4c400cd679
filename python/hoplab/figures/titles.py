"""Words for legends and axes in place of the names of transports and the keys of scenarios."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

TRANSPORTS = {
    "udp": "UDP",
    "tahoe": "Tahoe",
    "reno": "Reno",
    "new_reno": "NewReno",
    "elfn": "TCP-ELFN",
    "tcp_f": "TCP-F",
    "atcp": "ATCP",
    "atp": "ATP",
    "tpa": "TPA",
    "wcp": "WCP",
    "sack": "SACK",
    "vegas": "Vegas",
    "veno": "Veno",
    "westwood": "Westwood",
    "westwood_plus": "Westwood+",
    "bic": "BIC",
    "cubic": "CUBIC",
    "compound": "Compound",
    "split_tcp": "Split TCP",
    "semi_tcp": "Semi-TCP",
    "tcp_ap": "TCP-AP",
    "muzha": "TCP Muzha",
    "xcp": "XCP",
    "xcp_b": "XCP-b",
    "xcp_winf": "XCP-Winf",
    "rcp": "RCP",
    "rcp_winf": "RCP-Winf",
    "tcp_reno": "TCP Reno",
    "tcp_cubic": "TCP CUBIC",
    "tcp_bbr": "BBRv1",
    "tcp_bbr3": "BBRv3",
    "tcp_dctcp": "DCTCP",
    "tcp_ledbat": "LEDBAT",
    "tcp_copa": "Copa",
    "quinn_new_reno": "quinn NewReno",
    "quinn_cubic": "quinn CUBIC",
    "quinn_bbr": "quinn BBR",
    "smoltcp_reno": "smoltcp Reno",
    "smoltcp_cubic": "smoltcp CUBIC",
    "tcp_vegas": "TCP Vegas",
    "tcp_veno": "TCP Veno",
    "tcp_westwood": "TCP Westwood",
}
"""Names as their papers write them."""

AXES = {
    "topology.hops": "hops",
    "topology.spacing": "spacing",
    "topology.nodes": "nodes",
    "flow.window": "window limit (segments)",
    "flow.rate": "offered rate",
    "flow.segment": "segment size",
    "queue.limit": "queue limit (packets)",
    "queue.kind": "queue discipline",
    "mac.data_rate": "data rate",
    "mac.rts_threshold": "RTS threshold (bytes)",
    "mac.ssrl": "short retry limit",
    "mac.slrl": "long retry limit",
    "mobility.max_speed": "maximum speed",
    "radio.errors.frame_error_rate": "frame error rate",
    "routing.protocol": "routing protocol",
}
"""Words for frequent axes; other keys end in theirs."""

_CLASS = re.compile(r"(?:(?:python|program):|.*\.py:)([^:@]+)(?:@([0-9a-f]+))?")
_QUANTITY = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*([^\s\d].*)?")


def transport_title(name: str) -> str:
    """The name of a transport in words; a controller of the user has that of its class."""
    return TRANSPORTS.get(name, short_name(name))


def short_name(name: str) -> str:
    """The name of a transport in tables: for a controller of the user that of its class."""
    found = _CLASS.fullmatch(name)
    return found[1] if found else name


def short_names(names: Sequence[str]) -> dict[str, str]:
    """`short_name` of each transport; where two have one, with the start of the digest or the whole name."""
    short = {name: short_name(name) for name in names}
    taken = list(short.values())
    return {
        name: text
        if taken.count(text) == 1
        else f"{text}@{found[2][:4]}"
        if (found := _CLASS.fullmatch(name)) and found[2]
        else name
        for name, text in short.items()
    }


def axis_title(key: str, unit: str = "") -> str:
    """A scenario key in words, with the unit of its values."""
    words = AXES.get(key) or re.sub(r"\d+ ", "", key.rsplit(".", 1)[-1].replace("_", " "))
    return f"{words} ({unit})" if unit else words


def numbers_of(values: Sequence[Any]) -> tuple[list[float], str]:
    """The values of an axis as numbers with their common unit; no numbers where they are words."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values], ""
    matches = [_QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None for value in values]
    units = {match[2] for match in matches if match}
    if None in matches or len(units) != 1:
        return [], ""
    return [float(match[1]) for match in matches if match], units.pop() or ""


def relabeled(text: str, labels: Mapping[str, str] | None, default: str) -> str:
    """The user's label for a name or key, or else the default."""
    return (labels or {}).get(text, default)
