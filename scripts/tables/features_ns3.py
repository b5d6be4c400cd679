"""Run `aodv-rfc`, `aodv-hello`, `olsr`, `hwmp` and `ns3-controls` in ns-3.37: ns3_NAME.csv.

Needs ns-3 (scripts/install-peers.sh) and some ten minutes. What stands in a table already is not run again; remove it
to begin anew. With names of tables as arguments, only these.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial

from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import text_of
from hoplab_validation.peers.ns3.run import NS3, Run
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks.features import aodv, controls, hwmp, olsr

SEEDS = range(1, 11)


def main() -> None:
    """The named tables; all by default."""
    names = sys.argv[1:] or [controls.TABLE, aodv.TABLE, olsr.TABLE, hwmp.TABLE]
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
    if olsr.TABLE in names:
        fill(
            olsr.TABLE,
            NS3,
            columns=olsr.COLUMNS,
            scenarios={(name,): case.scenario for name, case in olsr.CASES.items()},
            seeds=SEEDS,
            text_of=partial(_description, samples_s=olsr.SAMPLES_S),
            values_of=_of_olsr,
        )
    if hwmp.TABLE in names:
        fill(
            hwmp.TABLE,
            NS3,
            columns=hwmp.COLUMNS,
            scenarios={(name,): case.scenario for name, case in hwmp.CASES.items()},
            seeds=SEEDS,
            text_of=partial(_description, samples_s=hwmp.SAMPLES_S),
            values_of=_of_hwmp,
        )


def _description(scenario: Scenario, samples_s: Sequence[float] = ()) -> str | Callable[[int], str]:
    """One for all seeds unless places are drawn."""
    if scenario.resolve().data["topology"].get("drawn"):
        return lambda seed: text_of(scenario, seed, samples_s=samples_s)
    return text_of(scenario, samples_s=samples_s)


def _of_tcp(run: Run) -> tuple[str, ...]:
    flow = run.flows[0]
    return f"{flow.goodput_bps / 1e3:.3f}", str(flow.retransmissions), str(flow.timeouts)


def _of_datagrams(run: Run) -> tuple[str, str]:
    goodput = sum(flow.goodput_bps for flow in run.flows) / 1e3
    delays = [flow.delay_s for flow in run.flows if flow.delay_s is not None]
    return f"{goodput:.3f}", f"{1e3 * sum(delays) / len(delays):.4f}" if delays else ""


def _of_aodv(run: Run) -> tuple[str, ...]:
    return *_of_datagrams(run), *(str(run.control[kind]) for kind in aodv.KINDS)


def _of_olsr(run: Run) -> tuple[str, ...]:
    return _of_tables(run, olsr.COUNTS)


def _of_hwmp(run: Run) -> tuple[str, ...]:
    return _of_tables(run, hwmp.KINDS)


def _of_tables(run: Run, kinds: Sequence[str]) -> tuple[str, ...]:
    gap = max(flow.gap_s or 0.0 for flow in run.flows)
    counts = (str(run.control[kind]) for kind in (*kinds, "bytes"))
    return *_of_datagrams(run), f"{gap:.4f}", *counts, "/".join(run.routes)


if __name__ == "__main__":
    main()
