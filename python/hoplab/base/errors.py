"""Errors of hoplab, and the exit code of each.

The engine's own, `ScenarioError`, `EngineError` and what derives from it, are defined in `hoplab._core`;
`exit_code_of` knows them.
A message is complete: what is wrong, where, and what to do, so that no traceback is needed to act on it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import ClassVar

EXIT_OK = 0
EXIT_USAGE = 2
EXIT_INPUT = 3
EXIT_PARTIAL = 4
"""Runs are missing: they failed, or exceeded a limit set by the user."""
EXIT_VERDICT = 5
EXIT_PEER_MISSING = 69
"""A peer simulator is not installed (EX_UNAVAILABLE of sysexits.h)."""
EXIT_BROKEN = 70
EXIT_IO = 74
EXIT_INTERRUPTED = 130


class HoplabError(Exception):
    """Base of hoplab's errors.

    Attributes
    ----------
    hint : str or None
        What to try, when a remedy is known.
    exit_code : int
        What the command line exits with.
    """

    exit_code: ClassVar[int] = EXIT_BROKEN

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  hint: {self.hint}"


class HoplabWarning(UserWarning):
    """A valid input that is probably unintended."""


class UsageError(HoplabError, ValueError):
    """An argument that cannot be understood, such as ``seeds="a..b"``."""

    exit_code = EXIT_USAGE


class InputError(HoplabError, ValueError):
    """Missing or invalid input, such as an absent file or an unknown transport."""

    exit_code = EXIT_INPUT


class MissingPackageError(HoplabError, ImportError):
    """A Python package that this part needs is not installed."""

    exit_code = EXIT_PEER_MISSING


EXTRAS = {"matplotlib": "plot", "scipy": "full"}
"""The extra of hoplab that brings each package."""
EVIDENCE = "hoplab-evidence"
"""The distribution of studies and validation, `evidence/` in the sources."""
EVIDENCE_REMEDY = "pip install ./evidence in the source directory"
"""How to get it: no package index has it."""


def require(package: str, what: str) -> None:
    """Check that a package is installed for `what`.

    Raises
    ------
    MissingPackageError
        If it is not.
    """
    if find_spec(package) is None:
        raise _missing(package, EXTRAS[package], what, f"pip install {package}")


def evidence_missing(what: str) -> MissingPackageError:
    """The error of `what`, which `EVIDENCE` has."""
    return _missing(EVIDENCE, "evidence", what, EVIDENCE_REMEDY)


def _missing(package: str, extra: str, what: str, remedy: str) -> MissingPackageError:
    return MissingPackageError(
        f"{what} needs the package {package}, which is not installed",
        hint=f"{remedy}, or hoplab with the extra: 'hoplab[{extra}]'",
    )


class OutputError(HoplabError, OSError):
    """Results that cannot be written: no permission, no space, or an existing file."""

    exit_code = EXIT_IO


class PartialError(HoplabError):
    """An operation that requires all runs, on incomplete results."""

    exit_code = EXIT_PARTIAL


class EngineMissingError(HoplabError, ImportError):
    """The compiled engine is not there, or belongs to another version of Python."""


def exit_code_of(error: BaseException) -> int:
    """Exit code of the command line for an error that reached its top."""
    if isinstance(error, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    if isinstance(error, HoplabError):
        return error.exit_code
    engine = sys.modules.get("hoplab._core")
    if engine is not None and isinstance(error, (engine.ScenarioError, engine.ControllerError)):
        return EXIT_INPUT
    if engine is not None and isinstance(error, engine.LimitError):
        return EXIT_PARTIAL
    if isinstance(error, OSError | MemoryError):
        return EXIT_IO
    if isinstance(error, RecursionError):
        return EXIT_INPUT
    return EXIT_BROKEN


_state = {"command_line": False}


@contextmanager
def command_line() -> Iterator[None]:
    """Mark the block as called from the command line."""
    before = _state["command_line"]
    _state["command_line"] = True
    try:
        yield
    finally:
        _state["command_line"] = before


def is_command_line() -> bool:
    """Whether the command line calls hoplab."""
    return _state["command_line"]
