"""The guide on a mesh of today: outputs are those of its commands, and its words say what the mesh does."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from fakes.command_line import CommandLine

from hoplab.scenario.model import Scenario
from hoplab.scenario.radio_links import RadioLinks

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "scripts" / "pages"
MESH = ROOT / "scenarios" / "mesh-today.toml"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    sys.path.insert(0, str(SCRIPTS))
    yield importlib.import_module("mesh_today")
    sys.path.remove(str(SCRIPTS))


def test_page_is_what_its_outputs_make(script: ModuleType) -> None:
    text = (ROOT / script.PAGE).read_text(encoding="utf-8")
    outputs = script.stored()
    assert {*outputs} == {one.command for one in script.QUESTIONS}
    assert script.page(outputs) == text
    for one in script.QUESTIONS:
        assert len(outputs[one.command].splitlines()) > 2, one.name


def test_an_answer_is_the_first_line_of_its_output(script: ModuleType) -> None:
    outputs = script.stored()
    for one in (one for one in script.QUESTIONS if not one.only):
        other = script.page({**outputs, one.command: "No difference in zeal | shown.\nrest\n"})
        assert f"| [{one.title}](#{script.anchor(one.title)}) | No difference in zeal \\| shown. |\n" in other


def test_the_second_radios_are_idle_as_given(hoplab: CommandLine) -> None:
    short = ("--set", "duration=6 s", "--set", "workload.0.stop=5 s")
    done = hoplab("explain", MESH, *short)
    rows = [line for line in done.out.splitlines() if "(channel 44)" in line]
    assert len(rows) == 25
    assert all(row.endswith(" 100.00") for row in rows)
    moved = hoplab("explain", MESH, *short, "--set", "node.office.radios=[{channel=44},{channel=36}]")
    (office,) = (line for line in moved.out.splitlines() if line.lstrip().startswith("office (channel 44)"))
    assert not office.endswith(" 100.00")


def test_the_plan_has_every_roof_behind_the_tower(script: ModuleType) -> None:
    scenario = Scenario.from_toml(MESH)
    paths = [[scenario.node_names[node] for node in path] for path in RadioLinks.of(scenario).paths.values() if path]
    behind = {roof for path in paths if "tower" in path for roof in path if roof != "server"}
    side = re.search(r'"tower\'s side on 44": plan\((.+)\)', script.PLANS)
    assert side is not None
    assert {name.strip('" ') for name in side[1].split(",")} == behind
    assert sum("office" in path for path in paths) > sum("tower" in path for path in paths), "the busiest gateway"


def test_the_words_beside_outputs_agree_with_them(script: ModuleType) -> None:
    """A second gateway is no gain, the office is the busiest, and a channel for each gateway is."""
    outputs = {one.name: script.stored()[one.command] for one in script.QUESTIONS}
    rows = re.findall(r"^(\S.*?) +tcp_cubic +([\d.]+) ±", outputs["gateway"], re.MULTILINE)
    delays = {name: float(mean) for name, mean in rows}
    assert set(delays) == {"tower", "office", '["tower", "office"]'}
    assert max(delays, key=delays.__getitem__) == '["tower", "office"]'
    assert outputs["use"].startswith("Bottleneck: office;")
    plans = {
        name: (float(page), float(goodput))
        for name, page, goodput in re.findall(
            r"^(.+?) +pages ([\d.]+) ± .* goodput ([\d.]+) ±", outputs["channels"], re.MULTILINE
        )
    }
    (page, goodput), (given_page, given) = plans["tower's side on 44"], plans["as given"]
    assert page < given_page / 2.0
    assert goodput > given * 1.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["use", "channels", "queue"])
def test_a_command_prints_what_the_page_has(name: str, script: ModuleType) -> None:
    question = next(one for one in script.QUESTIONS if one.name == name)
    assert script.output_of(question) == script.stored()[question.command]
