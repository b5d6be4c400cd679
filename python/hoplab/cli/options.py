"""Options shared by several commands, and their parsers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hoplab.base.errors import UsageError
from hoplab.base.numbers import SECONDS
from hoplab.cli import completing
from hoplab.running.limits import Limits
from hoplab.scenario.tomltext import toml_tables

File = Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).", show_default=False)]
SetKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        help="Set a scenario key, such as mac.ssrl=9. Repeatable.",
        autocompletion=completing.keys,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per run.")]
Possible = Annotated[
    bool, typer.Option("--possible", help="Show the share of what the network can carry (`hoplab bound`).")
]
Trace = Annotated[
    bool, typer.Option("--trace", help="With --out: store every event and sampled state, and show them over time.")
]
Pcapng = Annotated[
    Path | None,
    typer.Option("--pcapng", metavar="FILE", help="Write all frames as Wireshark reads them; {seed} in its name."),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics", metavar="A,B,C", help="Measures to show: goodput,delay,loss,fairness,distinct,fct,page,video."
    ),
]
GoodputInterval = Annotated[
    str | None,
    typer.Option("--goodput-interval", metavar="TIME", help="Record goodput per flow and TIME, such as '1 s'."),
]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Concurrent runs. [default: one per core]")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write results and a report to DIR.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing results.")]
Backend = Annotated[
    str | None, typer.Option("--backend", metavar="BACKEND", help="local, ray, or ray://HOST:PORT. [default: local]")
]
Retry = Annotated[bool, typer.Option("--retry", help="Execute quarantined runs again.")]
MaxEvents = Annotated[int | None, typer.Option("--max-events", min=1, help="Limit of events per run.")]
MaxWall = Annotated[
    str | None, typer.Option("--max-wall", metavar="TIME", help="Limit of wall time per run, such as '10 min'.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Suppress warnings and progress.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print details, and tracebacks of internal errors.")]

SEEDS_HELP = "Count (10), range (3..7) or list (1,4,9) of seeds."
Seeds = Annotated[str, typer.Option("--seeds", metavar="SEEDS", help=SEEDS_HELP)]

_INTEGERS = re.compile(r"\s*(-?[0-9]{1,40})\s*\.\.\s*(-?[0-9]{1,40})\s*")


_TIME = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|min|h)\s*")


def seconds_of(option: str, text: str) -> float:
    """A time with its unit, in s.

    Raises
    ------
    UsageError
        If it is none.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise UsageError(f"{option}: invalid value {text!r}", hint="expected a number and a unit, such as '500 ms'")
    return float(found[1]) * SECONDS[found[2]]


def limits_of(max_events: int | None, max_wall: str | None) -> Limits:
    """Limits from `--max-events` and `--max-wall`."""
    return Limits(max_events, None if max_wall is None else seconds_of("--max-wall", max_wall))


def overrides_of(pairs: list[str] | None, goodput_interval: str | None = None) -> tuple[tuple[str, str], ...]:
    """Split each ``key=value``; the engine parses the value as TOML, or else takes it as a string.

    Raises
    ------
    UsageError
        If ``=`` or the key is missing, or the interval of `--goodput-interval` is no time.
    """
    found = []
    if goodput_interval is not None:
        seconds_of("--goodput-interval", goodput_interval)
        found.append(("goodput_interval", goodput_interval.strip()))
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set: invalid value {pair!r}", hint="expected KEY=VALUE, such as --set mac.ssrl=9")
        found.append((key.strip(), value.strip()))
    return tuple(found)


def axes_of(pairs: list[str] | None) -> Mapping[str, tuple[Any, ...]]:
    """Read each ``key=1..8`` (both ends included) or ``key=a,b,c`` of `--over`.

    Raises
    ------
    UsageError
        If one cannot be read, or a key is given twice.
    """
    axes: dict[str, tuple[Any, ...]] = {}
    for pair in pairs or []:
        key, equals, text = pair.partition("=")
        key = key.strip()
        if not equals or not key or not text.strip():
            raise UsageError(
                f"--over: invalid value {pair!r}",
                hint="expected KEY=FIRST..LAST or KEY=A,B,C, such as --over topology.hops=1..8",
            )
        if key in axes:
            raise UsageError(f"--over: duplicate key {key}")
        axes[key] = _values(key, text)
    return axes


def _values(key: str, text: str) -> tuple[Any, ...]:
    span = _INTEGERS.fullmatch(text)
    if span:
        low, high = int(span[1]), int(span[2])
        if high < low:
            raise UsageError(f"--over {key}={text}: range is descending", hint=f"write {key}={high}..{low}")
        if high - low >= MOST_VALUES:
            raise UsageError(
                f"--over {key}={text} has {high - low + 1} values, expected at most {MOST_VALUES}",
                hint="write a larger step as a list: " + f"{key}={low},{low + 1000}",
            )
        return tuple(range(low, high + 1))
    return tuple(_value(part.strip()) for part in _parts(text))


_PART = re.compile(r"""(?:[^,\[\]{}"']|"[^"]*"|'[^']*'|[\[{](?:[^\[\]{}]|[\[{][^\[\]{}]*[\]}])*[\]}])*""")
"""A value: commas within quotes, and within arrays and tables that are at most two deep, belong to it."""


def _parts(text: str) -> list[str]:
    """A list at its commas, but for those within a value; at all of them where brackets or quotes have no end."""
    parts, begin = [], 0
    while (found := _PART.match(text, begin)) is not None:
        parts.append(found[0])
        if found.end() == len(text):
            return parts
        if text[found.end()] != ",":
            break
        begin = found.end() + 1
    return text.split(",")


MOST_VALUES = 100_000
"""Values of one axis."""


def _value(text: str) -> Any:
    """A TOML value such as `1` or `true`, or else the text itself, such as `250 m`."""
    try:
        return toml_tables(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
