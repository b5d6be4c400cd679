"""Consent to execute Python files that stored results name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from hoplab.base.errors import InputError

RunControllers = Annotated[
    bool, typer.Option("--run-controllers", help="Execute controller files named by stored results.")
]


def refuse_controllers(place: Path, named: Iterable[str], command: str) -> None:
    """Refuse to execute code named by stored results unless the user asks for it.

    Raises
    ------
    InputError
        If a controller is named.
    """
    names = ", ".join(sorted(set(named)))
    if names:
        raise InputError(
            f"{place}: the stored scenario names a controller file ({names}), which {command} would execute",
            hint="read the file; if you trust it, add --run-controllers",
        )
