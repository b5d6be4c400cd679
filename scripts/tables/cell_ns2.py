"""Run the saturated cells of the validation in ns-2.35 and store what they carry per seed: peers/data/ns2_cell.csv.

Needs `ns` (scripts/install-peers.sh) and some minutes. Seeds that stand in the table already are not run again; remove
the table to begin anew.
"""

import math

from hoplab.stats import jain
from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2.run import NS2, Run
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks.cell import CELLS, TABLE_COLUMNS, TABLE_NAME, TABLE_SEEDS, table_cell


def main() -> None:
    """Run what is missing."""
    fill(
        TABLE_NAME,
        NS2,
        columns=TABLE_COLUMNS,
        scenarios={key: table_cell(key) for key in CELLS},
        seeds=TABLE_SEEDS,
        text_of=tcl_of,
        values_of=_values,
    )


def _values(run: Run) -> tuple[str, str]:
    carried = [flow.goodput_bps / 1e3 for flow in run.flows]
    return f"{math.fsum(carried):.3f}", f"{jain(carried):.4f}"


if __name__ == "__main__":
    main()
