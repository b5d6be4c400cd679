"""`hoplab estimate`: bandwidth estimators beside the ground truth."""

from __future__ import annotations

import json as json_module
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import UsageError
from hoplab.cli import options, output
from hoplab.cli.console import command_line, info, set_verbosity, text_table, warn_all
from hoplab.running.estimating import HEADER, NAMES
from hoplab.running.estimating import estimate as estimate_links
from hoplab.scenario.model import Scenario

if TYPE_CHECKING:
    from hoplab.running.estimating import Estimates, Spread

MOST_SHOWN = 8
"""Nodes that are shown where none are named."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("estimate")(estimate)


def estimate(
    file: options.File,
    set_keys: options.SetKeys = None,
    nodes: Annotated[
        str | None, typer.Option("--nodes", metavar="N,M", help=f"Nodes to show. [default: the first {MOST_SHOWN}]")
    ] = None,
    interval: Annotated[str, typer.Option("--interval", metavar="TIME", help="Time between samples.")] = "1 s",
    flow: Annotated[int, typer.Option("--flow", min=0, help="Whose path the probes take.")] = 0,
    paths: Annotated[
        bool, typer.Option("--paths/--no-paths", help="Also AdHoc Probe and saturating UDP, in runs of their own.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Every sample and the summary as one JSON object.")] = False,
    out: options.Out = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Compare bandwidth estimators with ground truth.

    Capacity and available bandwidth by rt-Winf, IdleGap, AdHoc Probe and UDP, over time.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    interval_s = options.seconds_of("--interval", interval)
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    count = int(scenario.resolve().facts.nodes)
    shown = _nodes(nodes, count)
    folder = None if out is None else output.prepare(out, force=force)
    found = estimate_links(scenario, interval_s=interval_s, flow=flow, paths=paths)
    warn_all(found.warnings)
    if json:
        print(json_module.dumps(to_dict(found, shown), allow_nan=False))
    else:
        print(describe(found, shown))
    if folder is not None:
        from hoplab.report.estimates import report  # noqa: PLC0415 (slow to load, and only needed with --out)

        output.write_all(
            folder,
            texts={
                "scenario.toml": scenario.resolve().toml,
                "report.html": report(found, shown, command=command_line()).to_html(),
            },
            tables={"nodes": found.nodes, "path": found.path},
        )
        info(f"report and tables: {folder}")


def _nodes(text: str | None, count: int) -> list[int]:
    if text is None:
        return list(range(min(count, MOST_SHOWN)))
    try:
        chosen = [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(
            f"--nodes: invalid value {text!r}", hint="expected node numbers, such as --nodes 0,1"
        ) from None
    wrong = [node for node in chosen if not 0 <= node < count]
    if wrong:
        raise UsageError(f"--nodes: node {wrong[0]} does not exist, expected 0 to {count - 1}")
    return chosen


def describe(found: Estimates, nodes: Sequence[int]) -> str:
    """Tables for people: one per node, and one for the path."""
    lines = [f"{found.scenario.name}: seed {found.scenario.seed}, means over time after the warm-up"]
    for node in nodes:
        spreads = found.of_node(node, after_s=found.warmup_s)
        rows = [
            (f"{NAMES[name]}, {'capacity' if what == 'capacity_bps' else 'available'}", *spread.cells())
            for (name, what), spread in spreads.items()
        ]
        lines += ["", f"node {node}", text_table(HEADER, rows)]
    along = [(NAMES[name], *spread.cells()) for name, spread in found.of_path().items()]
    if along:
        lines += ["", f"path of flow {found.flow}, each in a run of its own", text_table(HEADER, along)]
    return "\n".join(lines)


def to_dict(found: Estimates, nodes: Sequence[int]) -> dict[str, object]:
    """For `--json`: samples and summary in SI units."""
    samples = [row for row in found.nodes.rows() if row["node"] in nodes]
    path = [
        {**row, "value_bps": row["value_bps"] if math.isfinite(row["value_bps"]) else None} for row in found.path.rows()
    ]
    summary = [
        {"node": node, "estimator": name, "what": what, **vars_of(spread)}
        for node in nodes
        for (name, what), spread in found.of_node(node, after_s=found.warmup_s).items()
    ]
    along = [{"flow": found.flow, "estimator": name, **vars_of(spread)} for name, spread in found.of_path().items()]
    return {
        "scenario": found.scenario.name,
        "seed": found.scenario.seed,
        "nodes": samples,
        "path": path,
        "summary": [*summary, *along],
    }


def vars_of(spread: Spread) -> dict[str, float | int]:
    """A spread by the names of its columns."""
    return {
        "mean_bps": spread.mean,
        "variation": spread.variation,
        "least_bps": spread.least,
        "most_bps": spread.most,
        "n": spread.n,
    }
