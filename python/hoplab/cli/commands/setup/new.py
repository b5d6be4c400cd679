"""`hoplab new`: writes a commented scenario to start from."""

from __future__ import annotations

import difflib
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from hoplab.base.errors import OutputError, UsageError
from hoplab.cli.console import info, set_verbosity
from hoplab.cli.options import Quiet
from hoplab.cli.output import check_target

TEMPLATES = {
    "chain": "nodes in a row, one TCP flow from end to end",
    "mesh": "25 nodes in a grid with AODV, three flows",
    "hidden": "two senders that cannot sense each other",
    "gateway": "a server behind a wire, clients over one to three hops",
}
"""Name and summary of each template; its text is `hoplab/scenario/templates/NAME.toml`."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new")(new)


def template(name: str, file: Path) -> str:
    """The text of a template for a file of this name."""
    text = resources.files("hoplab.scenario").joinpath("templates", f"{name}.toml").read_text(encoding="utf-8")
    for key, value in {"name": file.stem, "stem": file.stem, "file": str(file)}.items():
        text = text.replace("{" + key + "}", value)
    return text


def _names(incomplete: str) -> list[tuple[str, str]]:
    return [(name, summary) for name, summary in TEMPLATES.items() if name.startswith(incomplete)]


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="|".join(TEMPLATES), help="What to start from.", show_default=False, autocompletion=_names
        ),
    ],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="File to write. [default: KIND.toml]")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a commented scenario to start from.

    The file ends with commands that use it.
    """
    set_verbosity(quiet=quiet)
    if kind not in TEMPLATES:
        near = difflib.get_close_matches(kind, TEMPLATES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(TEMPLATES)}"
        raise UsageError(f"unknown kind of scenario {kind!r}", hint=hint)
    file = Path(f"{kind}.toml") if file is None else file
    if file.suffix != ".toml" or not file.stem.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            f"FILE: invalid value {str(file)!r}", hint="expected a name of letters, digits, - and _ that ends in .toml"
        )
    check_target(file, force=force)
    try:
        file.write_text(template(kind, file), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror or error}") from None
    info(f"wrote {file}; next: hoplab run {file} --seeds 10")
