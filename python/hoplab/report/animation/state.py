"""Piecewise constant states, thinned to visible changes.

A trace record sets a state from its time on. Only changes are kept; the state before the shown part moves to its start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class States:
    """Changes in order of time: at `times`, row `rows` of the records sets the state."""

    times: Numbers
    rows: Numbers


def changes(times: Numbers, keys: Numbers, values: npt.NDArray[np.float64], *, begin: int, grain: int) -> States:
    """Rows that change a state.

    Parameters
    ----------
    times : array of int
        Times in us, ascending from the start of the run.
    keys : array of int
        Entity of the state.
    values : array of float
        The state from this time on.
    begin : int
        Start of the shown part, in us.
    grain : int
        Of several changes of one state within this time, in us, the last is kept.
    """
    shown = np.maximum(times, begin)
    slots = np.where(times < begin, -1, (shown - begin) // grain)
    order = np.lexsort((np.arange(len(times)), keys))
    keys, slots = keys[order], slots[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (keys[1:] != keys[:-1]) | (slots[1:] != slots[:-1])
    order, keys = order[last], keys[last]
    kept = values[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]) | (kept[1:] != kept[:-1])
    order = order[new]
    order = order[np.lexsort((order, shown[order]))]
    return States(shown[order], order)
