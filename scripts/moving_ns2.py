"""Run the moving networks of the validation in ns-2.35 and store what it says per seed: peers/data/ns2_moving.csv.

Needs `ns` (scripts/install-peers.sh) and some ten minutes. Seeds that stand in the table already are not run again;
remove the table to begin anew.
"""

import csv
import sys
from collections.abc import Callable
from pathlib import Path

from hoplab.peers import ns2_run
from hoplab.peers.compare import LIMIT_S, tcl_of
from hoplab.peers.resolved import parse
from hoplab.scenario import Scenario
from hoplab.validate.moving import REASONS, SCENARIOS, TABLE, column_of

PATH = Path(__file__).parents[1] / "python" / "hoplab" / "peers" / "data" / f"{TABLE}.csv"
SEEDS = range(1, 21)
AT_A_TIME = 2
HEADER = ("scenario", "seed", "goodput_kbps", "retransmissions", "timeouts", *map(column_of, REASONS))


def main() -> None:
    """Run what is missing, a few seeds at a time, and write the table after each."""
    done = {}
    if PATH.exists():
        with PATH.open(encoding="utf-8") as file:
            done = {(row[0], int(row[1])): row for row in list(csv.reader(file))[1:]}
    for name, text in SCENARIOS.items():
        scenario = Scenario.from_text(text)
        resolved = parse(scenario.resolve().data)
        missing = [seed for seed in SEEDS if (name, seed) not in done]
        for first in range(0, len(missing), AT_A_TIME):
            seeds = missing[first : first + AT_A_TIME]
            runs = ns2_run.run_seeds(_script(scenario), resolved, seeds, processes=AT_A_TIME, limit_s=LIMIT_S)
            for run in runs:
                drops = [
                    sum(count for (reason, _), count in run.drops.items() if reason in theirs)
                    for theirs, _ in REASONS.values()
                ]
                goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
                again = sum(flow.retransmissions or 0 for flow in run.flows)
                late = sum(flow.timeouts or 0 for flow in run.flows)
                done[name, run.seed] = [name, str(run.seed), f"{goodput:.3f}", str(again), str(late), *map(str, drops)]
                print(*done[name, run.seed], file=sys.stderr)
            _write(done)


def _script(scenario: Scenario) -> Callable[[int], str]:
    return lambda seed: tcl_of(scenario, seed, count_drops=True)


def _write(done: dict[tuple[str, int], list[str]]) -> None:
    order = list(SCENARIOS)
    rows = [done[key] for key in sorted(done, key=lambda key: (order.index(key[0]), key[1]))]
    with PATH.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])


if __name__ == "__main__":
    main()
