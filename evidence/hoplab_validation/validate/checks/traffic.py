"""Traffic, spoiled frames and switched radios against stored runs of ns-2: goodput of all flows, seed by seed.

The scripts are those that `hoplab crosscheck ns2` writes; `scripts/tables/traffic_ns2.py` ran them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoplab.running.runs import Runs
from hoplab.stats import mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import goodput_kbps, plan_by_seed

PART = "traffic"
SOURCE = "ns-2 table"
TABLE = "ns2_traffic"

STATIC_SHARE, AODV_SHARE = 0.03, 0.05
"""Goodput may differ by so much, or by the sum of the half-widths where that is more."""

SCENARIOS: Mapping[str, str] = {
    "errors tcp": """\
name = "3 hops, NewReno, every frame spoiled with 5 %"
duration = "70 s"
warmup = "10 s"
topology = { kind = "chain", hops = 3 }
radio = { errors = { model = "uniform_packet", frame_error_rate = 0.05 } }
[[flow]]
transport = "new_reno"
""",
    "errors udp": """\
name = "3 hops, CBR of 100 kb/s, every frame spoiled with 25 %"
duration = "70 s"
warmup = "10 s"
topology = { kind = "chain", hops = 3 }
radio = { errors = { model = "uniform_packet", frame_error_rate = 0.25 } }
[[flow]]
transport = "udp"
app = "cbr"
rate = "100 kb/s"
segment = 512
""",
    "cbr": """\
name = "5 hops, two CBR of 120 kb/s in both directions"
duration = "70 s"
warmup = "10 s"
topology = { kind = "chain", hops = 5 }
[[flow]]
from = "first"
to = "last"
transport = "udp"
app = "cbr"
rate = "120 kb/s"
segment = 512
[[flow]]
from = "last"
to = "first"
transport = "udp"
app = "cbr"
rate = "120 kb/s"
segment = 512
start = "20 ms"
""",
    "cbrgen": """\
name = "grid of 5 x 5, 10 connections of cbrgen at 48 kb/s, AODV"
duration = "60 s"
warmup = "20 s"
topology = { kind = "grid", columns = 5 }
routing = { protocol = "aodv" }
traffic = { kind = "cbr", connections = 10, rate = "48 kb/s", start_window = "15 s", seed = 3 }
""",
    "on_off": """\
name = "3 hops, four exponential sources of 256 kb/s"
duration = "130 s"
warmup = "10 s"
topology = { kind = "chain", hops = 3 }
"""
    + 4
    * """\
[[flow]]
from = "first"
to = "last"
transport = "udp"
app = "on_off"
rate = "256 kb/s"
segment = 512
on_mean = "500 ms"
off_mean = "500 ms"
""",
    "voip": """\
name = "4 hops, three calls of G.711 in both directions"
duration = "60 s"
warmup = "10 s"
topology = { kind = "chain", hops = 4 }
"""
    + "".join(
        f"""\
[[flow]]
from = "{ends[0]}"
to = "{ends[1]}"
transport = "udp"
app = "voip"
start = "{7 * k} ms"
"""
        for k, ends in enumerate(3 * (("first", "last"), ("last", "first")))
    ),
    "off static": """\
name = "3 hops, CBR of 100 kb/s, a relay off for 10 s twice"
duration = "60 s"
warmup = "5 s"
topology = { kind = "chain", hops = 3 }
node = [{ id = 1, radio_off = [["12 s", "22 s"], ["40 s", "50 s"]] }]
[[flow]]
transport = "udp"
app = "cbr"
rate = "100 kb/s"
segment = 512
""",
    "off tcp": """\
name = "2 hops, NewReno, the relay off for 10 s"
duration = "60 s"
warmup = "5 s"
topology = { kind = "chain", hops = 2 }
node = [{ id = 1, radio_off = [["20 s", "30 s"]] }]
[[flow]]
transport = "new_reno"
""",
    "off aodv alone": """\
name = "2 hops, CBR of 100 kb/s, AODV, the relay off for 10 s"
duration = "70 s"
warmup = "5 s"
topology = { kind = "chain", hops = 2 }
routing = { protocol = "aodv" }
node = [{ id = 1, radio_off = [["20 s", "30 s"]] }]
[[flow]]
transport = "udp"
app = "cbr"
rate = "100 kb/s"
segment = 512
""",
    "off aodv": """\
name = "diamond of two relays, CBR of 100 kb/s, AODV, each relay off in turn"
duration = "70 s"
warmup = "5 s"
routing = { protocol = "aodv" }
node = [{ id = 1, radio_off = [["12 s", "30 s"]] }, { id = 2, radio_off = [["40 s", "60 s"]] }]
[topology]
kind = "positions"
positions = [[0, 0], [180, 120], [180, -120], [360, 0]]
[[flow]]
from = 0
to = 3
transport = "udp"
app = "cbr"
rate = "100 kb/s"
segment = 512
""",
}
"""Scenarios by their names in the table."""


def plan(depth: Depth) -> Plan:
    """Goodput of every scenario."""
    title = "traffic, spoiled frames and switched radios, against ns-2"
    return plan_by_seed(PART, title, depth, table=TABLE, texts=SCENARIOS, judge_one=_rows)


def _rows(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    reference = mean_interval(float(row["goodput_kbps"]) for row in theirs)
    value = mean_interval(goodput_kbps(run) for run in ours)
    protocol = ours.scenario.resolve().data["routing"]["protocol"]
    limit = tolerance(value, reference, AODV_SHARE if protocol == "aodv" else STATIC_SHARE)
    return [Row(PART, f"{ours.scenario.name}: goodput of all flows", "kb/s", SOURCE, reference, value, limit)]
