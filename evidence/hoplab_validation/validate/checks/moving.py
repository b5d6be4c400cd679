"""Moving networks against stored runs of ns-2 with the very same movements: AODV, DSDV, shadowing.

Each seed's placement and ways are ours, told to ns-2 leg by leg; its goodput is stored per seed, so that both
sides have the same networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hoplab.running.runs import Run, Runs
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers import tables
from hoplab_validation.peers.stats import tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate.plan import Depth, Plan
from hoplab_validation.validate.stored import goodput_kbps, plan_by_seed

PART = "moving"
SOURCE = "ns-2 table"
TABLE = "ns2_moving"

GOODPUT_SHARE = 0.05
"""Goodput of all flows may differ by 5 %, or by the sum of the half-widths where that is more."""

DROPS_SHARE, DROPS_FLOOR = 0.15, 10.0
"""Drops of a kind may differ by 15 %, by 10 packets a run, or by the sum of the half-widths."""

REASONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "given up by the MAC": (("CBK", "RET"), ("link_failure", "mac_retry")),
    "without a route": (("NRTE", "TOUT", "IFQ"), ("no_route", "route_timeout", "route_buffer")),
    "while resolving an address": (("ARP",), ("arp",)),
    "at a full queue": (("---",), ("queue_full",)),
}
"""What is compared: ns-2's reasons above the MAC, and ours. Its `IFQ` is a full buffer of packets that wait for a route
(`DROP_RTR_QFULL`); what the MAC gives up of routing and ARP, some 20 packets a run under AODV, is counted here and
is not in its trace without that of the MAC."""

FLOWS_TCP = "".join(f'[[flow]]\nfrom = {2 * i}\nto = {2 * i + 1}\nstart = "{i + 1} s"\n' for i in range(5))
FLOWS_CBR = "".join(
    f'[[flow]]\nfrom = {2 * i}\nto = {2 * i + 1}\nstart = "{i + 40} s"\n'
    'app = "cbr"\nrate = "64 kb/s"\nsegment = 512\ntransport = "udp"\n'
    for i in range(5)
)

SCENARIOS: Mapping[str, str] = {
    "aodv": f"""\
name = "50 nodes, 0.1 to 10 m/s, AODV, 5 NewReno"
duration = "150 s"
warmup = "20 s"
topology = {{ kind = "random", nodes = 50, area = ["1000 m", "1000 m"] }}
mobility = {{ kind = "waypoint", min_speed = "0.1 m/s", max_speed = "10 m/s" }}
routing = {{ protocol = "aodv" }}
{FLOWS_TCP}""",
    "dsdv": f"""\
name = "32 nodes, 0.1 to 10 m/s, DSDV, 5 CBR"
duration = "150 s"
warmup = "50 s"
topology = {{ kind = "random", nodes = 32, area = ["800 m", "800 m"] }}
mobility = {{ kind = "waypoint", min_speed = "0.1 m/s", max_speed = "10 m/s" }}
routing = {{ protocol = "dsdv" }}
{FLOWS_CBR}""",
    "shadowing": f"""\
name = "100 nodes, 1 to 5 m/s, shadowing, AODV, 5 NewReno"
duration = "60 s"
warmup = "10 s"
topology = {{ kind = "random", nodes = 100, area = ["850 m", "850 m"] }}
mobility = {{ kind = "waypoint", min_speed = "1 m/s", max_speed = "5 m/s" }}
routing = {{ protocol = "aodv" }}
[radio]
propagation = "shadowing"
path_loss_exponent = 2.7
shadowing_deviation_db = 4.0
rx_threshold = "1.417590e-11 W"
cs_threshold = "6.058e-13 W"
{FLOWS_TCP}""",
}
"""Scenarios by their names in the table. Thresholds under shadowing: 95 % of frames at 250 m are received."""


def plan(depth: Depth) -> Plan:
    """Goodput and drops of every scenario."""
    title = "moving nodes, AODV, DSDV and shadowing, against ns-2"
    return plan_by_seed(PART, title, depth, table=TABLE, texts=SCENARIOS, judge_one=_rows)


def _rows(ours: Runs, theirs: Sequence[tables.Row]) -> list[Row]:
    def row(  # noqa: PLR0913, PLR0917 (local)
        name: str,
        unit: str,
        them: Callable[[tables.Row], float],
        us: Callable[[Run], float],
        share: float,
        floor: float = 0.0,
        *,
        decides: bool = False,
    ) -> Row:
        reference: Interval = mean_interval(them(row) for row in theirs)
        value: Interval = mean_interval(us(run) for run in ours)
        limit = tolerance(value, reference, share, floor=floor)
        return Row(PART, f"{ours.scenario.name}: {name}", unit, SOURCE, reference, value, limit, decides)

    found = [
        row(
            "goodput of all flows",
            "kb/s",
            lambda r: float(r["goodput_kbps"]),
            goodput_kbps,
            GOODPUT_SHARE,
            decides=True,
        )
    ]
    found.append(_paired(ours, theirs))
    for reason, (_, names) in REASONS.items():
        column = column_of(reason)
        found.append(
            row(
                f"packets dropped {reason}",
                "",
                lambda r, column=column: float(r[column]),  # type: ignore[misc]
                lambda run, names=names: float(sum(run.drops.get(n, 0) for n in names)),  # type: ignore[misc]
                DROPS_SHARE,
                DROPS_FLOOR,
            )
        )
    return found


def _paired(ours: Runs, theirs: Sequence[tables.Row]) -> Row:
    """The mean difference per network, which is known far better than either mean; shown, and judged by 5 %."""
    stored = {int(row["seed"]): float(row["goodput_kbps"]) for row in theirs}
    apart = mean_interval(goodput_kbps(run) - stored[run.seed] for run in ours)
    mean = sum(stored.values()) / len(stored)
    limit = max(GOODPUT_SHARE * mean, apart.half_width or 0.0)
    name = f"{ours.scenario.name}: goodput of all flows, ours less theirs on the same network"
    return Row(
        PART, name, "kb/s", SOURCE, Interval(0.0, None, None, None, len(stored), "none"), apart, limit, decisive=False
    )


def column_of(reason: str) -> str:
    """Column of the table that counts drops of a kind."""
    return reason.replace(" ", "_")
