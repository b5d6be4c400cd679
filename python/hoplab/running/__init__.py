"""Runs of one scenario: over seeds, side by side with other transports, with estimators, with each flow alone.

`execution` runs the engine and `runs` holds its results. A module of this name stood here once: its functions are still
found by it.
"""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """Load a function of `execution` on first use (PEP 562)."""
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(importlib.import_module("hoplab.running.execution"), name)
