"""Run the parts `aodv-rfc`, `aodv-hello` and `ns3-controls` in ns-3.37: ns3_aodv.csv, ns3_controls.csv.

Needs ns-3 (scripts/install-peers.sh) and some ten minutes. What stands in a table already is not run again; remove it
to begin anew. With names of tables as arguments, only these.
"""

import sys
from collections.abc import Callable

from hoplab.scenario.model import Scenario
from hoplab.validation.peers.compare import text_of
from hoplab.validation.peers.ns3.run import NS3, Run
from hoplab.validation.peers.storing import fill
from hoplab.validation.validate.checks.features import aodv, controls

SEEDS = range(1, 11)


def main() -> None:
    """The named tables; both by default."""
    names = sys.argv[1:] or [controls.TABLE, aodv.TABLE]
    if controls.TABLE in names:
        fill(
            controls.TABLE,
            NS3,
            columns=controls.COLUMNS,
            scenarios={(transport, str(hops)): controls.chain(transport, hops) for transport, hops in controls.POINTS},
            seeds=SEEDS,
            text_of=text_of,
            values_of=_of_tcp,
        )
    if aodv.TABLE in names:
        fill(
            aodv.TABLE,
            NS3,
            columns=aodv.COLUMNS,
            scenarios={(name,): case.scenario for name, case in aodv.CASES.items()},
            seeds=SEEDS,
            text_of=_description,
            values_of=_of_aodv,
        )


def _description(scenario: Scenario) -> str | Callable[[int], str]:
    """One for all seeds unless places are drawn."""
    if scenario.resolve().data["topology"].get("drawn"):
        return lambda seed: text_of(scenario, seed)
    return text_of(scenario)


def _of_tcp(run: Run) -> tuple[str, ...]:
    flow = run.flows[0]
    return f"{flow.goodput_bps / 1e3:.3f}", str(flow.retransmissions), str(flow.timeouts)


def _of_aodv(run: Run) -> tuple[str, ...]:
    goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
    delays = [flow.delay_s for flow in run.flows if flow.delay_s is not None]
    delay = f"{1e3 * sum(delays) / len(delays):.4f}" if delays else ""
    return f"{goodput:.3f}", delay, *(str(run.control[kind]) for kind in aodv.KINDS)


if __name__ == "__main__":
    main()
