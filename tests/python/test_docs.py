"""Every code block of README.md and docs/ runs, in the order of its page, in a directory with the example scenarios."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import CommandLine

from hoplab.scenario.model import Scenario

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONG = {"demo", "validate", "crosscheck", "bench"}
"""Commands with tests of their own, too long to run for a page."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(m[1], m[2], text[: m.start()].count("\n") + 1) for m in FENCE.finditer(text)]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that the processes of one test session share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pages"
    folder.mkdir(exist_ok=True)
    return folder


LONG_PAGES = {"docs/use/what-if/routing.md", "docs/use/what-if/channel.md", "docs/use/compare.md"}
"""Pages whose commands take some minute of CPU: the full lane runs them."""


def _marked(page: Path) -> Any:
    name = str(page.relative_to(ROOT))
    return pytest.param(page, id=name, marks=[pytest.mark.slow] if name in LONG_PAGES else [])


@pytest.mark.parametrize("page", [_marked(page) for page in PAGES])
def test_the_code_of_a_page_runs(page: Path, hoplab: CommandLine, tmp_path: Path, shared: Path) -> None:
    assert hoplab("new", "scenarios").code == 0
    names: dict[str, Any] = {"__name__": "docs"}
    for block in blocks_of(page):
        where = f"{page.name}:{block.line}"
        if re.match(r"# python/\S+\.py", block.text):
            continue  # test_extending.py adds it to a copy of the package
        if block.language == "python":
            exec(compile(block.text, where, "exec"), names)
        elif block.language == "toml":
            _take_scenario(block.text, where, tmp_path)
        elif block.language == "sh":
            for line in block.text.splitlines():
                _run_line(line, where, hoplab)
    from matplotlib import pyplot as plt

    plt.close("all")
    _check_collisions(str(page.relative_to(ROOT)), tmp_path, shared)


def _check_collisions(page: str, folder: Path, shared: Path) -> None:
    """No page writes a file that an earlier one wrote with other content: all run one after another in a directory."""
    own = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and "scenarios" not in path.relative_to(folder).parts[:1]
    }
    kept = shared / f"{page.replace('/', '-')}.json"
    kept.with_suffix(".part").write_text(json.dumps(own))
    kept.with_suffix(".part").rename(kept)
    for other in shared.glob("*.json"):
        theirs = json.loads(other.read_text())
        assert not (common := {name for name in own.keys() & theirs.keys() if own[name] != theirs[name]}), (
            f"{page} and {other.stem} write different files of one name: {sorted(common)}"
        )


def _take_scenario(text: str, where: str, folder: Path) -> None:
    """Check a whole scenario, and keep one that names its file in the first line."""
    if "[topology]" not in text or "[[flow]]" not in text:
        text = f'{text}\n[topology]\nkind = "chain"\nhops = 2\n' if "[topology]" not in text else text
        text = text if "[[flow]]" in text else f"{text}\n[[flow]]\n"
    Scenario.from_text(text, path=where)
    name = re.match(r"# (\S+\.toml)\n", text)
    if name:
        (folder / name[1]).write_text(text)


def _run_line(line: str, where: str, hoplab: CommandLine) -> None:
    words = shlex.split(line, comments=True)
    if not words or words[0] != "hoplab" or words[1] in LONG:
        return
    answer = hoplab(*words[1:])
    assert answer.code == 0, f"{where}: {line}\n{answer.err}"
    assert "Traceback" not in answer.err
    assert "plan that this one replaces" not in answer.err, f"{where}: {line}"


def test_no_two_pages_write_to_one_directory() -> None:
    """Recipes of several pages can be run one after another in one directory: no plan replaces another."""
    owners: dict[str, set[str]] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```sh[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            for words in (shlex.split(line, comments=True) for line in block.splitlines()):
                if words[:1] == ["hoplab"] and (target := _target(words)) is not None:
                    owners.setdefault(target, set()).add(page.name)
    assert len(owners) > 10
    assert {target: pages for target, pages in owners.items() if len(pages) > 1} == {}


def _target(words: list[str]) -> str | None:
    """The directory that a command writes results to."""
    if "--out" in words:
        return words[words.index("--out") + 1]
    is_sweep = words[1] == "sweep" and "--dry-run" not in words
    return f"results/{Path(words[2]).stem}" if is_sweep else None


WHERE = ROOT / "docs" / "extend" / "architecture.md"

NOT_RUN = {
    "docs/judge/reproduce.md": "whole papers take minutes; tests/python/reproduce runs parts of them",
    "docs/protocols/split_tcp.md": "the same",
    "docs/judge/studies/ho2014.md": "the same",
    "docs/judge/studies/linux-over-hops.md": "the same",
    "docs/judge/studies/muzha.md": "the same",
    "docs/judge/studies/semi-tcp.md": "the same",
    "docs/judge/studies/split-tcp.md": "the same",
    "docs/judge/studies/variants.md": "the same",
    "docs/judge/studies/winf.md": "the same",
    "docs/use/mesh-today.md": "hundreds of runs; test_mesh_today.py repeats some of them",
    "docs/use/whatif.md": "hundreds of runs; its first block runs the same changes, shorter",
    "docs/use/reports.md": "shows what a broken sweep prints; tests/python/report makes one",
    "docs/use/sweeps.md": "needs Ray, and a cluster; tests/python/sweep/test_sweep_ray.py has both",
    "docs/extend/controllers.md": "needs Ray; tests/python/sweep/test_sweep_ray_controllers.py has it",
    "docs/extend/rust-controllers.md": "needs an engine that was changed; test_extending.py builds it",
    "docs/extend/handshakes.md": "the same",
    "docs/extend/metrics.md": "needs a row that the page adds",
    "docs/extend/commands.md": "needs the command that the page adds; test_extending.py executes it",
    "docs/use/bounds.md": "needs the scenario of the page; tests/python/bounding runs the same commands",
    "docs/use/live.md": "needs programs and privileges; tests/python/live has both",
    "docs/use/measured.md": "imports a file of its reader; tests/python/importing imports small ones",
    "docs/use/reference/options.md": "made from the command line itself",
}
"""Pages with commands in blocks that only show them, and why."""

LANGUAGES = {"python", "toml", "sh", "python sweep", "toml sweep", "sh sweep", "text", "console", "rust"}


def test_no_block_is_left_out_without_a_reason() -> None:
    """Blocks are run here, in sweep/test_sweep_docs.py or in test_extending.py; what only shows has no commands."""
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    showing = set()
    for page in PAGES:
        name = str(page.relative_to(ROOT))
        for language, text in re.findall(
            r"^```([^\n]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            assert language in LANGUAGES, f"{name}: no test runs a block of {language!r}"
            if language == "rust":
                assert page.name in {
                    "rust-controllers.md",
                    "amendments.md",
                    "applications.md",
                    "queues.md",
                    "handshakes.md",
                    "observers.md",
                    "routing.md",
                }, f"{name}: no test builds its Rust"
            commands = [line for line in text.splitlines() if re.match(r"\$? ?hoplab ", line)]
            if language in {"text", "console"} and commands:
                showing.add(name)
            if language.startswith("sh"):
                for line in filter(None, (shlex.split(line, comments=True) for line in text.splitlines())):
                    is_target = line[0] == "make" and line[1] in targets
                    assert line[0] == "hoplab" or is_target or (ROOT / line[0]).is_file(), f"{name}: {line}"
    assert showing == set(NOT_RUN)


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CHANGELOG.md", ROOT / "BENCHMARKS.md"]:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    targets = re.findall(r"\]\(([^)#:\s]+)", index.read_text(encoding="utf-8"))
    linked = {(index.parent / target).resolve() for target in targets}
    pages = {page for kind in ("md", "ipynb") for page in (ROOT / "docs").rglob(f"*.{kind}") if page != index}
    assert sorted(str(page.relative_to(ROOT)) for page in pages - linked) == []


ENGINE = ROOT / "crates" / "hoplab"


def test_source_files_that_pages_name_exist() -> None:
    """From the top, or as docs/extend/architecture.md says what they are relative to."""
    bases = (
        ROOT,
        ENGINE,
        ENGINE / "src",
        ENGINE / "src" / "transport",
        ENGINE / "tests" / "it",
        *(ENGINE / "src").iterdir(),
        ROOT / "evidence" / "hoplab_studies" / "shared",
        ROOT / "evidence" / "hoplab_studies" / "semi_tcp",
    )
    for page in [*(ROOT / "docs" / "protocols").glob("*.md"), WHERE, ROOT / "RELIABILITY.md"]:
        for name in re.findall(
            r"`((?:[\w-]+/)*(?:[\w-]+/|[\w-]+\.(?:rs|py|sh|yml)))`", page.read_text(encoding="utf-8")
        ):
            if name not in {"aodv/", "dsdv/"}:  # beside the file named before
                assert any((base / name).exists() for base in bases), f"{page.relative_to(ROOT)}: {name}"


def test_registration_lists_are_where_documented() -> None:
    lines = WHERE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|") and "`crates/hoplab/src/" in line]
    seen = 0
    for row in rows:
        words = re.findall(r"`([^`]+)`", row)
        texts = [(ROOT / word).read_text(encoding="utf-8") for word in words if re.match(r"crates/.*\.rs$", word)]
        for name in (word for word in words if re.fullmatch(r"\w+!?", word) and texts):
            seen += 1
            assert any(re.search(rf"\b{name}", text) for text in texts), f"{name} is in none of: {row}"
    assert seen > 20


def test_parts_of_the_validation_that_pages_name_exist() -> None:
    from hoplab_validation.validate.parts import PARTS

    for page in [*PAGES, ROOT / "CHANGELOG.md"]:
        for words in re.findall(r"`hoplab validate ([a-z][a-z -]*)`", page.read_text(encoding="utf-8")):
            for name in words.split():
                if name in {"--quick", "--full"}:
                    continue
                assert any(part == name or part.startswith(f"{name}-") for part in PARTS), f"{page.name}: {name}"


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("winf_*.toml")), ids=lambda path: path.stem)
def test_the_papers_own_scenarios_run_in_full(path: Path) -> None:
    from hoplab.running.execution import run

    scenario = Scenario.from_toml(path)
    assert scenario.resolve().warnings == ()
    flows = run(scenario)[0].flows
    assert sum(flow.goodput_bps > 0 for flow in flows) > len(flows) / 2


SHORT = sorted(path for path in (ROOT / "scenarios").glob("*.toml") if not path.stem.startswith("winf_"))


@pytest.mark.parametrize("path", SHORT, ids=lambda path: path.stem)
def test_every_example_scenario_runs(path: Path) -> None:
    from hoplab.running.execution import run

    scenario = Scenario.from_toml(path)
    assert scenario.resolve().warnings == ()
    short = scenario.with_(duration="6 s", warmup="0 s")
    flows = run(short)[0].flows
    # A single transfer of a workload may have just begun.
    carried = {flow.workload for flow in flows if flow.goodput_bps > 0}
    assert all(flow.goodput_bps > 0 for flow in flows if flow.workload is None)
    assert {flow.workload for flow in flows} <= carried


def test_page_of_scenario_keys_matches_the_schema() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "pages" / "scenario_reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
