"""The init of the kernel of virtual time: mounts, random numbers by seed, then the live network of `order.json`.

The kernel starts this file as its first process. The directory of the run is the working directory of the kernel's own
process, so that the kernel's command line, which its random numbers depend on, does not name it.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import json
import os
import struct
import sys
import traceback
from pathlib import Path
from typing import Any

HOST_BOX = "/proc/self/cwd/box"
"""Directory of the run as the host sees it."""

RUN = Path("/run")
BOX = RUN / "box"
"""The same directory inside."""

_RNDADDENTROPY = 0x40085203
_SEED_BYTES = 512
POWER_OFF = 0x4321FEDC
"""Argument of reboot(2)."""


def _mount(kind: str, where: str, options: str | None = None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [kind.encode(), where.encode(), kind.encode(), 0, None if options is None else options.encode()]
    if libc.mount(*words) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), where)


def random_bytes(seed: int) -> bytes:
    """What the kernel's random numbers start from."""
    return hashlib.shake_256(f"hoplab {seed}".encode()).digest(_SEED_BYTES)


def _seed_randomness(seed: int) -> None:
    """Fill the kernel's pool (random(4)): from then on all of its random numbers follow from the seed."""
    content = random_bytes(seed)
    with Path("/dev/random").open("wb", buffering=0) as device:
        fcntl.ioctl(device, _RNDADDENTROPY, struct.pack("ii", 8 * len(content), len(content)) + content)


def main() -> None:
    """Set the system up, run, and switch it off."""
    try:
        _mount("proc", "/proc")
        _mount("sysfs", "/sys")
        _mount("tmpfs", str(RUN))
        for folder in (BOX, RUN / "tmp"):
            folder.mkdir()
        _mount("hostfs", str(BOX), HOST_BOX)
        _run(json.loads((BOX / "order.json").read_text(encoding="utf-8")))
    except BaseException:  # noqa: BLE001 (nothing is above the first process)
        traceback.print_exc()
    os.sync()
    sys.stdout.flush()
    ctypes.CDLL(None).reboot(POWER_OFF)


def _run(order: dict[str, Any]) -> None:
    _seed_randomness(order["seed"])
    os.environ.clear()
    os.environ.update(order["environment"])
    os.environ["TMPDIR"] = str(RUN / "tmp")
    os.chdir(order["folder"])
    sys.path[0] = str(Path(__file__).parents[3])
    # Modules may draw random numbers when they are loaded: after the seed.
    from hoplab.running.live import inside  # noqa: PLC0415
    from hoplab.running.live.places import Place  # noqa: PLC0415

    place = Place(BOX, 1)
    with Path(os.devnull).open("w", encoding="utf-8") as silence:
        console, sys.stderr = sys.stderr, silence  # outputs of programs stand in files
        try:
            result = inside.run(place, order)
        finally:
            sys.stderr = console
    place.result.write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
