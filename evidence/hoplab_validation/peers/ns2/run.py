"""Runs scripts for ns-2 over seeds and reads what they print."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hoplab.base.errors import EXIT_PEER_MISSING, HoplabError
from hoplab_validation.peers.ns2.routed import Routed, routed_of
from hoplab_validation.peers.resolved import Resolved
from hoplab_validation.peers.runs import FlowRun, Peer, PeerRun, flow_run, tail

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
class Run(PeerRun):
    """One run of ns-2.

    Attributes
    ----------
    drops : dict
        Packets dropped above the MAC, by ns-2's reason and type (``("CBK", "tcp")``); empty unless counted.
    routed : Routed
        What its routers have sent; empty unless followed.
    """

    drops: dict[tuple[str, str], int] = field(default_factory=dict)
    routed: Routed = field(default_factory=Routed)


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


def run_once(program: str, script: Path, seed: int, scenario: Resolved, limit_s: float | None = None) -> Run:
    """Run a script with a seed.

    Raises
    ------
    Ns2FailedError
    """
    theirs = irregular(seed)
    output, cpu_s = execute(program, script, theirs, limit_s=limit_s)
    drops = drops_of(script.with_name(f"drops.{theirs}.txt"))
    routed = routed_of(
        script.with_name(f"routed.{theirs}.txt"), scenario.warmup_s, tuple(flow.src for flow in scenario.flows)
    )
    return Run(seed, parse(output, scenario), cpu_s, drops, routed)


NS2 = Peer(
    name="ns",
    failed=Ns2FailedError,
    hung=Ns2HungError,
    folder="hoplab-ns2-",
    suffix=".tcl",
    find=find,
    run=run_once,
)
"""Scripts of `ns2_tcl` are what it reads."""


def irregular(seed: int) -> int:
    """A seed for ns-2 without a pattern: first draws of regularly spaced seeds are regularly spaced themselves.

    They are the starts of DSDV's nodes, which would then send in step, and the delays of AODV's first discovery: seeds
    1 to 10 draw 1.4 to 14 % of the longest, and what a discovery took decides how long later ones are waited for.
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
    command = [program, str(script), str(seed), str(results)]
    done = NS2.execute(command, script.parent, seed=seed, limit_s=limit_s)
    if re.search(r"\berror\b", done.output, re.IGNORECASE):
        raise Ns2FailedError(f"ns reported an error and continued: {tail(done.output)}")
    if not results.exists():
        raise Ns2FailedError(f"ns wrote no results: {tail(done.output)}")
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
    rows = NS2.rows(NS2.lines(output), scenario)
    return tuple(flow_run(flow, row, int(row["segments"]) * flow.segment, scenario) for flow, row in rows)
