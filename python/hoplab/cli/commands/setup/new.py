"""`hoplab new`: writes a commented scenario to start from, or the example scenarios."""

from __future__ import annotations

import difflib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from hoplab.base.errors import OutputError, UsageError
from hoplab.base.numbers import counted
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


EXAMPLES = "scenarios"
"""In place of a template: the files that the pages of the documentation use, and the directory they are written to."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new")(new)


def template(name: str, file: Path) -> str:
    """The text of a template for a file of this name."""
    text = resources.files("hoplab.scenario").joinpath("templates", f"{name}.toml").read_text(encoding="utf-8")
    for key, value in {"name": file.stem, "stem": file.stem, "file": str(file)}.items():
        text = text.replace("{" + key + "}", value)
    return text


def examples() -> list[Traversable]:
    """The example scenarios and the files that they name, by name."""
    folder = resources.files("hoplab.scenario").joinpath("examples")
    return sorted((file for file in folder.iterdir() if file.is_file()), key=lambda file: file.name)


def _names(incomplete: str) -> list[tuple[str, str]]:
    known = {**TEMPLATES, EXAMPLES: "the example scenarios of the documentation"}
    return [(name, summary) for name, summary in known.items() if name.startswith(incomplete)]


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="|".join([*TEMPLATES, EXAMPLES]),
            help="What to start from.",
            show_default=False,
            autocompletion=_names,
        ),
    ],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="File, or directory of scenarios. [default: KIND]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a commented scenario to start from.

    The file ends with commands that use it. `scenarios` writes the example scenarios of the documentation to a
    directory.
    """
    set_verbosity(quiet=quiet)
    if kind == EXAMPLES:
        _write_examples(Path(EXAMPLES) if file is None else file, force=force)
        return
    if kind not in TEMPLATES:
        known = [*TEMPLATES, EXAMPLES]
        near = difflib.get_close_matches(kind, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
        raise UsageError(f"unknown kind of scenario {kind!r}", hint=hint)
    file = Path(f"{kind}.toml") if file is None else file
    if file.suffix != ".toml" or not file.stem.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            f"FILE: invalid value {str(file)!r}", hint="expected a name of letters, digits, - and _ that ends in .toml"
        )
    check_target(file, force=force)
    _write(file, template(kind, file))
    info(f"wrote {file}; next: hoplab run {file} --seeds 10")


def _write_examples(folder: Path, *, force: bool) -> None:
    """Write the examples; files that have their content already stay."""
    texts = {folder / file.name: file.read_text(encoding="utf-8") for file in examples()}
    changed = [path for path, text in texts.items() if not (path.is_file() and path.read_bytes() == text.encode())]
    for path in changed:
        check_target(path, force=force, remedy="name another directory")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    for path in changed:
        _write(path, texts[path])
    info(f"wrote {counted(len(changed), 'file')} to {folder}; next: hoplab run {folder / 'chain.toml'} --seeds 10")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise OutputError(f"{file}: cannot be written: {error.strerror or error}") from None
