"""The kernel of virtual time, and a program that stands for it: without devices, in real time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hoplab.running.real import kernel

FAKE = """#!{python}
import json, os, sys
sys.path[:0] = {path!r}
words = sys.argv[1:]
order = json.loads(open("box/order.json").read())
open({log!r}, "a").write(json.dumps([os.getcwd(), words, order["seed"]]) + "\\n")
from pathlib import Path
from hoplab.running.live import inside
from hoplab.running.live.places import Place
order["ports"], order["programs"] = {{}}, []
result = inside.run(Place(Path("box"), 1), order)
result["programs"] = [{{"node": 0, "command": "true", "status": order["seed"] % 2, "ended_s": 0.1}}]
Path("box/program-0.txt").write_text(f"seed {{order['seed']}}\\n")
Path("box/result.json").write_text(json.dumps(result))
"""

BROKEN = """#!/bin/sh
echo "Kernel panic - not syncing: no memory"
exit 3
"""


def fake_kernel(folder: Path, text: str = FAKE) -> Path:
    """A program at `folder`/linux; each start of `FAKE` adds a line to `folder`/starts.txt."""
    program = folder / "linux"
    names = {"python": sys.executable, "path": sys.path, "log": str(folder / "starts.txt")}
    program.write_text(text.format(**names) if text is FAKE else text, encoding="utf-8")
    program.chmod(0o755)
    return program


def needs_kernel() -> Path:
    """The kernel of virtual time; without it the test skips everywhere: its build takes longer than all tests."""
    try:
        return kernel.find()
    except kernel.KernelMissingError as error:
        pytest.skip(str(error))
