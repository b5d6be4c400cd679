"""Words of command lines that run programs at nodes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from hoplab.base.errors import UsageError
from hoplab.cli import options
from hoplab.running.live.session import NODE, Command, scenario_of
from hoplab.scenario.model import Scenario

OptionalFile = Annotated[Path | None, typer.Argument(metavar="FILE", help="Scenario file (TOML).", show_default=False)]
Execute = Annotated[
    list[str] | None,
    typer.Option(
        "--exec",
        metavar="NODE COMMAND",
        help="Run a command at a node, by name or number (also NODE:COMMAND); {0}, {first}, {last}, {NAME} are "
        "addresses. Repeatable; "
        "the last one ends the run.",
    ),
]
Length = Annotated[
    str | None, typer.Option("--for", metavar="TIME", help="Length of the run. [default: duration of the scenario]")
]


_MAC = r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}"
"""Nodes of imported meshes may have the names of their interfaces."""
_NAME = re.compile(rf"{_MAC}|[^:-][^:]*")
"""A name of a node: NODE:COMMAND has another colon."""
_BOTH = re.compile(rf"({_MAC}|[^:]*):(.*)", re.DOTALL)


class WithPrograms(TyperCommand):
    """A command whose option `--exec` takes two words, NODE COMMAND, or one, NODE:COMMAND."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line with one word after each `--exec`."""
        return super().parse_args(ctx, one_word_each(args))


def one_word_each(args: list[str]) -> list[str]:
    """A command line in which `--exec NODE COMMAND` is `--exec NODE:COMMAND`."""
    words, rest = [], list(args)
    while rest:
        words.append(rest.pop(0))
        if words[-1] == "--":
            return words + rest
        if words[-1] == "--exec" and len(rest) > 1 and (NODE.fullmatch(rest[0]) or _NAME.fullmatch(rest[0])):
            words.append(f"{rest.pop(0)}:{rest.pop(0)}")
    return words


def commands_of(execute: list[str], shell: str | None) -> list[Command]:
    """Commands of a command line, that of the shell last.

    Raises
    ------
    UsageError
        If one lacks a node or a command.
    """
    commands = []
    for text in execute:
        match = _BOTH.fullmatch(text)
        node, command = match.groups() if match else (text, "")
        if not command.strip():
            raise UsageError(
                f"--exec: invalid value {text!r}", hint="expected NODE COMMAND, such as --exec 0 'ping -c 3 {last}'"
            )
        commands.append(Command(node, command.strip()))
    if shell is not None:
        if not sys.stdin.isatty():
            raise UsageError("--shell requires a terminal", hint="use --exec NODE COMMAND in scripts")
        commands.append(Command(shell, 'exec "${SHELL:-/bin/sh}"', is_shell=True))
    return commands


def scenario_for(file: Path, set_keys: list[str] | None, length: str | None) -> Scenario:
    """The scenario of a command line, with the length that it asks for."""
    overrides = options.overrides_of(set_keys)
    if length is not None:
        overrides = (*overrides, ("duration", f'"{options.seconds_of("--for", length)!r} s"'))
    return scenario_of(file, overrides)
