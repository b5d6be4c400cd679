"""Output of the command line: data on stdout, messages on stderr, aligned tables."""

from __future__ import annotations

import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hoplab.base.errors import HoplabWarning
from hoplab.base.shareable import shareable_command
from hoplab.base.terminal import write_colored

if TYPE_CHECKING:
    from hoplab.base.metrics import Metric
    from hoplab.stats import Interval

WIDTH = 80
"""Columns of a table where the output is no terminal."""
PAGE = 100
"""Columns to which a table of many measures is fitted where the output is no terminal."""
LABELS = ("warning:", "partial:")
"""Start of messages about results that need attention."""
_given: list[str] = []
_verbosity = {"quiet": False, "verbose": False}


def set_verbosity(*, quiet: bool = False, verbose: bool = False) -> None:
    """Set the verbosity of stderr. Both `hoplab -q run` and `hoplab run -q` work: later calls add."""
    _verbosity["quiet"] = _verbosity["quiet"] or quiet
    _verbosity["verbose"] = _verbosity["verbose"] or verbose


def reset_verbosity() -> None:
    """Restore the default, for tests that run several command lines."""
    _verbosity.update(quiet=False, verbose=False)


def is_quiet() -> bool:
    """Whether `--quiet` was given."""
    return _verbosity["quiet"]


def is_verbose() -> bool:
    """Whether `--verbose` was given."""
    return _verbosity["verbose"]


def info(message: str) -> None:
    """Print a message on stderr, unless quiet."""
    if not is_quiet():
        label = next((label for label in LABELS if message.startswith(label)), None)
        write_colored(f"{message}\n", {label: "yellow"} if label else {}, sys.stderr)


def print_verdicts(text: str, colors: Mapping[str, str]) -> None:
    """Print text on stdout, with verdict words in color on a terminal."""
    write_colored(f"{text}\n", colors, sys.stdout)


@contextmanager
def python_warnings() -> Iterator[None]:
    """Print hoplab's Python warnings, such as those of controller classes, like other messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", HoplabWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, HoplabWarning):
                info(f"warning: {message}")
            else:
                others(message, category, *where, **more)

        warnings.showwarning = show
        yield


def warn_all(messages: Iterable[str]) -> None:
    """Print warnings on stderr, unless quiet."""
    for message in messages:
        info(f"warning: {message}")


def command_line() -> str:
    """The command line, quoted for a shell; absolute paths are shortened, since results are shared."""
    return shareable_command(["hoplab", *_given])


def note_command_line(args: Sequence[str]) -> None:
    """Record the arguments of the command, for the provenance of results."""
    _given[:] = args


def text_table(
    header: Sequence[str] | None, rows: Sequence[Sequence[str]], *, left: int = 1, most: int | None = None
) -> str:
    """Align columns with spaces: the first `left` columns to the left, the others to the right.

    Headings of a table wider than the terminal, or `WIDTH`, are folded at their spaces. On a terminal that is narrower
    still, columns that do not fit follow in a table below, behind the first `left` columns, at least one.

    With `most`, a table is at most that wide where the output is no terminal, and of a table that is too wide rows and
    columns change places if it fits then.
    """
    room = _room() or most
    every = list(rows) if header is None else [*_folded(header, rows, room or WIDTH), *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*every, strict=True)]
    if header is not None and room is not None and sum(widths) + 2 * (len(widths) - 1) > room:
        turned = "" if most is None else text_table(None, list(zip(header, *rows, strict=True)))
        if turned and max(map(len, turned.splitlines())) <= room:
            return turned
        parts = list(_parts(widths, max(1, left), room))
        if len(parts) > 1:
            cut = [[[cells[k] for k in part] for cells in (header, *rows)] for part in parts]
            return "\n\n".join(text_table(part[0], part[1:], left=left, most=most) for part in cut)

    def line(cells: Sequence[str]) -> str:
        aligned = [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join(line(cells) for cells in every)


def page_of(metrics: Iterable[Metric]) -> int | None:
    """`PAGE` for tables with measures of sessions, which are many and wide; None for others."""
    from hoplab.base.metrics import SESSION_METRICS  # noqa: PLC0415 (help does without it)

    return PAGE if any(metric.name in SESSION_METRICS for metric in metrics) else None


def _room() -> int | None:
    """Columns of the terminal; None where the output is none, and a row stays one line."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else None


def _parts(widths: Sequence[int], repeated: int, room: int) -> Iterator[list[int]]:
    """Columns of each part of a table that is too wide: the repeated ones, and as many others as fit, at least one."""
    keys = list(range(repeated))
    part, used = [*keys], sum(widths[:repeated]) + 2 * (repeated - 1)
    for column, width in enumerate(widths[repeated:], start=repeated):
        if len(part) > repeated and used + 2 + width > room:
            yield part
            part, used = [*keys], sum(widths[:repeated]) + 2 * (repeated - 1)
        part.append(column)
        used += 2 + width
    yield part


def _folded(header: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[Sequence[str]]:
    """Lines of headings: one, or as many as make each column as narrow as its cells and words."""
    columns = list(zip(header, *rows, strict=True))
    if sum(max(map(len, column)) for column in columns) + 2 * (len(header) - 1) <= room:
        return [header]
    folded = [
        textwrap.wrap(head, max([8, *map(len, cells)]), break_long_words=False, break_on_hyphens=False) or [""]
        for head, *cells in columns
    ]
    height = max(map(len, folded))
    return list(zip(*([""] * (height - len(lines)) + lines for lines in folded), strict=True))


def number(interval: Interval | None, *, scale: float = 1.0, digits: int = 1) -> str:
    """Mean and half-width, or the mean alone for n = 1."""
    if interval is None:
        return "-"
    scaled = interval.scaled(scale)
    if scaled.half_width is None:
        return f"{scaled.mean:.{digits}f}"
    return f"{scaled.mean:.{digits}f} \N{PLUS-MINUS SIGN} {scaled.half_width:.{digits}f}"
