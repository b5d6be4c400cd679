"""hoplab: a laboratory for transport protocols over multi-hop 802.11.

Importing this package loads neither the engine nor numpy: each name below is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoplab._core import (
        Ack,
        ControllerError,
        EngineError,
        LimitError,
        Loss,
        RateResult,
        RateSetup,
        Sample,
        ScenarioError,
        Setup,
        schema,
    )
    from hoplab.artifact.paper import paper_figure, paper_table
    from hoplab.base.errors import EngineMissingError, HoplabError, InputError, OutputError, UsageError
    from hoplab.base.table import Table
    from hoplab.bounding import Bound, bound
    from hoplab.report.stored import open_comparison
    from hoplab.running.answers.differences import Differences, differences
    from hoplab.running.comparing import Comparison, compare
    from hoplab.running.estimating import Estimates, estimate
    from hoplab.running.execution import run
    from hoplab.running.runs import Run, Runs
    from hoplab.running.whatif.asking import whatif
    from hoplab.running.whatif.effects import WhatIf
    from hoplab.scenario.controllers import Controller
    from hoplab.scenario.drai import drai_grid
    from hoplab.scenario.model import Resolved, Scenario
    from hoplab.scenario.rates import RateController
    from hoplab.store import Results, open  # noqa: A004 (the word users look for)
    from hoplab.sweeping import sweep

__all__ = [
    "Ack",
    "Bound",
    "Comparison",
    "Controller",
    "ControllerError",
    "Differences",
    "EngineError",
    "EngineMissingError",
    "Estimates",
    "HoplabError",
    "InputError",
    "LimitError",
    "Loss",
    "OutputError",
    "RateController",
    "RateResult",
    "RateSetup",
    "Resolved",
    "Results",
    "Run",
    "Runs",
    "Sample",
    "Scenario",
    "ScenarioError",
    "Setup",
    "Table",
    "UsageError",
    "WhatIf",
    "__version__",
    "bound",
    "compare",
    "differences",
    "drai_grid",
    "estimate",
    "open",
    "open_comparison",
    "paper_figure",
    "paper_table",
    "run",
    "schema",
    "sweep",
    "whatif",
]

_HOME = {
    "Ack": "hoplab._core",
    "Bound": "hoplab.bounding",
    "Comparison": "hoplab.running.comparing",
    "Controller": "hoplab.scenario.controllers",
    "ControllerError": "hoplab._core",
    "Differences": "hoplab.running.answers.differences",
    "EngineError": "hoplab._core",
    "EngineMissingError": "hoplab.base.errors",
    "Estimates": "hoplab.running.estimating",
    "HoplabError": "hoplab.base.errors",
    "InputError": "hoplab.base.errors",
    "LimitError": "hoplab._core",
    "Loss": "hoplab._core",
    "OutputError": "hoplab.base.errors",
    "RateController": "hoplab.scenario.rates",
    "RateResult": "hoplab._core",
    "RateSetup": "hoplab._core",
    "Resolved": "hoplab.scenario.model",
    "Results": "hoplab.store",
    "Run": "hoplab.running.runs",
    "Runs": "hoplab.running.runs",
    "Sample": "hoplab._core",
    "Scenario": "hoplab.scenario.model",
    "ScenarioError": "hoplab._core",
    "Setup": "hoplab._core",
    "Table": "hoplab.base.table",
    "UsageError": "hoplab.base.errors",
    "WhatIf": "hoplab.running.whatif.effects",
    "bound": "hoplab.bounding",
    "compare": "hoplab.running.comparing",
    "differences": "hoplab.running.answers.differences",
    "drai_grid": "hoplab.scenario.drai",
    "estimate": "hoplab.running.estimating",
    "open": "hoplab.store",
    "open_comparison": "hoplab.report.stored",
    "paper_figure": "hoplab.artifact.paper",
    "paper_table": "hoplab.artifact.paper",
    "run": "hoplab.running.execution",
    "schema": "hoplab._core",
    "sweep": "hoplab.sweeping",
    "whatif": "hoplab.running.whatif.asking",
}
"""Public name to the module that defines it. The modules are not named after the functions, so that importing
one never replaces the function of the same name."""


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        value: Any = version("hoplab")
    elif name in _HOME:
        if _HOME[name] == "hoplab._core":
            from hoplab.base.engine import core  # noqa: PLC0415

            value = getattr(core(), name)
        else:
            value = getattr(importlib.import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'hoplab' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
