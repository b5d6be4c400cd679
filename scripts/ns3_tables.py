"""Run the scenarios of the validation's parts `ns3` in ns-3.37 and store them: peers/data/ns3_loss.csv, ns3_chain.csv.

Needs ns-3 (scripts/install-peers.sh) and some minutes. What stands in a table already is not run again; remove it to
begin anew.
"""

import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from hoplab.peers import ns3_run
from hoplab.peers.compare import LIMIT_S, text_of
from hoplab.peers.resolved import parse
from hoplab.scenario import Scenario
from hoplab.validate import ns3

FOLDER = Path(__file__).parents[1] / "python" / "hoplab" / "peers" / "data"
SEEDS = range(1, 6)


def main() -> None:
    """Both tables."""
    points = [(rate, distance) for rate in ns3.RATES_MBPS for distance in ns3.DISTANCES_M]
    rows = [((f"{rate:g}", f"{distance:g}"), ns3.interfered(rate, distance)) for rate, distance in points]
    fill(ns3.LOSS_TABLE, ("rate_mbps", "distance_m", "seed", "lost_pct"), rows, ns3.lost_pct)
    chains = [
        ((str(hops), transport), ns3.chain(hops, transport))
        for transport in ("new_reno", "udp")
        for hops in ns3.CHAIN_HOPS
    ]
    fill(ns3.CHAIN_TABLE, ("hops", "transport", "seed", "goodput_kbps"), chains, lambda bps: bps / 1e3)


def fill(
    table: str,
    header: Sequence[str],
    rows: Sequence[tuple[tuple[str, str], Scenario]],
    value_of: Callable[[float], float],
) -> None:
    """Run the rows that are missing, and write the table after each."""
    path = FOLDER / f"{table}.csv"
    done: dict[tuple[str, ...], list[str]] = {}
    if path.exists():
        with path.open(encoding="utf-8") as file:
            done = {tuple(row[:3]): row for row in list(csv.reader(file))[1:]}
    for key, scenario in rows:
        missing = [seed for seed in SEEDS if (*key, str(seed)) not in done]
        resolved = parse(scenario.resolve().data)
        for run in ns3_run.run_seeds(text_of(scenario), resolved, missing, limit_s=LIMIT_S) if missing else ():
            done[*key, str(run.seed)] = [*key, str(run.seed), f"{value_of(run.flows[0].goodput_bps):.3f}"]
        print(table, *key, file=sys.stderr)
        with path.open("w", newline="", encoding="utf-8") as file:
            kept = [done[*known, str(seed)] for known, _ in rows for seed in SEEDS if (*known, str(seed)) in done]
            csv.writer(file, lineterminator="\n").writerows([header, *kept])


if __name__ == "__main__":
    main()
