"""`hoplab list`: what a scenario can name."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer

from hoplab.base.engine import registry
from hoplab.base.errors import InputError
from hoplab.cli.console import text_table
from hoplab.scenario.features import features, refusals

FEATURES = "features"
"""The family that is no list of names of a scenario's keys: what combines with what."""
TITLES = {
    "transports": "transports (flow.transport)",
    "topologies": "topologies (topology.kind)",
    "routing": "routing (routing.protocol)",
    "queues": "queue disciplines (queue.kind)",
    "apps": "applications (flow.app)",
    "workloads": "workloads (workload.kind)",
    "handshakes": "handshake policies (node.handshake)",
    "observers": "channel observers (node.observer)",
    "feedback_routers": "feedback routers (node.feedback_router)",
    "standards": "standards (radio.standard)",
    "propagation": "propagation (radio.propagation)",
    "errors": "error models (radio.errors.model)",
    "rate_controls": "rate controls (mac.rate_control)",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("list")(show_list)


def show_list(
    family: Annotated[
        str | None, typer.Argument(metavar="[FAMILY]", help="One of the families, such as transports, or features.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole list as one JSON object.")] = False,
) -> None:
    """List transports, topologies, and other choices.

    `hoplab list features` has what combines: each feature, and those that it does not run with.
    """
    if family == FEATURES:
        print(json_module.dumps(_features()) if json else _features_text())
        return
    known = registry()
    found = {name: known[name] for name in sorted(known, key=[*TITLES, *known].index)}
    if family is not None:
        if family not in found:
            raise InputError(f"unknown family {family!r}, expected {', '.join([*found, FEATURES])}")
        found = {family: found[family]}
    if json:
        print(json_module.dumps(found))
        return
    blocks = []
    for name, entries in found.items():
        rows = [[f"  {entry['name']}", entry["summary"]] for entry in entries]
        blocks.append("\n".join([TITLES.get(name, name), text_table(None, rows, left=2)]))
    print("\n\n".join(blocks))


def _features() -> list[dict[str, object]]:
    """Every feature, with what it does not run with and why."""
    return [
        {
            "name": one.name,
            "group": one.group,
            "summary": one.summary,
            **({"out": one.out} if one.out else {}),
            "not_with": {
                other: pair.message
                for pair in refusals()
                if one.name in pair.features
                for other in pair.features
                if other != one.name
            },
        }
        for one in features()
    ]


def _features_text() -> str:
    blocks: dict[str, list[list[str]]] = {}
    for one in _features():
        others = ", ".join(one["not_with"]) if isinstance(one["not_with"], dict) else ""
        notes = [f"not with {others}"] if others else [f"in no pair: {one['out']}"] if "out" in one else []
        blocks.setdefault(str(one["group"]), []).append([f"  {one['name']}", "; ".join([str(one["summary"]), *notes])])
    return "\n\n".join("\n".join([group, text_table(None, rows, left=2)]) for group, rows in blocks.items())
