"""Run the scenarios of the validation's parts `gilbert` and `preamble` in ns-2.35: ns2_gilbert.csv, ns2_preamble.csv.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in a table already are not run again; remove
the table to begin anew.
"""

from hoplab.scenario.model import Scenario
from hoplab.validation.peers.compare import tcl_of
from hoplab.validation.peers.ns2.run import NS2, Run
from hoplab.validation.peers.storing import fill
from hoplab.validation.validate.checks.features import gilbert, stations

SEEDS = {gilbert.TABLE: range(1, 21), stations.TABLE: range(1, 11)}


def main() -> None:
    """Run what is missing."""
    tables = {
        gilbert.TABLE: {(name,): Scenario.from_text(text) for name, text in gilbert.SCENARIOS.items()},
        stations.TABLE: {(name,): scenario for name, scenario in stations.SCENARIOS.items()},
    }
    for table, scenarios in tables.items():
        fill(
            table,
            NS2,
            columns=("scenario", "seed", "goodput_kbps", "retransmissions", "timeouts"),
            scenarios=scenarios,
            seeds=SEEDS[table],
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
