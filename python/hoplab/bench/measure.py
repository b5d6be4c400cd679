"""Times hoplab, ns-2 and ns-3 in turn on one scenario.

CPU time is user plus system time of a process that runs one seed on one thread. The cost of a
simulated second is the difference between a long and a short run, divided by the difference of
their durations: loading, building the network and finding routes fall out. Frames are hoplab's;
ns-2 sends as many (within 1 %, see docs/validation.md).

ns-3 has one rule for what ns-2 has another: receivers, rates of ACKs, headers (`ns3_text.counterpart`). It runs the
scenario with those keys set to its own, and so does hoplab once more; each is charged per frame that it sent itself.
A run of ns-3 prints its own CPU time at the end of the short duration, so that one run is enough.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from hoplab.bench.process import run_worker
from hoplab.bench.spread import Spread
from hoplab.bench.suite import Entry, mean_hearers
from hoplab.peers import ns2_run, ns3_run, ns3_text
from hoplab.peers.compare import tcl_of, text_of
from hoplab.peers.resolved import parse
from hoplab.scenario import Scenario


@dataclass(frozen=True)
class Ns3Turn:
    """One turn of ns-3, and of hoplab by ns-3's rules.

    Attributes
    ----------
    frame_us, ours_us : float
        CPU time per MAC frame, start-up excluded, of ns-3 and of hoplab.
    all_s : float
        CPU seconds of ns-3's whole process per simulated second, start-up included.
    """

    frame_us: float
    ours_us: float
    all_s: float


@dataclass(frozen=True)
class Repeat:
    """One turn of all sides; `theirs_*` are None where ns-2 is not installed, `ns3` where ns-3 did not run.

    Attributes
    ----------
    ours_s, theirs_s : float
        CPU seconds per simulated second, start-up excluded.
    ours_all_s, theirs_all_s : float
        CPU seconds of the whole process per simulated second of a run as long as ns-2's longer
        one, start-up included: what a user waits for.
    frames_per_s : float
        MAC frames per simulated second.
    engine_s : float
        CPU seconds per simulated second by the engine's own clock.
    """

    ours_s: float
    theirs_s: float | None
    ours_all_s: float
    theirs_all_s: float | None
    frames_per_s: float
    engine_s: float
    ns3: Ns3Turn | None = None


@dataclass(frozen=True)
class Peers:
    """Programs of the other simulators; None where one is not installed."""

    ns2: str | None
    ns3: Path | None


@dataclass(frozen=True)
class Result:
    """All repeats of an entry."""

    entry: Entry
    hearers: float
    repeats: tuple[Repeat, ...]

    def spread(self, of: Callable[[Repeat], float]) -> Spread:
        """A quantity over the repeats."""
        return Spread.of(map(of, self.repeats))

    @property
    def has_peer(self) -> bool:
        """Whether ns-2 was timed too."""
        return all(repeat.theirs_s is not None for repeat in self.repeats)

    def ratio(self) -> Spread | None:
        """How many times faster, start-up excluded; None without ns-2."""
        return self.spread(lambda r: (r.theirs_s or 0.0) / r.ours_s) if self.has_peer else None

    def ratio_with_start(self) -> Spread | None:
        """How many times faster for one run as long as ns-2's, start-up included; None without ns-2."""
        return self.spread(lambda r: (r.theirs_all_s or 0.0) / r.ours_all_s) if self.has_peer else None

    def ns3_turns(self) -> tuple[Ns3Turn, ...]:
        """The repeats that ran ns-3 too."""
        return tuple(repeat.ns3 for repeat in self.repeats if repeat.ns3 is not None)

    def ns3_ratio(self) -> Spread | None:
        """How many times less a frame costs than in ns-3, start-up excluded."""
        ratios = [
            repeat.ns3.frame_us / (1e6 * repeat.ours_s / repeat.frames_per_s)
            for repeat in self.repeats
            if repeat.ns3 is not None
        ]
        return Spread.of(ratios) if ratios else None

    def ns3_ratio_same_rules(self) -> Spread | None:
        """The same with hoplab by ns-3's rules."""
        ratios = [turn.frame_us / turn.ours_us for turn in self.ns3_turns()]
        return Spread.of(ratios) if ratios else None

    def ns3_frame_us(self) -> float | None:
        """Median cost of a MAC frame in ns-3."""
        turns = self.ns3_turns()
        return median(turn.frame_us for turn in turns) if turns else None

    def frame_us(self) -> float:
        """Median cost of a MAC frame in microseconds of CPU."""
        return self.spread(lambda r: 1e6 * r.ours_s / r.frames_per_s).middle

    def peer_frame_us(self) -> float | None:
        """The same of ns-2; None without it."""
        return self.spread(lambda r: 1e6 * (r.theirs_s or 0.0) / r.frames_per_s).middle if self.has_peer else None

    def engine_frame_us(self) -> float:
        """Median cost of a MAC frame by the engine's own clock."""
        return self.spread(lambda r: 1e6 * r.engine_s / r.frames_per_s).middle

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "name": self.entry.name,
            "family": self.entry.family,
            "goals": vars(self.entry.goals),
            "hearers": self.hearers,
            "ratio": self.ratio(),
            "ratio_with_start": self.ratio_with_start(),
            "frame_us": self.frame_us(),
            "peer_frame_us": self.peer_frame_us(),
            "engine_frame_us": self.engine_frame_us(),
            "ns3_ratio": self.ns3_ratio(),
            "ns3_ratio_same_rules": self.ns3_ratio_same_rules(),
            "ns3_frame_us": self.ns3_frame_us(),
            "repeats": [asdict(repeat) for repeat in self.repeats],
        }


def measure(entry: Entry, peers: Peers, on_done: Callable[[], None]) -> Result:
    """Run all sides `entry.repeats` times in turn.

    Parameters
    ----------
    peers : Peers
        Without any, only hoplab is timed.
    on_done : callable
        Called after each turn.

    Raises
    ------
    Ns2FailedError, Ns3FailedError, WorkerFailedError
    """
    repeats = []
    program = peers.ns2
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as name:
        folder = Path(name)
        for seed in range(1, entry.repeats + 1):
            ours_short, run_short = _ours(entry, entry.ours.short_s, seed, folder)
            theirs_short = _theirs(program, entry, entry.theirs.short_s, seed, folder)
            ours_long, run_long = _ours(entry, entry.ours.long_s, seed, folder)
            theirs_long = _theirs(program, entry, entry.theirs.long_s, seed, folder)
            ours_same, _ = _ours(entry, entry.theirs.long_s, seed, folder)
            ours_span = entry.ours.long_s - entry.ours.short_s
            theirs_span = entry.theirs.long_s - entry.theirs.short_s
            repeats.append(
                Repeat(
                    ours_s=(ours_long - ours_short) / ours_span,
                    theirs_s=None if program is None else (theirs_long - theirs_short) / theirs_span,
                    ours_all_s=ours_same / entry.theirs.long_s,
                    theirs_all_s=None if program is None else theirs_long / entry.theirs.long_s,
                    frames_per_s=(_frames(run_long) - _frames(run_short)) / ours_span,
                    engine_s=(run_long["cpu_s"] - run_short["cpu_s"]) / ours_span,
                    ns3=_ns3(peers.ns3, entry, seed, folder),
                )
            )
            on_done()
    return Result(entry, _hearers(entry), tuple(repeats))


def _ours(entry: Entry, duration_s: float, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
    """CPU seconds of a process of ours, and the run it reports."""
    return run_worker(entry.scenario(duration_s), seed, folder)


NS3_LIMIT_S = 300.0
"""A run of ns-3 that takes longer, by the clock on the wall, is given up, and its row goes without."""


def _ns3(program: Path | None, entry: Entry, seed: int, folder: Path) -> Ns3Turn | None:
    """A turn of ns-3; None where it is not installed, not wanted this time, or not done in time."""
    if program is None or entry.ns3 is None or seed > entry.ns3_repeats:
        return None
    scenario = ns3_text.counterpart(entry.ns3_scenario(entry.ns3.long_s))
    path = folder / "scenario.txt"
    path.write_text(text_of(scenario, seed, mark_s=entry.ns3.short_s), encoding="utf-8")
    try:
        output, cpu_s = ns3_run.execute(program, path, seed, limit_s=NS3_LIMIT_S)
    except ns3_run.Ns3HungError:
        return None
    _, (first, last) = ns3_run.parse(output, parse(scenario.resolve().data))
    ours_short, run_short = _by_ns3_rules(entry, entry.ours.short_s, seed, folder)
    ours_long, run_long = _by_ns3_rules(entry, entry.ours.long_s, seed, folder)
    return Ns3Turn(
        frame_us=1e6 * (last.cpu_s - first.cpu_s) / (last.frames - first.frames),
        ours_us=1e6 * (ours_long - ours_short) / (_frames(run_long) - _frames(run_short)),
        all_s=cpu_s / entry.ns3.long_s,
    )


def _theirs(program: str | None, entry: Entry, duration_s: float, seed: int, folder: Path) -> float:
    """CPU seconds of a process of ns-2; nothing without it."""
    if program is None:
        return 0.0
    path = folder / "scenario.tcl"
    scenario = entry.scenario(duration_s)
    path.write_text(tcl_of(scenario, seed), encoding="utf-8")
    output, cpu_s = ns2_run.execute(program, path, seed)
    ns2_run.parse(output, parse(scenario.resolve().data))
    return cpu_s


def _by_ns3_rules(entry: Entry, duration_s: float, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
    return run_worker(ns3_text.counterpart(entry.ns3_scenario(duration_s)), seed, folder)


def _frames(run: dict[str, Any]) -> int:
    return sum(run["frames"].values())


def _hearers(entry: Entry) -> float:
    scenario: Scenario = entry.scenario(entry.ours.short_s)
    resolved = scenario.resolve()
    return mean_hearers(parse(resolved.data).positions, resolved.facts.cs_range_m)
