"""Directories of live networks: `hoplab-live-PID` in the directory for temporary files, one per running network.

All namespaces and programs of a network end with its process, whatever ends it. So a process that was killed leaves its
directory alone, and the next start removes that: a directory of this name and user whose process is gone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hoplab.base.scratch import started

STATE = "state.json"
_NAME = re.compile(r"hoplab-live-([0-9]{1,10})")


@dataclass(frozen=True)
class Place:
    """Directory of a network and the process that owns it."""

    path: Path
    pid: int

    @property
    def order(self) -> Path:
        """What the process inside is to do."""
        return self.path / "order.json"

    @property
    def result(self) -> Path:
        """What it has done."""
        return self.path / "result.json"

    @property
    def packets(self) -> Path:
        """Packets that entered the network."""
        return self.path / "packets.txt"

    @property
    def nodes(self) -> Path:
        """Process number of the network's init, and its descriptors of the nodes' namespaces."""
        return self.path / "nodes.json"


def _all() -> Iterator[tuple[Place, bool]]:
    """Directories of this user's networks, and whether their processes run."""
    for path in sorted(Path(tempfile.gettempdir()).glob("hoplab-live-*")):
        match = _NAME.fullmatch(path.name)
        if match is None or path.is_symlink() or not path.is_dir() or path.stat().st_uid != os.geteuid():
            continue
        try:
            begun = json.loads((path / STATE).read_text(encoding="utf-8"))["started"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not ours, or about to be written
        pid = int(match[1])
        yield Place(path, pid), started(pid) == begun


def running() -> list[Place]:
    """Networks that run now."""
    return [place for place, runs in _all() if runs]


def remove_stale() -> list[Path]:
    """Remove directories whose processes are gone, and return them."""
    stale = [place.path for place, runs in _all() if not runs]
    for path in stale:
        shutil.rmtree(path, ignore_errors=True)
    return stale


@contextmanager
def own_place() -> Iterator[Place]:
    """The directory of this process, removed at the end."""
    pid = os.getpid()
    path = Path(tempfile.gettempdir()) / f"hoplab-live-{pid}"
    path.mkdir(mode=0o700)
    try:
        (path / STATE).write_text(json.dumps({"started": started(pid)}), encoding="utf-8")
        yield Place(path, pid)
    finally:
        shutil.rmtree(path, ignore_errors=True)
