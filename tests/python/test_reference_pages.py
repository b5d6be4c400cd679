"""Pages of reference: each verb and each table is there, and what their first rows say is true."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hoplab
from hoplab.base.engine import scenario_schema
from hoplab.cli.table import every_command

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "use" / "reference"
CHAIN = {"profile": "std", "topology": {"kind": "chain", "hops": 3}, "flow": {}}
ENDS = {"from": 0, "to": 1}
BASES: dict[str, dict[str, Any]] = {
    "flow.from": {**CHAIN, "flow": {"to": 2}},
    "flow.to": {**CHAIN, "flow": {"from": 1}},
    "topology.nodes": {"topology": {"kind": "random"}, "flow": ENDS},
    "topology.positions": {"topology": {"kind": "positions"}, "flow": ENDS},
    "mobility.kind": {"topology": {"kind": "random", "nodes": 20}, "flow": ENDS, "routing": {"protocol": "aodv"}},
}
"""What an example needs beside it, instead of a chain."""


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "pages" / "scenario_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_command_page_has_every_verb() -> None:
    named = re.findall(r"^\| `hoplab (\w+)", (REFERENCE / "cli.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) == set(every_command())


def test_first_keys_are_valid_examples(generator: ModuleType) -> None:
    assert len(generator.FIRST) == 20
    for key, value in generator.FIRST.items():
        table, _, name = key.rpartition(".")
        base = BASES.get(key, CHAIN)
        added = {name: tomllib.loads(f"value = {value}")["value"]}
        tables = {**base, table: {**base.get(table, {}), **added}} if table else {**base, **added}
        resolved = hoplab.Scenario.from_dict({**tables, "flow": [tables["flow"]]}).resolve()
        assert resolved.warnings == (), key
        assert generator.node_of(scenario_schema(), key)


def test_every_table_has_one_anchor(generator: ModuleType) -> None:
    text = (REFERENCE / "scenario.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = [re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings]
    assert len(slugs) == len(set(slugs))
    tables = {
        name for name, node in scenario_schema()["properties"].items() if generator._table(scenario_schema(), node)
    }
    assert tables <= set(slugs)
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= set(slugs)


def test_unlisted_table_stops_the_generator(generator: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(generator.LAYERS, "Routes", ())
    with pytest.raises(SystemExit, match="differ in routing"):
        list(generator._sections(scenario_schema()))


MESH: dict[str, Any] = {
    "profile": "std",
    "duration": "1 s",
    "topology": {
        "kind": "links",
        "links": [
            {"from": "a", "to": "b", "snr_db": 38.5, "delivery": 0.9, "way": "both"},
            {"from": "b", "to": "c", "snr_db": 36.0, "delivery": 0.9, "way": "both"},
        ],
    },
    "radio": {"rx_threshold": "-88 dBm", "cs_threshold": "-95 dBm", "standard": "11n"},
    "flow": [{"from": "a", "to": "c"}],
}
WIRED: dict[str, Any] = {
    "node": [{"kind": "host", "name": "server"}],
    "wire": [{"between": ["server", "c"], "rate": "100 Mb/s", "delay": "10 ms"}],
}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"mac": {"ampdu": "0 B", "rate_control": "minstrel", "qos": True}},
        {"mac": {"amsdu": "3839 B", "rate_control": "minstrel_ht"}},
        {"queue": {"kind": "fq_codel"}},
        *({"routing": {"protocol": name}} for name in ("static", "aodv", "dsdv", "dsr", "olsr", "hwmp")),
        {"routing": {"metric": "etx"}},
        WIRED,
        {**WIRED, "routing": {"protocol": "olsr", "olsr": {"metric": "etx"}}},
    ],
)
def test_what_combines_with_delivery_ratios(more: dict[str, Any]) -> None:
    assert hoplab.run(hoplab.Scenario.from_dict({**MESH, **more}), seeds=1)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"routing": {"metric": "etx", "protocol": "olsr"}}, 'routing.metric: requires protocol = "static"'),
        ({"mobility": {"kind": "waypoint"}}, "mobility: not supported with"),
    ],
)
def test_what_does_not_combine_with_delivery_ratios(more: dict[str, Any], reason: str) -> None:
    """A row of docs/use/measured.md changes where this fails."""
    with pytest.raises(hoplab.ScenarioError, match=reason):
        hoplab.Scenario.from_dict({**MESH, **more})
