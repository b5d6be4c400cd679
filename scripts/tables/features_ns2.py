"""Run the validation's parts `gilbert`, `preamble` and `dsr` in ns-2.35: ns2_gilbert.csv and others.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in a table already are not run again; remove
the table to begin anew.
"""

from collections.abc import Callable

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2.run import NS2, Run
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks.features import dsr, gilbert, stations

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
    fill(
        dsr.TABLE,
        NS2,
        columns=dsr.COLUMNS,
        scenarios={(name,): case.scenario for name, case in dsr.CASES.items()},
        seeds=range(1, 11),
        text_of=_followed,
        values_of=_of_dsr,
    )


def _followed(scenario: Scenario) -> Callable[[int], str]:
    return lambda seed: tcl_of(scenario, seed, trace="routes")


def _of_dsr(run: Run) -> tuple[str, ...]:
    goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
    seen = dsr.seen_of(run.routed.messages, run.routed.hops, run.routed.sources)
    counts = (str(seen.messages[kind]) for kind in (*dsr.KINDS, "bytes"))
    return f"{goodput:.3f}", f"{seen.hops:.4f}", f"{seen.gap_s:.4f}", *counts, seen.lengths


def _values(run: Run) -> tuple[str, ...]:
    goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
    again = sum(flow.retransmissions or 0 for flow in run.flows)
    late = sum(flow.timeouts or 0 for flow in run.flows)
    return f"{goodput:.3f}", str(again), str(late)


if __name__ == "__main__":
    main()
