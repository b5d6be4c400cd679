"""Run the scenarios of the validation's parts `gilbert` and so on in ns-2.35: peers/data/ns2_gilbert.csv and others.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in a table already are not run again; remove
the table to begin anew.
"""

from hoplab.scenario.model import Scenario
from hoplab.validation.peers.compare import tcl_of
from hoplab.validation.peers.ns2.run import NS2, Run
from hoplab.validation.peers.storing import fill
from hoplab.validation.validate.checks.features import gilbert

SEEDS = range(1, 21)


def main() -> None:
    """Run what is missing."""
    for part in (gilbert,):
        fill(
            part.TABLE,
            NS2,
            columns=("scenario", "seed", "goodput_kbps", "retransmissions", "timeouts"),
            scenarios={(name,): Scenario.from_text(text) for name, text in part.SCENARIOS.items()},
            seeds=SEEDS,
            text_of=tcl_of,
            values_of=_values,
        )


def _values(run: Run) -> tuple[str, ...]:
    goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
    again = sum(flow.retransmissions or 0 for flow in run.flows)
    late = sum(flow.timeouts or 0 for flow in run.flows)
    return f"{goodput:.3f}", str(again), str(late)


if __name__ == "__main__":
    main()
