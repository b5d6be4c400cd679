"""Several tests at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """P values adjusted by Holm's step-down procedure (Holm 1979), in the order given.

    Of all true hypotheses of no difference, the probability to reject one or more at adjusted p below 0.05 is at most
    5 %, whatever the tests have in common.
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [1.0] * len(p_values)
    most = 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1.0, (len(order) - rank) * p_values[i]))
        adjusted[i] = most
    return adjusted
