"""Imports the compiled engine; the error for a missing engine names the remedy."""

from __future__ import annotations

import functools
import importlib
import json
from types import ModuleType
from typing import Any

from hoplab.base.errors import EngineMissingError


@functools.cache
def core() -> ModuleType:
    """`hoplab._core`, loaded on first use.

    Raises
    ------
    EngineMissingError
        If the extension is not built, or cannot be loaded by this Python.
    """
    try:
        return importlib.import_module("hoplab._core")
    except ModuleNotFoundError as error:
        raise EngineMissingError(
            "the engine (hoplab._core) is not built",
            hint="run `make build` in the source directory; it requires Rust (see `hoplab doctor`)",
        ) from error
    except ImportError as error:
        raise EngineMissingError(
            f"the engine (hoplab._core) cannot be loaded: {error}",
            hint="run `make build` again with the Python that runs hoplab",
        ) from error


def described() -> str:
    """The engine's version, and how it was built if not as wheels are. Raises as `core` does."""
    profile = core().profile()
    if core().is_trained():
        build = " (built by `make fast`)"
    elif profile == "dist":
        build = ""
    else:
        build = " (source build)" if profile == "release" else f" (profile {profile})"
    return f"{core().version()}{build}"


def running_core(*, series: bool) -> ModuleType:
    """`core()` for making runs; `series` says whether they have any, which come as NumPy arrays.

    The engine would load NumPy with the first series; interrupted there, by Ctrl-C, it could only panic. Without any it
    is left alone: loading it takes longer than a short run.
    """
    if series:
        importlib.import_module("numpy")
    return core()


@functools.cache
def registry() -> dict[str, list[dict[str, str]]]:
    """Everything a scenario can name: transports, topologies, routing, apps, propagation; each with a summary."""
    value: dict[str, list[dict[str, str]]] = json.loads(core().registry())
    return value


@functools.cache
def scenario_schema() -> dict[str, Any]:
    """JSON Schema of a scenario, as a dict."""
    value: dict[str, Any] = json.loads(core().schema())
    return value


@functools.cache
def scenario_defaults() -> dict[str, Any]:
    """Default values of a scenario's tables of constants, in SI units, as a dict."""
    value: dict[str, Any] = json.loads(core().defaults())
    return value


@functools.cache
def report_schema() -> dict[str, Any]:
    """JSON Schema of a run's report, as a dict."""
    value: dict[str, Any] = json.loads(core().report_schema())
    return value


def transports() -> list[str]:
    """Names that a flow's `transport` may have, in the engine's order."""
    return [entry["name"] for entry in registry()["transports"]]


def own_transports() -> list[str]:
    """Those of them that every build has: without those of libraries."""
    return [entry["name"] for entry in registry()["transports"] if "feature" not in entry]
