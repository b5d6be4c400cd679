"""Lecture mode in a real browser: full screen, areas, inspector, jumps, two runs on one clock, video."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from hoplab.cli import dispatch
from hoplab.store.trace import open_trace
from report.browser import check_page, opened
from report.test_viewer import clock, ready, seek, settle, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHAIN = """
duration = "4 s"
[topology]
kind = "chain"
hops = 4
[[flow]]
transport = "new_reno"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A traced run, and the contrast of a run with RTS off and on."""
    root = tmp_path_factory.mktemp("lecture")
    (root / "chain.toml").write_text(CHAIN)
    with contextlib.chdir(root), (root / "out").open("w") as sink, contextlib.redirect_stdout(sink):
        assert dispatch(["-q", "run", "chain.toml", "--trace", "--out", "one"]) == 0
        setting = ["-s", "mac.rts_threshold=3000"]
        assert dispatch(["-q", "explain", "chain.toml", *setting, "--against", "chain.toml", "--out", "two.html"]) == 0
    return root


@pytest.fixture
def page(made: Path, browser: Browser) -> Iterator[Page]:
    with opened(browser, made / "one" / "report.html", 1400) as visit:
        yield ready(visit)
        assert visit.problems == []


def test_lecture_mode_shows_everything_in_one_window(page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator(".v-canvas").focus()
    page.keyboard.press("l")
    settle(page)
    for what in (".v-canvas", ".v-controls", ".v-inspector", ".v-news li"):
        box = page.locator(what).first.bounding_box()
        assert box is not None, what
        corner = (box["x"] + box["width"], box["y"] + box["height"])
        assert min(box["x"], box["y"]) >= 0, what
        assert corner <= (1400, 900), what
        assert corner[1] <= 900, what
    page.evaluate("hoplabViewer.choose({ of: 'node', id: 0 })")
    settle(page)
    reach = """() => {
      const { view } = hoplabViewer.picture;
      const r = view.scene.data.cs_range_m * view.camera.scale;
      return [view.px[0] - r, view.camera.width - view.px[0] - r, view.py[0] - r, view.camera.height - view.py[0] - r];
    }"""
    assert min(page.evaluate(reach)) >= 0, "the carrier-sense range is inside the picture"
    page.keyboard.press("Escape")
    settle(page)
    assert page.locator(".v-lecture").count() == 0


def test_jumps_reach_collisions_and_drops_of_the_trace(made: Path, page: Page) -> None:
    trace = open_trace(made / "one")
    query = "SELECT t_ns / 1e9 FROM events WHERE event = 'dropped' ORDER BY t_ns LIMIT 1"
    ((first,),) = trace.rows(query)
    seek(page, 0.0)
    page.locator(".v-canvas").focus()
    page.keyboard.press("d")
    settle(page)
    assert clock(page) == pytest.approx(first, abs=2e-6)
    assert "drops" in page.locator(".v-news li").first.inner_text()
    seek(page, 0.0)
    page.keyboard.press("c")
    settle(page)
    at = clock(page)
    lost = (
        "SELECT count(*) FROM events WHERE event = 'frame_lost' AND reason = 'collision' AND abs(t_ns / 1e9 - ?) < 1e-2"
    )
    ((count,),) = trace.rows(lost, [at])
    assert count >= 1
    page.keyboard.press("c")
    settle(page)
    page.keyboard.press("Shift+C")
    settle(page)
    assert clock(page) == pytest.approx(at)


def test_inspector_has_the_headers_of_a_frame(made: Path, page: Page) -> None:
    rows = open_trace(made / "one").rows(
        "SELECT t_ns, airtime_ns, seq, node, peer FROM events WHERE event = 'frame_sent' AND packet = 'segment' "
        "ORDER BY t_ns LIMIT 1 OFFSET 20"
    )
    t_ns, air_ns, seq, node, peer = rows[0]
    seek(page, (t_ns + air_ns * 0.5) / 1e9)
    middle = """([from, to]) => {
      const { px, py } = hoplabViewer.picture.view;
      const [dx, dy] = [px[to] - px[from], py[to] - py[from]];
      const length = Math.hypot(dx, dy);
      const lift = Math.min(length * 0.5, 46) / 2;
      return [(px[from] + px[to]) / 2 + (dy / length) * lift, (py[from] + py[to]) / 2 - (dx / length) * lift];
    }"""
    x, y = page.evaluate(middle, [node, peer])
    page.locator(".v-canvas").click(position={"x": x, "y": y})
    settle(page)
    words = page.locator(".v-inspector").inner_text()
    assert "segment frame" in words
    assert f"segment {seq} of flow 0" in words
    assert f"node {node}" in words
    assert f"{node} to {peer}" in words
    page.keyboard.press("Escape")
    settle(page)
    box = page.locator(".v-canvas").bounding_box()
    place = page.evaluate("[hoplabViewer.picture.view.px[2], hoplabViewer.picture.view.py[2]]")
    assert box is not None
    page.mouse.move(box["x"] + place[0], box["y"] + place[1])
    settle(page)
    assert page.locator(".v-inspector").inner_text().startswith("Node 2")


def test_two_runs_share_one_clock(made: Path, browser: Browser) -> None:
    path = made / "two.html"
    with opened(browser, path, 1280) as visit:
        page = ready(visit)
        assert page.locator(".v-canvas").count() == 2
        names = page.locator(".v-lane .v-heading").all_inner_texts()
        assert names == ["mac.rts_threshold = 3000", "chain"]
        seek(page, 1.5)
        assert page.evaluate("hoplabViewer.lanes.map((lane) => lane.picture.view.t)") == [1.5, 1.5]
        kinds = "(k) => hoplabViewer.lanes.map((lane) => Array.from(lane.scene.frames.kind).includes(k))"
        rts = page.evaluate("hoplabViewer.scene.data.names.kinds.indexOf('rts')")
        assert page.evaluate(kinds, rts) == [False, True]
        check_page(visit, path)


def test_a_video_is_saved(page: Page) -> None:
    with page.expect_download(timeout=20_000) as download:
        page.evaluate("hoplabViewer.record()")
        until(page, "hoplabViewer.recorder.running && hoplabViewer.clock.running")
        page.wait_for_timeout(1500)
        page.evaluate("hoplabViewer.record()")
    assert download.value.suggested_filename == "hoplab.webm"
    data = Path(download.value.path()).read_bytes()
    assert data.startswith(b"\x1a\x45\xdf\xa3"), "EBML, as WebM begins"
    assert len(data) > 2000


def test_still_pictures_are_saved(page: Page) -> None:
    saved = {}
    for kind in ("png", "svg"):
        with page.expect_download(timeout=20_000) as download:
            page.get_by_role("button", name=f"Save this picture as {kind.upper()}").first.click()
        assert download.value.suggested_filename == f"hoplab.{kind}"
        saved[kind] = Path(download.value.path()).read_bytes()
    assert saved["png"].startswith(b"\x89PNG")
    root = ET.fromstring(saved["svg"])
    texts = ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    shown = page.locator(".v-time").first.inner_text()
    assert any(shown in text for text in texts)
    nodes = page.evaluate("hoplabViewer.scene.nodes")
    assert {str(node) for node in range(nodes)} <= set(texts)
