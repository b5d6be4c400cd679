"""The laboratory in Chromium: as a file without network, with the native results, and with the scene of a trace."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fakes.tools import needs_file

from hoplab.explain import explain
from hoplab.report.animation.scene import Scene
from hoplab.report.animation.span import Span
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.scenario.trajectories import movements
from hoplab.store.trace import open_trace
from report.browser import TOO_WIDE, launched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = Path(__file__).parents[3] / "viewer" / "dist" / "hoplab-lab.html"
FIRST_S, STOP_S = 20.0, 10.0
"""Ten times what an idle machine takes, which has the first result within 1 s: tests run beside others."""
SHORT = (
    'duration = "3 s"\n[routing]\nprotocol = "aodv"\n[topology]\nkind = "chain"\nhops = 4\n'
    '[[flow]]\ntransport = "semi_tcp"\n'
)
LONG = 'duration = "90000 s"\n[topology]\nkind = "chain"\nhops = 8\n[[flow]]\ntransport = "new_reno"\n'


class Lab:
    """The page, with what it complained of and requested."""

    def __init__(self, browser: Browser, width: int, scheme: Any = "light") -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        began = time.monotonic()
        self.page.goto(PAGE.as_uri())
        self.page.wait_for_selector("#goodput tbody tr")
        self.first_s = time.monotonic() - began

    def write(self, text: str) -> None:
        """Type a scenario, and compare nothing."""
        self.page.locator("#toml").fill(text)
        self.page.locator("#f-compare").select_option("nothing")

    def watch(self) -> None:
        """Animate the chosen run."""
        self.page.locator("#watch").click()
        self.page.locator("#panel canvas").first.wait_for()

    def evaluate(self, expression: str) -> Any:
        return self.page.evaluate(expression)


def has_target() -> bool:
    """Whether Rust can compile for WebAssembly here; `scripts/lab.sh` has tried to add the target."""
    found = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True)
    return (Path(found.stdout.strip()) / "lib" / "rustlib" / "wasm32-unknown-unknown" / "lib").is_dir()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if not PAGE.is_file() and not has_target():
        pytest.skip("Rust's target wasm32-unknown-unknown is not installed: rustup target add wasm32-unknown-unknown")
    needs_file(PAGE, "make lab builds it")
    with launched() as browser:
        yield browser


@pytest.fixture
def lab(chromium: Browser) -> Iterator[Lab]:
    found = Lab(chromium, 1400)
    yield found
    assert found.problems == []
    found.page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (420, "dark")])
def test_first_result_comes_at_once_and_nothing_is_requested(chromium: Browser, width: int, scheme: str) -> None:
    lab = Lab(chromium, width, scheme)
    assert lab.first_s < FIRST_S
    lab.watch()
    assert lab.evaluate(TOO_WIDE.replace("document.querySelectorAll", "document.body.querySelectorAll")) == []
    assert lab.evaluate("document.documentElement.scrollWidth") <= width
    assert lab.problems == []
    assert [url for url in lab.requests if not url.startswith(("file:", "blob:"))] == []


def test_fingerprint_and_scene_are_those_of_the_native_engine(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(SHORT, encoding="utf-8")
    lab.write(SHORT)
    lab.watch()
    runs = run(tmp_path / "lab.toml", seeds=1, trace=tmp_path / "trace", progress=False)
    assert lab.evaluate("hoplabLab.watched.fingerprint") == runs[0].fingerprint
    ends = tuple((flow.src, flow.dst) for flow in runs[0].flows)
    scene = Scene(open_trace(tmp_path / "trace"), 1, Span(0, 3_000_000_000), movements(runs.scenario, seed=1), ends)
    native = dict(scene.tables())
    frames = native["frames"]
    assert len(frames["t"].values) > 1000
    for name in ("from", "to", "flow", "seq", "marks", "fate"):
        assert lab.evaluate(f"Array.from(hoplabLab.viewer.scene.frames.{name})") == frames[name].values.tolist(), name
    shown = lab.evaluate("Array.from(hoplabLab.viewer.scene.frames.t, (t) => Math.round(t * 1e6))")
    assert shown == frames["t"].values.tolist()
    for name, table in (("queue", "queues"), ("congested", "congested"), ("parked", "parked")):
        steps = lab.evaluate(
            f"[...hoplabLab.viewer.scene.{name}].flatMap(([node, s]) => "
            "s.times.map((t, i) => [Math.round(t * 1e6), node, s.values[i]]))"
        )
        columns = (native[table][column].values.tolist() for column in ("t", "node", "value"))
        assert sorted(steps) == sorted(map(list, zip(*columns, strict=True))), name


@pytest.mark.parametrize("lesson", range(7))
def test_sentences_of_a_run_are_those_of_explain(lab: Lab, lesson: int, tmp_path: Path) -> None:
    lab.page.locator("#lessons button").nth(lesson).click()
    lab.page.locator("#f-duration").fill("4")
    lab.page.locator("#watch").click()
    lab.page.locator("#fingerprint:not(:empty)").wait_for(state="attached")
    found = lab.page.locator("#sentences li").all_inner_texts()
    overrides = lab.evaluate("hoplabLab.variants()[document.getElementById('variant').value].overrides")
    file = tmp_path / "lab.toml"
    file.write_text(lab.page.locator("#toml").input_value(), encoding="utf-8")
    scenario = Scenario.from_file(file, tuple(map(tuple, overrides)))
    runs = run(scenario, seeds=1, series_interval_s=0.1, trace=tmp_path / "trace", progress=False)
    # The laboratory numbers its nodes.
    expected = replace(explain(runs[0], open_trace(tmp_path / "trace"), runs.scenario), names={})
    assert len(found) > 3
    assert found == [sentence for sentence in expected.sentences() if not sentence.startswith("Congestion:")]


def test_airtime_is_that_of_the_chosen_variant_and_names_it(lab: Lab) -> None:
    name, nodes = lab.page.locator("#airtime p.help"), lab.page.locator("#airtime .l-row")
    name.get_by_text("Airtime: 4 hops, seed 1.").wait_for()
    assert nodes.count() == 5
    lab.page.locator("#variant").select_option(label="2 hops")
    lab.page.locator("#seed").fill("3")
    lab.watch()
    assert (name.inner_text(), nodes.count()) == ("Airtime: 2 hops, seed 3.", 3)
    assert lab.page.locator("#fingerprint").inner_text().startswith("2 hops, seed 3: ")
    lab.page.locator("#run").click()
    name.get_by_text("Airtime: 2 hops, seed 1.").wait_for()
    assert lab.page.locator("#sentences li").count() == lab.page.locator("#panel canvas").count() == 0


def test_stop_ends_a_long_run(lab: Lab) -> None:
    lab.write(LONG)
    lab.page.wait_for_timeout(500)
    lab.page.locator("#run").click()
    lab.page.wait_for_timeout(300)
    assert lab.page.locator("#stop").is_enabled()
    began = time.monotonic()
    lab.page.locator("#stop").click()
    lab.page.get_by_text("Stopped:").wait_for()
    assert time.monotonic() - began < STOP_S


def test_text_and_controls_move_each_other(lab: Lab) -> None:
    page = lab.page
    lab.write(SHORT.replace('"chain"', '"chian"'))
    page.get_by_text('did you mean "chain"?').wait_for()
    lab.write(SHORT)
    page.locator("#problems").wait_for(state="hidden")
    page.locator('[for="f-duration"] >> text="3 s"').wait_for()
    page.locator("#f-size").fill("6")
    page.locator('[data-node="6"]').wait_for()
    assert "hops = 6" in page.locator("#toml").input_value()
    assert 'protocol = "aodv"' in page.locator("#toml").input_value()
    page.wait_for_timeout(500)  # the map is drawn anew with each answer of the engine
    box = page.locator('[data-node="6"] circle').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"], box["y"] + 60, steps=4)
    page.mouse.up()
    assert 'kind = "positions"' in page.locator("#toml").input_value()
    page.locator("#share").click()
    page.locator("#shared:not(:empty)").wait_for(state="attached")
    text, address = page.locator("#toml").input_value(), page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#goodput tbody tr")
    assert page.locator("#toml").input_value() == text
