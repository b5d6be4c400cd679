"""Reference tables stored with the package, with where they came from.

Every file is a CSV with the unit in the column's name; `data/provenance.json` says which program,
script and seeds produced it.
"""

from __future__ import annotations

import csv
import functools
import json
from importlib import resources
from typing import Any

Row = dict[str, str]
"""One line of a table, by column."""


@functools.cache
def read(name: str) -> tuple[Row, ...]:
    """All rows of `data/<name>.csv`, as strings.

    Raises
    ------
    FileNotFoundError
        If there is no such table.
    """
    text = resources.files("hoplab_validation.peers").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@functools.cache
def provenance() -> dict[str, Any]:
    """Where each table came from: program, script, seeds."""
    text = resources.files("hoplab_validation.peers").joinpath("data/provenance.json").read_text(encoding="utf-8")
    value: dict[str, Any] = json.loads(text)
    return value
