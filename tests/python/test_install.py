"""The scripts that install what the system has packages of: they say what to do where they cannot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
WANTED = [("install-peers.sh", "ns2"), ("install-browser.sh", "chromium tshark tcpdump valgrind strace groff")]


@pytest.fixture
def search_path(tmp_path: Path) -> Path:
    """A search path without any of what is to be installed."""
    for tool in ("sh", "dirname"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return tmp_path


def program(folder: Path, name: str, does: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{does}\n")
    (folder / name).chmod(0o755)


def install(script: str, search_path: Path) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(SCRIPTS / script)]
    environment = {"PATH": str(search_path)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


@pytest.mark.parametrize(("script", "wanted"), WANTED)
def test_without_apt_they_name_what_to_install_by_hand(script: str, wanted: str, search_path: Path) -> None:
    done = install(script, search_path)
    assert done.returncode == 69
    assert done.stderr.startswith(f"{script.removesuffix('.sh')}: no apt-get here; install ")
    assert ("ns-2.35 (the program 'ns')" if wanted == "ns2" else wanted) in done.stderr


@pytest.mark.parametrize(("script", "wanted"), WANTED)
def test_without_root_they_name_what_an_administrator_would_run(script: str, wanted: str, search_path: Path) -> None:
    program(search_path, "apt-get", "exit 9")
    program(search_path, "id", "echo 1000")
    done = install(script, search_path)
    assert done.returncode == 77
    assert "needs root" in done.stderr
    assert done.stderr.rstrip().endswith(f"apt-get install {wanted}")


@pytest.mark.parametrize(("script", "wanted"), WANTED)
@pytest.mark.parametrize(("user", "through"), [(0, ""), (1000, "sudo ")])
def test_they_install_as_root_or_through_sudo(
    script: str, wanted: str, user: int, through: str, search_path: Path
) -> None:
    log = search_path / "log"
    program(search_path, "id", f"echo {user}")
    program(search_path, "env", 'while [ "${1#*=}" != "$1" ]; do shift; done; exec "$@"')
    program(search_path, "apt-get", f'echo "apt-get $*" >> {log}')
    program(search_path, "sudo", f'printf "sudo " >> {log}; exec "$@"')
    program(search_path, "ns", "exit 0")
    assert install(script, search_path).returncode == 0
    lines = log.read_text().splitlines()
    assert lines[0] == f"{through}apt-get update -qq"
    assert lines[1].startswith(f"{through}apt-get install -y ")
    assert lines[1].endswith(f" {wanted}")
