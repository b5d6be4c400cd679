"""A turn of ns-3 in the benchmark, or why there is none.

ns-3 has one rule for what ns-2 has another: receivers, rates of ACKs, headers (`ns3_text.counterpart`). It runs the
scenario with those keys set to its own, and so does hoplab once more; each is charged per frame that it sent itself.
A run of ns-3 prints its own CPU time at the end of the short duration, so that one run is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from hoplab_validation.bench.cases.suite import Entry
from hoplab_validation.bench.process import frames, run_worker
from hoplab_validation.peers.compare import text_of
from hoplab_validation.peers.ns3 import run as ns3_run
from hoplab_validation.peers.ns3 import text as ns3_text
from hoplab_validation.peers.resolved import parse

LIMIT_S = 300.0
"""Limit of wall time of an ns-3 run, in s; a longer run ends, and its repeat has no value."""


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


class Ns3Gap(Enum):
    """Why a repeat has no turn of ns-3."""

    NOT_WANTED = "not wanted"
    """The entry has no durations for ns-3, or wants it in fewer repeats."""
    NOT_INSTALLED = "not installed"
    GIVEN_UP = "given up"
    """It was not done within `LIMIT_S`."""


def turn(program: Path | None, entry: Entry, seed: int, folder: Path) -> Ns3Turn | Ns3Gap:
    """Run ns-3 once, and hoplab by its rules.

    Parameters
    ----------
    program : Path or None
        Ours on top of ns-3; None where that is not installed.

    Raises
    ------
    Ns3FailedError, WorkerFailedError
    """
    if entry.ns3 is None or seed > entry.ns3_repeats:
        return Ns3Gap.NOT_WANTED
    if program is None:
        return Ns3Gap.NOT_INSTALLED
    scenario = ns3_text.counterpart(entry.ns3_scenario(entry.ns3.long_s))
    path = folder / "scenario.txt"
    path.write_text(text_of(scenario, seed, mark_s=entry.ns3.short_s), encoding="utf-8")
    try:
        output, cpu_s = ns3_run.execute(program, path, seed, limit_s=LIMIT_S)
    except ns3_run.Ns3HungError:
        return Ns3Gap.GIVEN_UP
    _, (first, last) = ns3_run.parse(output, parse(scenario.resolve().data))
    ours_short, run_short = _by_its_rules(entry, entry.ours.short_s, seed, folder)
    ours_long, run_long = _by_its_rules(entry, entry.ours.long_s, seed, folder)
    return Ns3Turn(
        frame_us=1e6 * (last.cpu_s - first.cpu_s) / (last.frames - first.frames),
        ours_us=1e6 * (ours_long - ours_short) / (frames(run_long) - frames(run_short)),
        all_s=cpu_s / entry.ns3.long_s,
    )


def _by_its_rules(entry: Entry, duration_s: float, seed: int, folder: Path) -> tuple[float, dict[str, Any]]:
    return run_worker(ns3_text.counterpart(entry.ns3_scenario(duration_s)), seed, folder)
