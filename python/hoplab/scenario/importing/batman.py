"""Readers of batman-adv: alfred's `batadv-vis`, and the table of originators that `batctl` prints as JSON.

Sources: alfred's `vis/vis.c`; batctl's `genl_json.c` and `cmd/originators_json.c`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from hoplab.base.errors import InputError
from hoplab.scenario.importing.mesh import RADIO_PREFIX, Link, Mesh, Node
from hoplab.scenario.importing.values import address, aliases, document, items, number, text

SHORT_BROADCASTS = "delivery is batman-adv's TQ of the direction, measured with short broadcasts"

LOCAL = "local"
"""Name of the router that printed the originators, which its table does not have."""

_WIRED = re.compile(
    r"(^|[^a-z])(eth|en[opsx]|lan|wan|br|vpn|tun|tap|fastd|l2tp|wg|vx|vxlan|gre|gretap|veth|bond|dummy|uplink|other)([^a-z]|$)"
    r"|^en[opsx]",
    re.IGNORECASE,
)
"""Names of interfaces that are no radio, as Linux, OpenWrt and Gluon give them."""

_MOST_TQ = 255.0


def vis(mesh: Mesh, data: str, where: str) -> None:
    """Output of batadv-vis, as one document (jsondoc) or an object per line (json): 255/TQ per direction."""
    rows = list(_vis_rows(data, where))
    main = {alias: primary for primary, others, _ in rows if primary for alias in (primary, *others)}
    for primary in (primary for primary, _, _ in rows if primary):
        mesh.add_node(Node(primary))
    mesh.notes.append(SHORT_BROADCASTS)
    for _, _, neighbors in rows:
        for router, neighbor, metric in neighbors:
            if metric is None or not math.isfinite(metric) or metric < 1.0:
                mesh.dropped["links without a metric of at least 1"] += 1
            else:
                mesh.add(main.get(router, router), main.get(neighbor, neighbor), Link(delivery=1.0 / metric))


_Vis = tuple[str, list[str], list[tuple[str, str, float | None]]]


def _vis_rows(data: str, where: str) -> Iterator[_Vis]:
    """Per originator or line: primary address if it is given, others, and neighbors with their metrics."""
    first = data.lstrip()[:400]
    if '"vis"' in first or '"source_version"' in first:
        whole = document(data, where)
        for row in items(whole.get("vis") if isinstance(whole, dict) else None, where, "vis"):
            near = items(row.get("neighbors"), where, "neighbors") if row.get("neighbors") else []
            found = [(address(n.get("router")), address(n.get("neighbor")), number(n.get("metric"))) for n in near]
            yield address(row.get("primary")), aliases(row.get("secondary"), where, "secondary"), found
        return
    for i, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        row = document(line, f"{where}:{i}")
        if not isinstance(row, dict):
            raise InputError(f"{where}:{i}: expected an object per line, as batadv-vis -f json prints")
        if "primary" in row:
            yield address(row["primary"]), [], []
        elif "secondary" in row:
            yield address(row.get("of")), [address(row["secondary"])], []
        elif "neighbor" in row:
            label = number(row.get("label"))
            yield "", [], [(address(row.get("router")), address(row["neighbor"]), label)]


def originators(mesh: Mesh, data: str, where: str) -> None:
    """Output of `batctl originators_json` (`oj`) or `neighbors_json` (`nj`): the links of one router.

    A row whose originator is its next hop is a link. Where a next hop has no such row, as with several interfaces and
    B.A.T.M.A.N. V, the best row over it bounds the link from below.
    """
    rows = items(document(data, where), where, "originators")
    direct: dict[tuple[str, str], Link] = {}
    beyond: dict[tuple[str, str], Link] = {}
    routes = 0
    for row in rows:
        neighbor, interface = address(row.get("neigh_address")), text(row.get("hard_ifname"))
        originator = address(row.get("orig_address")) or neighbor
        if not neighbor:
            mesh.dropped["rows without neigh_address"] += 1
            continue
        kind = interface if _WIRED.search(interface) else RADIO_PREFIX
        tq, throughput = number(row.get("tq")), number(row.get("throughput"))
        if tq is not None and not 0.0 <= tq <= _MOST_TQ:
            mesh.dropped["rows without a TQ from 0 to 255"] += 1
            continue
        link = Link(delivery=None if tq is None else tq / _MOST_TQ, type=kind)
        if tq is None and throughput is not None:
            mesh.notes.append("throughput of B.A.T.M.A.N. V is rate times delivery: links have no delivery ratio")
        found = direct if originator == neighbor else beyond
        found[neighbor, interface] = link.better(found.get((neighbor, interface), link))
        routes += originator != neighbor
    known = {neighbor for neighbor, _ in direct}
    links = {**{ends: link for ends, link in beyond.items() if ends[0] not in known}, **direct}
    if routes:
        mesh.dropped["routes over neighbors: a table of originators has the links of its own router only"] += routes
    own = next((name for row in rows if (name := address(row.get("mesh_address")))), LOCAL)
    mesh.add_node(Node(own))
    for (neighbor, _), link in links.items():
        mesh.types[link.type] += 1
        mesh.add_node(Node(neighbor))
        mesh.both(own, neighbor, link)
    if any(link.delivery is not None for link in links.values()):
        mesh.notes += [SHORT_BROADCASTS, "the table has the TQ from its own router only: reverse directions are equal"]
