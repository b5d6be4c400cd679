"""`hoplab list`: what a scenario can name."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer

from hoplab.base.engine import registry
from hoplab.base.errors import InputError
from hoplab.cli.console import text_table

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
        str | None, typer.Argument(metavar="[FAMILY]", help="One of the families, such as transports.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole list as one JSON object.")] = False,
) -> None:
    """List transports, topologies, and other choices."""
    known = registry()
    found = {name: known[name] for name in sorted(known, key=[*TITLES, *known].index)}
    if family is not None:
        if family not in found:
            raise InputError(f"unknown family {family!r}, expected {', '.join(found)}")
        found = {family: found[family]}
    if json:
        print(json_module.dumps(found))
        return
    blocks = []
    for name, entries in found.items():
        rows = [[f"  {entry['name']}", entry["summary"]] for entry in entries]
        blocks.append("\n".join([TITLES.get(name, name), text_table(None, rows, left=2)]))
    print("\n\n".join(blocks))
