"""Files that are either whole on the disk or not there.

Every write of the run store passes through here, so that a test can make the k-th one fail.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from hoplab.base import regular_files
from hoplab.base.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


def digest(data: bytes) -> str:
    """BLAKE3 of some bytes, as 64 hexadecimal digits."""
    return blake3(data).hexdigest()


def digest_file(path: Path) -> str:
    """BLAKE3 of a file's bytes, as 64 hexadecimal digits."""
    state = blake3()
    with regular_files.open_binary(path) as file:
        while chunk := file.read(1 << 20):
            state.update(chunk)
    return state.hexdigest()


def write(path: Path, data: bytes) -> None:
    """Write a new file and wait until it is on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Wait until a file, or the entries of a directory, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(path: Path, data: bytes) -> None:
    """Put a file in the place of an older one; a reader sees the old one or the new one, whole."""
    build(path, lambda target: target.write_bytes(data))


def build(path: Path, make: Callable[[Path], Any]) -> None:
    """Let `make` write a file beside `path`, then put it in its place; as `replace` for what cannot give bytes."""
    refuse_irregular(path)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    beside = Path(name)
    try:
        beside.chmod(0o666 & ~_umask())  # mkstemp's own mode is for the owner alone
        make(beside)
        settle(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def settle(beside: Path, path: Path) -> None:
    """Put a finished file of the same file system in its place.

    Raises
    ------
    OSError
        If it cannot be replaced: `IrregularFileError` for an irregular file.
    """
    refuse_irregular(path)
    sync(beside)
    beside.replace(path)
    sync(path.parent)


class IrregularFileError(FileExistsError):
    """A device, FIFO, socket, directory or symbolic link in place of a regular file."""


def refuse_irregular(path: Path) -> None:
    """Raise an `IrregularFileError` if `path` exists and is not a regular file; links are not followed."""
    kind = kind_of(path)
    if kind not in {None, "a file"}:
        raise IrregularFileError(errno.EEXIST, f"it is {kind}, expected a regular file or a new name", str(path))


def kind_of(path: Path) -> str | None:
    """The kind of file at a path, as a noun with its article; None if absent. Links are not followed."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return regular_files.kind_of_mode(mode)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def remove_tree(path: Path) -> None:
    """Remove a directory that another process may be removing too."""
    shutil.rmtree(path, ignore_errors=True)


def output_error(error: OSError, where: Path) -> OutputError:
    """The error of a failed write; stored runs are not affected."""
    place = error.filename if isinstance(error.filename, str) else str(where)
    if error.errno in _NO_SPACE:
        free = _free_bytes(where)
        room = "" if free is None else f" ({free / 1e6:.1f} MB free)"
        return OutputError(
            f"{place}: no space left on the disk{room}; completed runs are stored",
            hint="free space, then rerun the command: it executes pending runs only",
        )
    reason = error.strerror or str(error)
    return OutputError(
        f"{place}: cannot be written: {reason}; completed runs are stored",
        hint="then rerun the command: it executes pending runs only",
    )


def _free_bytes(where: Path) -> int | None:
    for place in (where, *where.parents):
        try:
            return shutil.disk_usage(place).free
        except OSError:
            continue
    return None
