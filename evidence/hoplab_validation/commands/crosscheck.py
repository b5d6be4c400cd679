"""`hoplab crosscheck`: one scenario here and in another simulator."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from hoplab.base.errors import EXIT_OK, EXIT_PEER_MISSING, EXIT_VERDICT
from hoplab.base.progress import progress_bar
from hoplab.cli import options
from hoplab.cli.console import info, is_quiet, number, print_verdicts, set_verbosity, text_table, warn_all
from hoplab.running.seeds import seeds_of
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers.compare import against_ns2, against_ns3, tcl_of, text_of
from hoplab_validation.peers.ns2 import run as ns2_run
from hoplab_validation.peers.ns3 import run as ns3_run
from hoplab_validation.peers.ns3 import text as ns3_text
from hoplab_validation.peers.verdict import COLORS, failures, plain_table

if TYPE_CHECKING:
    from hoplab_validation.peers.compare import Comparison

DEFAULT_SEEDS = "10"
NS2, NS3 = "ns-2.35", "ns-3.37"

COUNTED = {
    NS2: "theirs is counted by ACKs at the sender, ours in order at the receiver",
    NS3: "both count what the receiver has in order",
}
"""Where goodput is counted, by peer."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(
        help="Cross-check a scenario against ns-2 or ns-3.",
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group.command("ns2", epilog=f"Exit codes: 5 they differ, {EXIT_PEER_MISSING} ns-2 is not installed.")(ns2)
    group.command("ns3", epilog=f"Exit codes: 5 they differ, {EXIT_PEER_MISSING} ns-3 is not installed.")(ns3)
    app.add_typer(group, name="crosscheck")


def ns2(
    file: options.File,
    set_keys: options.SetKeys = None,
    seeds: Annotated[str, typer.Option("--seeds", metavar="SEEDS", help=options.SEEDS_HELP)] = DEFAULT_SEEDS,
    tcl_only: Annotated[bool, typer.Option("--tcl-only", help="Print the ns-2 script only.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Run a scenario in ns-2.35 and in hoplab over the same number of seeds, and compare."""
    set_verbosity(quiet=quiet, verbose=verbose)
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    if tcl_only:
        print(tcl_of(scenario), end="")
        return
    chosen = seeds_of(seeds, scenario.seed)
    tcl_of(scenario, chosen[0])  # refuse unsupported scenarios before searching ns-2
    ns2_run.find()
    with _counting(len(chosen), "ns-2") as on_done:
        comparison = against_ns2(scenario, chosen, on_done=on_done, threads=threads)
    _show(comparison, json=json)


def ns3(
    file: options.File,
    set_keys: options.SetKeys = None,
    seeds: Annotated[str, typer.Option("--seeds", metavar="SEEDS", help=options.SEEDS_HELP)] = DEFAULT_SEEDS,
    adapt: Annotated[
        bool, typer.Option("--adapt", help="Set the keys for which ns-3 has one value only, on both sides.")
    ] = False,
    stock: Annotated[
        bool, typer.Option("--stock", help="Leave ns-3's rules of retries and backoff as they are.")
    ] = False,
    text_only: Annotated[bool, typer.Option("--text-only", help="Print the ns-3 input only.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Run a scenario of profile std in ns-3.37 and in hoplab over the same number of seeds, and compare."""
    set_verbosity(quiet=quiet, verbose=verbose)
    scenario = Scenario.from_file(file, options.overrides_of(set_keys))
    if adapt:
        scenario = ns3_text.counterpart(scenario)
    if text_only:
        print(text_of(scenario, stock=stock), end="")
        return
    chosen = seeds_of(seeds, scenario.seed)
    text_of(scenario, chosen[0])  # refuse unsupported scenarios before searching ns-3
    ns3_run.find()
    with _counting(len(chosen), "ns-3") as on_done:
        comparison = against_ns3(scenario, chosen, stock=stock, on_done=on_done, threads=threads)
    _show(comparison, json=json)


@contextmanager
def _counting(total: int, label: str) -> Iterator[Callable[[], None]]:
    """A bar of progress; what is yielded is called after each run."""
    done = 0
    with progress_bar(total, label, show=False if is_quiet() else None) as tick:

        def on_done() -> None:
            nonlocal done
            done += 1
            tick(done)

        yield on_done


def _show(comparison: Comparison, *, json: bool) -> None:
    """Print a comparison and end with its exit code."""
    warn_all(comparison.ours.warnings)
    if json:
        print(jsonlib.dumps(as_dict(comparison)))
    else:
        print_verdicts(describe(comparison), COLORS)
    differ = failures(comparison.rows)
    if len(comparison.theirs) == 1:
        info("n = 1: no interval; add --seeds 10")
    raise typer.Exit(EXIT_VERDICT if differ else EXIT_OK)


def describe(comparison: Comparison) -> str:
    """Both sides for people: the judged rows, then the goodput of every flow with its interval."""
    runs = comparison.ours
    extra = int(runs.scenario.resolve().data["routing"].get("extra_bytes", 0))
    static = runs.scenario.resolve().data["routing"]["protocol"] == "static"
    lines = [f"{runs.scenario.name}: {comparison.peer} (theirs) and hoplab (ours), {len(runs)} seeds each", ""]
    lines.append(plain_table(comparison.rows))
    lines.append("")
    lines.append(text_table(["per run", comparison.peer, "hoplab"], _totals(comparison)))
    if static and comparison.peer == NS2:
        lines.append(
            f"static routes: tunnels of {extra} extra bytes per packet in ns-2, routing.extra_bytes = {extra} here"
        )
    lines.append(f"goodput decides; {COUNTED[comparison.peer]}")
    return "\n".join(lines)


def _totals(comparison: Comparison) -> list[list[str]]:
    theirs = mean_interval(sum(f.goodput_bps for f in run.flows) / 1e3 for run in comparison.theirs)
    ours = mean_interval(sum(f.goodput_bps for f in run.flows) / 1e3 for run in comparison.ours)
    cpu_theirs = mean_interval(run.cpu_s for run in comparison.theirs)
    cpu_ours = mean_interval(run.cpu_s for run in comparison.ours)
    return [
        ["goodput of all flows, kb/s", number(theirs), number(ours)],
        ["CPU, s", number(cpu_theirs, digits=3), number(cpu_ours, digits=3)],
    ]


def as_dict(comparison: Comparison) -> dict[str, object]:
    """Both sides for programs: every run of both, and the judged rows."""
    return {
        "scenario": comparison.ours.scenario.name,
        "peer": comparison.peer,
        "agrees": not failures(comparison.rows),
        "rows": [row.to_dict() for row in comparison.rows],
        "theirs": [
            {"seed": run.seed, "cpu_s": run.cpu_s, "flows": [vars(flow) for flow in run.flows]}
            for run in comparison.theirs
        ],
        "ours": [jsonlib.loads(run.json) for run in comparison.ours],
    }
