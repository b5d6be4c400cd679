"""The animation in a real browser: what it shows, by pointer and by keys, at both widths, and how fast."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from traced.scenarios import scenario

from hoplab.report.results import runs_report
from hoplab.running.execution import run
from hoplab.scenario.model import Scenario
from hoplab.store.trace import Trace, open_trace
from report.browser import WIDTHS, Visit, check_page, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROTOCOLS = ("semi_tcp", "muzha", "split_tcp", "xcp_winf", "new_reno")
SHOWN = "window.hoplabViewer !== undefined"
FRAME_MS = 1000 / 60
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A traced run per protocol, each with its report; nothing in it is to be changed."""
    root = tmp_path_factory.mktemp("viewer")
    for name in PROTOCOLS:
        folder = root / name
        folder.mkdir()
        routing = "aodv" if name in {"new_reno", "semi_tcp"} else "static"
        runs = run(scenario(name, routing=routing), trace=folder, progress=False)
        runs_report(runs, command="", trace=open_trace(folder)).write(folder / "report.html")
    return root


@pytest.fixture
def page(request: pytest.FixtureRequest, made: Path, browser: Browser) -> Iterator[Page]:
    """The wide report of a protocol, by default Muzha's."""
    with opened(browser, made / getattr(request, "param", "muzha") / "report.html", 1280) as visit:
        yield ready(visit)
        assert visit.problems == []


def ready(visit: Visit) -> Page:
    until(visit.page, SHOWN)
    return visit.page


def seek(page: Page, t_s: float) -> None:
    page.evaluate("(t) => hoplabViewer.seek(t)", t_s)
    settle(page)


def settle(page: Page) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def clock(page: Page) -> float:
    return float(page.evaluate("hoplabViewer.clock.t"))


def picture(page: Page) -> str:
    """What the canvas shows, as a PNG in text."""
    return str(page.evaluate('document.querySelector(".v-canvas").toDataURL()'))


def until(page: Page, condition: str) -> None:
    """Wait for a condition; the page's policy lets Playwright's own way of waiting evaluate it once only."""
    for _ in range(300):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never true: {condition}")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_is_shown_without_error_or_request(made: Path, browser: Browser, name: str, width: int) -> None:
    path = made / name / "report.html"
    with opened(browser, path, width) as visit:
        page = ready(visit)
        canvas = page.locator(".v-canvas").bounding_box()
        assert canvas is not None
        assert canvas["width"] > width * 0.5
        own = {"semi_tcp": "congestion", "muzha": "levels", "split_tcp": "proxies", "xcp_winf": "estimates"}
        for protocol, layer in own.items():
            assert page.locator(f'[data-layer="{layer}"]').count() == int(protocol == name)
        for button in page.locator(".v-app button, .v-app select, .v-app input").all():
            box = button.bounding_box()
            assert box is None or box["x"] + box["width"] <= width + 0.5
        assert page.locator(".v-canvas").get_attribute("aria-label", timeout=1000).startswith("Network of 6 nodes")  # type: ignore[union-attr]
        check_page(visit, path)


def test_picture_matches_the_trace(made: Path, page: Page) -> None:
    trace = open_trace(made / "muzha")
    for t_s, words, waiting in moments(trace):
        seek(page, t_s)
        assert words in page.locator(".v-air").inner_text()
        label = page.locator(".v-canvas").get_attribute("aria-label")
        assert label is not None
        assert label.endswith(f"{waiting} packets queued")


def moments(trace: Trace) -> list[tuple[float, str, int]]:
    """Moments with a segment on the air; how many packets wait then."""
    rows = trace.rows(
        "SELECT t_ns + airtime_ns // 2, seq, node, peer FROM events "
        "WHERE event = 'frame_sent' AND packet = 'segment' AND seed = 1 ORDER BY t_ns"
    )
    found = []
    for t_ns, seq, node, peer in rows[5 :: len(rows) // 6]:
        ((waiting,),) = trace.rows(
            "SELECT coalesce(sum(len), 0) FROM (SELECT arg_max(value, n) AS len FROM (SELECT node, value, "
            "row_number() OVER () AS n, t_ns, event FROM events) WHERE event IN ('enqueued', 'dequeued') AND t_ns <= ? "
            "GROUP BY node)",
            [t_ns],
        )
        found.append((t_ns / 1e9, f"segment {seq} of flow 0, node {node} to node {peer}", int(waiting)))
    return found


def test_levels_and_headers_along_the_way(made: Path, page: Page) -> None:
    """The header that leaves the last router is the least level of the way: the flow's whole point."""
    seek(page, 4.0)
    rows = page.locator(".v-hops tbody tr").all()
    assert [row.locator("th").inner_text() for row in rows] == ["0", "1", "2", "3", "4", "5"]
    titles = page.locator(".v-hops thead th").all_inner_texts()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    levels = [int(row[titles.index("DRAI") - 1]) for row in cells]
    headers = [row[titles.index("MRAI") - 1] for row in cells]
    assert all(1 <= level <= 5 for level in levels)
    assert headers[-1] == "\N{EN DASH}"  # the sink passes nothing on
    assert all(1 <= int(header) <= 5 for header in headers[:-1])


@pytest.mark.parametrize("page", ["split_tcp"], indirect=True)
def test_proxies_and_their_stores(made: Path, page: Page) -> None:
    trace = open_trace(made / "split_tcp")
    ((t_ns, node, held),) = trace.rows(
        "SELECT t_ns, node, value FROM events WHERE event = 'proxy_accepted' AND seed = 1 "
        "ORDER BY value DESC, t_ns LIMIT 1"
    )
    seek(page, (t_ns + 1) / 1e9)
    row = page.locator(".v-hops tbody tr").nth(node)
    holds = page.locator(".v-hops thead th").all_inner_texts().index("buffer") - 1
    assert row.locator("td").nth(holds).inner_text() == str(int(held))
    with_proxy = picture(page)
    page.locator('[data-layer="proxies"]').click()
    settle(page)
    assert picture(page) != with_proxy


@pytest.mark.parametrize("page", ["semi_tcp"], indirect=True)
def test_congestion_and_back_pressure(made: Path, page: Page) -> None:
    trace = open_trace(made / "semi_tcp")
    ((t_ns, node, by),) = trace.rows(
        "SELECT t_ns, node, peer FROM events e WHERE event = 'handshake' AND reason = 'parked' AND seed = 1 AND NOT "
        "EXISTS (SELECT 1 FROM events u WHERE u.node = e.node AND u.event = 'handshake' AND u.seed = 1 "
        "AND u.reason IN ('parked', 'unparked') AND u.t_ns > e.t_ns AND u.t_ns < e.t_ns + 1000000) "
        "AND t_ns > 1000000000 ORDER BY t_ns LIMIT 1"
    )
    seek(page, t_ns / 1e9 + 0.0003)
    row = page.locator(".v-hops tbody tr").filter(has=page.get_by_role("button", name=str(node), exact=True))
    assert f"parked for {by}" in row.inner_text()
    assert f"node {node} parks its packet for node {by}" in page.locator(".v-news").inner_text()
    assert re.search(r"RTS, outlined C: RTSC", page.locator(".v-legend").inner_text())
    before = picture(page)
    page.locator('[data-layer="congestion"]').click()
    settle(page)
    assert picture(page) != before


def test_playing_moves_the_clock_and_all_that_follows_it(page: Page) -> None:
    seek(page, 2.0)
    page.locator(".v-speed select").select_option("0.1")
    page.get_by_role("button", name="Play or pause").click()
    until(page, "hoplabViewer.clock.t > 2.02")
    page.get_by_role("button", name="Play or pause").click()
    stopped = clock(page)
    settle(page)
    assert clock(page) == stopped
    shown = page.locator(".v-time").inner_text().replace("\u202f", "")
    assert shown == f"{stopped:.6f} s"
    assert float(page.locator(".v-slider").input_value()) == pytest.approx(stopped, abs=1e-6)
    assert clock_line(page) == pytest.approx(stopped, abs=0.05)


def clock_line(page: Page) -> float:
    """Time at which the line of the first chart stands."""
    at: float = page.evaluate(
        """() => {
          const line = document.querySelector(".v-now").getBoundingClientRect();
          const over = document.querySelector(".v-chart .u-over").getBoundingClientRect();
          const { begin, end } = hoplabViewer.scene;
          return begin + (end - begin) * (line.left + 1 - over.left) / over.width;
        }"""
    )
    return at


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    seek(page, 2.0)
    page.locator(".v-canvas").focus()
    press = page.keyboard.press
    press(".")
    settle(page)
    first = clock(page)
    assert first > 2.0
    press(".")
    press(",")
    settle(page)
    assert clock(page) == pytest.approx(first, abs=0.02)
    press("ArrowRight")
    settle(page)
    assert clock(page) > first + 0.05
    press("Home")
    settle(page)
    assert clock(page) == 0.0
    press("ArrowUp")
    settle(page)
    assert page.locator(".v-speed select").input_value() == "0.02"
    press("Space")
    until(page, "hoplabViewer.clock.running")
    press("Space")
    assert page.evaluate("hoplabViewer.clock.running") is False
    press("n")
    press("n")
    settle(page)
    assert page.locator(".v-side select").input_value() == "node 1"
    assert page.locator(".v-chart").first.inner_text().startswith("queue")
    press("f")
    settle(page)
    assert page.locator(".v-side select").input_value() == "flow 0"
    press("Escape")
    settle(page)
    assert page.locator(".v-chart").count() == 0
    # Elements with keys of their own keep them: a space on a legend button switches, it does not play.
    routes = page.locator('[data-layer="routes"]')
    routes.focus()
    press("Space")
    assert routes.get_attribute("aria-pressed") == "false"
    assert page.evaluate("hoplabViewer.clock.running") is False


def test_a_click_on_a_node_and_on_a_flow(page: Page) -> None:
    box = page.locator(".v-canvas").bounding_box()
    assert box is not None

    def at(node: int) -> tuple[float, float]:
        x, y = page.evaluate("(n) => [hoplabViewer.picture.view.px[n], hoplabViewer.picture.view.py[n]]", node)
        return box["x"] + x, box["y"] + y

    seek(page, 3.0)
    page.mouse.click(*at(3))
    settle(page)
    assert page.locator(".v-side select").input_value() == "node 3"
    titles = page.locator(".v-chart p").all_inner_texts()
    assert [title.split(":")[0] for title in titles][:2] == ["queue length (limit 4)", "level (DRAI)"]
    (x0, y0), (x1, y1) = at(1), at(2)
    page.mouse.click((x0 + x1) / 2, (y0 + y1) / 2)
    settle(page)
    assert page.locator(".v-side select").input_value() == "flow 0"
    titles = page.locator(".v-chart p").all_inner_texts()
    assert [title.split(":")[0] for title in titles][:2] == ["window", "smoothed round-trip time"]


def test_a_click_on_a_chart_moves_the_clock(page: Page) -> None:
    over = page.locator(".v-chart .u-over").first.bounding_box()
    assert over is not None
    page.mouse.click(over["x"] + over["width"] / 2, over["y"] + over["height"] / 2)
    settle(page)
    assert clock(page) == pytest.approx(3.0, abs=0.05)
    assert clock_line(page) == pytest.approx(3.0, abs=0.05)


def test_enlarging_and_going_back(page: Page) -> None:
    seek(page, 3.0)
    before = picture(page)
    page.get_by_role("button", name="Zoom in").click()
    settle(page)
    assert picture(page) != before
    page.get_by_role("button", name="Show everything").click()
    settle(page)
    assert picture(page) == before


def test_each_sign_can_be_switched_off(page: Page) -> None:
    ((t_s, *_), *_) = moments_with("data", page)
    seek(page, t_s)
    before = picture(page)
    page.locator('[data-layer="data"]').click()
    settle(page)
    assert picture(page) != before
    page.locator('[data-layer="data"]').click()
    settle(page)
    assert picture(page) == before


def moments_with(kind: str, page: Page) -> list[tuple[float]]:
    """Moments in the middle of a segment."""
    found: float = page.evaluate(
        """() => {
          const { frames, data } = hoplabViewer.scene;
          const kind = data.names.kinds.indexOf("segment");
          const i = Array.from(frames.kind).indexOf(kind, 200);
          return frames.t[i] + frames.air[i] / 2;
        }"""
    )
    assert kind == "data"
    return [(found,)]


def test_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    runs = run(scenario("new_reno", duration="2 s"), trace=tmp_path, progress=False)
    report = runs_report(runs, command="", trace=open_trace(tmp_path))
    assert report.viewer is not None
    report.viewer.data["flows"][0]["transport"] = EVIL
    report.viewer.data["names"]["reasons"] = [EVIL] * len(report.viewer.data["names"]["reasons"])
    path = tmp_path / "report.html"
    report.write(path)
    with opened(browser, path, 1280) as visit:
        page = ready(visit)
        seek(page, 2.0)
        assert EVIL in page.locator(".v-side option").nth(1).text_content()  # type: ignore[operator]
        assert page.locator(".v-app img").count() == 0
        check_page(visit, path)


def test_broken_data_show_an_error(browser: Browser, made: Path, tmp_path: Path) -> None:
    text = (made / "muzha" / "report.html").read_text()
    path = tmp_path / "report.html"
    path.write_text(re.sub(r'"format": 1,', '"format": 99,', text, count=1))
    with opened(browser, path, 1280) as visit:
        until(visit.page, "document.getElementById('panel').dataset.failed === 'yes'")
        assert "format 99; this viewer reads format 1" in visit.page.locator("#panel").inner_text()
        assert visit.problems == []


def test_a_hundred_nodes_are_drawn_within_a_frame(browser: Browser, tmp_path: Path) -> None:
    flows = "".join(f'[[flow]]\nfrom = {2 * i}\nto = {2 * i + 1}\ntransport = "new_reno"\n' for i in range(5))
    large = Scenario.from_text(
        'duration = "15 s"\n[topology]\nkind = "random"\nnodes = 100\narea = ["1500 m", "1500 m"]\n[mobility]\n'
        'kind = "waypoint"\nmin_speed = "1 m/s"\nmax_speed = "10 m/s"\n[routing]\nprotocol = "aodv"\n' + flows
    )
    runs = run(large, trace=tmp_path, progress=False)
    path = tmp_path / "report.html"
    runs_report(runs, command="", trace=open_trace(tmp_path)).write(path)
    with opened(browser, path, 1280) as visit:
        page = ready(visit)
        for speed in (0.01, 1.0):
            times: list[Any] = json.loads(page.evaluate(DRAWS, speed))
            # The middle of many: what else the machine does moves the slow ones.
            assert statistics.median(times) < FRAME_MS, (speed, times)


DRAWS = """(speed) => {
  const { scene, clock } = hoplabViewer;
  clock.speed = speed;
  const times = [];
  for (let i = 0; i < 200; i += 1) {
    const before = performance.now();
    hoplabViewer.draw(scene.begin + (scene.end - scene.begin) * (i + 0.5) / 200);
    times.push(performance.now() - before);
  }
  return JSON.stringify(times);
}"""
