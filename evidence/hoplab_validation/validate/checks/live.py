"""ns-2 run here and now, on scenarios that stand in no stored table."""

from __future__ import annotations

from collections.abc import Sequence

from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab_validation.peers.compare import against_ns2
from hoplab_validation.peers.ns2.run import Ns2MissingError, find
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan, SkipError

PART = "live"


def plan(depth: Depth) -> Plan:
    """Other spacings, segments, topologies and transports than the tables have."""
    scenarios = LIVE if depth.thorough else LIVE[::3]
    seeds = tuple(range(1, depth.live_seeds + 1))

    def judge(runs: Sequence[Runs]) -> list[Row]:
        del runs
        try:
            find()
        except Ns2MissingError as missing:
            raise SkipError(str(missing)) from missing
        rows: list[Row] = []
        for text in scenarios:
            scenario = Scenario.from_text(text)
            rows += against_ns2(scenario, seeds, part=PART, label=f"{scenario.name}: ").rows
        return rows

    return Plan(PART, "live ns-2 on scenarios that are in no table", (), judge)


LIVE = (
    """
name = "5 hops of 180 m, 1000 B"
duration = "80 s"
warmup = "20 s"
topology = { kind = "chain", hops = 5, spacing = "180 m" }
[[flow]]
transport = "new_reno"
segment = 1000
""",
    """
name = "3 hops of 230 m, Reno, 11 Mb/s"
duration = "80 s"
warmup = "20 s"
topology = { kind = "chain", hops = 3, spacing = "230 m" }
mac = { data_rate = "11 Mb/s" }
[[flow]]
transport = "reno"
""",
    """
name = "cross of 4 hops, two flows"
duration = "120 s"
warmup = "20 s"
topology = { kind = "cross", hops = 4 }
[[flow]]
transport = "new_reno"
[[flow]]
transport = "vegas"
""",
    """
name = "grid 3 x 3, corner to corner, AODV"
duration = "80 s"
warmup = "20 s"
topology = { kind = "grid", columns = 3 }
routing = { protocol = "aodv" }
[[flow]]
from = 0
to = 8
transport = "sack"
""",
    """
name = "6 hops, Tahoe, delayed ACK"
duration = "80 s"
warmup = "20 s"
topology = { kind = "chain", hops = 6 }
tcp = { delayed_ack = true }
[[flow]]
transport = "tahoe"
""",
    """
name = "3 hops, short preamble, basic access, UDP"
duration = "60 s"
warmup = "10 s"
topology = { kind = "chain", hops = 3 }
mac = { data_rate = "5.5 Mb/s", basic_rate = "2 Mb/s", preamble = "short", rts_threshold = 3000 }
[[flow]]
app = "cbr"
transport = "udp"
rate = "600 kb/s"
segment = 800
""",
    """
name = "free positions, free space, 3 flows"
duration = "80 s"
warmup = "20 s"
radio = { propagation = "free_space", rx_range = "200 m", cs_range = "400 m" }
[topology]
kind = "positions"
positions = [[0, 0], [150, 40], [290, -30], [420, 60], [200, 220], [330, 160], [60, 190]]
[[flow]]
from = 0
to = 3
[[flow]]
from = 6
to = 5
start = "5 s"
[[flow]]
from = 4
to = 2
app = "cbr"
transport = "udp"
rate = "64 kb/s"
segment = 512
""",
    """
name = "15 nodes walk, AODV"
duration = "60 s"
warmup = "10 s"
topology = { kind = "random", nodes = 15, area = ["500 m", "500 m"] }
mobility = { kind = "waypoint", max_speed = "10 m/s" }
routing = { protocol = "aodv" }
[[flow]]
from = 0
to = 1
[[flow]]
from = 2
to = 3
""",
)
"""Scenario files; AODV and static routes, every transport, every kind of topology is in one of them."""
