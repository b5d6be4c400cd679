"""The site of docs/: built strictly, asks nobody for anything, and has a page for everything that has a name."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hoplab
from hoplab.base.engine import registry

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / "scripts" / "pages" / "site_hooks.py"
LAB = "hoplab-lab.html"
BUILD = [sys.executable, "-m", "mkdocs", "build", "--strict"]
"""Not `--quiet`: mkdocs then counts no warnings."""


def load_hooks() -> Any:
    spec = importlib.util.spec_from_file_location("site_hooks", HOOKS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    environment = {"NO_MKDOCS_2_WARNING": "1", "PATH": "/usr/bin:/bin", "HOME": str(out.parent)}
    command = [*BUILD, "--config-file", str(folder / "mkdocs.yml"), "--site-dir", str(out)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("docs") / "site"
    done = build(ROOT, out)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return out


class Requests(HTMLParser):
    """What a browser fetches by itself when it opens a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        loads = tag in {"script", "img", "iframe", "source", "video", "audio", "embed"}
        if loads and (address := values.get("src")):
            self.found.append(address)
        if tag == "link" and values.get("rel") not in {"canonical", "next", "prev"} and (address := values.get("href")):
            self.found.append(address)


def test_pages_ask_no_other_machine(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        requests = Requests()
        requests.feed(page.read_text(encoding="utf-8"))
        assert requests.found or page.name == LAB  # which has all in itself
        outside = [address for address in requests.found if re.match(r"(https?:)?//", address)]
        assert outside == [], page.name
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import\s*)[\"']?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_every_page_and_notebook_is_in_it(site: Path) -> None:
    sources = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
    for source in sources:
        page = site / source.relative_to(ROOT / "docs").with_suffix(".html")
        assert page.is_file(), source
        assert "```" not in re.sub(r"<code>.*?</code>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL), source
    for notebook in (ROOT / "docs" / "use" / "notebooks").glob("*.ipynb"):
        pictures = notebook.read_text(encoding="utf-8").count('"image/png"')
        assert len(list((site / "use" / "notebooks").glob(f"{notebook.stem}-*.png"))) == pictures > 0


def test_a_link_to_nowhere_fails_the_build(tmp_path: Path) -> None:
    for name in ("docs", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    (tmp_path / "python").symlink_to(ROOT / "python")
    page = tmp_path / "docs" / "judge" / "validation.md"
    page.write_text(page.read_text() + "\n[nowhere](../protocols/nowhere.md) [no section](../index.md#nowhere)\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr
    assert "#nowhere" in done.stderr


def test_the_reference_has_every_public_name(site: Path) -> None:
    page = (site / "use" / "reference" / "python.html").read_text(encoding="utf-8")
    said = {"ControllerError", "EngineError", "LimitError", "ScenarioError", "schema"}  # the engine's own, in words
    for name in set(hoplab.__all__) - {"__version__"}:
        assert f'id="hoplab.{name}"' in page if name not in said else f"hoplab.{name}" in page, name


def test_every_transport_has_a_page_with_deviations() -> None:
    """A page of its own, or that of its family, which names it."""
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "protocols").glob("*.md"))]
    for entry in registry()["transports"]:
        page = (ROOT / "docs" / entry["page"]).read_text(encoding="utf-8")
        assert re.search(rf'transport = "{entry["name"]}"|`{entry["name"]}`', page[:600]), entry["name"]
    for text in pages:
        assert re.search(r"^## Deviations", text, re.MULTILINE), text.splitlines()[0]


def test_links_out_of_the_docs_become_words() -> None:
    site_hooks = load_hooks()
    assert site_hooks.page_of('{"cells": []}', "x") == ("\n", {})
    leaves = {"../README.md": True, "use/x.md": False, "images/../x.md": False, "images/../../x.md": True}
    assert {target: site_hooks._leaves("index.md", target) for target in leaves} == leaves
    assert not site_hooks._leaves("use/x.md", "../protocols/tcp.md")


def test_notebooks_become_pages_with_what_they_show() -> None:
    site_hooks = load_hooks()
    output = [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
        {"output_type": "display_data", "data": {"image/png": "aGVsbG8=", "text/plain": "<Figure>"}},
        {"output_type": "execute_result", "data": {"text/html": "<table></table>", "text/plain": "a table"}},
        {"output_type": "error", "traceback": ["\x1b[31mValueError\x1b[0m: no"]},
        {"output_type": "execute_result", "data": {"text/plain": "3"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": "print(1)", "outputs": output},
    ]
    text, pictures = site_hooks.page_of(json.dumps({"cells": cells}), "name")
    assert pictures == {"name-1-1.png": b"hello"}
    parts = ["# Title\ntext", "```python\nprint(1)\n```", "```text\none\ntwo\n```", "![figure](name-1-1.png)"]
    parts += ['<div class="output"><table></table></div>', "```text\nValueError: no\n```", "```text\n3\n```"]
    assert text == "\n\n".join(parts) + "\n"


def test_generated_pages_are_what_their_sources_say() -> None:
    for script in ("scenario_reference.py", "cli_reference.py", "man.py", "completions.py"):
        command = [sys.executable, str(ROOT / "scripts" / "pages" / script), "--check"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "use" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_notebooks_run_and_say_what_is_stored(path: Path) -> None:
    """Executed from the beginning; what is printed is what the site shows."""
    command = [sys.executable, str(ROOT / "scripts" / "pages" / "notebooks.py"), path.stem, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert sum(cell["cell_type"] == "markdown" for cell in cells) >= 5
    assert not any(output["output_type"] == "error" for cell in cells for output in cell.get("outputs", ()))


def visited(browser: Browser, path: Path, width: int) -> tuple[int, list[str]]:
    """How wide a page is in a window, and what it asked for."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    # Not until the network is idle: beside other tests on two cores that moment may not come for minutes.
    page.wait_for_load_state("load")
    page.wait_for_timeout(1000)
    wide = int(page.evaluate("document.documentElement.scrollWidth"))
    page.close()
    return wide, requests


def test_pages_fit_wide_and_narrow_screens(site: Path) -> None:
    """From a disk, in a real browser: nothing sticks out sideways, and nothing is asked of another machine."""
    from report.browser import WIDTHS, launched

    pages = [
        "index",
        "use/cookbook",
        "use/notebooks/figure",
        "protocols/semi_tcp",
        "use/reference/options",
        "use/reference/python",
    ]
    with launched() as browser:
        for name in pages:
            for width in WIDTHS:
                wide, requests = visited(browser, site / f"{name}.html", width)
                assert wide <= width, (name, width)
                assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_pages_opened_from_a_disk_can_be_searched(site: Path) -> None:
    """The index and the worker are scripts of the site; nothing is asked of another machine."""
    from report.browser import launched

    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto((site / "use" / "compare.html").as_uri())
        page.locator(".md-search__input").click()
        page.keyboard.type("gateways")
        first = page.locator(".md-search-result__link").first
        first.wait_for(timeout=60_000)
        first.click()
        page.wait_for_url("**/protocols/wire.html*")
        assert any(url.endswith("search/search_index.js") for url in requests)
        assert [url for url in requests if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
