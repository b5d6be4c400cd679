"""`hoplab league`: all transports over the same networks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import EXIT_OK, EXIT_PARTIAL, UsageError
from hoplab.base.numbers import counted
from hoplab.base.progress import duration
from hoplab.base.transports import BASE
from hoplab.cli import options, output
from hoplab.cli.console import info, is_quiet, set_verbosity, text_table
from hoplab.running.execution import thread_count
from hoplab.scenario import controllers
from hoplab.sweeping import CoreRunner, backend_of
from hoplab.sweeping.progress import shares_of, sum_s, watching_all
from hoplab_studies.league.networks import networks, transports
from hoplab_studies.league.play import estimates, matches, play
from hoplab_studies.league.table import MEASURES, League, league_of

if TYPE_CHECKING:
    from hoplab.stats import Interval

DEFAULT_OUT = Path("results/league")
DEFAULT_SEEDS = 10


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("league")(league)


def league(
    own: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="FILE.py[:CLASS][+BASE]", help="Add your controllers, over a base. Repeatable."),
    ] = None,
    only: Annotated[
        str | None, typer.Option("--transports", metavar="LIST", help="Transports. [default: all but udp]")
    ] = None,
    over: Annotated[str | None, typer.Option("--networks", metavar="LIST", help="Networks. [default: all 12]")] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=2, metavar="N", help="Seeds per run.")] = DEFAULT_SEEDS,
    backend: options.Backend = None,
    retry: options.Retry = False,
    json: Annotated[bool, typer.Option("--json", help="Print league.json.")] = False,
    threads: options.Threads = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Output directory; its runs are reused.")] = (
        DEFAULT_OUT
    ),
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Rank all transports over 12 networks.

    By goodput, delay, fairness and completion time, per network and seed; the table has means with 95 % intervals over
    seeds. Stored runs are reused.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    chosen = networks(None if over is None else _listed(over))
    names = transports() if only is None else _known(_listed(only))
    names += [name for given in own or () for name in _controllers(given)]
    planned, refused = matches(chosen, names, seeds, out)
    if not planned:
        raise UsageError("no network takes any of these transports", hint=next(iter(refused.values()), None))
    total = sum(match.count for match in planned)
    expected = estimates(planned, thread_count(threads))
    times_s = [one.wall_s for one in expected]
    wall_s = sum_s(times_s)
    if not is_quiet():
        about = "" if wall_s is None else f": about {duration(wall_s)} on {counted(thread_count(threads), 'thread')}"
        info(f"{total} runs{about if wall_s != 0.0 else ', all stored'}")
    chosen_backend = backend_of(backend, CoreRunner(), threads)
    shares = shares_of([(one.runs, one.done) for one in expected], times_s)
    with watching_all("league", shares, show=False if is_quiet() else None) as observers:
        outcomes = [
            play(match, chosen_backend, observer=observer, retry=retry)
            for match, observer in zip(planned, observers, strict=True)
        ]
    found = league_of(planned, refused, seeds)
    text = found.to_json()
    output.write_all(out, texts={"league.json": text}, tables={})
    if json:
        print(text, end="")
    else:
        print(describe(found))
        print(f"\nresults: {(out / 'league.json').resolve()}")
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    if failures:
        sys.stdout.flush()
    for failure in failures:
        info(f"run {failure.id}, seed {failure.seed}, failed: {failure.error}\n  to repeat: {failure.replay}")
    raise typer.Exit(EXIT_PARTIAL if failures else EXIT_OK)


def describe(found: League) -> str:
    """The table for people."""
    header = ("transport", "networks", *(f"rank by {measure.title}" for measure in MEASURES), "of possible (%)")
    rows = [
        (
            row.title,
            str(row.networks),
            *(_shown(row.ranks[measure.name]) for measure in MEASURES),
            "" if row.share is None else f"{row.share * 100:.0f}",
        )
        for row in found.rows
    ]
    lines = [f"{len(found.rows)} transports over {len(found.networks)} networks, n = {found.seeds}; rank 1 is best", ""]
    lines.append(text_table(header, rows))
    without = sorted({found_transport for _, found_transport in found.refused})
    if without:
        lines += ["", "networks that do not take a transport (league.json has the reasons):"]
        lines += [
            f"  {name}: {', '.join(network for network, other in found.refused if other == name)}" for name in without
        ]
    return "\n".join(lines)


def _shown(rank: Interval | None) -> str:
    return "" if rank is None else f"{rank.mean:.1f} \N{PLUS-MINUS SIGN} {rank.half_width:.1f}"


def _listed(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]


def _known(given: list[str]) -> list[str]:
    known = transports()
    for name in given:
        if name not in known:
            raise UsageError(
                f"--transports: unknown transport {name!r}", hint="`hoplab list` has their names; your own: --with"
            )
    return given


def _controllers(given: str) -> list[str]:
    """Names by which the engine knows the controllers of a file: the class that is named, or all."""
    file, _, rest = given.partition(".py")
    name, plus, base = rest.partition(BASE)
    path = Path(f"{file}.py")
    if not path.is_file():
        raise UsageError(
            f"--with {given}: file not found", hint="expected FILE.py, FILE.py:CLASS or FILE.py:CLASS+BASE"
        )
    wanted = name.removeprefix(":")
    classes = controllers.classes_of(path)
    chosen = {key: value for key, value in classes.items() if not wanted or key == wanted}
    if not chosen:
        raise UsageError(
            f"--with {given}: no such controller", hint=f"expected {' or '.join(classes) or 'a subclass of Controller'}"
        )
    return [*controllers.checked([controllers.register(value) + plus + base for value in chosen.values()])]
