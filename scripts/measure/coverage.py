"""Line coverage of the engine by its Rust tests: ``make coverage``.

Builds the tests with the compiler's own instrumentation, apart from other builds, runs them, and prints the share of
lines that ran, by folder and for each file below the goal. The lines that did not run are left in
``target/coverage/uncovered.txt``. Test modules are left out of the count. Needs the tools of LLVM that belong to the
compiler: ``rustup component add llvm-tools``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "crates" / "hoplab" / "src"
GOAL = 0.95
TEST_FILE = re.compile(r"(^|/|_)(tests?|script)\.rs$")
"""Files that hold tests alone, by the names that this project gives them."""
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\s*\nmod \w+ \{", re.MULTILINE)

Counts = dict[int, int]
"""How often each line of a file ran."""


def main() -> int:
    """Build, run, count. The exit code is 1 where the goal is missed, or a test fails."""
    parser = argparse.ArgumentParser(description="Line coverage of the engine by its Rust tests.")
    parser.add_argument("--again", action="store_true", help="count what the last run has left; build and run nothing")
    parser.add_argument("test", nargs="*", help="arguments of cargo test, such as --lib or --test it; all by default")
    options = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "coverage"
    failed = False
    if not options.again:
        shutil.rmtree(target / "profiles", ignore_errors=True)
        failed = not run_tests(target, options.test)
    lines = counted(target)
    uncovered = target / "uncovered.txt"
    uncovered.write_text("".join(f"{place}\n" for place in missed(lines)), encoding="utf-8")
    total = report(lines)
    print(f"lines that did not run: {uncovered}")
    return 1 if failed or total < GOAL else 0


def run_tests(target: Path, words: Iterable[str]) -> bool:
    """Build the tests and run them; whether all passed."""
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(target),
        "CARGO_PROFILE_DEV_DEBUG": "0",
        "RUSTFLAGS": "-C instrument-coverage",
        "LLVM_PROFILE_FILE": str(target / "profiles" / "%4m.profraw"),
    }
    command = ["cargo", "test", "-p", "hoplab", *(words or ["--lib", "--tests"])]
    build = [*command, "--no-run", "--message-format=json"]
    built = subprocess.run(build, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    messages = (json.loads(line) for line in built.stdout.splitlines() if line.startswith("{"))
    programs = [message["executable"] for message in messages if message.get("executable")]
    (target / "programs.txt").write_text("".join(f"{program}\n" for program in programs), encoding="utf-8")
    # The test that is left out asks for speed, which instrumentation takes.
    run = [*command, "--no-fail-fast", "--quiet", "--", "--skip", "extreme_scenarios_are_parsed_in_bounded_time"]
    return subprocess.run(run, cwd=ROOT, env=environment, check=False).returncode == 0


def counted(target: Path) -> dict[str, Counts]:
    """How often each line of the engine ran: file below `src` to line to count."""
    tools = llvm_tools()
    whole = target / "all.profdata"
    profiles = sorted(map(str, (target / "profiles").glob("*.profraw")))
    if not profiles:
        sys.exit(f"coverage: no profile in {target / 'profiles'}: run it without --again first")
    subprocess.run([tools / "llvm-profdata", "merge", "--sparse", *profiles, "-o", whole], check=True)
    programs = (target / "programs.txt").read_text(encoding="utf-8").splitlines()
    objects = [word for program in programs for word in ("--object", program)][1:]
    export = [str(tools / "llvm-cov"), "export", "--format=lcov", f"--instr-profile={whole}", *objects, str(ENGINE)]
    told = subprocess.run(export, stdout=subprocess.PIPE, text=True, check=True).stdout
    return without_tests(read_lcov(told))


def llvm_tools() -> Path:
    """Where the compiler keeps its LLVM tools."""
    told = subprocess.run(["rustc", "--print", "target-libdir"], stdout=subprocess.PIPE, text=True, check=True).stdout
    place = Path(told.strip()).parent / "bin"
    if not (place / "llvm-cov").exists():
        sys.exit(f"coverage: no llvm-cov in {place}: rustup component add llvm-tools")
    return place


def read_lcov(text: str) -> dict[str, Counts]:
    """The lines of a report in lcov's format: file to line to count."""
    found: dict[str, Counts] = defaultdict(dict)
    file = ""
    for record in text.splitlines():
        key, _, value = record.partition(":")
        if key == "SF":
            file = value
        elif key == "DA":
            line, count = map(int, value.split(",")[:2])
            found[file][line] = found[file].get(line, 0) + count
    return dict(found)


def without_tests(found: Mapping[str, Counts]) -> dict[str, Counts]:
    """The same without files and modules of tests, which stand at the end of their files; names below `src`."""
    engine = {}
    for name, lines in found.items():
        path = Path(name)
        if not path.is_relative_to(ENGINE) or TEST_FILE.search(name):
            continue
        text = path.read_text(encoding="utf-8")
        module = TEST_MODULE.search(text)
        end = text.count("\n", 0, module.start()) + 1 if module else 10**9
        engine[str(path.relative_to(ENGINE))] = {line: count for line, count in lines.items() if line < end}
    return engine


def missed(lines: Mapping[str, Counts]) -> Iterable[str]:
    """Every line that did not run, as `file:line: text`."""
    for name in sorted(lines):
        text = (ENGINE / name).read_text(encoding="utf-8").splitlines()
        for line, count in sorted(lines[name].items()):
            if count == 0:
                yield f"{name}:{line}: {text[line - 1]}"


def report(lines: Mapping[str, Counts]) -> float:
    """Print a table by folder, and the files below the goal; the share of all lines."""
    folders: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    below = []
    for name, counts in sorted(lines.items()):
        ran, all_ = sum(count > 0 for count in counts.values()), len(counts)
        folder = name.split("/", 1)[0] if "/" in name else "."
        folders[folder][0] += ran
        folders[folder][1] += all_
        if all_ and ran / all_ < GOAL:
            below.append((ran / all_, all_ - ran, name))
    for folder, (ran, all_) in sorted(folders.items()):
        print(f"{folder:12} {ran:6} of {all_:6} lines  {ran / max(all_, 1):6.1%}")
    ran, all_ = sum(ran for ran, _ in folders.values()), sum(all_ for _, all_ in folders.values())
    share = ran / max(all_, 1)
    print(f"{'engine':12} {ran:6} of {all_:6} lines  {share:6.1%}")
    for file_share, count, name in sorted(below):
        print(f"below {GOAL:.0%}: {file_share:6.1%}, {count:4} lines did not run: {name}")
    return share


if __name__ == "__main__":
    sys.exit(main())
