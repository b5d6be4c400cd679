"""Saturated cells against Bianchi's model and against the stored table of ns-2."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hoplab.running.execution import Order
from hoplab.running.runs import Runs
from hoplab.scenario.model import Scenario
from hoplab.stats import Interval, mean_interval
from hoplab_validation.peers import dcf, tables
from hoplab_validation.peers.stats import stored, tolerance
from hoplab_validation.peers.verdict import Row
from hoplab_validation.validate import scenarios
from hoplab_validation.validate.plan import Depth, Plan

MODEL, MODEL_STD, TABLE = "bianchi", "bianchi-std", "cell"
MODEL_IP_BYTES = 1500
MODEL_MEASURED_S = {1.0: 80.0, 2.0: 40.0, 11.0: 20.0}
"""By rate in Mb/s: basic access with many stations scatters by a percent in a thousand packets."""

MODEL_SHARE = 0.02
CROWDED_SHARE, CROWDED = 0.03, 41
"""Basic access from 41 stations on: ns-2 itself is 1.6 % above the model at 50."""

STD_SHARE = 0.03
TABLE_SHARE = 0.01
JAIN_TOLERANCE = 0.03
STATIONS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 50)
STATIONS_QUICK = (2, 5, 10, 20, 50)
RATES_MBPS = (1.0, 2.0, 11.0)
TABLE_IP_BYTES = 1472


def plan_model(depth: Depth) -> Plan:
    """Rates of 1, 2 and 11 Mb/s, basic and RTS/CTS, 2 to 50 stations."""
    settings = [
        (n, rate, rts)
        for rate in RATES_MBPS
        for rts in (False, True)
        for n in (STATIONS if depth.thorough else STATIONS_QUICK)
    ]
    seeds = tuple(range(1, (depth.seeds + 1) // 2 + 1))
    orders = tuple(
        Order(_cell(n, rate, rts=rts, ip_bytes=MODEL_IP_BYTES, measured_s=MODEL_MEASURED_S[rate]), seeds)
        for n, rate, rts in settings
    )

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [_model_row(*setting, ours) for setting, ours in zip(settings, runs, strict=True)]

    return Plan(MODEL, "saturated cell against Bianchi's model with ns-2's windows and retries", orders, judge)


def _model_row(stations: int, rate_mbps: float, rts: bool, runs: Runs) -> Row:  # noqa: FBT001 (one of a triple)
    model = dcf.saturation_kbps(stations, dcf.Link(rate_mbps), MODEL_IP_BYTES, rts=rts, profile=dcf.NS2)
    share = CROWDED_SHARE if not rts and stations >= CROWDED else MODEL_SHARE
    name = f"{stations} stations, {rate_mbps:g} Mb/s, {_access(rts=rts)}"
    return Row(MODEL, name, "kb/s", "model", stored(model, None, 1), throughput(runs), share * model)


def plan_std(depth: Depth) -> Plan:
    """Profile `std` at 2 and 11 Mb/s."""
    settings = [
        (n, rate, rts)
        for rate in (2.0, 11.0)
        for rts in (False, True)
        for n in (STATIONS_QUICK if depth.thorough else STATIONS_QUICK[::2])
    ]
    seeds = tuple(range(1, (depth.seeds + 1) // 2 + 1))
    orders = tuple(
        Order(
            scenarios.cell(
                n, data_mbps=rate, rts=rts, ip_bytes=MODEL_IP_BYTES, measured_s=MODEL_MEASURED_S[rate], profile="std"
            ),
            seeds,
        )
        for n, rate, rts in settings
    )

    def judge(runs: Sequence[Runs]) -> list[Row]:
        rows = []
        for (n, rate, rts), ours in zip(settings, runs, strict=True):
            model = dcf.saturation_kbps(n, dcf.Link(rate), MODEL_IP_BYTES, rts=rts, profile=dcf.STD_FINITE)
            name = f"{n} stations, {rate:g} Mb/s, {_access(rts=rts)}"
            theirs = stored(model, None, 1)
            rows.append(Row(MODEL_STD, name, "kb/s", "model", theirs, throughput(ours), STD_SHARE * model))
        return rows

    return Plan(MODEL_STD, "saturated cell, profile std, against Bianchi's model with seven attempts", orders, judge)


Key = tuple[str, str, str]

CELLS: tuple[Key, ...] = tuple(
    (rate, access, stations)
    for rate, counts in (("2", ("5", "10", "20", "30", "50")), ("11", ("10", "30", "50")))
    for access in ("rts_cts", "basic")
    for stations in counts
)
"""Rate in Mb/s, access and number of stations, as the table has them."""

TABLE_COLUMNS = ("data_rate_mbps", "access", "stations", "seed", "throughput_kbps", "jain")
TABLE_NAME = "ns2_cell"
TABLE_SEEDS = range(1, 21)
TABLE_MEASURED_S = {"2": 20.0, "11": 10.0}


def table_cell(key: Key) -> Scenario:
    """The scenario of some rows of the table."""
    rate, access, stations = key
    return _cell(
        int(stations),
        float(rate),
        rts=access == "rts_cts",
        ip_bytes=TABLE_IP_BYTES,
        measured_s=TABLE_MEASURED_S[rate],
    )


def plan_table(depth: Depth) -> Plan:
    """Every cell of the stored table; a third of them when quick."""
    chosen = CELLS if depth.thorough else CELLS[::3]
    orders = tuple(Order(table_cell(key), depth.seed_list()) for key in chosen)

    def judge(runs: Sequence[Runs]) -> list[Row]:
        return [row for key, ours in zip(chosen, runs, strict=True) for row in _table_rows(key, ours)]

    return Plan(TABLE, "saturated cell against ns-2", orders, judge)


def _table_rows(key: Key, runs: Runs) -> list[Row]:
    rate, access, stations = key
    kept = [row for row in tables.read(TABLE_NAME) if (row["data_rate_mbps"], row["access"], row["stations"]) == key]
    name = f"{stations} stations, {rate} Mb/s, {_access(rts=access == 'rts_cts')}"
    theirs, ours = mean_interval(float(row["throughput_kbps"]) for row in kept), throughput(runs)
    rows = [Row(TABLE, name, "kb/s", "ns-2 table", theirs, ours, tolerance(ours, theirs, TABLE_SHARE))]
    fair, jain = mean_interval(float(row["jain"]) for row in kept), mean_interval(run.jain for run in runs)
    rows.append(Row(TABLE, f"{name}: Jain", "", "ns-2 table", fair, jain, JAIN_TOLERANCE, decisive=False))
    return rows


def throughput(runs: Runs) -> Interval:
    """Of all flows together, in kb/s."""
    return mean_interval(math.fsum(flow.goodput_bps for flow in run.flows) / 1e3 for run in runs)


def _access(*, rts: bool) -> str:
    return "RTS/CTS" if rts else "basic"


def _cell(stations: int, rate_mbps: float, *, rts: bool, ip_bytes: int, measured_s: float) -> Scenario:
    return scenarios.cell(stations, data_mbps=rate_mbps, rts=rts, ip_bytes=ip_bytes, measured_s=measured_s)
