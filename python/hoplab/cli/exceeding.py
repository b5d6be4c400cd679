"""The end of commands with `--possible`: a run above a strict bound is a fault of hoplab, not a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from hoplab.base.errors import EXIT_VERDICT
from hoplab.cli.console import warn_all

if TYPE_CHECKING:
    from hoplab.store.shares import Shares


def end_above_bound(shares: Iterable[Shares]) -> None:
    """End the command with status 5 if a run is above a strict bound.

    Raises
    ------
    typer.Exit
        With that status.
    """
    most = max((one.most for one in shares if one.is_exceeded), default=None)
    if most is None:
        return
    problem = f"a run carried {most * 100.0:.1f} % of a bound that no run can exceed: the bound is wrong here"
    warn_all([f"{problem}; please report it with scenario and seed"])
    raise typer.Exit(EXIT_VERDICT)
