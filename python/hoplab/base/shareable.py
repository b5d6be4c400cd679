"""Names in files that people share: they do not identify the machine, unless the user wrote it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path


def shareable(path: str | Path) -> str:
    """A path as stored in results: relative to the current directory, or the file name alone."""
    text = str(path)
    if not Path(text).is_absolute():
        return text
    relative = os.path.relpath(text)
    return Path(text).name if relative.startswith("..") else relative


def without_folder(message: str, path: str | Path) -> str:
    """A message as stored in results, without the folder of the file it names."""
    if not Path(path).is_absolute():
        return message
    return message.replace(str(path), shareable(path)).replace(f"{Path(path).parent}{os.sep}", "")


def shareable_command(words: Sequence[str]) -> str:
    """A command line as a shell takes it, with shareable paths."""
    shown = []
    for word in words:
        option, equals, value = word.partition("=")
        if Path(word).is_absolute():
            shown.append(shareable(word))
        elif equals and option.startswith("-") and Path(value).is_absolute():
            shown.append(f"{option}={shareable(value)}")
        else:
            shown.append(word)
    return shlex.join(shown)
