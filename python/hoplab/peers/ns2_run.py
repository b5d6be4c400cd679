"""Runs scripts for ns-2 over seeds and reads what they print."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hoplab.errors import HoplabError
from hoplab.peers.resolved import Flow, Resolved
from hoplab.peers.timed import run_timed

PROGRAM = "ns"
EXIT_PEER_MISSING = 69
"""Exit code when a peer simulator is not installed (EX_UNAVAILABLE of sysexits.h)."""


class Ns2MissingError(HoplabError):
    """`ns` is not on the path."""

    exit_code: ClassVar[int] = EXIT_PEER_MISSING

    def __init__(self) -> None:
        super().__init__(
            "ns-2 (the program `ns`) is not installed",
            hint="on Debian or Ubuntu: `scripts/install-peers.sh`, or `apt-get install ns2`",
        )


class Ns2FailedError(HoplabError):
    """A run of ns-2 ended in an error, or said "Error" and carried on."""


@dataclass(frozen=True)
class FlowRun:
    """One flow in one run of ns-2, over its measured window.

    `cwnd` is in segments; counts that a datagram flow does not have are None.
    """

    id: int
    goodput_bps: float
    segments: int
    sent: int | None
    retransmissions: int | None
    timeouts: int | None
    cwnd: float | None


@dataclass(frozen=True)
class Run:
    """One run of ns-2; `cpu_s` is user and system time of the process."""

    seed: int
    flows: tuple[FlowRun, ...]
    cpu_s: float


def find() -> str:
    """Path of `ns`.

    Raises
    ------
    Ns2MissingError
        With the way to get it.
    """
    found = shutil.which(PROGRAM)
    if found is None:
        raise Ns2MissingError
    return found


def run_seeds(
    tcl: str,
    scenario: Resolved,
    seeds: Sequence[int],
    *,
    processes: int = 2,
    on_done: Callable[[], None] | None = None,
) -> list[Run]:
    """Run a script once per seed, `processes` at a time.

    Parameters
    ----------
    on_done : callable, optional
        Called after each run, for progress.

    Raises
    ------
    Ns2MissingError, Ns2FailedError
    """
    program = find()
    with tempfile.TemporaryDirectory(prefix="hoplab-ns2-") as folder:
        path = Path(folder) / "scenario.tcl"
        path.write_text(tcl, encoding="utf-8")

        def one(seed: int) -> Run:
            output, cpu_s = execute(program, path, seed)
            run = Run(seed, parse(output, scenario), cpu_s)
            if on_done is not None:
                on_done()
            return run

        with ThreadPoolExecutor(processes) as pool:
            return list(pool.map(one, seeds))


def execute(program: str, script: Path, seed: int) -> tuple[str, float]:
    """Run a script once; its result lines and its CPU time (user and system) in seconds.

    Raises
    ------
    Ns2FailedError
        When ns-2 exits with an error, or prints one and carries on.
    """
    results = script.with_suffix(f".{seed}.txt")
    done = run_timed([program, str(script), str(seed), str(results)], script.parent)
    if done.exit_code != 0:
        raise Ns2FailedError(f"ns ended with {done.exit_code}: {_tail(done.output)}")
    if re.search(r"\berror\b", done.output, re.IGNORECASE):
        raise Ns2FailedError(f"ns reported an error and carried on: {_tail(done.output)}")
    if not results.exists():
        raise Ns2FailedError(f"ns wrote no results: {_tail(done.output)}")
    return results.read_text(encoding="utf-8"), done.cpu_s


def parse(output: str, scenario: Resolved) -> tuple[FlowRun, ...]:
    """Flows of one run from the `HOPLAB` lines.

    Raises
    ------
    Ns2FailedError
        If the run did not reach its end or a flow is missing.
    """
    lines = [line.split()[1:] for line in output.splitlines() if line.startswith("HOPLAB ")]
    if not lines or lines[-1] != ["end"]:
        raise Ns2FailedError(f"ns stopped before the end of the scenario: {_tail(output)}")
    rows = {int(row["flow"]): row for row in (dict(w.split("=", 1) for w in words) for words in lines[:-1])}
    missing = [flow.id for flow in scenario.flows if flow.id not in rows]
    if missing:
        raise Ns2FailedError(f"ns printed nothing for flow {missing[0]}")
    return tuple(_flow_run(flow, rows[flow.id], scenario) for flow in scenario.flows)


def _flow_run(flow: Flow, row: dict[str, str], scenario: Resolved) -> FlowRun:
    segments = int(row["segments"])
    return FlowRun(
        id=flow.id,
        goodput_bps=segments * flow.segment * 8.0 / scenario.measured_s(flow),
        segments=segments,
        sent=_int(row, "sent"),
        retransmissions=_int(row, "retransmissions"),
        timeouts=_int(row, "timeouts"),
        cwnd=float(row["cwnd"]) if "cwnd" in row else None,
    )


def _int(row: dict[str, str], key: str) -> int | None:
    return int(float(row[key])) if key in row else None


def _tail(output: str) -> str:
    return " | ".join(output.strip().splitlines()[-5:]) or "no output"
