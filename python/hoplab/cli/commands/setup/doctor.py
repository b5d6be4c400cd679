"""`hoplab doctor`: is everything here, and how to get what is not."""

from __future__ import annotations

import json as json_module
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Literal

import typer

from hoplab.base.engine import core, described
from hoplab.base.errors import (
    EVIDENCE,
    EVIDENCE_REMEDY,
    EXIT_BROKEN,
    EXIT_OK,
    EXTRAS,
    EngineMissingError,
    HoplabError,
)
from hoplab.cli.console import text_table
from hoplab.running.execution import thread_count
from hoplab.running.real import kernel, session

State = Literal["ok", "missing", "optional"]
REQUIRED_PACKAGES = ("numpy", "duckdb", "typer", "rich", "jinja2")
OPTIONAL_PACKAGES = {**EXTRAS, "ray": "ray", "polars": "polars", "gymnasium": "gym", EVIDENCE: "evidence"}
"""Each with the extra that brings it."""
MIN_PYTHON = (3, 11)
PATIENCE_S = 5.0


@dataclass(frozen=True)
class Check:
    """One thing looked at; `optional` means that it is not there and not needed for `hoplab run`."""

    name: str
    state: State
    found: str
    remedy: str = ""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(json: Annotated[bool, typer.Option("--json", help="One JSON object per check and line.")] = False) -> None:
    """Check the installation and optional tools."""
    checks = list(all_checks())
    if json:
        for check in checks:
            print(json_module.dumps(asdict(check)))
    else:
        print(text_table(None, [[c.state, c.name, c.found, c.remedy] for c in checks], left=4))
    raise typer.Exit(EXIT_BROKEN if any(check.state == "missing" for check in checks) else EXIT_OK)


def all_checks() -> Iterator[Check]:
    """Look at each thing in turn."""
    yield _python()
    yield _engine()
    yield Check("cores", "ok", f"{_cores()} usable of {os.cpu_count()}, {platform.machine()}, {platform.system()}")
    for package in REQUIRED_PACKAGES:
        yield _package(package, "missing", f"pip install {package}")
    for package, extra in OPTIONAL_PACKAGES.items():
        remedy = f"in the source directory: make dev, or pip install '.[{extra}]'"
        yield _package(package, "optional", EVIDENCE_REMEDY if package == EVIDENCE else remedy)
    yield _live()
    yield _kernel()
    yield _tool("rust", ["rustc"], ["--version"], "to build from source: install rustup, then `rustup default stable`")
    yield _tool("ns-2", ["ns"], [], "cross-checks: Debian package ns2")
    yield _ns3()
    yield _tool(
        "chromium", ["chromium", "chromium-browser", "google-chrome"], ["--version"], "browser tests: Debian's chromium"
    )
    yield _tool("tshark", ["tshark"], ["--version"], "capture checks: Debian package tshark")


def _python() -> Check:
    found = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info >= MIN_PYTHON:
        return Check("python", "ok", found)
    return Check("python", "missing", found, "hoplab needs Python 3.11 or newer")


def _engine() -> Check:
    try:
        engine = core()
    except EngineMissingError as error:
        return Check("engine", "missing", error.message, error.hint or "")
    return Check("engine", "ok", f"{described()} at {engine.__file__}")


def _package(name: str, absent: State, remedy: str) -> Check:
    try:
        return Check(name, "ok", metadata.version(name))
    except metadata.PackageNotFoundError:
        return Check(name, absent, "not installed", remedy)


def _live() -> Check:
    """Whether this user may open TUN devices and create namespaces (`hoplab live`)."""
    tun = Path("/dev/net/tun")
    if not os.access(tun, os.R_OK | os.W_OK):
        return Check(
            "live networks", "optional", f"{tun} cannot be opened", "hoplab live: modprobe tun, and run as root"
        )
    limit = Path("/proc/sys/user/max_user_namespaces")
    if os.geteuid() != 0 and (not limit.is_file() or limit.read_text(encoding="ascii").strip() == "0"):
        return Check("live networks", "optional", "no user namespaces", f"hoplab live: run as root, or raise {limit}")
    return Check("live networks", "ok", f"{tun} as {'root' if os.geteuid() == 0 else 'user'}")


def _kernel() -> Check:
    """Whether the kernel of virtual time is built, and starts (`hoplab real`)."""
    try:
        found = kernel.find()
    except HoplabError as error:
        return Check("virtual time", "optional", "no kernel", f"hoplab real: {error.hint}")
    if (problem := session.started(found)) is not None:
        remedy = f"hoplab real: remove {found}, and build it anew with {kernel.BUILD}"
        return Check("virtual time", "optional", f"{found} does not start ({problem})", remedy)
    return Check("virtual time", "ok", str(found))


def _tool(name: str, commands: Sequence[str], ask: Sequence[str], remedy: str) -> Check:
    """A program on PATH, with the first version number that it prints."""
    for command in commands:
        path = shutil.which(command)
        if path is None:
            continue
        version = _version([path, *ask]) if ask else ""
        return Check(name, "ok", " ".join(filter(None, [version, "at", path])))
    return Check(name, "optional", "not installed", remedy)


def _ns3() -> Check:
    version = _version(["pkg-config", "--modversion", "ns3-core"]) if shutil.which("pkg-config") else ""
    if version:
        return Check("ns-3", "ok", f"{version} (pkg-config)")
    for folder in ("/usr/include", "/usr/local/include"):
        headers = [name for name in _names(folder) if re.fullmatch(r"ns3(\.\d+)*", name)]
        if headers:
            return Check("ns-3", "ok", f"headers in {folder}/{headers[0]}")
    return Check("ns-3", "optional", "not installed", "comparison: Debian package libns3-dev")


def _names(folder: str) -> list[str]:
    place = Path(folder)
    return sorted(entry.name for entry in place.iterdir()) if place.is_dir() else []


def _version(command: Sequence[str]) -> str:
    try:
        # S603: the commands are the fixed ones above, at paths that `which` found
        answer = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\d+(\.\d+)+", answer.stdout) if answer.returncode == 0 else None
    return match[0] if match else ""


def _cores() -> int:
    return thread_count(None)
