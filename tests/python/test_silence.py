"""Nothing here talks to a network, or listens to one, unless it is asked to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.tools import INSTALL, needs

CHAIN = 'duration = "2 s"\n[topology]\nkind = "chain"\nhops = 2\n\n[[flow]]\n'

COMMANDS = {
    "help": ["--help"],
    "run": ["run", "chain.toml", "--seeds", "2"],
    "show": ["show", "chain.toml"],
    "sweep and report": ["sweep", "chain.toml", "--over", "topology.hops=1,2", "--seeds", "2", "--out", "results"],
    "doctor": ["doctor"],
}

# Python's own events for what reaches beyond the process (the table of audit events in its documentation).
HOOK = """\
import sys

REACHING = ("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib")

def hook(event, args):
    if event.startswith(REACHING):
        raise RuntimeError(f"network: {event} {args}")

sys.addaudithook(hook)
sys.argv = ["hoplab", *sys.argv[1:]]
from hoplab.__main__ import main
main()
"""


def run(folder: Path, command: list[str], *before: str) -> subprocess.CompletedProcess[str]:
    """A command of hoplab in a process whose Python refuses to touch the network."""
    (folder / "chain.toml").write_text(CHAIN)
    return subprocess.run(
        [*before, sys.executable, "-c", HOOK, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_hook_would_tell(tmp_path: Path) -> None:
    code = HOOK.split("sys.argv", maxsplit=1)[0] + "import socket\nsocket.create_connection(('127.0.0.1', 9))\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "network: socket." in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_python_reaches_for_no_network(name: str, tmp_path: Path) -> None:
    done = run(tmp_path, COMMANDS[name])
    assert done.returncode == 0, done.stderr
    assert "network:" not in done.stderr
    if name == "sweep and report":
        assert run(tmp_path, ["report", "results"]).returncode == 0


def traced(folder: Path, command: list[str]) -> list[str]:
    """Sockets of the internet's families that a command opens, as the kernel is asked for them."""
    strace = needs("strace", INSTALL)
    log = folder / "calls"
    done = run(folder, command, strace, "-f", "-qq", "-e", "trace=socket,connect,bind,listen", "-o", str(log))
    if "ptrace" in done.stderr or not log.exists():
        # No tool is missing: a container may forbid it to whoever is in it, in continuous integration as elsewhere.
        pytest.skip("strace may not trace here; the audit hook above has seen Python's part")
    assert done.returncode == 0, done.stderr
    return [line for line in log.read_text().splitlines() if re.search(r"AF_INET|AF_INET6|AF_PACKET|listen\(", line)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run", "sweep and report"])
def test_no_library_opens_a_socket(name: str, tmp_path: Path) -> None:
    assert traced(tmp_path, COMMANDS[name]) == []
