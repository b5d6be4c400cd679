"""Wires that lose, delay or hold everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found

LOST = 0.9
"""Loss from which on a wire carries nothing, as good as."""
SLOW = 0.1
"""Share of a flow's life that one packet takes on a slow wire."""
LATE = 0.25
"""Share of a flow's life that a packet is under way on a wire with a long delay."""

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Those of times that are written in tables within a list."""


def loss(case: Case) -> Found | None:
    """A wire loses what it carries."""
    for index, key, way in _ways(case):
        lost = way.get("loss", 0.0)
        if isinstance(lost, dict):
            good, bad = _seconds(lost["good_mean"]), _seconds(lost["bad_mean"])
            lost = (good * float(lost.get("good_loss", 0.0)) + bad * float(lost.get("bad_loss", 1.0))) / (good + bad)
        if float(lost) >= LOST:
            return Found(f"{_name(case, index)} loses {100.0 * float(lost):.3g} % of its packets", {f"{key}.loss": 0.0})
    return None


def slow(case: Case) -> Found | None:
    """One packet occupies a wire for a large part of the flow's life."""
    start, stop = case.life
    for index, key, way in _ways(case):
        bits = 8.0 * float(case.flow["segment"])
        seconds = bits / float(way["rate_bps"])
        if seconds > SLOW * (stop - start):
            return Found(
                f"{_name(case, index)} sends {float(way['rate_bps']):g} b/s, so one packet takes {seconds:.3g} s",
                {f"{key}.rate": f"{max(1.0, 1000.0 * bits / (stop - start) / 1e3):.3g} kb/s"},
            )
    return None


def delay(case: Case) -> Found | None:
    """Packets are under way for a large part of the flow's life."""
    start, stop = case.life
    for index, key, way in _ways(case):
        if float(way["delay_s"]) > LATE * (stop - start):
            return Found(
                f"{_name(case, index)} delays packets by {float(way['delay_s']):g} s, and the flow lasts "
                f"{stop - start:g} s",
                {f"{key}.delay": f"{1e3 * min(0.05, 0.001 * (stop - start)):.3g} ms"},
            )
    return None


def _ways(case: Case) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Directions of the wires of the flow's route, both of each: data and acknowledgments."""
    if not case.data.get("wires") or not case.has_links:
        return
    route = case.route
    for index, wire in enumerate(case.data["wires"]):
        if set(wire["between"]) <= set(route):
            yield index, f"wire.{index}", wire
            if "back" in wire:
                yield index, f"wire.{index}.back", {**wire, **wire["back"]}


def _name(case: Case, index: int) -> str:
    a, b = case.data["wires"][index]["between"]
    return f"the wire between {case.word(a)} and {case.word(b)}"


def _seconds(text: str) -> float:
    """A time that the engine has written, in s."""
    number, unit = text.split()
    return float(number) * UNITS[unit]
