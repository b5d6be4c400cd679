"""Run the scenarios of the validation's part `traffic` in ns-2.35 and store their goodput: peers/data/ns2_traffic.csv.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in the table already are not run again; remove
the table to begin anew.
"""

from hoplab.peers.compare import tcl_of
from hoplab.peers.ns2_run import NS2, Run
from hoplab.peers.storing import fill
from hoplab.scenario import Scenario
from hoplab.validate.traffic import SCENARIOS, TABLE

SEEDS = range(1, 21)


def main() -> None:
    """Run what is missing."""
    fill(
        TABLE,
        NS2,
        columns=("scenario", "seed", "goodput_kbps"),
        scenarios={(name,): Scenario.from_text(text) for name, text in SCENARIOS.items()},
        seeds=SEEDS,
        text_of=tcl_of,
        values_of=_values,
    )


def _values(run: Run) -> tuple[str]:
    return (f"{sum(flow.goodput_bps for flow in run.flows) / 1e3:.3f}",)


if __name__ == "__main__":
    main()
