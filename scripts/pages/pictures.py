"""Pictures of reports, animation and laboratory for docs/use: light and dark, on a screen and on a phone.

    python scripts/pages/pictures.py              # all of them; the laboratory must be built (`make lab`)
    python scripts/pages/pictures.py lab-hidden   # those of one name

Runs, comparisons and a study are made in a temporary directory; Chromium draws their pages. Look at each picture before
it is committed: nothing clipped, nothing overlapping, everything legible.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "images" / "pages"
SCHEMES = ("light", "dark")
SIZES = {1400: 1000, 420: 900}
"""Width to height of the window, in px."""
QUALITY = 60
MOST_BYTES = 2_000_000
"""Limit of all pictures together."""
DRAWN = "!document.querySelector('.plot') || window.hoplabPlots?.length === document.querySelectorAll('.plot').length"
PLAYER = "window.hoplabViewer !== undefined"


@dataclass(frozen=True)
class Picture:
    """A page to draw.

    Attributes
    ----------
    name : str
        Start of the file names.
    command : tuple of str
        What makes the page, in a directory with the example scenarios; none for a page that is there.
    at : str
        Element that the window begins with.
    steps : tuple of str
        Scripts to run before.
    ready : str
        What is true once they may run.
    """

    name: str
    command: tuple[str, ...]
    page: str
    at: str
    steps: tuple[str, ...] = ()
    ready: str = ""


CHAIN = ("scenarios/chain.toml", "--set", "duration=20 s")
PICTURES = (
    Picture(
        "comparison",
        ("compare", "scenarios/parallel.toml", "-t", "new_reno,vegas,muzha", "--seeds", "8", "--out", "comparison"),
        "comparison/report.html",
        "h1",
    ),
    Picture(
        "comparison-axis",
        ("compare", *CHAIN, "-t", "new_reno,vegas", "--over", "topology.hops=1..8", "--seeds", "5", "--out", "axis"),
        "axis/report.html",
        "#figures",
    ),
    Picture(
        "run",
        ("run", "scenarios/cross.toml", "--set", "duration=10 s", "--trace", "--out", "run"),
        "run/report.html",
        "#viewer",
    ),
    Picture(
        "interference",
        ("run", "scenarios/cross.toml", "--set", "duration=10 s", "--trace", "--out", "why"),
        "why/report.html",
        "#why-disturbs",
    ),
    Picture(
        "claim",
        ("reproduce", "muzha", "fig9", "--quick", "--out", "claim"),
        "claim/report.html",
        "#verdicts",
    ),
    Picture(
        "lecture",
        ("run", "scenarios/cross.toml", "--set", "duration=10 s", "--trace", "--out", "lecture"),
        "lecture/report.html",
        "h1",
        (
            "hoplabViewer.lecture(true)",
            "hoplabViewer.choose({ of: 'node', id: 6 })",
            "seen = hoplabViewer.scene.exchanges.find((one) => one.to === 6 && one.t > 4 && one.end - one.cts > 0.003)",
            "hoplabViewer.seek(seen.cts + 0.002)",
        ),
    ),
)

LAB = ROOT / "viewer" / "dist" / "hoplab-lab.html"
COMPARED = (
    "document.getElementById('stop').disabled && document.querySelector('#goodput tbody tr') !== null"
    " && (!window.watches || document.querySelector('#panel canvas') !== null)"
)
LESSONS = tuple(
    Picture(
        f"lab-{name}",
        (),
        str(LAB),
        at,
        (f"document.querySelectorAll('#lessons button')[{lesson}].click()", *steps),
        COMPARED,
    )
    for name, lesson, at, steps in (
        ("hidden", 0, "#l-lessons", ()),
        ("halves", 2, "#l-results", ()),
        ("semi", 4, "#l-airtime", ("window.watches = true; document.getElementById('watch').click()",)),
    )
)
"""Three lessons: network and scenario, goodput with intervals, one run with its animation."""


MOVING = ROOT / "docs" / "images" / "animation.webp"
"""The picture of README.md that moves: frames of the animation of the run of `run`."""
FRAMES, STEP_S, FRAME_MS = 60, 0.0012, 120
FROM_S = 4.0


def main() -> None:
    """Make the pages, draw them, write the pictures."""
    program = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
    if program is None:
        sys.exit("chromium: not found, required to draw the pictures; run `make browser`")
    chosen = [picture for picture in (*PICTURES, *LESSONS) if not sys.argv[1:] or picture.name in sys.argv[1:]]
    if not LAB.is_file() and any(picture in LESSONS for picture in chosen):
        sys.exit(f"{LAB.relative_to(ROOT)}: not found, required for its pictures; run `make lab`")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        shutil.copytree(ROOT / "scenarios", Path(folder) / "scenarios")
        browser = tools.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for picture in chosen:
            if picture.command:
                command = [sys.executable, "-m", "hoplab", "-q", *picture.command]
                subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            for path in drawn(browser, picture, Path(folder)):
                print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
            if picture.name == "run":
                move(browser, Path(folder) / picture.page)
                print(f"{MOVING.relative_to(ROOT)}: {MOVING.stat().st_size} bytes")
        browser.close()
    total = sum(path.stat().st_size for path in FOLDER.glob("*.webp"))
    if total > MOST_BYTES:
        sys.exit(f"{FOLDER.relative_to(ROOT)}: {total} bytes, expected at most {MOST_BYTES}; lower QUALITY")


def drawn(browser: Browser, picture: Picture, folder: Path) -> Iterator[Path]:
    """The pictures of one page."""
    for scheme in SCHEMES:
        for width, height in SIZES.items():
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            page.goto((folder / picture.page).as_uri())
            path = FOLDER / f"{picture.name}-{scheme}-{width}.webp"
            with Image.open(io.BytesIO(shot(page, picture))) as image:
                image.convert("RGB").save(path, "WEBP", quality=QUALITY, method=6)
            page.close()
            yield path


def move(browser: Browser, report: Path) -> None:
    """Draw the moving picture: one frame of it per step of simulated time."""
    page = browser.new_page(viewport={"width": 900, "height": 900}, color_scheme="light", reduced_motion="reduce")
    page.goto(report.as_uri())
    settle(page, PLAYER)
    stage = page.locator("#viewer canvas").first
    stage.scroll_into_view_if_needed()
    frames = []
    for k in range(FRAMES):
        page.evaluate("(t) => hoplabViewer.seek(t)", FROM_S + k * STEP_S)
        page.wait_for_timeout(60)
        with Image.open(io.BytesIO(stage.screenshot())) as image:
            frames.append(image.convert("RGB"))
    page.close()
    frames[0].save(
        MOVING, "WEBP", save_all=True, append_images=frames[1:], duration=FRAME_MS, loop=0, quality=QUALITY, method=6
    )


def shot(page: Page, picture: Picture) -> bytes:
    """The window after the picture's steps, as PNG."""
    settle(page, picture.ready or DRAWN)
    if picture.steps and not picture.ready:
        settle(page, PLAYER)
    for step in picture.steps:
        page.evaluate(step)
        page.wait_for_timeout(300)
        if picture.ready:
            settle(page, picture.ready)
    page.evaluate("(at) => document.querySelector(at).scrollIntoView({ behavior: 'instant' })", picture.at)
    page.evaluate("document.querySelector('nav')?.style.setProperty('position', 'static')")
    page.wait_for_timeout(300)
    return page.screenshot()


def settle(page: Page, condition: str) -> None:
    """Wait for a condition; the page's policy forbids Playwright's own way to poll."""
    for _ in range(6000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    sys.exit(f"{page.url}: never true: {condition}")


if __name__ == "__main__":
    main()
