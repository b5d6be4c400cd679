"""Time the laboratory in Chromium: opening to first result, and simulated over real time of 50 nodes.

    make lab && python scripts/measure/lab_speed.py

Each is measured `REPEATS` times; printed are least, median and most.
"""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LAB = Path(__file__).parents[2] / "viewer" / "dist" / "hoplab-lab.html"
REPEATS = 5
RESULT = "#goodput tbody tr"
SIMULATED_S = 600
NODES = 50
TEXT = f"""duration = "{SIMULATED_S} s"
[topology]
kind = "grid"
columns = 10
rows = {NODES // 10}
spacing = "200 m"
[routing]
protocol = "aodv"
[[flow]]
from = 0
to = 49
transport = "new_reno"
[[flow]]
from = 9
to = 40
transport = "new_reno"
[[flow]]
from = 20
to = 29
transport = "new_reno"
"""
"""Three connections that cross a grid of 50 nodes."""


def opened(browser: Browser) -> tuple[Page, float]:
    """The page, and seconds from its address to its first result."""
    page = browser.new_page()
    began = time.monotonic()
    page.goto(LAB.as_uri())
    page.wait_for_selector(RESULT)
    return page, time.monotonic() - began


def speed(page: Page) -> float:
    """Simulated seconds per second of one seed of `TEXT`."""
    page.get_by_text(re.compile(r"\d runs, ")).wait_for()
    page.locator("#toml").fill(TEXT)
    page.locator("#f-compare").select_option("nothing")
    page.locator("#f-seeds").fill("1")
    page.wait_for_timeout(500)
    page.locator("#run").click()
    state = page.get_by_text(re.compile(r"^1 run, "))
    state.wait_for(timeout=120_000)
    found = re.search(r"in ([\d.]+) s", state.inner_text())
    assert found is not None
    return SIMULATED_S / float(found[1])


def main() -> None:
    """Measure and print."""
    program = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
    if program is None or not LAB.is_file():
        sys.exit("chromium or the laboratory is missing: run `make browser` and `make lab`")
    first, speeds = [], []
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(REPEATS):
            page, elapsed_s = opened(browser)
            first.append(elapsed_s)
            speeds.append(speed(page))
            page.close()
        browser.close()
    print(f"first result: {min(first):.2f}, {median(first):.2f}, {max(first):.2f} s")
    print(f"{NODES} nodes, simulated over real time: {min(speeds):.0f}, {median(speeds):.0f}, {max(speeds):.0f}")


if __name__ == "__main__":
    main()
