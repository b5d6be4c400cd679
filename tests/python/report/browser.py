"""A report in real Chromium: what is wrong with it, and what it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fakes.tools import INSTALL, needs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = (400, 1280)
READY = "window.hoplabPlots && window.hoplabPlots.length === document.querySelectorAll('.plot').length"


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium, under one of its names; without it the test skips, or fails (`fakes.tools`)."""
    program = needs("chromium", INSTALL, "chromium-browser", "google-chrome")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that was opened, what it complained of, and what it requested."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def opened(browser: Browser, path: Path, width: int) -> Iterator[Visit]:
    """Open a file and wait until its figures are drawn."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    visit = Visit(page)
    page.on("console", lambda message: visit.problems.append(message.text))
    page.on("pageerror", lambda error: visit.problems.append(str(error)))
    page.on("dialog", lambda dialog: visit.problems.append(dialog.message))
    page.on("request", lambda request: visit.requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_function(READY)
    yield visit
    page.close()


TOO_WIDE = """() => {
  const wide = [];
  for (const table of document.querySelectorAll("table:not(.u-legend)")) {
    const box = table.closest(".scroll");
    if (!box) wide.push(`a table outside a box: ${table.textContent.slice(0, 60)}`);
    else if (box.getBoundingClientRect().right > window.innerWidth + 0.5) wide.push("a box wider than the page");
    else if (box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "auto") wide.push("cut off");
  }
  for (const plot of document.querySelectorAll(".plot canvas, .legend button, h1, h2, h3, p, li, pre"))
    if (plot.getBoundingClientRect().right > window.innerWidth + 0.5) wide.push(plot.outerHTML.slice(0, 80));
  if (window.innerWidth <= 600)
    for (const table of document.querySelectorAll("table.stacked"))
      if (table.scrollWidth > table.closest(".scroll").clientWidth) wide.push("a table cut off on a phone");
  if (document.documentElement.scrollWidth > window.innerWidth) wide.push("the page scrolls sideways");
  return wide;
}"""


OUTSIDE = """() => {
  const outside = [];
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    for (const part of svg.querySelectorAll("path, line, rect, circle, ellipse, polygon, polyline, text, use, image")) {
      if (part.closest("defs, clipPath, marker, pattern")) continue;
      const box = part.getBoundingClientRect();
      const before = [frame.left - box.left, frame.top - box.top];
      const after = [box.right - frame.right, box.bottom - frame.bottom];
      const over = Math.max(...before, ...after);
      if (over > 1.5) outside.push(`${over.toFixed(0)} px: ${part.outerHTML.slice(0, 100)}`);
    }
  }
  return outside;
}"""
"""Parts of pictures outside their viewport, where nothing is drawn."""


def check_page(visit: Visit, path: Path) -> None:
    """What holds for every report: no error, no request but for itself, nothing cut off or wider than the page."""
    for summary in visit.page.locator("details > summary").all():
        summary.click()
    wide = visit.page.evaluate(TOO_WIDE)
    assert not wide, wide
    outside = visit.page.evaluate(OUTSIDE)
    assert not outside, outside
    assert visit.problems == []
    assert visit.requests == [path.as_uri()]
