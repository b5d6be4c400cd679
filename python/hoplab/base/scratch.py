"""Directories for temporary files: gone after Ctrl-C and SIGTERM; after SIGKILL the next one removes them."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NAME = re.compile(r"hoplab-[a-z]+-([0-9]{1,10})-([0-9]{1,20})-\w+")


def started(pid: int) -> str | None:
    """When a process began, in ticks since boot (proc(5), field 22); None if it has ended, or without /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def remove_stale() -> list[Path]:
    """Remove this user's directories whose processes are gone, and return them."""
    stale = []
    for path in sorted(Path(tempfile.gettempdir()).glob("hoplab-*-*-*-*")):
        match = _NAME.fullmatch(path.name)
        if match is None or path.is_symlink() or not path.is_dir() or path.stat().st_uid != os.geteuid():
            continue
        if started(int(match[1])) != match[2]:
            shutil.rmtree(path, ignore_errors=True)
            stale.append(path)
    return stale


@contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """A directory `hoplab-KIND-PID-START-*`, removed at the end; first those that killed processes have left."""
    begun = started(os.getpid())
    if begun is None:  # without /proc the owner of a directory is unknown
        with tempfile.TemporaryDirectory(prefix=f"hoplab-{kind}-") as folder:
            yield Path(folder)
        return
    remove_stale()
    with tempfile.TemporaryDirectory(prefix=f"hoplab-{kind}-{os.getpid()}-{begun}-") as folder:
        yield Path(folder)
