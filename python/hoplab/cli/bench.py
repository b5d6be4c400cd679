"""`hoplab bench`: CPU time of hoplab and ns-2 on the same scenarios."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.cli import options
from hoplab.cli.voice import is_quiet, say, set_loudness
from hoplab.errors import InputError, OutputError

if TYPE_CHECKING:
    from hoplab.bench.measure import Result

DEFAULT_OUT = Path("BENCHMARKS.md")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Entries whose name contains one of these.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Page to write.")] = DEFAULT_OUT,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds instead of minutes; good for a smoke test.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Time hoplab against ns-2.35 where it is installed, what traces cost, and start-up; write BENCHMARKS.md."""
    from hoplab.bench import startup, tracing  # noqa: PLC0415
    from hoplab.bench.measure import measure  # noqa: PLC0415 (loads the engine)
    from hoplab.bench.page import page  # noqa: PLC0415
    from hoplab.bench.suite import suite  # noqa: PLC0415
    from hoplab.engine import core  # noqa: PLC0415
    from hoplab.peers.ns2_run import Ns2MissingError, find  # noqa: PLC0415
    from hoplab.progress import progress_bar  # noqa: PLC0415

    set_loudness(quiet=quiet, verbose=verbose)
    program = None
    try:
        program = find()
    except Ns2MissingError as missing:
        say(f"{missing}\n  only hoplab is timed")

    def is_wanted(name: str) -> bool:
        return not names or any(part in name for part in names)

    entries = [entry for entry in suite(quick=quick) if is_wanted(entry.name)]
    traced = [case for case in tracing.cases(quick=quick) if is_wanted(case.name)]
    starts = [start for start in startup.STARTS if is_wanted(start.name)]
    if not (entries or traced or starts):
        every = [[one.name for one in some] for some in (suite(), tracing.cases(), startup.STARTS)]
        known = "; ".join(name for some in every for name in some)
        raise InputError(f"no benchmark is named like {', '.join(names or [])}", hint=f"there are: {known}")
    results, costs, begun = [], [], []
    done = 0
    turns = sum(entry.repeats for entry in entries) + sum(case.repeats for case in traced)
    turns += startup.REPEATS * len(starts)
    with progress_bar(turns, "benchmarking", show=False if is_quiet() else None) as tick:

        def on_done() -> None:
            nonlocal done
            done += 1
            tick(done)

        for entry in entries:
            results.append(measure(entry, program, on_done))
            say(f"{entry.name}: {_in_words(results[-1])}")
        for case in traced:
            costs.append(tracing.measure(case, on_done))
            say(f"{case.name}: {costs[-1].ratio()[1]:.2f} times the CPU time of a run without")
        for start in starts:
            begun.append(startup.measure(start, on_done))
            say(f"{start.name}: {begun[-1].best_s:.3f} s of CPU")
    command = "hoplab bench" + (" --quick" if quick else "") + "".join(f" '{name}'" for name in names or [])
    text = page(results, costs=costs, starts=begun, version=str(core().version()), command=command)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}") from error
    plain = [result.to_dict() for result in results] + [cost.to_dict() for cost in costs]
    plain += [one.to_dict() for one in begun]
    print(jsonlib.dumps(plain) if json else text, end="\n" if json else "")
    say(f"page: {out}")


def _in_words(result: Result) -> str:
    """How the two compare, or what a frame costs where there is only one."""
    ratio = result.ratio()
    if ratio is None:
        return f"{result.frame_us():.3f} us per frame"
    low, middle, high = ratio
    return f"{middle:.1f} times faster ({low:.1f} to {high:.1f})"
