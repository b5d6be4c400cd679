"""How much memory this process may still take, and one rule for settings that ask for more.

The engine estimates what a run needs by its scenario's keys. Here is what the callers' own settings add: samples over
time, estimates, and results that are held at the same time.
"""

from __future__ import annotations

import os
from pathlib import Path

from hoplab.base.engine import core
from hoplab.base.errors import UsageError

GIB = 2**30
SAMPLE_BYTES = 64
"""A sample of a flow: three columns in the engine, and in NumPy."""
TRACED_BYTES = 16
"""A sampled value of a trace, in its file."""
TRACED_PER_FLOW, TRACED_PER_NODE = 5, 4
"""Values of a trace per sample."""
ESTIMATE_BYTES = 3000
"""A sample of a node's estimators, three rows: columns, JSON, and rows of Python."""
RESULT_BYTES = 8192
"""A run without its flows, as Python holds it."""
RESULT_FLOW_BYTES = 4096
"""A flow of a run, as Python holds it."""

STACK_BYTES = 3 << 20
"""Address space of a thread's stack, with its guard pages."""
ARENA_BYTES = 64 << 20
"""Address space that glibc reserves for the memory of a thread (mallopt(3)): at most eight such areas per core."""


def address_space_left() -> int | None:
    """Bytes of address space below the limit of this process (``ulimit -v``); None where there is no limit."""
    try:
        import resource  # noqa: PLC0415 (not on every system)

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError, ValueError):
        return None
    return int(max(0, limit - pages * os.sysconf("SC_PAGE_SIZE")))


def threads_that_fit(wanted: int) -> int:
    """Threads that half of the address space has room for, at least one; the other half is for libraries and runs."""
    left = address_space_left()
    if left is None:
        return wanted
    arenas = 8 * (os.cpu_count() or 1)
    count = wanted
    while count > 1 and count * STACK_BYTES + min(count, arenas) * ARENA_BYTES > left // 2:
        count -= 1
    return count


def refuse_beyond(setting: str, needed: float, remedy: str) -> None:
    """Refuse a setting that asks for more memory than this process may take.

    Parameters
    ----------
    setting : str
        Name and value, as the caller wrote them.
    needed : float
        Bytes, about.
    remedy : str
        What to do instead.

    Raises
    ------
    UsageError
        If it is too much.
    """
    most = core().memory_left()
    if needed > most:
        raise UsageError(f"{setting}: needs about {_gib(needed)} of memory, at most {_gib(most)}", hint=remedy)


def refuse_interval(setting: str, interval_s: float, duration_s: float, bytes_per_sample: float) -> None:
    """Refuse an interval with more samples than fit into memory; the hint has one that is accepted.

    Raises
    ------
    UsageError
        If there are too many.
    """
    samples = duration_s / interval_s + 1.0
    least = 1.1 * duration_s * bytes_per_sample / max(1.0, core().memory_left())
    refuse_beyond(f"{setting} = {interval_s:g} s", samples * bytes_per_sample, f"use {least:.2g} s or more")


def _gib(count: float) -> str:
    gib = count / GIB
    return f"{gib:.1f} GiB" if gib < 10.0 else f"{gib:.0f} GiB"
