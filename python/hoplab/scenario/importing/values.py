"""Values of foreign files: each is what it should be, or missing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from hoplab.base.errors import InputError


def document(data: str, where: str) -> Any:
    """The value of a JSON text.

    Raises
    ------
    InputError
        If it is none.
    """
    try:
        return json.loads(data)
    except RecursionError:
        raise InputError(f"{where}: not JSON: nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{where}: not JSON: {error}") from None


def items(value: Any, where: str, key: str) -> list[dict[str, Any]]:
    """The objects of a list.

    Raises
    ------
    InputError
        If it is no list of objects.
    """
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return value
    found = "missing" if value is None else f"{type(value).__name__}"
    raise InputError(f"{where}: {key}: {found}, expected a list of objects")


def number(value: Any) -> float | None:
    """A finite number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def text(value: Any) -> str:
    """A text without blanks around it; empty for anything else."""
    return value.strip() if isinstance(value, str) else ""


def address(value: Any) -> str:
    """An identifier: a text, or a whole number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(value)


_LATITUDE = ("latitude", "lat")
_LONGITUDE = ("longitude", "lon", "lng", "long")
_HEIGHT = ("height", "altitude", "elevation", "elev", "alt", "ele")


def place_of(row: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """Latitude, longitude and height of a node, wherever it has them; None without both angles."""
    pair = row.get("latlng")
    if isinstance(pair, list) and len(pair) >= 2:
        return checked(number(pair[0]), number(pair[1]), 0.0)
    for source in (row, row.get("location"), row.get("properties"), row.get("geo"), row.get("position")):
        if not isinstance(source, Mapping):
            continue
        latitude, longitude = _of(source, _LATITUDE), _of(source, _LONGITUDE)
        if (found := checked(latitude, longitude, _of(source, _HEIGHT) or 0.0)) is not None:
            return found
    return None


def checked(latitude: float | None, longitude: float | None, height: float) -> tuple[float, float, float] | None:
    """A place on the Earth; None if it is none. Zero and zero is what programs write for an unknown place."""
    if latitude is None or longitude is None or (latitude == 0.0 and longitude == 0.0):
        return None
    is_place = abs(latitude) <= 90.0 and abs(longitude) <= 180.0 and abs(height) <= 10_000.0
    return (latitude, longitude, height) if is_place else None


def _of(row: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    found = (number(row.get(key)) for key in keys)
    return next((value for value in found if value is not None), None)
