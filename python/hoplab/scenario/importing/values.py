"""Values of foreign files: each is what it should be, or missing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from hoplab.base.errors import InputError

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Letters that end a line, move a cursor, reorder text, or are half of a pair (surrogates)."""


def shown(value: object) -> str:
    """A text of a foreign file as part of a line: letters that are no text are escaped, and long ones cut."""
    text_ = _UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], str(value))
    return text_ if len(text_) <= _MOST_SHOWN else f"{text_[:_MOST_SHOWN]}..."


_MOST_SHOWN = 200


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


def entries(value: Any, where: str, key: str) -> list[Any]:
    """A list; empty if it is missing.

    Raises
    ------
    InputError
        If it is something else.
    """
    if value is None or isinstance(value, list):
        return value or []
    raise InputError(f"{where}: {key}: {type(value).__name__}, expected a list")


def aliases(value: Any, where: str, key: str) -> list[str]:
    """Addresses of a list of texts, or of objects with an address; none if the list is missing.

    Raises
    ------
    InputError
        If it is no such list.
    """
    found = []
    for one in entries(value, where, key):
        inner = (one.get("ipAddress") or one.get("address")) if isinstance(one, dict) else one
        if not isinstance(inner, str | int):
            raise InputError(f"{where}: {key}: {type(one).__name__} in the list, expected addresses")
        found.append(address(inner))
    return [name for name in found if name]


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
        lower = {key.lower(): value for key, value in source.items() if isinstance(key, str)}
        latitude, longitude = _of(lower, _LATITUDE), _of(lower, _LONGITUDE)
        if (found := checked(latitude, longitude, _of(lower, _HEIGHT) or 0.0)) is not None:
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
