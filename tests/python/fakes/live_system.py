"""Whether this system permits live networks, and programs for their nodes."""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

PROBE = """
from hoplab.running.live import system
system.leave_host()
import os
child = os.fork()
if child:
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
system.open_device(system.Device("10.0.0.1", 1500))
"""
"""What a live network needs, in a process of its own."""


@functools.cache
def refusal() -> str | None:
    """Why the system permits no live network; None if it does. Continuous integration may lack privileges, too."""
    if sys.platform != "linux":
        return "live networks require Linux"
    answer = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    return None if answer.returncode == 0 else (answer.stderr.strip().splitlines() or ["refused"])[-1]


def needs_live_networks() -> None:
    """Skip the test where the system permits none."""
    if (reason := refusal()) is not None:
        pytest.skip(f"no live networks here: {reason}")


def program(source: str, *args: object) -> str:
    """A command that runs Python source at a node."""
    folder = Path(tempfile.mkdtemp(prefix="hoplab-programs-"))
    file = folder / "program.py"
    file.write_text(source, encoding="utf-8")
    return " ".join([f"exec {sys.executable} -u {file}", *map(str, args)])


ECHO = """
import pathlib, socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", 7))
pathlib.Path(sys.argv[1]).touch()
while True:
    data, address = server.recvfrom(2048)
    server.sendto(data, address)
"""
"""Returns each datagram. The file of its argument exists when it does."""

PING = """
import json, os, socket, sys, time
to, count, ready = sys.argv[1], int(sys.argv[2]), sys.argv[3]
while not os.path.exists(ready):
    time.sleep(0.01)
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(2.0)
times = []
for i in range(count):
    time.sleep(0.06)
    began = time.perf_counter()
    client.sendto(bytes(56), (to, 7))
    client.recv(2048)
    times.append(time.perf_counter() - began)
print(json.dumps(times))
"""
"""Prints the round-trip times of datagrams once a file exists, in s: 84 bytes with headers."""

SINK = """
import pathlib, socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", 9))
pathlib.Path(sys.argv[1]).touch()
while True:
    server.recv(2048)
"""
"""Receives datagrams. The file of its argument exists when it does."""

SEND = """
import os, socket, sys, time
to, rate, length, seconds = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
while not os.path.exists(sys.argv[5]):
    time.sleep(0.01)
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
began, sent = time.perf_counter(), 0
while (now := time.perf_counter() - began) < seconds:
    if sent * length * 8 / rate <= now:
        client.sendto(bytes(length), (to, 9))
        sent += 1
    else:
        time.sleep(0.0005)
"""
"""Sends datagrams at a constant rate once a file exists."""
