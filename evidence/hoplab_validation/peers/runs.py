"""How any other simulator is run over seeds, and what is read from what it prints.

A peer reads a file that we write for one run and prints lines that begin with `HOPLAB`; `ns2_run` and `ns3_run` say
what those files and lines are for theirs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from hoplab.base.errors import HoplabError
from hoplab_validation.peers.resolved import Flow, Resolved
from hoplab_validation.peers.timed import Timed, run_timed


@dataclass(frozen=True)
class FlowRun:
    """One flow in one run of a peer, over its measured window.

    `cwnd` is in segments; counts that a datagram flow does not have are None, as are a mean delay and a
    longest time between two deliveries that are not reported.
    """

    id: int
    goodput_bps: float
    segments: int
    sent: int | None
    retransmissions: int | None
    timeouts: int | None
    cwnd: float | None
    delay_s: float | None = None
    gap_s: float | None = None


@dataclass(frozen=True)
class PeerRun:
    """One run of a peer; `cpu_s` is user and system time of its process."""

    seed: int
    flows: tuple[FlowRun, ...]
    cpu_s: float


Program = TypeVar("Program")
Run = TypeVar("Run", bound=PeerRun)


@dataclass(frozen=True, kw_only=True)
class Peer(Generic[Program, Run]):
    """A simulator that is run once per file and seed.

    Attributes
    ----------
    name : str
        In messages.
    failed, hung : type of HoplabError
        Raised for a run that ended in an error, and for one that did not end in time.
    folder, suffix : str
        Beginning of the name of the folder for files of runs, and end of their names.
    find : callable
        The program; the error for a missing one names the remedy.
    run : callable
        One run: program, file, seed, scenario, and the time in s after which it is ended.
    """

    name: str
    failed: type[HoplabError]
    hung: type[HoplabError]
    folder: str
    suffix: str
    find: Callable[[], Program]
    run: Callable[[Program, Path, int, Resolved, float | None], Run]

    def run_seeds(  # noqa: PLR0913 (all but three by keyword)
        self,
        text: str | Callable[[int], str],
        scenario: Resolved,
        seeds: Sequence[int],
        *,
        processes: int = 2,
        limit_s: float | None = None,
        on_done: Callable[[], None] | None = None,
    ) -> list[Run]:
        """Run what is written for the peer once per seed, `processes` at a time.

        Parameters
        ----------
        text : str or callable
            What the peer reads, or that of a seed.
        limit_s : float, optional
            Time after which a run is ended; ns-2's DSDV sometimes never ends by itself.
        on_done : callable, optional
            Called after each run, for progress.

        Raises
        ------
        HoplabError
            What `find` raises, or `failed`.
        """
        program = self.find()
        with tempfile.TemporaryDirectory(prefix=self.folder) as folder:

            def one(seed: int) -> Run:
                path = Path(folder) / f"scenario.{seed}{self.suffix}"
                path.write_text(text if isinstance(text, str) else text(seed), encoding="utf-8")
                run = self.run(program, path, seed, scenario, limit_s)
                if on_done is not None:
                    on_done()
                return run

            with ThreadPoolExecutor(processes) as pool:
                return list(pool.map(one, seeds))

    def execute(self, command: Sequence[str], folder: Path, *, seed: int, limit_s: float | None) -> Timed:
        """Run a command of the peer to its end, and raise where it hung or failed."""
        done = run_timed(command, folder, limit_s=limit_s)
        if done.timed_out:
            raise self.hung(f"{self.name} did not end within {limit_s:g} s with seed {seed}")
        if done.exit_code != 0:
            raise self.failed(f"{self.name} ended with {done.exit_code}: {tail(done.output)}")
        return done

    def lines(self, output: str) -> list[list[str]]:
        """Words of the `HOPLAB` lines before the last, which marks the end of the run."""
        found = [line.split()[1:] for line in output.splitlines() if line.startswith("HOPLAB ")]
        if not found or found[-1] != ["end"]:
            raise self.failed(f"{self.name} stopped before the end of the scenario: {tail(output)}")
        return found[:-1]

    def rows(self, lines: Iterable[Sequence[str]], scenario: Resolved) -> list[tuple[Flow, dict[str, str]]]:
        """The scenario's flows, each with the values of its line."""
        rows = {int(row["flow"]): row for row in map(values, lines)}
        missing = [flow.id for flow in scenario.flows if flow.id not in rows]
        if missing:
            raise self.failed(f"{self.name} printed nothing for flow {missing[0]}")
        return [(flow, rows[flow.id]) for flow in scenario.flows]


def values(words: Iterable[str]) -> dict[str, str]:
    """Words like `cwnd=6.25`, by their names."""
    return {key: value for key, _, value in (word.partition("=") for word in words)}


def flow_run(flow: Flow, row: Mapping[str, str], received: int, scenario: Resolved) -> FlowRun:
    """A flow with `received` bytes delivered, and the other values of its line."""
    return FlowRun(
        id=flow.id,
        goodput_bps=received * 8.0 / scenario.measured_s(flow),
        segments=received // flow.segment,
        sent=_count(row, "sent"),
        retransmissions=_count(row, "retransmissions"),
        timeouts=_count(row, "timeouts"),
        cwnd=float(row["cwnd"]) if "cwnd" in row else None,
        delay_s=float(row["delay"]) if "delay" in row else None,
        gap_s=float(row["gap"]) if "gap" in row else None,
    )


def _count(row: Mapping[str, str], key: str) -> int | None:
    return int(float(row[key])) if key in row else None


def tail(output: str) -> str:
    """The last lines of what a program printed, for a message."""
    return " | ".join(output.strip().splitlines()[-5:]) or "no output"
