"""BENCHMARKS.md: what was measured, on what, with which command."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from hoplab_validation.bench.cases.scale import MEMORY_GOAL_BYTES, Done
from hoplab_validation.bench.cases.scaling import GOAL as GROWTH_GOAL
from hoplab_validation.bench.cases.scaling import Grown
from hoplab_validation.bench.cases.startup import Started
from hoplab_validation.bench.cases.thread_scaling import GOAL as GAIN_GOAL
from hoplab_validation.bench.cases.thread_scaling import Gain
from hoplab_validation.bench.cases.tracing import GOAL as TRACE_GOAL
from hoplab_validation.bench.cases.tracing import Cost
from hoplab_validation.bench.cases.wifi import Compared
from hoplab_validation.bench.cases.wifi import table as wifi_table
from hoplab_validation.bench.measure import LIMIT_S as NS2_LIMIT_S
from hoplab_validation.bench.measure import Result
from hoplab_validation.bench.ns3 import LIMIT_S, Ns3Gap
from hoplab_validation.bench.spread import Spread

COSTS = ("hoplab, us per frame (engine's own clock)", "ns-2, us per frame")
"""Titles of columns; `_costs` fills them."""

AGAINST_NS2 = ("repeats", "times faster", "with start-up", "required", "aim", *COSTS)
"""Titles of columns; `_against_ns2` fills them."""


def page(  # noqa: PLR0913 (by keyword)
    results: Sequence[Result],
    *,
    version: str,
    command: str,
    costs: Sequence[Cost] = (),
    gains: Sequence[Gain] = (),
    grown: Sequence[Grown] = (),
    large: Sequence[Done] = (),
    starts: Sequence[Started] = (),
    compared: Sequence[Compared] = (),
) -> str:
    """Write the whole page."""
    flows, density, cells = ([r for r in results if r.entry.family == name] for name in ("flows", "density", "cell"))
    lines = [
        "# Benchmarks",
        "",
        f"Written by `{command}` on {datetime.now(UTC).date().isoformat()}; do not edit by hand.",
        "",
        f"hoplab {version} against ns-2.35 (Debian package ns2) and ns-3.37 (libns3-dev). {machine()}",
        "A version without a note is the distributed build, that of wheels; a source build may be up to 10 % slower",
        "(docs/design/two-release-profiles.md).",
        *(_peers(results) if results else []),
    ]
    if flows:
        lines += ["", "## Flows", "", *_flow_table(flows)]
    if density:
        lines += ["", "## Networks of the same density", "", *_density_table(density)]
    if cells:
        lines += ["", "## A single cell", "", *_cell_table(cells)]
    tried = [result for result in results if result.ns3_gap in {None, Ns3Gap.GIVEN_UP}]
    if tried:
        lines += ["", "## ns-3", "", *_ns3_table(tried)]
    if compared:
        lines += ["", "## ns-3: 802.11a and 802.11n", "", *wifi_table(list(compared))]
    if grown:
        lines += ["", "## Growth at constant density", "", *_growth_table(grown)]
    if gains:
        lines += ["", "## Replications", "", *_gain_table(gains)]
    if large:
        lines += ["", "## Large networks", "", *_large_table(large)]
    if costs:
        lines += ["", "## Traces", "", *_trace_table(costs)]
    if starts:
        lines += ["", "## Start-up", "", *_start_table(starts)]
    return "\n".join(lines) + "\n"


def _peers(results: Sequence[Result]) -> list[str]:
    lines = [
        "",
        "Both simulate the same scenario (`hoplab crosscheck ns2` writes the script), one seed on one thread, tracing",
        "off, in turn on the same machine. Times are user plus system time of the process. Start-up excluded: the",
        "difference between a long and a short run, per simulated second; of nodes that move both sides run the same",
        "stretch. Start-up included: one run as long as ns-2's longer one. A turn in which the long run took no longer",
        "than the short one is made again, twice at most.",
        "Each ratio is ns-2's time over hoplab's: minimum, **median** and maximum over the repeats. Two numbers were",
        "set per row: what is required, and what is aimed at. Frames are all MAC frames sent (RTS, CTS, data, ACK,",
        "broadcast), counted by hoplab. Static routes are tunnels in ns-2, which cost it about 8 % more than the usual",
        "frozen DSDV; the AODV rows have no such handicap.",
    ]
    for result in results:
        if result.entry.passes > 1:
            times = f"{result.entry.passes} times per repeat, and the mean is taken"
            lines += ["", f"Runs of hoplab below one second are executed {times}: {result.entry.name}."]
    if not all(result.has_peer for result in results):
        lines += ["", "ns-2 is not installed here (`scripts/install-peers.sh`): it was not timed."]
    given_up = [result for result in results if any(repeat.ns2_given_up for repeat in result.repeats)]
    if given_up:
        names = "; ".join(f"{one.entry.name} ({len(one.ns2_turns)} of {len(one.repeats)})" for one in given_up)
        where = f"where a run took more than {NS2_LIMIT_S:g} s by the clock on the wall"
        lines += ["", f"ns-2 was given up {where}; its ratios are of the repeats that ended: {names}."]
    for sentence in _without_ns3(results):
        lines += ["", sentence]
    return lines


def _without_ns3(results: Sequence[Result]) -> list[str]:
    """Where ns-3 was not timed, or not in every repeat, and why."""
    gaps = {gap: [result for result in results if result.ns3_gap is gap] for gap in Ns3Gap}
    sentences = []
    if gaps[Ns3Gap.NOT_INSTALLED]:
        sentences.append("ns-3 is not installed here (`scripts/install-peers.sh`): it was not timed.")
    if gaps[Ns3Gap.NOT_WANTED]:
        names = "; ".join(result.entry.name for result in gaps[Ns3Gap.NOT_WANTED])
        sentences.append(f"ns-3 was not wanted where a run would take it too long: {names}.")
    if gaps[Ns3Gap.GIVEN_UP]:
        names = "; ".join(f"{result.entry.name} ({_ns3_repeats(result)} repeats)" for result in gaps[Ns3Gap.GIVEN_UP])
        sentences.append(
            f"ns-3 was given up where a run took more than {LIMIT_S:g} s by the clock on the wall; its rows hold the"
            f" repeats that ended, which are the faster ones: {names}."
        )
    return sentences


def _ns3_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "CPU time per MAC frame, start-up excluded, each simulator's own frames. ns-3 has other rules than ns-2: it",
        "adds interference up, sends ACKs at the rate of their data, and puts 36 bytes round a packet. It runs the",
        "scenario as `hoplab crosscheck ns3 --adapt` makes it (profile `std`). The first ratio is against hoplab on",
        "the row's own scenario, the second against hoplab by ns-3's rules too.",
        "",
        _heading("scenario", "repeats", "ns-3, us per frame", "times faster", "by the same rules", "aim"),
    ]
    for result in results:
        ratio = result.ns3_ratio()
        lines.append(
            _row(
                result.entry.name,
                _ns3_repeats(result),
                _cost(result.ns3_frame_us()),
                _spread(ratio),
                _spread(result.ns3_ratio_same_rules()),
                _goal(ratio, result.entry.goals.ns3),
            )
        )
    return lines


def _ns3_repeats(result: Result) -> str:
    """Number of repeats of ns-3, and of planned ones if it was given up."""
    made = len(result.ns3_turns())
    return f"{made} of {result.ns3_wanted}" if result.ns3_gap is Ns3Gap.GIVEN_UP else str(made)


def _cell_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "Stations on a circle of 50 m round a receiver, which always have a datagram of 1,472 bytes to send at 2 Mb/s:",
        "each is offered 200 kb/s and delivers less than half of it.",
        "",
        _heading("scenario", "repeats", "times faster", *COSTS, "aim, us per frame"),
    ]
    for result in results:
        aim, cost = result.entry.goals.frame_us, result.frame_us()
        goal = "-" if aim is None else f"{aim:g} ({'reached' if cost <= aim else f'missed by {cost - aim:.2f}'})"
        repeats = str(len(result.repeats))
        lines.append(_row(result.entry.name, repeats, _spread(result.ratio()), *_costs(result), goal))
    return lines


def _gain_table(gains: Sequence[Gain]) -> list[str]:
    lines = [
        "The same runs with one thread and with two, by the clock on the wall, in turn, loading apart.",
        "",
        _heading("scenario", "repeats", "throughput of two threads over that of one", "aim"),
    ]
    for gain in gains:
        ratio = gain.ratio()
        name = gain.case.name.removeprefix("replications: ")
        goal = _met(f"{GAIN_GOAL:g}", reached=ratio.middle >= GAIN_GOAL)
        lines.append(_row(name, str(len(gain.walls_s)), _spread(ratio, digits=2), goal))
    return lines


def _large_table(large: Sequence[Done]) -> list[str]:
    lines = [
        "Run to the end once, start-up included.",
        "",
        _heading("network", "simulated s", "CPU, s", "frames", "goodput, kb/s", "most memory, MiB", "aim"),
    ]
    rows = [
        _row(
            one.case.name.removeprefix("scale: "),
            f"{one.simulated_s:g}",
            f"{one.cpu_s:.1f}",
            f"{one.frames:,}",
            f"{one.goodput_bps / 1e3:.0f}",
            f"{one.peak_bytes / 2**20:.0f}",
            _met(f"{MEMORY_GOAL_BYTES / 2**20:.0f}", reached=one.peak_bytes <= MEMORY_GOAL_BYTES),
        )
        for one in large
    ]
    return [*lines, *rows]


def _trace_table(costs: Sequence[Cost]) -> list[str]:
    lines = [
        "Every event and 500 samples of every state to Parquet, against the same run without, in turn, one thread; CPU",
        "time of the process, start-up excluded as above. A row's cost is all that a trace adds: making rows, accounts",
        "of airtime, writing. Memory is the most that the process of the long run had, plain and traced.",
        "",
        _heading("scenario", "repeats", "times the CPU time", "goal", "ns per row", "bytes per row", "MiB"),
    ]
    for cost in costs:
        ratio = cost.ratio()
        lines.append(
            _row(
                cost.case.name.removeprefix("trace: "),
                str(len(cost.times)),
                _spread(ratio, digits=2),
                _met(f"{TRACE_GOAL:g}", reached=ratio.middle <= TRACE_GOAL),
                f"{cost.row_ns():.0f}",
                f"{cost.row_bytes:.1f}",
                ", ".join(f"{size / 2**20:.0f}" for size in cost.peak_bytes),
            )
        )
    return lines


def _start_table(starts: Sequence[Started]) -> list[str]:
    lines = ["CPU time of the whole process, best of five.", "", _heading("command", "seconds", "goal")]
    for one in starts:
        goal = _met(f"{one.start.goal_s:g}", reached=one.best_s <= one.start.goal_s)
        lines.append(_row(one.start.name.removeprefix("start-up: "), f"{one.best_s:.3f}", goal))
    return lines


def _flow_table(results: Sequence[Result]) -> list[str]:
    rows = [_row(result.entry.name, *_against_ns2(result)) for result in results]
    return [_heading("scenario", *AGAINST_NS2), *rows]


def _against_ns2(result: Result) -> list[str]:
    goals, ratio = result.entry.goals, result.ratio()
    ratios = [_spread(ratio), _spread(result.ratio_with_start())]
    return [str(len(result.repeats)), *ratios, _goal(ratio, goals.required), _goal(ratio, goals.aim), *_costs(result)]


def _met(goal: str, *, reached: bool) -> str:
    """A number to reach, and whether it was."""
    return f"{goal} ({'reached' if reached else 'missed'})"


def _goal(ratio: Spread | None, goal: float | None) -> str:
    """A number to reach, and whether the median does; by how much it is missed."""
    if goal is None:
        return "-"
    if ratio is None:
        return f"{goal:g}"
    return f"{goal:g} ({'reached' if ratio.middle >= goal else f'missed: {100.0 * ratio.middle / goal:.0f} % of it'})"


def _density_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "A square grid, 200 m apart, every 25th node sends 512-byte datagrams at 200 kb/s to its neighbor; a hearer is",
        "a node that senses the frame.",
        "",
        _heading("scenario", "hearers", *AGAINST_NS2),
    ]
    rows = [_row(result.entry.name, f"{result.hearers:.1f}", *_against_ns2(result)) for result in results]
    return [*lines, *rows]


def _growth_table(grown: Sequence[Grown]) -> list[str]:
    lines = [
        "These networks and a larger one by hoplab alone, all sizes in turn in each repeat, about a million frames of",
        "each: CPU time per frame and hearer by the engine's own clock, start-up excluded, and the same over that of",
        "the smallest network in the same repeat.",
        "",
        _heading("network", "hearers", "repeats", "ns per frame and hearer", "times the smallest", "goal"),
    ]
    for one in grown:
        last = len(one.case.sizes) - 1
        for place, size in enumerate(one.case.sizes):
            ratio = one.ratio(place)
            goal = _met(f"at most {GROWTH_GOAL:g}", reached=ratio.middle <= GROWTH_GOAL) if place == last else "-"
            cells = [f"{one.hearers[place]:.1f}", str(len(one.costs_ns)), _spread(one.cost_ns(place))]
            lines.append(_row(size.name, *cells, _spread(ratio, digits=2) if place else "1", goal))
    return lines


def _heading(*titles: str) -> str:
    return f"{_row(*titles)}\n|{' --- |' * len(titles)}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _costs(result: Result) -> tuple[str, str]:
    return f"{result.frame_us():.3f} ({result.engine_frame_us():.3f})", _cost(result.peer_frame_us())


def _cost(cost_us: float | None) -> str:
    return "-" if cost_us is None else f"{cost_us:.2f}"


def _spread(values: Spread | None, *, digits: int = 1) -> str:
    if values is None:
        return "-"
    low, middle, high = (f"{value:.{digits}f}" for value in values)
    return f"{low} / **{middle}** / {high}"


def machine() -> str:
    """Processor, cores, memory and Python, without names or paths of the machine."""
    words = [f"{_cpu_model()}, {os.cpu_count()} cores"]
    memory = _memory_gib()
    if memory is not None:
        words.append(f"{memory:.0f} GiB")
    words += [f"{platform.system()} {platform.machine()}", f"Python {platform.python_version()}"]
    return "Machine: " + ", ".join(words) + "."


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _memory_gib() -> float | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError):
        return None
