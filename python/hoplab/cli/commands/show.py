"""`hoplab show`: what a scenario means once every default is filled in."""

from __future__ import annotations

import json as json_module
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoplab.base.engine import core
from hoplab.base.errors import UsageError
from hoplab.cli import options, output
from hoplab.cli.console import set_verbosity, text_table, warn_all
from hoplab.scenario.model import Scenario, host_names
from hoplab.scenario.trajectories import preview as draw_preview

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hoplab.scenario.model import Resolved


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show")(show)


def show(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Scenario file (TOML).")] = None,
    set_keys: options.SetKeys = None,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Print the scenario with all defaults, as a scenario file.")
    ] = False,
    preview: Annotated[
        Path | None,
        typer.Option("--preview", metavar="PICTURE", help="Draw places, movements and ranges (.png, .svg, .pdf)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let --preview replace a picture.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of scenario files.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Scenario (SI units) and facts as one JSON object.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Show ranges, paths, and link budget of a scenario.

    With --resolved: the scenario itself with every default.
    """
    set_verbosity(quiet=quiet)
    if schema:
        if file is not None:
            raise UsageError("--schema and FILE exclude each other")
        print(json_module.dumps(json_module.loads(core().schema()), indent=2))
        return
    if file is None:
        raise UsageError("FILE: missing", hint="name a scenario file, or add --schema")
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    answer = scenario.resolve()
    warn_all(answer.warnings)
    if preview is not None:
        output.check_target(preview, force=force)

        draw_preview(scenario, preview)
        print(preview)
        return
    if json:
        print(json_module.dumps({"scenario": answer.data, "facts": facts_object(answer)}))
    elif resolved:
        facts = "\n".join(f"# {line}".rstrip() for line in describe(scenario.name, answer).splitlines())
        print(f"{facts}\n\n{answer.toml}".rstrip())
    else:
        print(describe(scenario.name, answer))


def facts_object(answer: Resolved) -> dict[str, Any]:
    """The facts as plain values."""
    facts = answer.facts
    return {
        "nodes": facts.nodes,
        "rx_range_m": facts.rx_range_m,
        "cs_range_m": facts.cs_range_m,
        "mean_degree": facts.mean_degree,
        "partitions": facts.partitions,
        "flows": [asdict(flow) for flow in facts.flows],
        "link_budget": [asdict(row) for row in facts.link_budget],
    }


def describe(name: str, answer: Resolved) -> str:
    """Facts for people."""
    facts, data = answer.facts, answer.data
    model = data["radio"]["propagation"]
    lines = [
        f"{name}: {facts.nodes} nodes ({data['topology']['kind']}), {facts.connectivity}, mean degree {facts.degree}",
        f"reception range {facts.rx_range_m:.4g} m, carrier sense {facts.cs_range_m:.4g} m, {model}",
        "",
        text_table(["flow", "from", "to", "hops", "app", "transport"], _flow_rows(answer), left=0),
    ]
    if wires := data.get("wires"):
        header = ["wire", "rate (Mb/s)", "delay (ms)", "queue", "limit"]
        lines += ["", text_table(header, _wire_rows(wires, host_names(data)), left=0)]
    budget = _budget_rows(answer)
    if budget:
        header = ["distance (m)", "node pairs", "received (dBm)", "margin to receive (dB)", "margin to sense (dB)"]
        lines += ["", "link budget of the shortest distances:", text_table(header, budget, left=0)]
    return "\n".join(lines)


def _flow_rows(answer: Resolved) -> list[list[str]]:
    hops = {flow.id: str(flow) for flow in answer.facts.flows}
    names = host_names(answer.data)
    return [
        [
            str(f["id"]),
            *(names.get(f[end], str(f[end])) for end in ("from", "to")),
            hops[f["id"]],
            f["app"],
            f["transport"],
        ]
        for f in answer.data["flows"]
    ]


def _wire_rows(wires: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> list[list[str]]:
    """Both directions of each wire."""
    rows = []
    for wire in wires:
        there = {key: value for key, value in wire.items() if key != "back"}
        ends = [names.get(node, str(node)) for node in wire["between"]]
        for (a, b), port in ((ends, there), (ends[::-1], {**there, **wire.get("back", {})})):
            queue = {**there["queue"], **port["queue"]}
            rate, delay = port["rate_bps"] / 1e6, port["delay_s"] * 1e3
            rows.append([f"{a} to {b}", f"{rate:g}", f"{delay:g}", queue["kind"], str(queue["limit"])])
    return rows


def _budget_rows(answer: Resolved) -> list[list[str]]:
    """Received power at the shortest distances, against both thresholds."""
    radio = answer.data["radio"]
    return [
        [
            f"{row.distance_m:g}",
            str(row.pairs),
            f"{_db(row.received_w / 1e-3):.1f}",
            f"{_db(row.received_w / radio['rx_threshold_w']):+.1f}",
            f"{_db(row.received_w / radio['cs_threshold_w']):+.1f}",
        ]
        for row in answer.facts.link_budget
    ]


def _db(ratio: float) -> float:
    return 10.0 * math.log10(ratio)
