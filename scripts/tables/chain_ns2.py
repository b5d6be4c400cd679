"""Run the chains of the validation in ns-2.35 and store what it measures per seed: peers/data/ns2_chain_*.csv.

Needs `ns` (scripts/install-peers.sh) and some twenty minutes. Seeds that stand in a table already are not run again;
remove the table to begin anew.
"""

from hoplab_validation.peers.compare import tcl_of
from hoplab_validation.peers.ns2.run import NS2
from hoplab_validation.peers.storing import fill
from hoplab_validation.validate.checks.chain_tables import MEASURED, values_of
from hoplab_validation.validate.parts import CHAIN_TABLES


def main() -> None:
    """Run what is missing."""
    for table in CHAIN_TABLES:
        fill(
            table.name,
            NS2,
            columns=(*table.columns, "seed", *MEASURED),
            scenarios={key: chain() for key, chain in table.chains.items()},
            seeds=range(1, table.seeds + 1),
            text_of=tcl_of,
            values_of=values_of,
        )


if __name__ == "__main__":
    main()
