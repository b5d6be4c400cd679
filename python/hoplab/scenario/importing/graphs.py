"""Readers of general formats: GraphML, GeoJSON, and CSV tables of links, nodes or a matrix.

Columns and attributes have hoplab's names of `topology.kind = "links"`, a few common others, or those of `--map`.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from hoplab.base.errors import InputError
from hoplab.scenario.importing.mesh import Link, Mesh, Node
from hoplab.scenario.importing.values import address, checked, document, items, number, place_of, text

LINK_COLUMNS = {
    "from": ("source", "src"),
    "to": ("target", "dst", "destination"),
    "power_w": (),
    "power_dbm": ("rssi", "rssi_dbm", "signal", "signal_dbm"),
    "snr_db": ("snr",),
    "path_loss_db": ("path_loss",),
    "delivery": ("pdr", "delivery_ratio"),
    "delivery_bytes": (),
    "etx": (),
    "distance_m": ("distance",),
    "sense_only": (),
    "way": (),
    "type": (),
}
NODE_COLUMNS = {
    "name": ("id", "node"),
    "latitude": ("lat",),
    "longitude": ("lon", "lng"),
    "height": ("altitude", "elevation"),
}
"""Columns by hoplab's name, with other names that are understood without `--map`."""


def with_columns(mesh: Mesh, data: str, where: str, name: str, columns: Mapping[str, str]) -> None:
    """Read a format whose columns have names of their own."""
    known = {**LINK_COLUMNS, **NODE_COLUMNS, "value": ()}
    if unknown := [key for key in columns if key not in known]:
        raise InputError(f"--map: unknown column {unknown[0]}, expected some of {', '.join(known)}")
    (graphml if name == "graphml" else table)(mesh, data, where, columns)


def table(mesh: Mesh, data: str, where: str, columns: Mapping[str, str] | None = None) -> None:
    """CSV: a link per line, a node per line, or a matrix of one value whose first header cell is empty."""
    columns = columns or {}
    head = data.splitlines()[0] if data.strip() else ""
    delimiter = max(",;\t", key=head.count)
    try:
        rows = [row for row in csv.reader(io.StringIO(data), delimiter=delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"{where}: no CSV: {error}") from None
    rows = [row for row in rows if not row[0].lstrip().startswith("#")]
    if not rows:
        raise InputError(f"{where}: empty, expected a header line and a line per link or node")
    header = [cell.strip() for cell in rows[0]]
    if header[0] == "" or "value" in columns:
        _matrix(mesh, rows, where, columns.get("value"))
        return
    index = _index(header, columns, where)
    if "from" in index and "to" in index:
        named = [
            ({key: row[i].strip() for key, i in index.items() if i < len(row)}, n) for n, row in enumerate(rows[1:], 2)
        ]
        for cells, _ in named:
            for end in ("from", "to"):
                if cells.get(end):
                    mesh.add_node(Node(cells[end]))
        for cells, line in named:
            _add_row(mesh, cells, f"{where}:{line}")
    elif "name" in index and "latitude" in index and "longitude" in index:
        for row in rows[1:]:
            cells = {key: row[i].strip() for key, i in index.items() if i < len(row)}
            if cells.get("name"):
                place = checked(
                    number(cells["latitude"]), number(cells["longitude"]), number(cells.get("height")) or 0.0
                )
                mesh.add_node(Node(cells["name"], None, place))
    else:
        raise InputError(
            f"{where}: columns {', '.join(header)}: neither from and to, nor name, latitude and longitude",
            hint="name them: --map from=COLUMN,to=COLUMN,power_dbm=COLUMN",
        )


def _index(header: list[str], columns: Mapping[str, str], where: str) -> dict[str, int]:
    """Positions of columns by hoplab's name."""
    if missing := [name for name in columns.values() if name not in header]:
        raise InputError(f"--map: {where} has no column {missing[0]!r}, expected some of {', '.join(header)}")
    found = {key: header.index(name) for key, name in columns.items()}
    for key, others in {**LINK_COLUMNS, **NODE_COLUMNS}.items():
        name = next((name for name in (key, *others) if name in header), None)
        if key not in found and name is not None:
            found[key] = header.index(name)
    return found


def _add_row(mesh: Mesh, cells: Mapping[str, Any], where: str, *, both: bool = False) -> None:
    """Add a link, in one or both directions."""
    a, b = address(cells.get("from")), address(cells.get("to"))
    kind = text(cells.get("type"))
    if "type" in cells:
        mesh.types[kind] += 1
    link = _link(mesh, cells, where, kind)
    if link is None:
        return
    mesh.add(a, b, link)
    if both or text(cells.get("way")) == "both":
        mesh.add(b, a, link)


def _link(mesh: Mesh, cells: Mapping[str, Any], where: str, kind: str) -> Link | None:
    values = {key: number(cells.get(key)) for key in LINK_COLUMNS if key not in {"from", "to", "way", "type"}}
    for key, value in cells.items():
        if key in values and values[key] is None and address(value) and key != "sense_only":
            raise InputError(f"{where}: {key}: {value!r} is no number")
    delivery = values["delivery"]
    if delivery is not None and not 0.0 <= delivery <= 1.0:
        raise InputError(f"{where}: delivery {delivery:g} is out of range, expected 0 to 1")
    etx = values["etx"]
    if delivery is None and etx is not None:
        if etx < 1.0:
            mesh.dropped["links with an ETX below 1"] += 1
            return None
        delivery = etx**-0.5
    power = values["power_dbm"]
    watts = values["power_w"]
    if power is None and watts is not None:
        if watts <= 0.0:
            raise InputError(f"{where}: power_w {watts:g} is out of range, expected more than 0 W")
        power = 10.0 * math.log10(watts) + 30.0
    size = values["delivery_bytes"]
    return Link(
        power_dbm=power,
        snr_db=values["snr_db"],
        path_loss_db=values["path_loss_db"],
        delivery=delivery,
        delivery_bytes=None if size is None else int(size),
        distance_m=values["distance_m"],
        sense_only=text(cells.get("sense_only")).lower() in {"true", "1", "yes"},
        type=kind,
    )


def _matrix(mesh: Mesh, rows: list[list[str]], where: str, value: str | None) -> None:
    """A row per sender and a column per receiver."""
    units = [key for key in LINK_COLUMNS if key not in {"from", "to", "way", "type", "sense_only", "delivery_bytes"}]
    if value not in units:
        raise InputError(
            f"{where}: a matrix does not say what its values are", hint=f"add --map value=COLUMN, of {', '.join(units)}"
        )
    names = [cell.strip() for cell in rows[0][1:]]
    for name in names:
        mesh.add_node(Node(name))
    for line, row in enumerate(rows[1:], 2):
        for name, cell in zip(names, row[1:], strict=False):
            if cell.strip() and name != row[0].strip():
                _add_row(mesh, {"from": row[0].strip(), "to": name, value: cell.strip()}, f"{where}:{line}")


def geojson(mesh: Mesh, data: str, where: str) -> None:
    """GeoJSON (RFC 7946): points are nodes, [longitude, latitude, height]; lines with source and target are links."""
    whole = document(data, where)
    features = [whole] if isinstance(whole, dict) and whole.get("type") == "Feature" else None
    if features is None:
        features = items(whole.get("features") if isinstance(whole, dict) else None, where, "features")
    lines = []
    for i, feature in enumerate(features):
        geometry, more = feature.get("geometry"), feature.get("properties")
        properties: dict[str, Any] = more if isinstance(more, dict) else {}
        kind = geometry.get("type") if isinstance(geometry, dict) else None
        if kind == "Point":
            at = geometry.get("coordinates") if isinstance(geometry, dict) else None
            angles = [number(one) for one in at] if isinstance(at, list) else []
            name = address(feature.get("id")) or address(properties.get("id")) or text(properties.get("name"))
            place = checked(angles[1], angles[0], (angles[2:] or [0.0])[0] or 0.0) if len(angles) >= 2 else None
            label = text(properties.get("name") or properties.get("hostname")) or None
            mesh.add_node(Node(name or f"point {i}", label, place))
        elif kind == "LineString":
            lines.append((properties, i))
        else:
            mesh.dropped[f"features of type {kind or 'without geometry'}"] += 1
    for properties, i in lines:
        cells = _cells(properties)
        if "from" not in cells or "to" not in cells:
            mesh.dropped["lines without source and target"] += 1
            continue
        _add_row(mesh, cells, f"{where}: feature {i}", both=True)
        if not mesh.notes:
            mesh.notes.append("lines hold in both directions")


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by hoplab's name."""
    found = {}
    for key, others in LINK_COLUMNS.items():
        name = next((name for name in (key, *others) if name in row), None)
        if name is not None:
            found[key] = row[name]
    return found


_SPACE = re.compile(r"\{[^}]*\}")


def graphml(mesh: Mesh, data: str, where: str, columns: Mapping[str, str] | None = None) -> None:
    """GraphML: attributes by their names; edges of undirected graphs hold in both directions."""
    if "<!DOCTYPE" in data or "<!ENTITY" in data:
        raise InputError(f"{where}: document types and entities are not supported in GraphML")
    try:
        root = ET.fromstring(data)  # noqa: S314 (without entities)
    except ET.ParseError as error:
        raise InputError(f"{where}: not XML: {error}") from None
    for element in root.iter():
        element.tag = _SPACE.sub("", str(element.tag))
    graph = root.find("graph")
    if graph is None:
        raise InputError(f"{where}: no element graph, expected GraphML")
    renamed = {name: key for key, name in (columns or {}).items()}
    keys = {key.get("id", ""): key.get("attr.name", key.get("id", "")) for key in root.iter("key")}

    def attributes(element: ET.Element) -> dict[str, Any]:
        named = {
            keys.get(one.get("key", ""), one.get("key", "")): (one.text or "").strip() for one in element.iter("data")
        }
        return {renamed.get(name, name): value for name, value in named.items()}

    for element in graph.iter("node"):
        more = attributes(element)
        label = text(more.get("label") or more.get("name")) or None
        mesh.add_node(Node(element.get("id", ""), label, place_of(more)))
    usual = graph.get("edgedefault", "directed") == "directed"
    for i, element in enumerate(graph.iter("edge")):
        directed = {"true": True, "false": False}.get(element.get("directed", ""), usual)
        cells = {**_cells(attributes(element)), "from": element.get("source"), "to": element.get("target")}
        _add_row(mesh, cells, f"{where}: edge {i}", both=not directed)
