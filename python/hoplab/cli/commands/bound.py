"""`hoplab bound`: what a network can carry, whatever the transport."""

from __future__ import annotations

import json as json_module
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from hoplab.base.errors import EXIT_OK, EXIT_PARTIAL, EXIT_VERDICT, UsageError
from hoplab.base.numbers import counted
from hoplab.cli import options
from hoplab.cli.console import set_verbosity, text_table
from hoplab.scenario.model import Scenario
from hoplab.store import files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hoplab.bounding import Bound, Bracket, Replay

SCHEDULERS = ("dcf", "perfect")
ROUTES = ("fixed", "free")
MOST_FLOWS = 12
"""Flows that are shown; `--json` has all."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bound")(bound)


def bound(
    file: options.File,
    set_keys: options.SetKeys = None,
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="NAME", help="dcf (no collisions), perfect (any order), or both.")
    ] = "both",
    routes: Annotated[
        str | None, typer.Option("--routes", metavar="NAME", help="fixed or free. [default: fixed if static]")
    ] = None,
    acks: Annotated[bool, typer.Option("--acks/--no-acks", help="Count or omit TCP's acknowledgments.")] = True,
    schedule: Annotated[
        bool, typer.Option("--schedule/--no-schedule", help="Prove the bound from below, too, or omit this.")
    ] = True,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=1e-6, max=1.0, help="Width of a bracket that ends the search.")
    ] = 0.005,
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="Limit of each search.")] = "30 s",
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed of random places and movements.")] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Play a schedule of whole exchanges on the radios of the simulator.")
    ] = False,
    slots: Annotated[
        Path | None, typer.Option("--slots", metavar="CSV", help="Write the slots of the schedule.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Bound what a network can carry, whatever the transport.

    Payload of each flow alone, of all flows together, max-min fair, and proportionally fair. Exit code 4 when time
    is over before the tolerance, 5 when a frame of a replay does not arrive.
    """
    # Before NumPy is loaded: matrices are small, and waiting threads take the time of other processes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from hoplab.bounding import bound as bound_of  # noqa: PLC0415 (loads scipy)

    set_verbosity(quiet=quiet, verbose=verbose)
    chosen = _chosen("--scheduler", scheduler, (*SCHEDULERS, "both"))
    kinds = SCHEDULERS if chosen == "both" else (chosen,)
    way = None if routes is None else _chosen("--routes", routes, ROUTES)
    time_s = options.seconds_of("--time", time)
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    found = [
        bound_of(
            scenario,
            scheduler=cast("Literal['dcf', 'perfect']", kind),
            routes=cast("Literal['fixed', 'free'] | None", way),
            acks=acks,
            schedule=schedule,
            tolerance=tolerance,
            time_s=time_s,
            seed=seed,
        )
        for kind in kinds
    ]
    played = (
        _replays(scenario, len(found[0].alone), acks=acks, time_s=time_s, seed=seed)
        if replay or slots is not None
        else []
    )
    if slots is not None:
        _write(slots, played[0].csv())
    if json:
        rows = [to_dict(one, tolerance) for one in found]
        print(json_module.dumps([*rows, *map(of_replay, played)], allow_nan=False))
    else:
        print(describe(scenario, found, played))
    if any(one.lost for one in played):
        raise typer.Exit(EXIT_VERDICT)
    is_open = any(one.proved and row.gap > tolerance for one in found for row in (one.sum, one.max_min, *one.alone))
    raise typer.Exit(EXIT_PARTIAL if is_open else EXIT_OK)


def _chosen(option: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise UsageError(f"{option} {value!r}: unknown, expected {', '.join(known)}")
    return value


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise files.output_error(error, path) from error


def _replays(scenario: Scenario, count: int, *, acks: bool, time_s: float, seed: int | None) -> list[Replay]:
    from hoplab.bounding import replay  # noqa: PLC0415 (loads scipy)

    objectives: list[Any] = ["sum", "max_min", *range(min(count, MOST_FLOWS))] if count > 1 else ["sum"]
    return [replay(scenario, one, acks=acks, time_s=time_s, seed=seed) for one in objectives]


def describe(scenario: Scenario, found: list[Bound], played: Sequence[Replay] = ()) -> str:
    """Tables for people."""
    first = found[0]
    name = scenario.resolve().data["name"]
    links = counted(first.links, "link")
    lines = [f"{name}: payload that the network can carry, kb/s ({first.routes} routes, {links})"]
    rows = [
        ("sum of all flows", *(_shown(one.sum, one) for one in found)),
        ("max-min fair, each flow", *(_shown(one.max_min, one) for one in found)),
        ("proportionally fair, sum", *(f"{math.fsum(one.fair.flows_bps) / 1e3:.1f}" for one in found)),
    ]
    rows += [
        (f"flow {i} alone", *(_shown(one.alone[i], one) for one in found))
        for i in range(min(len(first.alone), MOST_FLOWS))
    ]
    header = ("", *(f"{one.scheduler}" for one in found))
    if played:
        values = {one.objective: f"{one.value / 1e3:.1f}" for one in played}
        least = values.get("max_min", values["sum"])
        alone = [values.get(i, values["sum"]) for i in range(len(rows) - 3)]
        rows = [(*row, value) for row, value in zip(rows, (values["sum"], least, "-", *alone), strict=True)]
        header = (*header, "replayed")
    lines += ["", text_table(header, rows)]
    if len(first.alone) > MOST_FLOWS:
        lines.append(f"{counted(len(first.alone) - MOST_FLOWS, 'more flow')}: --json")
    if first.sum.binding:
        links = ", ".join(f"{a}-{b}" for a, b in first.sum.binding[:MOST_FLOWS])
        more = len(first.sum.binding) - MOST_FLOWS
        what = "link" if len(first.sum.binding) == 1 else "links"
        turns = "" if len(first.sum.binding) == 1 else ", which take turns"
        lines += ["", f"the sum is limited by {what} {links}{f' and {more} more' if more > 0 else ''}{turns}"]
    lines += ["", f"not counted: {', '.join(first.not_counted)}"]
    lines += [f"not strict: {reason}" for reason in first.not_strict]
    if not first.proved:
        lines.append("bounds from above only")
    if played:
        total, lost = sum(one.played for one in played), sum(one.lost for one in played)
        lines.append(f"replayed: {total} exchanges on the radios of the simulator, {lost} not completed")
    return "\n".join(lines)


def _shown(row: Bracket, one: Bound) -> str:
    if not one.proved or row.gap < 5e-4:
        return f"{row.high / 1e3:.1f}"
    return f"{row.low / 1e3:.1f} to {row.high / 1e3:.1f}"


def of_replay(found: Replay) -> dict[str, Any]:
    """For `--json`: SI units."""
    return {
        "replay": found.objective,
        "value_bps": found.value,
        "flows_bps": list(found.flows_bps),
        "slots": len(found.slots),
        "exchanges": found.played,
        "not_completed": found.lost,
        "simulated_s": found.seconds,
    }


def to_dict(found: Bound, tolerance: float) -> dict[str, Any]:
    """For `--json`: SI units."""

    def row(objective: str | int, bracket: Bracket) -> dict[str, Any]:
        low = bracket.low if found.proved and math.isfinite(bracket.low) else None
        of_logs = objective == "fair"
        return {
            "objective": objective,
            "low_log" if of_logs else "low_bps": low,
            "high_log" if of_logs else "high_bps": bracket.high,
            "flows_bps": list(bracket.flows_bps),
            "binding": [list(link) for link in bracket.binding],
        }

    named: list[tuple[str | int, Bracket]] = [("sum", found.sum), ("max_min", found.max_min), ("fair", found.fair)]
    return {
        "scheduler": found.scheduler,
        "routes": found.routes,
        "bounds": [row(name, bracket) for name, bracket in [*named, *enumerate(found.alone)]],
        "strict": found.strict,
        "not_strict": list(found.not_strict),
        "not_counted": list(found.not_counted),
        "tolerance": tolerance,
        "links": found.links,
        "vertices": found.vertices,
        "seconds": found.seconds,
    }
