"""Write the man page hoplab(1) from the command line of the product; `--check` only compares."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from hoplab.base.errors import EVIDENCE
from hoplab.cli import build_app
from hoplab.cli.table import COMMANDS, OF_EVIDENCE

PAGE = Path(__file__).parents[2] / "packaging" / "hoplab.data" / "data" / "share" / "man" / "man1" / "hoplab.1"

ENVIRONMENT = {
    "NO_COLOR": "Any value that is not empty disables color.",
    "FORCE_COLOR": "Any value that is not empty enables color where there is no terminal.",
    "SOURCE_DATE_EPOCH": "Seconds since 1970: the date of reports and manifests.",
    "RAY_AUTH_TOKEN": "The token of a Ray cluster that \\fB--backend ray://\\fR joins.",
}


def main() -> None:
    """Write the page, or compare it with the file."""
    text = "\n".join(_page()) + "\n"
    if "--check" not in sys.argv[1:]:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} differs from the command line: run `make docs-generated`")


def _page() -> Iterator[str]:
    program: Any = typer.main.get_command(build_app(loaded=tuple(COMMANDS)))
    context = program.make_context("hoplab", [], resilient_parsing=True)
    yield '.TH HOPLAB 1 "" "" "User Commands"'
    yield from (".SH NAME", f"hoplab \\- {_roff(program.help).rstrip('.')}")
    yield from (".SH SYNOPSIS", ".B hoplab", "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]...")
    yield from (".SH OPTIONS", *_options(program, context))
    yield ".SH COMMANDS"
    yield from _commands(program, "hoplab")
    yield ".SH COMMANDS OF HOPLAB-EVIDENCE"
    yield _roff(f"With the distribution {EVIDENCE}: {', '.join(OF_EVIDENCE)}. hoplab COMMAND --help has their options.")
    yield ".SH EXIT STATUS"
    yield _roff(program.epilog.removeprefix("Exit codes: "))
    yield ".SH ENVIRONMENT"
    for name, meaning in ENVIRONMENT.items():
        yield from (".TP", f".B {name}", meaning)


def _commands(group: Any, path: str) -> Iterator[str]:
    for name, command in group.commands.items():
        here = f"{path} {name}"
        if hasattr(command, "commands"):
            yield from _commands(command, here)
            continue
        context = command.make_context(here, [], resilient_parsing=True)
        yield f'.SS "{_roff(" ".join([here, *command.collect_usage_pieces(context)]))}"'
        yield _roff(command.help)
        yield from _options(command, context)


def _options(command: Any, context: Any) -> Iterator[str]:
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is not None and "--help" not in param.opts:
            yield from (".TP", f"\\fB{_roff(record[0])}\\fR", _roff(record[1]))


def _roff(text: str) -> str:
    """Text on one line, with roff's special characters escaped."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq").replace("'", "\\(aq")
    return f"\\&{plain}" if plain.startswith(".") else plain


if __name__ == "__main__":
    main()
