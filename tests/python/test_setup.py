"""scripts/setup.sh says what is missing and how to get it, before it makes anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "sed", "sort", "head", "dirname", "printf")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The script and what it reads, in a path with a space, with a search path of its own."""
    folder = tmp_path / "a project"
    (folder / "scripts").mkdir(parents=True)
    (folder / "bin").mkdir()
    shutil.copy(ROOT / "scripts" / "setup.sh", folder / "scripts")
    shutil.copy(ROOT / "Cargo.toml", folder)
    for tool in TOOLS:
        found = shutil.which(tool)
        if found is not None:
            (folder / "bin" / tool).symlink_to(found)
    return folder


def program(folder: Path, name: str, says: str, code: int = 0) -> None:
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    path.chmod(0o755)


def verbose_rustc(folder: Path) -> None:
    """A compiler that says with `--version --verbose` which LLVM is its own."""
    program(folder, "rustc", "rustc 1.99.0 (000000000 2026-08-08)")
    path = folder / "bin" / "rustc"
    path.write_text(path.read_text().replace("exit", "[ $# -lt 2 ] || echo LLVM version: 22.1.2\nexit"))


def setup(folder: Path, *extras: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHON"}
    environment |= {"PATH": str(folder / "bin"), **variables}
    done = subprocess.run(
        [folder / "scripts" / "setup.sh", *extras], env=environment, capture_output=True, text=True, check=False
    )
    assert not (folder / ".venv").exists()
    assert done.returncode == 1
    return done


def test_without_rust(project: Path) -> None:
    error = setup(project).stderr
    assert error.startswith("hoplab setup: Rust 1.")
    assert "there is none" in error
    assert "rustup" in error


def test_with_an_old_rust(project: Path) -> None:
    program(project, "cargo", "cargo 1.63.0")
    program(project, "rustc", "rustc 1.63.0 (4b91a6ea7 2022-08-08)")
    error = setup(project).stderr
    assert "and rustc is 1.63.0" in error
    assert "rustup update stable" in error


def test_a_trained_engine_needs_a_profiler(project: Path) -> None:
    program(project, "cargo", "cargo 1.99.0")
    verbose_rustc(project)
    error = setup(project, "fast").stderr
    assert error.startswith("hoplab setup: llvm-profdata of LLVM 22, which is that of rustc, is needed")
    assert "found: none" in error
    assert "rustup component add llvm-tools" in error


def test_the_profiler_must_be_of_the_compilers_llvm(project: Path) -> None:
    program(project, "cargo", "cargo 1.99.0")
    verbose_rustc(project)
    program(project, "llvm-profdata", "Debian LLVM version 14.0.6")
    assert "found: that of LLVM 14" in setup(project, "fast").stderr
    program(project, "llvm-profdata", "LLVM (http://llvm.org/):\n  LLVM version 22.1.8")
    program(project, "python3", "Python 3.9.2", code=1)
    assert "Python 3.11 or newer is needed" in setup(project, "fast").stderr


def test_with_an_old_python(project: Path) -> None:
    program(project, "cargo", "cargo 1.99.0")
    program(project, "rustc", "rustc 1.99.0 (000000000 2026-08-08)")
    program(project, "python3", "Python 3.9.2", code=1)
    error = setup(project).stderr
    assert error.startswith("hoplab setup: Python 3.11 or newer is needed")
    assert "Python 3.9.2" in error
    assert "PYTHON=/nowhere/python is not Python 3.11" in setup(project, PYTHON="/nowhere/python").stderr
