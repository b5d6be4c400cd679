"""Reports: escaping, completeness, size, and how they behave in a real browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET

import pytest
from markupsafe import Markup

from hoplab.figures import Curve, Figure
from hoplab.report import Fact, Item, Panel, Report, ReportTable, Setting, Verdict
from report.browser import OUTSIDE, WIDTHS, check_page, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EVIL = "<script>alert(1)</script>\"'&</title></style>"


def report_of(name: str) -> Report:
    """A report with `name` in every place that takes a text."""
    points = Curve(name, [1, 2, 3], [5.0, 4.0, float("nan")], [4.5, 3.5, float("nan")], [5.5, 4.5, float("nan")], 10)
    band = Curve(f"{name} band", [0.0, 0.5, 1.0], [1, 2, 3], [0, 1, 2], [2, 3, 4], 10, "line", 1)
    alone = Curve(f"{name} alone", [1, 2], [3.0, 2.0], n=1, slot=4)
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
            Figure("first", name, name, name, (points, marks, alone), name, integer_x=True, x_names=(name, name)),
            Figure("second", name, name, name, (band, step), name),
        ],
        tables=[ReportTable(name, (name, name), ((name, name),), name)],
        verdicts=[Verdict(name, name, name, name, name)],
        assumptions=[Item(name, name, name)],
        settings=[Setting(name, name, name, chosen=True), Setting(name, name, None, chosen=False)],
        scenario_name=name,
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


def test_figures_have_their_values_without_script() -> None:
    page = report_of("plain").to_html()
    assert "5 \N{PLUS-MINUS SIGN} 0.5" in page
    assert "(n = 10)" in page


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["plain", EVIL], ids=["plain", "markup"])
def test_a_browser_shows_it_without_error_or_request(browser: Browser, tmp_path: Path, width: int, name: str) -> None:
    path = tmp_path / "report.html"
    report_of(name).write(path)
    with opened(browser, path, width) as visit:
        assert visit.page.locator("h1").inner_text() == name
        assert visit.page.locator(".plot canvas").count() == 2
        check_page(visit, path)


def test_section_of_the_viewer_exists_only_with_a_viewer(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    draw = """
      const data = JSON.parse(document.getElementById("panel-data").textContent);
      document.getElementById("panel").textContent = data.name;
    """
    panel = Panel("Network", "A note.", "#panel { color: #123456; }", draw, {"name": EVIL})
    replace(report_of("plain"), viewer=panel).write(path)
    with opened(browser, path, 1280) as visit:
        assert visit.page.locator("#panel").inner_text() == EVIL
        assert visit.page.locator("#panel").evaluate("e => getComputedStyle(e).color") == "rgb(18, 52, 86)"
        check_page(visit, path)
    assert 'id="viewer"' not in report_of("plain").to_html()


def test_curves_can_be_switched_off_hovered_and_zoomed(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    report_of("plain").write(path)
    with opened(browser, path, 1280) as visit:
        use_curves(visit.page)


def use_curves(page: Page) -> None:
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


def test_a_figure_is_saved_alone_and_moved(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    report_of("plain").write(path)
    with opened(browser, path, 1280) as visit:
        page = visit.page
        saved = {}
        for kind in ("SVG", "PNG"):
            with page.expect_download() as download:
                page.locator("#first .save button", has_text=kind).click()
            assert download.value.suggested_filename == f"first.{kind.lower()}"
            saved[kind] = Path(download.value.path()).read_bytes()
        assert saved["PNG"].startswith(b"\x89PNG")
        check_saved(saved["SVG"].decode(), browser, tmp_path)
        page.locator("#second .legend button").nth(1).click(modifiers=["Shift"])
        assert page.evaluate("window.hoplabPlots[1].series.slice(1).map((one) => one.show)") == [False, True]
        page.locator("#first .plot").focus()
        page.keyboard.press("+")
        low, high = page.evaluate("[window.hoplabPlots[0].scales.x.min, window.hoplabPlots[0].scales.x.max]")
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"window.hoplabPlots[0].scales.x.min > {low}")
        assert page.evaluate("window.hoplabPlots[0].scales.x.max") > high
        assert visit.problems == []


def check_saved(svg: str, browser: Browser, tmp_path: Path) -> None:
    """A saved figure is well-formed, has title, axes and legend, and draws nothing outside itself but what it clips."""
    texts = [text.text for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    figure = report_of("plain").figures[0]
    assert {figure.title, figure.x_label, figure.y_label, figure.curves[0].name} <= set(texts)
    (tmp_path / "saved.html").write_text(f"<body>{svg}</body>")
    page = browser.new_page()
    page.goto((tmp_path / "saved.html").as_uri())
    assert page.evaluate(OUTSIDE) == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_follow_the_color_scheme(browser: Browser, tmp_path: Path, scheme: Literal["light", "dark"]) -> None:
    path = tmp_path / "report.html"
    report_of("plain").write(path)
    page = browser.new_page(color_scheme=scheme, reduced_motion="reduce")
    page.goto(path.as_uri())
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert color == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 28)"}[scheme]
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    page.close()
