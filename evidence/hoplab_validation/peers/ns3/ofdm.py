"""Runs our second program for ns-3.37, `data/ns3_ofdm.cc`: datagrams over 802.11a and 802.11n."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hoplab_validation.peers.ns3 import run
from hoplab_validation.peers.runs import values

SOURCE = "data/ns3_ofdm.cc"
LIMIT_S = 300.0
"""Limit of wall time of a run, s."""


@dataclass(frozen=True)
class Measured:
    """One run.

    Attributes
    ----------
    frame_us : float
        CPU time per PPDU between the mark and the end, us.
    goodput_bps : float
        Payload of all flows behind the warm-up, bit/s.
    """

    frame_us: float
    goodput_bps: float


def find() -> Path:
    """The program; built first where it is not in the cache.

    Raises
    ------
    Ns3MissingError, Ns3FailedError
    """
    return run.find(SOURCE)


def execute(program: Path, settings: Mapping[str, str], seed: int, span: tuple[float, float]) -> Measured:
    """Run a network once.

    Parameters
    ----------
    settings : mapping
        Keys of the program, with `warm`, the start of goodput in s.
    span : (float, float)
        Time of the mark and of the end, s.

    Raises
    ------
    Ns3FailedError
    """
    mark_s, end_s = span
    words = [f"{key}={value}" for key, value in {**settings, "mark": f"{mark_s:g}", "end": f"{end_s:g}"}.items()]
    with tempfile.TemporaryDirectory(prefix="hoplab-ns3-") as folder:
        done = run.NS3.execute([str(program), str(seed), *words], Path(folder), seed=seed, limit_s=LIMIT_S)
    lines = run.NS3.lines(done.output)
    first, last = (run.mark(values(words[1:])) for words in lines if words[0] == "mark")
    arrived = sum(int(values(words)["bytes"]) for words in lines if words[0].startswith("flow="))
    return Measured(
        frame_us=1e6 * (last.cpu_s - first.cpu_s) / (last.frames - first.frames),
        goodput_bps=8.0 * arrived / (end_s - float(settings["warm"])),
    )
