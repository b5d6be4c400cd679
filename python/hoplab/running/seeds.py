"""Which seeds to run: a count, a range, or a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeAlias

from hoplab.base.errors import UsageError
from hoplab.base.numbers import integer_of

Seeds: TypeAlias = int | str | Iterable[int]
"""A count (from the scenario's own seed on), the spellings of the command line (``"10"``, ``"3..7"``, ``"1,4,9"``),
or the seeds themselves."""

MAX_SEEDS = 100_000
"""More replications than this in one call is a slip of the keyboard; a sweep takes them."""

_SPELLINGS = 'expected a count ("10"), a range with both ends ("3..7") or a list ("1,4,9")'


def seeds_of(seeds: Seeds, first: int) -> tuple[int, ...]:
    """Seeds to run, without repeats.

    Parameters
    ----------
    seeds : int, str or iterable of int
        A count N means `first`, `first` + 1, ..., N of them.
    first : int
        The scenario's own seed.

    Raises
    ------
    UsageError
        If nothing is left to run, or a seed is negative, repeated or no integer.
    """
    count = integer_of(seeds)
    if isinstance(seeds, str):
        chosen: tuple[Any, ...] = _parse(seeds, first)
    elif count is not None:
        chosen = _count(count, first, str(count))
    else:
        chosen = _listed(seeds)
    if not chosen:
        raise UsageError("no seed to run", hint=_SPELLINGS)
    if len(chosen) > MAX_SEEDS:
        raise UsageError(f"more than {MAX_SEEDS} seeds", hint="use a sweep for that many runs")
    found: dict[int, None] = {}
    for given in chosen:
        seed = integer_of(given)
        if seed is None or not 0 <= seed < 2**64:
            raise UsageError(f"seed {given!r} is not an integer from 0 to 2**64 - 1")
        if seed in found:
            raise UsageError(f"seed {seed} is given twice: the second run would repeat the first")
        found[seed] = None
    return tuple(found)


def refuse_seed_axis(key: str) -> None:
    """Refuse the scenario's seed as an axis: all points have the same seeds, so that they would share their runs.

    Raises
    ------
    UsageError
        If the key is, or has among several with commas between them, `seed`.
    """
    if any(part.strip() == "seed" for part in key.split(",")):
        raise UsageError(
            "seed is no axis: every point runs with the same seeds", hint="--seeds 1,2,3 (seeds=[1, 2, 3]) chooses them"
        )


def _listed(seeds: Any) -> tuple[Any, ...]:
    """The seeds of a list or another iterable; text in bytes and mappings are none."""
    if isinstance(seeds, bool | bytes | bytearray | memoryview | Mapping):
        raise UsageError(f"cannot read seeds {seeds!r}", hint=_SPELLINGS)
    try:
        return tuple(islice(seeds, MAX_SEEDS + 1))
    except TypeError:
        raise UsageError(f"cannot read seeds {seeds!r}", hint=_SPELLINGS) from None


def _parse(text: str, first: int) -> tuple[int, ...]:
    span = ".." in text
    try:
        parts = text.split("..", 1) if span else text.split(",", MAX_SEEDS + 1)
        numbers = [_integer(part) for part in parts]
    except ValueError:
        raise UsageError(f"cannot read seeds {text!r}", hint=_SPELLINGS) from None
    if span:
        low, high = numbers
        if high < low:
            raise UsageError(f"seeds {text!r} run backwards", hint=f"write {high}..{low}")
        return _count(high - low + 1, low, text)
    return tuple(numbers) if len(numbers) > 1 else _count(numbers[0], first, text)


def _integer(text: str) -> int:
    """Decimal digits alone: `int` would also take `1_0` and other scripts' digits."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,40}\s*")


def _count(count: int, first: int, text: str) -> tuple[int, ...]:
    if count < 1:
        raise UsageError(f"seeds {text} asks for {count} runs", hint=_SPELLINGS)
    if count > MAX_SEEDS:
        raise UsageError(f"{count} seeds are more than {MAX_SEEDS}", hint="use a sweep for that many runs")
    return tuple(range(first, first + count))
