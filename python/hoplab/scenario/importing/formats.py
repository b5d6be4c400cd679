"""The readers by format, and which of them a file needs; meshviewer (yanic) and OpenWiFiMap's API are read here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hoplab.base import regular_files
from hoplab.base.errors import InputError
from hoplab.scenario.importing import batman, graphs, netjson, olsrd
from hoplab.scenario.importing.mesh import Link, Mesh, MeshError, Node
from hoplab.scenario.importing.power import LEAST_DBM, most_dbm, noise_dbm
from hoplab.scenario.importing.values import address, document, entries, items, number, place_of, shown, text

MOST_BYTES = 256 << 20
"""Longest file that is read."""


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
    mesh.notes.append(batman.SHORT_BROADCASTS)
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
        for row in entries(value.get("links") or value.get("neighbors"), where, "links"):
            if not isinstance(row, dict):
                continue
            far = address(row.get("id") or row.get("hostname") or row.get("remote"))
            signal, noise = number(row.get("signal")), number(row.get("noise"))
            quality = _first(row, "lq", "linkQuality", "quality")
            if quality is not None and not 0.0 <= quality <= 1.0:
                quality = None
            snr = signal - noise if signal is not None and noise is not None and noise < signal else None
            power = signal if signal is not None and snr is None and signal < 0 else None
            level = power if snr is None else noise_dbm() + snr
            if level is not None and not LEAST_DBM <= level <= most_dbm():
                mesh.dropped[f"signals beyond {LEAST_DBM:g} to {most_dbm():.1f} dBm, the transmit power"] += 1
                snr = power = None
            if snr is None and power is None and quality is None:
                mesh.dropped["links without signal and quality"] += 1
                continue
            mesh.add(far, name, Link(power_dbm=power, snr_db=snr, delivery=quality))
    mesh.notes.append("signal over noise is what the reporter receives from its neighbor")


def _first(row: Mapping[str, Any], *keys: str) -> float | None:
    found = (number(row.get(key)) for key in keys)
    return next((value for value in found if value is not None), None)


Reader = Callable[[Mesh, str, str], None]
FORMATS: dict[str, tuple[Reader, str]] = {
    "netjson": (netjson.netjson, "NetJSON NetworkGraph"),
    "meshviewer": (meshviewer, "meshviewer.json"),
    "batadv-vis": (batman.vis, "batman-adv, batadv-vis -f json or jsondoc"),
    "batctl": (batman.originators, "batman-adv, batctl originators_json or neighbors_json"),
    "olsr": (olsrd.jsoninfo, "olsrd jsoninfo, /topology or /all"),
    "txtinfo": (olsrd.txtinfo, "olsrd txtinfo, /topology or /all"),
    "openwifimap": (openwifimap, "OpenWiFiMap, view_nodes"),
    "graphml": (graphs.graphml, "GraphML"),
    "geojson": (graphs.geojson, "GeoJSON points, and lines with source and target"),
    "csv": (graphs.table, "CSV links, nodes or a matrix; --map for other headers"),
}
"""Readers by name, with what each reads."""

KEYS = {
    "netjson": 'type "NetworkGraph", nodes (id), links (source, target, cost)',
    "meshviewer": "nodes (node_id), links (source, target, source_tq, target_tq)",
    "batadv-vis": "vis (primary, secondary, neighbors: router, neighbor, metric), or in each line one of primary, "
    "secondary, neighbor",
    "batctl": "a list of neigh_address, hard_ifname, tq or throughput",
    "olsr": "topology (lastHopIP, destinationIP, linkQuality, neighborLinkQuality)",
    "openwifimap": "rows, or a list, of id or hostname, latitude, longitude, links (id, signal, noise, quality)",
    "geojson": 'type "FeatureCollection", features (geometry, properties)',
}
"""What a JSON document of each format has."""


def detect(data: str, path: Path) -> str | None:
    """The format of a text; None if it is none of them."""
    start = data.lstrip("\ufeff \t\r\n")
    if start.startswith("<"):
        return "graphml" if "<graphml" in start[:4000] else None
    if not _is_json(data):
        if any(line.strip().lower() == "table: topology" for line in data.splitlines()):
            return "txtinfo"
        return "csv" if path.suffix.lower() in {".csv", ".tsv", ".txt"} else None
    try:
        whole = json.loads(start)
    except (ValueError, RecursionError):
        first = start.splitlines()[0]
        return "batadv-vis" if any(key in first for key in ('"primary"', '"router"', '"secondary"')) else None
    if isinstance(whole, list):
        row = whole[0] if whole and isinstance(whole[0], dict) else {}
        if "neigh_address" in row:
            return "batctl"
        return "openwifimap" if "latitude" in row else None
    kind = text(whole.get("type"))
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
    place, where = Path(path), shown(path)
    try:
        data = regular_files.without_mark(regular_files.read_text(place, MOST_BYTES))
    except FileNotFoundError:
        raise InputError(f"{where}: file not found") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{where}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    data = _HTTP.sub("", data, count=1)
    name = format or detect(data, place)
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        if format:
            raise InputError(f"--format {format!r}: unknown, expected one of {known}")
        remedy = "name it with --format"
        if _is_json(data):
            remedy += "; keys of each format in JSON:" + "".join(f"\n    {name}: {keys}" for name, keys in KEYS.items())
        raise InputError(f"{where}: format not recognized, expected one of {known}", hint=remedy)
    mesh = Mesh(name, wanted=None if types is None else frozenset(types))
    if name in {"csv", "graphml"}:
        graphs.with_columns(mesh, data, where, name, columns or {})
    elif columns:
        raise InputError(f"--map is not supported for {name}, expected csv or graphml")
    else:
        FORMATS[name][0](mesh, data, where)
    mesh.check_types(where)
    if not mesh.nodes:
        hint = f"expected {KEYS[name]}" if name in KEYS else None
        raise MeshError(f"{where}: no nodes ({FORMATS[name][1]})", dropped=mesh.dropped, hint=hint)
    return mesh


def _is_json(data: str) -> bool:
    return data.lstrip("\ufeff \t\r\n").startswith(("{", "["))


_HTTP = re.compile(r"\A\s*HTTP/\d[^\n]*\n(?:[^\n]+\n)*\s*\n(?=\s*[{\[])")
"""Headers of an answer that was saved with them, before JSON."""
