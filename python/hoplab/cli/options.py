"""Options that several commands share, and what their text means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hoplab.base.errors import UsageError
from hoplab.running.limits import Limits
from hoplab.scenario.tomltext import toml_tables

File = Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).", show_default=False)]
SetKeys = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE", help="Set a scenario key, such as mac.ssrl=9; may be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object per run and line.")]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Runs at a time. [default: one per core]")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write results and a report there.")]
Force = Annotated[bool, typer.Option("--force", help="Let --out replace earlier results.")]
Backend = Annotated[
    str | None, typer.Option("--backend", metavar="BACKEND", help="local, ray, or ray://HOST:PORT. [default: local]")
]
Retry = Annotated[bool, typer.Option("--retry", help="Try quarantined runs again.")]
MaxEvents = Annotated[int | None, typer.Option("--max-events", min=1, help="End a run that takes more events.")]
MaxWall = Annotated[
    str | None, typer.Option("--max-wall", metavar="TIME", help="End a run that takes longer, in real time: '10 min'.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No warnings and no progress on stderr.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="More on stderr; tracebacks of bugs.")]

SEEDS_HELP = "How many seeds (10), which range (3..7), or which (1,4,9)."

_INTEGERS = re.compile(r"\s*(-?[0-9]{1,40})\s*\.\.\s*(-?[0-9]{1,40})\s*")


_TIME = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|min|h)\s*")
_UNIT_S = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds_of(option: str, text: str) -> float:
    """A time with its unit, in s.

    Raises
    ------
    UsageError
        If it is none.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise UsageError(f"cannot read {option} {text!r}", hint="expected a time with its unit, such as '500 ms'")
    return float(found[1]) * _UNIT_S[found[2]]


def limits_of(max_events: int | None, max_wall: str | None) -> Limits:
    """What `--max-events` and `--max-wall` say."""
    return Limits(max_events, None if max_wall is None else seconds_of("--max-wall", max_wall))


def overrides_of(pairs: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Split each ``key=value``; the engine reads the value as TOML, or as a string where it is none.

    Raises
    ------
    UsageError
        If there is no ``=``, or nothing before it.
    """
    found = []
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"cannot read --set {pair!r}", hint="expected KEY=VALUE, such as --set mac.ssrl=9")
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
                f"cannot read --over {pair!r}",
                hint="expected KEY=FIRST..LAST or KEY=A,B,C, such as --over topology.hops=1..8",
            )
        if key in axes:
            raise UsageError(f"--over names {key} twice")
        axes[key] = _values(key, text)
    return axes


def _values(key: str, text: str) -> tuple[Any, ...]:
    span = _INTEGERS.fullmatch(text)
    if span:
        low, high = int(span[1]), int(span[2])
        if high < low:
            raise UsageError(f"--over {key}={text} runs backwards", hint=f"write {key}={high}..{low}")
        if high - low >= MOST_VALUES:
            raise UsageError(
                f"--over {key}={text} has {high - low + 1} values; at most {MOST_VALUES} are allowed",
                hint="a larger step is written as a list: " + f"{key}={low},{low + 1000}",
            )
        return tuple(range(low, high + 1))
    return tuple(_value(part.strip()) for part in text.split(","))


MOST_VALUES = 100_000
"""Values of one axis."""


def _value(text: str) -> Any:
    """A TOML value, or the text itself: `1`, `0.5`, `true`, but also `250 m` without quotes."""
    try:
        return toml_tables(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
