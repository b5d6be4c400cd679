"""Environment of a result: versions, machine, time."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from hoplab.base.engine import core
from hoplab.report.model import Fact

PACKAGES = ("numpy", "scipy", "duckdb", "matplotlib", "jinja2")


def environment() -> list[Fact]:
    """Versions and machine, for a report. Names no user, host or directory."""
    now = dt.datetime.now(dt.UTC)
    return [
        Fact("hoplab", f"{metadata.version('hoplab')} (engine {core().version()})"),
        Fact("time", now.strftime("%Y-%m-%d %H:%M UTC")),
        Fact("python", f"{platform.python_implementation()} {platform.python_version()}"),
        Fact("packages", ", ".join(_versions())),
        Fact("system", f"{platform.system()} {platform.machine()}"),
        Fact("processor", f"{_processor()}, {os.cpu_count()} cores"),
    ]


def _versions() -> Iterator[str]:
    """Packages with their versions; those of extras only where they are installed."""
    for name in PACKAGES:
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
