"""Readers of general formats: GraphML, GeoJSON, and CSV tables of links, nodes or a matrix.

Columns and attributes have hoplab's names of `topology.kind = "links"`, a few common others, or those of `--map`.
Capitals do not matter.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any
from xml.etree import ElementTree as ET

from hoplab.base.errors import InputError
from hoplab.scenario.importing.mesh import Link, Mesh, Node
from hoplab.scenario.importing.power import LEAST_DBM, level, most_dbm
from hoplab.scenario.importing.values import address, checked, document, items, number, place_of, shown, text

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
    "delay_ns": (),
    "sense_only": (),
    "channel": (),
    "t_s": (),
    "way": (),
    "type": (),
}
NODE_COLUMNS = {
    "name": ("id", "node"),
    "latitude": ("lat",),
    "longitude": ("lon", "lng", "long"),
    "height": ("altitude", "elevation", "elev", "alt", "ele"),
}
"""Columns by hoplab's name, with other names that are understood without `--map`."""

_TEXTS = frozenset({"from", "to", "way", "type"})
_RANGES = {
    "snr_db": (-200.0, 200.0),
    "path_loss_db": (0.0, 300.0),
    "delivery": (0.0, 1.0),
    "delivery_bytes": (1.0, 100_000.0),
    "distance_m": (0.0, 1e6),
    "delay_ns": (0.0, 1e9),
    "channel": (1.0, 233.0),
    "t_s": (0.0, 1e9),
}
"""What a scenario takes."""


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
        _add_samples(mesh, named, where)
        _note_unused(mesh, header, {i for key, i in index.items() if key in LINK_COLUMNS})
    elif "name" in index and "latitude" in index and "longitude" in index:
        for row in rows[1:]:
            cells = {key: row[i].strip() for key, i in index.items() if i < len(row)}
            if cells.get("name"):
                angles = number(cells.get("latitude")), number(cells.get("longitude"))
                mesh.add_node(Node(cells["name"], None, checked(*angles, number(cells.get("height")) or 0.0)))
        _note_unused(mesh, header, {i for key, i in index.items() if key in NODE_COLUMNS})
    else:
        raise InputError(
            f"{where}: columns {shown(', '.join(header))}: neither from and to, nor name, latitude and longitude",
            hint="name them: --map from=COLUMN,to=COLUMN,power_dbm=COLUMN",
        )


def _note_unused(mesh: Mesh, header: Sequence[str], used: set[int]) -> None:
    if unused := [shown(name) or "(no name)" for i, name in enumerate(header) if i not in used]:
        mesh.dropped[f"columns without a meaning here ({', '.join(unused)}); --map gives them one"] += len(unused)


def _index(header: list[str], columns: Mapping[str, str], where: str) -> dict[str, int]:
    """Positions of columns by hoplab's name."""
    if missing := [name for name in columns.values() if name not in header]:
        names = shown(", ".join(header))
        raise InputError(f"--map: {where} has no column {missing[0]!r}, expected some of {names}")
    found = {key: header.index(name) for key, name in columns.items()}
    lower = [name.lower() for name in header]
    for key, others in {**LINK_COLUMNS, **NODE_COLUMNS}.items():
        name = next((name for name in (key, *others) if name in lower), None)
        if key not in found and name is not None:
            found[key] = lower.index(name)
    return found


_Key = tuple[str, str, str, int | None, float]
"""Sender, receiver, type, channel and time of samples."""


def _add_samples(mesh: Mesh, rows: Iterable[tuple[Mapping[str, Any], int]], where: str) -> None:
    """Add the rows of a table of links: those of one direction and time are samples of it."""
    samples: dict[_Key, list[Link]] = {}
    implied: dict[_Key, list[Link]] = {}
    for cells, line in rows:
        at = f"{where}:{line}"
        a, b, kind = address(cells.get("from")), address(cells.get("to")), text(cells.get("type"))
        way = text(cells.get("way")).lower()
        if way not in {"", "one", "both"}:
            raise InputError(f"{at}: way {way!r} is unknown, expected one or both")
        if "type" in cells:
            mesh.types[kind] += 1
        if (link := _link(mesh, cells, at, kind)) is None:
            continue
        if link.t_s > 0.0 and link.delivery == 0.0:
            link = Link(channel=link.channel, t_s=link.t_s, type=kind)
        samples.setdefault((a, b, kind, link.channel, link.t_s), []).append(link)
        if way == "both":
            implied.setdefault((b, a, kind, link.channel, link.t_s), []).append(link)
    if repeated := sum(len(links) - 1 for links in samples.values()):
        mesh.notes.append(
            f"{repeated} rows repeat a direction: values are means of its rows, of dB for power; "
            "a column t_s makes them changes in time"
        )
    found = [*((key, links, False) for key, links in samples.items())]
    found += [(key, links, True) for key, links in implied.items() if key not in samples]
    first = min((key[-1] for key, _, _ in found), default=0.0)
    if first > 0.0:
        hint = "subtract the first time from all"
        raise InputError(f"{where}: t_s: the first time is {first:g} s, expected rows at 0 s, the start", hint=hint)
    known: set[tuple[str, str, str, int | None]] = set()
    for key, links, is_implied in sorted(found, key=lambda one: one[0][-1]):
        a, b, *_ = key
        link = _mean(links)
        if key[:-1] in known:
            mesh.change(a, b, link)
        elif not link.is_gone:
            mesh.add(a, b, link, implied=is_implied)
            known.add(key[:-1])


def _mean(links: Sequence[Link]) -> Link:
    """The mean of samples of one direction.

    Of delivery it is the share of all probes that arrived. Of power it is the mean of dB: losses vary around their mean
    in dB (shadowing is lognormal), and a mean of watts would be that of the few luckiest samples.
    """
    if len(links) == 1:
        return links[0]

    def mean(key: str) -> float | None:
        known = [value for link in links if (value := getattr(link, key)) is not None]
        return fmean(known) if known else None

    def whole(key: str) -> int | None:
        return None if (value := mean(key)) is None else round(value)

    powers = {key: mean(key) for key in ("power_dbm", "snr_db", "path_loss_db", "delivery", "distance_m")}
    lengths = {key: whole(key) for key in ("delivery_bytes", "delay_ns")}
    is_sensed_only = all(link.sense_only for link in links)
    first = links[0]
    return replace(first, **powers, **lengths, sense_only=is_sensed_only)  # type: ignore[arg-type]


def _add_row(mesh: Mesh, cells: Mapping[str, Any], where: str, *, both: bool = False) -> None:
    """Add a link, in one or both directions."""
    a, b = address(cells.get("from")), address(cells.get("to"))
    kind = text(cells.get("type"))
    if "type" in cells:
        mesh.types[kind] += 1
    link = _link(mesh, cells, where, kind)
    if link is None:
        return
    if link.t_s > 0.0:
        raise InputError(f"{where}: t_s {link.t_s:g} is not supported in {mesh.format}, expected a CSV file")
    if both or text(cells.get("way")) == "both":
        mesh.both(a, b, link)
    else:
        mesh.add(a, b, link)


def _link(mesh: Mesh, cells: Mapping[str, Any], where: str, kind: str) -> Link | None:
    values = {key: number(cells.get(key)) for key in LINK_COLUMNS if key not in _TEXTS}
    for key, value in cells.items():
        if key in values and values[key] is None and address(value) and key != "sense_only":
            raise InputError(f"{where}: {key}: {value!r} is no number")
    for key, (low, high) in _RANGES.items():
        if (number_ := values[key]) is not None and not low <= number_ <= high:
            raise InputError(f"{where}: {key} {number_:g} is out of range, expected {low:g} to {high:g}")
    delivery = values["delivery"]
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
    size, delay, channel = values["delivery_bytes"], values["delay_ns"], values["channel"]
    link = Link(
        power_dbm=power,
        snr_db=values["snr_db"],
        path_loss_db=values["path_loss_db"],
        delivery=delivery,
        delivery_bytes=None if size is None or delivery is None else round(size),
        distance_m=values["distance_m"] if delay is None else None,
        delay_ns=None if delay is None else round(delay),
        sense_only=text(cells.get("sense_only")).lower() in {"true", "1", "yes"},
        channel=None if channel is None else round(channel),
        t_s=values["t_s"] or 0.0,
        type=kind,
    )
    received = level(link)
    if received is not None and not LEAST_DBM <= received <= most_dbm():
        raise InputError(
            f"{where}: a received power of {received:g} dBm is out of range, expected {LEAST_DBM:g} dBm to "
            f"{most_dbm():.1f} dBm, the transmit power",
            hint="signals are in dBm, below zero; of percentages or bars make none",
        )
    return link


def _matrix(mesh: Mesh, rows: list[list[str]], where: str, value: str | None) -> None:
    """A row per sender and a column per receiver."""
    units = [key for key in LINK_COLUMNS if key not in _TEXTS | {"sense_only", "delivery_bytes", "channel", "t_s"}]
    if value not in units:
        raise InputError(
            f"{where}: a matrix does not say what its values are", hint=f"add --map value=COLUMN, of {', '.join(units)}"
        )
    names = [cell.strip() for cell in rows[0][1:]]
    for name in filter(None, names):
        mesh.add_node(Node(name))
    cells = [
        ({"from": row[0].strip(), "to": name, value: cell.strip()}, line)
        for line, row in enumerate(rows[1:], 2)
        for name, cell in zip(names, row[1:], strict=False)
        if name and cell.strip() and name != row[0].strip()
    ]
    _add_samples(mesh, cells, where)


def geojson(mesh: Mesh, data: str, where: str) -> None:
    """GeoJSON (RFC 7946): points are nodes, [longitude, latitude, height]; lines with source and target are links."""
    whole = document(data, where)
    features = [whole] if isinstance(whole, dict) and whole.get("type") == "Feature" else None
    if features is None:
        features = items(whole.get("features") if isinstance(whole, dict) else None, where, "features")
    lines, labeled = [], dict[str, set[str]]()
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
            if label:
                labeled.setdefault(label, set()).add(name or f"point {i}")
        elif kind == "LineString":
            lines.append((properties, i))
        else:
            mesh.dropped[f"features of type {shown(kind or 'without geometry')}"] += 1
    named = {label: min(ids) for label, ids in labeled.items() if len(ids) == 1 and label not in mesh.nodes}
    for properties, i in lines:
        cells = _cells(properties)
        if "from" not in cells or "to" not in cells:
            mesh.dropped["lines without source and target"] += 1
            continue
        for end in ("from", "to"):
            cells[end] = named.get(name := address(cells[end]), name)
        _add_row(mesh, cells, f"{where}: feature {i}", both=True)
        if not mesh.notes:
            mesh.notes.append("lines hold in both directions")


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by hoplab's name."""
    lower = {name.lower(): value for name, value in row.items()}
    found = {}
    for key, others in LINK_COLUMNS.items():
        name = next((name for name in (key, *others) if name in lower), None)
        if name is not None:
            found[key] = lower[name]
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
    defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
    for key in root.iter("key"):
        usual = key.findtext("default")
        for kind, values in defaults.items():
            if usual is not None and key.get("for", "all") in {kind, "all"}:
                values[key.get("id", "")] = usual.strip()

    def attributes(element: ET.Element) -> dict[str, Any]:
        given = {one.get("key", ""): (one.text or "").strip() for one in element.iter("data")}
        named = {keys.get(key, key): value for key, value in {**defaults[element.tag], **given}.items()}
        return {renamed.get(name, name.lower()): value for name, value in named.items()}

    for element in graph.iter("node"):
        more = attributes(element)
        label = text(more.get("label") or more.get("name")) or None
        mesh.add_node(Node(text(element.get("id")), label, place_of(more)))
    is_directed = graph.get("edgedefault", "directed") == "directed"
    for i, element in enumerate(graph.iter("edge")):
        directed = {"true": True, "false": False}.get(element.get("directed", ""), is_directed)
        cells = {**_cells(attributes(element)), "from": element.get("source"), "to": element.get("target")}
        _add_row(mesh, cells, f"{where}: edge {i}", both=not directed)
