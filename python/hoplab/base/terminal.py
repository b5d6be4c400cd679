"""Text on the terminal: without control characters of its content, and with colors where the terminal shows them.

Names come from files of others. A control character in one could move the cursor, and hide or forge text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, TextIO, cast

_CONTROL = {
    **{code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"},
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�"),  # reorder text
}


def plain(text: str) -> str:
    """Text with its control characters replaced, except for newlines and tabs."""
    return text.translate(_CONTROL)


class Plain:
    """A stream that writes text through `plain`."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text."""
        self.stream.write(plain(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class Closed:
    """Replaces a stream that was closed before the program started; `lost` records discarded output."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.lost = False

    def write(self, text: str) -> int:
        """Discard text."""
        self.lost = self.lost or bool(text.strip())
        return len(text)

    def flush(self) -> None:
        """Do nothing."""

    def isatty(self) -> bool:
        """Not a terminal."""
        return False

    def fileno(self) -> int:
        """No descriptor."""
        raise OSError("this stream is closed")


def guarded(stream: TextIO | None) -> TextIO:
    """A stream for a command: `Plain`, or `Closed` if the process has none."""
    return cast("TextIO", Closed() if stream is None else stream if isinstance(stream, Plain) else Plain(stream))


def raw(stream: TextIO) -> TextIO:
    """The unguarded stream, for control sequences of hoplab, such as those of a progress bar."""
    return stream.stream if isinstance(stream, Plain) else stream


SGR = {"red": "31", "green": "32", "yellow": "33"}
"""Parameters of the control sequence Select Graphic Rendition (ECMA-48), by color."""


def has_color(stream: TextIO) -> bool:
    """Whether text on a stream is colored: on terminals only, unless the environment decides.

    Any non-empty ``NO_COLOR`` disables color (no-color.org). Otherwise a non-empty ``FORCE_COLOR`` enables it, as for
    rich, which draws the progress bar. ``TERM=dumb`` names a terminal without colors.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def write_colored(text: str, colors: Mapping[str, str], stream: TextIO) -> None:
    """Write text, with each phrase of `colors` in its color where the stream shows colors."""
    if not colors or not has_color(stream):
        stream.write(text)
        return
    phrases = sorted(map(plain, colors), key=len, reverse=True)  # the longest match first
    found = re.compile("|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in phrases))
    codes = {plain(phrase): SGR[color] for phrase, color in colors.items()}
    raw(stream).write(found.sub(lambda match: f"\x1b[{codes[match[0]]}m{match[0]}\x1b[0m", plain(text)))


def reserve_standard_descriptors() -> None:
    """Open the null device in place of closed standard streams: otherwise a file would take their descriptor."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
