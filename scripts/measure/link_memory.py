"""Memory of a network by listed links against the same network by positions: prints both peaks and their ratio.

    python scripts/measure/link_memory.py                # 1,000 nodes
    python scripts/measure/link_memory.py --nodes 300

Each run is a process of its own (`hoplab_validation.bench.worker`). The script fails unless both have one fingerprint.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from hoplab.scenario.links import as_links
from hoplab.scenario.model import Scenario
from hoplab_validation.bench.process import run_worker

SCENARIO = """
name = "link memory"
duration = "2 s"
[topology]
kind = "random"
nodes = {nodes}
area = ["{side:.0f} m", "{side:.0f} m"]
[routing]
protocol = "aodv"
[[flow]]
from = 0
to = 1
"""
NODES = 1000
AREA_PER_NODE_M2 = 16_000.0
"""Some 58 receivers in the sensing range of 550 m of each node."""
MOST = 2.0
"""Ratio that the network by links must not exceed."""


def main() -> int:
    """Run both, print, and compare with the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=NODES)
    asked = parser.parse_args()
    side = (asked.nodes * AREA_PER_NODE_M2) ** 0.5
    placed = Scenario.from_text(SCENARIO.format(nodes=asked.nodes, side=side), path="placed.toml")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        toml, rows = as_links(placed, file="links.csv")
        (work / "links.csv").write_text(rows, encoding="utf-8")
        listed = Scenario.from_text(toml, path=str(work / "listed.toml"))
        runs = [run_worker(one, 1, work)[1] for one in (placed, listed)]
    links = rows.count("\n") - 1
    peaks = [run["peak_bytes"] for run in runs]
    ratio = peaks[1] / peaks[0]
    by = [f"{peak / 2**20:.1f} MiB" for peak in peaks]
    print(f"{asked.nodes} nodes, {links} links: {by[0]} by positions, {by[1]} by links")
    print(f"ratio {ratio:.2f}, expected at most {MOST:g}")
    if runs[0]["fingerprint"] != runs[1]["fingerprint"]:
        print("the fingerprints differ")
        return 1
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
