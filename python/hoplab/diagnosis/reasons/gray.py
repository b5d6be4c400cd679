"""The gray zone: broadcasts at the basic rate pass where data at their rate do not (Lundgren 2002)."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from hoplab.base.engine import core
from hoplab.diagnosis.case import Case
from hoplab.diagnosis.finding import Found
from hoplab.diagnosis.links import Links
from hoplab.diagnosis.reasons.routing import also_late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOST = 0.5
"""Loss of data from which on a link is gray, and of broadcasts up to which it is heard."""
HOPELESS = 0.9
"""Loss of data from which on a static route over a link carries nothing."""
RATES = (48.0, 36.0, 24.0, 18.0, 12.0, 9.0, 6.0)
"""Rates of OFDM in 20 MHz, in Mb/s, below the highest."""


def gray_zone(case: Case) -> Found | None:
    """Routing prefers a hop over which its broadcasts pass and data do not."""
    if case.is_static or case.is_moving or not case.has_links:
        return None
    radio = case.data["radio"]
    if float(radio.get("link_threshold_w") or 0.0) <= float(radio["rx_threshold_w"]):
        return None
    hop = _gray_hop(case, case.links)
    if hop is None:
        return None
    a, b = hop
    lost = case.links.losses(a, b, case.links.data_bytes(case.number))
    rates = [float(case.data["mac"][key]) / 1e6 for key in ("basic_rate_bps", "data_rate_bps")]
    fix = next((fix for fix in _fixes(case) if _clears(case, fix)), {})
    return Found(
        f"{case.pair(a, b)} are in the gray zone: broadcasts at {rates[0]:g} Mb/s make them neighbors for "
        f"{case.protocol}, and at {rates[1]:g} Mb/s {100.0 * lost['DATA']:.3g} % of data frames are lost "
        f"({-case.links.margin_db(a, b):.1f} dB missing)",
        {**fix, **(also_late(case) if fix else {})},
        "" if fix else "place nodes nearer",
    )


def weak_link(case: Case) -> Found | None:
    """A static route has a link over which data do not pass at their rate."""
    if case.is_moving or not case.has_links or case.data["radio"]["rx_model"] != "sinr":
        return None
    links, length = case.links, case.links.data_bytes(case.number)
    if not length:
        return None
    for a, b in case.hops:
        lost = links.losses(a, b, length)["DATA"]
        if lost >= HOPELESS:
            rate = float(case.data["mac"]["data_rate_bps"]) / 1e6
            lower = next(
                (fix for fix in _lower_rates(case) if _loss_with(case, fix, a, b, length) < 1.0 - HOPELESS), {}
            )
            return Found(
                f"{case.pair(a, b)} are too far for data at {rate:g} Mb/s: noise destroys {100.0 * lost:.3g} % of them",
                lower,
                "" if lower else "place nodes nearer",
            )
    return None


def _gray_hop(case: Case, links: Links) -> tuple[int, int] | None:
    """The weakest gray hop of a shortest path over all that broadcasts reach; None if data find as short a path."""
    heard = links.path(case.src, case.dst, links.is_heard)
    passing = links.path(case.src, case.dst, links.is_link)
    if not heard or (passing and len(passing) <= len(heard)):
        return None
    length = links.data_bytes(case.number)
    hops = [hop for hop in itertools.pairwise(heard) if hop not in links.wires and not links.is_link(*hop)]
    for hop in sorted(hops, key=lambda hop: links.power[hop]):
        lost = links.losses(*hop, length) if length else {"RTS": 0.0, "DATA": 1.0}
        if lost["RTS"] <= LOST <= lost["DATA"]:
            return hop
    return None


def _fixes(case: Case) -> Iterator[Mapping[str, object]]:
    """Remedies in the order of preference: neighbors within the reach of data; then a lower rate of data."""
    links = case.links
    passing = links.path(case.src, case.dst, links.is_link)
    if passing:
        used = [hop for hop in itertools.pairwise(passing) if hop not in links.wires]
        weakest = min(links.power[hop] for hop in used)
        gray = max((watts for link, watts in links.power.items() if not links.is_link(*link)), default=0.0)
        if 0.0 < gray < weakest:
            metres = [case.distance_m(*max(used, key=lambda hop: case.distance_m(*hop) or 0.0))]
            if metres[0] is not None:
                reach = case.scenario.resolve().facts.rx_range_m
                yield {"radio.rx_range": f"{math.sqrt(metres[0] * min(reach, 2.0 * metres[0])):.3g} m"}
            yield {"radio.rx_threshold": f"{10.0 * math.log10(math.sqrt(gray * weakest) * 1e3):.1f} dBm"}
    yield from _lower_rates(case)


def _lower_rates(case: Case) -> Iterator[Mapping[str, object]]:
    """Keys of slower data."""
    mac = case.data["mac"]
    if mac.get("mcs") is not None:
        yield from ({"mac.mcs": mcs} for mcs in range(int(mac["mcs"]) - 1, -1, -1))
        return
    current = float(mac["data_rate_bps"]) / 1e6
    yield from ({"mac.data_rate": f"{rate:g} Mb/s"} for rate in RATES if rate < current)


def _changed(case: Case, fix: Mapping[str, object]) -> Links | None:
    try:
        return Links(case.scenario.with_(fix), case.seed)
    except core().ScenarioError:
        return None


def _clears(case: Case, fix: Mapping[str, object]) -> bool:
    """Whether a path exists with a remedy, and no gray hop tempts routing."""
    links = _changed(case, fix)
    return bool(links is not None and links.path(case.src, case.dst, links.is_link) and _gray_hop(case, links) is None)


def _loss_with(case: Case, fix: Mapping[str, object], a: int, b: int, length: int) -> float:
    links = _changed(case, fix)
    return 1.0 if links is None else links.losses(a, b, length)["DATA"]
