"""Errors a user can cause or meet, and the exit code of each.

The engine's own, `ScenarioError`, `EngineError` and what derives from it, are defined in `hoplab._core`;
`exit_code_of` knows them.
A message is complete: what is wrong, where, and what to do, so that no traceback is needed to act on it.
"""

from __future__ import annotations

import sys
from typing import ClassVar

EXIT_OK = 0
EXIT_USAGE = 2
EXIT_INPUT = 3
EXIT_PARTIAL = 4
"""Runs are missing: they failed, or met a limit that the user had set."""
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
    """Something that is allowed and probably not meant."""


class UsageError(HoplabError, ValueError):
    """An argument that cannot be understood, such as ``seeds="a..b"``."""

    exit_code = EXIT_USAGE


class InputError(HoplabError, ValueError):
    """Input that is missing or cannot be used: a file that is not there, a transport nobody knows."""

    exit_code = EXIT_INPUT


class OutputError(HoplabError, OSError):
    """Results that cannot be written: no permission, no space, or in the way of something."""

    exit_code = EXIT_IO


class PartialError(HoplabError):
    """Something that needs every run, asked of results that have only some."""

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
