"""A mesh as a scenario, the file of its links, its nodes, and a report of what was dropped, assumed and missing."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, deque
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

from hoplab.base import numbers
from hoplab.base.errors import InputError
from hoplab.base.table import FORMULA
from hoplab.scenario.importing.mesh import MeshError, counted
from hoplab.scenario.importing.places import plane, without_misplaced
from hoplab.scenario.importing.power import level, sense_db
from hoplab.scenario.importing.values import shown
from hoplab.scenario.tomltext import document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hoplab.scenario.importing.mesh import Link, Mesh

SCENARIO, LINKS, NODES, REPORT = "scenario.toml", "mesh.links.csv", "nodes.csv", "import.md"
"""Names of the files."""

Keep = Literal["largest", "all"]
Fill = Literal["refuse", "level", "propagation"]

_PLACES = frozenset({"first", "last", "center"})
_MOST_NAME = 100
_MOST_RADIOS = 8
_NOT_PLAIN = re.compile(r"[^\w -]+")
"""Letters that the name of a scenario does not take over from that of a file."""


@dataclass(frozen=True)
class Imported:
    """A mesh as files.

    Attributes
    ----------
    texts : dict
        Content by name of file.
    nodes, links : int
        How many nodes and directions of links the scenario has.
    dropped, assumed, missing : tuple of str
        What the report says.
    """

    texts: dict[str, str]
    nodes: int
    links: int
    dropped: tuple[str, ...]
    assumed: tuple[str, ...]
    missing: tuple[str, ...]


def to_files(
    mesh: Mesh, *, source: str, keep: Keep = "largest", anonymous: bool = False, fill: Fill = "level"
) -> Imported:
    """The files of a mesh.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    source : str
        Where it came from, for the report.
    keep : "largest" or "all"
        Whether nodes without a path to the largest part stay.
    anonymous : bool
        Whether names are replaced by numbers, and places by distances.
    fill : "refuse", "level" or "propagation"
        Power of links that have none: `topology.fill`.

    Raises
    ------
    InputError
        If less than two nodes are left; `MeshError` with what was dropped before.
    """
    dropped = Counter(mesh.dropped)
    try:
        mesh = _kept(without_misplaced(mesh, dropped), keep, dropped)
        return _files(mesh, dropped, shown(source), fill, anonymous=anonymous)
    except MeshError:
        raise
    except InputError as error:
        raise MeshError(error.message, dropped=dropped, hint=error.hint) from None


def _files(mesh: Mesh, dropped: Counter[str], source: str, fill: Fill, *, anonymous: bool) -> Imported:
    mesh = _named(mesh, anonymous=anonymous)
    is_placed = all(node.place is not None for node in mesh.nodes.values())
    distances = {} if is_placed and not anonymous else _distances(mesh)
    positions = (
        plane([node.place for node in mesh.nodes.values() if node.place]) if anonymous and not mesh.links else []
    )
    if anonymous:
        mesh = replace(mesh, nodes={name: replace(node, label=None, place=None) for name, node in mesh.nodes.items()})
    missing, assumed = _missing(mesh), [*dict.fromkeys(mesh.notes)]
    name = "mesh" if anonymous else _NOT_PLAIN.sub("-", source.partition(".")[0]).strip("- ") or "mesh"
    tables = {"name": name, **_tables(mesh, assumed, missing, fill)}
    if positions:
        tables["topology"] = {"kind": "positions", "positions": positions, "names": [*mesh.nodes]}
        assumed.append("positions are meters around the mean place; heights are left out")
    title = "mesh" if anonymous else f"mesh of {source}"
    head = f"# {title}, imported by hoplab; {REPORT} says what was dropped, assumed and missing.\n"
    texts = {SCENARIO: head + document(tables), NODES: _nodes(mesh)}
    if mesh.links:
        texts[LINKS] = _links(mesh, distances)
    lost = counted(dropped)
    texts[REPORT] = _report(mesh, "a file" if anonymous else source, lost, assumed, missing)
    return Imported(texts, len(mesh.nodes), len(mesh.links), lost, tuple(assumed), tuple(missing))


def _kept(mesh: Mesh, keep: Keep, dropped: Counter[str]) -> Mesh:
    if mesh.links:
        names: Iterable[str] = mesh.parts()[0] if keep == "largest" else mesh.nodes
        what = "nodes without a path of two-way links to the largest part"
    else:
        names = [name for name, node in mesh.nodes.items() if node.place is not None]
        what = "nodes without a place"
    kept = mesh.with_nodes(names)
    if lost := len(mesh.nodes) - len(kept.nodes):
        dropped[what] += lost
    if len(kept.nodes) < 2:
        raise InputError(
            f"{len(kept.nodes)} of {len(mesh.nodes)} nodes are left, expected two or more with a two-way link",
            hint="--keep all keeps nodes without such links" if mesh.links and keep == "largest" else None,
        )
    return kept


def _named(mesh: Mesh, *, anonymous: bool) -> Mesh:
    """Labels in place of identifiers where all of them are names, or numbers."""
    if anonymous:
        return mesh.renamed({name: f"n{i}" for i, name in enumerate(mesh.nodes, start=1)})
    labels = Counter(node.label for node in mesh.nodes.values() if node.label)
    taken: set[str] = set()
    names = {}
    unnamed = map("node {}".format, count())
    for name, node in mesh.nodes.items():
        label = node.label if node.label and labels[node.label] == 1 and node.label not in mesh.nodes else None
        new = label or name
        if new.startswith(FORMULA):
            new = f"'{new}"
            mesh.notes.append("names that spreadsheets take for formulas have an apostrophe in front")
        if not _is_name(new) or new in taken:
            new = next(one for one in unnamed if one not in taken and one not in mesh.nodes)
        taken.add(new)
        names[name] = new
    return mesh.renamed(names)


def _is_name(name: str) -> bool:
    is_text = bool(name) and name.isprintable() and name == name.strip()
    return is_text and len(name.encode()) <= _MOST_NAME and name not in _PLACES


def _distances(mesh: Mesh) -> dict[tuple[str, str], float]:
    """Distances of linked nodes in m, over a sphere: delays need no more."""
    found = {}
    for a, b in mesh.links:
        here, there = mesh.nodes[a].place, mesh.nodes[b].place
        if here is not None and there is not None:
            (lat, lon, high), (lat2, lon2, high2) = here, there
            x = math.radians(math.remainder(lon2 - lon, 360.0)) * math.cos(math.radians((lat + lat2) / 2))
            found[a, b] = math.hypot(6_371_000.0 * math.hypot(x, math.radians(lat2 - lat)), high2 - high)
    return found


def _missing(mesh: Mesh) -> list[str]:
    links = mesh.links
    one_way = sum((b, a) not in links for a, b in links)
    without = {
        "places": sum(node.place is None for node in mesh.nodes.values()),
        "power": sum(not link.has_power and not link.sense_only for link in links.values()),
        "delivery": sum(link.delivery is None and not link.sense_only for link in links.values()),
    }
    said = []
    if without["places"]:
        said.append(f"{without['places']} of {len(mesh.nodes)} nodes have no place")
    if links:
        said += [
            f"{count} of {len(links)} directions have no {key}"
            for key, count in without.items()
            if key != "places" and count
        ]
    if one_way:
        said.append(f"{one_way} of {len(links)} directions have no reverse: they interfere and carry no data")
    return said


def _tables(mesh: Mesh, assumed: list[str], missing: list[str], fill: Fill) -> dict[str, Any]:
    """The scenario; what it assumes is added to `assumed`."""
    names = [*mesh.nodes]
    places = [node.place for node in mesh.nodes.values()]
    geo = [list(place) if place[2] else list(place[:2]) for place in places if place is not None]
    states = [link for _, link in mesh.states()]
    last = max((link.t_s for link in states), default=0.0)
    tables: dict[str, Any] = {"duration": f"{max(30, math.ceil(last) + 10 if last else 0)} s"}
    assumed.append("radio and MAC are hoplab's defaults: 914 MHz, 802.11b at 2 Mb/s with RTS")
    if not mesh.links:
        assumed.append("links follow from distances by the default radio, 250 m: the file has none")
        tables["topology"] = {"kind": "places", "geo": geo, "names": names}
        tables["flow"] = [{"transport": "new_reno"}]
        return tables
    topology: dict[str, Any] = {"kind": "links", "file": LINKS, "names": names}
    if len(geo) == len(names):
        topology["geo"] = geo
    if any(not link.has_power and not link.sense_only and not link.is_gone for link in states):
        topology["fill"] = fill
        if fill == "level":
            assumed.append('topology.fill = "level": links without power are 10 dB over what the data rate needs')
        elif fill == "propagation":
            if "geo" not in topology:
                raise InputError("--fill propagation requires places of all nodes", hint="use --fill level")
            assumed.append('topology.fill = "propagation": power of links without one follows from distance')
    if not any(link.sense_only for link in states):
        missing.append("pairs that sense each other without decoding: add them with sense_only = true if you know some")
    tables["topology"] = topology
    if radio := _radio(states):
        tables["radio"] = radio
        assumed.append(
            f"radio.rx_threshold = {radio['rx_threshold']!r}: the weakest link of the file can be read; "
            f"radio.cs_threshold is {sense_db():.1f} dB below, as in ns-2"
        )
    if any(link.delivery is not None for link in states):
        tables["routing"] = {"metric": "etx"}
        assumed.append('routing.metric = "etx": static paths by delivery ratios; paths of least hops use bad links')
    if channels := mesh.channels:
        if crowded := next((name for name, listed in channels.items() if len(listed) > _MOST_RADIOS), None):
            raise InputError(
                f"{shown(crowded)} has links on {len(channels[crowded])} channels, expected {_MOST_RADIOS} at most"
            )
        radios = {name: [{"channel": one} for one in listed] for name, listed in channels.items()}
        tables["node"] = [{"id": name, "radios": listed} for name, listed in radios.items()]
        assumed.append("a node has a radio on each channel that the file lists of it")
    start, end, hops = _far_pair(mesh)
    tables["flow"] = [{"from": start, "to": end, "transport": "new_reno"}]
    path = numbers.counted(hops, "hop")
    assumed.append(f"one flow of new_reno from {start} to {end}, {path}: replace it by your traffic")
    return tables


def _radio(links: Iterable[Link]) -> dict[str, str]:
    """Thresholds that let the weakest link be read; none if no power is known."""
    known = [power for link in links if not link.sense_only and (power := level(link)) is not None]
    if not known:
        return {}
    weakest = math.floor(10.0 * min(known) - 1e-9) / 10.0
    return {"rx_threshold": f"{weakest:g} dBm", "cs_threshold": f"{weakest - sense_db():.1f} dBm"}


def _far_pair(mesh: Mesh) -> tuple[str, str, int]:
    """A gateway, or else the first node, and a node that is as far from it as any, by hops."""
    around = mesh.neighbors(at_start=True)
    start = next((name for name, node in mesh.nodes.items() if node.gateway and around[name]), None)
    start = start or next((name for name in mesh.nodes if around[name]), None)
    if start is None:
        raise InputError("no link is in both directions: no frame can be exchanged")
    hops = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in sorted(around[node]):
            if other not in hops:
                hops[other] = hops[node] + 1
                queue.append(other)
    end = max(hops, key=lambda name: hops[name])
    return start, end, hops[end]


def _csv(header: list[str], rows: Iterable[list[Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([header, *rows])
    lines = buffer.getvalue().split("\n")[:-1]
    # A line that begins with # is a comment, unless it begins with a quotation mark.
    return "".join(
        f'"{line.replace(",", _QUOTED_COMMA, 1)}\n' if line.startswith("#") else f"{line}\n" for line in lines
    )


_QUOTED_COMMA = '",'


def _nodes(mesh: Mesh) -> str:
    def row(name: str) -> list[Any]:
        place = mesh.nodes[name].place or ("", "", "")
        return [name, *place, "true" if mesh.nodes[name].gateway else ""]

    return _csv(["name", "latitude", "longitude", "height", "gateway"], map(row, mesh.nodes))


def _links(mesh: Mesh, distances: Mapping[tuple[str, str], float]) -> str:
    fields = ["channel", "power_dbm", "snr_db", "path_loss_db", "delivery", "delivery_bytes", "delay_ns", "distance_m"]
    fields += ["sense_only", "t_s"]

    def cell(ends: tuple[str, str], link: Link, key: str) -> str:
        value = getattr(link, key)
        if key == "distance_m" and value is None and link.delay_ns is None and not link.is_gone:
            value = distances.get(ends)
            return "" if value is None else f"{value:.1f}"
        if value is None or value is False or (key == "t_s" and not value):
            return ""
        return "true" if value is True else repr(value) if isinstance(value, float) else str(value)

    # One strength is enough: the first that is known.
    def strength(link: Link) -> Link:
        if link.power_dbm is not None:
            return replace(link, snr_db=None, path_loss_db=None)
        return replace(link, path_loss_db=None) if link.snr_db is not None else link

    cells = [(ends, [cell(ends, strength(link), key) for key in fields]) for ends, link in mesh.states()]
    used = [i for i, _ in enumerate(fields) if any(row[i] for _, row in cells)]
    rows = ([*ends, *(row[i] for i in used)] for ends, row in cells)
    return _csv(["from", "to", *(fields[i] for i in used)], rows)


def _report(mesh: Mesh, source: str, dropped: Iterable[str], assumed: Iterable[str], missing: Iterable[str]) -> str:
    def listed(title: str, lines: Iterable[str]) -> list[str]:
        return ["", f"## {title}", "", *([f"- {line}" for line in lines] or ["- nothing"])]

    lines = [
        f"# Import of {source}",
        "",
        f"Format {mesh.format}: {len(mesh.nodes)} nodes, {len(mesh.links)} directions of links.",
        *listed("Dropped", dropped),
        *listed("Assumed", assumed),
        *listed("Missing", missing),
    ]
    if any(link.delivery is not None for link in mesh.links.values()):
        lines += [
            "",
            "Delivery ratios of routing daemons come from short broadcasts at the lowest rate. Data frames are longer",
            "and fare worse; `delivery_bytes` of a link is the length of its probes: longer frames lose more.",
        ]
    return "\n".join(lines) + "\n"
