"""`hoplab completion`: prints the script by which a shell completes commands, options and values."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]  # re-exported without __all__

from hoplab.base.errors import UsageError
from hoplab.cli import COMPLETE_VARIABLE

SHELLS = {
    "bash": "hoplab completion bash > ~/.local/share/bash-completion/completions/hoplab",
    "zsh": "hoplab completion zsh > ~/.zfunc/_hoplab (a directory in fpath)",
    "fish": "hoplab completion fish > ~/.config/fish/completions/hoplab.fish",
}
"""Name of each supported shell, and how its script is installed."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("completion")(completion)


def completion(
    shell: Annotated[str, typer.Argument(metavar="|".join(SHELLS), help="The shell.", show_default=False)],
) -> None:
    """Print the completion script of a shell.

    To install it:

    hoplab completion bash > ~/.local/share/bash-completion/completions/hoplab

    hoplab completion zsh > ~/.zfunc/_hoplab (a directory in fpath)

    hoplab completion fish > ~/.config/fish/completions/hoplab.fish
    """
    if shell not in SHELLS:
        raise UsageError(f"unsupported shell {shell!r}", hint=f"expected one of {', '.join(SHELLS)}")
    print(get_completion_script(prog_name="hoplab", complete_var=COMPLETE_VARIABLE, shell=shell))
