"""States that hold from one moment to the next, thinned to what can be seen of them.

A record of the trace says that something is so from now on. Only changes are kept; what was so before the part that is
shown stands at its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class States:
    """Changes in order of time: at `times`, row `rows` of the records came to hold."""

    times: Numbers
    rows: Numbers


def changes(times: Numbers, keys: Numbers, values: npt.NDArray[np.float64], *, begin: int, grain: int) -> States:
    """Rows at which something has changed.

    Parameters
    ----------
    times : array of int
        When, in us; in the order of the run, from its start on.
    keys : array of int
        Whose state it is.
    values : array of float
        The state from then on.
    begin : int
        Where the part that is shown begins, in us.
    grain : int
        Of several changes of one state within so many us only the last is kept.
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
