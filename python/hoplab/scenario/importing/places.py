"""Places that cannot be right: nodes so far from all others that no plane has them all."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from hoplab.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hoplab.scenario.importing.mesh import Mesh

MOST_EXTENT_M = 100_000.0
"""Largest extent of a network: a scenario with more is refused."""
_RADIUS_M = 6_378_137.0
_SLACK = 0.99
"""The sphere of this module is not the engine's ellipsoid."""

Place = tuple[float, float, float]


def without_misplaced(mesh: Mesh, dropped: Counter[str]) -> Mesh:
    """The mesh without places beyond the largest extent of a network, such as those with swapped coordinates.

    The center is the median of latitudes and of longitudes. A node without links is dropped with its place.

    Raises
    ------
    InputError
        If there are no links, and the network is as wide as it is: half of its nodes or more would go.
    """
    places = {name: node.place for name, node in mesh.nodes.items() if node.place is not None}
    if _extent(places.values()) <= _SLACK * MOST_EXTENT_M:
        return mesh
    kept = _near(places)
    if 2 * len(kept) > len(places):
        dropped["misplaced nodes, far from all others (are latitude and longitude swapped?)"] += len(places) - len(kept)
    elif mesh.links:
        kept = {}
        dropped["places: the network extends over more than 100 km, which no plane shows"] += len(places)
    else:
        extent = _extent(places.values()) / 1000.0
        raise InputError(
            f"places extend over {extent:.0f} km, expected at most 100 km",
            hint="keep the nodes of one city, or correct swapped coordinates",
        )
    return replace(mesh, nodes={name: replace(node, place=kept.get(name)) for name, node in mesh.nodes.items()})


def plane(places: Sequence[Place]) -> list[tuple[float, float]]:
    """Meters to the east and north of the mean place, to 0.1 m; heights are left out."""
    latitude, longitude = _mean(places)
    offsets = (_offset(place, latitude, longitude) for place in places)
    return [(round(x, 1), round(y, 1)) for x, y in offsets]


def _near(places: dict[str, Place]) -> dict[str, Place]:
    """The places around the median, as many as one network can have."""
    first = next(iter(places.values()))[1]
    latitude = median(place[0] for place in places.values())
    longitude = median(first + math.remainder(place[1] - first, 360.0) for place in places.values())
    distances = {name: math.hypot(*_offset(place, latitude, longitude)) for name, place in places.items()}
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
        radius = share * _SLACK * MOST_EXTENT_M / 2.0
        kept = {name: place for name, place in places.items() if distances[name] <= radius}
        if _extent(kept.values()) <= _SLACK * MOST_EXTENT_M:
            break
    return kept


def _extent(places: Collection[Place]) -> float:
    """Twice the distance of the farthest place from the mean, as the engine has it, in m."""
    if not places:
        return 0.0
    latitude, longitude = _mean(places)
    return 2.0 * max(math.hypot(*_offset(place, latitude, longitude)) for place in places)


def _mean(places: Collection[Place]) -> tuple[float, float]:
    """Mean latitude and longitude, on either side of the date line."""
    first = next(iter(places))[1]
    latitude = sum(place[0] for place in places) / len(places)
    return latitude, sum(first + math.remainder(place[1] - first, 360.0) for place in places) / len(places)


def _offset(place: Place, latitude: float, longitude: float) -> tuple[float, float]:
    """Meters to the east and north of a center."""
    x = math.radians(math.remainder(place[1] - longitude, 360.0)) * math.cos(math.radians(latitude)) * _RADIUS_M
    return x, math.radians(place[0] - latitude) * _RADIUS_M
