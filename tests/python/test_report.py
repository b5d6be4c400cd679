"""Reports: escaping, completeness, size, and how they behave in a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markupsafe import Markup

from hoplab.figures import Curve, Figure
from hoplab.report import Fact, Item, Report, ReportTable, Verdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "<script>alert(1)</script>\"'&</title></style>"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def report_of(name: str) -> Report:
    """A report with `name` in every place that takes a text."""
    points = Curve(name, [1, 2, 3], [5.0, 4.0, float("nan")], [4.5, 3.5, float("nan")], [5.5, 4.5, float("nan")], 10)
    band = Curve(f"{name} band", [0.0, 0.5, 1.0], [1, 2, 3], [0, 1, 2], [2, 3, 4], 10, "line", 1)
    step = Curve(f"{name} step", [0.0, 0.5, 1.0], [1, 2, 1], None, None, None, "step", 2, shown=False)
    marks = Curve(f"{name} marks", [1, 3], [5.0, 2.0], style="marks", slot=3)
    return Report(
        title=name,
        lead=name,
        summary=[name, name],
        command=name,
        warnings=[name],
        scenario_toml=name,
        bibtex=name,
        figures=[
            Figure("first", name, name, name, (points, marks), name, integer_x=True),
            Figure("second", name, name, name, (band, step), name),
        ],
        tables=[ReportTable(name, (name, name), ((name, name),), name)],
        verdicts=[Verdict(name, name, name, name, name)],
        assumptions=[Item(name, name, name)],
        environment=[Fact(name, name)],
        footnotes=[name],
    )


def test_a_name_is_text_in_every_place() -> None:
    page = report_of(EVIL).to_html()
    assert EVIL not in page
    assert page.count("<script") == 2  # the data, and the script of the page
    assert str(Markup.escape(EVIL)) in page


def test_data_in_the_page_are_the_figures() -> None:
    page = report_of(EVIL).to_html()
    block = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    data = json.loads(block[1])
    assert data["figures"][0]["title"] == EVIL
    assert data["figures"][0]["curves"][0]["y"] == [5.0, 4.0, None]


def test_a_page_needs_nothing_from_outside() -> None:
    page = report_of("plain").to_html()
    markup = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    assert not re.search(r"https?://|\ssrc=|@import|url\(", markup)
    assert "default-src 'none'" in markup


def test_numbers_stand_below_each_figure_for_readers_without_script() -> None:
    page = report_of("plain").to_html()
    assert "5 \N{PLUS-MINUS SIGN} 0.5" in page
    assert "(n = 10)" in page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("HOPLAB_CI"):
            pytest.fail("no Chromium: scripts/install-browser.sh installs it")
        pytest.skip("no Chromium here: scripts/install-browser.sh installs it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        launched = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", ["plain", EVIL], ids=["plain", "markup"])
def test_a_browser_shows_it_without_error_or_request(browser: Browser, tmp_path: Path, width: int, name: str) -> None:
    path = tmp_path / "report.html"
    report_of(name).write(path)
    problems: list[str] = []
    requests: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(path.as_uri())
    page.wait_for_function("window.hoplabPlots && window.hoplabPlots.length === 2")
    assert page.locator("h1").inner_text() == name
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".plot canvas").count() == 2
    assert problems == []
    assert requests == [path.as_uri()]
    page.close()


def test_curves_can_be_switched_off_hovered_and_zoomed(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    report_of("plain").write(path)
    page = browser.new_page()
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.goto(path.as_uri())
    page.wait_for_function("window.hoplabPlots && window.hoplabPlots.length === 2")
    button = page.locator("#second .legend button").nth(1)
    assert button.get_attribute("aria-pressed") == "false"
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert page.evaluate("window.hoplabPlots[1].series[2].show") is True
    page.locator("#first .plot").scroll_into_view_if_needed()
    area = page.locator("#first .u-over").bounding_box()
    assert area is not None
    middle = area["y"] + area["height"] / 2
    page.mouse.move(area["x"] + 4, middle)
    assert "plain: 5 \N{PLUS-MINUS SIGN} 0.5 (n = 10)" in page.locator("#first .tip").inner_text()
    before = page.evaluate("window.hoplabPlots[0].scales.x.max")
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] / 2, middle, steps=4)
    page.mouse.up()
    assert page.evaluate("window.hoplabPlots[0].scales.x.max") < before
    page.mouse.dblclick(area["x"] + area["width"] / 2, middle)
    page.wait_for_function(f"window.hoplabPlots[0].scales.x.max === {before}")
    page.close()
