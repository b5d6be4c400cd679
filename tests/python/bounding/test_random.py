"""Random networks and transports: no run is above its bound. A run above it is a fault of one of the two.

`HOPLAB_BOUND_CASES=2000` examines as many networks as that, and half as many with aggregation; the default is a sample
for every change.
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
    "udp", "tahoe", "reno", "new_reno", "sack", "vegas", "veno", "westwood", "cubic", "semi_tcp", "semi_tcp_sack",
    "hop_release", "tcp_ap", "rcp", "split_tcp", "muzha",
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


def random_aggregation(seed: int) -> hoplab.Scenario:
    """A connected network of 802.11n with A-MPDUs or A-MSDUs; modes, limits, queues and losses at random."""
    rng = np.random.default_rng([seed, 11])
    while (scenario := aggregating(rng, seed)).resolve().facts.partitions != 1:
        pass
    return scenario


def aggregating(rng: np.random.Generator, seed: int) -> hoplab.Scenario:
    """A network with aggregation, connected or not."""

    def pick(*values: str) -> str:
        return str(rng.choice(values))

    hops = int(rng.integers(1, 5))
    spacing = pick("10 m", "20 m", "25 m")
    topology = {
        0: f'kind = "chain"\nhops = {hops}\nspacing = "{spacing}"\n',
        1: f'kind = "cross"\nhops = 2\nspacing = "{spacing}"\n',
        2: f'kind = "grid"\ncolumns = 3\nspacing = "{spacing}"\n',
        3: f'kind = "positions"\npositions = {rng.uniform(0.0, 45.0, (7, 2)).round(3).tolist()}\n',
    }[int(rng.integers(4))]
    topology = f"[topology]\n{topology}"
    nodes = hoplab.Scenario.from_text(f"{topology}[[flow]]\nfrom = 0\nto = 1\n").resolve().facts.nodes
    transport = pick("udp", "udp", "new_reno", "sack", "vegas", "cubic", "tcp_reno", "tcp_cubic", "split_tcp")
    flows = ""
    for _ in range(int(rng.integers(1, 5))):
        a, b = (int(one) for one in rng.choice(nodes, 2, replace=False))
        app = f'app = "cbr"\nrate = "{pick("2", "20", "60")} Mb/s"\n' if transport == "udp" else ""
        keys = f"segment = {pick('200', '1000', '1460')}\nwindow = {int(rng.integers(2, 200))}\n"
        app += "" if transport.startswith("tcp_") else keys
        flows += f'[[flow]]\nfrom = {a}\nto = {b}\ntransport = "{transport}"\n{app}'
    # A rate control on free routes has too many ways to send a frame for a test of seconds.
    protocol = pick("static", "static", "aodv", "olsr", "hwmp")
    fixed = [f"mcs = {mcs}" for mcs in (0, 2, 4, 7)]
    rates = pick(*fixed, *(['rate_control = "ideal"', 'rate_control = "minstrel_ht"'] if protocol == "static" else []))
    ampdu, amsdu = pick("0 B", "8191 B", "65535 B", "65535 B"), pick("0 B", "0 B", "3839 B")
    mac = f'[mac]\n{rates}\nampdu = "{ampdu}"\namsdu = "{amsdu}"\nrts_threshold = "{pick("0", "3000", "65535")} B"\n'
    mac += f'txop_limit = "{pick("0 us", "0 us", "4096 us")}"\n'
    radio = (
        '[radio]\nstandard = "11n"\npropagation = "shadowing"\nshadowing_deviation_db = 0\n'
        f'path_loss_exponent = 3\ntx_power = "40 mW"\nstreams = {pick("1", "2")}\n'
    )
    if rng.random() < 0.3:
        radio += f'errors = {{ model = "uniform_packet", frame_error_rate = {rng.uniform(0.0, 0.3):.3f} }}\n'
    queue = f'[queue]\nkind = "{pick("drop_tail", "red", "codel", "pie", "fq_codel", "airtime_fq", "lred")}"\n'
    queue += f"limit = {int(rng.choice([5, 50, 300]))}\n"
    topology += f'[routing]\nprotocol = "{protocol}"\n'
    top = 'profile = "std"\nduration = "9 s"\nwarmup = "1 s"\n'
    return hoplab.Scenario.from_text(f"{top}{topology}{radio}{mac}{queue}{flows}", path=f"{seed}.toml")


@pytest.mark.parametrize("seed", range(CASES // 2))
def test_no_aggregation_is_above_its_bound(seed: int) -> None:
    scenario = random_aggregation(seed)
    found = bound(scenario, schedule=False)
    run: Any = hoplab.run(scenario, seeds=1)[0]
    assert found.share(run) <= 1.003, f"{scenario.text}"


@pytest.mark.parametrize("seed", range(CASES))
def test_no_transport_is_above_its_bound(seed: int) -> None:
    scenario = random_scenario(seed)
    found = bound(scenario, schedule=False)
    run: Any = hoplab.run(scenario, seeds=1)[0]
    assert found.share(run) <= 1.003, f"{scenario.text}"
