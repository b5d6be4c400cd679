"""Write docs/use/reference/options.md from the command line itself; `--check` only compares.

The words are those that `hoplab COMMAND --help` prints, so that an option is described in one place.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from hoplab.base.errors import EVIDENCE
from hoplab.cli import build_app
from hoplab.cli.table import OF_EVIDENCE

PAGE = Path(__file__).parents[2] / "docs" / "use" / "reference" / "options.md"

HEAD = """\
# Options of each command

Made from the command line by `make docs-generated`: what `hoplab COMMAND --help` prints. What the commands are for, and
their exit codes: [Commands](cli.md). Those of `hoplab-evidence` [need it](cli.md#hoplab-evidence).
"""

COMMON = {"--help", "--quiet", "--verbose"}
"""Options of nearly every command, said once."""


def main() -> None:
    """Write the page, or compare it with what stands there."""
    text = "\n".join([HEAD, *_sections()]).rstrip() + "\n"
    if "--check" in sys.argv[1:]:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
            sys.exit(f"{PAGE.name} is not what the command line says: run `make docs-generated`")
        return
    PAGE.write_text(text, encoding="utf-8")


def _sections() -> Iterator[str]:
    """What all commands take, then a section per command, by name."""
    program: Any = typer.main.get_command(build_app())
    yield "`hoplab` itself takes these; of them, every command takes `-h`, and nearly every one `-q` and `-v`:\n"
    yield from _rows(program, "hoplab", set())
    for path, command in sorted(_commands(program, "hoplab")):
        usage = " ".join([path, *command.collect_usage_pieces(_context(command, path))])
        yield f"## {path.removeprefix('hoplab ')}\n\n{_flat(command.help)}\n\n```text\n{usage}\n```\n"
        if path.split()[1] in OF_EVIDENCE:
            yield f"Of `{EVIDENCE}`.\n"
        yield from _rows(command, path, COMMON)


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with the words that call it."""
    for name, command in group.commands.items():
        here = f"{path} {name}"
        if hasattr(command, "commands"):
            yield from _commands(command, here)
        else:
            yield here, command


def _rows(command: Any, path: str, known: set[str]) -> Iterator[str]:
    context = _context(command, path)
    params = [param for param in command.get_params(context) if not known.intersection(param.opts)]
    records = [record for param in params if (record := param.get_help_record(context)) is not None]
    if not records:
        return
    yield "| option | meaning |\n| --- | --- |"
    for names, meaning in records:
        words = _flat(meaning).replace("[", "\\[")  # no link
        yield f"| `{_flat(names)}` | {words} |"
    yield ""


def _context(command: Any, path: str) -> Any:
    return command.make_context(path, [], resilient_parsing=True)


def _flat(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
