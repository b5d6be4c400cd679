"""Run the moving networks of the validation in ns-2.35 and store what it says per seed: peers/data/ns2_moving.csv.

Needs `ns` (scripts/install-peers.sh) and some ten minutes. Seeds that stand in the table already are not run again;
remove the table to begin anew.
"""

from collections.abc import Callable

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2.run import NS2, Run
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks.moving import REASONS, SCENARIOS, TABLE, column_of

SEEDS = range(1, 21)


def main() -> None:
    """Run what is missing."""
    fill(
        TABLE,
        NS2,
        columns=("scenario", "seed", "goodput_kbps", "retransmissions", "timeouts", *map(column_of, REASONS)),
        scenarios={(name,): Scenario.from_text(text) for name, text in SCENARIOS.items()},
        seeds=SEEDS,
        text_of=_script,
        values_of=_values,
    )


def _script(scenario: Scenario) -> Callable[[int], str]:
    return lambda seed: tcl_of(scenario, seed, count_drops=True)


def _values(run: Run) -> list[str]:
    goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
    again = sum(flow.retransmissions or 0 for flow in run.flows)
    late = sum(flow.timeouts or 0 for flow in run.flows)
    drops = [
        sum(count for (reason, _), count in run.drops.items() if reason in theirs) for theirs, _ in REASONS.values()
    ]
    return [f"{goodput:.3f}", *map(str, (again, late, *drops))]


if __name__ == "__main__":
    main()
