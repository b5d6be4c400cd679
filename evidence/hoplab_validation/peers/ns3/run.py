"""Builds our program on top of ns-3.37 once, runs it over seeds, and reads what it prints.

The program is kept in the user's cache folder, under a name made of its source, the compiler and the library, so that
a change of any of them builds it anew.
"""

from __future__ import annotations

import ctypes.util
import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import ClassVar

from hoplab.base.errors import EXIT_PEER_MISSING, HoplabError, OutputError
from hoplab.running.real.kernel import cache
from hoplab_validation.peers.resolved import Resolved
from hoplab_validation.peers.runs import FlowRun, Peer, PeerRun, flow_run, tail, values
from hoplab_validation.peers.timed import run_timed

VERSION = "37"
"""Release 3.37: that of the interfaces which our program uses."""

MODULES = (
    *("aodv", "dsdv", "olsr", "mesh", "applications", "internet", "traffic-control"),
    *("wifi", "mobility", "propagation", "network"),
)
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
class Run(PeerRun):
    """One run of ns-3.

    Attributes
    ----------
    marks : tuple of Mark
        At the end of the warm-up (or at the time of the description) and at the end of the run.
    control : dict
        Messages sent between them, by kind: `rreq`, `rrep`, `rerr`, `hello` of AODV; `hello`, `tc` of OLSR, with its
        `packets`, their `bytes`, and these with `grouped` links; empty for other protocols.
    routes : tuple of str
        Tables of OLSR at the sample times, a character per node and destination.
    """

    marks: tuple[Mark, Mark]
    control: dict[str, int] = field(default_factory=dict)
    routes: tuple[str, ...] = ()


def find(origin: str = SOURCE) -> Path:
    """Our program, or another of a source file; built first where it is not in the cache.

    Raises
    ------
    Ns3MissingError
        If ns-3 is missing; names the remedy.
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
    source = resources.files("hoplab_validation.peers").joinpath(origin).read_text(encoding="utf-8")
    version = subprocess.run(  # noqa: S603 (a program that was found)
        [compiler, "--version"], capture_output=True, text=True, check=False
    ).stdout
    name = hashlib.blake2b(f"{source}\0{version}\0{library}".encode(), digest_size=8).hexdigest()
    program = cache() / f"{Path(origin).stem}-{name}"
    if not program.exists():
        _build(compiler, source, program)
    return program


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
                raise Ns3FailedError(f"our program for ns-3 cannot be built: {tail(done.output)}")
            made.replace(program)
    except OSError as error:
        raise OutputError(f"{program.parent}: cannot be written: {error.strerror or error}") from error


def run_once(program: Path, description: Path, seed: int, scenario: Resolved, limit_s: float | None = None) -> Run:
    """Run a description with a seed.

    Raises
    ------
    Ns3FailedError
    """
    output, cpu_s = execute(program, description, seed, limit_s=limit_s)
    flows, marks = parse(output, scenario)
    routes = tuple(words[1] for words in NS3.lines(output) if words[0] == "routes")
    return Run(seed, flows, cpu_s, marks, control_of(output), routes)


NS3 = Peer(
    name="ns-3",
    failed=Ns3FailedError,
    hung=Ns3HungError,
    folder="hoplab-ns3-",
    suffix=".txt",
    find=find,
    run=run_once,
)
"""Descriptions of `ns3_text` are what it reads."""


def execute(program: Path, description: Path, seed: int, *, limit_s: float | None = None) -> tuple[str, float]:
    """Run a description once; what the program prints, and its CPU time (user and system) in seconds.

    Raises
    ------
    Ns3FailedError
    """
    command = [str(program), str(description), str(seed)]
    done = NS3.execute(command, description.parent, seed=seed, limit_s=limit_s)
    return done.output, done.cpu_s


def parse(output: str, scenario: Resolved) -> tuple[tuple[FlowRun, ...], tuple[Mark, Mark]]:
    """Flows and marks of one run from the `HOPLAB` lines.

    Raises
    ------
    Ns3FailedError
        If the run did not reach its end, or a line is missing.
    """
    lines = NS3.lines(output)
    rows = NS3.rows((words for words in lines if words[0].startswith("flow=")), scenario)
    marks = [mark(values(words[1:])) for words in lines if words[0] == "mark"]
    if len(marks) != MARKS:
        raise Ns3FailedError("ns-3 printed no marks")
    return tuple(flow_run(flow, row, int(row["bytes"]), scenario) for flow, row in rows), (marks[0], marks[1])


def control_of(output: str) -> dict[str, int]:
    """Messages by kind; empty for protocols that our program does not count."""
    rows = [values(words[1:]) for words in NS3.lines(output) if words[0] == "control"]
    return {kind: int(count) for row in rows for kind, count in row.items()}


MARKS = 2
"""Lines of marks: one at the time of the description, one at the end."""


def mark(row: dict[str, str]) -> Mark:
    """A line of a mark."""
    return Mark(float(row["t"]), float(row["cpu"]), int(row["frames"]), int(row["events"]))
