"""Fixtures of the Python tests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, str(Path(__file__).parent))

from fakes.command_line import CommandLine

ENGINE_MODULE = "hoplab._core"


@pytest.fixture(autouse=True)
def own_controllers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that a test registers are forgotten after it: a runner sent elsewhere takes all of its process along."""
    from hoplab.scenario import controllers

    monkeypatch.setattr(controllers, "_held", dict(controllers._held))


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Ctrl-C means what it does in a terminal, also where a shell has started the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def fake_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the fake engine in place of the real one for one test."""
    from fakes import core as fake

    import hoplab as package
    from hoplab.base import engine

    def forget() -> None:
        for cache in (engine.core, engine.registry, engine.scenario_schema):
            cache.cache_clear()
        for name, home in package._HOME.items():  # what the package has taken from the engine
            if home == ENGINE_MODULE:
                vars(package).pop(name, None)

    monkeypatch.setitem(sys.modules, ENGINE_MODULE, fake)
    forget()
    yield
    forget()


@pytest.fixture
def hoplab(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, run in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A small scenario file, in the directory where commands run."""
    path = tmp_path / "chain.toml"
    path.write_text('[topology]\nkind = "chain"\nhops = 4\n\n[[flow]]\ntransport = "new_reno"\n')
    return path
