"""What tests look at results with, and a machine may lack: programs, and modules of extras.

Where one is missing its tests skip, and say how to get it: on a user's machine a failure would read as a fault of
hoplab, and there is none. In continuous integration (`HOPLAB_CI`) they fail: all of it is installed there, and a test
that skips where nobody looks guards nothing.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

INSTALL = "scripts/install-browser.sh installs it"


def needs(program: str, how_to_get_it: str, *others: str) -> str:
    """Where a program is, or one of others that serve as well; without any the test skips, or fails."""
    found = next(filter(None, map(shutil.which, (program, *others))), None)
    return found or _without(program, how_to_get_it)


def needs_module(name: str, how_to_get_it: str) -> None:
    """Without a module the test skips, or fails; it is not imported."""
    if importlib.util.find_spec(name) is None:
        _without(name, how_to_get_it)


def needs_file(path: Path, how_to_get_it: str) -> None:
    """Without a file that is built the test skips, or fails."""
    if not path.is_file():
        _without(path.name, how_to_get_it)


def _without(what: str, how_to_get_it: str) -> NoReturn:
    reason = f"no {what} here: {how_to_get_it}"
    if os.environ.get("HOPLAB_CI"):
        pytest.fail(reason)
    pytest.skip(reason)
