"""Reader of NetJSON NetworkGraph: a cost per link, in the unit of the protocol that wrote it.

Sources: netjson.org for the form; olsrd's `lib/netjson`, `src/lq_plugin.c` and `src/lq_plugin_default_*.c` for OLSR;
netdiff's parsers for `batman-adv` and `BMX6_b6m`; OONF's `ff_dat_metric` for OLSRv2; babeld's costs
for Babel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from hoplab.base.errors import InputError
from hoplab.scenario.importing.mesh import Link, Mesh, Node
from hoplab.scenario.importing.values import address, aliases, document, items, number, place_of, shown, text

Metric = Literal["ETX", "TQ", "BABEL", "RATE", "AIRTIME"]

BROKEN_COST = float(1 << 22)
"""olsrd's `LINK_COST_BROKEN`, which its plugins print in the unit of integers whatever that of other costs is."""
BROKEN_ETX = BROKEN_COST / 1024.0
"""The same after programs have divided it as other costs."""
MOST_ETX = 100.0
"""Largest ETX of a link that olsrd uses: a quality below 0.1 (`MINIMAL_USEFUL_LQ`) breaks it."""
CABLE_ETX = 0.5
"""Below it a link is a cable: olsrd's `etx_ffeth` divides the cost of a perfect Ethernet by ten."""
LEAST_ETX = 0.99
"""A perfect radio link has an ETX of 1; integers round it."""

CABLES = "cables: links of a cost below that of a perfect radio link"
BROKEN = "broken links of infinite cost"
COSTLESS = "links without a cost of at least 1"

_BABEL_UNIT, _BABEL_BROKEN = 256.0, 65535.0
_AIRTIME_MOST = float(0xFFFF00)
_TQ_MOST, _TQ_INVERSE_MOST = 255.0, 25.5


def netjson(mesh: Mesh, data: str, where: str) -> None:
    """NetJSON NetworkGraph: a cost per link, by the metric of its protocol."""
    graph = _networkgraph(document(data, where), where)
    metric = _metric(graph, mesh, where)
    main = _nodes(mesh, items(graph.get("nodes"), where, "nodes"), where)

    def end(row: Mapping[str, Any], key: str) -> str:
        return main.get(name := address(row.get(key)), name)

    links = [(end(row, "source"), end(row, "target"), row) for row in items(graph.get("links"), where, "links")]
    if metric == "ETX":
        _etx(mesh, links, text(graph.get("metric")).upper())
    elif metric == "TQ":
        _tq(mesh, links)
    elif metric == "BABEL":
        _babel(mesh, links)
    elif metric == "RATE":
        _rates(mesh, links)
    else:
        _airtime(mesh, links)


Row = tuple[str, str, dict[str, Any]]


def _metric(graph: Mapping[str, Any], mesh: Mesh, where: str) -> Metric:
    """What costs are, by the metric of the graph, or else by its protocol."""
    name, protocol = text(graph.get("metric")), text(graph.get("protocol"))
    metric, family = name.upper(), protocol.lower()
    if metric in {"", "NONE", "STATIC"}:
        of_protocol: dict[str, Metric] = {"batman": "TQ", "babel": "BABEL", "bmx": "RATE"}
        found = next((metric for start, metric in of_protocol.items() if family.startswith(start)), None)
        if found is None and family.startswith(("olsrv2", "olsr2", "oonf")):
            found = "AIRTIME"
        if found is None and metric != "STATIC" and (not family or family.startswith("olsr")):
            found = "ETX"
        if found is not None:
            words = {"ETX": "ETX", "TQ": "TQ", "BABEL": "Babel's", "RATE": "percentages", "AIRTIME": "airtimes"}[found]
            by = f"of {shown(protocol)} " if protocol else ""
            mesh.notes.append(f"the file names no metric: costs {by}are read as {words}")
            return found
    if family.startswith("babel"):
        return "BABEL"
    if metric.startswith("ETX"):
        return "ETX"
    if metric == "TQ":
        return "TQ"
    if family.startswith("bmx"):
        return "RATE"
    if "DAT_METRIC" in metric or "AIRTIME" in metric:
        return "AIRTIME"
    what = f"metric {name!r}" if name else f"protocol {protocol!r} without a metric"
    raise InputError(
        f"{where}: {what} is not supported, expected ETX (OLSR), TQ (batman-adv), Babel, BMX or OLSRv2",
        hint="convert costs to delivery ratios and import a CSV file",
    )


def _nodes(mesh: Mesh, rows: Iterable[Mapping[str, Any]], where: str) -> dict[str, str]:
    """Add the nodes; their other addresses, each with the identifier of its node."""
    names, owners = list[str](), dict[str, set[str]]()
    for row in rows:
        name = address(row.get("id"))
        if not name:
            continue
        names.append(name)
        mesh.add_node(Node(name, text(row.get("label") or row.get("name")) or None, place_of(row)))
        for alias in aliases(row.get("local_addresses"), where, "local_addresses"):
            owners.setdefault(alias, set()).add(name)
    known = set(names)
    return {alias: min(of) for alias, of in owners.items() if len(of) == 1 and alias not in known}


def _cost(row: Mapping[str, Any]) -> float | None:
    """The cost of a link; infinity for what stands for it."""
    cost = row.get("cost")
    is_endless = isinstance(cost, float) and cost == math.inf
    if is_endless or text(row.get("cost_text")).upper() == "INFINITE" or text(cost).upper() in {"INFINITE", "INF"}:
        return math.inf
    return number(cost)


def _properties(row: Mapping[str, Any]) -> Mapping[str, Any]:
    more = row.get("properties")
    return more if isinstance(more, dict) else {}


def _first(row: Mapping[str, Any], *keys: str) -> float | None:
    found = (number(row.get(key)) for key in keys)
    return next((value for value in found if value is not None), None)


def etx_unit(costs: Iterable[float], metric: str = "") -> float:
    """Cost of a perfect radio link: 1, or 1024 (65535 with `etx_fpm`) where costs are olsrd's integers.

    Each cost is known by what olsrd can write: no usable link has an ETX above 100, and the least integer (a cable)
    is 102. Where a file has both, most of them decide.
    """
    usable = [cost for cost in costs if 0.0 < cost < BROKEN_COST]
    beyond = sum(cost > MOST_ETX for cost in usable)
    if usable and all(cost.is_integer() for cost in usable) and 2 * beyond >= len(usable):
        return 65535.0 if metric == "ETX_FPM" else 1024.0
    return 1.0


def _etx(mesh: Mesh, links: list[Row], metric: str) -> None:
    """OLSR: ETX is the inverse of the product of both qualities."""
    costs = [_cost(row) for _, _, row in links]
    texts = [
        cost / etx
        for cost, (_, _, row) in zip(costs, links, strict=True)
        if cost is not None and cost < BROKEN_COST and (etx := number(row.get("cost_text"))) is not None and etx > 0.0
    ]
    unit = etx_unit((cost for cost in costs if cost is not None), metric)
    if texts and max(texts) < 16.0:
        unit = 1.0  # the text is in ETX whatever the cost is in
    if unit != 1.0:
        mesh.notes.append(f"costs are olsrd's integers: each is divided by {unit:.0f}")
    heard: list[Heard] = []
    for (a, b, row), cost in zip(links, costs, strict=True):
        etx = None if cost is None else cost / unit
        properties = _properties(row)
        lq = _first(properties, "lq", "link_quality", "linkQuality")
        nlq = _first(properties, "nlq", "neighbor_link_quality", "neighborLinkQuality")
        has_qualities = lq is not None and nlq is not None and 0.0 <= lq <= 1.0 and 0.0 <= nlq <= 1.0
        if cost is not None and (cost >= BROKEN_COST or cost / unit >= BROKEN_ETX):
            mesh.dropped[BROKEN] += 1
        elif etx is not None and 0.0 < etx <= CABLE_ETX:
            mesh.dropped[CABLES] += 1
        elif has_qualities and lq is not None and nlq is not None:
            heard.append((a, b, lq, nlq))
        elif etx is None or etx < LEAST_ETX:
            mesh.dropped[COSTLESS] += 1
        else:
            mesh.both(a, b, Link(delivery=1.0 / math.sqrt(max(etx, 1.0))))
    add_heard(mesh, heard)


Heard = tuple[str, str, float, float]
"""Reporter and its neighbor; what the reporter receives, and what the neighbor reports to receive."""


def add_heard(mesh: Mesh, rows: Iterable[Heard]) -> None:
    """Directions as their receivers measure them; where only the sender reports one, as reported."""
    own: dict[tuple[str, str], float] = {}
    other: dict[tuple[str, str], float] = {}
    for a, b, there, back in rows:
        if (b, a) in own:
            mesh.dropped["second links in a direction: the better one is kept"] += 1
        own[b, a] = max(there, own.get((b, a), 0.0))
        other[a, b] = max(back, other.get((a, b), 0.0))
    for ends in dict.fromkeys(pair for one in own for pair in (one, one[::-1])):
        quality = own.get(ends, other.get(ends))
        if quality is not None:
            mesh.add(*ends, Link(delivery=quality))


def _tq(mesh: Mesh, links: list[Row]) -> None:
    """batman-adv: a cost is 255 over the TQ of its direction; some programs write the TQ, or its share of 255."""
    costs = [_cost(row) for _, _, row in links]
    usable = [cost for cost in costs if cost is not None and 0.0 < cost < math.inf]
    is_whole = all(cost.is_integer() for cost in usable)
    # 255 over a TQ is rarely whole, and above 25.5 for a TQ below 10 only.
    is_raw = bool(usable) and is_whole and _TQ_INVERSE_MOST < max(usable) <= _TQ_MOST
    is_share = bool(usable) and max(usable) <= 1.0 and min(usable) < 1.0
    if is_raw:
        mesh.notes.append("costs are TQ from 0 to 255: the best is the greatest")
    elif is_share:
        mesh.notes.append("costs are TQ from 0 to 1: the best is the greatest")
    mesh.notes.append("delivery is batman-adv's TQ of the direction, measured with short broadcasts")
    for (a, b, _), cost in zip(links, costs, strict=True):
        if cost == math.inf:
            mesh.dropped[BROKEN] += 1
        elif cost is None or cost <= 0.0 or (cost < 1.0 and not is_share):
            mesh.dropped[COSTLESS] += 1
        else:
            mesh.both(a, b, Link(delivery=cost / _TQ_MOST if is_raw else cost if is_share else 1.0 / cost))


def _babel(mesh: Mesh, links: list[Row]) -> None:
    """Babel: 256 times the ETX of a radio link, 96 for a cable, 65535 for none."""
    mesh.notes.append("costs are Babel's: 256 is a perfect radio link")
    for a, b, row in links:
        cost = _cost(row)
        if cost is not None and cost >= _BABEL_BROKEN:
            mesh.dropped[BROKEN] += 1
        elif cost is None or cost <= 0.0:
            mesh.dropped[COSTLESS] += 1
        elif cost < _BABEL_UNIT:
            mesh.dropped[CABLES] += 1
        else:
            mesh.both(a, b, Link(delivery=math.sqrt(_BABEL_UNIT / cost)))


def _rates(mesh: Mesh, links: list[Row]) -> None:
    """BMX6: percentages of what the source sends and receives; a cost is the mean of both."""
    mesh.notes.append("costs are BMX's rates in percent: the best is the greatest")
    for a, b, row in links:
        properties, cost = _properties(row), number(row.get("cost"))
        there, back = _first(properties, "tx_rate", "txRate"), _first(properties, "rx_rate", "rxRate")
        if there is not None and back is not None and 0.0 <= there <= 100.0 and 0.0 <= back <= 100.0:
            mesh.add(a, b, Link(delivery=there / 100.0))
            mesh.add(b, a, Link(delivery=back / 100.0), implied=True)
        elif cost is None or not 0.0 <= cost <= 100.0:
            mesh.dropped["links without a rate from 0 to 100"] += 1
        else:
            mesh.both(a, b, Link(delivery=cost / 100.0))


def _airtime(mesh: Mesh, links: list[Row]) -> None:
    """OLSRv2: a cost is the inverse of bit rate times delivery, from which neither follows."""
    mesh.notes.append("costs are OLSRv2's airtimes, of bit rate and delivery together: links have no delivery ratio")
    for a, b, row in links:
        cost, properties = _cost(row), _properties(row)
        if text(properties.get("type")) in {"lan", "attached"}:
            mesh.dropped["links to attached networks"] += 1
        elif cost is not None and cost > _AIRTIME_MOST:
            mesh.dropped[BROKEN] += 1
        elif cost is None or cost < 1.0:
            mesh.dropped[COSTLESS] += 1
        else:
            mesh.both(a, b, Link())


def _networkgraph(data: Any, where: str) -> Mapping[str, Any]:
    if isinstance(data, dict) and data.get("type") == "NetworkCollection":
        found = [one for one in items(data.get("collection"), where, "collection") if one.get("type") == "NetworkGraph"]
        if len(found) == 1:
            return found[0]
        raise InputError(f"{where}: {len(found)} objects of type NetworkGraph, expected one", hint="save one to a file")
    if not isinstance(data, dict) or data.get("type") != "NetworkGraph":
        kind = text(data.get("type")) if isinstance(data, dict) else type(data).__name__
        raise InputError(f"{where}: type {shown(kind) or 'missing'}, expected NetworkGraph", hint="see --format")
    return data
