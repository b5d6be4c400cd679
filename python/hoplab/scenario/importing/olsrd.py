"""Readers of olsrd's plugins jsoninfo and txtinfo (`lib/jsoninfo`, `lib/txtinfo`): qualities of both directions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hoplab.base.errors import InputError
from hoplab.scenario.importing.mesh import Mesh, Node
from hoplab.scenario.importing.netjson import BROKEN, BROKEN_ETX, CABLES, Heard, add_heard
from hoplab.scenario.importing.values import address, aliases, document, items, number, shown

_LEAST_QUALITY = 0.1
"""olsrd's `MINIMAL_USEFUL_LQ`: below it in one direction a link is broken."""
_PERFECT = 0.995
_CABLE_COSTS = ((0.05, 0.5), (51.2, 512.0))
"""Around a tenth of the cost of a perfect radio link, which is 1, or 1024 where costs are integers."""


def jsoninfo(mesh: Mesh, data: str, where: str) -> None:
    """Olsrd's jsoninfo: LQ is what the last hop receives of the destination, NLQ the reverse."""
    whole = document(data, where)
    if not isinstance(whole, dict) or "topology" not in whole:
        raise InputError(f"{where}: no topology, expected the answer of jsoninfo to /topology or /all")
    main: dict[str, str] = {}
    for row in items(whole.get("mid") or [], where, "mid"):
        owner = row.get("main")
        name = address(owner.get("ipAddress") if isinstance(owner, dict) else row.get("ipAddress") or owner)
        main.update(dict.fromkeys(aliases(row.get("aliases"), where, "aliases"), name))
    keys = ("lastHopIP", "destinationIP", "linkQuality", "neighborLinkQuality", "tcEdgeCost")
    _add_rows(mesh, ([row.get(key) for key in keys] for row in items(whole["topology"], where, "topology")), main)


def txtinfo(mesh: Mesh, data: str, where: str) -> None:
    """Olsrd's txtinfo: the tables Topology and MID."""
    lines = data.splitlines()
    header, found = _table(lines, "topology")
    if not header:
        raise InputError(f"{where}: no table Topology, expected the answer of txtinfo to /topology or /all")
    names = [name.strip().lower().replace(".", "") for name in header]
    try:
        at = [names.index(name) for name in ("last hop ip", "dest ip", "lq", "nlq")]
    except ValueError:
        raise InputError(
            f"{where}: header of table Topology is {shown(header)}, expected Dest. IP, Last hop IP, LQ, NLQ"
        ) from None
    at += [names.index("cost")] if "cost" in names else []
    rows = [[fields[i] for i in at] for fields in found if len(fields) >= len(names)]
    main: dict[str, str] = {}
    header, found = _table(lines, "mid")
    has_times = "vtime" in "".join(header).lower()
    for owner, *others in found:
        for alias in re.split(r"[;\s]+", " ".join(others)):
            main[re.sub(r":\d+\.\d+$", "", alias) if has_times else alias] = owner
    main.pop("", None)
    _add_rows(mesh, rows, main)


def _table(lines: list[str], name: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a table, which ends with an empty line."""
    start = next((i for i, line in enumerate(lines) if line.strip().lower() == f"table: {name}"), None)
    if start is None:
        return [], []
    end = next((i for i in range(start + 1, len(lines)) if not lines[i].strip()), len(lines))
    rows = [[field.strip() for field in line.split("\t")] for line in lines[start + 1 : end]]
    return rows[0] if rows else [""], rows[1:]


def _add_rows(mesh: Mesh, rows: Iterable[list[Any]], main: Mapping[str, str]) -> None:
    """Add edges with their ends: last hop, destination, both qualities and, where it is given, the cost."""
    mesh.notes.append("delivery is OLSR's link quality, measured with hello messages: short broadcasts")
    heard: list[Heard] = []
    for last, dest, lq, nlq, *cost in rows:
        a, b = (main.get(address(one), address(one)) for one in (last, dest))
        there, back = number(lq), number(nlq)
        if there is None or back is None or not (0.0 <= there <= 1.0 and 0.0 <= back <= 1.0):
            mesh.dropped["links without qualities from 0 to 1"] += 1
            continue
        price = math.inf if cost and str(cost[0]).upper() == "INFINITE" else number(cost[0]) if cost else None
        if _is_cable(price, there, back):
            mesh.dropped[CABLES] += 1
        elif price is not None and price >= BROKEN_ETX and min(there, back) < _LEAST_QUALITY:
            mesh.dropped[BROKEN] += 1
        else:
            heard.append((a, b, there, back))
        for name in (a, b):
            mesh.add_node(Node(name))
    add_heard(mesh, heard)


def _is_cable(cost: float | None, lq: float, nlq: float) -> bool:
    """Whether an edge is perfect both ways and costs a tenth: olsrd's `etx_ffeth` marks Ethernet so."""
    is_perfect = cost is not None and min(lq, nlq) >= _PERFECT
    return is_perfect and any(low < (cost or 0.0) < high for low, high in _CABLE_COSTS)
