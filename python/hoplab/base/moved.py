"""Former names of modules, accepted until 0.3.

`import hoplab.engine` and `python -m hoplab.runs` find the module that has taken the place of the old one: the
same module object, not a copy of it. A name below a moved package follows its package.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

MOVED = {
    "errors": "base.errors",
    "engine": "base.engine",
    "metrics": "base.metrics",
    "table": "base.table",
    "progress": "base.progress",
    "shapes": "base.json_schema",
    "units": "scenario.units",
    "tomltext": "scenario.tomltext",
    "controllers": "scenario.controllers",
    "movements": "scenario.trajectories",
    "runs": "running.runs",
    "limits": "running.limits",
    "seeds": "running.seeds",
    "comparing": "running.comparing",
    "estimating": "running.estimating",
    "isolation": "running.isolation",
    "ns2trace": "store.ns2_trace",
    "store.ledger": "store.run_store",
    "store.seal": "store.checksums",
    "sweeping.keeper": "sweeping.run_writer",
    "sweeping.drive": "sweeping.executor",
    "explain.air": "explain.interference",
    "explain.ledger": "explain.accounting",
    "explain.reaction": "explain.response",
    "explain.sketch": "explain.topology_map",
    "explain.words": "explain.narrative",
}
"""Old name to new name, both below `hoplab`."""


def new_name(old: str) -> str | None:
    """The present full name of a module that has moved; None for any other."""
    known, name, below = _known(), old.removeprefix("hoplab."), ""
    while name:
        if name in known:
            return f"hoplab.{known[name]}{below}"
        name, dot, last = name.rpartition(".")
        below = f"{dot}{last}{below}"
    return None


@cache
def _known() -> dict[str, str]:
    """`MOVED`, also as ``from hoplab.store import ledger`` asks: for the old name below the package's new one."""
    found = dict(MOVED)
    for old, new in MOVED.items():
        package, _, name = old.rpartition(".")
        if package in MOVED:
            found.setdefault(f"{MOVED[package]}.{name}", new)
    return found


class Alias:
    """Finds and loads a module under its former name; called for names that no other finder knows."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        """Specification of an old name; None for any other."""
        new = new_name(name) if name.startswith("hoplab.") else None
        found = new and importlib.util.find_spec(new)
        if not new or not found:
            return None
        loader: Any = Alias(new, found)
        return ModuleSpec(name, loader, origin=found.origin, is_package=found.submodule_search_locations is not None)

    def __init__(self, name: str, spec: ModuleSpec) -> None:
        self._name, self._spec = name, spec

    def create_module(self, _: ModuleSpec) -> ModuleType:
        """The module itself, loaded under its present name."""
        return importlib.import_module(self._name)

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module that the import system replaced."""
        module.__spec__ = self._spec

    def get_code(self, _: str) -> CodeType | None:
        """Its code, for ``python -m``."""
        loader: Any = self._spec.loader
        code: CodeType | None = loader.get_code(self._name)
        return code


def install() -> None:
    """Let the import system ask `Alias` last."""
    if Alias not in sys.meta_path:
        sys.meta_path.append(Alias)
