"""Reading files of others: regular ones only, of a bounded size.

A FIFO would wait for a writer without hearing Ctrl-C, and a device such as /dev/zero never ends.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
)
MOST_BYTES = 1 << 30
"""Default limit of the size of a file, in bytes."""


class NotRegularError(OSError):
    """A device, FIFO or socket in place of a regular file."""


class TooLongError(OSError):
    """A file is longer than anything that hoplab reads there."""


def kind_of_mode(mode: int) -> str:
    """What a file of this mode is, as a noun with its article."""
    return next((name for is_kind, name in KINDS if is_kind(mode)), "a file")


def open_binary(path: Path) -> BinaryIO:
    """Open a regular file for reading; never waits.

    Raises
    ------
    NotRegularError
        If it is something else; links are followed.
    OSError
        If it cannot be opened.
    """
    _check(path, path.stat().st_mode)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _check(path, os.fstat(descriptor).st_mode)  # the file may have been replaced in between
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def check(path: Path) -> None:
    """Refuse what is no regular file, before a library opens it.

    Raises
    ------
    OSError
        As `open_binary`.
    """
    _check(path, path.stat().st_mode)


def _check(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise NotRegularError(errno.EINVAL, f"is {kind_of_mode(mode)}, expected a regular file", str(path))


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """All bytes of a regular file.

    Raises
    ------
    OSError
        As `open_binary`; `TooLongError` if there are more than `most`.
    """
    with open_binary(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLongError(errno.EFBIG, f"is longer than {most:,} bytes", str(path))
    return data


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """UTF-8 text of a regular file, without a byte order mark.

    Raises
    ------
    OSError
        As `read_bytes`.
    UnicodeDecodeError
        If it is not UTF-8.
    """
    text = read_bytes(path, most).decode("utf-8")
    return without_mark(text).replace("\r\n", "\n")


def without_mark(text: str) -> str:
    """Text without the byte order mark that some editors write in front."""
    return text.removeprefix("\ufeff")


def read_json(path: Path) -> Any:
    """Content of a regular JSON file.

    Raises
    ------
    OSError
        As `read_bytes`.
    ValueError
        If it is not JSON, or nested so deeply that it comes from no program of ours.
    """
    return parse_json(read_bytes(path))


def parse_json(data: bytes | str) -> Any:
    """Content of a JSON text; raises as `read_json`."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
