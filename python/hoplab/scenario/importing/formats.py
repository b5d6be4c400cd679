"""Readers of the formats of routing daemons and maps.

Sources of the forms: NetJSON (netjson.org, NetworkGraph), meshviewer (yanic), batman-adv's alfred (`batadv-vis -f json`
and `-f jsondoc`), olsrd's plugins jsoninfo and txtinfo, OpenWiFiMap's API.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.scenario.importing import graphs
from hoplab.scenario.importing.mesh import Link, Mesh, Node
from hoplab.scenario.importing.values import address, document, items, number, place_of, text

MOST_BYTES = 256 << 20
"""Longest file that is read."""

BROKEN_ETX = 1024.0
"""olsrd's integer costs are ETX times 1024."""


def netjson(mesh: Mesh, data: str, where: str) -> None:
    """NetJSON NetworkGraph: a cost per link, by the metric of its protocol."""
    graph = _networkgraph(document(data, where), where)
    metric = text(graph.get("metric")).upper()
    if metric not in {"", "ETX", "TQ"}:
        raise InputError(
            f"{where}: metric {graph['metric']!r} is not supported, expected ETX (OLSR) or TQ (batman-adv)",
            hint="convert costs to delivery ratios and import a CSV file",
        )
    for row in items(graph.get("nodes"), where, "nodes"):
        name = address(row.get("id"))
        if name:
            mesh.add_node(Node(name, text(row.get("label") or row.get("name")) or None, place_of(row)))
    links = items(graph.get("links"), where, "links")
    costs = [cost for row in links if (cost := number(row.get("cost"))) is not None and math.isfinite(cost)]
    scale = 1.0
    if costs and min(costs) >= BROKEN_ETX:
        scale = BROKEN_ETX
        mesh.notes.append("costs are olsrd's integers: each is divided by 1024")
    for row in links:
        _netjson_link(mesh, row, metric, scale)


def _netjson_link(mesh: Mesh, row: Mapping[str, Any], metric: str, scale: float) -> None:
    a, b = address(row.get("source")), address(row.get("target"))
    more = row.get("properties")
    properties: Mapping[str, Any] = more if isinstance(more, dict) else {}
    lq = _first(properties, "lq", "link_quality", "linkQuality")
    nlq = _first(properties, "nlq", "neighbor_link_quality", "neighborLinkQuality")
    if lq is not None and nlq is not None and 0.0 <= lq <= 1.0 and 0.0 <= nlq <= 1.0:
        mesh.add(b, a, Link(delivery=lq))
        mesh.add(a, b, Link(delivery=nlq))
        return
    cost = number(row.get("cost"))
    if cost is None or not math.isfinite(cost) or cost / scale < 1.0:
        mesh.dropped["links without a cost of at least 1"] += 1
        return
    cost /= scale
    each = 1.0 / cost if metric == "TQ" else 1.0 / math.sqrt(cost)
    mesh.add(a, b, Link(delivery=each))
    mesh.add(b, a, Link(delivery=each))


def _networkgraph(data: Any, where: str) -> Mapping[str, Any]:
    if isinstance(data, dict) and data.get("type") == "NetworkCollection":
        graphs_ = [
            one for one in items(data.get("collection"), where, "collection") if one.get("type") == "NetworkGraph"
        ]
        if len(graphs_) == 1:
            return graphs_[0]
        raise InputError(
            f"{where}: {len(graphs_)} objects of type NetworkGraph, expected one", hint="save one to a file"
        )
    if not isinstance(data, dict) or data.get("type") != "NetworkGraph":
        kind = text(data.get("type")) if isinstance(data, dict) else type(data).__name__
        raise InputError(f"{where}: type {kind or 'missing'}, expected NetworkGraph", hint="see --format")
    return data


def meshviewer(mesh: Mesh, data: str, where: str) -> None:
    """meshviewer.json: TQ of each direction from 0 to 1, types of links, places of nodes."""
    whole = document(data, where)
    if not isinstance(whole, dict):
        raise InputError(f"{where}: expected an object with nodes and links")
    for row in items(whole.get("nodes"), where, "nodes"):
        name = address(row.get("node_id") or row.get("id"))
        if name:
            label = text(row.get("hostname")) or None
            mesh.add_node(Node(name, label, place_of(row), bool(row.get("is_gateway"))))
    mesh.notes.append("delivery is batman-adv's TQ of the direction, measured with short broadcasts")
    for row in items(whole.get("links"), where, "links"):
        kind = text(row.get("type"))
        mesh.types[kind] += 1
        a, b = address(row.get("source")), address(row.get("target"))
        for ends, key in (((a, b), "source_tq"), ((b, a), "target_tq")):
            quality = number(row.get(key))
            if quality is None or not 0.0 <= quality <= 1.0:
                mesh.dropped[f"directions without {key} from 0 to 1"] += 1
            else:
                mesh.add(*ends, Link(delivery=quality, type=kind))


def batadv_vis(mesh: Mesh, data: str, where: str) -> None:
    """Output of batadv-vis, as one document (jsondoc) or an object per line (json): 255/TQ per direction."""
    rows = list(_vis_rows(data, where))
    main = {alias: primary for primary, aliases, _ in rows if primary for alias in (primary, *aliases)}
    for primary in (primary for primary, _, _ in rows if primary):
        mesh.add_node(Node(primary))
    mesh.notes.append("delivery is batman-adv's TQ of the direction, measured with short broadcasts")
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
            yield address(row.get("primary")), [address(one) for one in row.get("secondary") or ()], found
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


def olsr(mesh: Mesh, data: str, where: str) -> None:
    """Olsrd's jsoninfo: LQ is what the last hop receives of the destination, NLQ the reverse."""
    whole = document(data, where)
    if not isinstance(whole, dict) or "topology" not in whole:
        raise InputError(f"{where}: no topology, expected the answer of jsoninfo to /topology or /all")
    main: dict[str, str] = {}
    for row in items(whole.get("mid") or [], where, "mid"):
        owner = row.get("main")
        name = address(owner.get("ipAddress") if isinstance(owner, dict) else row.get("ipAddress") or owner)
        for alias in row.get("aliases") or ():
            main[address(alias.get("ipAddress") if isinstance(alias, dict) else alias)] = name
    rows = [
        (row.get("lastHopIP"), row.get("destinationIP"), row.get("linkQuality"), row.get("neighborLinkQuality"))
        for row in items(whole["topology"], where, "topology")
    ]
    _olsr_rows(mesh, rows, main)


def txtinfo(mesh: Mesh, data: str, where: str) -> None:
    """Olsrd's txtinfo: the table Topology."""
    lines = iter(data.splitlines())
    if not any(line.strip().lower() == "table: topology" for line in lines):
        raise InputError(f"{where}: no table Topology, expected the answer of txtinfo to /topology or /all")
    header = next(lines, "").split("\t")
    names = [name.strip().lower().replace(".", "") for name in header]
    try:
        at = [names.index(name) for name in ("last hop ip", "dest ip", "lq", "nlq")]
    except ValueError:
        raise InputError(
            f"{where}: header of table Topology is {header}, expected Dest. IP, Last hop IP, LQ, NLQ"
        ) from None
    rows = []
    for line in lines:
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) < len(names):
            break
        rows.append(tuple(fields[i] for i in at))
    _olsr_rows(mesh, rows, {})


def _olsr_rows(mesh: Mesh, rows: Iterable[tuple[Any, ...]], main: Mapping[str, str]) -> None:
    """Directions as their receivers measure them; where only the sender reports one, its NLQ."""
    mesh.notes.append("delivery is OLSR's link quality, measured with hello messages: short broadcasts")
    own: dict[tuple[str, str], float] = {}
    other: dict[tuple[str, str], float] = {}
    for last, dest, lq, nlq in rows:
        a, b = (main.get(address(one), address(one)) for one in (last, dest))
        there, back = number(lq), number(nlq)
        if there is None or back is None or not (0.0 <= there <= 1.0 and 0.0 <= back <= 1.0):
            mesh.dropped["links without qualities from 0 to 1"] += 1
            continue
        for name in (a, b):
            mesh.add_node(Node(name))
        if (b, a) in own:
            mesh.dropped["second links in a direction: the better one is kept"] += 1
        own[b, a] = max(there, own.get((b, a), 0.0))
        other[a, b] = max(back, other.get((a, b), 0.0))
    for ends in dict.fromkeys([*(pair for one in own for pair in (one[::-1], one))]):
        quality = own.get(ends, other.get(ends))
        if quality is not None:
            mesh.add(*ends, Link(delivery=quality))


def openwifimap(mesh: Mesh, data: str, where: str) -> None:
    """OpenWiFiMap: rows with a value per node; what a node reports of a link holds from the neighbor to it."""
    whole = document(data, where)
    rows = whole.get("rows") if isinstance(whole, dict) else whole
    values = [row["value"] if isinstance(row.get("value"), dict) else row for row in items(rows, where, "rows")]
    for value in values:
        name = address(value.get("id") or value.get("hostname"))
        if name:
            mesh.add_node(Node(name, text(value.get("hostname")) or None, place_of(value)))
    for value in values:
        name = address(value.get("id") or value.get("hostname"))
        for row in value.get("links") or value.get("neighbors") or ():
            if not isinstance(row, dict):
                continue
            far = address(row.get("id") or row.get("hostname") or row.get("remote"))
            signal, noise = number(row.get("signal")), number(row.get("noise"))
            quality = _first(row, "lq", "linkQuality", "quality")
            if quality is not None and not 0.0 <= quality <= 1.0:
                quality = None
            if signal is None and quality is None:
                mesh.dropped["links without signal and quality"] += 1
                continue
            snr = signal - noise if signal is not None and noise is not None and noise < signal else None
            power = signal if signal is not None and snr is None and signal < 0 else None
            mesh.add(far, name, Link(power_dbm=power, snr_db=snr, delivery=quality))
    mesh.notes.append("signal over noise is what the reporter receives from its neighbor")


def _first(row: Mapping[str, Any], *keys: str) -> float | None:
    found = (number(row.get(key)) for key in keys)
    return next((value for value in found if value is not None), None)


Reader = Callable[[Mesh, str, str], None]
FORMATS: dict[str, tuple[Reader, str]] = {
    "netjson": (netjson, "NetJSON NetworkGraph"),
    "meshviewer": (meshviewer, "meshviewer.json"),
    "batadv-vis": (batadv_vis, "batman-adv, batadv-vis -f json or jsondoc"),
    "olsr": (olsr, "olsrd jsoninfo, /topology or /all"),
    "txtinfo": (txtinfo, "olsrd txtinfo, /topology or /all"),
    "openwifimap": (openwifimap, "OpenWiFiMap, view_nodes"),
    "graphml": (graphs.graphml, "GraphML"),
    "geojson": (graphs.geojson, "GeoJSON points, and lines with source and target"),
    "csv": (graphs.table, "CSV links, nodes or a matrix; --map for other headers"),
}
"""Readers by name, with what each reads."""


def detect(data: str, path: Path) -> str | None:
    """The format of a text; None if it is none of them."""
    start = data.lstrip("\ufeff \t\r\n")
    if start.startswith("<"):
        return "graphml" if "<graphml" in start[:4000] else None
    if not start.startswith(("{", "[")):
        if any(line.strip().lower() == "table: topology" for line in data.splitlines()):
            return "txtinfo"
        return "csv" if path.suffix.lower() in {".csv", ".tsv", ".txt"} else None
    try:
        whole = json.loads(start)
    except (ValueError, RecursionError):
        first = start.splitlines()[0]
        return "batadv-vis" if any(key in first for key in ('"primary"', '"router"', '"secondary"')) else None
    if isinstance(whole, list):
        return "openwifimap" if whole and isinstance(whole[0], dict) and "latitude" in whole[0] else None
    kind = whole.get("type")
    if kind in {"NetworkGraph", "NetworkCollection"}:
        return "netjson"
    if kind in {"FeatureCollection", "Feature"}:
        return "geojson"
    keys = {
        "vis": "batadv-vis",
        "primary": "batadv-vis",
        "router": "batadv-vis",
        "topology": "olsr",
        "rows": "openwifimap",
    }
    found = next((name for key, name in keys.items() if key in whole), None)
    if found is None and {"nodes", "links"} <= set(whole):
        return "meshviewer"
    return found


def read(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 (the name of the option)
    types: Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Mesh:
    """The mesh that a file describes.

    Parameters
    ----------
    path : str or Path
        The file.
    format : str, optional
        One of `FORMATS`; detected if not given.
    types : iterable of str, optional
        Types of links to keep, such as ``["wifi24"]``.
    columns : mapping, optional
        Of a CSV file or GraphML: hoplab's names of columns, and those of the file.

    Raises
    ------
    InputError
        If the file cannot be read, or is of no known format; if it has links of several types and `types` is None.
    """
    place = Path(path)
    try:
        data = regular_files.without_mark(regular_files.read_text(place, MOST_BYTES))
    except FileNotFoundError:
        raise InputError(f"{path}: file not found") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    name = format or detect(data, place)
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        what = f"--format {format!r}: unknown" if format else f"{path}: format not recognized"
        raise InputError(f"{what}, expected one of {known}", hint=None if format else "name it with --format")
    mesh = Mesh(name, wanted=None if types is None else frozenset(types))
    if name in {"csv", "graphml"}:
        graphs.with_columns(mesh, data, str(path), name, columns or {})
    elif columns:
        raise InputError(f"--map is not supported for {name}, expected csv or graphml")
    else:
        FORMATS[name][0](mesh, data, str(path))
    mesh.check_types(str(path))
    if not mesh.nodes:
        raise InputError(f"{path}: no nodes ({FORMATS[name][1]})")
    return mesh
