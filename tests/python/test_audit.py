"""`make audit`: what was found, what was not checked, and that the latter is no success."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "audit.py"
ADVISORY = json.dumps(
    {
        "type": "diagnostic",
        "fields": {
            "severity": "error",
            "message": "memory is freed twice",
            "graphs": [{"Krate": {"name": "oldcrate", "version": "0.1.0"}}],
        },
    }
)
UNREACHABLE = "failed to fetch advisory database: could not resolve host github.com"


def audit(folder: Path, *, deny: str | None, packages: str | None) -> tuple[int, str]:
    """Run the script with tools that are shell scripts: `deny` and `packages` are their bodies, None for none."""
    folder.mkdir(exist_ok=True)
    for name, body in (("cargo", deny), ("cargo-deny", deny), ("pip-audit", packages)):
        if body is not None:
            (folder / name).write_text(f"#!/bin/sh\n{body}\n")
            (folder / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    done = subprocess.run([sys.executable, SCRIPT], env=env, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def listing(*rows: dict[str, object]) -> str:
    """A pip-audit that answers with these rows."""
    return f"echo '{json.dumps({'dependencies': rows})}'"


GOOD = listing({"name": "numpy", "version": "2.0", "vulns": []})
BAD = listing({"name": "numpy", "version": "2.0", "vulns": [{"id": "PYSEC-1"}]})
SKIPPED = listing({"name": "numpy", "version": "2.0", "skip_reason": "not found"})


@pytest.mark.parametrize(
    ("deny", "packages", "code", "said"),
    [
        ("exit 0", GOOD, 0, "Python packages, advisories: ok"),
        (None, GOOD, 69, "there is no cargo-deny; needs: cargo install cargo-deny"),
        ("exit 0", None, 69, "there is no pip-audit"),
        ("exit 0", SKIPPED, 69, "1 of 1 packages have no advisories here, such as numpy"),
        ("exit 0", BAD, 1, "numpy 2.0: PYSEC-1"),
        (f"echo '{ADVISORY}' >&2; exit 1", GOOD, 1, "memory is freed twice (oldcrate 0.1.0)"),
        (f'case "$*" in *advisories) echo "{UNREACHABLE}" >&2; exit 1;; esac', GOOD, 69, "cannot be fetched"),
        (f'case "$*" in *advisories) echo "{UNREACHABLE}" >&2; exit 1;; esac', BAD, 1, "PYSEC-1"),
    ],
    ids=[
        "clean",
        "no cargo-deny",
        "no pip-audit",
        "mirror",
        "package",
        "crate",
        "no advisories",
        "found and not checked",
    ],
)
def test_exit_codes_and_messages(deny: str | None, packages: str | None, code: int, said: str, tmp_path: Path) -> None:
    found, out = audit(tmp_path / "bin", deny=deny, packages=packages)
    assert found == code, out
    assert said in out
