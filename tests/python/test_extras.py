"""Packages that are not installed with hoplab: what works without them, and the message where they are needed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from hoplab.base.errors import EXTRAS

WITHOUT = f"""
import importlib.abc, sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {tuple(EXTRAS)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

import importlib.metadata
version = importlib.metadata.version

def version_of(name):
    if name in {tuple(EXTRAS)}:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)

importlib.metadata.version = version_of

import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {tuple(EXTRAS)} else found(name, package)
sys.meta_path.insert(0, Absent())
"""
SCENARIO = 'duration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\n'


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A directory with a scenario, and a program that runs commands without the packages of extras."""
    (tmp_path / "chain.toml").write_text(SCENARIO)
    (tmp_path / "bare.py").write_text(f"{WITHOUT}\nfrom hoplab.__main__ import main\nmain()\n")
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_runs_sweeps_and_reports_need_no_extra(bare: Path) -> None:
    for words in (
        ["compare", "chain.toml", "-t", "reno,vegas", "--seeds", "3", "--out", "compared"],
        ["sweep", "chain.toml", "--over", "topology.hops=1,2", "--seeds", "3", "--precision", "50%", "--out", "swept"],
        ["query", "SELECT count(*) FROM runs", "swept"],
        ["run", "chain.toml", "--trace", "--out", "traced"],
        ["explain", "traced"],
        ["show", "chain.toml"],
    ):
        done = run(bare, "bare.py", *words)
        assert done.returncode == 0, (words, done.stderr)
    assert (bare / "compared" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (["bound", "chain.toml"], "scipy"),
        (["run", "chain.toml", "--possible"], "scipy"),
        (["show", "chain.toml", "--preview", "map.svg"], "matplotlib"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(words: list[str], package: str, bare: Path) -> None:
    done = run(bare, "bare.py", *words)
    assert done.returncode == 69
    assert f"needs the package {package}, which is not installed" in done.stderr
    assert f"hint: pip install {package}, or hoplab with the extra: 'hoplab[{EXTRAS[package]}]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_python_names_the_package_too(bare: Path) -> None:
    code = "import hoplab; runs = hoplab.compare('chain.toml', ['reno', 'sack'], seeds=2)\n"
    (bare / "mine.py").write_text(f"{WITHOUT}\n{code}assert 'pip install' in runs._repr_html_()\nruns.plot()\n")
    done = run(bare, "mine.py")
    assert "MissingPackageError: a plot needs the package matplotlib" in done.stderr


def test_the_packages_of_extras_are_here_for_the_tests() -> None:
    assert all(importlib.util.find_spec(package) for package in EXTRAS)
