"""What a new part needs before it joins the project: `make join`.

Writes what is generated: reference pages, the man page, completions, and the stored lists that tests compare with. Then
it names what is missing for each part that the lists have and `--since REF` has not. By default that is the commit at
which this branch left main, on main itself the last one. `--check` writes nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("scenario_reference.py", "cli_reference.py", "man.py", "completions.py")
"""What writes generated pages, in scripts/pages/."""
BLESSED = "scenario_messages"
"""Tests whose stored texts list names: they change with each new one, and are rewritten."""
GOLDEN = ("transport_curves", "trajectories")
"""Tests with stored results, to which a part adds."""
GOLDEN_FILES = ("crates/hoplab/tests/golden/trajectories", "crates/hoplab/tests/scripts/curves")
CONTROLLED = {"transports", "routing", "queues", "apps", "handshakes", "workloads"}
"""Families whose names a scenario of golden trajectories uses."""


@dataclass(frozen=True)
class Part:
    """A name of a list: its family, and its page below docs/."""

    family: str
    name: str
    page: str


def main() -> None:
    """Write what is generated, then report what is missing; exit with 1 if anything is."""
    parser = argparse.ArgumentParser(description="Write what is generated, and name what a new part lacks.")
    parser.add_argument(
        "--since", metavar="REF", help="names of this commit are not new [default: where main was left]"
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    wanted = parser.parse_args()
    since = wanted.since or left_main()
    failures = list(compare() if wanted.check else generate())
    new = [part for part in parts() if not is_known(part, since)]
    failures += [line for part in new for line in missing(ROOT, part, title)]
    failures += unlisted_pages(ROOT)
    names = ", ".join(f"{part.name} ({part.family})" for part in new) or "none"
    print(f"new since {since[:10]}: {names}")
    if failures:
        print("\nmissing:", *failures, sep="\n- ")
        sys.exit(1)
    print("nothing is missing; `make check` runs all checks")


# ---- what is generated ----------------------------------------------------------------------------------------------


def generate() -> Iterator[str]:
    """Write pages and stored lists; yields what could not be written."""
    for script in PAGES:
        subprocess.run([sys.executable, str(ROOT / "scripts" / "pages" / script)], cwd=ROOT, check=True)
    yield from _blessed(BLESSED)
    for test in GOLDEN:
        before = {path: path.read_text(encoding="utf-8") for path in _golden_files()}
        failures, moved = list(_blessed(test)), []
        for path, text in before.items():
            after = path.read_text(encoding="utf-8")
            if (stored := kept(text, after)) != after:
                path.write_text(stored, encoding="utf-8")
                moved.append(f"{path.relative_to(ROOT)}: results of other parts changed; the stored ones stay.")
        remedy = f"If that is meant, say why under Results affected in CHANGELOG.md, and run BLESS=1 {_command(test)}"
        yield from [f"{line} {remedy}" for line in moved] or failures


def compare() -> Iterator[str]:
    """What is not up to date, of that which needs no Rust."""
    for script in PAGES:
        command = [sys.executable, str(ROOT / "scripts" / "pages" / script), "--check"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            yield done.stderr.strip()


def _blessed(test: str) -> Iterator[str]:
    command = _command(test).split()
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "BLESS": "1"}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        yield f"{' '.join(command)} fails:\n{done.stdout[-2000:]}{done.stderr[-1000:]}"


def _command(test: str) -> str:
    return f"cargo test -p hoplab --test it {test}::"


def _golden_files() -> list[Path]:
    return [path for folder in GOLDEN_FILES for path in sorted((ROOT / folder).rglob("*.txt"))]


def kept(before: str, after: str) -> str:
    """Stored results after a test rewrote them: rows that had a result keep it, new ones take theirs."""
    if before[:1].isdigit():  # a curve
        return before
    done = [line for line in before.splitlines() if re.search(r"\| [0-9a-f]{16} ", line)]
    rows = {line.partition("|")[0]: line for line in done}
    return "".join(f"{rows.get(line.partition('|')[0], line)}\n" for line in after.splitlines())


# ---- what is new ----------------------------------------------------------------------------------------------------


def parts() -> list[Part]:
    """All names of the lists."""
    from hoplab.base.engine import registry  # noqa: PLC0415 (the engine may just have been built)
    from hoplab.base.metrics import ALL_METRICS  # noqa: PLC0415
    from hoplab.cli.table import COMMANDS  # noqa: PLC0415

    named = [Part(family, entry["name"], entry["page"]) for family, rows in registry().items() for entry in rows]
    named += [Part("commands", name, "use/reference/cli.md") for name in COMMANDS]
    return named + [Part("metrics", name, "use/reference/json.md") for name in ALL_METRICS]


def left_main() -> str:
    """The commit at which this branch left main; the last one on main itself."""
    for name in ("origin/main", "main"):
        done = subprocess.run(
            ["git", "merge-base", "HEAD", name], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return done.stdout.strip()
    return "HEAD"


def is_known(part: Part, since: str) -> bool:
    """Whether a commit has the name already."""
    words, places = {
        "commands": (rf"^## {part.name}\b", ["docs/use/reference/options.md"]),
        "metrics": (rf"\b{part.name}\b", ["python"]),
    }.get(part.family, (rf"^\| \[`{part.name}`\]", ["docs/use/reference/names.md"]))
    command = ["git", "grep", "-qE", "-e", words, since, "--", *places]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0 or _is_made(part)


def _is_made(part: Part) -> bool:
    """Whether a metric is made from others, as statistics of times are: no row has its name."""
    sources = (ROOT / "python" / "hoplab").rglob("*.py")
    is_written = any(re.search(rf"\b{part.name}\b", path.read_text(encoding="utf-8")) for path in sources)
    return part.family == "metrics" and not is_written


def title(name: str) -> str:
    """The name of a transport in figures."""
    from hoplab.base.transports import transport_title  # noqa: PLC0415 (the engine may just have been built)

    return transport_title(name)


# ---- what is missing ------------------------------------------------------------------------------------------------


def missing(root: Path, part: Part, title_of: Callable[[str], str]) -> Iterator[str]:
    """What a new part lacks, in words."""
    name, label = part.name, f"{part.name} ({part.family})"
    page = root / "docs" / part.page
    if not page.is_file():
        headings = "Model, Source, Deviations, Parameters, Validation"
        yield f"{label}: docs/{part.page} does not exist: write it, with the headings {headings}"
    elif not re.search(
        rf'["`]({"hoplab " if part.family == "commands" else ""}){name}\b', page.read_text(encoding="utf-8")
    ):
        yield f"{label}: docs/{part.page} does not name it"
    if part.family == "transports" and title_of(name) == name:
        yield f"{label}: no title for figures"
    golden = (root / "crates" / "hoplab" / "tests" / "golden" / "trajectories").glob("*.t*t*")
    if part.family in CONTROLLED and not _named(name, golden):
        folder = "crates/hoplab/tests/golden/trajectories/"
        yield f"{label}: no row in {folder} uses it: write one for it, and one for each of its keys"
    if not any(re.search(rf"(?<![\w-]){name}(?![\w-])", code) for code in re.findall(r"`([^`\n]+)`", unreleased(root))):
        yield f"{label}: no line under Unreleased in CHANGELOG.md names it"


def unlisted_pages(root: Path) -> list[str]:
    """Pages that the index or the navigation of the site lacks."""
    docs = root / "docs"
    pages = sorted(str(path.relative_to(docs)) for path in docs.rglob("*.md") if path.name != "index.md")
    index = (docs / "index.md").read_text(encoding="utf-8")
    site = (root / "mkdocs.yml").read_text(encoding="utf-8")
    failures = [f"docs/index.md: no link to {page}" for page in pages if f"]({page}" not in index]
    return failures + [
        f"mkdocs.yml: no row for {page}" for page in pages if not re.search(rf"[-:] {page}$", site, re.MULTILINE)
    ]


def unreleased(root: Path) -> str:
    """The first section of the changelog."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.partition("## [Unreleased]")[2].partition("\n## [")[0]


def _named(name: str, paths: Iterable[Path]) -> bool:
    return any(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")) for path in paths)


if __name__ == "__main__":
    main()
