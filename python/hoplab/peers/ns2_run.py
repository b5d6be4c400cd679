"""Runs scripts for ns-2 over seeds and reads what they print."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hoplab.errors import EXIT_PEER_MISSING, HoplabError
from hoplab.peers.resolved import Flow, Resolved
from hoplab.peers.timed import run_timed

PROGRAM = "ns"


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


class Ns2HungError(Ns2FailedError):
    """A run of ns-2 that did not end in time."""


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
    """One run of ns-2.

    Attributes
    ----------
    cpu_s : float
        User and system time of the process.
    drops : dict
        Packets dropped above the MAC, by ns-2's reason and type (``("CBK", "tcp")``); empty unless counted.
    """

    seed: int
    flows: tuple[FlowRun, ...]
    cpu_s: float
    drops: dict[tuple[str, str], int] = field(default_factory=dict)


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


def run_seeds(  # noqa: PLR0913 (all but three by keyword)
    tcl: str | Callable[[int], str],
    scenario: Resolved,
    seeds: Sequence[int],
    *,
    processes: int = 2,
    limit_s: float | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[Run]:
    """Run a script once per seed, `processes` at a time.

    Parameters
    ----------
    tcl : str or callable
        The script, or that of a seed.
    limit_s : float, optional
        Time after which a run is ended; ns-2's DSDV sometimes never ends by itself.
    on_done : callable, optional
        Called after each run, for progress.

    Raises
    ------
    Ns2MissingError, Ns2FailedError
    """
    program = find()
    with tempfile.TemporaryDirectory(prefix="hoplab-ns2-") as folder:

        def one(seed: int) -> Run:
            path = Path(folder) / f"scenario.{seed}.tcl"
            path.write_text(tcl if isinstance(tcl, str) else tcl(seed), encoding="utf-8")
            theirs = irregular(seed) if scenario.routing.get("protocol") == "dsdv" else seed
            output, cpu_s = execute(program, path, theirs, limit_s=limit_s)
            run = Run(seed, parse(output, scenario), cpu_s, drops_of(path.with_name(f"drops.{theirs}.txt")))
            if on_done is not None:
                on_done()
            return run

        with ThreadPoolExecutor(processes) as pool:
            return list(pool.map(one, seeds))


def irregular(seed: int) -> int:
    """A seed for ns-2 without a pattern: first draws of regularly spaced seeds are regularly spaced themselves.

    They are the starts of DSDV's nodes, which would then send in step.
    """
    digest = hashlib.blake2b(str(seed).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % (2**31 - 2) + 1


def execute(program: str, script: Path, seed: int, *, limit_s: float | None = None) -> tuple[str, float]:
    """Run a script once; its result lines and its CPU time (user and system) in seconds.

    Raises
    ------
    Ns2FailedError
        When ns-2 exits with an error, or prints one and carries on.
    """
    results = script.with_suffix(f".{seed}.txt")
    done = run_timed([program, str(script), str(seed), str(results)], script.parent, limit_s=limit_s)
    if done.timed_out:
        raise Ns2HungError(f"ns did not end within {limit_s:g} s with seed {seed}")
    if done.exit_code != 0:
        raise Ns2FailedError(f"ns ended with {done.exit_code}: {_tail(done.output)}")
    if re.search(r"\berror\b", done.output, re.IGNORECASE):
        raise Ns2FailedError(f"ns reported an error and carried on: {_tail(done.output)}")
    if not results.exists():
        raise Ns2FailedError(f"ns wrote no results: {_tail(done.output)}")
    return results.read_text(encoding="utf-8"), done.cpu_s


def drops_of(path: Path) -> dict[tuple[str, str], int]:
    """Counts of dropped packets by reason and type, from the lines ``D`` of a trace; none if there is no file."""
    found: dict[tuple[str, str], int] = {}
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) > DROP_TYPE:
            key = (words[DROP_REASON], words[DROP_TYPE])
            found[key] = found.get(key, 0) + 1
    return found


DROP_REASON, DROP_TYPE = 4, 6
"""Columns of ns-2's wireless trace: event, time, node, layer, reason, number, type."""


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
