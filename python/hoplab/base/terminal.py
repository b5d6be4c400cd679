"""What reaches the terminal: text without control characters.

Names come from files of others. A control character in one could move the cursor, and hide or forge what is read.
"""

from __future__ import annotations

import os
from typing import Any, TextIO, cast

_CONTROL = {
    **{code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"},
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�"),  # would reorder what is read
}


def plain(text: str) -> str:
    """Text with its control characters replaced, but for the ends of lines and tabs."""
    return text.translate(_CONTROL)


class Plain:
    """A stream that writes only what `plain` leaves."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write some text."""
        self.stream.write(plain(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class Closed:
    """Takes the place of a stream that was closed before the program began, and remembers whether it was needed."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.lost = False

    def write(self, text: str) -> int:
        """Lose some text."""
        self.lost = self.lost or bool(text.strip())
        return len(text)

    def flush(self) -> None:
        """There is nothing to flush."""

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def fileno(self) -> int:
        """It has no descriptor."""
        raise OSError("this stream is closed")


def guarded(stream: TextIO | None) -> TextIO:
    """A stream for a command: `Plain`, or `Closed` where there is none."""
    return cast("TextIO", Closed() if stream is None else stream if isinstance(stream, Plain) else Plain(stream))


def raw(stream: TextIO) -> TextIO:
    """The stream itself, for what writes control sequences of its own, such as a progress bar."""
    return stream.stream if isinstance(stream, Plain) else stream


def reserve_standard_descriptors() -> None:
    """Open the null device in place of standard streams that are closed: else a file would get their number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
