"""`make join`: what it names as missing, and the list that all guides end with."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
LIST = "## Before it joins the project"
GOLDEN = "crates/hoplab/tests/golden/trajectories"
HEADINGS = "Model, Source, Deviations, Parameters, Validation"
NO_PARTS = {"architecture.md", "controllers.md", "rates.md", "learning.md"}
"""Pages of docs/extend/ about what stays outside the project."""


@pytest.fixture(scope="module")
def join() -> ModuleType:
    spec = importlib.util.spec_from_file_location("join", ROOT / "scripts" / "join.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["join"] = module  # where dataclasses look annotations up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What `make join` reads, as the first commit of a repository."""
    for folder in ("docs", GOLDEN):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("images"))
    for file in ("mkdocs.yml", "CHANGELOG.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def test_guides_end_with_the_same_list() -> None:
    guides = [page for page in sorted((ROOT / "docs" / "extend").glob("*.md")) if page.name not in NO_PARTS]
    ends = {page.name: page.read_text(encoding="utf-8").partition(LIST)[2] for page in guides}
    assert len(ends) >= 8
    assert set(ends.values()) == {ends["queues.md"]}, [name for name, end in ends.items() if end != ends["queues.md"]]
    assert "`make join`" in ends["queues.md"]


def test_transport_lacks_all_that_a_part_needs(join: ModuleType, copy: Path) -> None:
    part = join.Part("transports", "gentle", "protocols/gentle.md")

    def missing(title: str) -> list[str]:
        return [*join.missing(copy, part, lambda _: title), *join.unlisted_pages(copy)]

    assert missing("gentle") == [
        f"gentle (transports): {wrong}"
        for wrong in (
            f"docs/protocols/gentle.md does not exist: write it, with the headings {HEADINGS}",
            "no title for figures",
            f"no row in {GOLDEN}/ uses it: write one for it, and one for each of its keys",
            "no line under Unreleased in CHANGELOG.md names it",
        )
    ]
    page = copy / "docs" / "protocols" / "gentle.md"
    page.write_text("# Gentle\n")
    assert missing("Gentle")[0] == "gentle (transports): docs/protocols/gentle.md does not name it"
    page.write_text('# Gentle\n\n`transport = "gentle"`: grows slowly.\n')
    assert [line for line in missing("Gentle") if "gentle.md" in line] == [
        "docs/index.md: no link to protocols/gentle.md",
        "mkdocs.yml: no row for protocols/gentle.md",
    ]
    _add(copy / "docs" / "index.md", "[Reno](protocols/reno.md)", "[Gentle](protocols/gentle.md), ")
    _add(copy / "mkdocs.yml", "          - protocols/reno.md\n", "          - protocols/gentle.md\n")
    _add(copy / GOLDEN / "congestion.txt", "", "flow.transport=gentle | 0 0\n")
    _add(copy / "CHANGELOG.md", "## [0.2.0]", "- Transport `gentle`.\n\n")
    assert missing("Gentle") == []


def test_command_and_metric_need_a_row_of_their_pages(join: ModuleType, copy: Path) -> None:
    for family, name, page, row in (
        ("commands", "hops", "use/reference/cli.md", "| `hoplab hops FILE` | hops of each flow |\n"),
        ("metrics", "retransmitted_share", "use/reference/json.md", "| `retransmitted_share` | | a share |\n"),
    ):
        part = join.Part(family, name, page)
        label = f"{name} ({family})"
        lines = list(join.missing(copy, part, str))
        no_line = f"{label}: no line under Unreleased in CHANGELOG.md names it"
        assert lines == [f"{label}: docs/{page} does not name it", no_line]
        _add(copy / "docs" / page, "", row)
        assert list(join.missing(copy, part, str)) == [no_line]


def test_names_of_the_last_commit_are_known(join: ModuleType) -> None:
    parts = {(part.family, part.name): part for part in join.parts()}
    for known in (
        ("transports", "new_reno"),
        ("commands", "explain"),
        ("metrics", "fct_p95_s"),
        ("routing", "aodv"),
    ):
        assert join.is_known(parts[known], "HEAD"), known
    for family in ("transports", "commands", "metrics"):
        assert not join.is_known(join.Part(family, "goodput_gentle", "x.md"), "HEAD") or family == "metrics"


def test_stored_results_stay_and_new_rows_take_theirs(join: ModuleType) -> None:
    one, two = "1" * 16, "2" * 16
    before = f"as it is | {one} 1111\nflow.window=8 | {one} 1111 | no limit\nflow.transport=gentle\n"
    after = f"as it is | {one} 1111\nflow.window=8 | {two} 2222 | no limit\nflow.transport=gentle | {two} 2222\n"
    assert join.kept(before, after).splitlines() == [*before.splitlines()[:2], after.splitlines()[2]]
    assert join.kept("4 4 4 4\n", "4 4 5 6\n") == "4 4 4 4\n"


def test_check_writes_nothing() -> None:
    def changes() -> str:
        return subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    before = changes()
    command = [sys.executable, str(ROOT / "scripts" / "join.py"), "--check", "--since", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("new since HEAD: "), done.stderr
    assert changes() == before


def _add(path: Path, anchor: str, more: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert anchor in text
    path.write_text(text.replace(anchor, more + anchor, 1) if anchor else text + more, encoding="utf-8")
