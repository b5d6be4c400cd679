"""How much memory this process may still take."""

from __future__ import annotations

import os
from pathlib import Path

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
