"""Congestion controls of ns-3.37 other than that of RFC 5681 and 6582, and the keys that they support."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Control:
    """A congestion control of ns-3.

    Attributes
    ----------
    name : str
        Its class.
    attributes : mapping
        Keys of our `[tcp.congestion.NAME]` that are attributes of the class.
    always : mapping
        Attributes whose defaults differ from what we have.
    fixed : mapping
        Keys of our table with one value only, and why.
    whole : frozenset
        Attributes that are whole numbers.
    """

    name: str
    attributes: Mapping[str, str]
    always: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, tuple[Any, str]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()


CONTROLS: Mapping[str, Control] = {
    "cubic": Control(
        "TcpCubic",
        {"c": "C", "fast_convergence": "FastConvergence"},
        always={"HyStart": False},
        fixed={
            "form": ("rfc9438", "its CUBIC is that of Linux with the numbers of the RFC"),
            "friendly": (False, "its CUBIC has no estimate of Reno"),
        },
    ),
    "bic": Control(
        "TcpBic",
        {
            "fast_convergence": "FastConvergence",
            "low_window": "LowWnd",
            "max_increment": "MaxIncr",
            "retained": "Beta",
            "smooth_part": "SmoothPart",
        },
        whole=frozenset({"LowWnd", "MaxIncr", "SmoothPart"}),
    ),
    "veno": Control(
        "TcpVeno",
        {"beta": "Beta"},
        fixed={"random_retained": (0.8, "compiled in")},
        whole=frozenset({"Beta"}),
    ),
}
"""By our names of transports; all have SACK."""
