"""Change one thing in the engine at a time and see whether its Rust tests notice (`make mutants`).

All mutants are written into one copy of the engine, each behind a switch (`crates/hoplab-mutants`), so that there is
one build. Each test is run alone once, to see which mutants it reaches; then each mutant meets the tests that reach it,
quick ones first, until one fails. Results are kept in `target/mutants/results.jsonl`, one line each: a run that was
stopped goes on from there, and mutants that were noticed are not tried again as long as the code of their file, its
tests left out, is the same.

Mutants that do what the engine does (`same`), or differ where no run comes (`rare`), are in
`crates/hoplab-mutants/excused.tsv`, each with the reason: they are not run, unless `--excused` is given, which tries
them alone and complains of those that a test notices.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import csv
import fnmatch
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
SOURCES = "crates/hoplab/src/"
# Tests that take longer, in seconds, are for mutants that no quicker one notices.
SLOW = 2.0
SETTLED = {"noticed", "does not compile"}
KINDS = {"same": "the same program", "rare": "differs where no run comes"}
EXCUSED = ROOT / "crates/hoplab-mutants/excused.tsv"
# A mutant by what stays as the file around it changes: file, function, change, text of its line, which of those it is.
Name = tuple[str, str, str, str, int]
Mutant = dict[str, Any]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _tree() -> list[str]:
    """Files of the repository, those that have not been added yet among them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).is_file()]


def _sources(patterns: list[str]) -> list[str]:
    """Source files of the engine that fit one of the patterns, tests left out."""
    names = [name for name in _tree() if name.startswith(SOURCES) and name.endswith(".rs")]
    fits = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    return [name for name in fits if not re.search(r"(^|[/_])tests\.rs$", name)]


def _copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    for name in _tree():
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, TREE / name)


def _cargo(*arguments: str) -> list[dict[str, Any]]:
    """What cargo says of the copy."""
    done = subprocess.run(
        ["cargo", *arguments, "--message-format=json"],
        cwd=TREE,
        env={
            **os.environ,
            "CARGO_TARGET_DIR": str(WORK / "build"),
            "CARGO_PROFILE_DEV_OPT_LEVEL": "2",
            "RUSTFLAGS": "-Awarnings",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _errors(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    said = (message["message"] for message in messages if message["reason"] == "compiler-message")
    return [error for error in said if error["level"] == "error" and error["spans"]]


def _write_mutants(files: list[str]) -> list[Mutant]:
    """Write all mutants that compile into the copy, and say which there are."""
    manifest = ROOT / "crates/hoplab-mutants/Cargo.toml"
    tool = ["cargo", "run", "--quiet", "--manifest-path", str(manifest), "--", str(WORK / "dropped"), *files]
    settings = {**os.environ, "CARGO_TARGET_DIR": str(WORK / "tool")}
    library = TREE / SOURCES / "lib.rs"
    library.write_text(library.read_text().replace("\npub mod ", "\npub mod mutation;\npub mod ", 1))
    switch = (ROOT / "crates/hoplab-mutants/switch.rs").read_text()
    dropped: set[int] = set()
    while True:
        for name in files:
            shutil.copy2(ROOT / name, TREE / name)
        (WORK / "dropped").write_text(" ".join(map(str, sorted(dropped))))
        written = subprocess.run(tool, cwd=TREE, env=settings, capture_output=True, text=True, check=False)
        if written.returncode:
            sys.exit(written.stderr)
        mutants: list[Mutant] = json.loads(written.stdout)
        (TREE / SOURCES / "mutation.rs").write_text(switch.replace("COUNT", str(len(mutants))))
        spans = [span for error in _errors(_cargo("check", "-p", "hoplab", "--lib")) for span in error["spans"]]
        more = {_culprit(span) for span in spans if span["is_primary"]} - dropped
        if not more:
            return mutants
        dropped |= more
        _say(f"{len(dropped)} of {len(mutants)} mutants do not compile so far")


def _culprit(span: dict[str, Any]) -> int:
    """The mutant that an error is about: the last one that is written before the place."""
    lines = (TREE / span["file_name"]).read_text().splitlines()
    first = span["line_start"] - 1
    before = "\n".join([*lines[max(0, first - 3) : first], lines[first][: span["column_start"] - 1]])
    inside = "\n".join(lines[first : span["line_end"]])
    found = re.findall(r"mutation::on\((\d+)\)", before) or re.findall(r"mutation::on\((\d+)\)", inside)[:1]
    if not found:
        sys.exit(f"{span['file_name']}:{span['line_start']}: an error that no mutant is the cause of")
    return int(found[-1])


def _binaries() -> list[Path]:
    messages = _cargo("test", "-p", "hoplab", "--lib", "--tests", "--no-run")
    if errors := _errors(messages):
        sys.exit("\n".join(error["rendered"] for error in errors))
    built = (message.get("executable") for message in messages if message.get("profile", {}).get("test"))
    return [Path(path) for path in built if path]


class Test:
    """One test of one binary, how long it takes and which mutants it reaches."""

    def __init__(self, binary: Path, name: str) -> None:
        self.binary, self.name = binary, name
        self.seconds = 0.0
        self.reached: set[int] = set()


def _tests(binary: Path) -> list[Test]:
    def listed(*more: str) -> set[str]:
        command = [str(binary), "--list", "--format", "terse", *more]
        return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())

    names = sorted(name for name in listed() - listed("--ignored") if name.endswith(": test"))
    return [Test(binary, name.removesuffix(": test")) for name in names]


def _run(binary: Path, names: list[str], limit: float, **variables: str) -> str | None:
    """Why tests fail, if they do."""
    try:
        done = subprocess.run(
            [str(binary), "--exact", *names, "--test-threads", "1"],
            cwd=TREE / "crates/hoplab",
            env={**os.environ, "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "true", "RUST_BACKTRACE": "0", **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return None
    failed = re.search(r"^test (\S+).*FAILED$", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"exit {done.returncode}"


def _reach(test: Test) -> Test | None:
    """Run a test alone, and find what it reaches; `None` if it fails as it is."""
    path = WORK / f"reached.{threading.get_ident()}"
    path.unlink(missing_ok=True)
    begun = time.monotonic()
    why = _run(test.binary, [test.name], 600, HOPLAB_MUTANTS_REACHED=str(path))
    test.seconds = time.monotonic() - begun
    if why:
        _say(f"left out, as it fails here: {test.name}")
        return None
    test.reached = set(map(int, path.read_text().split())) if path.exists() else set()
    return test


def _judge(mutant: Mutant, tests: list[Test], otherwise: str) -> Mutant:
    """What tests make of a mutant; `otherwise`, if none of them notices it."""
    reaching = [test for test in tests if mutant["id"] in test.reached]
    module = mutant["file"].removeprefix(SOURCES).removesuffix(".rs").removesuffix("/mod").replace("/", "::")
    reaching.sort(key=lambda test: (not test.name.startswith(module), test.seconds))
    while reaching:
        first = reaching[0]
        chunk: list[Test] = []
        seconds = 0.0
        for test in reaching:
            if test.binary == first.binary and len(chunk) < 40 and (not chunk or seconds + test.seconds < 0.6):
                chunk.append(test)
                seconds += test.seconds
        reaching = [test for test in reaching if test not in chunk]
        why = _run(first.binary, [test.name for test in chunk], 10 + 6 * seconds, HOPLAB_MUTANT=str(mutant["id"]))
        if why:
            return {**mutant, "verdict": "noticed", "by": why}
    return {**mutant, "verdict": otherwise}


def _without_running(mutant: Mutant, reached: set[int], left_out: dict[Name, str]) -> str | None:
    if mutant["is_dropped"]:
        return "does not compile"
    if mutant["name"] in left_out:
        return left_out[mutant["name"]]
    return None if mutant["id"] in reached else "not reached"


def _name(mutants: list[Mutant]) -> None:
    """Name mutants by what stays as the file around them changes."""
    lines = {name: (ROOT / name).read_text().splitlines() for name in {mutant["file"] for mutant in mutants}}
    count: collections.Counter[tuple[str, str, str, str]] = collections.Counter()
    for mutant in sorted(mutants, key=lambda mutant: (mutant["file"], mutant["line"], mutant["column"])):
        text = lines[mutant["file"]][mutant["line"] - 1].strip()
        like = (mutant["file"].removeprefix(SOURCES), mutant["function"], mutant["change"], text)
        count[like] += 1
        mutant["name"] = (*like, count[like])


def _excused(mutants: list[Mutant]) -> dict[Name, str]:
    """What mutants are by the list, by name; those that are no more are told."""
    with EXCUSED.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    excused = {
        (row["file"], row["function"], row["change"], row["line"], int(row["nth"])): KINDS[row["kind"]] for row in rows
    }
    there = {mutant["name"] for mutant in mutants}
    files = {name[0] for name in there}
    for name in sorted(name for name in excused if name[0] in files and name not in there):
        _say(f"{EXCUSED.name}: there is no such mutant any longer: {' | '.join(map(str, name))}")
    return excused


def _report(results: dict[str, Mutant]) -> None:
    for result in sorted(results.values(), key=lambda result: (result["file"], result["line"], result["column"])):
        if result["verdict"] not in {*SETTLED, *KINDS.values()}:
            where = f"{result['file']}:{result['line']}:{result['column']}"
            print(f"{where}: {result['function']}: {result['change']} ({result['verdict']})")
    print(_counts(results))


def _counts(results: dict[str, Mutant]) -> str:
    verdicts = collections.Counter(result["verdict"] for result in results.values())
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())


def _digest(text: str) -> str:
    """What tells whether the engine's part of a file is the same."""
    return hashlib.sha256(text.partition("#[cfg(test)]\nmod tests {")[0].encode()).hexdigest()[:16]


def _kept(path: Path, mutants: list[Mutant]) -> tuple[dict[str, Mutant], list[Mutant]]:
    """What earlier runs have found of these mutants and need not be found again, and what of other files."""
    files = {mutant["file"] for mutant in mutants}
    contents = {name: _digest((ROOT / name).read_text()) for name in files}
    for mutant in mutants:
        mutant["key"] = "{0} {file}:{line}:{column} {change}".format(contents[mutant["file"]], **mutant)
    keys = {mutant["key"] for mutant in mutants}
    before = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    settled = {result["key"]: result for result in before if result["verdict"] in SETTLED and result["key"] in keys}
    return settled, [result for result in before if result["file"] not in files]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="+", metavar="FILES", help="files to change, as in 'crates/hoplab/src/mac/*'")
    parser.add_argument("--sample", type=int, metavar="N", help="try N mutants, drawn by chance (seed 1)")
    parser.add_argument("--afresh", action="store_true", help="forget what was found before")
    parser.add_argument("--excused", action="store_true", help=f"try those of {EXCUSED.name} alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="run N tests at a time")
    return parser.parse_args()


def main() -> None:
    """Try all mutants of the files that are named."""
    options = _options()
    files = _sources(options.patterns)
    if not files:
        sys.exit(f"no source file of the engine fits {' '.join(options.patterns)}: try '{SOURCES}mac/*'")
    WORK.mkdir(parents=True, exist_ok=True)
    _copy_tree()
    mutants = _write_mutants(files)
    _name(mutants)
    known = _excused(mutants)
    left_out = known
    path = WORK / "results.jsonl"
    if options.excused:
        mutants = [mutant for mutant in mutants if mutant["name"] in known]
        left_out, path = {}, WORK / "excused.jsonl"
    if options.afresh or options.excused:
        path.unlink(missing_ok=True)
    results, others = _kept(path, mutants)
    path.write_text("".join(json.dumps(result) + "\n" for result in [*others, *results.values()]))
    count = len(mutants) if options.sample is None else min(options.sample, len(mutants))
    chosen = random.Random(1).sample(mutants, count)  # noqa: S311
    _say(f"{len(mutants)} mutants in {len(files)} files; building")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, path.open("a") as file:
        found = [test for binary in _binaries() for test in _tests(binary)]
        tests = [test for test in pool.map(_reach, found) if test]
        _say(f"{len(tests)} tests, which take {sum(test.seconds for test in tests):.0f} s")
        reached = set().union(*(test.reached for test in tests))
        quick = [test for test in tests if test.seconds <= SLOW]
        slow = [test for test in tests if test.seconds > SLOW]

        def keep(result: Mutant) -> None:
            results[result["key"]] = result
            file.write(json.dumps(result) + "\n")
            file.flush()

        for mutant in chosen:
            verdict = _without_running(mutant, reached, left_out)
            if verdict and mutant["key"] not in results:
                keep({**mutant, "verdict": verdict})
        first = "unnoticed by quick tests"
        for some, before, otherwise in ((quick, None, first), (slow, first, "unnoticed")):
            left = [mutant for mutant in chosen if results.get(mutant["key"], {}).get("verdict") == before]
            jobs = [pool.submit(_judge, mutant, some, otherwise) for mutant in left]
            for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                keep(job.result())
                if done % 100 == 0:
                    _say(f"{done} of {len(jobs)}: {_counts(results)}")
    if options.excused:
        print(_counts(results))
    else:
        _report(results)
    noticed = [mutant for mutant in chosen if results[mutant["key"]]["verdict"] == "noticed"]
    if wrong := [" | ".join(map(str, mutant["name"])) for mutant in noticed if mutant["name"] in known]:
        sys.exit("\n".join(f"{EXCUSED.name}: a test notices this one: {name}" for name in wrong))


if __name__ == "__main__":
    main()
