"""Reports of `hoplab estimate --out`."""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.report.cite import bibtex
from hoplab.report.environment import environment
from hoplab.report.model import Fact, Report, ReportTable
from hoplab.report.settings import settings_of
from hoplab.running.estimating import HEADER, NAMES, Estimates


def report(found: Estimates, nodes: Sequence[int], *, command: str) -> Report:
    """Estimators over time at the given nodes, and along a path."""
    scenario = found.scenario
    resolved = scenario.resolve()
    rows = [
        (str(node), NAMES[name], "capacity" if what == "capacity_bps" else "available", *spread.cells())
        for node in nodes
        for (name, what), spread in found.of_node(node, after_s=found.warmup_s).items()
    ]
    tables = [ReportTable("Means over time", ("node", HEADER[0], "value", *HEADER[1:]), tuple(rows), left=3)]
    along = tuple((NAMES[name], *spread.cells()) for name, spread in found.of_path().items())
    if along:
        tables.append(ReportTable(f"Path of flow {found.flow}", HEADER, along))
    return Report(
        title=f"Estimators in {scenario.name}",
        lead="Capacity and available bandwidth by estimators, with eq. 14 and the ground truth of the engine.",
        summary=_summary(found, nodes),
        figures=found.figures(nodes),
        tables=tables,
        command=command,
        environment=[*environment(), Fact("seed", str(scenario.seed))],
        warnings=found.warnings,
        settings=settings_of(resolved.toml, scenario.path),
        scenario_toml=resolved.toml,
        bibtex=bibtex("winf"),
        footnotes=["One run (n = 1): spreads are over time, not over seeds."],
    )


def _summary(found: Estimates, nodes: Sequence[int]) -> list[str]:
    sentences = []
    for node in nodes:
        spreads = found.of_node(node, after_s=found.warmup_s)
        estimate, truth = spreads["winf", "available_bps"], spreads["maximum", "available_bps"]
        sentences.append(
            f"Node {node}: mean available bandwidth {estimate.mean * 1e-6:.2f} Mb/s by rt-Winf, "
            f"{truth.mean * 1e-6:.2f} Mb/s by eq. 14 and the idle share of the medium (ground truth)."
        )
    return sentences
