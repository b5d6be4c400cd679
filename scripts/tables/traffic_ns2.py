"""Run the scenarios of the validation's parts `traffic` and `spacing` in ns-2.35: peers/data/ns2_traffic.csv and so on.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in a table already are not run again; remove
the table to begin anew.
"""

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2.run import NS2, Run
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks import spacing, traffic

SEEDS = range(1, 21)


def main() -> None:
    """Run what is missing."""
    for part in (traffic, spacing):
        fill(
            part.TABLE,
            NS2,
            columns=("scenario", "seed", "goodput_kbps"),
            scenarios={(name,): Scenario.from_text(text) for name, text in part.SCENARIOS.items()},
            seeds=SEEDS,
            text_of=tcl_of,
            values_of=_values,
        )


def _values(run: Run) -> tuple[str]:
    return (f"{sum(flow.goodput_bps for flow in run.flows) / 1e3:.3f}",)


if __name__ == "__main__":
    main()
