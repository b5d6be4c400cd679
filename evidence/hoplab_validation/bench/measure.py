"""Times hoplab, ns-2 and ns-3 in turn on one scenario.

CPU time is user plus system time of a process that runs one seed on one thread. The cost of a
simulated second is the difference between a long and a short run, divided by the difference of
their durations: loading, building the network and finding routes fall out. Frames are hoplab's;
ns-2 sends as many (within 1 %, see docs/judge/validation.md).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

from hoplab_validation.bench import ns3
from hoplab_validation.bench.cases.suite import Entry, hearers
from hoplab_validation.bench.ns3 import Ns3Gap, Ns3Turn
from hoplab_validation.bench.process import frames, run_worker
from hoplab_validation.bench.spread import Spread
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2 import run as ns2_run
from hoplab_validation.peers.resolved import parse

MORE_TURNS = 2
"""Limit of repetitions of a turn whose noise exceeds the measured time."""

LIMIT_S = 900.0
"""A run of ns-2 that takes longer, by the clock on the wall, is given up, and its repeat goes without: its DSDV among
nodes that move may not come back from a packet."""


@dataclass(frozen=True)
class Repeat:
    """One turn of all sides; `theirs_*` are None where ns-2 is not installed, or was given up.

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
    ns3 : Ns3Turn or Ns3Gap
        What ns-3 took, or why it has not run.
    ns2_given_up : bool
        Whether a run of ns-2 was not done within `LIMIT_S`.
    """

    ours_s: float
    theirs_s: float | None
    ours_all_s: float
    theirs_all_s: float | None
    frames_per_s: float
    engine_s: float
    ns3: Ns3Turn | Ns3Gap = Ns3Gap.NOT_WANTED
    ns2_given_up: bool = False

    @property
    def is_drowned(self) -> bool:
        """Whether a long run took no longer than a short one, as other work on the machine was in the way."""
        return self.ours_s <= 0.0 or (self.theirs_s is not None and self.theirs_s <= 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"ns3": asdict(self.ns3) if isinstance(self.ns3, Ns3Turn) else None}


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
        """Whether ns-2 is timed as well."""
        return all(repeat.theirs_s is not None or repeat.ns2_given_up for repeat in self.repeats)

    @property
    def ns2_turns(self) -> tuple[Repeat, ...]:
        """The repeats in which ns-2 has run to the end."""
        return tuple(repeat for repeat in self.repeats if repeat.theirs_s is not None)

    def _with_ns2(self, of: Callable[[Repeat], float]) -> Spread | None:
        return Spread.of(map(of, self.ns2_turns)) if self.ns2_turns else None

    def ratio(self) -> Spread | None:
        """How many times faster, start-up excluded; None without ns-2."""
        return self._with_ns2(lambda r: (r.theirs_s or 0.0) / r.ours_s)

    def ratio_with_start(self) -> Spread | None:
        """How many times faster for one run as long as ns-2's, start-up included; None without ns-2."""
        return self._with_ns2(lambda r: (r.theirs_all_s or 0.0) / r.ours_all_s)

    def ns3_turns(self) -> tuple[Ns3Turn, ...]:
        """What ns-3 took, in the repeats that it has run to the end."""
        return tuple(repeat.ns3 for repeat in self.repeats if isinstance(repeat.ns3, Ns3Turn))

    @property
    def ns3_wanted(self) -> int:
        """In how many repeats ns-3 was wanted."""
        return sum(repeat.ns3 is not Ns3Gap.NOT_WANTED for repeat in self.repeats)

    @property
    def ns3_gap(self) -> Ns3Gap | None:
        """Why ns-3 has not run to the end in every repeat where it was wanted, or in any; None where it has."""
        gaps = [repeat.ns3 for repeat in self.repeats if isinstance(repeat.ns3, Ns3Gap)]
        wanted = (gap for gap in gaps if gap is not Ns3Gap.NOT_WANTED)
        return next(wanted, None) if self.ns3_wanted else Ns3Gap.NOT_WANTED

    def ns3_ratio(self) -> Spread | None:
        """How many times less a frame costs than in ns-3, start-up excluded."""
        ratios = [
            repeat.ns3.frame_us / (1e6 * repeat.ours_s / repeat.frames_per_s)
            for repeat in self.repeats
            if isinstance(repeat.ns3, Ns3Turn)
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
        cost = self._with_ns2(lambda r: 1e6 * (r.theirs_s or 0.0) / r.frames_per_s)
        return None if cost is None else cost.middle

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
            "ns2_turns": len(self.ns2_turns),
            "ns3_ratio": self.ns3_ratio(),
            "ns3_ratio_same_rules": self.ns3_ratio_same_rules(),
            "ns3_frame_us": self.ns3_frame_us(),
            "ns3_turns": len(self.ns3_turns()),
            "ns3_wanted": self.ns3_wanted,
            "ns3_gap": None if self.ns3_gap is None else self.ns3_gap.value,
            "repeats": [repeat.to_dict() for repeat in self.repeats],
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
            repeat = _turn(entry, program, seed, folder)
            for _ in range(MORE_TURNS):
                if not repeat.is_drowned:
                    break
                repeat = _turn(entry, program, seed, folder)
            repeats.append(replace(repeat, ns3=ns3.turn(peers.ns3, entry, seed, folder)))
            on_done()
    return Result(entry, hearers(entry.scenario(entry.ours.short_s)), tuple(repeats))


def _turn(entry: Entry, program: str | None, seed: int, folder: Path) -> Repeat:
    """Hoplab and ns-2, one after the other."""
    passes = [_pass(entry, seed, folder)]
    theirs_short = _theirs(program, entry, entry.theirs.short_s, seed, folder)
    theirs_long = None if theirs_short is None else _theirs(program, entry, entry.theirs.long_s, seed, folder)
    passes += [_pass(entry, seed, folder) for _ in range(entry.passes - 1)]
    theirs_span = entry.theirs.long_s - entry.theirs.short_s
    repeat = Repeat(
        ours_s=fmean(one.ours_s for one in passes),
        theirs_s=None,
        ours_all_s=fmean(one.ours_all_s for one in passes),
        theirs_all_s=None,
        frames_per_s=passes[0].frames_per_s,
        engine_s=fmean(one.engine_s for one in passes),
    )
    if theirs_short is None or theirs_long is None:
        return replace(repeat, ns2_given_up=program is not None)
    theirs_s = (theirs_long - theirs_short) / theirs_span
    return replace(repeat, theirs_s=theirs_s, theirs_all_s=theirs_long / entry.theirs.long_s)


def _pass(entry: Entry, seed: int, folder: Path) -> Repeat:
    """Hoplab's part of a turn, once."""
    ours_short, run_short = _ours(entry, entry.ours.short_s, seed, folder)
    ours_long, run_long = _ours(entry, entry.ours.long_s, seed, folder)
    ours_same, _ = _ours(entry, entry.theirs.long_s, seed, folder)
    ours_span = entry.ours.long_s - entry.ours.short_s
    return Repeat(
        ours_s=(ours_long - ours_short) / ours_span,
        theirs_s=None,
        ours_all_s=ours_same / entry.theirs.long_s,
        theirs_all_s=None,
        frames_per_s=(frames(run_long) - frames(run_short)) / ours_span,
        engine_s=(run_long["cpu_s"] - run_short["cpu_s"]) / ours_span,
    )


def _ours(entry: Entry, duration_s: float, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
    """CPU seconds of a process of ours, and the run it reports."""
    return run_worker(entry.scenario(duration_s), seed, folder)


def _theirs(program: str | None, entry: Entry, duration_s: float, seed: int, folder: Path) -> float | None:
    """CPU seconds of a process of ns-2; None without it, and if it was not done within `LIMIT_S`."""
    if program is None:
        return None
    path = folder / "scenario.tcl"
    scenario = entry.scenario(duration_s)
    path.write_text(tcl_of(scenario, seed), encoding="utf-8")
    try:
        output, cpu_s = ns2_run.execute(program, path, seed, limit_s=LIMIT_S)
    except ns2_run.Ns2HungError:
        return None
    ns2_run.parse(output, parse(scenario.resolve().data))
    return cpu_s
