"""Run the first study in ns-2.35 and store what it says: python/hoplab/demo/muzha_ns2.csv.

Needs `ns` (scripts/install-peers.sh) and about five minutes. The scripts for ns-2 are those of `hoplab crosscheck ns2`.
"""

import sys
from pathlib import Path

from hoplab.demo.chains import HOPS, SCENARIO, SEEDS, TRANSPORTS
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2.run import NS2
from hoplab_validation.peers.resolved import parse
from hoplab_validation.peers.storing import write

TABLE = Path(__file__).parents[2] / "python" / "hoplab" / "demo" / "muzha_ns2.csv"
HEADER = (
    "transport",
    "hops",
    "n",
    "goodput_kbps",
    "goodput_half_width",
    "retransmissions",
    "retransmissions_half_width",
)


def main() -> None:
    """Run every chain with every transport, then write the table."""
    base = Scenario.from_text(SCENARIO, path="muzha-chain.toml")
    rows = []
    for hops in HOPS:
        for transport in TRANSPORTS:
            scenario = base.with_({"topology.hops": hops, "flow.transport": transport})
            seeds = range(1, SEEDS + 1)
            runs = list(NS2.run_seeds(tcl_of(scenario), parse(scenario.resolve().data), seeds))
            goodput = mean_interval(run.flows[0].goodput_bps / 1e3 for run in runs)
            again = mean_interval(float(run.flows[0].retransmissions or 0) for run in runs)
            rows.append((transport, hops, len(runs), *_pair(goodput, 2), *_pair(again, 2)))
            print(*rows[-1], file=sys.stderr)
    write(TABLE, HEADER, rows)


def _pair(interval: Interval, digits: int) -> tuple[str, str]:
    assert interval.half_width is not None
    return f"{interval.mean:.{digits}f}", f"{interval.half_width:.{digits}f}"


if __name__ == "__main__":
    main()
