"""CPU time of a frame of 802.11a and 802.11n beside ns-3.37: both run the same network in turn, several times.

`data/ns3_ofdm.cc` is ns-3's side, with ns-3's own MAC and PHY of these standards. Frames are PPDUs, an A-MPDU counts
once; each side is charged for those that it sent itself, start-up excluded: between a mark and the end of one run of
ns-3, and between a short and a long run of hoplab.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoplab_validation.bench.cases.suite import Case, Span
from hoplab_validation.bench.process import frames, run_worker
from hoplab_validation.bench.spread import Spread
from hoplab_validation.peers.ns3 import ofdm

GOAL = 50.0
"""Times less than a frame of ns-3 that is aimed at."""

RADIO = {
    "propagation": "shadowing",
    "shadowing_deviation_db": 0.0,
    "path_loss_exponent": 3.0,
    "reference_distance": "1 m",
    "frequency": "5.15 GHz",
    "tx_power": "40 mW",
}
"""Log-distance loss as in `data/ns3_ofdm.cc`."""

MAC = {"basic_rate": "24 Mb/s", "rts_threshold": 4_692_480}
CELL = 20


@dataclass(frozen=True)
class WifiCase(Case):
    """One network.

    Attributes
    ----------
    words : dict
        Settings of `data/ns3_ofdm.cc` for the same network.
    ours, theirs : Span
        Durations, s; ours are longer, so that both sides take long enough to be timed.
    repeats : int
        How often both sides are run, in turn; repeat k uses seed k.
    """

    words: Mapping[str, str]
    ours: Span
    theirs: Span
    repeats: int


@dataclass(frozen=True)
class Turn:
    """One repeat: CPU time per frame in us, and goodput of all flows in b/s, of both sides."""

    ours_us: float
    theirs_us: float
    ours_bps: float
    theirs_bps: float

    @property
    def ratio(self) -> float:
        """How many times less a frame costs in hoplab."""
        return self.theirs_us / self.ours_us


@dataclass(frozen=True)
class Compared:
    """All repeats of a case."""

    case: WifiCase
    turns: tuple[Turn, ...]

    def spread(self, of: Callable[[Turn], float]) -> Spread:
        """A quantity over the repeats."""
        return Spread.of(map(of, self.turns))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "name": self.case.name,
            "goal": GOAL,
            "ratio": self.spread(lambda turn: turn.ratio),
            "turns": [vars(turn) for turn in self.turns],
        }


def cases(*, quick: bool = False) -> list[WifiCase]:
    """All cases; the quick ones are good for a smoke test only."""
    scale, repeats = (0.1, 2) if quick else (1.0, 5)

    def spans(ours_s: float, theirs_s: float) -> dict[str, Any]:
        ours = Span(1.0, 1.0 + scale * ours_s)
        return {"ours": ours, "theirs": Span(1.0, 1.0 + scale * theirs_s), "repeats": repeats}

    chain = {"kind": "chain", "hops": 4, "spacing": "25 m"}
    link = {"kind": "chain", "hops": 1, "spacing": "10 m"}
    angles = (2.0 * math.pi * k / CELL for k in range(CELL))
    ring = [[0.0, 0.0], *([5.0 * math.cos(a), 5.0 * math.sin(a)] for a in angles)]
    slow = {"data_rate": "24 Mb/s"}
    return [
        WifiCase(
            "802.11a, chain of 4 hops, 24 Mb/s",
            _tables(chain, "11a", slow, [("first", "last", 24.0)]),
            {"layout": "chain", "size": "4", "distance": "25", "rate": "24"},
            **spans(60.0, 10.0),
        ),
        WifiCase(
            f"802.11a, cell of {CELL} stations, 24 Mb/s",
            _tables({"kind": "positions", "positions": ring}, "11a", slow, [(k + 1, 0, 2.25) for k in range(CELL)]),
            {"layout": "cell", "size": str(CELL), "distance": "5", "rate": "2.25"},
            **spans(60.0, 5.0),
        ),
        WifiCase(
            "802.11n, link with A-MPDUs, MCS 7",
            _tables(link, "11n", {"mcs": 7}, [("first", "last", 75.0)]),
            {"standard": "11n", "mode": "HtMcs7", "distance": "10", "rate": "75", "queue": "500"},
            **spans(60.0, 10.0),
        ),
    ]


def _tables(
    topology: dict[str, Any], standard: str, mac: dict[str, Any], flows: list[tuple[Any, Any, float]]
) -> dict[str, Any]:
    common = {"transport": "udp", "app": "cbr", "segment": 1472}
    return {
        "name": f"bench wifi {standard}",
        "profile": "std",
        "topology": topology,
        "radio": {**RADIO, "standard": standard},
        "mac": {**MAC, **mac},
        "link": {"arp": False, "delay": "0 s"},
        "queue": {"limit": 500 if standard == "11n" else 50},
        "routing": {"protocol": "static", "link_failure_feedback": False},
        "flow": [{"from": a, "to": b, "rate": f"{rate} Mb/s", **common} for a, b, rate in flows],
    }


def measure(case: WifiCase, program: Path, on_done: Callable[[], None]) -> Compared:
    """Run both sides in turn.

    Parameters
    ----------
    program : Path
        ns-3's side (`peers.ns3.ofdm.find`).

    Raises
    ------
    Ns3FailedError, WorkerFailedError
    """
    turns = []
    with tempfile.TemporaryDirectory(prefix="hoplab-bench-") as name:
        folder = Path(name)
        for seed in range(1, case.repeats + 1):
            turns.append(_turn(case, program, seed, folder))
            on_done()
    return Compared(case, tuple(turns))


def _turn(case: WifiCase, program: Path, seed: int, folder: Path) -> Turn:
    theirs = ofdm.execute(
        program, {**case.words, "warm": str(case.theirs.short_s)}, seed, (case.theirs.short_s, case.theirs.long_s)
    )
    short_s, short = run_worker(case.scenario(case.ours.short_s), seed, folder)
    long_s, long = run_worker(case.scenario(case.ours.long_s), seed, folder)
    return Turn(
        ours_us=1e6 * (long_s - short_s) / (frames(long) - frames(short)),
        theirs_us=theirs.frame_us,
        ours_bps=math.fsum(flow["goodput_bps"] for flow in long["flows"]),
        theirs_bps=theirs.goodput_bps,
    )


def table(results: list[Compared]) -> list[str]:
    """The section of the page."""
    lines = [
        "CPU time per PPDU (an A-MPDU counts once), each side's own, start-up excluded; both run the same network in",
        "turn. Each ratio is that of one turn: minimum, **median** and maximum over the repeats. Goodputs are medians.",
        "",
        "| scenario | repeats | hoplab, us per frame | ns-3, us per frame | times faster | aim | Mb/s, hoplab | ns-3 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in results:
        low, middle, high = one.spread(lambda turn: turn.ratio)
        cells = (
            one.case.name,
            str(len(one.turns)),
            f"{one.spread(lambda turn: turn.ours_us).middle:.3f}",
            f"{one.spread(lambda turn: turn.theirs_us).middle:.1f}",
            f"{low:.1f}, **{middle:.1f}**, {high:.1f}",
            f"{GOAL:g}x: {'reached' if middle >= GOAL else 'missed'}",
            f"{1e-6 * one.spread(lambda turn: turn.ours_bps).middle:.2f}",
            f"{1e-6 * one.spread(lambda turn: turn.theirs_bps).middle:.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines
