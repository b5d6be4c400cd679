"""Instructions that runs of named scenarios take: a number that other work on the machine does not disturb.

Usage: ``python -m hoplab_validation.bench.instructions [--bless | --reference FILE]`` (``make instructions``, ``make
instructions-bless``). The engine as it is installed runs every scenario under valgrind's callgrind, which counts from
where a run begins to where it ends: reading the scenario, building the network, simulating and reporting, without
Python around them.

The reference, `instructions.json` beside this file, is one commit's and stays: the budget is for all that has been
added since. Where trajectories have changed, its counts are scaled by the events of both engines. ``--bless`` adds
scenarios that it lacks and changes no other.

Another compiler makes other instructions, and another valgrind may offer others to choose from: the file says whose
counts they are, and with any other the check is left out, and says so. Then the commit of the reference is counted
anew: ``git worktree add ../reference COMMIT``, ``make build`` there, its own `instructions --bless`, which writes the
counts into a file of that checkout, and ``--reference FILE`` here, which takes them over.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hoplab.base.engine import core
from hoplab.base.errors import InputError
from hoplab.scenario.model import Scenario
from hoplab_validation.bench.cases import suite
from hoplab_validation.bench.process import WorkerFailedError
from hoplab_validation.validate.scenarios import cell

REFERENCE = Path(__file__).with_name("instructions.json")
BUDGET = 0.02
"""Share by which a scenario may take more instructions than its reference."""
RUN = "_core::run::run"
"""The engine's function that is one run, as callgrind names it (`crates/hoplab-py/src/run.rs`)."""
TIMEOUT_S = 600.0
_TOTALS = re.compile(r"^(?:totals|summary): (\d+)", re.MULTILINE)
_COMPILER = re.compile(rb"rustc version [\w.]+(?:-[\w.]+)? \([0-9a-f]+ [\d-]+\)")


class NoValgrindError(InputError):
    """There is valgrind not found."""


@dataclass(frozen=True)
class Toolchain:
    """What counts depend on beside the engine.

    Attributes
    ----------
    compiler : str
        As reported by the compiled engine.
    valgrind : str
        From `valgrind --version`.
    machine : str
        Kind of processor.
    """

    compiler: str
    valgrind: str
    machine: str

    def differs_from(self, other: Toolchain) -> str | None:
        """Differences, as text; None without any."""
        names = ("compiler", "valgrind", "machine")
        parts = [
            f"{getattr(self, name)} here, {getattr(other, name)} there"
            for name in names
            if getattr(self, name) != getattr(other, name)
        ]
        return "; ".join(parts) or None


@dataclass(frozen=True)
class Count:
    """Instructions of one run, and events that it handles.

    Attributes
    ----------
    accepted : float
        Share of growth that a change of what is computed has cost: it adds to the budget.
    reason : str
        That change.
    """

    instructions: int
    events: int
    accepted: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Reference:
    """Counts of one commit, and what they were taken with.

    Attributes
    ----------
    commit : str
        Scenarios added later have their counts from a later commit.
    """

    toolchain: Toolchain
    commit: str
    counts: Mapping[str, Count]

    @classmethod
    def read(cls, path: Path = REFERENCE) -> Reference:
        """The stored one."""
        data = json.loads(path.read_text(encoding="utf-8"))
        counts = {name: Count(**count) for name, count in data["counts"].items()}
        return cls(Toolchain(**data["toolchain"]), data["commit"], counts)

    def write(self, path: Path = REFERENCE) -> None:
        """Store it."""
        counts = {
            name: {key: value for key, value in vars(count).items() if value} for name, count in self.counts.items()
        }
        data = {"toolchain": vars(self.toolchain), "commit": self.commit, "counts": counts}
        path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")

    def with_new(self, counts: Mapping[str, Count]) -> Reference:
        """With the scenarios that it lacks; none that it has changes."""
        return replace(self, counts={**counts, **self.counts})

    def recounted(self, path: Path) -> Reference:
        """With the counts that its commit has written into a file, by another toolchain.

        Raises
        ------
        InputError
            If the file lacks a scenario.
        """
        data = json.loads(path.read_text(encoding="utf-8"))
        missing = sorted(set(self.counts) - set(data["instructions"]))
        if missing:
            raise InputError(
                f"{path}: no count of {', '.join(missing)}",
                hint=f"add it to the scenarios of {self.commit}'s checkout, and count there again",
            )
        counts = {name: replace(count, instructions=data["instructions"][name]) for name, count in self.counts.items()}
        return replace(self, toolchain=Toolchain(**data["toolchain"]), counts=counts)


@dataclass(frozen=True)
class Row:
    """One scenario: its count now, and that of the reference; None where that has none."""

    name: str
    count: Count
    reference: Count | None

    @property
    def expected(self) -> float:
        """Instructions of the reference for as many events; zero without a reference."""
        return self.reference.instructions * self.count.events / self.reference.events if self.reference else 0.0

    @property
    def change(self) -> float:
        """Share by which the count has grown since the reference; infinite without one."""
        return self.count.instructions / self.expected - 1.0 if self.reference else float("inf")

    @property
    def is_over(self) -> bool:
        """Whether it has grown by more than the budget, or is not known."""
        accepted = self.reference.accepted if self.reference else 0.0
        return round(self.change, 9) > BUDGET + accepted

    def __str__(self) -> str:
        now = f"{self.name}: {self.count.instructions:,} instructions"
        if self.reference is None:
            return f"{now}, and no reference: `make instructions-bless` records it"
        verdict = f"more than the budget of {BUDGET:.0%}" if self.is_over else "within the budget"
        accepted = (
            f" ({self.reference.accepted:.1%} accepted: {self.reference.reason})" if self.reference.accepted else ""
        )
        return f"{now}, reference {self.expected:,.0f}: {self.change:+.2%} in all{accepted}, {verdict}"


def cases() -> dict[str, Scenario]:
    """The scenarios, by name, each short enough for some 200 million instructions."""
    return {
        "chain of 8 hops, aodv": Scenario.from_dict(suite.chain(8, "aodv"), duration="60 s"),
        "chain of 8 hops, static": Scenario.from_dict(suite.chain(8, "static"), duration="60 s"),
        "grid of 50 nodes, aodv": Scenario.from_dict(suite.grid("aodv"), duration="20 s"),
        "50 moving nodes, aodv": Scenario.from_dict(suite.moving(), duration="20 s"),
        "256 moving nodes, dsdv": Scenario.from_dict(suite.calling(within_s=0.64), duration="4 s"),
        "cell of 20 stations": cell(20, data_mbps=11.0, rts=False, ip_bytes=1500, measured_s=1.5),
    }


def toolchain() -> Toolchain:
    """What this machine's counts are taken with.

    Raises
    ------
    NoValgrindError
    """
    words = [_valgrind(), "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 (no shell)
    compiler = compiler_of(Path(str(core().__file__)))
    if core().profile() != "dist":
        compiler += f", profile {core().profile()}, not the distributed build (`make instructions` makes one)"
    if core().is_trained():
        compiler += ", trained by `make fast`"
    return Toolchain(compiler, done.stdout.strip(), platform.machine())


def compiler_of(library: Path) -> str:
    """The compiler of a library, from its `.comment` section."""
    found = _COMPILER.search(library.read_bytes())
    return "unknown compiler" if found is None else found[0].decode("ascii").replace(" version", "")


def count(scenarios: Mapping[str, Scenario]) -> dict[str, Count]:
    """Counts of one run of each scenario, all in one process under valgrind.

    Raises
    ------
    NoValgrindError
    WorkerFailedError
        If a run fails, or the counts do not belong to the runs.
    """
    with tempfile.TemporaryDirectory(prefix="hoplab-instructions-") as name:
        dumps, events = run_counted(scenarios, Path(name))
        return {case: Count(_total(path), events[case]) for case, path in dumps.items()}


def run_counted(scenarios: Mapping[str, Scenario], folder: Path) -> tuple[dict[str, Path], dict[str, int]]:
    """Run each scenario as `count` does; what callgrind has written of it into a folder, and its events.

    Raises as `count` does.
    """
    valgrind = _valgrind()
    files: list[Path] = []
    # The first run also fills shared caches: it is executed twice, and counted once.
    for index, scenario in enumerate([next(iter(scenarios.values())), *scenarios.values()]):
        files.append(folder / f"{index}.toml")
        files[-1].write_text(scenario.resolve().toml, encoding="utf-8")
    command = [
        valgrind, "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={RUN}", f"--dump-after={RUN}",
        f"--callgrind-out-file={folder / 'counts'}", "--error-exitcode=0",
        sys.executable, "-m", "hoplab_validation.bench.counted", *map(str, files),
    ]  # fmt: skip
    done = subprocess.run(  # noqa: S603 (no shell)
        command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, env=_environment()
    )
    if done.returncode != 0:
        raise WorkerFailedError(f"valgrind ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    found = dumps_in(folder)
    if len(found) != len(files):
        raise WorkerFailedError(f"valgrind counted {len(found)} of {len(files)} runs: {RUN} does not match")
    events = map(int, done.stdout.split())
    return dict(zip(scenarios, found[1:], strict=True)), dict(zip(scenarios, [*events][1:], strict=True))


def _environment() -> dict[str, str]:
    """The smallest environment in which this installation is found: its size moves counts."""
    return {"PYTHONHASHSEED": "0"} | {key: os.environ[key] for key in ("PYTHONPATH",) if key in os.environ}


def _valgrind() -> str:
    found = shutil.which("valgrind")
    if found is None:
        raise NoValgrindError("valgrind not found", hint="scripts/install-browser.sh installs it (Debian, as root)")
    return found


def dumps_in(folder: Path) -> list[Path]:
    """Files `counts.1`, `counts.2`, ... that callgrind has left, those in which something is counted."""
    return [path for path in sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:])) if _total(path)]


def _total(path: Path) -> int:
    total = _TOTALS.search(path.read_text(encoding="utf-8", errors="replace"))
    return 0 if total is None else int(total[1])


def judge(counts: Mapping[str, Count], reference: Reference) -> list[Row]:
    """Each count beside its reference."""
    return [Row(name, found, reference.counts.get(name)) for name, found in counts.items()]


def main(arguments: Sequence[str]) -> int:
    """Count and compare, or record. The exit code is 1 where a count is over its budget."""
    reference = Reference.read()
    match arguments:
        case ["--reference", path]:
            reference.recounted(Path(path)).write()
            sys.stdout.write(f"written: {REFERENCE}, counts of {reference.commit} by the toolchain of {path}\n")
            return 0
        case [] | ["--bless"]:
            is_blessed = bool(arguments)
        case _:
            raise InputError(f"{' '.join(arguments)}: unknown arguments", hint="--bless, --reference FILE, or none")
    difference = toolchain().differs_from(reference.toolchain)
    if difference is not None:
        remedy = f"count {reference.commit} with this toolchain, and give the file to --reference"
        sys.stdout.write(f"not checked, the reference is another toolchain's: {difference}; {remedy}\n")
        return int(is_blessed)
    counts = count(cases())
    if is_blessed:
        blessed = reference.with_new(counts)
        blessed.write()
        sys.stdout.write(f"written: {REFERENCE}, {len(blessed.counts) - len(reference.counts)} new\n")
        return 0
    rows = judge(counts, reference)
    for row in rows:
        sys.stdout.write(f"{row}\n")
    return 1 if any(row.is_over for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
