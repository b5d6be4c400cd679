"""Repeat the runs of a directory, and compare their fingerprints with the stored ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from hoplab.base.engine import core, running_core
from hoplab.base.progress import progress_bar
from hoplab.running.execution import job_of, thread_count
from hoplab.running.limits import NONE

if TYPE_CHECKING:
    from hoplab.artifact.stored import StoredRun, StoredRuns

LAYERS = ("phy", "mac", "net", "transport")
"""Layers with fingerprints of their own, from the bottom."""
BATCH = 512
"""Runs that are handed to the engine at a time; each holds its scenario."""


class Printed(msgspec.Struct, frozen=True):
    """What is read of a repeated run."""

    fingerprint: str
    fingerprints: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Difference:
    """A run that did not repeat.

    Attributes
    ----------
    found : str
        Its fingerprint now; empty if it failed.
    layers : tuple of str
        Layers with other event sequences than stored, from the bottom.
    error : str
        Why it failed.
    """

    run: StoredRun
    found: str = ""
    layers: tuple[str, ...] = ()
    error: str = ""

    def __str__(self) -> str:
        if self.error:
            return f"{self.run.label}: failed: {self.error}"
        where = f"; other events of {', '.join(self.layers)}" if self.layers else ""
        return f"{self.run.label}: {self.found}, stored {self.run.fingerprint}{where}"


@dataclass(frozen=True)
class Outcome:
    """What repeating a directory has shown.

    Attributes
    ----------
    engine : str
        Version and trajectory number of the engine that repeated the runs.
    """

    stored: StoredRuns
    engine: str
    differences: tuple[Difference, ...]

    @property
    def equal(self) -> int:
        """Runs with the stored fingerprint."""
        return len(self.stored.runs) - len(self.differences)


def rerun(stored: StoredRuns, *, threads: int | None = None, progress: bool | None = None) -> Outcome:
    """Repeat stored runs. Controllers that they name are executed: ask before.

    Parameters
    ----------
    stored : StoredRuns
        From `read_runs`.
    threads, progress
        As for `hoplab.run`.
    """
    differences: dict[int, Difference] = {}
    count = thread_count(threads)
    with progress_bar(len(stored.runs), "repeating", show=progress) as tick:
        done = 0
        for first in range(0, len(stored.runs), BATCH):
            batch = stored.runs[first : first + BATCH]

            def finished(index: int, difference: Difference | None, *, first: int = first) -> None:
                nonlocal done
                done += 1
                tick(done)
                if difference is not None:
                    differences[first + index] = difference

            _repeat(batch, count, finished)
    found = tuple(differences[index] for index in sorted(differences))
    return Outcome(stored, str(core().version()), found)


def _repeat(batch: Sequence[StoredRun], threads: int, finished: Any) -> None:
    jobs = [job_of(run.text, run.path, run.overrides, run.seed, None, limits=NONE) for run in batch]

    def on_result(index: int, text: str, _: Mapping[str, Any]) -> None:
        finished(index, _difference(batch[index], msgspec.json.decode(text, type=Printed)))

    def on_failure(index: int, error: Exception) -> None:
        finished(index, Difference(batch[index], error=str(error)))

    running_core(series=False).run_many(jobs, threads, on_result, on_failure)


def _difference(run: StoredRun, now: Printed) -> Difference | None:
    if now.fingerprint == run.fingerprint:
        return None
    layers = tuple(name for name in LAYERS if run.layers.get(name) != now.fingerprints.get(name))
    return Difference(run, now.fingerprint, layers if run.layers else ())


def engine_note(stored: str, present: str) -> str | None:
    """What another engine means for fingerprints; None for the same.

    Parameters
    ----------
    stored, present : str
        Version and trajectory number, such as ``0.2.0+t6``; the first is empty where it is not stored.
    """
    if stored == present:
        return None
    if not stored:
        return f"the directory does not say which engine made it; this one is {present}"
    version, _, number = stored.partition("+t")
    if number and number == present.partition("+t")[2]:
        return f"stored by engine {stored}, repeated by {present}: of equal trajectory number, so no run should differ"
    return (
        f"stored by engine {stored}, repeated by {present}: the trajectory number behind +t differs, and so do event "
        f"sequences of some scenarios; hoplab {version} repeats them"
    )
