"""The commands of `hoplab`: the product's own, and those that other distributions add by entry points.

An entry point of the group `hoplab.commands` names a sequence of `Command`. The module it stands in is loaded for help,
completion and words that are no command of the product: it imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hoplab.base.errors import evidence_missing
from hoplab.cli.console import warn_all

GROUP = "hoplab.commands"


@dataclass(frozen=True)
class Command:
    """A command: its name, the module that adds it, and its line on the page of help."""

    name: str
    module: str
    summary: str


def _by_name(*commands: Command) -> Mapping[str, Command]:
    return {command.name: command for command in commands}


COMMANDS = _by_name(
    Command("run", "hoplab.cli.commands.run", "Simulate a scenario; report means and 95 % CIs."),
    Command("live", "hoplab.cli.commands.programs.live", "Run real programs over a simulated network, in real time."),
    Command(
        "real", "hoplab.cli.commands.programs.real", "Run real programs over a simulated network, in virtual time."
    ),
    Command("new", "hoplab.cli.commands.setup.new", "Write a commented scenario to start from."),
    Command("compare", "hoplab.cli.commands.compare", "Compare transports, paired by seed."),
    Command("whatif", "hoplab.cli.commands.whatif", "Change one thing at a time; rank changes by effect."),
    Command("list", "hoplab.cli.commands.listing", "List transports, topologies, and other choices."),
    Command("show", "hoplab.cli.commands.show", "Show ranges, paths, and link budget of a scenario."),
    Command("completion", "hoplab.cli.commands.setup.completion", "Print the completion script of a shell."),
    Command("doctor", "hoplab.cli.commands.setup.doctor", "Check the installation and optional tools."),
    Command("demo", "hoplab.cli.commands.setup.demo", "Compare three TCP variants over 1 to 16 hops."),
    Command("sweep", "hoplab.cli.commands.sweep", "Run a parameter sweep; reuse completed runs."),
    Command("report", "hoplab.cli.commands.report", "Build an HTML report from stored results."),
    Command("rerun", "hoplab.cli.commands.rerun", "Repeat stored runs; compare fingerprints."),
    Command("explain", "hoplab.cli.commands.explain", "Diagnose a run: airtime, collisions, drops."),
    Command("estimate", "hoplab.cli.commands.estimate", "Compare bandwidth estimators with ground truth."),
    Command("bound", "hoplab.cli.commands.bound", "Bound what a network can carry, whatever the transport."),
    Command("import", "hoplab.cli.commands.importing", "Import a measured mesh as a scenario."),
    Command("query", "hoplab.cli.commands.query", "Query stored results with SQL."),
    Command("export", "hoplab.cli.commands.export", "Export tables, traces, mobility files, or an artifact."),
)
"""Commands of the product, in the order of the help page."""

OF_EVIDENCE = ("reproduce", "league", "calibrate", "validate", "crosscheck", "bench")
"""Commands of hoplab-evidence: words, from which no module follows. Without that distribution they name it."""


def every_command() -> Mapping[str, Command]:
    """Commands of the product, then those that are added; a name of the product's stays the product's."""
    return {**COMMANDS, **{name: command for name, command in _added().items() if name not in COMMANDS}}


def command_of(word: str) -> Command | None:
    """The command of this name; None if there is none.

    Raises
    ------
    MissingPackageError
        If it is one of hoplab-evidence, which is not installed.
    """
    found = COMMANDS.get(word) or _added().get(word)
    if found is None and word in OF_EVIDENCE:
        raise evidence_missing(f"hoplab {word}")
    return found


def _added() -> Mapping[str, Command]:
    from importlib.metadata import entry_points  # noqa: PLC0415 (commands of the product do without it)

    found: list[Command] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            found += point.load()
        except (ImportError, AttributeError) as error:  # installed in part, or of another version
            warn_all([f"commands of {point.module} are left out: {error}"])
    return _by_name(*found)
