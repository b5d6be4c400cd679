"""Audit what hoplab is built from: advisories, licenses, bans and sources of crates; advisories of Python packages.

Each line says what was checked. A check that cannot be made, for want of a tool or of the advisories' data, is named
with its remedy and is never a success.

Exit codes: 0 all was checked and nothing found; 1 something was found; 69 nothing was found, and something could not
be checked (EX_UNAVAILABLE of sysexits.h).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parent.parent
LIMIT_S = 300
"""Seconds that a tool may take: one that waits for an unreachable host is ended."""
CLEAN, FOUND, UNAVAILABLE = 0, 1, 69

Verdict = Literal["ok", "found", "unavailable"]


def main() -> int:
    """Make every check, and return the exit code."""
    verdicts = [_crates(["bans", "licenses", "sources"]), _crates(["advisories"]), _packages()]
    if "found" in verdicts:
        return FOUND
    return UNAVAILABLE if "unavailable" in verdicts else CLEAN


def _crates(checks: list[str]) -> Verdict:
    """Checks of cargo-deny; all but advisories need no network."""
    what = f"crates, {', '.join(checks)}"
    if shutil.which("cargo-deny") is None:
        return _unavailable(what, "there is no cargo-deny", "cargo install cargo-deny --locked")
    needs_data = checks == ["advisories"]
    command = ["cargo", "deny", "--format", "json", "check", "--hide-inclusion-graph", *checks]
    done = _run(command)
    if done is None:
        return _unavailable(
            what, f"cargo-deny took more than {LIMIT_S} s", "see what it waits for: " + " ".join(command)
        )
    if done.returncode == 0:
        return _ok(what)
    errors = _errors(done.stderr)
    if errors:
        return _found(what, errors)
    said = _said(done.stderr)
    if needs_data:
        return _unavailable(
            what,
            f"the advisories cannot be fetched ({said})",
            "a machine that reaches https://github.com/rustsec/advisory-db, or a clone in $CARGO_HOME/advisory-dbs",
        )
    return _found(what, [said])


def _said(text: str) -> str:
    """The first line of the last message, which may be JSON."""
    last = _last_line(text)
    try:
        fields = json.loads(text.strip().splitlines()[-1])["fields"]
        return str(fields["message"]).splitlines()[0]
    except (ValueError, KeyError, TypeError, IndexError):
        return last


def _errors(text: str) -> list[str]:
    """Messages of cargo-deny's diagnostics that are errors."""
    found = []
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        fields = entry.get("fields") if isinstance(entry, dict) and entry.get("type") == "diagnostic" else None
        if isinstance(fields, dict) and fields.get("severity") == "error":
            graphs = [graph.get("Krate", {}) for graph in fields.get("graphs") or ()]
            crates = ", ".join(f"{krate.get('name')} {krate.get('version')}" for krate in graphs)
            found.append(f"{fields.get('message')}{f' ({crates})' if crates else ''}")
    return found


def _packages() -> Verdict:
    """Versions of constraints.txt, by pip-audit."""
    what = "Python packages, advisories"
    beside = Path(sys.executable).parent / "pip-audit"
    tool = str(beside) if beside.is_file() else shutil.which("pip-audit")
    if tool is None:
        return _unavailable(what, "there is no pip-audit", f"{sys.executable} -m pip install pip-audit")
    constraints = str(ROOT / "constraints.txt")
    done = _run(
        [tool, "--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json", "-r", constraints]
    )
    if done is None:
        return _unavailable(
            what, f"pip-audit took more than {LIMIT_S} s", "a machine that reaches the Python Package Index"
        )
    try:
        rows = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return _unavailable(
            what, f"pip-audit failed ({_last_line(done.stderr)})", "a machine that reaches the Python Package Index"
        )
    found = [f"{row['name']} {row['version']}: {vuln['id']}" for row in rows for vuln in row.get("vulns", ())]
    if found:
        return _found(what, found)
    skipped = [row["name"] for row in rows if "skip_reason" in row]
    if skipped:
        why = f"{len(skipped)} of {len(rows)} packages have no advisories here, such as {skipped[0]}"
        return _unavailable(
            what, why, "a machine that reaches the Python Package Index itself: mirrors have no advisories"
        )
    return _ok(what)


def _run(command: list[str]) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return None


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no message"


def _ok(what: str) -> Verdict:
    print(f"{what}: ok")
    return "ok"


def _found(what: str, findings: list[str]) -> Verdict:
    print(f"{what}: found", *findings, sep="\n  ")
    return "found"


def _unavailable(what: str, why: str, remedy: str) -> Verdict:
    print(f"{what}: not checked: {why}; needs: {remedy}")
    return "unavailable"


if __name__ == "__main__":
    sys.exit(main())
