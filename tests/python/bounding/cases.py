"""Rows of the independent program, and scenarios that they are about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hoplab

REFERENCE: dict[str, Any] = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))
CBR = 'app = "cbr"\nrate = "20 Mb/s"\n'


def rows(kind: str) -> list[Any]:
    """The rows of a kind."""
    return [pytest.param(row, id=row["id"]) for row in REFERENCE["rows"] if row["kind"] == kind]


def scenario(top: str, flows: list[tuple[int, int]], transport: str, more: str = "") -> hoplab.Scenario:
    """Tables, and flows of one transport; datagrams at more than any network here carries."""
    tables = "".join(
        f'[[flow]]\nfrom = {a}\nto = {b}\ntransport = "{transport}"\n{CBR if transport == "udp" else ""}{more}'
        for a, b in flows
    )
    return hoplab.Scenario.from_text(f'duration = "20 s"\n{top}{tables}', path="bound.toml")


def chain(hops: int, transport: str, spacing_m: float = 200, top: str = "") -> hoplab.Scenario:
    """One flow over a chain."""
    tables = f'{top}[topology]\nkind = "chain"\nhops = {hops}\nspacing = "{spacing_m} m"\n'
    return scenario(tables, [(0, hops)], transport)
