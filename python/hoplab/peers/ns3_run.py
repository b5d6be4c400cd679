"""Builds our program on top of ns-3.37 once, runs it over seeds, and reads what it prints.

The program is kept in the user's cache folder, under a name made of its source, the compiler and the library, so that
a change of any of them builds it anew.
"""

from __future__ import annotations

import ctypes.util
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import ClassVar

from hoplab.errors import EXIT_PEER_MISSING, HoplabError, OutputError
from hoplab.peers.ns2_run import FlowRun
from hoplab.peers.resolved import Flow, Resolved
from hoplab.peers.timed import run_timed

VERSION = "37"
"""Release 3.37: that of the interfaces which our program uses."""

MODULES = ("aodv", "dsdv", "applications", "internet", "traffic-control", "wifi", "mobility", "propagation", "network")
HEADER = Path("/usr/include/ns3/core-module.h")
COMPILER = "c++"
SOURCE = "data/ns3_peer.cc"
BUILD_LIMIT_S = 600.0


class Ns3MissingError(HoplabError):
    """ns-3.37, its headers or a compiler are not there."""

    exit_code: ClassVar[int] = EXIT_PEER_MISSING

    def __init__(self, what: str) -> None:
        super().__init__(
            f"ns-3.37 cannot be used: no {what}",
            hint="on Debian 12: `scripts/install-peers.sh`, or `apt-get install libns3-dev g++`",
        )


class Ns3FailedError(HoplabError):
    """Our program for ns-3 could not be built, or ended in an error."""


class Ns3HungError(Ns3FailedError):
    """A run of ns-3 that did not end in time."""


@dataclass(frozen=True)
class Mark:
    """What the program had done at a time of its simulation: CPU time of the process in s, frames and events."""

    t_s: float
    cpu_s: float
    frames: int
    events: int


@dataclass(frozen=True)
class Run:
    """One run of ns-3.

    Attributes
    ----------
    cpu_s : float
        User and system time of the process.
    marks : tuple of Mark
        At the end of the warm-up (or where the description says) and at the end of the run.
    """

    seed: int
    flows: tuple[FlowRun, ...]
    cpu_s: float
    marks: tuple[Mark, Mark]


def find() -> Path:
    """Our program; built first where it is not in the cache.

    Raises
    ------
    Ns3MissingError
        With the way to get ns-3.
    Ns3FailedError
        If it cannot be built.
    """
    library = ctypes.util.find_library("ns3-core")
    if library is None or not library.endswith(f".so.{VERSION}"):
        raise Ns3MissingError("library libns3-core.so.37")
    if not HEADER.exists():
        raise Ns3MissingError("headers in /usr/include/ns3")
    compiler = shutil.which(COMPILER)
    if compiler is None:
        raise Ns3MissingError("C++ compiler (c++)")
    source = resources.files("hoplab.peers").joinpath(SOURCE).read_text(encoding="utf-8")
    version = subprocess.run(  # noqa: S603 (a program that was found)
        [compiler, "--version"], capture_output=True, text=True, check=False
    ).stdout
    name = hashlib.blake2b(f"{source}\0{version}\0{library}".encode(), digest_size=8).hexdigest()
    program = cache() / f"ns3_peer-{name}"
    if not program.exists():
        _build(compiler, source, program)
    return program


def cache() -> Path:
    """Folder for programs built here: `$XDG_CACHE_HOME/hoplab`, or `~/.cache/hoplab`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hoplab"


def _build(compiler: str, source: str, program: Path) -> None:
    """Compile into a name of its own, then rename: two builds at a time do not disturb each other."""
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="ns3-", dir=program.parent) as folder:
            text, made = Path(folder) / "ns3_peer.cc", Path(folder) / "ns3_peer"
            text.write_text(source, encoding="utf-8")
            libraries = [f"-l:libns3-{module}.so.{VERSION}" for module in (*MODULES, "core")]
            done = run_timed(
                [compiler, "-std=c++17", "-O2", str(text), "-o", str(made), *libraries], limit_s=BUILD_LIMIT_S
            )
            if done.timed_out or done.exit_code != 0:
                raise Ns3FailedError(f"our program for ns-3 cannot be built: {_tail(done.output)}")
            made.replace(program)
    except OSError as error:
        raise OutputError(f"{program.parent}: cannot be written: {error.strerror or error}") from error


def run_seeds(  # noqa: PLR0913 (all but three by keyword)
    text: str | Callable[[int], str],
    scenario: Resolved,
    seeds: Sequence[int],
    *,
    processes: int = 2,
    limit_s: float | None = None,
    on_done: Callable[[], None] | None = None,
) -> list[Run]:
    """Run a description once per seed, `processes` at a time.

    Parameters
    ----------
    text : str or callable
        The description, or that of a seed.
    limit_s : float, optional
        Time after which a run is ended.
    on_done : callable, optional
        Called after each run, for progress.

    Raises
    ------
    Ns3MissingError, Ns3FailedError
    """
    program = find()
    with tempfile.TemporaryDirectory(prefix="hoplab-ns3-") as folder:

        def one(seed: int) -> Run:
            path = Path(folder) / f"scenario.{seed}.txt"
            path.write_text(text if isinstance(text, str) else text(seed), encoding="utf-8")
            output, cpu_s = execute(program, path, seed, limit_s=limit_s)
            flows, marks = parse(output, scenario)
            if on_done is not None:
                on_done()
            return Run(seed, flows, cpu_s, marks)

        with ThreadPoolExecutor(processes) as pool:
            return list(pool.map(one, seeds))


def execute(program: Path, description: Path, seed: int, *, limit_s: float | None = None) -> tuple[str, float]:
    """Run a description once; what the program prints, and its CPU time (user and system) in seconds.

    Raises
    ------
    Ns3FailedError
    """
    done = run_timed([str(program), str(description), str(seed)], description.parent, limit_s=limit_s)
    if done.timed_out:
        raise Ns3HungError(f"ns-3 did not end within {limit_s:g} s with seed {seed}")
    if done.exit_code != 0:
        raise Ns3FailedError(f"ns-3 ended with {done.exit_code}: {_tail(done.output)}")
    return done.output, done.cpu_s


def parse(output: str, scenario: Resolved) -> tuple[tuple[FlowRun, ...], tuple[Mark, Mark]]:
    """Flows and marks of one run from the `HOPLAB` lines.

    Raises
    ------
    Ns3FailedError
        If the run did not reach its end, or a line is missing.
    """
    lines = [line.split()[1:] for line in output.splitlines() if line.startswith("HOPLAB ")]
    if not lines or lines[-1] != ["end"]:
        raise Ns3FailedError(f"ns-3 stopped before the end of the scenario: {_tail(output)}")
    marks = [_mark(_values(words[1:])) for words in lines if words[0] == "mark"]
    rows = {int(row["flow"]): row for row in (_values(words) for words in lines if words[0].startswith("flow="))}
    missing = [flow.id for flow in scenario.flows if flow.id not in rows]
    if missing or len(marks) != MARKS:
        raise Ns3FailedError(f"ns-3 printed nothing for flow {missing[0]}" if missing else "ns-3 printed no marks")
    return tuple(_flow_run(flow, rows[flow.id], scenario) for flow in scenario.flows), (marks[0], marks[1])


MARKS = 2
"""Lines of marks: one at the time that the description says, one at the end."""


def _values(words: Sequence[str]) -> dict[str, str]:
    return {key: value for key, _, value in (word.partition("=") for word in words)}


def _mark(row: dict[str, str]) -> Mark:
    return Mark(float(row["t"]), float(row["cpu"]), int(row["frames"]), int(row["events"]))


def _flow_run(flow: Flow, row: dict[str, str], scenario: Resolved) -> FlowRun:
    received = int(row["bytes"])
    return FlowRun(
        id=flow.id,
        goodput_bps=received * 8.0 / scenario.measured_s(flow),
        segments=received // flow.segment,
        sent=int(row["sent"]),
        retransmissions=int(row["retransmissions"]) if "retransmissions" in row else None,
        timeouts=int(row["timeouts"]) if "timeouts" in row else None,
        cwnd=float(row["cwnd"]) if "cwnd" in row else None,
    )


def _tail(output: str) -> str:
    return " | ".join(output.strip().splitlines()[-5:]) or "no output"
