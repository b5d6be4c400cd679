"""Paths: there is none, it exists in one direction, or its links cannot carry an exchange."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from hoplab.base.engine import core
from hoplab.diagnosis.case import MOMENTS, Case
from hoplab.diagnosis.finding import Found
from hoplab.diagnosis.links import Links
from hoplab.diagnosis.reasons.frames import FAILED
from hoplab.diagnosis.reasons.gray import gray_zone
from hoplab.diagnosis.reasons.routing import MOST, also_late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hoplab.scenario.model import Scenario

OFF, OFF_MAY = 0.5, 0.9
"""Share of a flow's life for which a radio is off: of a flow that carried nothing, and of one that may not."""
NEVER = 0.1
"""Share of the moments at which moving nodes have a path, up to which they have none."""
SPACINGS = (0.9, 0.7, 0.5)
"""Shares of the range of data that a remedy tries as spacing."""
FACTORS = (2, 4, 10, 100)
"""Factors of transmit power that a remedy tries."""
LOST = 0.9
"""Loss of a frame from which on an exchange fails each time, as good as."""
MOST_CLASS = 31
"""The highest coverage class (IEEE 802.11-2016 section 9.4.2.9)."""


def has_no_path(case: Case) -> bool:
    """Whether the engine sees no path at the start, where nodes do not move."""
    if case.is_moving:
        return False
    facts = next((flow for flow in case.scenario.resolve().facts.flows if flow.id == case.number), None)
    if facts is not None and facts.is_counted:
        return facts.hops is None
    return case.has_links and not case.links.path(case.src, case.dst, case.links.is_link)


def radio_off(case: Case) -> Found | None:
    """A radio that the flow cannot do without is off while it lives."""
    start, stop = case.life
    off = {
        int(node["id"]): sum(max(0.0, min(b, stop) - max(a, start)) for a, b in node["radio_off_s"])
        for node in case.data["nodes"]
        if "radio_off_s" in node
    }
    least = (OFF_MAY if case.run is None else OFF) * (stop - start)
    dead = [node for node, seconds in off.items() if stop > start and seconds >= least]
    if not dead:
        return None
    ends = [node for node in (case.src, case.dst) if node in dead]
    if not ends:
        if not case.has_links or case.is_moving:
            return None
        if case.is_static or not case.links.path(
            case.src, case.dst, case.links.is_link, dead
        ):  # static routes do not know of radios that are off
            ends = [node for node in case.route if node in dead]
        if not ends:
            return None
    role = (
        "its source" if ends[0] == case.src else "its destination" if ends[0] == case.dst else "a relay that it needs"
    )
    return Found(
        f"the radio of {case.word(ends[0])}, {role}, is off ({off[ends[0]]:g} s of the flow's {stop - start:g} s)",
        {f"node.{node}.radio_off": [] for node in ends},
    )


def channels(case: Case) -> Found | None:
    """Neighbors on the way have no channel in common."""
    lists = {int(n["id"]): {int(r["channel"]) for r in n["radios"]} for n in case.data["nodes"] if "radios" in n}
    if not lists or not case.scenario.has_ranges or not case.has_links or not has_no_path(case):
        return None
    links, places = case.links, case.data["topology"]["positions"]
    usual = {int(case.data["radio"].get("channel", 1))}
    range_m = _link_range_m(case)
    apart = {
        pair
        for pair in combinations(range(len(places)), 2)
        if not lists.get(pair[0], usual) & lists.get(pair[1], usual)
        and math.dist(places[pair[0]][:2], places[pair[1]][:2]) <= range_m
    }
    both = apart | {(b, a) for a, b in apart}
    path = links.path(case.src, case.dst, links.is_link, more=both)
    cut = next(((a, b) for a, b in pairwise(path) if (a, b) in both), None)
    if cut is None:
        return None
    a, b = cut
    shared = min(lists.get(a, usual))
    fixes: list[Mapping[str, object]] = [
        {f"node.{b}.radios": [{"channel": channel} for channel in sorted(wanted)]}
        for wanted in (lists.get(b, usual) | {shared}, {shared})
    ]
    fix = next((fix for fix in fixes if _connected(case, fix)), {})
    return Found(
        f"{case.pair(a, b)} have no channel in common ({_listed(lists.get(a, usual))} and "
        f"{_listed(lists.get(b, usual))})",
        fix,
        "" if fix else f"give {case.word(b)} a radio on channel {shared}",
        warning=_warning(case, "has no path from"),
    )


def one_way(case: Case) -> Found | None:
    """A path exists in one direction only: transmit powers differ."""
    if case.is_moving or not case.has_links or not has_no_path(case):
        return None
    links = case.links
    strong = {link for link, watts in links.power.items() if watts >= links.threshold_w}
    path = links.path(case.src, case.dst, lambda a, b: (a, b) in strong or (b, a) in strong)
    cut = next(((a, b) for a, b in pairwise(path) if not links.is_link(a, b)), None)
    if cut is None:
        return None
    quiet, loud = cut if cut not in strong else cut[::-1]
    advice = "" if quiet in _powers(case) else "raise the power of the weaker direction"
    fix: dict[str, Any] = {f"node.{quiet}.radio.tx_power": f"{case.data['radio']['tx_power_w'] * 1e3:.6g} mW"}
    return Found(
        f"{case.word(quiet)} receives {case.word(loud)}, which does not receive it: "
        f"{-links.margin_db(quiet, loud):.1f} dB are missing",
        {} if advice else fix,
        advice,
        warning=_warning(case, "has no path from"),
    )


def no_path(case: Case) -> Found | None:
    """The source is in another part of the network than the destination."""
    if case.is_moving or not has_no_path(case):
        return None
    warning = _warning(case, "has no path from")
    ends = [case.scenario.node_names.get(node, str(node)) for node in (case.src, case.dst)]
    cause = f"no path from {ends[0]} to {ends[1]}"
    if not case.has_links or not case.scenario.has_ranges:
        return Found(cause, advice="add links, or more power, between the parts", warning=warning)
    links, places = case.links, case.data["topology"]["positions"]
    own = links.reached(case.src, links.is_link)
    others = [node for node in range(len(places)) if node not in own]
    gaps = [(math.dist(places[a][:2], places[b][:2]), a, b) for a in own if a < len(places) for b in others]
    if not gaps:
        return Found(cause, advice="place nodes nearer, or raise radio.tx_power", warning=warning)
    gap, a, b = min(gaps)
    rate, range_m = float(case.data["mac"]["data_rate_bps"]) / 1e6, _link_range_m(case)
    reach = f"data at {rate:g} Mb/s reach {range_m:.1f} m"
    weak = [node for node in (a, b) if node in _powers(case)]
    if weak:
        reach = f"{case.word(weak[0])} has a radio.tx_power of its own"
    powers = (f"{factor * case.data['radio']['tx_power_w'] * 1e3:.4g} mW" for factor in FACTORS)
    fixes: list[Mapping[str, object]] = [
        {f"node.{node}.radio.tx_power": f"{case.data['radio']['tx_power_w'] * 1e3:.6g} mW" for node in weak},
        *([{"topology.connected": True}] if _is_dense(case) else []),
        *[{"topology.spacing": f"{math.floor(share * range_m)} m"} for share in SPACINGS],
        *[{"radio.tx_power": power} for power in powers],
    ]
    mended = [(fix, after) for fix in fixes if fix and (after := _connected(case, fix)) is not None]
    tempted = {id(fix): gray_zone(after) for fix, after in mended}
    # A remedy that leaves a gray zone comes last, with the remedy of that.
    fix, after = min(mended, key=lambda pair: tempted[id(pair[0])] is not None, default=({}, case))
    more = tempted.get(id(fix))
    whole = {**fix, **(more.fix if more else {}), **(also_late(after) if fix else {})}
    return Found(
        f"{cause}: {case.word(a)} and {case.word(b)} are the nearest nodes of both parts, {gap:.1f} m apart, "
        f"and {reach}",
        whole,
        "" if fix else "place nodes nearer",
        warning=warning,
    )


def _is_dense(case: Case) -> bool:
    """Whether random places are connected often enough to be drawn until they are: a mean degree of ln n at least."""
    degree = case.scenario.resolve().facts.mean_degree
    is_random = case.data["topology"]["kind"] == "random"
    return is_random and degree is not None and degree >= math.log(max(2, case.radio_nodes))


def _powers(case: Case) -> dict[int, Any]:
    """Nodes with a transmit power of their own."""
    return {int(n["id"]): n["radio"] for n in case.data["nodes"] if "tx_power_w" in n.get("radio", ())}


def _connected(case: Case, fix: Mapping[str, object]) -> Case | None:
    """The case with these keys, if its flow has a path then."""
    try:
        changed = case.scenario.with_(fix)
    except core().ScenarioError:
        return None
    has_path = any(flow.hops for flow in changed.resolve().facts.flows if flow.id == case.number)
    return replace(case, scenario=changed, shared={}) if has_path else None


def no_path_moving(case: Case) -> Found | None:
    """Moving nodes hardly ever have a path."""
    if not case.is_moving or not case.has_links:
        return None
    moments = range(MOMENTS)
    found = [k for k in moments if case.links.at(k).path(case.src, case.dst, case.shared["links"].is_link)]
    if len(found) > NEVER * MOMENTS:
        return None
    count = "at none" if not found else f"at {len(found)}"
    return Found(
        f"moving nodes have a path from {case.word(case.src)} to {case.word(case.dst)} {count} of {MOMENTS} moments",
        advice="use more nodes, a smaller area, or a longer radio.rx_range",
    )


def stale_routes(case: Case) -> Found | None:
    """Static routes of moving nodes lead to neighbors that have left."""
    if not case.is_moving or not case.is_static or case.share("no_route", *FAILED) < MOST:
        return None
    return Found(
        "its static routes are those of the start, and the nodes have moved away",
        {"routing.protocol": "aodv"},
        warning=_warning(case, "does not update routes while nodes move"),
    )


def late_response(case: Case) -> Found | None:
    """Responses arrive after the timeout, since a link is long: the engine warns of such links."""
    warning = _warning(case, "every frame exchange beyond")
    if not warning or case.is_moving or not case.has_links:
        return None
    links = case.links
    long = [(a, b) for a, b in case.hops if links.delay.get((a, b), 0.0) > links.longest_delay_s(a)]
    if not long:
        return None
    a, b = max(long, key=lambda link: links.delay[link])
    classes = (k for k in range(1, MOST_CLASS + 1) if _allows(case, k, links.delay[a, b], a))
    enough = next(classes, None)
    return Found(
        f"{case.pair(a, b)} answer each other, and every CTS and ACK arrives after the MAC's timeout",
        {} if enough is None else {"mac.coverage_class": enough},
        "decrease the distance" if enough is None else "",
        warning=warning,
    )


def errors(case: Case) -> Found | None:
    """The error model destroys each exchange of a link."""
    model = case.data["radio"].get("errors", {"model": "none"})
    if model["model"] == "none" or case.is_moving or not case.has_links:
        return None
    if model["model"] == "gilbert":
        good, bad = float(model["good_mean_s"]), float(model["bad_mean_s"])
        lost = (good * float(model["good_loss"]) + bad * float(model["bad_loss"])) / (good + bad)
        if lost < LOST:
            return None
        cause = f"radio.errors (gilbert) destroys {100.0 * lost:.3g} % of all frames"
        return Found(cause, {"radio.errors.bad_loss": 0.1, "radio.errors.good_loss": 0.0})
    links, length = case.links, case.links.data_bytes(case.number)
    for a, b in case.hops:
        lost_by = links.losses(a, b, length)
        frame = max(lost_by, key=lambda kind: lost_by[kind])
        if lost_by[frame] >= LOST:
            key = {"uniform_packet": "frame_error_rate", "uniform_bit": "bit_error_rate"}.get(model["model"])
            least = {"frame_error_rate": 0.01, "bit_error_rate": 1e-6}
            return Found(
                f"radio.errors ({model['model']}) destroys {100.0 * lost_by[frame]:.3g} % of the {frame} frames from "
                f"{case.word(a)} to {case.word(b)}",
                {f"radio.errors.{key}": least[key]} if key else {},
                "" if key else 'list a better link, or use routing.metric = "etx"',
            )
    return None


def may_skip(scenario: Scenario) -> bool:
    """Whether static routes of a chain may skip nodes."""
    data = scenario.resolve().data
    return bool(
        data["topology"]["kind"] == "chain"
        and data["routing"]["protocol"] == "static"
        and "mobility" not in data
        and any(flow.hops is not None and flow.hops < _apart(data, flow.id) for flow in scenario.resolve().facts.flows)
    )


def skips(case: Case) -> Found | None:
    """The static route of a chain skips nodes: a note, since such a flow carries."""
    if not may_skip(case.scenario):
        return None
    hops = next((flow.hops for flow in case.scenario.flow_paths if flow.id == case.number), None)
    wanted = _apart(case.data, case.number)
    if hops is None or hops >= wanted:
        return None
    spacing = case.distance_m(0, 1) or 0.0
    rate = float(case.data["mac"]["data_rate_bps"]) / 1e6
    return Found(
        f"takes {hops} of the {wanted} hops between its ends: nodes {2.0 * spacing:.4g} m apart decode "
        f"{rate:g} Mb/s, and static routes skip those between",
        _longer(case, spacing, wanted),
        "for a route over every node",
    )


def _apart(data: Any, flow: int) -> int:
    """Hops of a chain between the ends of a flow that skips no node."""
    table = data["flows"][flow]
    last = len(data["topology"]["positions"]) - 1
    return abs(int(table["from"]) - int(table["to"])) if max(table["from"], table["to"]) <= last else 0


def _longer(case: Case, spacing: float, wanted: int) -> dict[str, object]:
    """The least spacing, in steps of a tenth, at which the route has all hops."""
    for tenths in range(11, 100):
        longer = f"{math.ceil(spacing * tenths / 10.0)} m"
        facts = case.scenario.with_({"topology.spacing": longer}).resolve().facts.flows
        hops = next((flow.hops for flow in facts if flow.id == case.number), None)
        if hops is None:
            break
        if hops >= wanted:
            return {"topology.spacing": longer}
    return {}


def _allows(case: Case, coverage: int, delay_s: float, node: int) -> bool:
    """Whether a coverage class allows for a delay."""
    changed = case.scenario.with_({"mac.coverage_class": coverage})
    return Links(changed, case.seed).longest_delay_s(node) >= delay_s


def _link_range_m(case: Case) -> float:
    """Distance to which data pass at their rate, by the engine's own loss: searched for by two nodes."""
    reach = case.scenario.resolve().facts.rx_range_m
    radio = case.data["radio"]
    threshold = float(radio.get("link_threshold_w") or radio["rx_threshold_w"])
    if threshold <= float(radio["rx_threshold_w"]):
        return reach
    asked = case.scenario.with_(
        {"radio.rx_threshold": threshold, "radio.cs_threshold": min(threshold, radio["cs_threshold_w"])}
    )
    return asked.resolve().facts.rx_range_m


def _warning(case: Case, part: str) -> str:
    """The warning of the engine about this flow that has these words."""
    own = [text for text in case.scenario.resolve().warnings if part in text]
    return next((text for text in own if text.startswith(f"flow {case.number} ")), "") or next(
        (text for text in own if not text.startswith("flow ")), ""
    )


def _listed(found: set[int]) -> str:
    return ", ".join(map(str, sorted(found)))
