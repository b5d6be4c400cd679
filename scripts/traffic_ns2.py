"""Run the scenarios of the validation's part `traffic` in ns-2.35 and store their goodput: peers/data/ns2_traffic.csv.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in the table already are not run again; remove
the table to begin anew.
"""

import csv
import sys
from pathlib import Path

from hoplab.peers import ns2_run
from hoplab.peers.compare import LIMIT_S, tcl_of
from hoplab.peers.resolved import parse
from hoplab.scenario import Scenario
from hoplab.validate.traffic import SCENARIOS, TABLE

PATH = Path(__file__).parents[1] / "python" / "hoplab" / "peers" / "data" / f"{TABLE}.csv"
SEEDS = range(1, 21)
HEADER = ("scenario", "seed", "goodput_kbps")


def main() -> None:
    """Run what is missing, and write the table after each scenario."""
    done: dict[tuple[str, int], list[str]] = {}
    if PATH.exists():
        with PATH.open(encoding="utf-8") as file:
            done = {(row[0], int(row[1])): row for row in list(csv.reader(file))[1:]}
    for name, text in SCENARIOS.items():
        scenario = Scenario.from_text(text)
        missing = [seed for seed in SEEDS if (name, seed) not in done]
        if not missing:
            continue
        resolved = parse(scenario.resolve().data)
        runs = ns2_run.run_seeds(tcl_of(scenario), resolved, missing, limit_s=LIMIT_S)
        for run in runs:
            goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
            done[name, run.seed] = [name, str(run.seed), f"{goodput:.3f}"]
        print(name, len(missing), "runs", file=sys.stderr)
        order = list(SCENARIOS)
        rows = [done[key] for key in sorted(done, key=lambda key: (order.index(key[0]), key[1]))]
        with PATH.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])


if __name__ == "__main__":
    main()
