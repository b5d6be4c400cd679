"""Write scenario.md and names.md of docs/use/reference from schema, registry and metrics; `--check` only compares.

The words are those of the Rust structs, so that a key is described in one place.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hoplab.base.engine import registry, scenario_schema
from hoplab.base.metrics import ALL_METRICS, SHORT

FOLDER = Path(__file__).parents[2] / "docs" / "use" / "reference"

HEAD = """\
# Scenario keys

Made from the engine's schema by `make docs-generated`; `hoplab show --schema` prints the schema itself, for editors.
Quantities are strings with a unit, counts are bare numbers. Defaults that depend on a profile show the `ns2` one.
Any key can be set on the command line: `--set mac.ssrl=9`, `--set flow.transport=vegas`, `--set flow.0.window=8`.

First the keys that most scenarios need; then all of them, by layer.
"""

FIRST = {
    "duration": '"60 s"',
    "warmup": '"10 s"',
    "seed": "7",
    "topology.kind": '"chain"',
    "topology.hops": "4",
    "topology.spacing": '"200 m"',
    "topology.nodes": "50",
    "topology.positions": "[[0, 0], [200, 0], [400, 50]]",
    "mobility.kind": '"waypoint"',
    "radio.standard": '"11n"',
    "radio.propagation": '"shadowing"',
    "mac.data_rate": '"11 Mb/s"',
    "mac.rts_threshold": '"400 B"',
    "queue.kind": '"fq_codel"',
    "queue.limit": "100",
    "routing.protocol": '"aodv"',
    "flow.from": "0",
    "flow.to": '"last"',
    "flow.transport": '"tcp_cubic"',
    "flow.app": '"ftp"',
}
"""The keys that most scenarios need, each with a value."""

LAYERS = {
    "Nodes and their movement": ("topology", "node", "mobility"),
    "Radio and channel": ("radio",),
    "Channel access": ("mac",),
    "Queues": ("link", "queue"),
    "Routes": ("routing",),
    "Wired links": ("wire",),
    "Flows and workloads": ("flow", "traffic", "workload"),
    "Transport": ("tcp", "stream"),
    "Transports made for several hops": ("semi_tcp", "hop_release", "split_tcp", "muzha", "atp", "wcp"),
    "Explicit feedback": ("xcp", "xcp_b", "xcp_winf", "rcp", "rcp_winf"),
    "Channel observers": ("winf", "idle_gap"),
    "Real programs": ("live",),
}
"""The tables of a scenario in the order of the page; `main` refuses a schema with others."""


NAMES = """\
# Names in scenarios and results

Made from the engine's registry and the rows of metrics by `make docs-generated`; `hoplab list` prints the first.
"""

FAMILIES = {
    "transports": "Transports: `flow.transport`",
    "topologies": "Topologies: `topology.kind`",
    "routing": "Routing protocols: `routing.protocol`",
    "queues": "Queue disciplines: `queue.kind`",
    "apps": "Applications: `flow.app`",
    "workloads": "Workloads: `workload.kind`",
    "handshakes": "Handshake policies: `handshake` in `[[node]]`",
    "observers": "Channel observers: `observer` in `[[node]]`",
    "feedback_routers": "Feedback routers: `feedback_router` in `[[node]]`",
    "standards": "Standards: `radio.standard`",
    "propagation": "Propagation models: `radio.propagation`",
    "errors": "Error models: `radio.errors.model`",
    "rate_controls": "Rate controls: `mac.rate_control`",
}


def main() -> None:
    """Write the pages, or compare them with the files."""
    pages = {
        "scenario.md": "\n".join([HEAD, *_sections(scenario_schema())]).rstrip() + "\n",
        "names.md": "\n".join([NAMES, *_names(), *_measures()]).rstrip() + "\n",
    }
    for name, text in pages.items():
        page = FOLDER / name
        if "--check" not in sys.argv[1:]:
            page.write_text(text, encoding="utf-8")
        elif not page.is_file() or page.read_text(encoding="utf-8") != text:
            sys.exit(f"{name} differs from the engine: run `make docs-generated`")


def _names() -> Iterator[str]:
    """A section per family: each name with its summary and a link to its page."""
    known = registry()
    for family in sorted(known, key=[*FAMILIES, *known].index):
        yield f"## {FAMILIES.get(family, family)}\n\n| name | summary |\n| --- | --- |"
        for entry in known[family]:
            link = os.path.relpath(FOLDER.parents[1] / entry["page"], FOLDER)
            yield f"| [`{entry['name']}`]({link}) | {entry['summary']} |"
        yield ""


def _measures() -> Iterator[str]:
    """A row per metric, then the short names."""
    yield "## Measures: `--metrics`\n"
    yield "Usual ones are columns of a table that names no measures, where some run has them."
    yield "Definitions: [results](json.md).\n"
    yield "| name | measure | better | usual |\n| --- | --- | --- | --- |"
    places = {"all": "yes", "flows": "with a row per flow", None: ""}
    for name, metric in ALL_METRICS.items():
        yield f"| `{name}` | {metric.axis} | {metric.better or ''} | {places[metric.usual]} |"
    yield "\n| short name | measures |\n| --- | --- |"
    yield from (f"| `{short}` | {', '.join(f'`{name}`' for name in names)} |" for short, names in SHORT.items())


def _sections(schema: Mapping[str, Any]) -> Iterator[str]:
    """The keys of most scenarios, the top level, then a section per layer with one per table."""
    properties = schema["properties"]
    yield "## The first twenty keys\n\n| key | example | meaning |\n| --- | --- | --- |"
    for key, value in FIRST.items():
        table, _, name = key.rpartition(".")
        place = f"[`{key}`](#{table or 'at-the-top'})"
        yield f"| {place} | `{name} = {value}` | {_meaning(schema, node_of(schema, key))} |"
    plain = {name: node for name, node in properties.items() if not _table(schema, node)}
    yield "\n## At the top\n"
    yield from _rows(schema, plain)
    unlisted = properties.keys() - plain.keys() ^ {name for layer in LAYERS.values() for name in layer}
    if unlisted:
        sys.exit(f"LAYERS of {Path(__file__).name} and the schema differ in {', '.join(sorted(unlisted))}")
    for layer, names in LAYERS.items():
        yield f"## {layer}\n"
        yield from _tables(schema, {name: properties[name] for name in names}, "")


def node_of(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The schema of a dotted key."""
    node: Mapping[str, Any] = schema
    for part in key.split("."):
        node = (_table(schema, node) or node)["properties"][part]
    return node


def _tables(schema: Mapping[str, Any], properties: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """A section per table, and one per table in it; those of a node repeat the others."""
    for name, node in properties.items():
        table = _table(schema, node)
        if table is None:
            continue
        key = f"{prefix}{name}"
        heading = f"[[{key}]]" if _resolve(schema, node).get("type") == "array" else f"[{key}]"
        description = node.get("description") or table.get("description") or ""
        yield f"### `{heading}`\n\n{_flat(description)}\n"
        yield from _rows(schema, table["properties"])
        if key != "node":
            yield from _tables(schema, table["properties"], f"{key}.")


def _rows(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> Iterator[str]:
    yield "| key | takes | default | meaning |\n| --- | --- | --- | --- |"
    for name, node in properties.items():
        content = _resolve(schema, node)
        default = node.get("default", content.get("default"))
        shown = "" if default is None or isinstance(default, dict | list) else f"`{_plain(default)}`"
        yield f"| `{name}` | {_takes(schema, content)} | {shown} | {_meaning(schema, node)} |"
    yield ""


def _meaning(schema: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    return _flat(node.get("description") or _resolve(schema, node).get("description") or "")


def _takes(schema: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    if "x-quantity" in node:
        bare = ", or a bare number" if "integer" in _types(node) else ""
        return f"{node['x-quantity']} ({', '.join(node['x-units'])}{bare})"
    choices = node.get("enum") or [choice.get("const") for choice in node.get("oneOf", ()) if "const" in choice]
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    if "oneOf" in node:
        return " or ".join(_takes(schema, _resolve(schema, choice)) for choice in node["oneOf"])
    if _table(schema, node) is not None:
        return "table"
    kind = _types(node)[0] if _types(node) else ""
    words = {"integer": "count", "number": "number", "string": "text", "boolean": "`true`, `false`", "array": "list"}
    low = f" from {_plain(node['minimum'])}" if node.get("minimum") else ""
    return words.get(kind, "") + low


def _types(node: Mapping[str, Any]) -> list[str]:
    kind = node.get("type", [])
    return [kind] if isinstance(kind, str) else [name for name in kind if name != "null"]


def _table(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of a table or of the elements of a list of tables; None for anything else."""
    content = _resolve(schema, node)
    if content.get("type") == "array" and "items" in content:
        content = _resolve(schema, content["items"])
    return content if "properties" in content else None


def _resolve(schema: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    while True:
        if "$ref" in node:
            target: Any = schema
            for part in str(node["$ref"]).removeprefix("#/").split("/"):
                target = target[part]
            node = target
            continue
        choices = [choice for choice in node.get("anyOf", ()) if choice.get("type") != "null"]
        if len(choices) != 1:
            return node
        node = choices[0]


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _flat(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
