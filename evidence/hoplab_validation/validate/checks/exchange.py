"""Single exchanges: delays exact to the nanosecond, cycle times and the queue's length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import mean_interval
from hoplab_validation.peers import dcf, tables
from hoplab_validation.peers.stats import joint_half_width, stored
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.plan import Depth, Plan

PART = "exchange"
LINK_DELAY_US = 25.0
LIGHT_M_PER_US = 300.0
ROUNDING_US = 0.004
"""Four legs, each rounded to a nanosecond."""

QUEUE_LIMIT = 50
OFFERED_AT_ONCE = 60


@dataclass(frozen=True)
class Shot:
    """One lonely datagram, whose delay is known but for a whole number of slots."""

    ip_bytes: int
    data_mbps: float
    basic_mbps: float
    rts: bool
    preamble: str
    distance_m: float

    @property
    def name(self) -> str:
        """Of the row."""
        access = "RTS/CTS" if self.rts else "basic"
        rates = f"{self.data_mbps:g}/{self.basic_mbps:g} Mb/s"
        return f"delay of IP {self.ip_bytes} at {rates}, {access}, {self.preamble}, {self.distance_m:g} m"

    @property
    def scenario(self) -> Scenario:
        """Two nodes and one datagram."""
        # One datagram in the whole run: the second would be due after its end.
        return scenarios.pair(
            self.distance_m,
            ip_bytes=self.ip_bytes,
            data_mbps=self.data_mbps,
            basic_mbps=self.basic_mbps,
            rts=self.rts,
            preamble=self.preamble,
            rate=f"{self.ip_bytes * 8 / 1000.0:g} kb/s",
            duration_s=0.5,
        )

    @property
    def fixed_us(self) -> float:
        """Delay with a backoff of zero slots."""
        link = dcf.Link(self.data_mbps, self.basic_mbps, self.preamble)
        delta = self.distance_m / LIGHT_M_PER_US
        before = dcf.rts_us(link) + dcf.cts_us(link) + 2 * (dcf.SIFS_US + delta) if self.rts else 0.0
        return 2 * LINK_DELAY_US + dcf.DIFS_US + before + dcf.data_us(link, self.ip_bytes) + delta


SHOTS = (
    Shot(40, 2.0, 1.0, rts=True, preamble="long", distance_m=200.0),
    Shot(1500, 2.0, 1.0, rts=True, preamble="long", distance_m=250.0),
    Shot(1500, 1.0, 1.0, rts=True, preamble="long", distance_m=50.0),
    Shot(1500, 11.0, 1.0, rts=True, preamble="long", distance_m=100.0),
    Shot(1500, 11.0, 2.0, rts=True, preamble="long", distance_m=100.0),
    Shot(552, 5.5, 1.0, rts=True, preamble="long", distance_m=150.0),
    Shot(1500, 2.0, 1.0, rts=False, preamble="long", distance_m=200.0),
    Shot(532, 11.0, 1.0, rts=False, preamble="long", distance_m=240.0),
    Shot(1500, 11.0, 2.0, rts=True, preamble="short", distance_m=100.0),
    Shot(512, 5.5, 5.5, rts=False, preamble="short", distance_m=100.0),
)


def plan(depth: Depth) -> Plan:
    """All vectors; the depth decides how many seeds stand behind the mean cycle times."""
    seeds = depth.seed_list()
    cycles = [_cycle(row) for row in tables.read("vectors_cycle")]
    orders = [Order(shot.scenario, tuple(range(1, 31))) for shot in SHOTS]
    orders += [Order(scenario, seeds) for scenario in cycles]
    orders.append(Order(_burst(), seeds))
    return Plan(PART, "one exchange: delay, cycle, queue", tuple(orders), _judge)


def _judge(runs: Sequence[Runs]) -> list[Row]:
    queue = iter(runs)
    rows = [row for shot in SHOTS for row in _delay(shot, next(queue))]
    rows += [_cycle_row(vector, next(queue)) for vector in tables.read("vectors_cycle")]
    rows += _burst_rows(next(queue))
    return rows


def _delay(shot: Shot, runs: Runs) -> Iterator[Row]:
    """The worst seed, and how many different backoffs were drawn."""
    delays = [run.flows[0].delay_mean_s for run in runs]
    waits = [1e6 * delay - shot.fixed_us for delay in delays if delay is not None]
    slots = [round(wait / dcf.SLOT_US) for wait in waits]
    rest = max((abs(w - s * dcf.SLOT_US) for w, s in zip(waits, slots, strict=True)), default=float("inf"))
    ours = stored(shot.fixed_us + rest if rest != float("inf") else 0.0, None, len(waits))
    note = f"without {min(slots, default=0)} to {max(slots, default=0)} slots of backoff, worst of {len(waits)} seeds"
    theirs = stored(shot.fixed_us, None, 1)
    yield Row(PART, shot.name, "us", "arithmetic", theirs, ours, ROUNDING_US, note=note)
    outside = sum(not 0 <= s <= dcf.CW_MIN - 1 for s in slots) + len(delays) - len(waits)
    name = f"backoffs outside 0..30, IP {shot.ip_bytes} at {shot.data_mbps:g} Mb/s"
    yield Row(PART, name, "", "ns-2.35", stored(0.0, None, 1), stored(float(outside), None, 1), 0.0)


def _cycle(row: tables.Row) -> Scenario:
    return scenarios.pair(
        1.0,
        ip_bytes=int(row["ip_bytes"]),
        data_mbps=float(row["data_rate_mbps"]),
        basic_mbps=float(row["basic_rate_mbps"]),
        rts=row["access"] == "rts_cts",
        rate=f"{row['data_rate_mbps']} Mb/s",
        duration_s=100.0,
    )


def _cycle_row(vector: tables.Row, runs: Runs) -> Row:
    theirs = stored(float(vector["throughput_kbps"]), None, 1)
    ours = mean_interval(run.flows[0].goodput_bps / 1e3 for run in runs)
    rates = f"{vector['data_rate_mbps']}/{vector['basic_rate_mbps']}"
    name = f"lone saturated sender, IP {vector['ip_bytes']} at {rates} Mb/s, {vector['access']}"
    # One cycle more or less in 100 s is up to 0.01 %; the rest is the draw of the backoff.
    limit = max(2e-4 * theirs.mean, 2.0 * joint_half_width(ours, theirs))
    return Row(PART, name, "kb/s", "arithmetic", theirs, ours, limit)


def _burst() -> Scenario:
    """`OFFERED_AT_ONCE` packets within a tenth of a millisecond, then silence."""
    spacing_s = 1e-4 / (OFFERED_AT_ONCE - 0.5)
    rate = f"{1500 * 8 / spacing_s / 1e6:.6f} Mb/s"
    changed = scenarios.pair(100.0, ip_bytes=1500, data_mbps=2.0, rts=True, rate=rate, duration_s=2.0, stop_s=1e-4)
    return changed.with_({"queue.limit": QUEUE_LIMIT})


def _burst_rows(runs: Runs) -> list[Row]:
    delivered = mean_interval(run.flows[0].goodput_bps * run.sim_s / (8 * 1500) for run in runs)
    dropped = mean_interval(float(sum(run.drops.values())) for run in runs)
    name = f"{OFFERED_AT_ONCE} packets at once, queue limit {QUEUE_LIMIT}"
    return [
        Row(PART, f"{name}: delivered", "", "ns-2.35", stored(50.0, None, 1), delivered, 1e-6),
        Row(PART, f"{name}: dropped", "", "ns-2.35", stored(10.0, None, 1), dropped, 1e-6),
    ]
