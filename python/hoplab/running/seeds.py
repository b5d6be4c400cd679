"""Which seeds to run: a count, a range, or a list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from hoplab.base.errors import UsageError

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
    if isinstance(seeds, str):
        chosen = _parse(seeds, first)
    elif isinstance(seeds, int):
        chosen = _count(seeds, first, repr(seeds))
    else:
        chosen = tuple(seeds)
    if not chosen:
        raise UsageError("no seed to run", hint=_SPELLINGS)
    if len(chosen) > MAX_SEEDS:
        raise UsageError(f"{len(chosen)} seeds are more than {MAX_SEEDS}", hint="use a sweep for that many runs")
    seen: set[int] = set()
    for seed in chosen:
        if not _is_seed(seed):
            raise UsageError(f"seed {seed!r} is not an integer from 0 to 2**64 - 1")
        if seed in seen:
            raise UsageError(f"seed {seed} is given twice: the second run would repeat the first")
        seen.add(seed)
    return chosen


def _is_seed(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def _parse(text: str, first: int) -> tuple[int, ...]:
    span = ".." in text
    try:
        numbers = [int(part) for part in (text.split("..", 1) if span else text.split(","))]
    except ValueError:
        raise UsageError(f"cannot read seeds {text!r}", hint=_SPELLINGS) from None
    if span:
        low, high = numbers
        if high < low:
            raise UsageError(f"seeds {text!r} run backwards", hint=f"write {high}..{low}")
        return _count(high - low + 1, low, text)
    return tuple(numbers) if len(numbers) > 1 else _count(numbers[0], first, text)


def _count(count: int, first: int, text: str) -> tuple[int, ...]:
    if count < 1:
        raise UsageError(f"seeds {text} asks for {count} runs", hint=_SPELLINGS)
    if count > MAX_SEEDS:
        raise UsageError(f"{count} seeds are more than {MAX_SEEDS}", hint="use a sweep for that many runs")
    return tuple(range(first, first + count))
