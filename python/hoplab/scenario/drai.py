"""A formula of TCP Muzha's routers, written in Python: its levels over a grid of signals, as keys of a scenario.

The formula is evaluated before the run, once per cell. A run then needs no Python: its speed, its name in a run store
and its place (threads, Ray) are those of any other scenario.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from hoplab.base.errors import InputError, UsageError

SIGNALS = ("queue", "share", "busy", "delay", "used")
"""Signals of a router, as in `[muzha.drai.grid]`: the last one of a grid varies fastest."""

LEVELS = (1, 5)
MAX_CELLS = 4096


def drai_grid(formula: Callable[..., float], **steps: Sequence[float]) -> dict[str, object]:
    """The keys that make a router's level (DRAI) a formula of its signals: for `Scenario.with_`.

    Parameters
    ----------
    formula : callable
        From the smoothed signals, by name, to a level from 1 (halve) to 5 (double), which is rounded. The value of a
        signal is the lower end of its cell.
    steps : sequence of float
        Where the cells of each signal begin, apart from 0, ascending. `queue` is in packets, `share` the same over the
        queue's limit, `busy` the busy share of the medium, `delay` the queueing time in s, `used` the used share of an
        estimated capacity.

    Examples
    --------
    >>> import hoplab
    >>> hoplab.drai_grid(lambda queue, busy: 5 - queue if busy > 0.5 else 5, queue=[1, 2], busy=[0.8])
    {'muzha.drai.mode': 'grid', 'muzha.drai.grid.queue': [1.0, 2.0], 'muzha.drai.grid.busy': [0.8], \
'muzha.drai.grid.levels': [5, 5, 5, 4, 5, 3]}

    Raises
    ------
    UsageError
        If no signal is given, one is unknown, or its steps do not ascend.
    InputError
        If the formula fails, or returns no level.
    """
    unknown = sorted(steps.keys() - set(SIGNALS))
    if unknown:
        raise UsageError(f"unknown signal {unknown[0]!r}, expected {', '.join(SIGNALS)}")
    grid = {name: [float(step) for step in steps[name]] for name in SIGNALS if name in steps}
    if not any(grid.values()):
        raise UsageError("no steps, expected those of a signal", hint="for example busy=[0.7, 0.85]")
    for name, values in grid.items():
        if not all(math.isfinite(value) and value > 0.0 for value in values) or values != sorted(set(values)):
            raise UsageError(f"steps of {name} are {values}, expected ascending numbers above 0")
    cells = math.prod(len(values) + 1 for values in grid.values())
    if cells > MAX_CELLS:
        raise UsageError(f"the grid has {cells} cells, expected at most {MAX_CELLS}", hint="give fewer steps")
    points = itertools.product(*([0.0, *values] for values in grid.values()))
    levels = [_level(formula, dict(zip(grid, point, strict=True))) for point in points]
    keys = {f"muzha.drai.grid.{name}": values for name, values in grid.items() if values}
    return {"muzha.drai.mode": "grid", **keys, "muzha.drai.grid.levels": levels}


def _level(formula: Callable[..., float], at: dict[str, float]) -> int:
    where = ", ".join(f"{name} = {value:g}" for name, value in at.items())
    try:
        found: Any = formula(**at)
    except Exception as error:
        raise InputError(f"the formula failed at {where}: {type(error).__name__}: {error}") from error
    least, most = LEVELS
    is_number = isinstance(found, Real) and not isinstance(found, bool)
    if not is_number or not least <= float(found) <= most:
        hint = f"limit it: max({least}, min({most}, ...))"
        raise InputError(f"the formula returned {found!r} at {where}, expected {least} to {most}", hint=hint)
    return round(float(found))
