"""Write the page on the share of the possible: all transports on grounds of the five studies.

    python scripts/pages/possible.py          # run, then write docs/judge/possible.md
    python scripts/pages/possible.py --grounds chain --transports new_reno,vegas --seeds 2 --out possible.md

Sections of grounds that are not named stay as they are in an existing page. A transport that cannot run on a ground is
named with the reason.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoplab.base.engine import own_transports
from hoplab.base.errors import HoplabError
from hoplab.base.transports import transport_title
from hoplab.bounding import Limits, RunShare, Shares, limits, mean_shares
from hoplab.bounding.inputs import networks
from hoplab.running.execution import Order, run_orders
from hoplab.running.runs import Runs
from hoplab.scenario.controllers import overrides_of
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval
from hoplab_studies.catalog import study_of

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/judge/possible.md")
SEEDS = 10
DURATION, WARMUP = "50 s", "20 s"
"""Flows of a ground start within the warm-up, so that all are measured over the same time."""
SATURATED: dict[str, object] = {"flow.transport": "udp", "flow.app": "cbr", "flow.rate": "11 Mb/s"}
"""Datagrams at more than any network here carries."""


@dataclass(frozen=True)
class Ground:
    """A network of a study.

    Attributes
    ----------
    part : str
        Part of the study whose scenario it is.
    about : str
        What the page says of it.
    changes : mapping
        Keys set on it.
    """

    title: str
    study: str
    part: str
    about: str
    changes: dict[str, object] = field(default_factory=dict)


GROUNDS = {
    "chain": Ground(
        "Muzha", "muzha", "chain", "chain of 8 hops of 250 m, one flow, static routes", {"topology.hops": 8}
    ),
    "spindle": Ground(
        "Semi-TCP",
        "semi-tcp",
        "shared",
        "spindle of 7 hops with 3 shared ones, two flows, AODV",
        {"topology.shared": 3},
    ),
    "cross": Ground(
        "Split TCP",
        "split-tcp",
        "cross",
        "cross of 6 hops, two flows, static routes",
        {"topology.hops": 6, "flow.0.max_packets": 100_000_000},
    ),
    "variants": Ground(
        "Variants", "variants", "controllers", "chain of 4 hops of 200 m, one flow, ns-2's Linux TCP, static routes"
    ),
    "dumbbell": Ground(
        "rt-Winf",
        "winf",
        "utility",
        "dumbbell of 3 hops of 200 m, 4 flows, 11 Mb/s, DSDV",
        {"duration": "110 s", "warmup": "70 s"},
    ),
}


@dataclass(frozen=True)
class Cell:
    """A transport on a ground: its runs and their shares."""

    goodput: Interval | None
    shares: Shares


def scenario(ground: Ground, transport: str) -> Scenario:
    """The network of a ground with all flows of one transport.

    Raises
    ------
    ScenarioError
        If the transport cannot run there.
    """
    part = next(one for one in study_of(ground.study, quick=False).parts if one.name == ground.part)
    given = part.scenario.with_({"duration": DURATION, "warmup": WARMUP, **ground.changes})
    if transport == "udp":
        return given.with_(SATURATED)
    return given.with_(overrides_of(transport, given))


class Bounds:
    """Bounds of networks; transports whose packets are alike share them."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], Limits] = {}

    def of(self, given: Scenario, seed: int) -> Limits:
        """The bound of one run."""
        network = networks(given, seed)[0]
        flows = [
            (f.src, f.dst, f.payload_bytes, f.data_bytes, f.ack_bytes, f.acks, f.rate_bps, f.window)
            for f in network.flows
        ]
        stations = [(s.wait_s, s.difs_s, s.waits) for s in network.stations]
        places = network.power_w.tobytes(), repr(given.resolve().data.get("mobility"))
        key = (*places, repr(flows), repr(stations), seed if "mobility" in given.resolve().data else 0)
        if key not in self._found:
            self._found[key] = limits(given, seed=seed)
        return self._found[key]


def cell(given: Scenario, runs: Runs, bounds: Bounds) -> Cell:
    """Goodput and shares of some runs."""
    found = []
    for run in runs:
        limit = bounds.of(given, run.seed)
        found.append(RunShare(limit.share(run), limit.fair_share(run), limit.strict))
    return Cell(runs.interval("goodput_bps"), mean_shares(found))


def shown(interval: Interval | None, scale: float) -> str:
    """A mean with its half-width."""
    if interval is None:
        return "-"
    scaled = interval.scaled(scale)
    return f"{scaled.mean:.0f}" if scaled.half_width is None else f"{scaled.mean:.0f} ± {scaled.half_width:.0f}"


HEAD = """# Share of the possible

Written by `python scripts/pages/possible.py`; nothing is copied by hand.

Each network is one of a [study](studies/index.md), with every transport on all of its flows: {duration} with a warm-up
of {warmup} (rt-Winf, whose flows start at 60 s: 110 s and 70 s), means with 95 % intervals (Student) over the seeds.
The large random networks of the studies are left out: their bounds take minutes of CPU time per seed. The
[share of the possible](../use/bounds.md#share-of-the-possible) is how far along its own direction a run got: 100 % is
the bound of DCF without collisions. The worst flow is set against the max-min fair rate: a transport that starves flows
can have a high share. UDP sends more than the network carries. The bound of a transport counts its acknowledgments as
[this page](../use/bounds.md#what-counts) says: without them it is higher, as for Semi-TCP, Split TCP and the complete
TCPs.
"""
COLUMNS = ("transport", "goodput, all flows (kb/s)", "of possible (%)", "worst flow of fair (%)")


def section(ground: Ground, cells: dict[str, Cell], refused: dict[str, str], cost: str) -> str:
    """The table of a ground, the largest share first."""
    strict = all(one.shares.strict for one in cells.values())
    lines = [f"## {ground.title}: {ground.about}", ""]
    if not strict:
        lines += ["Nodes move, or received power has a random part: this bound is not strict.", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "| --- |" + " ---: |" * (len(COLUMNS) - 1)]
    for name, one in sorted(cells.items(), key=lambda pair: -pair[1].shares.possible.mean):
        row = (transport_title(name), shown(one.goodput, 1e-3), *(shown(s, 100.0) for s in one.shares.both))
        lines.append("| " + " | ".join(row) + " |")
    if refused:
        lines += ["", "Not run:", "", *(f"- `{name}`: {reason}." for name, reason in refused.items())]
    return "\n".join([*lines, "", cost])


def sections_of(page: Path) -> dict[str, str]:
    """Sections of an existing page by their title."""
    if not page.exists():
        return {}
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split(":", 1)[0]: f"## {part.rstrip()}" for part in parts}


def main() -> None:
    """Run what is valid, write the page."""
    names = own_transports()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--grounds", default=",".join(GROUNDS), help="names, with commas")
    parser.add_argument("--transports", default=",".join(names), help="names, with commas")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, default=ROOT / PAGE)
    asked = parser.parse_args()
    seeds: Sequence[int] = tuple(range(1, asked.seeds + 1))
    sections = sections_of(asked.out)
    for ground in (GROUNDS[name] for name in asked.grounds.split(",")):
        begin = time.process_time()
        valid, refused = {}, {}
        for name in asked.transports.split(","):
            try:
                valid[name] = scenario(ground, name)
                valid[name].resolve()
            except HoplabError as error:
                valid.pop(name, None)
                refused[name] = str(error).splitlines()[0].split(": ", 1)[-1]
        orders = [Order(one, tuple(seeds)) for one in valid.values()]
        results = run_orders(orders, threads=asked.threads, label=ground.title)
        bounds = Bounds()
        cells = {name: cell(valid[name], runs, bounds) for name, runs in zip(valid, results, strict=True)}
        cost = f"{len(seeds)} seeds; runs and bounds took {time.process_time() - begin:.0f} s of CPU time."
        sections[ground.title] = section(ground, cells, refused, cost)
        head = HEAD.format(duration=DURATION, warmup=WARMUP)
        ordered = [sections[one.title] for one in GROUNDS.values() if one.title in sections]
        asked.out.write_text("\n\n".join([head.rstrip(), *ordered]) + "\n", encoding="utf-8")
    print(asked.out)


if __name__ == "__main__":
    main()
