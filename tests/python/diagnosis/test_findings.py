"""Findings in results, comparisons and commands; silence where flows carry."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from diagnosis.cases import FILE, SICK, chain, gray, indoors, off
from hoplab.diagnosis import REASONS, predict
from hoplab.running.comparing import compare
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario

EXAMPLES = Path(__file__).resolve().parents[3] / "scenarios"
CARRY = ("chain", "cross", "grid", "parallel", "positions", "spindle", "udp", "semi_tcp", "muzha", "split_tcp", "mesh")
NEVER_RECOGNIZED = {
    "gap": "a sender whose repair does not arrive: no small scenario is known that keeps one for long",
    "exchange": "what remains of failing exchanges",
    "unknown": "what remains of all",
    "no_route": "what remains of discovery",
    "skips": "a note, tested below",
    "no_path_moving": "tested below",
    "stale_routes": "tested below",
    "outdated_routes": "tested below",
    "breaking_routes": "tested below",
}


def tables(scenario: Scenario, path: Path) -> Path:
    """The scenario as a file, for commands."""
    path.write_text(scenario.text)
    return path


def moving(protocol: str, speed: str = "30 m/s", **more: object) -> Scenario:
    area = {"kind": "random", "nodes": 12, "area": ["1500 m", "1500 m"]}
    walk = {"kind": "waypoint", "min_speed": speed, "max_speed": speed, "area": ["1500 m", "1500 m"]}
    return Scenario.from_dict(
        duration="60 s", topology=area, mobility=walk, routing={"protocol": protocol}, flow=[{**FILE}], **more
    )


def test_every_reason_has_a_case_or_says_why_not() -> None:
    named = {sick.reason for sick in SICK}
    assert named | set(NEVER_RECOGNIZED) == {reason.name for reason in REASONS}
    assert not named & set(NEVER_RECOGNIZED)


def test_the_page_names_every_reason() -> None:
    page = (EXAMPLES.parent / "docs/use/carries-nothing.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `")]
    named = [word for row in rows for word in re.findall(r"`(\w+)`", row)]
    assert [name for name in named if name in {reason.name for reason in REASONS}] == [row.name for row in REASONS]


@pytest.mark.parametrize("name", CARRY)
def test_examples_that_carry_are_silent(name: str) -> None:
    scenario = Scenario.from_toml(EXAMPLES / f"{name}.toml")
    begin = float(scenario.resolve().data["warmup_s"])
    short = scenario.with_({"duration": f"{begin + 10.0:g} s"})
    assert predict(short) == ()
    runs = run(short)
    assert all(flow.goodput_bps for flow in runs[0].flows)
    assert runs.diagnosis == ()


@pytest.mark.parametrize("keys", [{"flow.start": "19.5 s"}, {"flow.bytes": "3 kB", "flow.transport": "tcp_reno"}])
def test_flows_that_have_just_begun_or_are_done_are_silent(keys: dict[str, object]) -> None:
    assert run(chain(3).with_(keys)).diagnosis == ()


def test_the_gray_zone_names_distance_rates_and_margin() -> None:
    (found,) = predict(gray("olsr"))
    for words in ("50 m apart", "6 Mb/s", "24 Mb/s", "99.4 % of data frames", "0.7 dB missing"):
        assert words in found.text
    assert found.fix == {"radio.rx_range": "35.4 m", "flow.0.start": "20 s", "duration": "50 s"}
    # Static routes use the links of data, and a rate that reaches as far as broadcasts has no such zone.
    assert predict(gray("static")) == ()
    assert [one.reason for one in predict(gray("olsr").with_({"mac.data_rate": "6 Mb/s"}))] == []


def test_neither_a_higher_basic_rate_nor_a_later_start_mends_the_gray_zone() -> None:
    goodput = {
        name: run(gray("olsr").with_(keys))[0].flows[0].goodput_bps
        for name, keys in {
            "basic rate": {"mac.basic_rate": "24 Mb/s"},
            "start": {"flow.0.start": "15 s"},
            "range": {"radio.rx_range": "35.4 m"},
        }.items()
    }
    assert goodput["basic rate"] < 20e3
    assert goodput["start"] < 20e3
    assert goodput["range"] > 500e3


@pytest.mark.parametrize(("rate", "hops"), [("6 Mb/s", 3), ("12 Mb/s", 3), ("24 Mb/s", 5)])
def test_a_chain_whose_static_routes_skip_nodes_says_so(rate: str, hops: int) -> None:
    scenario = indoors(5, "11a", mac={"data_rate": rate}, duration="5 s")
    found = [one for one in run(scenario).diagnosis if one.reason == "skips"]
    assert [one.reason for one in predict(scenario)] == [one.reason for one in found] == ["skips"] * (hops < 5)
    for one in found:
        assert f"takes {hops} of the 5 hops" in one.text
        assert "delivers" not in one.text
        assert scenario.with_(one.fix).resolve().facts.flows[0].hops == 5


def test_moving_nodes_without_a_path_say_so() -> None:
    assert [one.reason for one in run(moving("aodv", radio={"rx_range": "40 m"})).diagnosis] == ["no_path_moving"]


@pytest.mark.parametrize(
    ("protocol", "seed", "reason"),
    [("static", 4, "stale_routes"), ("dsdv", 2, "outdated_routes"), ("aodv", 5, "breaking_routes")],
)
def test_routes_that_movement_breaks_have_a_reason(protocol: str, seed: int, reason: str) -> None:
    scenario = moving(protocol, radio={"rx_range": "400 m"}, seed=seed)
    (found,) = run(scenario).diagnosis
    assert found.reason == reason
    if found.fix:
        assert run(scenario.with_(found.fix))[0].flows[0].goodput_bps > 100e3


def test_seeds_without_goodput_are_counted() -> None:
    drawn = {"kind": "random", "nodes": 10, "area": ["900 m", "900 m"]}
    scenario = Scenario.from_dict(duration="5 s", topology=drawn, flow=[{"from": 0, "to": 9, **FILE}])
    runs = run(scenario, seeds=10)
    dead = tuple(one.seed for one in runs if not one.flows[0].goodput_bps)
    assert 0 < len(dead) < 10
    (found,) = [one for one in runs.diagnosis if one.reason == "no_path"]
    assert found.seeds == dead
    assert f"delivers nothing with {len(dead)} of 10 seeds" in found.text
    with_it = [json.loads(line)["seed"] for line in runs.json_lines().splitlines() if "diagnosis" in json.loads(line)]
    assert tuple(with_it) == dead


def test_flows_beyond_the_first_few_are_counted() -> None:
    flows = [{"from": a, "to": 8 - a, **FILE} for a in (0, 1, 2, 3, 5, 6, 7)]
    found = run(chain(8, *flows, topology={"spacing": "260 m"}, duration="5 s")).diagnosis
    assert len(found) == 5
    assert found[-1].text.endswith("; 2 more flows deliver nothing or almost nothing")


def test_a_comparison_names_a_reason_once_for_all_its_points() -> None:
    found = compare(
        chain(3, FILE, duration="5 s"), ["new_reno", "vegas"], over={"topology.spacing": [200, 260]}, seeds=2
    )
    assert len(found.diagnosis) == 1
    place, one = found.diagnosis[0]
    assert (place, one.reason) == ("topology.spacing = 260: ", "no_path")
    assert sum("delivers nothing" in text for text in found.warnings) == 1
    assert not [text for text in found.warnings if "has no path from" in text]
    points = [json.loads(line) for line in found.json_lines().splitlines()]
    assert all(("diagnosis" in row) == (row["point"]["topology.spacing"] == 260) for row in points)


def test_commands_say_it_once(hoplab: CommandLine, tmp_path: Path) -> None:
    dead = tables(chain(3, FILE, node=[off(1)], duration="5 s"), tmp_path / "dead.toml")
    words = "the radio of node 1, a relay that it needs, is off"
    for command in ("run", "show"):
        answer = hoplab(command, dead)
        assert answer.err.count(words) == 1, answer.err
        (line,) = hoplab(command, dead, "--json").out.splitlines()
        (one,) = json.loads(line)["diagnosis"]
        assert one["reason"] == "radio_off"
        assert one["fix"] == {"node.1.radio_off": []}
    answer = hoplab("explain", dead)
    assert answer.out.count(words) == 1
    assert words not in answer.err
    assert json.loads(hoplab("explain", dead, "--json").out)["diagnosis"][0]["reason"] == "radio_off"
    assert hoplab("compare", dead, "-t", "new_reno,vegas", "--seeds", "2").err.count(words) == 1
