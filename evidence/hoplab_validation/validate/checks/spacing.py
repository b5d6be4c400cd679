"""Uneven spacings, grids and a line of stations that all hear each other, against stored runs of ns-2.

Distances decide which station hears a neighbor before its own slot ends; where all nodes are 200 m apart, rounded
delays hide that. The scripts are those that `hoplab crosscheck ns2` writes; `scripts/tables/traffic_ns2.py` ran them.
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

PART = "spacing"
SOURCE = "ns-2 table"
TABLE = "ns2_spacing"
SHARE = 0.03
"""Goodput may differ by so much, or by the sum of the half-widths where that is more."""

HEAD = 'duration = "50 s"\nwarmup = "10 s"\n'
UNEVEN = "[[0, 0], [190, 0], [440, 0], [590, 0], [830, 0], [1030, 0], [1240, 0]]"


def _datagrams(ends: Sequence[tuple[int | str, int | str]], rate: str, segment: int) -> str:
    """Flows of datagrams between these nodes, one millisecond after the other."""
    flows = (
        f'[[flow]]\nfrom = {src!r}\nto = {dst!r}\ntransport = "udp"\napp = "cbr"\nrate = "{rate}"\n'
        f'segment = {segment}\nstart = "{3 * k + 1} ms"\n'
        for k, (src, dst) in enumerate(ends)
    )
    return "".join(flows).replace("'", '"')


def _saturated(spacing_m: int) -> str:
    chain = f'topology = {{ kind = "chain", hops = 3, spacing = "{spacing_m} m" }}\n'
    return (
        f'name = "3 hops of {spacing_m} m, datagrams, saturated"\n{HEAD}{chain}'
        f"{_datagrams([('first', 'last')], '2 Mb/s', 1460)}"
    )


def _line(threshold: int) -> str:
    access = "basic" if threshold else "RTS/CTS"
    return (
        f'name = "line of 8 stations 20 m apart, four saturated pairs, {access}"\n{HEAD}'
        'topology = { kind = "chain", hops = 7, spacing = "20 m" }\nlink = { arp = false }\n'
        f"mac = {{ rts_threshold = {threshold} }}\n"
        f"{_datagrams([(0, 1), (2, 3), (4, 5), (6, 7)], '2 Mb/s', 1000)}"
    )


SCENARIOS: Mapping[str, str] = {
    "190 m": _saturated(190),
    "250 m": _saturated(250),
    "uneven udp": (
        f'name = "6 hops of 150 to 250 m, datagrams, saturated"\n{HEAD}'
        f'topology = {{ kind = "positions", positions = {UNEVEN} }}\n{_datagrams([(0, 6)], "2 Mb/s", 1460)}'
    ),
    "uneven tcp": (
        f'name = "6 hops of 150 to 250 m, NewReno"\n{HEAD}'
        f'topology = {{ kind = "positions", positions = {UNEVEN} }}\n'
        '[[flow]]\nfrom = 0\nto = 6\ntransport = "new_reno"\n'
    ),
    "grid": (
        f'name = "grid of 4 x 4, 190 m by 240 m, two rows and two columns of datagrams"\n{HEAD}'
        'topology = { kind = "positions", positions = ['
        + ", ".join(f"[{190 * column}, {240 * row}]" for row in range(4) for column in range(4))
        + f"] }}\n{_datagrams([(4, 7), (11, 8), (1, 13), (14, 2)], '200 kb/s', 512)}"
    ),
    "line rts": _line(0),
    "line basic": _line(3000),
}
"""Scenarios by their names in the table."""


def plan(depth: Depth) -> Plan:
    """Goodput of every scenario."""
    title = "uneven spacings, grids and a line of stations, against ns-2"
    return plan_by_seed(PART, title, depth, table=TABLE, texts=SCENARIOS, judge_one=_rows)


def _rows(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    reference = mean_interval(float(row["goodput_kbps"]) for row in theirs)
    value = mean_interval(goodput_kbps(run) for run in ours)
    limit = tolerance(value, reference, SHARE)
    return [Row(PART, f"{ours.scenario.name}: goodput of all flows", "kb/s", SOURCE, reference, value, limit)]
