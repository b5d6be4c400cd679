"""`hoplab explain`: diagnose a run: airtime, collisions, drops."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base import regular_files
from hoplab.base.errors import InputError, UsageError
from hoplab.base.scratch import scratch
from hoplab.base.transports import transport_title
from hoplab.cli import consent, options, output
from hoplab.cli.console import command_line, info, is_quiet, set_verbosity, text_table, warn_all
from hoplab.explain import explain as explain_run
from hoplab.explain.contrast import Contrast
from hoplab.explain.narrative import MOST, waterfall
from hoplab.report.animation.contrasted import Contrasted
from hoplab.report.record import read_record
from hoplab.report.results import runs_report
from hoplab.report.stored import RUNS
from hoplab.running.execution import run as run_scenario
from hoplab.scenario.model import Scenario
from hoplab.store.trace import open_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.explain import Explanation
    from hoplab.running.runs import Runs
    from hoplab.store.trace import Trace


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)


def explain(
    place: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="Scenario, or directory of run --out.")],
    set_keys: options.SetKeys = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Seed of the run. [default: the scenario's, or the first stored]"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Also write an HTML report."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FILE|DIR", help="Contrast with this run: what differs, and by how much."),
    ] = None,
    run_controllers: consent.RunControllers = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Diagnose a run: airtime, collisions, drops.

    With --against, `--set` applies to FILE alone: RTS on against off, 1 hop against 8.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    if out is not None:
        output.new_files([str(out)], force=force)
    scenario = _scenario_of(place, set_keys, run_controllers=run_controllers)
    chosen = seed if seed is not None else _first_seed(place, scenario)
    other = None if against is None else _scenario_of(against, None, run_controllers=run_controllers)
    with _traced(scenario, chosen) as (runs, trace):
        found = explain_run(runs[0], trace, scenario)
        if against is None or other is None:
            if out is not None:
                runs_report(runs, command=command_line(), trace=trace).write(out)
                info(f"report: {out}")
            print(jsonlib.dumps(_plain(found, runs)) if json else _formatted(found, scenario, runs))
            return
        with _traced(other, seed if seed is not None else _first_seed(against, other)) as (base, base_trace):
            warn_all(one.text for each in (base, runs) for one in each.diagnosis)
            contrast = Contrast(explain_run(base[0], base_trace, other), found)
            names = _distinct_names((other, base.seeds[0]), (scenario, chosen))
            if out is not None:
                beside = Contrasted((runs, trace), (base, base_trace), contrast, names)
                beside.added_to(runs_report(runs, command=command_line(), trace=trace)).write(out)
                info(f"report: {out}")
    print(jsonlib.dumps(_plain_contrast(contrast)) if json else _formatted_contrast(contrast, names))


@contextmanager
def _traced(scenario: Scenario, seed: int) -> Iterator[tuple[Runs, Trace]]:
    """A run with its trace: a function of scenario and seed, it is executed again in a temporary directory.

    Its diagnosis is left to the caller.
    """
    with scratch("trace") as folder:
        runs = run_scenario(scenario, seeds=[seed], trace=folder, progress=False if is_quiet() else None)
        said = {one.text for one in runs.diagnosis}
        warn_all(text for text in runs.warnings if text not in said)
        yield runs, open_trace(folder)


def _scenario_of(place: Path, set_keys: list[str] | None, *, run_controllers: bool) -> Scenario:
    scenario = _named(place, set_keys)
    if not scenario.resolve().data["topology"]["positions"]:
        raise InputError(
            f"{scenario.path}: explain: not supported without radio nodes",
            hint="hoplab run FILE has queue delay and drops of each wire; hoplab query has the events of a trace",
        )
    if place.is_dir() and not run_controllers:
        consent.refuse_controllers(place, _controllers_of(scenario), "explain")
    return scenario


def _named(place: Path, set_keys: list[str] | None) -> Scenario:
    if not place.is_dir():
        return Scenario.from_file(place, options.overrides_of(set_keys))

    if set_keys:
        raise UsageError("--set: not supported with a directory of stored results", hint="name a scenario file")
    record = read_record(place)
    if record is None or record.kind != "run" or record.scenario is None:
        raise InputError(f"{place}: no stored run", hint="name a scenario, or a directory written by hoplab run --out")
    return record.scenario


def _controllers_of(scenario: Scenario) -> set[str]:
    """Names of the classes of other files that a run of the scenario would execute."""
    data = scenario.resolve().data
    tables = [*data["flows"], *data.get("workloads", ()), data.get("traffic", {})]
    named = [*(table.get("controller") for table in tables), data["mac"].get("rate_controller")]
    return {Path(str(name)).name for name in named if name not in {None, "none"}}


def _first_seed(place: Path, scenario: Scenario) -> int:
    lines = place / RUNS
    if not place.is_dir() or not lines.exists():
        return scenario.seed
    with regular_files.open_binary(lines) as file:
        try:
            return int(regular_files.parse_json(file.readline())["seed"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{lines}:1: not a run, expected a JSON object with a seed", hint="rerun the command"
            ) from error


def _formatted(found: Explanation, scenario: Scenario, runs: Runs) -> str:
    header, rows = waterfall(found)
    parts = [
        f"{scenario.name}: seed {found.run.seed}, {found.run.sim_s:g} s, {len(found.by_node)} nodes",
        "\n".join([*(f"{one.text[0].upper()}{one.text[1:]}." for one in runs.diagnosis), *found.sentences()]),
        f"Airtime by node, in percent:\n\n{text_table(header, rows, left=0)}",
    ]
    accounts = [
        [str(one.flow), one.kind, *map(str, (one.created, one.copies, one.delivered, one.lost, one.in_transit))]
        for one in found.accounts
    ]
    if accounts:
        heads = ["flow", "packets", "created", "copies", "delivered", "dropped", "in transit"]
        parts.append(f"Packet accounting:\n\n{text_table(heads, accounts, left=0)}")
    if found.collisions:
        lines = [
            [
                found.link(one.sender, one.addressee),
                found.names.get(one.other, str(one.other)),
                "yes" if one.hidden else "no",
                str(one.frames),
            ]
            for one in found.collisions[:MOST]
        ]
        heads = ["link", "interferer", "hidden", "frames"]
        parts.append(f"Interference:\n\n{text_table(heads, lines, left=0)}")
    return "\n\n".join(parts)


def _distinct_names(*runs: tuple[Scenario, int]) -> tuple[str, str]:
    """Names of both runs: of the scenarios, or what `--set` changed; with seeds where these differ."""
    names = [scenario.name for scenario, _ in runs]
    if names[0] == names[1]:
        both = set(runs[0][0].overrides) & set(runs[1][0].overrides)
        changes = [_changes([one for one in scenario.overrides if one not in both]) for scenario, _ in runs]
        names = [change or name for change, name in zip(changes, names, strict=True)]
    if len({seed for _, seed in runs}) > 1 or names[0] == names[1]:
        names = [f"{name}, seed {seed}" for name, (_, seed) in zip(names, runs, strict=True)]
    return names[0], names[1]


def _changes(overrides: Sequence[tuple[str, str]]) -> str:
    """Keys set on top of a scenario, in words: transports by name, controllers by class."""
    words = []
    for key, value in overrides:
        parts, text = key.split("."), value.strip("'\"")
        is_transport = parts[0] in {"flow", "workload", "traffic"} and parts[-1] in {"transport", "controller"}
        words.append(transport_title(text) if is_transport else f"{key} = {text}")
    return ", ".join(dict.fromkeys(words))


def _formatted_contrast(contrast: Contrast, names: tuple[str, str]) -> str:
    first, second = names
    header = ["", first, second, "change"]
    table = text_table(header, [row.cells() for row in contrast.rows])
    return "\n\n".join([f"{second}, against {first}", "\n".join(contrast.sentences()), table])


def _plain_contrast(contrast: Contrast) -> dict[str, object]:
    rows = [{**asdict(row), "percent": row.percent} for row in contrast.rows]
    return {"sentences": contrast.sentences(), "rows": rows}


def _plain(found: Explanation, runs: Runs) -> dict[str, object]:
    """Content of `--json`."""
    return {
        "seed": found.run.seed,
        "diagnosis": [one.to_dict() for one in runs.diagnosis],
        "sentences": found.sentences(),
        "airtime": list(found.airtime),
        "paths": [{"flow": flow, "nodes": nodes} for flow, nodes in found.paths.items()],
        "bottlenecks": [{"flow": flow, "node": found.bottleneck(flow)} for flow in found.paths],
        "wires": list(found.run.wires),
        "wire_delays": [asdict(one) for one in found.wire_delays],
        "packets": [{**asdict(one), "lost": one.lost, "in_transit": one.in_transit} for one in found.accounts],
        "reactions": found.of_reactions(),
        "collisions": [asdict(one) for one in found.collisions],
        "exposed": [asdict(one) for one in found.exposed],
    }
