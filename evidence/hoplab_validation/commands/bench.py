"""`hoplab bench`: CPU time of hoplab, ns-2 and ns-3 on the same scenarios."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoplab.base.engine import described
from hoplab.base.errors import InputError, OutputError
from hoplab.base.progress import progress_bar
from hoplab.cli import options
from hoplab.cli.console import info, is_quiet, set_verbosity
from hoplab_validation.bench import measure
from hoplab_validation.bench.cases import scale, scaling, startup, thread_scaling, tracing, wifi
from hoplab_validation.bench.cases.suite import suite
from hoplab_validation.bench.measure import LIMIT_S as NS2_LIMIT_S
from hoplab_validation.bench.measure import Peers
from hoplab_validation.bench.ns3 import LIMIT_S, Ns3Gap
from hoplab_validation.bench.page import page
from hoplab_validation.peers.ns2 import run as ns2_run
from hoplab_validation.peers.ns3 import ofdm
from hoplab_validation.peers.ns3 import run as ns3_run

if TYPE_CHECKING:
    from hoplab_validation.bench.cases.scale import Done
    from hoplab_validation.bench.cases.scaling import Grown
    from hoplab_validation.bench.cases.startup import Started
    from hoplab_validation.bench.cases.thread_scaling import Gain
    from hoplab_validation.bench.cases.tracing import Cost
    from hoplab_validation.bench.cases.wifi import Compared, WifiCase
    from hoplab_validation.bench.measure import Result

DEFAULT_OUT = Path("BENCHMARKS.md")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Entries whose name contains one of these.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help=f"Page to write. [default: {DEFAULT_OUT}; with NAME none]"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds instead of minutes; good for a smoke test.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Measure speed and memory; write BENCHMARKS.md.

    CPU time beside ns-2.35 and ns-3.37, growth, threads, memory, traces, start-up. With NAME the page of those entries
    is printed, and written only with --out.
    """
    set_verbosity(quiet=quiet, verbose=verbose)
    # A part of the entries does not replace the page of all.
    path = out or (None if names else DEFAULT_OUT)
    peers = _peers()
    lists = (
        suite(quick=quick),
        scaling.cases(quick=quick),
        thread_scaling.cases(quick=quick),
        scale.cases(quick=quick),
        tracing.cases(quick=quick),
        startup.STARTS,
        wifi.cases(quick=quick),
    )

    def chosen(some: Any) -> list[Any]:
        return [one for one in some if not names or any(part in one.name for part in names)]

    entries, growing, copied, large, traced, starts, modern = map(chosen, lists)
    if not any((entries, growing, copied, large, traced, starts, modern)):
        known = "; ".join(one.name for some in lists for one in some)
        raise InputError(f"unknown benchmark {', '.join(names or [])}", hint=f"expected {known}")
    done = 0
    turns = sum(one.repeats for some in (entries, growing, copied, traced, modern) for one in some)
    turns += len(large) + startup.REPEATS * len(starts)
    command = "hoplab bench" + (" --quick" if quick else "") + "".join(f" '{name}'" for name in names or [])
    results: list[Result] = []
    grown: list[Grown] = []
    gains: list[Gain] = []
    ended: list[Done] = []
    costs: list[Cost] = []
    begun: list[Started] = []
    compared: list[Compared] = []

    def text() -> str:
        return page(
            results,
            version=described(),
            command=command,
            grown=grown,
            gains=gains,
            large=ended,
            costs=costs,
            starts=begun,
            compared=compared,
        )

    with progress_bar(turns, "benchmarking", show=False if is_quiet() else None) as tick:

        def on_done() -> None:
            nonlocal done
            done += 1
            tick(done)

        try:
            results.extend(_told(measure.measure(one, peers, on_done), _in_words) for one in entries)
            compared.extend(_told(one, _compared_in_words) for one in _beside_ns3(modern, on_done))
            grown.extend(_told(scaling.measure(one, on_done), _growth_in_words) for one in growing)
            gains.extend(_told(thread_scaling.measure(one, on_done), _gain_in_words) for one in copied)
            ended.extend(_told(scale.measure(one, on_done), _large_in_words) for one in large)
            costs.extend(_told(tracing.measure(one, on_done), _cost_in_words) for one in traced)
            begun.extend(_told(startup.measure(one, on_done), _start_in_words) for one in starts)
        except BaseException:
            # What took minutes to measure is not lost with what came after it, nor does it replace a whole page.
            if any((results, compared, grown, gains, ended, costs, begun)):
                _keep(text(), path)
            raise
    whole = text()
    if path is not None:
        _write(path, whole)
    plain = [one.to_dict() for some in (results, compared, grown, costs, gains, ended, begun) for one in some]
    print(jsonlib.dumps(plain) if json else whole, end="\n" if json else "")
    if path is not None:
        info(f"page: {path}")


def _keep(text: str, path: Path | None) -> None:
    """Write the page of an interrupted run beside the complete one, or print it without --out."""
    part = f"{text}\nStopped before its end: these are the rows that had been measured.\n"
    if path is None:
        print(part, end="")
        return
    kept = path.with_name(f"{path.stem}.partial{path.suffix}")
    _write(kept, part)
    info(f"page of the completed measurements: {kept}")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _peers() -> Peers:
    """Installed peers; reports missing ones."""
    peers = Peers(None, None)
    try:
        peers = replace(peers, ns2=ns2_run.find())
    except ns2_run.Ns2MissingError as missing:
        info(f"{missing}\n  ns-2 is not timed")
    try:
        peers = replace(peers, ns3=ns3_run.find())
    except ns3_run.Ns3MissingError as missing:
        info(f"{missing}\n  ns-3 is not timed")
    return peers


def _beside_ns3(cases: list[WifiCase], on_done: Callable[[], None]) -> Iterator[Compared]:
    """Networks of 802.11a and 802.11n beside ns-3; none where that is missing."""
    if not cases:
        return
    try:
        program = ofdm.find()
    except ns3_run.Ns3MissingError:  # reported by `_peers`
        return
    yield from (wifi.measure(one, program, on_done) for one in cases)


def _told(result: Any, words: Callable[[Any], str]) -> Any:
    """Say what came out, and hand it on."""
    info(words(result))
    return result


def _compared_in_words(compared: Compared) -> str:
    low, middle, high = compared.spread(lambda turn: turn.ratio)
    return f"{compared.case.name}: a frame costs {middle:.1f} times less than in ns-3 ({low:.1f} to {high:.1f})"


def _growth_in_words(grown: Grown) -> str:
    low, middle, high = grown.ratio(len(grown.case.sizes) - 1)
    return f"{grown.case.name}: a hearer costs {middle:.2f} times as much ({low:.2f} to {high:.2f})"


def _gain_in_words(gain: Gain) -> str:
    return f"{gain.case.name}: {gain.ratio().middle:.2f} times the throughput with two threads"


def _large_in_words(done: Done) -> str:
    return f"{done.case.name}: {done.cpu_s:.1f} s of CPU, {done.peak_bytes / 2**20:.0f} MiB"


def _cost_in_words(cost: Cost) -> str:
    return f"{cost.case.name}: {cost.ratio().middle:.2f} times the CPU time of a run without"


def _start_in_words(started: Started) -> str:
    return f"{started.start.name}: {started.best_s:.3f} s of CPU"


def _in_words(result: Result) -> str:
    """How the two compare, or what a frame costs where there is only one."""
    ratio, other, gone = result.ratio(), result.ns3_ratio(), len(result.repeats) - len(result.ns2_turns)
    if ratio is None:
        words = f"{result.entry.name}: {result.frame_us():.3f} us per frame"
    else:
        low, middle, high = ratio
        words = f"{result.entry.name}: {middle:.1f} times faster than ns-2 ({low:.1f} to {high:.1f})"
    if result.has_peer and gone:
        words += f"; {gone} of {len(result.repeats)} runs of ns-2 were given up after {NS2_LIMIT_S:g} s"
    if other is not None:
        words += f", {other.middle:.0f} times faster than ns-3"
    if result.ns3_gap is Ns3Gap.GIVEN_UP:
        words += f"; {len(result.ns3_turns())} of {result.ns3_wanted} runs of ns-3 ended within {LIMIT_S:g} s"
    return words
