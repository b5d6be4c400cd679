"""hoplab: a laboratory for transport protocols over multi-hop 802.11.

Importing this package loads neither the engine nor numpy: each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hoplab import _moved

if TYPE_CHECKING:
    from hoplab._core import Ack, ControllerError, EngineError, LimitError, Loss, ScenarioError, Setup, schema
    from hoplab.comparing import Comparison, compare
    from hoplab.controllers import Controller
    from hoplab.errors import EngineMissingError, HoplabError, InputError, OutputError, UsageError
    from hoplab.estimating import Estimates, estimate
    from hoplab.running import run
    from hoplab.runs import Run, Runs
    from hoplab.scenario import Resolved, Scenario
    from hoplab.store import Results, open  # noqa: A004 (the word users look for)
    from hoplab.sweeping import sweep
    from hoplab.table import Table

__all__ = [
    "Ack",
    "Comparison",
    "Controller",
    "ControllerError",
    "EngineError",
    "EngineMissingError",
    "Estimates",
    "HoplabError",
    "InputError",
    "LimitError",
    "Loss",
    "OutputError",
    "Resolved",
    "Results",
    "Run",
    "Runs",
    "Scenario",
    "ScenarioError",
    "Setup",
    "Table",
    "UsageError",
    "__version__",
    "compare",
    "estimate",
    "open",
    "run",
    "schema",
    "sweep",
]

_HOME = {
    "Ack": "hoplab._core",
    "Comparison": "hoplab.comparing",
    "Controller": "hoplab.controllers",
    "ControllerError": "hoplab._core",
    "EngineError": "hoplab._core",
    "EngineMissingError": "hoplab.errors",
    "Estimates": "hoplab.estimating",
    "HoplabError": "hoplab.errors",
    "InputError": "hoplab.errors",
    "LimitError": "hoplab._core",
    "Loss": "hoplab._core",
    "OutputError": "hoplab.errors",
    "Resolved": "hoplab.scenario",
    "Results": "hoplab.store",
    "Run": "hoplab.runs",
    "Runs": "hoplab.runs",
    "Scenario": "hoplab.scenario",
    "ScenarioError": "hoplab._core",
    "Setup": "hoplab._core",
    "Table": "hoplab.table",
    "UsageError": "hoplab.errors",
    "compare": "hoplab.comparing",
    "estimate": "hoplab.estimating",
    "open": "hoplab.store",
    "run": "hoplab.running",
    "schema": "hoplab._core",
    "sweep": "hoplab.sweeping",
}
"""Public name to the module that defines it. The modules are not named after the functions, so that importing
one never replaces the function of the same name."""


_moved.install()


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        value: Any = version("hoplab")
    elif name in _HOME:
        if _HOME[name] == "hoplab._core":
            from hoplab.engine import core  # noqa: PLC0415

            value = getattr(core(), name)
        else:
            value = getattr(importlib.import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'hoplab' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
