"""Which seeds to run: a count, a range, or a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeAlias

from hoplab.base.errors import UsageError, is_command_line
from hoplab.base.numbers import integer_of, seed_of

Seeds: TypeAlias = int | str | Iterable[int]
"""A count (from the scenario's own seed on), the spellings of the command line (``"10"``, ``"3..7"``, ``"1,4,9"``),
or the seeds themselves."""

MAX_SEEDS = 100_000
"""More replications than this in one call is a slip of the keyboard; a sweep takes them."""

_SPELLINGS = 'expected a count ("10"), a range with both ends ("3..7") or a list ("1,4,9")'


def seeds_of(seeds: Seeds, first: int) -> tuple[int, ...]:
    """Seeds without duplicates.

    Parameters
    ----------
    seeds : int, str or iterable of int
        A count N means `first`, `first` + 1, ..., N of them.
    first : int
        The scenario's own seed.

    Raises
    ------
    UsageError
        If there is no seed, or a seed is negative, repeated or not an integer.
    """
    count = integer_of(seeds)
    if isinstance(seeds, str):
        chosen: tuple[Any, ...] = _parse(seeds, first)
    elif count is not None:
        chosen = _count(count, first, str(count))
    else:
        chosen = _listed(seeds)
    if not chosen:
        raise UsageError("seeds: no values", hint=_SPELLINGS)
    if len(chosen) > MAX_SEEDS:
        raise UsageError(f"seeds: more than {MAX_SEEDS} values", hint="use a sweep for more runs")
    found: dict[int, None] = {}
    for given in chosen:
        seed = seed_of(given)
        if seed in found:
            raise UsageError(f"seed {seed} is duplicate: its run would repeat the first")
        found[seed] = None
    return tuple(found)


def refuse_seed_axis(key: str) -> None:
    """Refuse the scenario's seed as an axis: all points share their seeds.

    Raises
    ------
    UsageError
        If the key is, or has among several with commas between them, `seed`.
    """
    if any(part.strip() == "seed" for part in key.split(",")):
        hint = "use --seeds 1,2,3" if is_command_line() else "use seeds=[1, 2, 3]"
        raise UsageError("seed: not supported as an axis, all points share their seeds", hint=hint)


def _listed(seeds: Any) -> tuple[Any, ...]:
    """The seeds of a list or another iterable; text in bytes and mappings are none."""
    if isinstance(seeds, bool | bytes | bytearray | memoryview | Mapping):
        raise UsageError(f"seeds: invalid value {seeds!r}", hint=_SPELLINGS)
    try:
        return tuple(islice(seeds, MAX_SEEDS + 1))
    except TypeError:
        raise UsageError(f"seeds: invalid value {seeds!r}", hint=_SPELLINGS) from None


def _parse(text: str, first: int) -> tuple[int, ...]:
    span = ".." in text
    try:
        parts = text.split("..", 1) if span else text.split(",", MAX_SEEDS + 1)
        numbers = [_integer(part) for part in parts]
    except ValueError:
        raise UsageError(f"seeds: invalid value {text!r}", hint=_SPELLINGS) from None
    if span:
        low, high = numbers
        if high < low:
            raise UsageError(f"seeds {text!r}: range is descending", hint=f"write {high}..{low}")
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
        raise UsageError(f"seeds = {text}: expected at least 1", hint=_SPELLINGS)
    if count > MAX_SEEDS:
        raise UsageError(f"seeds: {count} values, expected at most {MAX_SEEDS}", hint="use a sweep for more runs")
    return tuple(range(first, first + count))
