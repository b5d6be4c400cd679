"""A tool that is missing skips a test on a user's machine, and fails it in continuous integration."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.tools import needs, needs_module

ASKING = [lambda: needs("no-such-program", "build it", "no-other"), lambda: needs_module("no_such_module", "build it")]


@pytest.mark.parametrize("ask", ASKING)
def test_missing_engine_names_the_remedy(ask: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOPLAB_CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no no.such.\w+ here: build it"):
        ask()


@pytest.mark.parametrize("ask", ASKING)
def test_continuous_integration_fails(ask: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPLAB_CI", "1")
    with pytest.raises(pytest.fail.Exception, match=r"no no.such.\w+ here: build it"):
        ask()


def test_what_is_there_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter = Path(sys.executable)
    monkeypatch.setenv("PATH", str(interpreter.parent))
    assert needs(interpreter.name, "") == needs("no-such-program", "", interpreter.name) == sys.executable
    needs_module("json", "")
