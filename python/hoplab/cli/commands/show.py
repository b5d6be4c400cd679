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
from hoplab.diagnosis import predict, warnings_with
from hoplab.scenario.model import Scenario
from hoplab.scenario.radio_links import MOST_NODES, RadioLinks
from hoplab.scenario.tomltext import document, toml_tables
from hoplab.scenario.trajectories import preview as draw_preview

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hoplab.scenario.model import Resolved


MOST_ENDS = 6
"""Nodes of a workload that are named one by one."""


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
    found = predict(scenario)
    warn_all(warnings_with(answer.warnings, found))
    if preview is not None:
        output.check_target(preview, force=force)

        draw_preview(scenario, preview)
        print(preview)
        return
    if json:
        diagnosis = [one.to_dict() for one in found]
        print(json_module.dumps({"scenario": answer.data, "facts": facts_object(scenario), "diagnosis": diagnosis}))
    elif resolved:
        facts = "\n".join(f"# {line}".rstrip() for line in describe(scenario).splitlines())
        print(f"{facts}\n\n{answer.toml}".rstrip())
    else:
        print(describe(scenario))


def facts_object(scenario: Scenario) -> dict[str, Any]:
    """The facts as plain values."""
    facts = scenario.resolve().facts
    return {
        "nodes": facts.nodes,
        "rx_range_m": facts.rx_range_m,
        "cs_range_m": facts.cs_range_m,
        "mean_degree": facts.mean_degree,
        "partitions": facts.partitions,
        "flows": [asdict(flow) for flow in scenario.flow_paths],
        "link_budget": [asdict(row) for row in facts.link_budget],
    }


def describe(scenario: Scenario) -> str:
    """Facts for people."""
    answer = scenario.resolve()
    facts, data = answer.facts, answer.data
    kind = data["topology"]["kind"]
    lines = [f"{scenario.name}: {facts.nodes} nodes ({kind}), {facts.connectivity}, mean degree {facts.degree}"]
    links = None if scenario.has_ranges or facts.nodes > MOST_NODES else RadioLinks.of(scenario)
    if scenario.has_ranges:
        reach, sense, model = facts.rx_range_m, facts.cs_range_m, data["radio"]["propagation"]
        lines.append(f"reception range {reach:.4g} m, carrier sense {sense:.4g} m, {model}")
    elif links is not None:
        lines.append(_of_links(links))
    header, rows = _flow_rows(scenario, links)
    if rows:
        lines += ["", text_table(header, rows, left=0)]
    if workloads := data.get("workloads"):
        header = ["workload", "kind", "from", "to", "transport"]
        count = len(data["flows"]) - len(rows)
        note = [f"{count} flows of workloads, drawn with seed {scenario.seed}"] if count else []
        lines += ["", text_table(header, _workload_rows(workloads, scenario.node_names), left=0), *note]
    if wires := data.get("wires"):
        header = ["wire", "rate (Mb/s)", "delay (ms)", "queue", "limit"]
        lines += ["", text_table(header, _wire_rows(wires, scenario.node_names), left=0)]
    budget = _budget_rows(answer)
    if budget:
        header = ["distance (m)", "node pairs", "received (dBm)", "margin to receive (dB)", "margin to sense (dB)"]
        lines += ["", "link budget of the shortest distances:", text_table(header, budget, left=0)]
    return "\n".join(lines)


def _of_links(links: RadioLinks) -> str:
    """How many listed links can carry data, and how well."""
    received = [link for link in links.powers if links.is_received(*link)]
    sensed = sum(links.is_sensed(*link) for link in links.powers)
    text = f"listed links: {len(received)} directions received, {sensed} sensed, {len(links.two_way())} links both ways"
    ratios = sorted(links.delivery.get(link, 1.0) for link in received) if links.delivery else []
    return f"{text}; delivery {ratios[0]:.2f} to {ratios[-1]:.2f}" if ratios else text


def _flow_rows(scenario: Scenario, links: RadioLinks | None) -> tuple[list[str], list[list[str]]]:
    """Header and a row for each flow that no workload draws; with listed links the nodes of its path."""
    data, names = scenario.resolve().data, scenario.node_names
    hops = {flow.id: str(flow) for flow in scenario.flow_paths}
    metric = data["routing"].get("metric", "hops")
    paths = links.paths if links else {}
    header = ["flow", "from", "to", "hops" if metric == "hops" else f"hops by {metric.upper()}"]
    header += [*(["path"] if paths else []), "app", "transport"]
    lasting = data["flows"][: _lasting(scenario)]
    rows = []
    for flow in lasting:
        path = ", ".join(names.get(node, str(node)) for node in paths.get(flow["id"]) or ())
        ends = [names.get(flow[end], str(flow[end])) for end in ("from", "to")]
        row = [str(flow["id"]), *ends, hops[flow["id"]], *([path or "-"] if paths else [])]
        rows.append([*row, flow["app"], flow["transport"]])
    return header, rows


def _lasting(scenario: Scenario) -> int:
    """Number of flows that no workload draws: they have the first numbers."""
    tables = toml_tables(scenario.resolve().toml)
    if "workload" not in tables:
        return len(scenario.resolve().data["flows"])
    listed = {key: value for key, value in tables.items() if key != "workload"}
    try:
        return len(Scenario.from_text(document(listed), path=scenario.path).resolve().data["flows"])
    except core().ScenarioError:  # without any flow
        return 0


def _workload_rows(workloads: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> list[list[str]]:
    """One row per workload."""

    def listed(value: int | Sequence[int]) -> str:
        nodes = [value] if isinstance(value, int) else value
        more = [f"{len(nodes) - MOST_ENDS} more"] if len(nodes) > MOST_ENDS else []
        return ", ".join([*(names.get(node, str(node)) for node in nodes[:MOST_ENDS]), *more])

    return [
        [str(k), one["kind"], listed(one["from"]), listed(one["to"]), one["transport"]]
        for k, one in enumerate(workloads)
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
