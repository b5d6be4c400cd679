"""Runs a command and measures the CPU time it took."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Timed:
    """A finished command; `cpu_s` is user and system time of the process, in seconds."""

    exit_code: int
    output: str
    cpu_s: float
    timed_out: bool = False


def run_timed(command: Sequence[str], folder: Path | None = None, *, limit_s: float | None = None) -> Timed:
    """Run a command to its end, or kill it after `limit_s`; standard output and error are read together."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        process = subprocess.Popen(  # noqa: S603 (a program that the caller found, on files of ours)
            command, stdout=out, stderr=subprocess.STDOUT, cwd=folder
        )
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            process.kill()

        timer = None if limit_s is None else threading.Timer(limit_s, kill)
        if timer is not None:
            timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Timed(process.returncode, out.read(), usage.ru_utime + usage.ru_stime, killed.is_set())
