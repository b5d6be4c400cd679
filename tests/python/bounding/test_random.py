"""Random networks and transports: no run is above its bound. A run above it is a fault of one of the two.

`HOPLAB_BOUND_CASES=2000` examines as many networks as that; the default is a sample for every change.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import hoplab
from hoplab.bounding import bound

CASES = int(os.environ.get("HOPLAB_BOUND_CASES", "24"))
TRANSPORTS = (
    "udp", "tahoe", "reno", "new_reno", "sack", "vegas", "veno", "westwood", "cubic", "semi_tcp", "tcp_ap", "rcp",
    "split_tcp", "muzha",
)  # fmt: skip


def random_scenario(seed: int) -> hoplab.Scenario:
    """A connected network of one of six families, one to five flows of one transport, rates and RTS at random."""
    rng = np.random.default_rng(seed)
    while (scenario := drawn(rng, seed)).resolve().facts.partitions != 1:
        pass
    return scenario


def drawn(rng: np.random.Generator, seed: int) -> hoplab.Scenario:
    """A network, connected or not."""
    spacing = float(rng.choice([150.0, 200.0, 240.0]))
    family = int(rng.integers(6))
    size = int(rng.integers(2, 6))
    keys = {
        0: f'kind = "chain"\nhops = {size}\n',
        1: f'kind = "cross"\nhops = {2 * (size // 2)}\n',
        2: f'kind = "parallel"\nhops = {size}\nrow_spacing = "{int(rng.integers(200, 600))} m"\n',
        3: 'kind = "grid"\ncolumns = 3\n',
        4: f'kind = "spindle"\nhops = {size + 1}\n',
        5: "",
    }[family]
    if family == 5:
        places = rng.uniform(0.0, 450.0, (10, 2)).round(3).tolist()
        topology = f'[topology]\nkind = "positions"\npositions = {places}\n'
    else:
        topology = f'[topology]\n{keys}spacing = "{spacing} m"\n'
    transport = str(rng.choice(TRANSPORTS))
    nodes = hoplab.Scenario.from_text(f"{topology}[[flow]]\nfrom = 0\nto = 1\n").resolve().facts.nodes
    flows = ""
    for _ in range(int(rng.integers(1, 6))):
        a, b = (int(one) for one in rng.choice(nodes, 2, replace=False))
        app = 'app = "cbr"\nrate = "800 kb/s"\n' if transport == "udp" else ""
        flows += (
            f'[[flow]]\nfrom = {a}\nto = {b}\ntransport = "{transport}"\nwindow = {int(rng.integers(2, 33))}\n{app}'
        )
    rate = str(rng.choice(["1 Mb/s", "2 Mb/s", "11 Mb/s"]))
    threshold = int(rng.choice([0, 3000]))
    mac = f'[mac]\ndata_rate = "{rate}"\nrts_threshold = "{threshold} B"\n'
    return hoplab.Scenario.from_text(f'duration = "15 s"\nwarmup = "3 s"\n{topology}{mac}{flows}', path=f"{seed}.toml")


@pytest.mark.parametrize("seed", range(CASES))
def test_no_transport_is_above_its_bound(seed: int) -> None:
    scenario = random_scenario(seed)
    found = bound(scenario, schedule=False)
    run: Any = hoplab.run(scenario, seeds=1)[0]
    assert found.share(run) <= 1.003, f"{scenario.text}"
