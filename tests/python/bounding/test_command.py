"""`hoplab bound` on the command line: rates, gateways, replays, and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

import hoplab as package
from hoplab.bounding import bound

CHAIN = 'duration = "20 s"\n[topology]\nkind = "chain"\nhops = 4\n[[flow]]\ntransport = "{transport}"\n'
GATEWAY = """
duration = "30 s"
[topology]
kind = "chain"
hops = 2
[[node]]
kind = "host"
name = "server"
[[wire]]
between = ["server", 0]
rate = "{rate}"
delay = "20 ms"
[[flow]]
from = "server"
to = 2
transport = "new_reno"
window = 64
"""


def written(tmp_path: Path, text: str) -> str:
    (tmp_path / "s.toml").write_text(text)
    return str(tmp_path / "s.toml")


def bounds_of(hoplab: CommandLine, *args: str) -> list[dict[str, Any]]:
    done = hoplab("bound", *args, "--json")
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)
    return found


def high(row: dict[str, Any], objective: str | int = "sum") -> float:
    return next(float(one["high_bps"]) for one in row["bounds"] if one["objective"] == objective)


def test_faster_rates_raise_the_bound(tmp_path: Path, hoplab: CommandLine) -> None:
    file = written(tmp_path, CHAIN.format(transport="new_reno"))
    sums = [
        high(bounds_of(hoplab, file, "--scheduler", "dcf", "--no-schedule", "--set", f"mac.data_rate={rate} Mb/s")[0])
        for rate in (1, 2, 5.5, 11)
    ]
    assert sums == sorted(sums)
    assert sums[3] > 2.0 * sums[0]


def test_each_objective_is_reported_from_both_sides(tmp_path: Path, hoplab: CommandLine) -> None:
    flows = '[[flow]]\nfrom = 4\nto = 0\ntransport = "udp"\napp = "cbr"\nrate = "100 kb/s"\n'
    file = written(tmp_path, CHAIN.format(transport="new_reno") + flows)
    dcf, perfect = bounds_of(hoplab, file)
    for row in (dcf, perfect):
        assert [one["objective"] for one in row["bounds"]] == ["sum", "max_min", "fair", 0, 1]
        for one in row["bounds"]:
            low, top = (one.get(f"{end}_bps", one.get(f"{end}_log")) for end in ("low", "high"))
            assert 0.99 * top <= low <= top
    assert high(dcf) < high(perfect)
    assert high(dcf, 1) == pytest.approx(1e5)
    assert high(dcf, 0) == pytest.approx(478000, rel=1e-3)
    free = bounds_of(hoplab, file, "--routes", "free", "--scheduler", "dcf", "--no-schedule")[0]
    assert free["routes"] == "free"
    assert high(free) >= high(dcf) * (1 - 1e-6)
    without = bounds_of(hoplab, file, "--no-acks", "--scheduler", "dcf", "--no-schedule")[0]
    assert high(without, 0) > 1.1 * high(dcf, 0)


def test_bound_of_a_gateway_counts_wire_and_radio(tmp_path: Path, hoplab: CommandLine) -> None:
    fast = bounds_of(hoplab, written(tmp_path, GATEWAY.format(rate="100 Mb/s")))[0]
    # The radio limits: two hops, as without the wire.
    assert high(fast) == pytest.approx(635100, rel=1e-3)
    slow = bounds_of(hoplab, written(tmp_path, GATEWAY.format(rate="200 kb/s")))[0]
    # The wire limits: 1460 of 1500 bytes are payload.
    assert high(slow) == pytest.approx(2e5 * 1460 / 1500, rel=1e-6)
    assert slow["bounds"][0]["low_bps"] == pytest.approx(high(slow), rel=0.005)
    free = bounds_of(hoplab, written(tmp_path, GATEWAY.format(rate="200 kb/s")), "--routes", "free", "--no-schedule")
    assert high(free[0]) == pytest.approx(high(slow), rel=1e-6)


@pytest.mark.parametrize("rate", ["100 Mb/s", "400 kb/s"])
@pytest.mark.parametrize("protocol", ["static", "aodv"])
def test_runs_over_a_gateway_stay_below(rate: str, protocol: str) -> None:
    text = GATEWAY.format(rate=rate) + f'[routing]\nprotocol = "{protocol}"\n'
    given = package.Scenario.from_text(text, path="gateway.toml")
    assert 0.6 < bound(given, schedule=False).share(package.run(given, seeds=1)[0]) <= 1.003


def test_replay_is_shown_and_written(tmp_path: Path, hoplab: CommandLine) -> None:
    file = written(tmp_path, CHAIN.format(transport="new_reno"))
    done = hoplab("bound", file, "--scheduler", "perfect", "--replay", "--slots", str(tmp_path / "slots.csv"))
    assert done.code == 0, done.err
    assert "replayed" in done.out
    assert ", 0 not completed" in done.out
    rows = (tmp_path / "slots.csv").read_text().splitlines()
    assert rows[0] == "slot,share,seconds,from,to,bytes"
    assert sum(float(row.split(",")[1]) for row in {row.split(",")[0]: row for row in rows[1:]}.values()) == (
        pytest.approx(1.0, rel=1e-6)
    )
    played = bounds_of(hoplab, file, "--scheduler", "perfect", "--replay")[-1]
    assert (played["replay"], played["not_completed"]) == ("sum", 0)
    assert 0.8 < played["value_bps"] / 499743.0 < 1.0


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--scheduler", "fast"), 2, "--scheduler 'fast': unknown, expected dcf, perfect, both"),
        (("--routes", "open"), 2, "--routes 'open': unknown, expected fixed, free"),
        (("--time", "soon"), 2, "--time"),
        (("--set", "routing.protocol=aodv", "--replay"), 3, "flow 0 has no fixed path, expected one for a replay"),
        (
            ("--set", "radio.errors.model=uniform_bit", "--set", "radio.errors.bit_error_rate=1e-5", "--replay"),
            3,
            "expected none",
        ),
        (("--slots", "no/such/folder.csv"), 74, "folder.csv"),
    ],
)
def test_bad_input(tmp_path: Path, hoplab: CommandLine, args: tuple[str, ...], code: int, message: str) -> None:
    done = hoplab("bound", written(tmp_path, CHAIN.format(transport="new_reno")), "--no-schedule", *args)
    assert done.code == code, done.err
    assert message in done.err
    assert "Traceback" not in done.err


def test_scenario_without_flows_is_refused(tmp_path: Path, hoplab: CommandLine) -> None:
    done = hoplab("bound", written(tmp_path, 'duration = "5 s"\n[topology]\nkind = "chain"\nhops = 1\n'))
    assert done.code == 3
    assert "1 to 100000 tables [[flow]]" in done.err
